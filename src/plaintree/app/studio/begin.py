"""What a studio begins with: a table and how it is read, and the settings of an estimator."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from inspect import signature
from pathlib import Path
from typing import Any

import msgspec

from plaintree.errors import ArgumentTypeError, ParameterError
from plaintree.estimators.registry import LEARNERS, TaskName

from .messages.documents import Recipe, Settings
from .server.server import Preset
from .workers import sources

NOT_SETTINGS = ("n_jobs", "verbose", "warm_start", "categorical_features")
"""Parameters that do not change which tree grows, or that are about reading the table."""


@dataclass(frozen=True)
class Chosen:
    """What is chosen about a table before the page opens; the page can change it."""

    target: str | None = None
    drop: Sequence[str] = ()
    task: TaskName | None = None
    recipe: Recipe = field(default_factory=Recipe)


def preset_of(
    model_or_frame: Any, X: Any, y: Any, chosen: Chosen, directory: Path
) -> Preset | None:
    """The table that a caller passes, written to a directory, and what it begins with."""
    if model_or_frame is None and X is None:
        if y is not None or chosen != Chosen():
            raise ParameterError("there is no table", hint="pass it as the first argument.")
        return None
    settings: Settings | None = None
    if hasattr(model_or_frame, "get_params"):
        if X is None:
            raise ParameterError(
                "an estimator needs its table", hint="pass it: pt.studio(model, X, y)."
            )
        settings, task = settings_of(model_or_frame)
        chosen = replace(chosen, task=task, recipe=_recipe_of(model_or_frame, X, chosen.recipe))
    elif model_or_frame is not None:
        if X is not None:
            raise ArgumentTypeError(
                "the first of two tables must be an estimator",
                got=f"an object of type {type(model_or_frame).__name__}",
                hint="pass the target as y=, or its name as target=.",
            )
        X = model_or_frame
    from .frame_files import write_frame  # imports polars, which the command line need not wait for

    path = directory / "table.parquet"
    target = write_frame(X, y, chosen.target, path)
    source = sources.of_file(str(path), path.name, chosen.recipe)
    return Preset(source, target, settings, chosen.task, chosen.drop)


def preset_of_file(file: str, chosen: Chosen) -> Preset:
    """The table of a file."""
    path = Path(file).resolve()
    if not path.exists():  # the stem of a pair of C4.5's
        path = path.with_suffix(".names")
    source = sources.of_file(str(path), path.name, chosen.recipe)
    return Preset(source, chosen.target, None, chosen.task, chosen.drop)


def preset_of_example(name: str, chosen: Chosen) -> Preset:
    """A bundled table."""
    source = sources.of_example(name, chosen.recipe)
    return Preset(source, chosen.target, None, chosen.task, chosen.drop)


def _recipe_of(model: Any, X: Any, recipe: Recipe) -> Recipe:
    """The recipe with the columns whose numbers an estimator reads as categories."""
    from plaintree.data.categorical_features import chosen_columns
    from plaintree.data.table import table_from

    table = table_from(X)
    positions = chosen_columns(table, getattr(model, "categorical_features", None))
    names = [table.names[position] for position in sorted(positions)]
    return Recipe(categorical_features=[*dict.fromkeys([*recipe.categorical_features, *names])])


def settings_of(model: Any) -> tuple[Settings, TaskName]:
    """The learner of an estimator and the parameters that it changes; and its task."""
    learner = LEARNERS.get(type(model).__name__)
    if learner is None or learner.short is None:
        known = [it.name for it in LEARNERS.values() if it.short]
        raise ArgumentTypeError(
            "the studio has no such learner",
            got=f"an object of type {type(model).__name__}",
            hint=f"it has {', '.join(known)}.",
        )
    defaults = {name: p.default for name, p in signature(type(model)).parameters.items()}
    changed = {
        name: value.item() if hasattr(value, "item") else value
        for name, value in model.get_params(deep=False).items()
        if name not in NOT_SETTINGS and not _equal(value, defaults.get(name))
    }
    for name, value in changed.items():
        try:
            msgspec.json.encode(value)
        except (TypeError, ValueError) as error:
            raise ParameterError(
                f"the studio cannot take over the parameter {name}",
                got=f"{name}={value!r}"[:200],
                hint="use numbers, strings, lists and dictionaries.",
            ) from error
    return Settings(learner=learner.short, parameters=changed), learner.task


def _equal(value: Any, default: Any) -> bool:
    try:
        return bool(type(value) is type(default) and value == default)
    except ValueError:  # arrays
        return False
