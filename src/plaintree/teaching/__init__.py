"""For classes: the worked solution of a tree, step by step, in four notations.

Exercises, worksheets and marking belong here. Imports everything further in; nothing imports it but
the programs in app.
"""
