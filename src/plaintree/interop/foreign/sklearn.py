"""Conversion of trees and forests from and to scikit-learn.

scikit-learn rounds a value to single precision before it compares it with a threshold in double
precision; trees here compare the value without rounding. So a threshold is moved: on import to the
greatest double that scikit-learn sends to the left (:func:`greatest_going_left`), and on export to
one that sends every value of single precision to the same side as here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from plaintree.data.schema import Feature, Label, Schema
from plaintree.data.target import label_array
from plaintree.errors import ArgumentTypeError, ExportError, TreeError, not_allowed
from plaintree.tree.build import NodeDescription, build_tree
from plaintree.tree.condition import NodeKind, Threshold
from plaintree.tree.prediction import class_probabilities
from plaintree.tree.task import needs_classes
from plaintree.tree.tree import Tree, tree_of

if TYPE_CHECKING:
    from sklearn.tree import DecisionTreeClassifier

Floats = NDArray[np.float64]

WHOLE = 1e-9
"""Relative distance to an integer below which a class weight is rounded to it."""

# -------------------------------------------------------------------- from scikit-learn


def made_up_names(n_columns: int) -> list[str]:
    """Names of the columns of a table without names."""
    return [f"x{i}" for i in range(n_columns)]


def from_sklearn(model: Any) -> Any:
    """Import a fitted tree or forest of scikit-learn.

    Accepts DecisionTreeClassifier, ExtraTreeClassifier, RandomForestClassifier and
    ExtraTreesClassifier. Every row, on either side of every threshold and with missing values, gets
    the class probabilities of scikit-learn.

    Parameters
    ----------
    model : DecisionTreeClassifier or RandomForestClassifier of scikit-learn
        A fitted classifier with one target, or a subclass such as ExtraTreesClassifier.

    Returns
    -------
    Tree or tuple of Tree
        The tree, or the trees of a forest; ``pt.RandomForestClassifier.from_trees`` makes an
        estimator of them. Their ``conventions`` are None.

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
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> X, y = [[1.0], [2.0], [4.0], [5.0]], [0, 0, 1, 1]
    >>> theirs = RandomForestClassifier(5, random_state=0).fit(X, y)
    >>> forest = pt.RandomForestClassifier.from_trees(from_sklearn(theirs))
    >>> bool((forest.predict_proba(X) == theirs.predict_proba(X)).all())
    True
    """
    from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
    from sklearn.tree import DecisionTreeClassifier

    if not isinstance(
        model, DecisionTreeClassifier | RandomForestClassifier | ExtraTreesClassifier
    ):
        raise _not_taken(model)
    if not hasattr(model, "classes_"):
        raise ArgumentTypeError(
            "the model of scikit-learn is not fitted",
            got=f"{type(model).__name__} without classes_",
            hint="call fit first.",
        )
    if model.n_outputs_ != 1:
        raise ArgumentTypeError(
            "a tree here predicts one target",
            got=f"a model fitted on {model.n_outputs_}",
            hint="fit one model per target.",
        )
    schema = _schema_of(model)
    if isinstance(model, DecisionTreeClassifier):
        return _tree_from(model.tree_, schema)
    return tuple(_tree_from(member.tree_, schema) for member in model.estimators_)


def _not_taken(model: Any) -> ArgumentTypeError:
    name = type(model).__name__
    hints = {
        "HistGradientBoosting": "the leaves of gradient boosting have margins, not class weights.",
        "GradientBoosting": "the leaves of gradient boosting have margins, not class weights.",
        "Regressor": "only classifiers can be imported; a leaf here has class weights.",
        "Pipeline": "pass its last step, model[-1], which splits on the output of the other steps.",
        "SearchCV": "pass the best estimator, model.best_estimator_.",
    }
    known = "take a DecisionTreeClassifier, ExtraTreeClassifier, RandomForestClassifier or "
    hint = next((text for part, text in hints.items() if part in name), None)
    return ArgumentTypeError(
        "the model is not a classification tree or forest of scikit-learn",
        got=f"an object of type {name}",
        hint=hint or f"{known}ExtraTreesClassifier.",
    )


def _schema_of(model: Any) -> Schema:
    names = getattr(model, "feature_names_in_", made_up_names(model.n_features_in_))
    classes: tuple[Label, ...] = tuple(np.asarray(model.classes_).tolist())
    return Schema(tuple(Feature(str(name), "numeric") for name in names), classes)


def _tree_from(source: Any, schema: Schema) -> Tree:
    """One tree of scikit-learn's arrays."""
    left, right = source.children_left, source.children_right
    inner = left >= 0
    _refuse_categories(source)
    thresholds = np.full(len(left), np.nan)
    thresholds[inner] = greatest_going_left(source.threshold[inner])
    shares = source.value[:, 0, :]
    weights = _near_whole(shares * source.weighted_n_node_samples[:, np.newaxis])
    go_left = getattr(source, "missing_go_to_left", None)
    if go_left is None:  # of versions without missing values: as the majority of rows
        samples = source.weighted_n_node_samples
        go_left = samples[left] >= samples[right]
    nodes = [
        NodeDescription(
            condition=Threshold(int(source.feature[i]), float(thresholds[i])) if inner[i] else None,
            children=(int(left[i]), int(right[i])) if inner[i] else (),
            class_weights=tuple(weights[i].tolist()),
            missing_child=(0 if go_left[i] else 1) if inner[i] else -1,
            label=int(shares[i].argmax()),
            n_rows=int(source.n_node_samples[i]),
            impurity=float(source.impurity[i]),
        )
        for i in range(len(left))
    ]
    return build_tree(schema, nodes)


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


