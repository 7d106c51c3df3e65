"""The learners' parameters as options of the command line: one table drives them.

A parameter's choices and type come from the conventions, which of the learners have it stands
here (a test compares it with the learners), and `plaintree grow` gets its options from here. The
learners themselves are not imported: asking for help must not wait for them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import wraps
from inspect import Parameter, signature
from typing import Annotated, Any, get_type_hints

import typer

from plaintree.errors import ParameterError, PlaintreeError
from plaintree.estimators.registry import BY_SHORT_NAME, SINGLE_TREES
from plaintree.pruning.names import BY_HAND, METHOD_NAMES
from plaintree.tree.conventions import CHOICES, Conventions

from ..study.known import check_known, features_from

DEFAULT = "c45"
LEARNERS = tuple(sorted(SINGLE_TREES, key=lambda name: name != DEFAULT))
"""The learners of single trees by their short names, the default first."""
COMPARED = tuple(BY_SHORT_NAME)
"""The learners that can be compared, which need not be single trees."""
PRUNING_METHODS = tuple(name for name in METHOD_NAMES if name != BY_HAND)
"""The methods of pruning that need nobody to name nodes."""

QUOTES = "\"'"
_VALUE = r"""'[^']*'|"[^"]*"|[^\s,;]*[^\s,;.]"""
_ALL = LEARNERS


def rows_from(text: str) -> float:
    """A number of rows, which is written as an integer, or a fraction of them."""
    try:
        return int(text) if text.lstrip("+-").isdigit() else float(text)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is not a number of rows, nor a fraction.") from None


_TYPES = {
    **get_type_hints(Conventions),
    "ccp_alpha": float,
    "class_weight": str,
    "confidence": float,
    "max_features": str,
    "min_samples_leaf": rows_from,
    "min_samples_split": rows_from,
    "numeric": str,
    "pruning": str,
    "pruning_options": list[str],
}


@dataclass(frozen=True)
class LearnerOption:
    """A parameter of some learners: its name, its flag and what it is for."""

    parameter: str
    flag: str
    help: str
    learners: tuple[str, ...] = _ALL
    choices: tuple[str, ...] = ()
    metavar: str | None = None

    @property
    def type(self) -> Any:
        """What the command line reads for it; None stands for the learner's own default."""
        read = _TYPES[self.parameter]
        return (str if self.parameter in CHOICES or read is rows_from else read) | None

    @property
    def declaration(self) -> Parameter:
        """The option as typer reads it from a function's signature."""
        flags = self.flag
        if _TYPES[self.parameter] is bool:
            flags += "/--no-" + self.flag.removeprefix("--")
        choices = self.choices or CHOICES.get(self.parameter, ())
        words = f"{self.help}: {', '.join(choices)}." if choices else f"{self.help}."
        if self.learners != _ALL:
            words = f"({', '.join(self.learners)} only) {words}"
        option = typer.Option(
            flags,
            help=words,
            metavar=self.metavar,
            parser=rows_from if _TYPES[self.parameter] is rows_from else None,
            rich_help_panel="The learner",
            autocompletion=completing(choices) if choices else None,
        )
        return Parameter(
            self.parameter,
            Parameter.KEYWORD_ONLY,
            default=None,
            annotation=Annotated[self.type, option],
        )


