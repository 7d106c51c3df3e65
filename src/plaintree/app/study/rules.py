"""A table made into a list of rules, and how good it is: what `plaintree rules` has to say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import plaintree as pt
from plaintree.evaluation.cross_validation import CrossValidation
from plaintree.evaluation.quality import Quality
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
from .look import TableFacts


@dataclass(frozen=True)
class RuleStudy:
    """The rules, the table they are from, their quality there, and in cross-validation if any."""

    table: TableFacts
    learner: Any
    rules: pt.rules.RuleList
    training: Quality
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
    """Grow the task's C4.5 tree, make it into rules, and validate these."""
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
        **{name: value for name, value in task.parameters.items() if name != "pruning"},
    )
    training = table.quality(rules.predict(table.X))
    validation = validated(learner, table, task, report)
    return RuleStudy(table.facts, learner, rules, training, validation)
