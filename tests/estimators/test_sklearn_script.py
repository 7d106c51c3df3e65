"""A scikit-learn user's script runs with nothing but its imports changed, for trees and forests."""

from __future__ import annotations

from typing import Any

import matplotlib as mpl
import numpy as np
import pytest

TREES = """\
from sklearn.tree import DecisionTreeClassifier, export_text, plot_tree
"""
FORESTS = """\
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import export_text, plot_tree
"""
TREE_SCRIPT = """\
import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import GridSearchCV, cross_val_score, train_test_split

data = load_breast_cancer()
X_train, X_test, y_train, y_test = train_test_split(
    data.data, data.target, stratify=data.target, random_state=0
)

clf = DecisionTreeClassifier(max_depth=3, random_state=0)
clf.fit(X_train, y_train)
accuracy = clf.score(X_test, y_test)
probabilities = clf.predict_proba(X_test)
log_probabilities = clf.predict_log_proba(X_test)
leaves = clf.apply(X_test)
paths = clf.decision_path(X_test)
importances = clf.feature_importances_
depth, n_leaves, n_nodes = clf.get_depth(), clf.get_n_leaves(), clf.tree_.node_count

figure, axes = plt.subplots(figsize=(12, 8))
annotations = plot_tree(
    clf, feature_names=data.feature_names, class_names=data.target_names, filled=True, ax=axes
)
text = export_text(clf, feature_names=list(data.feature_names))
short = export_text(clf, feature_names=list(data.feature_names), max_depth=1)

path = DecisionTreeClassifier(random_state=0).cost_complexity_pruning_path(X_train, y_train)
sizes = [
    DecisionTreeClassifier(random_state=0, ccp_alpha=alpha).fit(X_train, y_train).tree_.node_count
    for alpha in path.ccp_alphas
]

search = GridSearchCV(
    DecisionTreeClassifier(random_state=0, class_weight="balanced"),
    {
        "max_depth": [2, 4, None],
        "min_samples_leaf": [1, 5, 0.05],
        "ccp_alpha": [0.0, 0.01],
    },
    cv=3,
    scoring="balanced_accuracy",
)
search.fit(X_train, y_train)
balanced = balanced_accuracy_score(y_test, search.predict(X_test))
scores = cross_val_score(search.best_estimator_, data.data, data.target, cv=3)
"""
FOREST_SCRIPT = """\
import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.inspection import permutation_importance
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import GridSearchCV, train_test_split

data = load_breast_cancer()
X_train, X_test, y_train, y_test = train_test_split(
    data.data, data.target, stratify=data.target, random_state=0
)

forest = RandomForestClassifier(
    n_estimators=20, max_features="sqrt", oob_score=True, random_state=0, n_jobs=-1
)
forest.fit(X_train, y_train)
accuracy = forest.score(X_test, y_test)
oob = forest.oob_score_
probabilities = forest.predict_proba(X_test)
leaves = forest.apply(X_test)
paths, starts = forest.decision_path(X_test)
importances = forest.feature_importances_
permuted = permutation_importance(forest, X_test, y_test, n_repeats=2, random_state=0)

first = forest.estimators_[0]
figure, axes = plt.subplots(figsize=(12, 8))
annotations = plot_tree(
    first, feature_names=data.feature_names, class_names=data.target_names, filled=True, ax=axes
)
text = export_text(first, feature_names=list(data.feature_names))

forest.set_params(warm_start=True, n_estimators=30, oob_score=False).fit(X_train, y_train)
n_trees = len(forest)

search = GridSearchCV(
    RandomForestClassifier(10, random_state=0, class_weight="balanced"),
    {
        "max_depth": [3, None],
        "min_samples_leaf": [1, 5],
        "ccp_alpha": [0.0],
        "class_weight": ["balanced", "balanced_subsample"],
    },
    cv=3,
    scoring="balanced_accuracy",
)
search.fit(X_train, y_train)
balanced = balanced_accuracy_score(y_test, search.predict(X_test))
"""


@pytest.fixture(autouse=True)
def _no_windows() -> Any:
    mpl.use("Agg")
    yield
    import matplotlib.pyplot as plt

    plt.close("all")


def ran(imports: str, script: str, *, theirs: bool) -> dict[str, Any]:
    """The variables of the script, with scikit-learn's imports or with ours."""
    for module in () if theirs else ("sklearn.tree", "sklearn.ensemble"):
        imports = imports.replace(f"from {module} import", "from plaintree import")
    names: dict[str, Any] = {}
    exec(imports + script, names)  # the text is above
    return names


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:divide by zero")  # scikit-learn's, in predict_log_proba
def test_the_script_for_trees() -> None:
    ours, theirs = (ran(TREES, TREE_SCRIPT, theirs=theirs) for theirs in (False, True))
    for name in ("depth", "n_leaves", "n_nodes"):
        assert ours[name] == theirs[name]
    for name in ("accuracy", "balanced"):
        assert ours[name] == pytest.approx(theirs[name], abs=0.03)
    assert ours["probabilities"].shape == theirs["probabilities"].shape
    assert ours["paths"].shape == theirs["paths"].shape
    np.testing.assert_allclose(ours["importances"], theirs["importances"], atol=0.05)
    np.testing.assert_allclose(ours["path"].ccp_alphas[-3:], theirs["path"].ccp_alphas[-3:])
    assert ours["sizes"][-1] == theirs["sizes"][-1] == 1
    assert sorted(ours["sizes"], reverse=True) == ours["sizes"]
    assert ours["search"].best_score_ == pytest.approx(theirs["search"].best_score_, abs=0.03)
    assert ours["scores"].shape == theirs["scores"].shape
    used = [ours["data"].feature_names[i] for i in np.flatnonzero(ours["importances"])]
    assert all(name in ours["text"] for name in used)
    assert len(ours["short"]) < len(ours["text"])
    assert ours["figure"].axes[0].collections, "plot_tree drew on the figure of the script"


@pytest.mark.slow
def test_the_script_for_forests() -> None:
    ours, theirs = (ran(FORESTS, FOREST_SCRIPT, theirs=theirs) for theirs in (False, True))
    assert ours["n_trees"] == theirs["n_trees"] == 30
    for name in ("accuracy", "oob", "balanced"):
        assert ours[name] == pytest.approx(theirs[name], abs=0.04)
    assert ours["probabilities"].shape == theirs["probabilities"].shape
    assert ours["leaves"].shape == theirs["leaves"].shape
    assert len(ours["starts"]) == len(theirs["starts"])
    assert ours["search"].best_score_ == pytest.approx(theirs["search"].best_score_, abs=0.03)
    assert any(name in ours["text"] for name in ours["data"].feature_names)
