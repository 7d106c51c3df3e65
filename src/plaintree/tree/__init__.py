"""The one finished tree: its conditions, arrays and conventions, and what it answers.

A tree is checked, built, cut, edited, asked and packed into forests here. Imports data and stats.
Nothing here grows, prunes by a method, draws or exports.
"""