def greatest_going_left(thresholds: Floats) -> Floats:
    """The greatest double whose value in single precision is not above each threshold.

    Rounding to single precision goes to the nearest, and in the middle to the even one.

    >>> limit = greatest_going_left(np.array([0.3]))[0]
    >>> above = np.nextafter(limit, np.inf)
    >>> float(np.float32(limit)) <= 0.3, float(np.float32(above)) <= 0.3
    (True, False)
    """
    limits = np.array(thresholds, dtype=np.float64)
    finite = np.isfinite(limits)  # an infinite threshold parts missing values from the others
    below, middle = _single_below(limits[finite])
    with np.errstate(over="ignore"):
        kept = middle.astype(np.float32) <= below
    limits[finite] = np.where(kept, middle, np.nextafter(middle, -np.inf))
    return limits


def _single_below(values: Floats) -> tuple[NDArray[np.float32], Floats]:
    """The greatest number of single precision not above each value, and the middle to the next."""
    with np.errstate(over="ignore"):
        near = values.astype(np.float32)
        low = np.nextafter(near, np.float32(-np.inf))
        below = np.where(near.astype(np.float64) > values, low, near).astype(np.float32)
        upper = np.nextafter(below, np.float32(np.inf)).astype(np.float64)
    # Behind the greatest number of single precision there would be another, as far again.
    after = below.astype(np.float64) + np.spacing(np.abs(below)).astype(np.float64)
    upper = np.where(np.isinf(upper), after, upper)
    return below, (below.astype(np.float64) + upper) / 2


# -------------------------------------------------------------------- to scikit-learn


def to_sklearn(
    model_or_tree: Any, *, missing: Literal["error", "larger"] = "error"
) -> DecisionTreeClassifier:
    """Convert a binary numeric tree to a fitted scikit-learn DecisionTreeClassifier.

    For tools that read scikit-learn's trees, such as SHAP. The tree must split on numbers, in two
    branches.

    scikit-learn reads values in single precision, so a value that equals a threshold in it, but
    not in double precision, cannot be distinguished from it. All other values are predicted alike.

    Parameters
    ----------
    model_or_tree : estimator or Tree
        A tree, or a fitted estimator of a single tree.
    missing : {"error", "larger"}, default="error"
        scikit-learn sends a missing value to one branch. A tree that divides it over both (C4.5)
        raises an error, or with "larger" sends it to the branch of larger weight.

    Returns
    -------
    sklearn.tree.DecisionTreeClassifier
        A fitted classifier.

    Raises
    ------
    TreeError
        If the tree has splits that scikit-learn cannot represent.
    ArgumentTypeError
        If the model is an ensemble.

    Examples
    --------
    >>> import numpy as np, plaintree as pt
    >>> from plaintree.interop.foreign.sklearn import to_sklearn
    >>> X, y = np.array([[1.0], [2.0], [4.0]]), ["small", "small", "large"]
    >>> to_sklearn(pt.CARTClassifier().fit(X, y)).predict(np.array([[2.9], [3.1]])).tolist()
    ['small', 'large']
    """
    needs_classes(model_or_tree, "to_sklearn")
    from sklearn.tree import DecisionTreeClassifier

    if missing not in ("error", "larger"):
        raise not_allowed("missing", missing, ("error", "larger"))
    if hasattr(model_or_tree, "trees_"):
        raise ArgumentTypeError(
            "a single tree of scikit-learn cannot represent a forest",
            got=f"an object of type {type(model_or_tree).__name__}",
            hint="convert its trees: [to_sklearn(tree) for tree in model.trees_].",
        )
    tree = tree_of(model_or_tree)
    _refuse_what_has_no_place(tree, missing)
    names = list(tree.schema.names)
    classes = label_array(tree.schema.classes)
    model = DecisionTreeClassifier()
    model.n_features_in_ = len(names)
    if names != made_up_names(len(names)):
        model.feature_names_in_ = np.array(names, dtype=object)
    model.n_outputs_, model.n_classes_, model.classes_ = 1, np.int64(len(classes)), classes
    model.max_features_ = len(names)
    model.tree_ = _sklearn_tree(tree)
    return model


