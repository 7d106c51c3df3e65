"""The estimators for Dask DataFrames: fit on a cluster, predict lazily, ordinary otherwise.

One class for each ordinary estimator that grows from counts, made by one rule: it has the same
parameters and ``client``. A fitted one is what the ordinary one would be after it had been fitted
to the same rows in memory, and ``to_local`` gives just that.
"""

from __future__ import annotations

from inspect import Parameter, cleandoc, signature
from typing import Any, Self
from uuid import uuid4

from sklearn.base import ClassifierMixin, clone, is_regressor
from sklearn.utils.validation import check_is_fitted

from plaintree.data.encode import matched_columns
from plaintree.data.table import table_for
from plaintree.errors import ParameterError, PlaintreeError
from plaintree.growing.sources.dask import DaskTable, check_frame, is_dask

from . import forest, forest_regression, quinlan, regression, trees
from .registry import LEARNERS

try:
    import dask.dataframe  # noqa: F401  # needs pandas, which is found here
    import distributed
    from dask.delayed import delayed
except ImportError as missing:
    raise PlaintreeError(
        "plaintree.dask needs dask.dataframe and distributed, which are not installed",
        got=str(missing),
        hint='pip install "plaintree[dask]".',
    ) from missing

CLIENT = (
    "client : distributed.Client or None, default=None",
    "    The cluster on which ``fit`` works. None is the current client. It is not part of what",
    "    is saved or pickled.",
)


class OnDask:
    """An ordinary estimator that also takes Dask DataFrames."""

    client: distributed.Client | None
    schema_: Any
    used_columns: Any
    feature_names_in_: Any
    _ordinary: type[Any]

    def __init__(self, *args: Any, client: distributed.Client | None = None, **named: Any) -> None:
        super().__init__(*args, **named)
        self.client = client

    def __init_subclass__(cls) -> None:
        """Give the class the signature and the description of the ordinary one, and ``client``."""
        super().__init_subclass__()
        if cls.__name__ not in LEARNERS:  # a class between
            return
        cls._ordinary = LEARNERS[cls.__name__].load()
        own = signature(cls._ordinary.__init__)
        added = Parameter(
            "client", Parameter.KEYWORD_ONLY, default=None, annotation="distributed.Client | None"
        )

        def __init__(self: OnDask, *args: Any, **named: Any) -> None:
            OnDask.__init__(self, *args, **named)

        __init__.__signature__ = own.replace(  # type: ignore[attr-defined]
            parameters=[*own.parameters.values(), added]
        )
        cls.__init__ = __init__  # type: ignore[method-assign]
        cls.__doc__ = _described(cls)

    # ---------------------------------------------------------------- fitting

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, **options: Any) -> Self:
        """Grow from a Dask DataFrame on its cluster, or from a table in memory.

        Parameters
        ----------
        X : dask.dataframe.DataFrame or table of shape (n_rows, n_features)
            The features.
        y : dask.dataframe.Series, str, int or sequence of shape (n_rows,)
            The class label of each row, or its number: a Series with the partitions of X, or the
            name of a column of X, which is then not a feature.
        sample_weight : dask.dataframe.Series, str, array-like or None, default=None
            The weight of each row, given like ``y``; None is 1 for all.
        **options
            Further options of the ordinary estimator, such as ``progress``.

        Returns
        -------
        self
            The fitted estimator.
        """
        fit = super().fit  # type: ignore[misc]
        if not is_dask(X):
            fit(X, y, sample_weight, **options)
            return self
        table = DaskTable.of(
            X,
            y,
            sample_weight,
            numeric_target=is_regressor(self),
            client=self.client,
        )
        try:
            fit(table, **options)
        finally:
            table.release()
        named = {str(name): name for name in X.columns}
        if not all(isinstance(named[name], str) for name in self.schema_.names):
            del self.feature_names_in_  # as in memory: names that are not strings are not kept
        return self

    # ---------------------------------------------------------------- predicting

    def predict(self, X: Any, *values: Any, **options: Any) -> Any:
        """Predict as the ordinary estimator, lazily for a Dask DataFrame.

        Parameters
        ----------
        X : dask.dataframe.DataFrame or table of shape (n_rows, n_features)
            Rows with the features of the training table.
        *values, **options
            Further options of the ordinary estimator, for tables in memory.

        Returns
        -------
        dask.dataframe.Series or ndarray of shape (n_rows,)
            The predictions; those of a Dask DataFrame are computed by ``compute()``.
        """
        if not is_dask(X):
            return super().predict(X, *values, **options)  # type: ignore[misc]
        if values or options:
            raise ParameterError(
                "predictions of a Dask DataFrame have no options",
                got=", ".join([*map(repr, values), *options]),
                hint="use X.map_partitions with model.to_local().",
            )
        return self._lazily(X, "predict")

    def _lazily(self, X: Any, method: str) -> Any:
        check_is_fitted(self)
        check_frame(X)
        model = self.to_local()
        # The ordinary checks of names and types, before anything is computed.
        matched_columns(table_for(model, X._meta_nonempty), self.schema_, self.used_columns)
        shared = delayed(model, name=f"plaintree-model-{uuid4().hex}", traverse=False)
        meta = _as_pandas(model, method, None)
        return X.map_partitions(_predicted, shared, method, meta=meta)

    # ---------------------------------------------------------------- copies

    def to_local(self) -> Any:
        """Return the ordinary estimator with the same parameters and the same fitted model.

        Returns
        -------
        estimator
            Of the class of the same name in :mod:`plaintree`; trees are shared, not copied.
        """
        local = object.__new__(self._ordinary)
        local.__dict__.update(self.__dict__)
        del local.__dict__["client"]
        inside = local.__dict__.get("estimator")
        if isinstance(inside, OnDask):
            local.estimator = inside.to_local()
        return local

    def __getstate__(self) -> dict[str, Any]:
        """What is pickled; connections are not."""
        return {**super().__getstate__(), "client": None}  # type: ignore[dict-item]

    def __sklearn_clone__(self) -> Self:
        """A copy that is not fitted and works on the same cluster: clients cannot be copied."""
        twin = type(self).__new__(type(self))
        twin.__dict__.update(clone(self.to_local()).__dict__)
        twin.client = self.client
        return twin


