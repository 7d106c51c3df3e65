"""C4.5rules as a scikit-learn estimator: an unpruned C4.5 tree, simplified to rules."""

from __future__ import annotations

from html import escape
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from plaintree.data.categorical_features import CategoricalFeatures
from plaintree.data.rows import Rows
from plaintree.data.schema import Schema
from plaintree.data.table import refuse_dataset
from plaintree.errors import ArgumentTypeError, not_allowed
from plaintree.rules.c45rules import rules_from_rows
from plaintree.rules.candidates import Method, Options
from plaintree.rules.extract import export_rules
from plaintree.tree.conventions import C45, Conventions
from plaintree.tree.tree import Tree

from .batches import in_batches
from .documented import MIN_SAMPLES_BRANCH, documented
from .single_tree import TreeClassifier


@documented(
    "rules_",
    "tree_",
    "feature_importances_",
    criterion=('{"gain_ratio", "information_gain"}', "The score of a split (option -g)."),
    min_samples_branch=("float", MIN_SAMPLES_BRANCH),
    confidence="The confidence of the estimated errors of a rule. Lower values shorten more.",
    random_state="Seed of the search for the best set of rules, as in the program.",
)
class C45RulesClassifier(TreeClassifier):
    """C4.5rules (Quinlan 1993): an ordered list of rules instead of a tree.

    An unpruned C4.5 tree is grown, and :func:`plaintree.rules.simplify_rules` makes rules of it.
    Every row counts once: sample weights are refused. The first rule that fires predicts;
    ``rules_.fired(X)`` returns its number and ``explain(row)`` the reason. ``apply``,
    ``decision_path``, ``get_depth`` and ``get_n_leaves`` are about the tree.

    Examples
    --------
    >>> import plaintree as pt
    >>> X, y = pt.datasets.load_golf()
    >>> model = pt.C45RulesClassifier().fit(X, y)
    >>> len(model.rules_), model.score(X, y)
    (4, 1.0)
    """

    _default_conventions = C45

    def __init__(
        self,
        criterion: Literal["gain_ratio", "information_gain"] = "gain_ratio",
        *,
        min_samples_branch: float = 2,
        confidence: float = 0.25,
        method: Method = "c4.5rules",
        random_state: int = 1,
        categorical_features: CategoricalFeatures = "from_dtype",
        n_jobs: int | None = None,
    ) -> None:
        self.criterion = criterion
        self.min_samples_branch = min_samples_branch
        self.confidence = confidence
        self.method = method
        self.random_state = random_state
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None, **refused: Any) -> Self:  # type: ignore[override]
        """Grow the tree and simplify it to rules.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            A frame, an array, or a mapping or sequence of rows.
        y : sequence of shape (n_rows,)
            The class label of each row.
        **refused
            Other arguments raise an error; C4.5rules has no sample weights.

        Returns
        -------
        self
            The fitted estimator.
        """
        refuse_dataset(X)
        self._options()  # wrong ones raise before the tree is grown
        for name in refused:
            raise ArgumentTypeError(
                f"{type(self).__name__}.fit has no parameter {name!r}",
                hint="C4.5rules counts rows and has no weights; repeat rows instead."
                if name == "sample_weight"
                else "give a table X and its labels y.",
            )
        return super().fit(X, y)

    def _grow(self, schema: Schema, rows: Rows, conventions: Conventions) -> Tree:
        tree = super()._grow(schema, rows, conventions)
        self.rules_ = rules_from_rows(tree, rows.columns, rows.codes, self._options())
        return tree

    def _options(self) -> Options:
        return Options(self.method, self.confidence, self.random_state)

    def _conventions(self) -> Conventions:
        allowed = ("gain_ratio", "information_gain")
        if self.criterion not in allowed:
            raise not_allowed("criterion", self.criterion, allowed)
        return super()._conventions()

    def used_columns(self) -> frozenset[int]:
        return self.rules_.used_columns()

    @in_batches
    def predict(self, X: Any) -> NDArray[Any]:
        """Predict classes: that of the first rule that fires, or the default class.

        Parameters
        ----------
        X : table of shape (n_rows, n_features), or dataset
            Rows with the features of the training table.

        Returns
        -------
        ndarray of shape (n_rows,)
            The predicted labels.
        """
        columns = self._encoded(X)[1]
        return self.rules_.classes_of(self.rules_.fired_codes(columns))

    @in_batches
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Predict class probabilities: those of the first rule that fires.

        Parameters
        ----------
        X : table of shape (n_rows, n_features), or dataset
            Rows with the features of the training table.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            The probabilities, with the classes in the order of ``classes_``.
        """
        columns = self._encoded(X)[1]
        return self.rules_.probabilities_of(self.rules_.fired_codes(columns))

    def _repr_html_inner(self) -> str:
        """The rules, in notebooks: they predict, not the tree they were made from."""
        if not hasattr(self, "rules_"):
            return super()._repr_html_inner()
        return f"<pre>{escape(export_rules(self, width=100))}</pre>"
