"""Estimators with the scikit-learn API: fit, predict and fitted attributes.

A tree estimator is its default conventions and a list of parameters; ``fit`` reads the table,
grows, prunes and remembers the schema. May import every room further in. Algorithms never enter:
they belong to growing, pruning, rules and stats.
"""

from plaintree.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
