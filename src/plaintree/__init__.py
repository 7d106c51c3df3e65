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
    from .boost import BoostedTreesClassifier as BoostedTreesClassifier
    from .c45rules import simplify_rules as simplify_rules
    from .compare import ModelDifference as ModelDifference
    from .compare import diff as diff
    from .convention import Conventions as Conventions
    from .convention import conventions as conventions
    from .curves import overfitting_curve as overfitting_curve
    from .curves import pruning_path as pruning_path
    from .derivation.solution import Derivation as Derivation
    from .derivation.solution import derive as derive
    from .discretize import MDLDiscretizer as MDLDiscretizer
    from .draw.bars import plot_confusion as plot_confusion
    from .draw.bars import plot_importances as plot_importances
    from .draw.curves import plot_oob as plot_oob
    from .draw.curves import plot_overfitting as plot_overfitting
    from .draw.curves import plot_pruning as plot_pruning
    from .draw.regions import plot_regions as plot_regions
    from .draw.thresholds import plot_thresholds as plot_thresholds
    from .draw.tree import plot_tree as plot_tree
    from .errors import ExportError as ExportError
    from .errors import ModelFileError as ModelFileError
    from .errors import PlaintreeError as PlaintreeError
    from .estimators import C45Classifier as C45Classifier
    from .estimators import CARTClassifier as CARTClassifier
    from .estimators import DecisionTreeClassifier as DecisionTreeClassifier
    from .estimators import ID3Classifier as ID3Classifier
    from .explaining.explain import explain as explain
    from .explaining.explanation import Explanation as Explanation
    from .export.dot import export_dot as export_dot
    from .export.formula import Formula as Formula
    from .export.formula import export_formula as export_formula
    from .export.formula import formula_of as formula_of
    from .export.mermaid import export_mermaid as export_mermaid
    from .export.onnx import export_onnx as export_onnx
    from .export.pmml import export_pmml as export_pmml
    from .export.program.c import export_c as export_c
    from .export.program.java import export_java as export_java
    from .export.program.javascript import export_javascript as export_javascript
    from .export.program.python import export_python as export_python
    from .export.program.sql import export_sql as export_sql
    from .export.svg import export_svg as export_svg
    from .export.text import export_text as export_text
    from .export.tikz import export_tikz as export_tikz
    from .export.verify import Proof as Proof
    from .export.verify import Verification as Verification
    from .files import read_table as read_table
    from .forest import BaggedTreesClassifier as BaggedTreesClassifier
    from .forest import RandomForestClassifier as RandomForestClassifier
    from .imports.builder import NodeDescription as NodeDescription
    from .imports.builder import build_tree as build_tree
    from .imports.c45 import from_c45 as from_c45
    from .imports.rpart import from_rpart as from_rpart
    from .imports.sklearn import from_sklearn as from_sklearn
    from .imports.sklearn import to_sklearn as to_sklearn
    from .imports.weka import from_weka as from_weka
    from .logic import are_exclusive as are_exclusive
    from .logic import check_partition as check_partition
    from .logic import is_complete as is_complete
    from .memorize import MemorizingTreeClassifier as MemorizingTreeClassifier
    from .model_file import ModelCard as ModelCard
    from .model_file import load as load
    from .model_file import model_card as model_card
    from .model_file import save as save
    from .pruning.mdl import description_length as description_length
    from .pruning.prune import prune as prune
    from .reporting.report import report as report
    from .rule_estimators import C45RulesClassifier as C45RulesClassifier
    from .rulelist import RuleList as RuleList
    from .rules import Rule as Rule
    from .rules import export_rules as export_rules
    from .rules import rules_of as rules_of
    from .schema import Attribute as Attribute
    from .schema import Schema as Schema
    from .teaching import conditional_entropy as conditional_entropy
    from .teaching import count_trees as count_trees
    from .teaching import entropy as entropy
    from .teaching import gain_ratio as gain_ratio
    from .teaching import gini as gini
    from .teaching import information_gain as information_gain
    from .tree import Node as Node
    from .tree import Tree as Tree
    from .tune import tune_max_features as tune_max_features

