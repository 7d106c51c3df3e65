"""plaintree: decision trees you can read, check and trust.

>>> import plaintree as pt
>>> X, y = pt.datasets.load_tennis()
>>> model = pt.ID3Classifier().fit(X, y)
>>> model.tree_.root.feature
'Outlook'

The names that most users need are here. The others are in public modules, such as
:mod:`plaintree.stats`, :mod:`plaintree.rules` and :mod:`plaintree.errors`, which need no import of
their own: ``pt.stats.information_gain``. All are listed in ``__init__.pyi`` and imported on first
use (lazy.py), so ``import plaintree`` stays light.
"""

from __future__ import annotations

from plaintree.lazy import attach

__version__ = "0.1.0"

__getattr__, __dir__, __all__ = attach(__name__, __file__)
