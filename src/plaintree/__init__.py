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
    from .c45rules import simplify_rules as simplify_rules
    from .convention import Conventions as Conventions
    from .convention import conventions as conventions
    from .curves import overfitting_curve as overfitting_curve
    from .curves import pruning_path as pruning_path
    from .discretize import MDLDiscretizer as MDLDiscretizer
    from .errors import PlaintreeError as PlaintreeError
    from .estimators import C45Classifier as C45Classifier
    from .estimators import CARTClassifier as CARTClassifier
    from .estimators import DecisionTreeClassifier as DecisionTreeClassifier
    from .estimators import ID3Classifier as ID3Classifier
    from .export.formula import Formula as Formula
    from .export.formula import export_formula as export_formula
    from .export.formula import formula_of as formula_of
    from .export.text import export_text as export_text
    from .files import read_table as read_table
    from .logic import are_exclusive as are_exclusive
    from .logic import check_partition as check_partition
    from .logic import is_complete as is_complete
    from .memorize import MemorizingTreeClassifier as MemorizingTreeClassifier
    from .pruning.mdl import description_length as description_length
    from .pruning.prune import prune as prune
    from .rule_estimators import C45RulesClassifier as C45RulesClassifier
    from .rulelist import RuleList as RuleList
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
    "C45RulesClassifier": "rule_estimators",
    "CARTClassifier": "estimators",
    "Conventions": "convention",
    "DecisionTreeClassifier": "estimators",
    "Formula": "export.formula",
    "ID3Classifier": "estimators",
    "MDLDiscretizer": "discretize",
    "MemorizingTreeClassifier": "memorize",
    "Node": "tree",
    "PlaintreeError": "errors",
    "Rule": "rules",
    "RuleList": "rulelist",
    "Schema": "schema",
    "Tree": "tree",
    "are_exclusive": "logic",
    "check_partition": "logic",
    "conventions": "convention",
    "description_length": "pruning.mdl",
    "export_formula": "export.formula",
    "export_rules": "rules",
    "export_text": "export.text",
    "formula_of": "export.formula",
    "is_complete": "logic",
    "overfitting_curve": "curves",
    "prune": "pruning.prune",
    "pruning_path": "curves",
    "read_table": "files",
    "rules_of": "rules",
    "simplify_rules": "c45rules",
}
"""The public names and the modules they live in."""

__all__ = [
    "Attribute",
    "C45Classifier",
    "C45RulesClassifier",
    "CARTClassifier",
    "Conventions",
    "DecisionTreeClassifier",
    "Formula",
    "ID3Classifier",
    "MDLDiscretizer",
    "MemorizingTreeClassifier",
    "Node",
    "PlaintreeError",
    "Rule",
    "RuleList",
    "Schema",
    "Tree",
    "__version__",
    "are_exclusive",
    "check_partition",
    "conventions",
    "datasets",
    "description_length",
    "export_formula",
    "export_rules",
    "export_text",
    "formula_of",
    "is_complete",
    "overfitting_curve",
    "prune",
    "pruning_path",
    "read_table",
    "rules_of",
    "simplify_rules",
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
