"""Other names for features and classes, as exports and plots take them.

A model fitted on an array has made-up feature names, and classes are often coded as numbers.
``feature_names`` and ``class_names`` replace both wherever a model is shown or exported.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Literal

from plaintree.errors import ArgumentTypeError, ParameterError

from .schema import Label, Schema

FeatureNames = Sequence[str] | None
ClassNames = Sequence[Label] | Literal[True] | None


def renamed(schema: Schema, feature_names: Any = None, class_names: Any = None) -> Schema:
    """Return a schema with other names for its features and classes.

    Parameters
    ----------
    schema : Schema
        The schema of a fitted model.
    feature_names : sequence of str, default=None
        One name per feature, in column order. None keeps the names.
    class_names : sequence of str, True or None, default=None
        One label per class, in the order of ``classes_``. None and True keep the labels.

    Returns
    -------
    Schema
        The same schema if there is nothing to rename.

    Raises
    ------
    ParameterError
        If there are too many or too few names, or one of them twice.

    Examples
    --------
    >>> from plaintree.data.renaming import renamed
    >>> from plaintree.data.schema import Feature, Schema
    >>> schema = Schema((Feature("x0", "numeric"), Feature("x1", "numeric")), (0, 1))
    >>> new = renamed(schema, ["width", "height"], ["no", "yes"])
    >>> new.names, new.classes
    (('width', 'height'), ('no', 'yes'))
    """
    if feature_names is not None:
        names = _checked("feature_names", feature_names, "feature", len(schema.features))
        named = zip(schema.features, map(str, names), strict=True)
        schema = replace(schema, features=tuple(replace(a, name=name) for a, name in named))
    if class_names is not None and class_names is not True:
        if not schema.classes:
            raise ParameterError(
                f"class_names needs classes, and the target {schema.target!r} is numeric",
                got=repr(class_names),
                hint="leave out class_names.",
            )
        labels = _checked("class_names", class_names, "class", len(schema.classes))
        one_type = len({type(label) for label in labels}) == 1
        schema = replace(schema, classes=tuple(labels if one_type else map(str, labels)))
    return schema


def _checked(parameter: str, given: Any, thing: str, wanted: int) -> list[Label]:
    """The names as Python's own types, one per feature or class, all different."""
    if not isinstance(given, Iterable) or isinstance(given, str | bytes | dict):
        raise ArgumentTypeError(
            f"{parameter} must be a sequence of names",
            got=f"an object of type {type(given).__name__}",
            hint=f"pass a list with one name per {thing}.",
        )
    names = [name.item() if hasattr(name, "item") else name for name in given]
    if any(not isinstance(name, str | int | float | bool) for name in names):
        raise ArgumentTypeError(f"{parameter} must be a sequence of names", got=repr(names[:5]))
    if len(names) != wanted:
        things = thing if wanted == 1 else {"class": "classes"}.get(thing, f"{thing}s")
        raise ParameterError(
            f"{parameter} must have one name per {thing}",
            got=f"{len(names)} names for {wanted} {things}",
        )
    name, times = Counter(map(str, names)).most_common(1)[0] if names else ("", 0)
    if times > 1:
        raise ParameterError(f"{parameter} must be different names", got=f"{name!r} {times} times")
    return names
