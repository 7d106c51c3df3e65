"""The finished tree: its conditions, arrays and conventions, and its predictions.

Trees are validated, compared, built, cut, edited, walked and packed into forests here. The
conventions are here because a tree stores those it was grown with. May import data, stats and the
helper modules. Growing, pruning methods, drawing and export never enter.
"""

from plaintree.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
