"""Growing: encoded rows and conventions in, a Tree out.

Holds the growing of one tree and of a forest by the C++ core; other sources of class counts and
optimal search belong here. May import tree, data and stats; the conventions are in
tree/conventions.py. Estimators, pruning methods and rules never enter.
"""
