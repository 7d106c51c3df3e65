"""Material for classes: the worked solution of a tree, step by step.

Exercises, worksheets and marking belong here. May import estimators and what is further in; only
app imports it. Anything that an analyst needs never enters.
"""

from plaintree.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
