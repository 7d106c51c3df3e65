"""Pruning: a Tree in, a smaller Tree out, one module per method.

:func:`plaintree.prune` reads the table of methods in methods.py, and every method ends in
tree/cut.py. The path of cost-complexity pruning and the error curves are here as well. May import
tree, data and stats. Estimators, growing and rules never enter: a method that grows again is
given a function for it.

- task.py: the arguments of a method, and the choice between leaf and subtree from below
- limits.py, reduced_error.py, pessimistic.py, mdl.py, cost_complexity.py, error_based.py: the
  methods
- losses.py: the loss of rows at each node; path.py, links.py: the nested trees of cost-complexity
  pruning; cp_table.py: the same in rpart's units; cross_validation.py: the best one
- tidy_groups.py: groups of categories after error-based pruning; curves.py: errors against size
"""

from plaintree.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
