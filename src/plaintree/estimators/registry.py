"""The estimators by name: where each class is, what a fitted one holds, what it is called.

Data only, and nothing heavy is imported: help of the command line and model files read it.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal, get_args

Holds = Literal["tree", "rules", "boosted", "forest"]
TaskName = Literal["classification", "regression"]


@dataclass(frozen=True)
class Learner:
    """A class: its name, its module, what a fitted one holds, a short name, its task."""

    name: str
    module: str
    holds: Holds
    short: str | None = None
    task: TaskName = "classification"

    def load(self) -> Any:
        """The class itself."""
        return getattr(import_module(f"plaintree.{self.module}"), self.name)


LEARNERS = {
    learner.name: learner
    for learner in (
        Learner("ID3Classifier", "estimators.quinlan", "tree", "id3"),
        Learner("C45Classifier", "estimators.quinlan", "tree", "c45"),
        Learner("CARTClassifier", "estimators.trees", "tree", "cart"),
        Learner("DecisionTreeClassifier", "estimators.trees", "tree"),
        Learner("MemorizingTreeClassifier", "estimators.memorize", "tree"),
        Learner("C45RulesClassifier", "estimators.rules", "rules", "c45rules"),
        Learner("RandomForestClassifier", "estimators.forest", "forest", "forest"),
        Learner("BaggedTreesClassifier", "estimators.forest", "forest", "bagged"),
        Learner("BoostedTreesClassifier", "estimators.boost", "boosted", "boosted"),
        Learner("CARTRegressor", "estimators.regression", "tree", "cart", "regression"),
        Learner("DecisionTreeRegressor", "estimators.regression", "tree", task="regression"),
        Learner(
            "RandomForestRegressor",
            "estimators.forest_regression",
            "forest",
            "forest",
            "regression",
        ),
        Learner(
            "BaggedTreesRegressor",
            "estimators.forest_regression",
            "forest",
            "bagged",
            "regression",
        ),
    )
}
"""All of them, by the names of their classes."""
BY_TASK: dict[TaskName, dict[str, Learner]] = {
    task: {it.short: it for it in LEARNERS.values() if it.short and it.task == task}
    for task in get_args(TaskName)
}
"""Those with a short name, by task and by that name."""
BY_SHORT_NAME = BY_TASK["classification"]
"""The classifiers with a short name, by it."""
SINGLE_TREES = tuple(name for name, learner in BY_SHORT_NAME.items() if learner.holds == "tree")
"""The short names of those that grow one tree."""
