"""The prediction of one typed row: its way, probabilities, and the smallest change."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from plaintree.data.one_row import one_row
from plaintree.data.typed_rows import typed_rows
from plaintree.data.words import number_text, plain, prediction_text
from plaintree.errors import ColumnError, ParameterError, nearest
from plaintree.show.explain.case import Case
from plaintree.show.explain.counterfactual import smallest_change
from plaintree.show.explain.explain import explain as explained
from plaintree.show.explain.explanation import Explanation
from plaintree.show.explain.goal import ThisClass
from plaintree.show.explain.parts import Counterfactual
from plaintree.show.explain.vote import Vote
from plaintree.tree.tree import Tree
from plaintree.tree.walk import encoded_row, reached_shares

from ..messages.nodes import Visit
from ..messages.views import Change, Explained, ExplainRequest, Probability, Votes
from .held import quiet
from .library import path_of
from .names import number
from .replay import Work


def explain(work: Work, request: ExplainRequest) -> Explained:
    """Explain the prediction of a row; columns that are not given are missing."""
    tree = work.tree(request.member)
    row = _row(tree, request.row)
    with quiet():
        options = _options(work, row, request) if work.single else {}
        found = explained(work.model, row, **options)
        visits = _visits(tree, row)
    return _reply(work, request, found, visits)


def _row(tree: Tree, given: dict[str, Any]) -> pl.DataFrame:
    """A table of the one row; strings are read as the kinds of their columns."""
    schema = tree.schema
    for name in given:
        if name not in schema.names:
            raise ColumnError(
                "there is no such column",
                got=repr(name),
                hint=nearest(name, schema.names) or "use the columns of the table.",
            )
    columns = [_series(schema.features[i], given.get(name)) for i, name in enumerate(schema.names)]
    return typed_rows(pl.DataFrame(columns), schema)


def _series(feature: Any, value: Any) -> pl.Series:
    if value is None or value == "":
        kind = pl.String if feature.is_categorical else pl.Float64
        return pl.Series(feature.name, [None], dtype=kind)
    if feature.is_categorical and not isinstance(value, str):
        labels = [label for label in feature.categories if label == value]
        same = [label for label in labels if isinstance(label, bool) == isinstance(value, bool)]
        return pl.Series(feature.name, [same[0] if same else value])
    return pl.Series(feature.name, [value])


def _options(work: Work, row: pl.DataFrame, request: ExplainRequest) -> dict[str, Any]:
    """The options of the smallest change."""
    options: dict[str, Any] = {"immutable": request.immutable}
    if request.wanted is None or work.training.task == "classification":
        return options
    if isinstance(request.wanted, str | bool):
        raise ParameterError(
            "the wanted prediction must be a number", got=repr(request.wanted), hint="give one."
        )
    wanted = float(request.wanted)
    predicted = float(explained(work.model, row).prediction)
    end = "above" if wanted > predicted else "below"
    return {**options, end: float(np.nextafter(wanted, predicted))}


def _visits(tree: Tree, row: pl.DataFrame) -> list[Visit]:
    shares = reached_shares(tree, encoded_row(tree, row))
    return [
        Visit(at=list(path_of(tree, node)), share=float(shares[node]))
        for node in np.flatnonzero(shares).tolist()
    ]


def _reply(
    work: Work, request: ExplainRequest, found: Explanation, visits: list[Visit]
) -> Explained:
    schema, estimate = work.tree().schema, found.estimate
    low, high = (None, None) if estimate is None else estimate.interval or (None, None)
    changed = found.counterfactual
    if request.wanted is not None and work.single and schema.classes:
        changed = _to_class(work.own_tree(), request)
    return Explained(
        prediction=prediction_text(schema, found.prediction),
        label=schema.classes.index(found.prediction) if schema.classes else -1,
        probabilities=[
            Probability(
                label=plain(p.label),
                probability=p.probability,
                low=number(p.low),
                high=number(p.high),
            )
            for p in found.probabilities
        ],
        low=number(low),
        high=number(high),
        visits=visits,
        conditions=[str(step) for step in found.path.steps],
        changes=[] if changed is None else [_change(new) for new in changed.new_values],
        changed_to="" if changed is None else prediction_text(schema, changed.prediction),
        votes=_votes(work, found),
        text=found.to_text(),
    )


def _to_class(tree: Tree, request: ExplainRequest) -> Counterfactual | None:
    """The smallest change of a row that leads to the class that is wanted; None if there is none.

    ``explain`` looks for any other class.
    """
    schema, wanted = tree.schema, request.wanted
    if wanted not in schema.classes:
        raise ParameterError(
            "the wanted prediction is not a class of the tree",
            got=repr(wanted),
            hint=f"the classes are {', '.join(map(plain, schema.classes[:10]))}.",
        )
    case = Case.of(tree, one_row(_row(tree, request.row)))
    features = schema.features
    measures = [case.distance_of(f, f.name in request.immutable, None) for f in features]
    goal = ThisClass(schema.classes.index(wanted))
    with quiet():
        found = smallest_change(tree, case.columns, measures, goal).found
    return None if found is None else case.counterfactual(found)


def _change(new: Any) -> Change:
    before = "missing" if new.instead_of is None else _shown(new.instead_of)
    return Change(column=plain(new.feature), before=before, after=_shown(new.value))


def _shown(value: Any) -> str:
    if isinstance(value, float):
        return number_text(value)
    return "missing" if value is None else plain(value)


def _votes(work: Work, found: Explanation) -> list[Votes]:
    if not isinstance(found.vote, Vote):
        return []
    classes = work.tree().schema.classes
    pairs = zip(classes, found.vote.votes, strict=True)
    return [Votes(label=plain(label), votes=float(n)) for label, n in pairs]
