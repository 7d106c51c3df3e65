"""The estimators for Spark DataFrames, in the manner of ``pyspark.ml``.

One class for each ordinary estimator, made by one rule: it has the columns' names and the
parameters of the ordinary one, which fits it, and which its model holds. Only what pyspark.ml has
in Python is used, so pipelines and cross-validation work in classic sessions and on Spark Connect.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from inspect import Parameter, cleandoc, signature
from typing import TYPE_CHECKING, Any

import numpy as np

from plaintree.data.parts import Reading
from plaintree.errors import ColumnError, ParameterError, PlaintreeError, nearest
from plaintree.growing.sources.spark import SparkTable, by_place, places_of

from .documented import PARAMETERS
from .registry import LEARNERS

try:
    from pyspark.ml import Estimator, Model
    from pyspark.ml.param import Param, Params
    from pyspark.ml.util import MLReadable, MLWritable
except ImportError as error:
    raise PlaintreeError(
        "plaintree.spark needs pyspark, which is not installed",
        hint="pip install 'plaintree[spark]'.",
    ) from error

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType

    from .spark_files import TreeModelReader, TreeModelWriter

ROWS_AT_ONCE = 100_000
COLUMNS: dict[str, tuple[Any, str]] = {
    "label_col": ("label", "The column of classes or numbers to be predicted."),
    "features_cols": (
        None,
        "The columns of features. None is all that have no other role.",
    ),
    "weight_col": (None, "The column of the weights of rows. None is 1 for all."),
    "prediction_col": (
        "prediction",
        "The column that ``transform`` adds with the prediction. Numeric classes become doubles, "
        "as in pyspark.ml.",
    ),
    "probability_col": (
        "probability",
        "The column that ``transform`` of a classifier adds with the class probabilities, an "
        "array of doubles in the order of ``classes_``. None adds none.",
    ),
    "row_id_col": (
        None,
        "A column with a different value in each row, whose order is the order of the rows. "
        "Forests need it to draw the same rows again.",
    ),
    "store": (
        None,
        "A directory for encoded rows that all executors see: a path or an address such as "
        "``hdfs://...``. With None, each executor keeps its own in Spark's local directories, and "
        "encodes again what is lost.",
    ),
    "checkpoint": (
        None,
        "A file of the driver that ``fit`` writes after each level. If it is there, ``fit`` goes "
        "on from it, and removes it at the end.",
    ),
}
"""The parameters that ordinary estimators do not have: their defaults, and what they are."""


# -------------------------------------------------------------------- models


@dataclass(frozen=True)
class _Prediction:
    """Adds the predictions of a model to batches; runs on executors.

    ``places`` are those of the features among the columns, which Spark has by their places.
    """

    model: Any
    features: Sequence[str]
    places: Sequence[int]
    probability: bool

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        import pyarrow as pa

        for table in _tables(batches):
            rows = table.select(self.places).rename_columns(list(self.features))
            predicted = self.model.predict(rows)
            columns = [*table.columns, _as_arrow(predicted)]
            if self.probability:
                shares = self.model.predict_proba(rows)
                offsets = np.arange(len(shares) + 1, dtype=np.int32) * shares.shape[1]
                columns.append(pa.ListArray.from_arrays(offsets, shares.ravel()))
            names = [*table.column_names, "prediction", "probability"][: len(columns)]
            yield from pa.Table.from_arrays(columns, names=names).to_batches()


def _tables(batches: Iterable[Any]) -> Iterator[Any]:
    """Batches joined to tables of many rows, because each prediction has a price."""
    import pyarrow as pa

    waiting: list[Any] = []
    for batch in batches:
        waiting.append(batch)
        if sum(map(len, waiting)) >= ROWS_AT_ONCE:
            yield pa.Table.from_batches(waiting).combine_chunks()
            waiting = []
    if any(map(len, waiting)):
        yield pa.Table.from_batches(waiting).combine_chunks()


def _as_arrow(predicted: Any) -> Any:
    import pyarrow as pa

    if predicted.dtype.kind in "iuf":
        return pa.array(predicted.astype(np.float64))
    return pa.array(predicted.tolist())


class TreeModel(Model, MLWritable, MLReadable["TreeModel"]):
    """A fitted model that predicts Spark DataFrames.

    Parameters
    ----------
    model : estimator
        A fitted estimator of plaintree: of ``fit`` of this module, of :func:`plaintree.load`, or
        fitted in memory.
    prediction_col : str, default="prediction"
        The column that ``transform`` adds with the prediction.
    probability_col : str or None, default="probability"
        The column that ``transform`` of a classifier adds with the class probabilities.

    Attributes
    ----------
    model : estimator
        The fitted estimator: save it by :func:`plaintree.save`, print, explain or export it.

    Examples
    --------
    >>> import plaintree as pt
    >>> from plaintree.spark import TreeModel
    >>> X, y = pt.datasets.load_tennis()
    >>> TreeModel(pt.ID3Classifier().fit(X, y)).model.tree_.root.feature
    'Outlook'
    """

    prediction_col: Param[str] = Param(
        Params._dummy(), "prediction_col", COLUMNS["prediction_col"][1]
    )
    probability_col: Param[str | None] = Param(
        Params._dummy(), "probability_col", COLUMNS["probability_col"][1]
    )

    def __init__(
        self,
        model: Any,
        prediction_col: str = "prediction",
        probability_col: str | None = "probability",
    ) -> None:
        super().__init__()
        self.model = model
        self._set(prediction_col=prediction_col, probability_col=probability_col)

    def _transform(self, dataset: DataFrame) -> DataFrame:
        added = self._added()
        names = [str(name) for name in self.model.feature_names_in_]
        for name in names:
            if name not in dataset.columns:
                raise ColumnError(
                    f"the Spark DataFrame has no column {name!r}, which the model uses",
                    hint=nearest(name, dataset.columns) or "check the spelling.",
                )
        present = {name.lower() for name in dataset.columns}  # Spark ignores case
        for name, _ in added:
            if name.lower() in present:
                raise ColumnError(
                    f"the Spark DataFrame already has a column {name!r}",
                    hint="choose other names by prediction_col= and probability_col=.",
                )
        schema = self.transformSchema(dataset.schema)
        places = places_of(names, dataset.columns)
        predict = _Prediction(self.model, names, places, len(added) > 1)
        transformed: DataFrame = by_place(dataset).mapInArrow(predict, schema)
        return transformed

    def write(self) -> TreeModelWriter:
        """Return what writes the model, as a saved pipeline does.

        Returns
        -------
        MLWriter
            Its ``save(path)`` writes a directory, at any address that Spark writes to.
        """
        from .spark_files import TreeModelWriter

        return TreeModelWriter(self)

    @classmethod
    def read(cls) -> TreeModelReader:
        """Return what reads a written model.

        Returns
        -------
        MLReader
            Its ``load(path)`` reads such a directory.
        """
        from .spark_files import TreeModelReader

        return TreeModelReader(cls)

    def transformSchema(self, schema: StructType) -> StructType:
        """Add the columns that ``transform`` adds to a schema.

        Parameters
        ----------
        schema : StructType
            The schema of a Spark DataFrame.

        Returns
        -------
        StructType
            The schema with further fields.
        """
        from pyspark.sql.types import StructField, StructType

        return StructType([*schema.fields, *(StructField(*field) for field in self._added())])

    def _added(self) -> list[tuple[str, Any]]:
        from pyspark.sql.types import ArrayType, BooleanType, DoubleType, StringType

        classes = getattr(self.model, "classes_", None)
        kind: Any = DoubleType()
        if classes is not None and classes.dtype.kind not in "iuf":
            kind = BooleanType() if isinstance(classes[0], (bool, np.bool_)) else StringType()
        added: list[tuple[str, Any]] = [(self.getOrDefault("prediction_col"), kind)]
        probability = self.getOrDefault("probability_col")
        if classes is not None and probability is not None:
            added.append((probability, ArrayType(DoubleType())))
        return added


# -------------------------------------------------------------------- estimators


class TreeOnSpark(Estimator[TreeModel]):
    """An estimator for Spark DataFrames, by the name of the ordinary one in ``_plain``."""

    _plain: type[Any]

    def __init_subclass__(cls) -> None:
        cls._plain = LEARNERS[cls.__name__].load()
        own = {name: what for name, (_, what) in COLUMNS.items()}
        for name, what in (own | {n: PARAMETERS[n][1] for n in _parameters(cls)}).items():
            setattr(cls, name, Param(Params._dummy(), name, what))
        cls.__doc__ = _described(cls)

    def __init__(
        self,
        *,
        label_col: str = "label",
        features_cols: Sequence[str] | None = None,
        weight_col: str | None = None,
        prediction_col: str = "prediction",
        probability_col: str | None = "probability",
        row_id_col: str | None = None,
        store: str | None = None,
        checkpoint: str | None = None,
        **parameters: Any,
    ) -> None:
        super().__init__()
        known = _parameters(type(self))
        for name in parameters:
            if name not in known:
                raise ParameterError(
                    f"{type(self).__name__} has no parameter {name!r}",
                    hint=nearest(name, [*known, *COLUMNS]) or "check the spelling.",
                )
        self._setDefault(**{name: parameter.default for name, parameter in known.items()})
        self._set(
            label_col=label_col,
            features_cols=features_cols,
            weight_col=weight_col,
            prediction_col=prediction_col,
            probability_col=probability_col,
            row_id_col=row_id_col,
            store=store,
            checkpoint=checkpoint,
            **parameters,
        )

    def _fit(self, dataset: DataFrame) -> TreeModel:
        get = self.getOrDefault
        plain = self._plain(**{name: get(name) for name in _parameters(type(self))})
        features = get("features_cols")
        if isinstance(features, str):
            raise ParameterError(
                "features_cols must be a list of names",
                got=f"features_cols={features!r}",
                hint="use a list, such as ['x', 'y'].",
            )
        reading = Reading(
            get("label_col"), None if features is None else tuple(features), get("weight_col")
        )
        row_id = get("row_id_col")
        if row_id is None and getattr(plain, "bootstrap", False):
            raise ParameterError(
                "bootstrap samples need row numbers, which a Spark DataFrame does not have",
                got="bootstrap=True with row_id_col=None",
                hint="set row_id_col to a column with a different value in each row, or "
                "bootstrap=False.",
            )
        _refuse_vectors(dataset, reading)
        table = SparkTable(dataset, reading, row_id, get("store"))
        try:
            fitted = plain.fit(table, checkpoint=get("checkpoint"))
        finally:
            table.release()
        return TreeModel(fitted, get("prediction_col"), get("probability_col"))


def _parameters(cls: type[TreeOnSpark]) -> dict[str, Parameter]:
    """The parameters of the ordinary estimator."""
    return dict(signature(cls._plain).parameters)


def _described(cls: type[TreeOnSpark]) -> str:
    """The docstring, completed by the columns' parameters."""
    lines = [cleandoc(cls.__doc__ or ""), "", "Parameters", "----------"]
    for name, (default, what) in COLUMNS.items():
        kind = "list of str or None" if name == "features_cols" else "str"
        lines += [f"{name} : {kind}{' or None' * (default is None and kind == 'str')}, "]
        lines[-1] += f"default={default!r}"
        lines += [f"    {what}"]
    lines += ["**parameters", f"    The parameters of :class:`plaintree.{cls.__name__}`."]
    lines += ["", "Examples", "--------", ">>> from plaintree.spark import " + cls.__name__]
    lines += [f'>>> model = {cls.__name__}(label_col="y").fit(frame)  # doctest: +SKIP']
    lines += [">>> model.transform(frame).show()  # doctest: +SKIP"]
    return "\n".join(lines)


