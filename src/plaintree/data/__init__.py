"""Reading of any table into a schema and encoded columns.

Holds files, data frames, columns, tables, schema, target, encoding, and the formatting of values.
Other rooms never see which library a table came from. May import stats and the helper modules.
Trees never enter.
"""
