"""Models as PMML 4.4, the XML that scoring engines read."""

from .document import export_pmml

__all__ = ["export_pmml"]