def _refuse_vectors(dataset: DataFrame, reading: Reading) -> None:
    for field in dataset.schema.fields:
        used = reading.features is None or field.name in reading.features
        if used and field.dataType.typeName() == "vectorudt":
            raise ColumnError(
                f"column {field.name!r} has vectors, not one value a row",
                hint="name the plain columns that they were made from by features_cols=.",
            )


class ID3Classifier(TreeOnSpark):
    """:class:`plaintree.ID3Classifier` for Spark DataFrames."""


class C45Classifier(TreeOnSpark):
    """:class:`plaintree.C45Classifier` for Spark DataFrames."""


class CARTClassifier(TreeOnSpark):
    """:class:`plaintree.CARTClassifier` for Spark DataFrames."""


class CARTRegressor(TreeOnSpark):
    """:class:`plaintree.CARTRegressor` for Spark DataFrames."""


class DecisionTreeClassifier(TreeOnSpark):
    """:class:`plaintree.DecisionTreeClassifier` for Spark DataFrames."""


class DecisionTreeRegressor(TreeOnSpark):
    """:class:`plaintree.DecisionTreeRegressor` for Spark DataFrames."""


class RandomForestClassifier(TreeOnSpark):
    """:class:`plaintree.RandomForestClassifier` for Spark DataFrames."""


class RandomForestRegressor(TreeOnSpark):
    """:class:`plaintree.RandomForestRegressor` for Spark DataFrames."""


class BaggedTreesClassifier(TreeOnSpark):
    """:class:`plaintree.BaggedTreesClassifier` for Spark DataFrames."""


class BaggedTreesRegressor(TreeOnSpark):
    """:class:`plaintree.BaggedTreesRegressor` for Spark DataFrames."""
