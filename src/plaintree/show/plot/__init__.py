"""Plots with matplotlib (the extra ``plot``).

Every ``plot_...`` function takes ``ax`` and returns the Axes. May import show/picture, pruning,
rules and what is further in. This is the only package that imports matplotlib.
"""
