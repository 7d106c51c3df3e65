"""Material for classes: the worked solution of a tree, step by step.

Exercises, worksheets and marking belong here. May import estimators and what is further in; only
app imports it. Anything that an analyst needs never enters.
"""
