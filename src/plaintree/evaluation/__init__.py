"""Evaluation of models: cross-validation, and comparison of two models.

Stability and drift belong here. May import estimators and what is further in. Metrics that
scikit-learn has never enter; they are imported from it.
"""

from plaintree.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
