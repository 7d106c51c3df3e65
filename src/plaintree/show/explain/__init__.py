"""Explanations of one prediction: decision path, confidence, counterfactual.

Every explanation is data first (explanation.py, firing.py, vote.py) and is then written as text,
JSON or HTML. May import rules, tree, data and stats. Drawing never enters.
"""
