"""The methods of pruning, one module each; plaintree.prune is the way to all of them.

- tree/cut.py: subtrees become leaves, leaves of one class are merged (every method ends here)
- data/rows.py: where the rows of a table end in a tree
- task.py: what a method is given, and the choice between leaf and subtree from below
- limits.py, reduced_error.py, pessimistic.py, mdl.py, cost_complexity.py: the methods
- path.py, links.py: the nested trees of cost-complexity pruning; cross_validation.py: the best one
"""
