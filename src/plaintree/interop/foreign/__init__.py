"""Imports from other libraries: scikit-learn, rpart, Weka and C4.5.

Their models and printed trees become ordinary trees through tree/build.py. May import tree, data
and stats. Estimators and the other formats never enter.
"""
