"""Estimators with the scikit-learn API: fit, predict and fitted attributes.

A tree estimator is its default conventions and a list of parameters; ``fit`` reads the table,
grows, prunes and remembers the schema. May import every room further in. Algorithms never enter:
they belong to growing, pruning, rules and stats.
"""
