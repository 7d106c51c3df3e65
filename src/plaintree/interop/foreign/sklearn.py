"""Import of trees and forests of scikit-learn; thresholds are moved (single_precision.py)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from plaintree.data.schema import Feature, Label, Schema
from plaintree.errors import ArgumentTypeError, TreeError
from plaintree.tree.build import NodeDescription, build_tree
from plaintree.tree.condition import Threshold
from plaintree.tree.conventions import Conventions, Criterion
from plaintree.tree.tree import Tree

from .single_precision import greatest_going_left

if TYPE_CHECKING:
    pass

Floats = NDArray[np.float64]

WHOLE = 1e-9
"""Relative distance to an integer below which a class weight is rounded to it."""


def made_up_names(n_columns: int) -> list[str]:
    """Names of the columns of a table without names."""
    return [f"x{i}" for i in range(n_columns)]


def from_sklearn(model: Any) -> Any:
    """Import a fitted tree or forest of scikit-learn.

    Accepts decision trees, extra trees, random forests and extra-trees forests, for classes and for
    numbers, and a BaggingRegressor of trees. Every row, on either side of every threshold and with
    missing values, gets the class probabilities or the number of scikit-learn.

    Parameters
    ----------
    model : tree or forest of scikit-learn
        A fitted DecisionTreeClassifier, RandomForestRegressor, or another of these, with one
        target.

    Returns
    -------
    Tree or tuple of Tree
        The tree, or the trees of a forest; ``pt.RandomForestClassifier.from_trees`` and
        ``pt.RandomForestRegressor.from_trees`` make an estimator of them. Their ``conventions`` are
        None, which stands for squared error; trees of another criterion for numbers have it in
        their conventions, because it decides what their impurity is.

    Raises
    ------
    ArgumentTypeError
        If the model is of another class, not fitted, or has several targets.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from plaintree.interop.foreign.sklearn import from_sklearn
    >>> model = DecisionTreeClassifier().fit([[1.0], [2.0], [4.0]], ["small", "small", "large"])
    >>> print(from_sklearn(model))
    class: 3 rows (large: 1, small: 2)
    ├─ x0 <= 3: small (2)
    └─ x0 > 3: large (1)

    >>> import plaintree as pt
    >>> from sklearn.ensemble import RandomForestRegressor
    >>> X, y = [[1.0], [2.0], [4.0], [5.0]], [10, 12, 30, 31]
    >>> theirs = RandomForestRegressor(5, random_state=0).fit(X, y)
    >>> forest = pt.RandomForestRegressor.from_trees(from_sklearn(theirs))
    >>> bool(abs(forest.predict(X) - theirs.predict(X)).max() < 1e-12)
    True
    """
    from sklearn.ensemble import BaggingRegressor
    from sklearn.ensemble._forest import ForestClassifier, ForestRegressor
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    single = DecisionTreeClassifier | DecisionTreeRegressor
    forests = ForestClassifier | ForestRegressor | BaggingRegressor
    if not isinstance(model, single | forests):
        raise _not_taken(model)
    if not hasattr(model, "tree_" if isinstance(model, single) else "estimators_"):
        raise ArgumentTypeError(
            "the model of scikit-learn is not fitted",
            got=f"{type(model).__name__} without its trees",
            hint="call fit first.",
        )
    members = [model] if isinstance(model, single) else list(model.estimators_)
    for member in members:
        _check_member(model, member)
    schema, conventions = _schema_of(model), _conventions_of(members[0])
    features = getattr(model, "estimators_features_", [None] * len(members))
    trees = tuple(
        _tree_from(member.tree_, schema, conventions, columns)
        for member, columns in zip(members, features, strict=True)
    )
    return trees[0] if isinstance(model, single) else trees


def _check_member(model: Any, member: Any) -> None:
    """Refuse a bagged model that is not a tree, and several targets."""
    if not hasattr(member, "tree_"):
        raise ArgumentTypeError(
            f"the members of the {type(model).__name__} are not trees",
            got=f"an object of type {type(member).__name__}",
            hint="pass a BaggingRegressor of DecisionTreeRegressor.",
        )
    if member.n_outputs_ != 1:
        raise ArgumentTypeError(
            "a tree here predicts one target",
            got=f"a model fitted on {member.n_outputs_}",
            hint="fit one model per target.",
        )


def _not_taken(model: Any) -> ArgumentTypeError:
    name = type(model).__name__
    hints = {
        "HistGradientBoosting": "its leaves have parts of a sum, not class weights or means.",
        "GradientBoosting": "its leaves have parts of a sum, not class weights or means.",
        "Pipeline": "pass its last step, model[-1], which splits on the output of the other steps.",
        "SearchCV": "pass the best estimator, model.best_estimator_.",
    }
    known = "pass a decision tree, an extra tree, a random forest, an extra-trees forest or a "
    hint = next((text for part, text in hints.items() if part in name), None)
    return ArgumentTypeError(
        "the model is not a tree or forest of scikit-learn that can be imported",
        got=f"an object of type {name}",
        hint=hint or f"{known}BaggingRegressor of trees.",
    )


def _schema_of(model: Any) -> Schema:
    names = getattr(model, "feature_names_in_", made_up_names(model.n_features_in_))
    features = tuple(Feature(str(name), "numeric") for name in names)
    if not hasattr(model, "classes_"):
        return Schema(features, (), "target")
    classes: tuple[Label, ...] = tuple(np.asarray(model.classes_).tolist())
    return Schema(features, classes)


def _conventions_of(member: Any) -> Conventions | None:
    """Conventions with the criterion of a tree of numbers, if it is not squared error."""
    criteria: dict[str, Criterion] = {"absolute_error": "absolute_error", "poisson": "poisson"}
    criterion = criteria.get(member.criterion)
    return None if criterion is None else Conventions(criterion=criterion)


def _tree_from(
    source: Any, schema: Schema, conventions: Conventions | None, columns: Any = None
) -> Tree:
    """One tree of scikit-learn's arrays; ``columns`` are those it was grown on, None for all."""
    left, right = source.children_left, source.children_right
    inner = left >= 0
    _refuse_categories(source)
    thresholds = np.full(len(left), np.nan)
    thresholds[inner] = greatest_going_left(source.threshold[inner])
    features = source.feature if columns is None else np.asarray(columns)[source.feature]
    values = source.value[:, 0, :]
    weights = _near_whole(values * source.weighted_n_node_samples[:, np.newaxis])
    go_left = getattr(source, "missing_go_to_left", None)
    if go_left is None:  # of versions without missing values: as the majority of rows
        samples = source.weighted_n_node_samples
        go_left = samples[left] >= samples[right]
    nodes = [
        NodeDescription(
            condition=Threshold(int(features[i]), float(thresholds[i])) if inner[i] else None,
            children=(int(left[i]), int(right[i])) if inner[i] else (),
            missing_child=(0 if go_left[i] else 1) if inner[i] else -1,
            n_rows=int(source.n_node_samples[i]),
            impurity=float(source.impurity[i]),
            **(
                {"class_weights": tuple(weights[i].tolist()), "label": int(values[i].argmax())}
                if schema.classes
                else {
                    "prediction": float(values[i, 0]),
                    "weight": float(source.weighted_n_node_samples[i]),
                }
            ),
        )
        for i in range(len(left))
    ]
    return build_tree(schema, nodes, conventions=conventions)


def _refuse_categories(source: Any) -> None:
    """Refuse splits by a set of categories, which some versions store with the threshold."""
    names = getattr(source.__getstate__()["nodes"].dtype, "names", ())
    sets = [name for name in names if "categor" in name or "bitset" in name]
    if sets and any(np.any(source.__getstate__()["nodes"][name]) for name in sets):
        raise TreeError(
            "the tree splits categories by a set, which cannot be read from scikit-learn yet",
            got=f"nodes with {', '.join(sets)}",
            hint="grow it here, or fit scikit-learn's on encoded columns.",
        )


def _near_whole(weights: Floats) -> Floats:
    whole = np.rint(weights)
    return np.where(np.abs(weights - whole) <= WHOLE * np.maximum(whole, 1.0), whole, weights)
