"""Arithmetic on counts and weights: what a group of rows is worth.

Impurity and gains, exact fractions, upper limits of errors, intervals, description lengths. Imports
nothing but the helpers at the top of the package. No table, no tree and no text for people here.
"""