_HOME = {
    "Attribute": "schema",
    "BaggedTreesClassifier": "forest",
    "BoostedTreesClassifier": "boost",
    "C45Classifier": "estimators",
    "C45RulesClassifier": "rule_estimators",
    "CARTClassifier": "estimators",
    "Conventions": "convention",
    "DecisionTreeClassifier": "estimators",
    "Derivation": "derivation.solution",
    "Explanation": "explaining.explanation",
    "ExportError": "errors",
    "Formula": "export.formula",
    "ID3Classifier": "estimators",
    "MDLDiscretizer": "discretize",
    "MemorizingTreeClassifier": "memorize",
    "ModelCard": "model_file",
    "ModelDifference": "compare",
    "ModelFileError": "errors",
    "Node": "tree",
    "NodeDescription": "imports.builder",
    "PlaintreeError": "errors",
    "Proof": "export.verify",
    "RandomForestClassifier": "forest",
    "Rule": "rules",
    "RuleList": "rulelist",
    "Schema": "schema",
    "Tree": "tree",
    "Verification": "export.verify",
    "are_exclusive": "logic",
    "build_tree": "imports.builder",
    "check_partition": "logic",
    "conditional_entropy": "teaching",
    "conventions": "convention",
    "count_trees": "teaching",
    "derive": "derivation.solution",
    "description_length": "pruning.mdl",
    "diff": "compare",
    "entropy": "teaching",
    "explain": "explaining.explain",
    "export_c": "export.program.c",
    "export_dot": "export.dot",
    "export_formula": "export.formula",
    "export_java": "export.program.java",
    "export_javascript": "export.program.javascript",
    "export_mermaid": "export.mermaid",
    "export_onnx": "export.onnx",
    "export_pmml": "export.pmml",
    "export_python": "export.program.python",
    "export_rules": "rules",
    "export_sql": "export.program.sql",
    "export_svg": "export.svg",
    "export_text": "export.text",
    "export_tikz": "export.tikz",
    "formula_of": "export.formula",
    "from_c45": "imports.c45",
    "from_rpart": "imports.rpart",
    "from_sklearn": "imports.sklearn",
    "from_weka": "imports.weka",
    "gain_ratio": "teaching",
    "gini": "teaching",
    "information_gain": "teaching",
    "is_complete": "logic",
    "load": "model_file",
    "model_card": "model_file",
    "overfitting_curve": "curves",
    "plot_confusion": "draw.bars",
    "plot_importances": "draw.bars",
    "plot_oob": "draw.curves",
    "plot_overfitting": "draw.curves",
    "plot_pruning": "draw.curves",
    "plot_regions": "draw.regions",
    "plot_thresholds": "draw.thresholds",
    "plot_tree": "draw.tree",
    "prune": "pruning.prune",
    "pruning_path": "curves",
    "read_table": "files",
    "report": "reporting.report",
    "rules_of": "rules",
    "save": "model_file",
    "simplify_rules": "c45rules",
    "to_sklearn": "imports.sklearn",
    "tune_max_features": "tune",
}
"""The public names and the modules they live in."""

__all__ = [
    "Attribute",
    "BaggedTreesClassifier",
    "BoostedTreesClassifier",
    "C45Classifier",
    "C45RulesClassifier",
    "CARTClassifier",
    "Conventions",
    "DecisionTreeClassifier",
    "Derivation",
    "Explanation",
    "ExportError",
    "Formula",
    "ID3Classifier",
    "MDLDiscretizer",
    "MemorizingTreeClassifier",
    "ModelCard",
    "ModelDifference",
    "ModelFileError",
    "Node",
    "NodeDescription",
    "PlaintreeError",
    "Proof",
    "RandomForestClassifier",
    "Rule",
    "RuleList",
    "Schema",
    "Tree",
    "Verification",
    "__version__",
    "are_exclusive",
    "build_tree",
    "check_partition",
    "conditional_entropy",
    "conventions",
    "count_trees",
    "datasets",
    "derive",
    "description_length",
    "diff",
    "entropy",
    "explain",
    "export_c",
    "export_dot",
    "export_formula",
    "export_java",
    "export_javascript",
    "export_mermaid",
    "export_onnx",
    "export_pmml",
    "export_python",
    "export_rules",
    "export_sql",
    "export_svg",
    "export_text",
    "export_tikz",
    "formula_of",
    "from_c45",
    "from_rpart",
    "from_sklearn",
    "from_weka",
    "gain_ratio",
    "gini",
    "information_gain",
    "is_complete",
    "load",
    "model_card",
    "overfitting_curve",
    "plot_confusion",
    "plot_importances",
    "plot_oob",
    "plot_overfitting",
    "plot_pruning",
    "plot_regions",
    "plot_thresholds",
    "plot_tree",
    "prune",
    "pruning_path",
    "read_table",
    "report",
    "rules_of",
    "save",
    "simplify_rules",
    "to_sklearn",
    "tune_max_features",
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
