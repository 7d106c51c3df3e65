"""Write the model files that all later versions must be able to load, for the version at hand.

    python tests/support/model_files/make.py

Run it once per release. Files of earlier versions are never written again.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone

import plaintree as pt
from plaintree.estimators.boost import BoostedTreesClassifier
from plaintree.estimators.forest import BaggedTreesClassifier, RandomForestClassifier
from plaintree.interop.model_file import save

HERE = Path(__file__).parent


def golf() -> tuple[Any, Any]:
    """Numbers, text and truth values."""
    X, y = pt.datasets.load_golf()
    return X, y


def table() -> tuple[pd.DataFrame, list[int]]:
    """Ordered categories, dates, numbers and text with gaps, and classes that are numbers."""
    sizes = pd.Categorical(
        ["small", "large", "middle", "small", None, "large", "middle", "large"] * 3,
        categories=["small", "middle", "large"],
        ordered=True,
    )
    days = pd.to_datetime(["2024-01-01", "2024-03-01", None, "2024-06-01"] * 6)
    frame = pd.DataFrame(
        {
            "size": sizes,
            "day": days,
            "weight": [0.5, 1.25, None, 3.0, 4.5, 2.0] * 4,
            "colour": ["rot", "grün", "blå", None] * 6,
        }
    )
    return frame, [1, 2, 2, 3, 1, 3, 2, 1, 3, 3, 1, 2] * 2


def digits() -> tuple[Any, Any]:
    """Numbers only, without gaps, and three classes."""
    rows = np.arange(90)
    X = np.column_stack([rows % 7, rows % 11 / 4, rows // 9, (rows * 37) % 90]).astype(float)
    return X, (rows % 7 + rows // 30) % 3


Table = Callable[[], tuple[Any, Any]]
LEARNERS: dict[str, tuple[Any, Table]] = {
    "id3": (pt.ID3Classifier(), golf),
    "id3_intervals": (pt.ID3Classifier(numeric="intervals"), golf),
    "c45": (pt.C45Classifier(min_samples_branch=1), table),
    "cart": (pt.CARTClassifier(unseen="stop"), table),
    "grouped": (pt.C45Classifier(categorical="grouped", pruning=None), table),
    "tree": (
        pt.DecisionTreeClassifier(conventions="rpart", min_samples_split=3, missing="branch"),
        table,
    ),
    "memorizing": (pt.MemorizingTreeClassifier(random_state=0), table),
    "rules": (pt.C45RulesClassifier(), golf),
    "forest": (RandomForestClassifier(9, random_state=0, voting="soft"), table),
    "numbers": (RandomForestClassifier(12, random_state=3), digits),
    "bagged": (BaggedTreesClassifier(pt.CARTClassifier("information_gain"), 5), golf),
    "boosted": (BoostedTreesClassifier(pt.CARTClassifier(max_depth=2), n_estimators=6), table),
}
"""Learners of every kind, and the tables that they are fitted on and asked about."""


def fitted(name: str) -> tuple[Any, Any]:
    """A fitted model, and its table."""
    learner, its_table = LEARNERS[name]
    X, y = its_table()
    return clone(learner).fit(X, y), X


def main() -> None:
    """Write every model's file, and what it answers."""
    folder = HERE / pt.__version__
    if folder.exists():
        sys.exit(f"{folder} is there: the files of a version are written once.")
    folder.mkdir()
    answers = {}
    for name in LEARNERS:
        model, X = fitted(name)
        save(model, folder / f"{name}.model")
        answers[name] = model.predict_proba(X).tolist()
    X, y = golf()
    save(pt.C45Classifier().fit(X, y).tree_, folder / "bare_tree.model")
    save(pt.C45RulesClassifier().fit(X, y).rules_, folder / "bare_rules.model")
    text = json.dumps(answers, indent=1)
    (folder / "answers.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
