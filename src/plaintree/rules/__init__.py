"""A tree as rules, and lists of rules: C4.5rules, regions, logic, formulas.

Imports tree, data and stats. Nothing here grows or prunes a tree.
"""
