"""Rows and conventions in, a Tree out: one tree or a forest, by the engine.

Sources of counts (memory, chunks, clusters) and optimal search belong here. Imports tree, data and
stats. No estimator and no pruning method here.
"""
