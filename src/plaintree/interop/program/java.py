"""Models as one Java class, with tables as strings within the limits of class files.

A method of Java has at most 64 KB and a string constant at most 65,535 bytes. So tables are
strings, in pieces, that are read when the class is loaded; every table has its own method.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from plaintree.data.renaming import ClassNames, FeatureNames
from plaintree.errors import ParameterError

from ..members import SAME_COST
from ..renamed import renamed_model
from ..verification.verify import verify_export
from .java_source import OF_CLASSES, OF_NUMBERS
from .plan import program_of
from .tables import Program
from .writing import number_text

PIECE = 10_000
"""Characters of a piece of a string; each takes at most six bytes in a class file."""
_WORDS = """
abstract assert boolean break byte case catch char class const continue default do double
else enum extends final finally float for goto if implements import instanceof int interface
long native new package private protected public return short static strictfp super switch
synchronized this throw throws transient try void volatile while true false null var record
yield sealed permits _ String Map HashMap Object Number Double Boolean StringBuilder Integer System
IllegalArgumentException IllegalStateException SuppressWarnings java Exception BufferedReader
InputStreamReader BigInteger Long Math
"""
_KEYWORDS = frozenset(_WORDS.split())
"""Words of Java, and the classes that the source or its runner names."""


def export_java(
    model: object,
    *,
    name: str = "Model",
    feature_names: FeatureNames = None,
    class_names: ClassNames = None,
    verify: Any = None,
) -> str:
    """Write a model as one Java class (Java 8 or later) without dependencies.

    Its methods are static: ``predict(row)`` returns the label of a row as a string,
    ``predictProba(row)`` the class probabilities in the order of ``classes()``. If the target is
    numeric, there is only ``predict(row)``, which returns a double. A row is a Map by column names
    of numbers, strings and Booleans; null and NaN are missing. It must have all columns and may
    have other keys. Timestamps and durations are those of ``java.time``, or
    microseconds. Integer categories are distinguished exactly as Long or BigInteger.

    Parameters
    ----------
    model : estimator, Tree or RuleList
        A fitted estimator, a tree or a rule list.
    name : str, default="Model"
        The name of the class.
    feature_names : sequence of str, default=None
        Names of the features in column order, in place of those of the model.
    class_names : sequence of str, default=None
        Labels of the classes in the order of ``classes_``, in place of those of the model.
    verify : table, True, Verification or None, default=None
        If given, the class is compiled with javac, run
        on the rows of the table and on generated rows, and compared with the model; True uses
        generated rows only. A :class:`~plaintree.interop.Verification` also has the result.

    Returns
    -------
    str
        The source.

    Raises
    ------
    ExportError
        If the model cannot be exported, or the export predicts a row differently.

    Examples
    --------
    >>> import plaintree as pt
    >>> from plaintree.interop.program.java import export_java
    >>> X, y = pt.datasets.load_tennis()
    >>> "public final class Tennis {" in export_java(pt.ID3Classifier().fit(X, y), name="Tennis")
    True
    """
    model = renamed_model(model, feature_names, class_names)
    if not (name.isidentifier() and name.isascii()) or name in _KEYWORDS:
        raise ParameterError(
            "the name is not an identifier in Java",
            got=f"name={name!r}",
            hint='use one like "Model".',
        )
    text = java_text(program_of(model), name)
    if verify is not None:
        verify_export(model, (name, text), "java", verify)
    return text


def java_text(program: Program, name: str) -> str:
    """The source of a program."""
    filled = {key: _pieces(" ".join(map(str, table))) for key, table in _ints(program).items()}
    for key, numbers in _doubles(program).items():
        filled[key] = _pieces(" ".join(number_text(v, "Infinity") for v in numbers))
    keys = (number for f in program.features for number in f.numbers)
    filled["number"] = _pieces(" ".join(map(_key, keys)))
    words = {
        "classes": list(map(str, program.classes)),
        "names": [f.name for f in program.features],
        "strings": [text for f in program.features for text in f.strings],
    }
    for key, strings in words.items():
        filled[f"{key}_length"] = _pieces(" ".join(str(_units(text)) for text in strings))
        filled[key] = _pieces("".join(strings))
    source = OF_CLASSES if program.classes else OF_NUMBERS
    return source.substitute(
        filled,
        name=name,
        n_values=program.n_values,
        same_cost=number_text(SAME_COST),
        total=number_text(program.total_votes),
        voting={"alone": 0, "class": 1, "probabilities": 2}[program.voting],
        refuses_missing=str(program.refuses_missing).lower(),
        refuses_unseen=str(program.refuses_unseen).lower(),
    )


def _ints(program: Program) -> dict[str, Iterable[int]]:
    """Return the tables of integers."""
    tests, features = list(program.tests), program.features
    inputs = {"number": 0, "category": 1, "interval": 2}
    return {
        "test_kind": (int(t.kind) for t in tests),
        "test_column": (t.column for t in tests),
        "test_missing": (t.missing for t in tests),
        "test_unseen": (t.unseen for t in tests),
        "level_end": _ends(t.levels for t in tests),
        "levels": (code for t in tests for code in t.levels),
        "node_test": program.node_test,
        "node_next": program.node_next,
        "node_prediction": program.node_prediction,
        "node_children": program.node_children,
        "prediction_class": program.prediction_classes,
        "roots": program.roots,
        "input": (inputs[f.input] for f in features),
        "ordered": (int(f.is_ordered) if f.strings else 2 for f in features),
        "boolean_code": (code for f in features for code in f.booleans),
        "text_end": _ends(f.strings for f in features),
        "text_code": (code for f in features for code in f.strings.values()),
        "number_end": _ends(f.numbers for f in features),
        "number_code": (code for f in features for code in f.numbers.values()),
        "cut_end": _ends(f.feature.cuts for f in features),
    }


def _doubles(program: Program) -> dict[str, Iterable[float]]:
    """The tables of doubles."""
    return {
        "threshold": (t.threshold for t in program.tests),
        "node_weight": program.node_weight,
        "prediction_values": program.prediction_values,
        "votes": program.votes,
        "costs": program.costs,
        "cuts": (cut for f in program.features for cut in f.feature.cuts),
    }


def _key(number: float) -> str:
    """Format a number; only an integer that a double would round has no point or exponent."""
    return str(number) if isinstance(number, int) else number_text(number, "Infinity")


def _ends(slices: Iterable[Sequence[Any] | dict[Any, Any]]) -> Iterable[int]:
    total = 0
    for part in slices:
        total += len(part)
        yield total


def _units(text: str) -> int:
    """Return the length of a string in Java, in units of UTF-16."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _pieces(text: str) -> str:
    """Write a string as literals, each short enough for a class file."""
    pieces = [text[i : i + PIECE] for i in range(0, len(text), PIECE)] or [""]
    return ",\n            ".join(map(java_string, pieces))


def java_string(text: str) -> str:
    """A string literal in ASCII.

    Unicode escapes are read before anything else, so one of a quote would end the literal:
    below 128 they are octal.
    """
    written = []
    for char in text:
        if (char.isalnum() and char.isascii()) or char in " _-.,":
            written.append(char)
        elif ord(char) < 128:
            written.append(f"\\{ord(char):03o}")
        else:
            units = char.encode("utf-16-be", "surrogatepass").hex()
            written += [f"\\u{units[i : i + 4]}" for i in range(0, len(units), 4)]
    return '"' + "".join(written) + '"'
