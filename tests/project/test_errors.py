"""Exceptions of plaintree: all public, and caught by the built-in class that callers expect."""

from __future__ import annotations

import errno
import pickle
from pathlib import Path

import pytest

from plaintree import errors
from plaintree.errors import FileError, PlaintreeError, file_error, unreadable

CLASSES = [
    value
    for value in vars(errors).values()
    if isinstance(value, type) and value.__module__ == errors.__name__
]
ERRORS = [kind for kind in CLASSES if issubclass(kind, PlaintreeError)]
CAUSES = (FileNotFoundError, PermissionError, IsADirectoryError)


def test_all_exceptions_and_warnings_are_public() -> None:
    assert sorted(kind.__name__ for kind in CLASSES) == errors.__all__


@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)
def test_a_class_is_described_in_one_sentence(kind: type) -> None:
    assert (kind.__doc__ or "").partition("\n")[0].endswith(".")


@pytest.mark.parametrize("kind", ERRORS, ids=lambda kind: kind.__name__)
def test_an_error_is_also_a_built_in_one_and_survives_pickling(kind: type[PlaintreeError]) -> None:
    built_in = (ValueError, TypeError, MemoryError)
    assert kind is PlaintreeError or issubclass(kind, built_in)
    error = kind("it is wrong", got="3", hint="use 4.")
    copy = pickle.loads(pickle.dumps(error))
    assert str(copy) == str(error) == "it is wrong. Got 3. Hint: use 4."
    assert type(copy) is kind


@pytest.mark.parametrize("kind", CAUSES)
def test_errors_of_the_system_keep_their_class_and_number(kind: type[OSError]) -> None:
    number = {
        FileNotFoundError: errno.ENOENT,
        PermissionError: errno.EACCES,
        IsADirectoryError: errno.EISDIR,
    }
    cause = OSError(number[kind], "the reason", "a.csv")
    error = file_error("a.csv cannot be read", cause)
    assert isinstance(error, kind)
    assert isinstance(error, FileError)
    assert (error.errno, error.strerror, error.filename) == (*cause.args, "a.csv")
    assert str(error) == "a.csv cannot be read. Got the reason."


def test_other_errors_of_the_system_are_file_errors() -> None:
    error = file_error("it could not be written", OSError(errno.ENOSPC, "No space left"), "wait.")
    assert type(error) is FileError
    assert str(error) == "it could not be written. Got No space left. Hint: wait."


def test_a_missing_file_suggests_the_nearest_name(tmp_path: Path) -> None:
    (tmp_path / "golf.csv").touch()
    error = unreadable(tmp_path / "gold.csv", FileNotFoundError(errno.ENOENT, "No such file"))
    assert error.hint == "did you mean 'golf.csv'?"
