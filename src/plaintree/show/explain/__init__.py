"""Explaining one answer of a tree: the way there, how sure it is, and the smallest change."""
