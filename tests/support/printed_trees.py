"""Trees as other programs print them, small enough to read."""

from __future__ import annotations

# C4.5 Release 8.
GOLF = """
C4.5 [release 8] decision tree generator
----------------------------------------

Read 14 cases (4 attributes) from golf.data

Decision Tree:

outlook = overcast: Play (4.0)
outlook = sunny:
|   humidity <= 75 : Play (2.0)
|   humidity > 75 : Don't Play (3.0)
outlook = rain:
|   windy = true: Don't Play (2.0)
|   windy = false: Play (3.0)


Tree saved


Evaluation on training data (14 items):
"""
# C4.5 prints the tree before pruning and after it.
GOLF_PRUNED = GOLF.replace(
    "Tree saved", "Simplified Decision Tree:\n\n Play (14.0/6.8)\n\n\nTree saved"
)
# rpart, printed.
IRIS = """n= 150

node), split, n, loss, yval, (yprob)
      * denotes terminal node

1) root 150 100 setosa (0.33333333 0.33333333 0.33333333)
  2) Petal.Length< 2.45 50   0 setosa (1.00000000 0.00000000 0.00000000) *
  3) Petal.Length>=2.45 100  50 versicolor (0.00000000 0.50000000 0.50000000)
    6) Petal.Width< 1.75 54   5 versicolor (0.00000000 0.90740741 0.09259259) *
    7) Petal.Width>=1.75 46   1 virginica (0.00000000 0.02173913 0.97826087) *
"""
# rpart, as a table of nodes.
NODES = [
    {"id": 1, "edge": "root", "n": 10, "dev": 4, "yval": "no"},
    {"id": 2, "edge": "color=red,blue", "n": 6, "dev": 1, "yval": "no"},
    {"id": 3, "edge": "color=green", "n": 4, "dev": 1, "yval": "yes"},
]
# Weka's J48.
WEATHER = """
=== Classifier model (full training set) ===

J48 pruned tree
------------------

outlook = sunny
|   humidity <= 75: yes (2.0)
|   humidity > 75: no (3.0)
outlook = overcast: yes (4.0)
outlook = rainy
|   windy = TRUE: no (2.0)
|   windy = FALSE: yes (3.0)

Number of Leaves  : \t5

Size of the tree : \t8


Time taken to build model: 0.39 seconds
"""
