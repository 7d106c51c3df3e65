"""From any table to encoded rows: files, frames, columns, schema, target, codes.

The only room that knows files and frame libraries. Also how values, dates and numbers are written.
Imports stats. Nothing here knows a tree.
"""
