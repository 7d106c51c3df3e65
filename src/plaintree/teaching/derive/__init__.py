"""The worked solution of a tree: how it came about, step by step, in four notations.

- stats/exact.py, cases.py: exact weights and scores; the rows, their gaps and their branches
- tried.py, cuts.py, thresholds.py, groups.py, offers.py, choice.py: what each column offers at a
  node, which test wins
- steps.py: every node of a tree worked out anew and compared with the tree
- pruning_steps.py, weakest_links.py, error_based_steps.py: what pruning weighed at each node
- classify.py: new rows, classified in words
- document.py: blocks and expressions in no notation; formulas.py, words.py, introduction.py,
  sections.py write a derivation as such a document, and solution.py puts it together (derive)
- notation.py, write_text.py, write_markdown.py, write_latex.py, write_html.py: the four writers
"""
