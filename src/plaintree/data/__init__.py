"""Reading of any table into a schema and encoded columns.

Holds files, data frames, columns, tables, schema, target, encoding, and the formatting of values.
Other rooms never see which library a table came from. May import stats and the helper modules.
Trees never enter.
"""

from plaintree.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
