"""Text, pictures, plots and explanations of models.

Trees, rules and pruning paths are shown through their own conditions. May import growing, pruning,
rules and what is further in. Arithmetic that a room further in does never enters.
"""

from plaintree.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
