"""Models as PMML 4.4, the XML format of scoring engines.

May import members.py, verification, rules, tree and data. Estimators never enter.
"""

from .document import export_pmml

__all__ = ["export_pmml"]
