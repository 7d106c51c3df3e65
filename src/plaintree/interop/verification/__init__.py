"""Verification of exports: the exported model is run and compared with the model.

rows.py generates rows, runners/ runs the export, verify.py compares the predictions. May import
members.py, the formats, rules, tree and data. Estimators never enter.
"""
