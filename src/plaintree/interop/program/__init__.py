"""Models as source code: C, Java, JavaScript, Python and SQL.

plan.py turns a model into plain tables once; each language has one writer for them. May import
members.py, verification, rules, tree and data. Estimators never enter.
"""
