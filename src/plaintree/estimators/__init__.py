"""The scikit-learn contract: fit, predict and fitted attributes of every learner.

A learner is a profile of conventions and a list of parameters. Imports everything further in. No
algorithm is written here: fit is read, grow, prune, remember.
"""
