"""plaintree: decision trees you can read, check and trust.

>>> import plaintree as pt
>>> X, y = pt.datasets.load_tennis()
>>> model = pt.ID3Classifier().fit(X, y)
>>> model.tree_.root.attribute
'Outlook'

Names are loaded on first use, so that ``import plaintree`` stays light.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from . import datasets as datasets
    from .conventions import Conventions as Conventions
    from .errors import PlaintreeError as PlaintreeError
    from .estimators import C45Classifier as C45Classifier
    from .estimators import CARTClassifier as CARTClassifier
    from .estimators import DecisionTreeClassifier as DecisionTreeClassifier
    from .estimators import ID3Classifier as ID3Classifier
    from .export.text import export_text as export_text
    from .files import read_table as read_table
    from .memorize import MemorizingTreeClassifier as MemorizingTreeClassifier
    from .rules import Rule as Rule
    from .rules import export_rules as export_rules
    from .rules import rules_of as rules_of
    from .schema import Attribute as Attribute
    from .schema import Schema as Schema
    from .tree import Node as Node
    from .tree import Tree as Tree

_HOME = {
    "Attribute": "schema",
    "C45Classifier": "estimators",
    "CARTClassifier": "estimators",
    "Conventions": "conventions",
    "DecisionTreeClassifier": "estimators",
    "ID3Classifier": "estimators",
    "MemorizingTreeClassifier": "memorize",
    "Node": "tree",
    "PlaintreeError": "errors",
    "Rule": "rules",
    "Schema": "schema",
    "Tree": "tree",
    "export_rules": "rules",
    "export_text": "export.text",
    "read_table": "files",
    "rules_of": "rules",
}
"""The public names and the modules they live in."""

__all__ = [
    "Attribute",
    "C45Classifier",
    "CARTClassifier",
    "Conventions",
    "DecisionTreeClassifier",
    "ID3Classifier",
    "MemorizingTreeClassifier",
    "Node",
    "PlaintreeError",
    "Rule",
    "Schema",
    "Tree",
    "__version__",
    "datasets",
    "export_rules",
    "export_text",
    "read_table",
    "rules_of",
]


def __getattr__(name: str) -> Any:
    if name == "datasets":
        return import_module(".datasets", __name__)
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module("." + _HOME[name], __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
