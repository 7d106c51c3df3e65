"""A model as C99 source: constant tables and one loop, no allocation, no recursion."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from plaintree.data.renaming import ClassNames, FeatureNames
from plaintree.data.schema import Label
from plaintree.errors import ParameterError

from ..members import SAME_COST
from ..renamed import renamed_model
from ..verification.verify import verify_export
from .c_source import OF_CLASSES, OF_NUMBERS
from .plan import program_of
from .tables import Program, ProgramInput
from .writing import block, comment_text, identifier, number_text

_WORDS = """
alignas alignof and and_eq asm atomic_cancel auto bitand bitor bool break case catch char
class compl complex concept const consteval constexpr constinit continue co_await co_return
co_yield decltype default delete do double dynamic_cast else enum explicit export extern false
float for friend goto if imaginary inline int long mutable namespace new noexcept not not_eq
nullptr operator or or_eq private protected public register reinterpret_cast requires restrict
return short signed sizeof static static_assert static_cast struct switch template this
thread_local throw true try typedef typeid typename typeof union unsigned using virtual void
volatile wchar_t while xor xor_eq NAN NULL INFINITY linux unix i386 errno stdin stdout stderr
BIG_ENDIAN BUFSIZ BYTE_ORDER DOMAIN EOF FD_SETSIZE FILENAME_MAX FOPEN_MAX LITTLE_ENDIAN MAXFLOAT
MB_CUR_MAX NFDBITS OVERFLOW PDP_ENDIAN PLOSS P_tmpdir RAND_MAX SING TLOSS TMP_MAX UNDERFLOW
math_errhandling
"""
_KEYWORDS = frozenset(_WORDS.split())
"""Words of C and C++, and names that headers may define."""
_MACRO = re.compile(r"(?:EXIT_|FP_|HUGE_VAL|L_|MATH_|M_|SEEK_|SNAN).*")
"""Prefixes of such names."""
_COUNTS = ("CLASSES", "COLUMNS", "CATEGORIES", "VALUES")
"""What macros of the source count."""


def export_c(
    model: object,
    *,
    name: str = "model",
    feature_names: FeatureNames = None,
    class_names: ClassNames = None,
    verify: Any = None,
) -> str:
    """Write a model as C99 source: constant tables and a loop, no allocation.

    The source defines a struct ``<name>_row`` with a field for every column (a double, NAN if
    missing, or the code of a category), ``<name>_category`` (the code of a category's string),
    ``<name>_predict`` (the number of the class, or -1 if the model refuses the row),
    ``<name>_predict_proba`` and ``<name>_classes``. If the target is numeric, ``<name>_predict``
    returns the predicted number, or NAN, and there are no classes. Comments in the source describe
    them.

    Parameters
    ----------
    model : estimator, Tree or RuleList
        A fitted estimator, a tree or a rule list.
    name : str, default="model"
        The prefix of all names in the source.
    feature_names : sequence of str, default=None
        Names of the features in column order, in place of those of the model.
    class_names : sequence of str, default=None
        Labels of the classes in the order of ``classes_``, in place of those of the model.
    verify : table, True, Verification or None, default=None
        If given, the source is compiled with gcc, run
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
    >>> from plaintree.interop.program.c import export_c
    >>> X, y = pt.datasets.load_tennis()
    >>> text = export_c(pt.ID3Classifier().fit(X, y))
    >>> print(text.partition("typedef ")[2].partition(" model_row")[0])
    struct {
        int Outlook; /* category, column 0: Outlook */
        int Temperature; /* category, column 1: Temperature */
        int Humidity; /* category, column 2: Humidity */
        int Wind; /* category, column 3: Wind */
    }
    """
    model = renamed_model(model, feature_names, class_names)
    if not (name.isidentifier() and name.isascii()) or name in _Reserved():
        raise ParameterError(
            "the name is not an identifier in C", got=f"name={name!r}", hint='use one like "model".'
        )
    program = program_of(model)
    text = c_text(program, name)
    if verify is not None:
        verify_export(model, CSource(text, name, fields_of(program, name)), "c", verify)
    return text


class CSource(str):
    """The source, with the names that a caller needs."""

    __slots__ = ("fields", "name")
    fields: list[str]
    name: str

    def __new__(cls, text: str, name: str, fields: list[str]) -> CSource:
        source = super().__new__(cls, text)
        source.name, source.fields = name, fields
        return source


class _Reserved:
    """The names that no field may have."""

    def __contains__(self, name: object) -> bool:
        return name in _KEYWORDS or bool(_MACRO.fullmatch(str(name)))


def fields_of(program: Program, name: str) -> list[str]:
    """The fields of the row's struct, in the order of the columns."""
    # The source defines these itself, and a field of such a name would become a number.
    taken = {f"{name.upper()}_N_{what}" for what in _COUNTS}
    return [identifier(f.name, taken, _Reserved()) for f in program.features]


def c_text(program: Program, name: str) -> str:
    """The source of a program."""
    tests = list(program.tests)
    levels = [code for test in tests for code in test.levels]
    ends = list(_running_sum(len(test.levels) for test in tests))
    entries = sorted(
        (column, text.encode("utf-8", "surrogatepass"), code)
        for column, feature in enumerate(program.features)
        for text, code in feature.strings.items()
    )
    cuts = [cut for f in program.features for cut in f.feature.cuts]
    fields = fields_of(program, name)
    source = OF_CLASSES if program.classes else OF_NUMBERS
    return source.substitute(
        name=name,
        upper=name.upper(),
        n_columns=len(program.features),
        n_values=program.n_values,
        n_categories=len(entries),
        fields="\n".join(_field(program, i, field) for i, field in enumerate(fields)),
        class_names=_list(c_string(_bytes(label)) for label in program.classes),
        class_lengths=_list(len(_bytes(label)) for label in program.classes),
        category_column=_list(entry[0] for entry in entries),
        category_text=_list((c_string(entry[1]) for entry in entries), '""'),
        category_length=_list(len(entry[1]) for entry in entries),
        category_code=_list(entry[2] for entry in entries),
        cuts=_list(_double(cut) for cut in cuts),
        reading="\n".join(_reading(program, name)),
        test_kind=_list(int(test.kind) for test in tests),
        test_column=_list(test.column for test in tests),
        test_threshold=_list(_double(test.threshold) for test in tests),
        test_missing=_list(test.missing for test in tests),
        test_unseen=_list(test.unseen for test in tests),
        level_end=_list(ends),
        levels=_list(levels),
        node_test=_list(program.node_test),
        node_next=_list(program.node_next),
        node_prediction=_list(program.node_prediction),
        node_weight=_list(map(_double, program.node_weight)),
        node_children=_list(program.node_children),
        prediction_class=_list(program.prediction_classes),
        prediction_values=_list(map(_double, program.prediction_values)),
        n_roots=len(program.roots),
        roots=_list(program.roots),
        votes=_list(map(_double, program.votes)),
        costs=_list(map(_double, program.costs)),
        has_costs=int(bool(program.costs)),
        same_cost=_double(SAME_COST),
        total=_double(program.total_votes),
        by_class=int(program.voting == "class"),
        alone=int(program.voting == "alone"),
        pending=program.pending,
    )


def _running_sum(counts: Iterable[int]) -> Iterable[int]:
    total = 0
    for count in counts:
        total += count
        yield total


def _list(entries: Iterable[object], empty: str = "0") -> str:
    """The entries of an array; C has no empty ones."""
    return block(entries, ", ") or empty


def _double(value: float) -> str:
    return number_text(value, "HUGE_VAL")


def _bytes(label: Label) -> bytes:
    return str(label).encode("utf-8", "surrogatepass")


def c_string(text: bytes) -> str:
    """A string literal: anything but letters, digits and blanks is an octal escape.

    So there are no quotes, no trigraphs, and no digits that would lengthen an escape.
    """
    plain = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 _-.,"
    return '"' + "".join(chr(c) if c in plain else f"\\{c:03o}" for c in text) + '"'


def _field(program: Program, column: int, field: str) -> str:
    feature = program.features[column]
    shown = comment_text(feature.name)
    if feature.input == "category":
        return f"    int {field}; /* category, column {column}: {shown} */"
    unit = feature.feature.unit
    known = {"number": "number", "integer": "number", "boolean": "number", "text": "number"}
    return f"    double {field}; /* {known.get(unit, f'{unit} in microseconds')}: {shown} */"


def _reading(program: Program, name: str) -> Iterable[str]:
    """Return the lines that convert a row's fields to numbers."""
    begin = 0
    for column, (feature, field) in enumerate(
        zip(program.features, fields_of(program, name), strict=True)
    ):
        yield _read_field(feature, f"row->{field}", f"values[{column}]", (name, begin))
        begin += len(feature.feature.cuts)
        if program.refuses_missing:
            yield f"    if (values[{column}] != values[{column}]) return 0;"
        if program.refuses_unseen and feature.strings:
            yield f"    if (row->{field} < -1) return 0;"


def _read_field(feature: ProgramInput, field: str, value: str, cuts: tuple[str, int]) -> str:
    name, begin = cuts
    if feature.input == "number":
        return f"    {value} = {field};"
    if feature.input == "interval":
        n_cuts = len(feature.feature.cuts)
        return f"    {value} = {name}_interval({field}, {begin}, {n_cuts});"
    n_codes = len(feature.feature.categories)
    if feature.is_ordered:
        return f"    {value} = {field} >= 0 && {field} < {n_codes} ? {field} : NAN;"
    # An invalid code counts as an unseen category.
    return (
        f"    {value} = {field} == -1 ? NAN : {field} < 0 || {field} >= {n_codes} ? -2 : {field};"
    )