OPTIONS = (
    LearnerOption("criterion", "--criterion", "The score of a test; cart also says entropy"),
    LearnerOption("missing", "--missing", "Where rows with a missing value go"),
    LearnerOption("unseen", "--unseen", "What a category is that training did not have"),
    LearnerOption("max_depth", "--max-depth", "Stop at this depth"),
    LearnerOption(
        "min_samples_split",
        "--min-samples-split",
        "Minimum number of rows to split a node, or fraction of all rows",
        metavar="N",
    ),
    LearnerOption(
        "min_samples_leaf",
        "--min-samples-leaf",
        "Minimum number of rows in every branch, or fraction of all rows",
        ("id3", "cart"),
        metavar="N",
    ),
    LearnerOption(
        "min_samples_branch",
        "--min-samples-branch",
        "Minimum number of rows in at least two branches",
        ("c45",),
    ),
    LearnerOption(
        "min_weight_fraction_leaf",
        "--min-weight-fraction-leaf",
        "Fraction of all weight that a branch needs",
        ("id3", "cart"),
    ),
    LearnerOption(
        "max_features",
        "--max-features",
        "Features sampled at each node: sqrt, log2, all, a number or a fraction",
        metavar="N",
    ),
    LearnerOption(
        "min_impurity_decrease",
        "--min-impurity-decrease",
        "Minimum gain of a split, times the node's fraction of all rows",
    ),
    LearnerOption(
        "class_weight", "--class-weight", "Weights of the classes", choices=("balanced",)
    ),
    LearnerOption("min_score", "--min-score", "Least score of a test"),
    LearnerOption("significance", "--significance", "Greatest p-value of a split"),
    LearnerOption("significance_test", "--significance-test", "Adjusted for the choice, or not"),
    LearnerOption("zero_gain", "--zero-gain", "Allow tests that gain nothing", ("id3", "cart")),
    LearnerOption(
        "categorical",
        "--categorical",
        "Tests of categories; c45 has multiway and grouped, cart the others",
        ("c45", "cart"),
    ),
    LearnerOption(
        "numeric",
        "--numeric",
        "Cut numbers in two, or into intervals before growing",
        ("id3", "c45"),
        ("threshold", "intervals"),
    ),
    LearnerOption(
        "pruning", "--pruning", "How the grown tree is pruned", choices=(*PRUNING_METHODS, "none")
    ),
    LearnerOption(
        "pruning_options",
        "--pruning-option",
        "An option of that method; can be repeated",
        metavar="NAME=VALUE",
    ),
    LearnerOption("ccp_alpha", "--ccp-alpha", "Prune what removes less impurity per leaf"),
    LearnerOption("confidence", "--confidence", "Of error-based pruning; less cuts more"),
    LearnerOption("max_bins", "--max-bins", "Cut numbers into bins first; not exact", ("cart",)),
    LearnerOption("threshold", "--threshold", "The threshold written for a cut", ("c45",)),
    LearnerOption("threshold_choice", "--threshold-choice", "What a cut is chosen by", ("c45",)),
    LearnerOption("threshold_penalty", "--threshold-penalty", "Charge cuts for choice", ("c45",)),
    LearnerOption("average_gain", "--average-gain", "Ask for average gain at least", ("c45",)),
    LearnerOption(
        "numeric_branch_fraction",
        "--numeric-branch-fraction",
        "Minimum size of the sides of a threshold",
        ("c45",),
    ),
    LearnerOption("collapse", "--collapse", "Fold branches that save no errors", ("c45",)),
)


PRUNING = ("pruning", "pruning_options", "confidence")
"""The parameters about pruning; the others are about growing."""
GROWING_OPTIONS = tuple(option for option in OPTIONS if option.parameter not in PRUNING)
FOREST_WORDS = {
    "criterion": "The score of a test",
    "categorical": "Tests of categories",
    "missing": None,
    "unseen": None,
    "max_depth": None,
    "min_samples_split": None,
    "min_samples_leaf": None,
    "min_weight_fraction_leaf": None,
    "min_impurity_decrease": None,
    "min_score": None,
    "zero_gain": None,
    "max_bins": None,
}
"""What a forest's trees can be told, and in what words, where these are not those of one tree."""
FOREST_OPTIONS = tuple(
    replace(option, help=words or option.help, learners=_ALL)
    for name, words in FOREST_WORDS.items()
    for option in OPTIONS
    if option.parameter == name
)
"""The options of a forest's trees."""


def completing(choices: Iterable[str]) -> Callable[[str], list[str]]:
    """What a shell offers when a word has been begun: those of the choices that go on with it.

    >>> completing(LEARNERS)("c")
    ['c45', 'cart']
    """
    return lambda incomplete: [choice for choice in choices if choice.startswith(incomplete)]


