"""Arithmetic on counts and weights, such as impurity, gains and intervals.

Holds impurity, losses of predictions, exact fractions, measures of counts, expected errors,
confidence intervals and MDL cut points. May import the helper modules at the top of the package
only. Tables, trees and text for people never enter.
"""

from plaintree.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
