"""The facts of `plaintree rules`: a rule list and its quality."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import plaintree as pt
from plaintree.evaluation.cross_validation import CrossValidation
from plaintree.evaluation.quality import AnyQuality
from plaintree.progress import Progress
from plaintree.rules.candidates import Options

from .grow import (
    Task,
    TrainingTable,
    categorical_features,
    fitted,
    parameters_of,
    rules_to_json,
    validated,
    validation_to_json,
)
from .inspect import TableFacts


@dataclass(frozen=True)
class RuleStudy:
    """A rule list, its table, and its quality on training rows and in cross-validation."""

    table: TableFacts
    learner: Any
    rules: pt.rules.RuleList
    training: AnyQuality
    validation: CrossValidation | None

    def to_json(self) -> dict[str, Any]:
        """Everything as plain lists, strings and numbers."""
        return {
            "table": self.table.to_json(),
            "parameters": parameters_of(self.learner),
            "schema": self.rules.schema.to_json(),
            "rules": rules_to_json(self.rules.rules),
            "default": self.rules.default,
            "default_weights": list(self.rules.default_weights),
            "min_accuracy": self.rules.min_accuracy,
            "dropped": rules_to_json(self.rules.dropped),
            "training": self.training.to_json(),
            "cross_validation": validation_to_json(self.validation),
        }


def make_rules(table: TrainingTable, task: Task, options: Options, report: Progress) -> RuleStudy:
    """Grow a C4.5 tree, derive rules from it, and cross-validate them."""
    tree = fitted(task, table).tree_
    rules = pt.rules.simplify_rules(
        tree,
        table.X,
        table.y,
        method=options.method,
        confidence=options.confidence,
        random_state=options.random_state,
        progress=report,
    )
    learner = pt.C45RulesClassifier(
        method=options.method,
        confidence=options.confidence,
        random_state=options.random_state,
        categorical_features=categorical_features(task),
        n_jobs=task.n_jobs,
        **{name: value for name, value in task.parameters.items() if name != "pruning"},
    )
    training = table.quality(rules.predict(table.X))
    validation = validated(learner, table, task, report)
    return RuleStudy(table.facts, learner, rules, training, validation)
