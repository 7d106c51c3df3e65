"""Explanations of one prediction: decision path, confidence, counterfactual.

Every explanation is data first (explanation.py, firing.py, vote.py), with text, JSON and HTML as
its forms. May import rules, tree, data and stats. Drawing never enters.
"""
