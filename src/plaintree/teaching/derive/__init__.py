"""The worked solution of a tree: each step of growing and pruning, in four notations.

Every node is computed again from the training rows with exact fractions and compared with the
tree. May import show, pruning, rules, tree, data and stats. A second way to grow never enters: the
tree is the one that the core has grown.

- cases.py: the training rows, their missing values and their branches
- tried.py, tried_table.py, cuts.py, thresholds.py, groups.py, offers.py, choice.py: the splits of
  each column at a node, and which one wins
- stops.py, steps.py: why growing stops, and every node of a tree computed again and compared with
  the tree
- held.py: what the tree holds for its nodes, compared with what their rows give
- pruning_steps.py, pruned.py, weakest_links.py, error_based_steps.py: the decisions of pruning at
  each node
- classify.py, predictions.py: new rows, predicted step by step; training_error.py: how far
  predicted numbers are off
- document.py: blocks and expressions without a notation
- terms.py, number_terms.py: the names, formulas and tables of each criterion
- formulas.py, words.py, introduction.py, remarks.py and sections.py write the parts of a derivation
  as such a document, compose.py puts them in order, worksheet.py removes the results, and
  solution.py has derive
- formula_book.py has formula_of, the formula of one number; address.py: where numbers come from;
  workings.py, equations.py, definitions.py: the rows, the equation and the definition of an
  address; formula.py, parts.py: writing a formula, also as plain data
- notation.py, write_text.py, write_markdown.py, write_latex.py, write_html.py: the four notations
"""
