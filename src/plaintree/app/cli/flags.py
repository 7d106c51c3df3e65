"""Parameters and their options: errors about a parameter name the option that was typed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from plaintree.errors import PlaintreeError

COLUMN_FLAGS = {
    "target": "--target",
    "drop": "--drop",
    "categorical_features": "--categorical-feature",
    "types": "--type",
}
"""The options that name columns, by their parameters."""
TASK_FLAGS = {
    "task": "--task",
    "learner": "--learner",
    "learners": "--learners",
    "criterion": "--criterion",
}
"""The options that decide on the task, by their parameters."""
READING_FLAGS = {"types": "--type", "dates": "--dates", "missing_values": "--missing-value"}
"""The options of reading a table, by their parameters."""
QUOTES = "\"'"
_VALUE = r"""'[^']*'|"[^"]*"|[^\s,;]*[^\s,;.]"""


def flag_of(parameter: str) -> str:
    """The option of a parameter has its name.

    >>> flag_of("max_depth")
    '--max-depth'
    """
    return "--" + parameter.rstrip("_").replace("_", "-")


@contextmanager
def as_typed(flags: Mapping[str, str]) -> Iterator[None]:
    """Errors about parameters name their options instead, in hints as well.

    An option may be given with the value that was typed.

    >>> from plaintree.errors import ParameterError
    >>> with as_typed({"max_depth": "--max-depth"}):
    ...     raise ParameterError("max_depth is out of range", got="max_depth=-1")
    Traceback (most recent call last):
    plaintree.errors.ParameterError: --max-depth is out of range. Got --max-depth -1.
    >>> with as_typed({"alpha": "--pruning-option alpha=-1"}):
    ...     raise ParameterError("alpha is wrong", got="alpha=-inf")
    Traceback (most recent call last):
    plaintree.errors.ParameterError: --pruning-option alpha is wrong. Got --pruning-option alpha=-1.
    """
    try:
        yield
    except PlaintreeError as error:
        if not flags or (error.got or "").startswith("--"):  # the error names flags itself
            raise
        happened, got, hint = _translated(error, flags)
        raise type(error)(happened, got or None, hint or None) from error


def _translated(error: PlaintreeError, flags: Mapping[str, str]) -> tuple[str, str, str]:
    """The parts of an error, with options in place of NAME=VALUE."""
    names = "|".join(map(re.escape, flags))
    example = re.compile(rf"(?<![\w-])({names})=({_VALUE})")

    def written(found: re.Match[str]) -> str:
        flag, typed, _ = flags[found[1]].partition("=")
        return f"{flag}={found[2]}" if typed else _given(flag, found[2])

    happened, got, hint = error.happened, error.got or "", error.hint or ""
    name, equals, value = got.partition("=")
    several = len(example.findall(got)) > 1
    if several or not equals or name not in flags:
        return happened, example.sub(written, got), example.sub(written, hint)
    flag, typed, _ = flags[name].partition("=")
    if happened.startswith(name):
        happened = flag + happened.removeprefix(name)
    elif happened.endswith(repr(name)) and not typed:
        happened = happened.removesuffix(repr(name)) + flag
    got = flags[name] if typed else _given(flag, value)
    return happened, got, example.sub(written, hint)


def _given(flag: str, value: str) -> str:
    """An option with its value as it may have been typed; a flag that is set has none."""
    return flag if value == "True" else f"{flag} {value.strip(QUOTES).removesuffix('.0')}"
