"""Drawings of a tree: layout, marks and colours, and the formats that write them.

Writes SVG, TikZ, DOT and Mermaid. May import tree and data. Drawing libraries never enter.
"""
