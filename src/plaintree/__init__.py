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
    from plaintree import datasets as datasets

    from .app.report.report import report as report
    from .data.files import read_table as read_table
    from .data.schema import Attribute as Attribute
    from .data.schema import Schema as Schema
    from .errors import ExportError as ExportError
    from .errors import ModelFileError as ModelFileError
    from .errors import PlaintreeError as PlaintreeError
    from .estimators.boost import BoostedTreesClassifier as BoostedTreesClassifier
    from .estimators.discretizer import MDLDiscretizer as MDLDiscretizer
    from .estimators.forest import BaggedTreesClassifier as BaggedTreesClassifier
    from .estimators.forest import RandomForestClassifier as RandomForestClassifier
    from .estimators.memorize import MemorizingTreeClassifier as MemorizingTreeClassifier
    from .estimators.rules import C45RulesClassifier as C45RulesClassifier
    from .estimators.trees import C45Classifier as C45Classifier
    from .estimators.trees import CARTClassifier as CARTClassifier
    from .estimators.trees import DecisionTreeClassifier as DecisionTreeClassifier
    from .estimators.trees import ID3Classifier as ID3Classifier
    from .estimators.tune import tune_max_features as tune_max_features
    from .evaluation.compare import ModelDifference as ModelDifference
    from .evaluation.compare import diff as diff
    from .interop.foreign.c45 import from_c45 as from_c45
    from .interop.foreign.rpart import from_rpart as from_rpart
    from .interop.foreign.sklearn import from_sklearn as from_sklearn
    from .interop.foreign.sklearn import to_sklearn as to_sklearn
    from .interop.foreign.weka import from_weka as from_weka
    from .interop.model_file import ModelCard as ModelCard
    from .interop.model_file import load as load
    from .interop.model_file import model_card as model_card
    from .interop.model_file import save as save
    from .interop.onnx import export_onnx as export_onnx
    from .interop.pmml import export_pmml as export_pmml
    from .interop.program.c import export_c as export_c
    from .interop.program.java import export_java as export_java
    from .interop.program.javascript import export_javascript as export_javascript
    from .interop.program.python import export_python as export_python
    from .interop.program.sql import export_sql as export_sql
    from .interop.proof.verify import Proof as Proof
    from .interop.proof.verify import Verification as Verification
    from .pruning.curves import overfitting_curve as overfitting_curve
    from .pruning.curves import pruning_path as pruning_path
    from .pruning.mdl import description_length as description_length
    from .pruning.prune import prune as prune
    from .rules.c45rules import simplify_rules as simplify_rules
    from .rules.formula import Formula as Formula
    from .rules.formula import export_formula as export_formula
    from .rules.formula import formula_of as formula_of
    from .rules.logic import are_exclusive as are_exclusive
    from .rules.logic import check_partition as check_partition
    from .rules.logic import is_complete as is_complete
    from .rules.rule import Rule as Rule
    from .rules.rule import export_rules as export_rules
    from .rules.rule import rules_of as rules_of
    from .rules.rule_list import RuleList as RuleList
    from .show.explain.explain import explain as explain
    from .show.explain.explanation import Explanation as Explanation
    from .show.picture.dot import export_dot as export_dot
    from .show.picture.mermaid import export_mermaid as export_mermaid
    from .show.picture.svg import export_svg as export_svg
    from .show.picture.tikz import export_tikz as export_tikz
    from .show.plot.bars import plot_confusion as plot_confusion
    from .show.plot.bars import plot_importances as plot_importances
    from .show.plot.curves import plot_oob as plot_oob
    from .show.plot.curves import plot_overfitting as plot_overfitting
    from .show.plot.curves import plot_pruning as plot_pruning
    from .show.plot.regions import plot_regions as plot_regions
    from .show.plot.thresholds import plot_thresholds as plot_thresholds
    from .show.plot.tree import plot_tree as plot_tree
    from .show.text import export_text as export_text
    from .stats.measures import conditional_entropy as conditional_entropy
    from .stats.measures import count_trees as count_trees
    from .stats.measures import entropy as entropy
    from .stats.measures import gain_ratio as gain_ratio
    from .stats.measures import gini as gini
    from .stats.measures import information_gain as information_gain
    from .teaching.derive.solution import Derivation as Derivation
    from .teaching.derive.solution import derive as derive
    from .tree.build import NodeDescription as NodeDescription
    from .tree.build import build_tree as build_tree
    from .tree.conventions import Conventions as Conventions
    from .tree.conventions import conventions as conventions
    from .tree.tree import Node as Node
    from .tree.tree import Tree as Tree

