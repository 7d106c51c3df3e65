"""The parameters and fitted attributes of the estimators, described once for all of them.

A class gets the description of each parameter that its constructor takes, with the default of its
own signature, so ``help(pt.CARTClassifier)`` and the reference are complete and cannot disagree.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import Parameter, cleandoc, signature
from textwrap import indent, wrap
from typing import TypeVar

from sklearn.base import ClassifierMixin

from plaintree.tree.conventions import KEPT

Class = TypeVar("Class", bound=type)

MIN_SAMPLES_BRANCH = (
    "At least two branches of a split need this weight (option -m of C4.5), and a node twice as "
    "much to be split."
)
PARAMETERS: dict[str, tuple[str, str]] = {
    "conventions": (
        "str, Conventions or None",
        "A profile to start from, by its name (``plaintree.conventions()`` lists them) or as an "
        "object; None is the default of the class. Parameters that are not "
        '``"conventions"`` change it.',
    ),
    "criterion": (
        '{"information_gain", "gain_ratio", "gain_ratio_conditional", "gini", "error"}',
        'The score of a split. "entropy" and "log_loss", scikit-learn\'s names of information gain '
        "in bits, are accepted.",
    ),
    "categorical": (
        '{"multiway", "one_vs_rest", "subset", "grouped"}',
        "How categorical features are split: one branch per category, one category against the "
        "rest, a subset against the rest, or one branch per group of categories.",
    ),
    "missing": (
        '{"fractional", "most_common", "most_common_in_class", "branch", "error", "surrogate"}',
        "Where rows with a missing value go: divided over all branches (C4.5), with the most "
        "common value of the node or of their class, into a branch of their own, an error, or by "
        "surrogate splits on other features (CART), which need two branches.",
    ),
    "max_surrogates": (
        "int",
        'With ``missing="surrogate"``, the maximum number of surrogate splits of a node. With 0, '
        "rows with a missing value stop at the node.",
    ),
    "use_surrogate": (
        "{0, 1, 2}",
        'With ``missing="surrogate"``, where rows with a missing value go: 0, they stop at the '
        "node, which predicts them; 1, the first surrogate that knows them decides, and they stop "
        "if none does; 2, they then follow the branch of more weight.",
    ),
    "surrogate_style": (
        "{0, 1}",
        'With ``missing="surrogate"``, what the agreement of a surrogate is a fraction of: the '
        "weight of all rows whose value of the split feature is known (0), or of those whose value "
        "of both features is known (1).",
    ),
    "priors": (
        "dict or None",
        "The prior probability of each class, which replaces its fraction of the training rows in "
        "scores, predictions and probabilities. None keeps the fractions.",
    ),
    "costs": (
        "dict or None",
        'The costs of errors, such as ``{("sick", "healthy"): 5}``: the actual class first, then '
        "the predicted one. Pairs left out cost 1. Leaves predict the class of the least expected "
        "cost. Scores and pruning count costs, probabilities do not.",
    ),
    "feature_costs": (
        "dict or None",
        "The costs of measuring features by their names; others cost 1. The score of a split is "
        "divided by the cost of its feature.",
    ),
    "decision_threshold": (
        "float or None",
        "For two classes, the probability of the second class above which it is predicted. Growing "
        "and pruning are as without it. None is 0.5.",
    ),
    "unseen": (
        '{"missing", "stop", "error"}',
        "How to treat categories not seen in training: as missing values, as rows that stop at the "
        "node, or as an error.",
    ),
    "tied_label": (
        '{"first", "keep"}',
        "The label of a pruned node whose classes tie: the first of them, or the one it had.",
    ),
    "max_depth": ("int or None", "The maximum depth of the tree. None is no limit."),
    "max_leaf_nodes": (
        "int or None",
        "The maximum number of leaves. The tree is grown best first: the leaf whose split "
        "decreases the total impurity most is split next. None is no limit.",
    ),
    "min_samples_split": (
        "int or float",
        "The minimum number of rows to split a node: an int from 2 upwards, or a float in (0, 1] "
        "that is a fraction of the training rows. Rows count once, whatever their weight, and in a "
        "bootstrap sample as often as they were drawn (scikit-learn counts distinct rows). With "
        '``missing="fractional"``, which divides rows, they count with their weights.',
    ),
    "min_samples_leaf": (
        "int or float",
        "The minimum number of rows in every branch of a split, but for a branch of missing "
        "values: an int from 1 upwards, or a float in (0, 1) that is a fraction of the training "
        "rows. Rows count as for ``min_samples_split``.",
    ),
    "min_samples_branch": (
        "float or None",
        "C4.5's rule instead of ``min_samples_leaf``: " + MIN_SAMPLES_BRANCH,
    ),
    "min_weight_fraction_leaf": (
        "float",
        "The minimum fraction of the total weight in every branch of a split.",
    ),
    "max_features": (
        'int, float, {"sqrt", "log2"} or None',
        "The number of features sampled at each node to choose the split from: a number, a "
        "fraction, the root or the logarithm of their number, or None for all.",
    ),
    "min_impurity_decrease": (
        "float",
        "The minimum gain of a split, times the node's fraction of the total weight.",
    ),
    "min_score": (
        "float or None",
        "The minimum score of a split, in the unit of the criterion. None is no limit.",
    ),
    "significance": ("float or None", "The maximum p-value of a split. None is no limit."),
    "significance_test": (
        '{"adjusted", "chi_square"}',
        "How the p-value is computed: adjusted for the choice among all splits of all features, or "
        "by the chi-square test of the split alone, as in textbooks.",
    ),
    "zero_gain": (
        "bool",
        "Whether a split that gains nothing may be chosen; exclusive or needs it.",
    ),
    "threshold": (
        '{"midpoint", "data_value"}',
        "The threshold between two neighbouring values: their midpoint, or the largest training "
        "value not above it (C4.5).",
    ),
    "threshold_choice": (
        '{"criterion", "gain"}',
        "What the threshold of a numeric feature is chosen by: the criterion, or always the "
        "information gain (C4.5).",
    ),
    "threshold_penalty": (
        "bool",
        "Whether log2(number of thresholds) / weight is subtracted from the gain of a threshold "
        "(C4.5 R8).",
    ),
    "average_gain": (
        "bool",
        "Whether gain ratio chooses only among features of at least average gain (C4.5).",
    ),
    "numeric_branch_fraction": (
        "float",
        "Each side of a threshold needs this fraction of the mean class weight, up to 25 rows "
        "(C4.5); 0 switches it off.",
    ),
    "min_separation": ("float", "Neighbouring values nearer than this are not separated."),
    "tie_tolerance": (
        "float",
        "Features whose scores are within this of the best tie; the first one is chosen.",
    ),
    "collapse": (
        "bool",
        "Whether a node whose branches make no fewer training errors becomes a leaf (C4.5).",
    ),
    "max_bins": (
        "int or None",
        "The maximum number of bins of a numeric feature. None is exact: every distinct value is a "
        "possible threshold.",
    ),
    "exhaustive_categories": (
        "int",
        "With subsets and more than two classes, every subset is tried up to this many categories.",
    ),
    "pruning": (
        '{"limits", "reduced_error", "error_based", "pessimistic", "cost_complexity", "mdl"} '
        "or None",
        "The pruning method applied in ``fit``; :func:`plaintree.prune` describes them.",
    ),
    "pruning_options": (
        "dict or None",
        'The options of that method, such as ``{"alpha": 0.01}``.',
    ),
    "confidence": (
        "float",
        "The confidence of error-based pruning (option -c of C4.5). Lower values prune more.",
    ),
    "ccp_alpha": (
        "float",
        "Minimal cost-complexity pruning as in scikit-learn: subtrees that remove less impurity "
        "per leaf than this are pruned.",
    ),
    "class_weight": (
        'dict, "balanced" or None',
        'The weights of the classes; classes that a dict leaves out weigh 1. "balanced" gives all '
        "classes the same total weight.",
    ),
    "numeric": (
        '{"threshold", "intervals"}',
        "Whether numeric features are split at thresholds, or divided into intervals first "
        "(:class:`plaintree.MDLDiscretizer`).",
    ),
    "categorical_features": (
        '"from_dtype", None, or sequence of str, int or bool',
        "Numeric columns to be read as categories: names, positions, or a mask with one boolean "
        "per column. Text, boolean and category columns always are; None adds no others.",
    ),
    "random_state": (
        "int, RandomState or None",
        "Seed of everything drawn at random. The default gives the same model for the same table; "
        "None draws again at every fit, as in scikit-learn.",
    ),
    "n_jobs": (
        "int or None",
        "The number of threads. None is one, unless in a ``joblib.parallel_config``; -1 is all "
        "cores. The model does not depend on it.",
    ),
    "verbose": (
        "int",
        "With 1, ``fit`` prints its progress to standard error; with 2, every step of it.",
    ),
    "n_estimators": ("int", "The number of trees."),
    "bootstrap": (
        "bool",
        "Whether the rows of each tree are drawn with replacement. Without, each tree gets all "
        "rows, or ``max_samples`` of them.",
    ),
    "bootstrap_features": (
        "bool",
        "Whether the features of each tree are drawn with replacement.",
    ),
    "max_samples": (
        "int, float or None",
        "Rows drawn for each tree: a number, or a fraction of the table, above 1 only with "
        "``bootstrap``. None is as many as the "
        "table has.",
    ),
    "voting": (
        '{"soft", "hard"}',
        "Whether the trees' class probabilities are averaged, as in scikit-learn, or each tree has "
        "one vote, as in Breiman (1996, 2001).",
    ),
    "oob_score": (
        "bool or callable",
        "Whether to predict each row, after growing, by the trees that did not see it. A function "
        "of true and predicted labels replaces the accuracy as ``oob_score_``.",
    ),
    "keep_targets": (
        "bool",
        "Whether to keep the training targets in the leaves, for ``predict(X, quantiles=...)``: "
        "about 8 bytes for each training row and tree. Model files do not store them.",
    ),
    "warm_start": (
        "bool",
        "Whether ``fit`` keeps the trees it has and adds those that ``n_estimators`` asks for.",
    ),
    "estimator": ("estimator of a single tree or None", "How each tree is grown."),
    "learning_rate": ("float", "Factor of every tree's weight. Smaller values need more trees."),
    "method": ('{"c4.5rules", "course"}', "How the rules of the tree are simplified."),
}
"""Type and description of each parameter."""
ATTRIBUTES: dict[str, tuple[str, str]] = {
    "tree_": ("Tree", "The fitted tree."),
    "rules_": ("RuleList", "The rules, in the order in which they fire."),
    "trees_": ("sequence of Tree", "The fitted trees."),
    "estimators_": ("list of estimators", "The trees as fitted estimators."),
    "estimator_weights_": ("ndarray", "The weight of each tree in the vote."),
    "estimator_errors_": ("ndarray", "The weighted training error of each tree."),
    "estimator_": ("estimator", "The estimator of the trees, not fitted."),
    "estimators_samples_": ("list of ndarray", "The rows in each tree's sample."),
    "estimators_features_": ("list of ndarray", "The features drawn for each tree."),
    "oob_score_": ("float", "The out-of-bag accuracy, or R2 of numbers, with ``oob_score`` only."),
    "oob_decision_function_": (
        "ndarray",
        "The out-of-bag class probabilities of each training row, NaN where it was in every "
        "sample; with ``oob_score`` only.",
    ),
    "oob_prediction_": (
        "ndarray",
        "The out-of-bag prediction of each training row, NaN where it was in every sample; with "
        "``oob_score`` only.",
    ),
    "oob_error_curve_": (
        "ndarray",
        "The out-of-bag error of the first 1, 2, ... trees (numbers: mean squared error), with "
        "``oob_score`` only.",
    ),
    "max_features_": ("int", "The number of features sampled at each node."),
    "classes_": ("ndarray", "The class labels."),
    "n_classes_": ("int", "The number of classes."),
    "n_outputs_": ("int", "The number of targets: always 1."),
    "n_features_in_": ("int", "The number of features."),
    "feature_names_in_": ("ndarray", "The names of the features, if the table had names."),
    "feature_importances_": (
        "ndarray",
        "The fraction of the total decrease of impurity that each feature contributes.",
    ),
    "schema_": ("Schema", "The features with their kinds and categories, and the classes."),
}
"""Type and description of each fitted attribute."""
SINGLE = ("tree_", "max_features_", "feature_importances_")
"""The attributes of estimators of a single tree."""
OF_CLASSES = ("classes_", "n_classes_")
"""The attributes of every classifier."""
SHARED = ("n_outputs_", "n_features_in_", "feature_names_in_", "schema_")
"""The attributes of every estimator."""


def documented(*attributes: str, **own: str | tuple[str, str]) -> Callable[[Class], Class]:
    """Complete the docstring of an estimator by its parameters and fitted attributes.

    ``attributes`` are those of the class beside :data:`SHARED`; ``own`` replaces descriptions of
    parameters that mean something special here, or types and descriptions. The sections stand
    before "Examples".
    """

    def complete(cls: Class) -> Class:
        head, _, examples = cleandoc(cls.__doc__ or "").partition("Examples\n--------\n")
        parameters = [
            _entry(name, *_described(name, own), parameter)
            for name, parameter in signature(cls).parameters.items()
        ]
        shared = (*OF_CLASSES, *SHARED) if issubclass(cls, ClassifierMixin) else SHARED
        fitted = [_entry(name, *ATTRIBUTES[name]) for name in (*attributes, *shared)]
        cls.__doc__ = "\n".join(
            [
                head.rstrip(),
                *("", "Parameters", "----------", *parameters),
                *("", "Attributes", "----------", *fitted),
                *("", "Examples", "--------", examples),
            ]
        )
        return cls

    return complete


def _described(name: str, own: Mapping[str, str | tuple[str, str]]) -> tuple[str, str]:
    kind, words = PARAMETERS[name]
    given = own.get(name, words)
    return given if isinstance(given, tuple) else (kind, given)


def _entry(name: str, kind: str, words: str, parameter: Parameter | None = None) -> str:
    default = "" if parameter is None else f", default={parameter.default!r}"
    if parameter is not None and parameter.default == KEPT:
        kind += f' or "{KEPT}"'
    return f"{name} : {kind}{default}\n{indent(chr(10).join(wrap(words, 90)), '    ')}"