class ClassifierOnDask(OnDask):
    """A classifier that also takes Dask DataFrames."""

    def predict_proba(self, X: Any) -> Any:
        """Predict class probabilities, lazily for a Dask DataFrame.

        Parameters
        ----------
        X : dask.dataframe.DataFrame or table of shape (n_rows, n_features)
            Rows with the features of the training table.

        Returns
        -------
        dask.dataframe.DataFrame or ndarray of shape (n_rows, n_classes)
            The probabilities, with the classes in the order of ``classes_``, which are the names
            of the columns.
        """
        if not is_dask(X):
            return super().predict_proba(X)  # type: ignore[misc]
        return self._lazily(X, "predict_proba")


def _predicted(frame: Any, model: Any, method: str) -> Any:
    """The predictions for a partition, on a worker."""
    return _as_pandas(model, method, frame if len(frame) else None)


def _as_pandas(model: Any, method: str, frame: Any) -> Any:
    """Predictions as pandas holds them, with the index of the rows; without rows, their types."""
    import numpy as np
    import pandas as pd

    index = None if frame is None else frame.index
    found = None if frame is None else getattr(model, method)(frame)
    if method == "predict_proba":
        classes = model.classes_.tolist()
        found = np.empty((0, len(classes))) if found is None else found
        return pd.DataFrame(found, index=index, columns=classes)
    kind = pd.Series(model.classes_ if isinstance(model, ClassifierMixin) else [0.0]).dtype
    name = model.schema_.target
    return pd.Series([] if found is None else found, index=index, name=name, dtype=kind)


def _described(cls: type[OnDask]) -> str:
    """The docstring of the class, completed by the parameters of the ordinary one."""
    theirs = cleandoc(cls._ordinary.__doc__ or "")
    parameters, _, rest = theirs.partition("Parameters\n----------\n")[2].partition("\n\n")
    attributes = rest.partition("Attributes\n----------\n")[2].partition("\n\n")[0]
    name = cls.__name__
    return "\n".join(
        [
            *(cleandoc(cls.__doc__ or ""), "", "Parameters", "----------", parameters, *CLIENT),
            *("", "Attributes", "----------", attributes),
            *("", "Examples", "--------", f">>> from plaintree.dask import {name}"),
            f'>>> model = {name}().fit(frame, y="label")  # doctest: +SKIP',
            '>>> model.predict(frame.drop(columns="label")).compute()  # doctest: +SKIP',
        ]
    )


# -------------------------------------------------------------------- the estimators


class ID3Classifier(ClassifierOnDask, quinlan.ID3Classifier):
    """:class:`plaintree.ID3Classifier`, which also takes Dask DataFrames."""


class C45Classifier(ClassifierOnDask, quinlan.C45Classifier):
    """:class:`plaintree.C45Classifier`, which also takes Dask DataFrames."""


class CARTClassifier(ClassifierOnDask, trees.CARTClassifier):
    """:class:`plaintree.CARTClassifier`, which also takes Dask DataFrames."""


class DecisionTreeClassifier(ClassifierOnDask, trees.DecisionTreeClassifier):
    """:class:`plaintree.DecisionTreeClassifier`, which also takes Dask DataFrames."""


class CARTRegressor(OnDask, regression.CARTRegressor):
    """:class:`plaintree.CARTRegressor`, which also takes Dask DataFrames."""


class DecisionTreeRegressor(OnDask, regression.DecisionTreeRegressor):
    """:class:`plaintree.DecisionTreeRegressor`, which also takes Dask DataFrames."""


class RandomForestClassifier(ClassifierOnDask, forest.RandomForestClassifier):
    """:class:`plaintree.RandomForestClassifier`, which also takes Dask DataFrames."""


class BaggedTreesClassifier(ClassifierOnDask, forest.BaggedTreesClassifier):
    """:class:`plaintree.BaggedTreesClassifier`, which also takes Dask DataFrames."""


class RandomForestRegressor(OnDask, forest_regression.RandomForestRegressor):
    """:class:`plaintree.RandomForestRegressor`, which also takes Dask DataFrames."""


class BaggedTreesRegressor(OnDask, forest_regression.BaggedTreesRegressor):
    """:class:`plaintree.BaggedTreesRegressor`, which also takes Dask DataFrames."""
