"""A model as SQL: an expression over a table's columns, a query, or a view."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from plaintree.data.renaming import ClassNames, FeatureNames
from plaintree.data.schema import Schema
from plaintree.errors import ParameterError, not_allowed

from ..renamed import renamed_model
from ..verification.verify import verify_export
from .sql_model import written_model
from .sql_words import DIALECTS, Dialect, DialectName


@dataclass(frozen=True)
class SqlText:
    """A statement or expression, with the names that its runner needs."""

    text: str
    dialect: DialectName
    table: str | None
    view: str | None
    proba: bool


def export_sql(
    model: object,
    *,
    dialect: DialectName = "sqlite",
    table: str | None = None,
    view: str | None = None,
    proba: bool = False,
    feature_names: FeatureNames = None,
    class_names: ClassNames = None,
    verify: Any = None,
) -> str:
    """Write a model as SQL.

    Without ``table``, the result is an expression for the class or number, to use in a query; with
    ``proba``, a list of named expressions for a SELECT. NULL is missing. For a row that the model
    would refuse (``missing="error"``, ``unseen="error"``), the prediction is NULL.

    Parameters
    ----------
    model : estimator, Tree or RuleList
        A fitted estimator, a tree or a rule list.
    dialect : {"sqlite", "duckdb", "postgres"}, default="sqlite"
        The database.
    table : str or None, default=None
        The table to select from. The result has its columns, then ``prediction``, then with
        ``proba`` one ``proba_<class>`` per class.
    view : str or None, default=None
        The name of a view to create from that; needs ``table``.
    proba : bool, default=False
        Whether to write the probability of every class as well; needs classes.
    feature_names : sequence of str, default=None
        Names of the features in column order, in place of those of the model.
    class_names : sequence of str, default=None
        Labels of the classes in the order of ``classes_``, in place of those of the model.
    verify : table, True, Verification or None, default=None
        If given, the SQL is run by the database
        on the rows of the table and on generated rows, and compared with the model; True uses
        generated rows only. A :class:`~plaintree.interop.Verification` also has the result.

    Returns
    -------
    str
        The SQL.

    Raises
    ------
    ExportError
        If the model cannot be exported, or the export predicts a row differently.

    Examples
    --------
    >>> import plaintree as pt
    >>> from plaintree.interop.program.sql import export_sql
    >>> X, y = pt.datasets.load_tennis()
    >>> print(export_sql(pt.ID3Classifier().fit(X, y)))
    CASE
      WHEN `Outlook` = 'Overcast' THEN 'Yes'
      WHEN `Outlook` = 'Sunny' THEN CASE
        WHEN `Humidity` = 'Normal' THEN 'Yes'
        ELSE 'No'
      END
      ELSE CASE
        WHEN `Wind` = 'Strong' THEN 'No'
        ELSE 'Yes'
      END
    END
    """
    if dialect not in DIALECTS:
        raise not_allowed("dialect", dialect, DIALECTS)
    if view is not None and table is None:
        raise ParameterError(
            "a view needs a table", got=f"view={view!r} and no table", hint="pass table= as well."
        )
    model = renamed_model(model, feature_names, class_names)
    words = Dialect(dialect)
    written = written_model(model, words)
    schema = written.schema
    if proba and not schema.classes:
        raise ParameterError(
            f"the target {schema.target!r} is numeric, so there are no class probabilities",
            got="proba=True",
            hint="leave out proba=True.",
        )
    columns = [written.answer()]
    if proba or table is not None:
        names = _new_names(schema, proba, words)
        columns += [written.value(c) for c in range(len(schema.classes))] if proba else []
        expressions = zip(columns, names, strict=True)
        columns = [f"{column} AS {words.identifier(name)}" for column, name in expressions]
    text = ",\n".join(columns)
    if table is not None:
        text = f"SELECT *,\n{text}\nFROM {words.identifier(table)}"
    if view is not None:
        text = f"CREATE VIEW {words.identifier(view)} AS\n{text}"
    if verify is not None:
        verify_export(model, SqlText(text, dialect, table, view, proba), dialect, verify)
    return text


def _new_names(schema: Schema, proba: bool, dialect: Dialect) -> list[str]:
    """The names of the new columns; no column of the model has them."""
    wanted = ["prediction"]
    wanted += [f"proba_{label}" for label in schema.classes] if proba else []
    taken = {dialect.kept(name).casefold() for name in schema.names}
    return [dialect.new_name(name, taken) for name in wanted]
