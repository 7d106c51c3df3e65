"""For people: a tree as text and pictures, plots, and explanations of one answer.

Reads trees, rules and pruning paths through their own vocabulary. No number is computed here that a
room further in computes.
"""
