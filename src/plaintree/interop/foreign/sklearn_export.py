"""Export of single trees to scikit-learn; thresholds are moved (single_precision.py)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from plaintree.data.target import label_array
from plaintree.errors import ArgumentTypeError, ExportError, TreeError, not_allowed
from plaintree.tree.condition import DIVIDES, NodeKind
from plaintree.tree.conventions import criterion_of
from plaintree.tree.prediction import class_probabilities
from plaintree.tree.tree import Tree, tree_of

from .single_precision import thresholds_for_singles
from .sklearn import made_up_names

if TYPE_CHECKING:
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

Floats = NDArray[np.float64]


def to_sklearn(
    model_or_tree: Any, *, missing: Literal["error", "larger"] = "error"
) -> DecisionTreeClassifier | DecisionTreeRegressor:
    """Convert a binary numeric tree to a fitted tree of scikit-learn.

    It is a DecisionTreeClassifier, or a DecisionTreeRegressor if the target is numeric. For tools
    that read scikit-learn's trees, such as SHAP. The tree must split on numbers, in two branches.

    scikit-learn reads values in single precision, so a value that equals a threshold in it, but
    not in double precision, cannot be distinguished from it. All other values are predicted alike.

    Parameters
    ----------
    model_or_tree : estimator or Tree
        A tree, or a fitted estimator of a single tree.
    missing : {"error", "larger"}, default="error"
        scikit-learn sends a missing value to one branch. A tree that divides it over both (C4.5),
        or has surrogate splits, raises an error, or with "larger" sends it to the branch of larger
        weight.

    Returns
    -------
    sklearn.tree.DecisionTreeClassifier or sklearn.tree.DecisionTreeRegressor
        A fitted estimator.

    Raises
    ------
    TreeError
        If the tree has splits that scikit-learn cannot represent.
    ArgumentTypeError
        If the model is an ensemble.

    Examples
    --------
    >>> import numpy as np, plaintree as pt
    >>> from plaintree.interop.foreign.sklearn_export import to_sklearn
    >>> X, y = np.array([[1.0], [2.0], [4.0]]), ["small", "small", "large"]
    >>> to_sklearn(pt.CARTClassifier().fit(X, y)).predict(np.array([[2.9], [3.1]])).tolist()
    ['small', 'large']
    """
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

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
    if tree.schema.classes:
        classes = label_array(tree.schema.classes)
        model = DecisionTreeClassifier()
        model.n_classes_, model.classes_ = np.int64(len(classes)), classes
    else:
        model = DecisionTreeRegressor(criterion=criterion_of(tree.conventions, tree.schema))
    model.n_features_in_, model.n_outputs_ = len(names), 1
    if names != made_up_names(len(names)):
        model.feature_names_in_ = np.array(names, dtype=object)
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
        elif tree.surrogates(index) and missing == "error":
            problem = "sends missing values by surrogate splits"
            hint = 'use missing="larger" to send them to the branch of larger weight.'
        elif tree.missing_child[index] < 0 and missing == "error":
            problem = "predicts missing values itself"
            if tree.missing_child[index] == DIVIDES:
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

    n_classes = len(tree.schema.classes) or 1
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
    nodes["threshold"][inner] = thresholds_for_singles(tree.threshold[order][inner])
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


def _goes_left(tree: Tree) -> NDArray[np.bool_]:
    """Whether missing values go left; where the tree divides them, the larger branch is used."""
    left = np.maximum(tree.first_child, 0)
    right = np.minimum(left + 1, tree.n_nodes - 1)
    heavier = tree.weight[left] >= tree.weight[right]
    undecided = tree.missing_child < 0
    if tree.has_surrogates:
        undecided |= tree.surrogate_end > tree.surrogate_begin
    return np.asarray(np.where(undecided, heavier, tree.missing_child == 0))


def _values(tree: Tree) -> Floats:
    """The number, or the class probabilities of each node, with the label ahead in ties."""
    if not tree.schema.classes:
        return tree.prediction[:, np.newaxis]
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