def either(choices: Sequence[str]) -> str:
    """Choices as a sentence names them.

    >>> either(("text", "unicode", "latex"))
    'text, unicode or latex'
    """
    return f"{', '.join(choices[:-1])} or {choices[-1]}"


def completing_list(choices: Iterable[str]) -> Callable[[str], list[str]]:
    """The same for a list with commas: its last word is completed, by what is not yet in it.

    >>> completing_list(LEARNERS)("cart,c")
    ['cart,c45']
    """

    def offered(incomplete: str) -> list[str]:
        *before, last = incomplete.split(",")
        begun = "".join(f"{name}," for name in before)
        return [begun + name for name in completing(choices)(last) if name not in before]

    return offered


def with_options(
    options: Sequence[LearnerOption] = (),
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """What a command takes, as typer reads it from a signature.

    ``**given`` stands for the options of the table, and a parameter that is a dataclass for its
    fields, each of them an option: what several commands share is declared once.
    """

    def declare(command: Callable[..., None]) -> Callable[..., None]:
        declared = signature(command, eval_str=True)
        own = [p for p in declared.parameters.values() if p.kind is not Parameter.VAR_KEYWORD]
        groups: dict[str, Any] = {p.name: p.annotation for p in own if is_dataclass(p.annotation)}

        @wraps(command)
        def called(**typed: Any) -> None:
            shared = {
                name: group(**{part.name: typed.pop(part.name) for part in fields(group)})
                for name, group in groups.items()
            }
            command(**typed, **shared)

        flat = [p for q in own for p in (_parts(q.annotation) if q.name in groups else [q])]
        parameters = [*flat, *(option.declaration for option in options)]
        vars(called)["__signature__"] = declared.replace(parameters=parameters)
        return called

    return declare


def _parts(group: Any) -> list[Parameter]:
    """The fields of a dataclass as parameters."""
    hints = get_type_hints(group, include_extras=True)
    return [
        Parameter(p.name, Parameter.KEYWORD_ONLY, default=p.default, annotation=hints[p.name])
        for p in fields(group)
    ]


def learner_named(name: str) -> str:
    """The learner's name as LEARNERS has it; C4.5 and ID3 may be written as they are spoken."""
    plain = _unspoken(name)
    check_known("learner", f"--learner {name}", plain, LEARNERS)
    return plain


def compared_learners(listed: str) -> tuple[str, ...]:
    """The names in a list with commas, as COMPARED has them, each of them once."""
    names = [_unspoken(part) for part in listed.split(",") if part.strip()]
    if not names:
        raise ParameterError(
            "there are no learners to compare",
            got=f"--learners {listed!r}",
            hint=f"give some of {','.join(COMPARED)}.",
        )
    for name in names:
        check_known("learner", f"{name} in --learners {listed}", name, COMPARED)
    return tuple(dict.fromkeys(names))


def _unspoken(name: str) -> str:
    return name.strip().lower().replace(".", "")


@contextmanager
def as_typed(flags: Mapping[str, str]) -> Iterator[None]:
    """Errors about parameters name the options that stand for them instead.

    An option may be given with what was typed behind it. Examples in hints are translated, too.

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
    """The parts of an error, with options in the place of NAME=VALUE."""
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


def flags_of(options: Iterable[LearnerOption]) -> dict[str, str]:
    """The options' flags by the parameters that they stand for."""
    return {option.parameter: option.flag for option in options}


def growing_parameters(learner: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters that were given; one that the learner does not have is an error."""
    chosen = {}
    for option in GROWING_OPTIONS:
        value = given.get(option.parameter)
        if value is None:
            continue
        if learner not in option.learners:
            having = " and ".join(option.learners)
            raise ParameterError(
                f"the learner {learner} has no option {option.flag}",
                got=f"{option.flag} {value}",
                hint=f"{having} {'has' if len(option.learners) == 1 else 'have'} it.",
            )
        text = option.parameter == "max_features"
        chosen[option.parameter] = features_from(value) if text else value
    return chosen
