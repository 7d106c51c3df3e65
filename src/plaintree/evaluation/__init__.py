"""Evaluation of models: cross-validation, and comparison of two models.

Stability and drift belong here. May import estimators and what is further in. Metrics that
scikit-learn has never enter; they are imported from it.
"""
