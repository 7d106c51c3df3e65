"""How good a model is: on folds, on other rows, against another model.

Stability and drift belong here. Measures of scikit-learn are used, not written again.
"""