def _refuse_what_has_no_place(tree: Tree, missing: str) -> None:
    attributes = tree.schema.features
    for index in np.flatnonzero(tree.n_children).tolist():
        attribute = attributes[tree.feature[index]]
        hint = "encode the categories as numbers and fit again, or use another export."
        if tree.kind[index] != NodeKind.THRESHOLD or attribute.kind != "numeric":
            problem = "splits on categories"
        elif tree.n_children[index] != 2:
            problem = "has a separate branch for missing values"
        elif tree.missing_child[index] < 0 and missing == "error":
            problem = "divides missing values over both branches"
            hint = 'use missing="larger" to send them to the branch of larger weight.'
        else:
            continue
        raise TreeError(
            f"scikit-learn has no place for the tree: node {index} {problem}",
            got=f"a split on {attribute.name!r}",
            hint=hint,
        )


def _sklearn_tree(tree: Tree) -> Any:
    """scikit-learn's own tree object, through the state it is pickled with."""
    from sklearn.tree._tree import Tree as SklearnTree

    n_classes = len(tree.schema.classes)
    target = SklearnTree(len(tree.schema.features), np.array([n_classes], dtype=np.intp), 1)
    order = [node.index for node in tree.walk()]  # depth first, as scikit-learn numbers its nodes
    number = np.empty(tree.n_nodes, dtype=np.intp)
    number[order] = np.arange(tree.n_nodes)
    state = target.__getstate__()
    nodes = np.zeros(tree.n_nodes, dtype=state["nodes"].dtype)
    inner = tree.n_children[order] > 0
    first = np.where(inner, tree.first_child[order], 0)
    nodes["left_child"] = np.where(inner, number[first], -1)
    nodes["right_child"] = np.where(inner, number[np.where(inner, first + 1, 0)], -1)
    nodes["feature"] = np.where(inner, tree.feature[order], -2)
    nodes["threshold"] = -2.0
    nodes["threshold"][inner] = _thresholds_for_singles(tree.threshold[order][inner])
    nodes["impurity"] = tree.impurity[order]
    nodes["n_node_samples"] = tree.n_rows[order]
    nodes["weighted_n_node_samples"] = tree.weight[order]
    if "missing_go_to_left" in (nodes.dtype.names or ()):
        nodes["missing_go_to_left"] = _goes_left(tree)[order]
    target.__setstate__(
        {
            "max_depth": tree.depth,
            "node_count": tree.n_nodes,
            "nodes": nodes,
            "values": _values(tree)[order][:, np.newaxis, :],
        }
    )
    return target


def _thresholds_for_singles(thresholds: Floats) -> Floats:
    """Thresholds for values in single precision.

    A threshold such as 0.3 that is a value of the table is rounded as that value will be, so
    it still goes left. The middle of two neighbours in single precision stays between them.
    """
    _, middle = _single_below(thresholds)
    with np.errstate(over="ignore"):
        rounded = thresholds.astype(np.float32).astype(np.float64)
    return np.where(thresholds == middle, thresholds, np.maximum(thresholds, rounded))


def _goes_left(tree: Tree) -> NDArray[np.bool_]:
    """Whether missing values go left; where the tree divides them, the larger branch is used."""
    left = np.maximum(tree.first_child, 0)
    right = np.minimum(left + 1, tree.n_nodes - 1)
    heavier = tree.weight[left] >= tree.weight[right]
    return np.asarray(np.where(tree.missing_child < 0, heavier, tree.missing_child == 0))


def _values(tree: Tree) -> Floats:
    """The class probabilities of each node, with the label ahead in ties."""
    values = class_probabilities(tree)
    own = values[np.arange(tree.n_nodes), tree.label]
    most = values.max(axis=1)
    contrary = np.flatnonzero((own < most) & (tree.n_children == 0))
    if len(contrary):
        leaf = tree.node(int(contrary[0]))
        raise ExportError(
            "a leaf predicts another class than its most frequent one, and scikit-learn cannot",
            got=f"leaf {leaf.index} with label {leaf.label!r}",
            hint="export the tree to another format, or call tree.refit(X, y) first.",
        )
    tied = np.flatnonzero(own == most)  # scikit-learn would take the first
    values[tied, tree.label[tied]] = np.nextafter(own[tied], 2.0)
    return values
