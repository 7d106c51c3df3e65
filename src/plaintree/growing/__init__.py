"""Growing: encoded rows and conventions in, a Tree out.

Holds the growing of one tree and of a forest by the C++ core; other sources of class counts and
optimal search belong here. May import tree, data and stats; the conventions are in
tree/conventions.py. Estimators, pruning methods and rules never enter.

- given_tree.py: a finished tree with its training rows, for what starts at one of its nodes
- candidate_splits.py: the splits that the features offer at a node, as the results of offers.py
  and the text of offers_text.py
- growing_on.py: the splits of a tree stay, and its leaves are grown
"""

from plaintree.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