_HOME = {
    "Attribute": "data.schema",
    "BaggedTreesClassifier": "estimators.forest",
    "BoostedTreesClassifier": "estimators.boost",
    "C45Classifier": "estimators.trees",
    "C45RulesClassifier": "estimators.rules",
    "CARTClassifier": "estimators.trees",
    "Conventions": "tree.conventions",
    "DecisionTreeClassifier": "estimators.trees",
    "Derivation": "teaching.derive.solution",
    "Explanation": "show.explain.explanation",
    "ExportError": "errors",
    "Formula": "rules.formula",
    "ID3Classifier": "estimators.trees",
    "MDLDiscretizer": "estimators.discretizer",
    "MemorizingTreeClassifier": "estimators.memorize",
    "ModelCard": "interop.model_file",
    "ModelDifference": "evaluation.compare",
    "ModelFileError": "errors",
    "Node": "tree.tree",
    "NodeDescription": "tree.build",
    "PlaintreeError": "errors",
    "Proof": "interop.proof.verify",
    "RandomForestClassifier": "estimators.forest",
    "Rule": "rules.rule",
    "RuleList": "rules.rule_list",
    "Schema": "data.schema",
    "Tree": "tree.tree",
    "Verification": "interop.proof.verify",
    "are_exclusive": "rules.logic",
    "build_tree": "tree.build",
    "check_partition": "rules.logic",
    "conditional_entropy": "stats.measures",
    "conventions": "tree.conventions",
    "count_trees": "stats.measures",
    "derive": "teaching.derive.solution",
    "description_length": "pruning.mdl",
    "diff": "evaluation.compare",
    "entropy": "stats.measures",
    "explain": "show.explain.explain",
    "export_c": "interop.program.c",
    "export_dot": "show.picture.dot",
    "export_formula": "rules.formula",
    "export_java": "interop.program.java",
    "export_javascript": "interop.program.javascript",
    "export_mermaid": "show.picture.mermaid",
    "export_onnx": "interop.onnx",
    "export_pmml": "interop.pmml",
    "export_python": "interop.program.python",
    "export_rules": "rules.rule",
    "export_sql": "interop.program.sql",
    "export_svg": "show.picture.svg",
    "export_text": "show.text",
    "export_tikz": "show.picture.tikz",
    "formula_of": "rules.formula",
    "from_c45": "interop.foreign.c45",
    "from_rpart": "interop.foreign.rpart",
    "from_sklearn": "interop.foreign.sklearn",
    "from_weka": "interop.foreign.weka",
    "gain_ratio": "stats.measures",
    "gini": "stats.measures",
    "information_gain": "stats.measures",
    "is_complete": "rules.logic",
    "load": "interop.model_file",
    "model_card": "interop.model_file",
    "overfitting_curve": "pruning.curves",
    "plot_confusion": "show.plot.bars",
    "plot_importances": "show.plot.bars",
    "plot_oob": "show.plot.curves",
    "plot_overfitting": "show.plot.curves",
    "plot_pruning": "show.plot.curves",
    "plot_regions": "show.plot.regions",
    "plot_thresholds": "show.plot.thresholds",
    "plot_tree": "show.plot.tree",
    "prune": "pruning.prune",
    "pruning_path": "pruning.curves",
    "read_table": "data.files",
    "report": "app.report.report",
    "rules_of": "rules.rule",
    "save": "interop.model_file",
    "simplify_rules": "rules.c45rules",
    "to_sklearn": "interop.foreign.sklearn",
    "tune_max_features": "estimators.tune",
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
