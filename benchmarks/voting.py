"""Hard and soft voting of forests and bagged trees, by cross-validation on real tables.

    python benchmarks/voting.py

The same trees are asked by both votings, so the differences are due to the voting alone. The tables
and their ten folds lie beside the project, in ``../shared``; those that are not there are left out.
"""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.metrics import accuracy_score, log_loss, roc_auc_score
from sklearn.preprocessing import label_binarize

import plaintree as pt

SHARED = Path(__file__).resolve().parents[2] / "shared"
SMALLEST = 100
"""Tables of fewer rows say little."""
METRICS = ("accuracy", "AUC", "Brier score", "log loss")
MODELS = {
    "random forest": pt.RandomForestClassifier(100, random_state=0),
    "random forest, max_depth=6": pt.RandomForestClassifier(100, max_depth=6, random_state=0),
    "bagged trees": pt.BaggedTreesClassifier(n_estimators=100, random_state=0),
    "bagged trees, max_depth=6": pt.BaggedTreesClassifier(
        pt.CARTClassifier(max_depth=6), 100, random_state=0
    ),
}


def metrics_of(actual: np.ndarray, probabilities: np.ndarray, labels: list[Any]) -> list[float]:
    """The metrics of predictions of all folds; AUC is the mean over classes against the rest."""
    flags = label_binarize(actual, classes=labels)
    flags = np.hstack([1 - flags, flags]) if len(labels) == 2 else flags
    predicted = np.array(labels)[probabilities.argmax(axis=1)]
    kept = probabilities.clip(1e-3, None)
    return [
        float(accuracy_score(actual, predicted)),
        float(roc_auc_score(flags, probabilities)),
        float(((probabilities - flags) ** 2).sum(axis=1).mean()),
        float(log_loss(actual, kept / kept.sum(axis=1, keepdims=True), labels=labels)),
    ]


def measured(model: Any, X: pd.DataFrame, y: np.ndarray, folds: np.ndarray) -> list[list[float]]:
    """The metrics by hard and by soft voting."""
    labels = sorted(set(y))
    given = {voting: np.zeros((len(y), len(labels))) for voting in ("hard", "soft")}
    for fold in np.unique(folds):
        test = folds == fold
        grown = model.fit(X[~test], y[~test])
        places = [labels.index(label) for label in grown.classes_]
        for voting, probabilities in given.items():
            shown = grown.set_params(voting=voting).predict_proba(X[test])
            probabilities[np.ix_(test, places)] = shown
    return [metrics_of(y, probabilities, labels) for probabilities in given.values()]


def tables() -> dict[str, tuple[pd.DataFrame, np.ndarray, np.ndarray]]:
    """The tables with stored folds: columns, labels, and the fold of each row."""
    found = {}
    for path in sorted((SHARED / "folds").glob("*.csv")):
        if not (SHARED / "data" / path.name).is_file():
            continue
        about = json.loads((SHARED / "data" / f"{path.stem}.json").read_text())
        frame = pd.read_csv(SHARED / "data" / path.name)
        folds = np.loadtxt(path, dtype=int)
        if len(frame) >= SMALLEST:
            labels = frame.pop(about["target"]).astype(str).to_numpy()
            found[path.stem] = frame, labels, folds
    return found


def main() -> None:
    warnings.simplefilter(
        "ignore", pt.errors.UnseenCategoryWarning
    )  # expected of small training sets
    data = tables()
    print(f"{len(data)} tables: {', '.join(data)}")
    print(f"| model | voting | {' | '.join(METRICS)} |\n|{'---|' * (len(METRICS) + 2)}")
    for name, model in MODELS.items():
        each = np.array([measured(model, *table) for table in data.values()])
        for i, voting in enumerate(("hard", "soft")):
            better = each[:, i] - each[:, 1 - i]
            better[:, 2:] *= -1
            wins = (better > 1e-12).sum(axis=0)
            cells = [f"{v:.4f} ({w})" for v, w in zip(each[:, i].mean(axis=0), wins, strict=True)]
            print(f"| {name} | `{voting}` | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
