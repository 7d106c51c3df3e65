"""Rules: a Tree in, rules, rule lists, regions and logical formulas out.

Holds the rules of a tree, ordered rule lists, C4.5rules, and checks for complete and mutually
exclusive rules. May import tree, data and stats. Growing and pruning never enter.
"""

from plaintree.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
