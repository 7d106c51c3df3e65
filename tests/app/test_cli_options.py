"""Options of the command line: what is wrong with one is told in the words that were typed."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from inspect import signature
from typing import Annotated, Any

import pytest
import typer

from plaintree.app.cli.app import main
from plaintree.app.cli.declare import with_options
from plaintree.app.cli.flags import as_typed
from plaintree.app.cli.options import FOREST_OPTIONS, OPTIONS
from plaintree.errors import ParameterError, TableError
from plaintree.threads import thread_count
from tests.support.command_line import GOLF, plaintree

NUMBERS = ("nan", "-7", "1e999")
NUMERIC = (
    "--min-samples-branch",
    "--min-score",
    "--significance",
    "--confidence",
)
NUMERIC += ("--numeric-branch-fraction",)
ALL_RIGHT = {
    ("--min-samples-split", "1e999"),
    ("--min-samples-branch", "1e999"),
    ("--min-score", "1e999"),
}
ALL_RIGHT |= {("--min-score", "-7"), ("--numeric-branch-fraction", "1e999")}
SHOWN = {"1e999": "inf"}


@pytest.mark.parametrize("value", NUMBERS)
@pytest.mark.parametrize("flag", NUMERIC)
def test_numbers_out_of_range_are_told_by_their_option(flag: str, value: str) -> None:
    outcome = plaintree("grow", GOLF, "--target", "play", "--cv", "0", flag, value)
    if (flag, value) in ALL_RIGHT:
        assert outcome.code == 0
        return
    assert outcome.code == 2
    told = (
        f"error: {flag} is out of range. Got {flag} {SHOWN.get(value, value)}. Hint: use a number"
    )
    assert outcome.err.startswith(told)


@pytest.mark.parametrize("command", ["prune", "derive", "explain", "forest"])
def test_so_does_every_command_that_grows(command: str) -> None:
    more = ("--row", "1") if command == "explain" else ()
    outcome = plaintree(command, GOLF, "--target", "play", *more, "--min-score", "nan")
    assert outcome.code == 2
    assert "--min-score is out of range. Got --min-score nan." in outcome.err


@pytest.mark.parametrize("value", ["nan", "-7", "1", "1.5", "two"])
@pytest.mark.parametrize("flag", ["--min-samples-split", "--min-samples-leaf"])
def test_numbers_of_rows_are_integers_or_fractions(flag: str, value: str) -> None:
    if (flag, value) == ("--min-samples-leaf", "1"):
        pytest.skip("one row is allowed in a leaf")
    options = ("--target", "play", "--learner", "cart", "--cv", "0", flag, value)
    outcome = plaintree("grow", GOLF, *options)
    assert outcome.code == 2
    assert flag in outcome.err


@pytest.mark.parametrize("option", [*OPTIONS, *FOREST_OPTIONS], ids=lambda option: option.flag)
def test_an_error_names_the_flag_of_a_parameter(option: object) -> None:
    name, flag = option.parameter, option.flag  # type: ignore[attr-defined]
    with (
        pytest.raises(ParameterError, match=rf"^{flag} is wrong\. Got {flag} 3\. Hint: x$"),
        as_typed({name: flag}),
    ):
        raise ParameterError(f"{name} is wrong", got=f"{name}=3.0", hint="x")


def test_other_errors_stay_as_they_are() -> None:
    with (
        pytest.raises(ParameterError, match=r"^width is wrong\. Got width=3\.$"),
        as_typed({"max_depth": "--max-depth"}),
    ):
        raise ParameterError("width is wrong", got="width=3")


@pytest.mark.parametrize(
    ("got", "hint", "words"),
    [
        ("n_folds=0", "give n_folds=10.", "Got --cv 0. Hint: give --cv 10."),
        ("tune=oob and n_folds=2", "x.", "Got --tune oob and --cv 2. Hint: x."),
        ("verify=True with tune=oob", "leave out verify=True.", "Got --verify with --tune oob. "),
        ("a tree", "leave out verify=True.", "Got a tree. Hint: leave out --verify."),
        ("n_folds=2 of 3", "use max_depth=3.", "Got --cv 2 of 3. Hint: use max_depth=3."),
        ("target=my n_folds", "alpha=1, say.", "Got --target my n_folds. Hint: --po alpha=1, say."),
        ("(=1", "x.", "Got --po (=1. Hint: x."),
        ("--cv 1 and n_folds=2", "n_folds=3", "Got --cv 1 and n_folds=2. Hint: n_folds=3"),
    ],
)
def test_errors_of_studies_are_told_in_options(got: str, hint: str, words: str) -> None:
    flags = {"n_folds": "--cv", "tune": "--tune", "verify": "--verify", "target": "--target"}
    typed = {"alpha": "--po alpha=0.5", "(": "--po (=1"}
    with (
        pytest.raises(TableError, match=f"^it is wrong. {re.escape(words)}"),
        as_typed(flags | typed),
    ):
        raise TableError("it is wrong", got=got, hint=hint)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("grow", "--max-depth", "9" * 30), f"Got --max-depth {'9' * 30}. Hint: use a number from"),
        (
            ("grow", "--criterion", "luck"),
            "--criterion has a value that is not allowed. Got --crit",
        ),
        (("grow", "--random-state", "4294967296"), "Got --random-state 4294967296."),
        (("grow", "--max-depth", "nan"), "Got --max-depth nan."),
        (("grow", "--max-depth=1.5"), "Got --max-depth=1.5."),
        (("grow", "--max-depth", "3", "--max-depth", ""), "Got --max-depth ''."),
        (("grow", "--min-samples-split", "0x10"), "Got --min-samples-split 0x10."),
        (("prune", "--pruning-option", "alpha=-1"), "Got --pruning-option alpha=-1."),
        (("prune", "--pruning-option", "alpha=-Infinity"), "Got --pruning-option alpha=-Infinity."),
        (("prune", "--pruning-option", "alpha=NaN"), "Got --pruning-option alpha=NaN."),
        (("prune", "--pruning-option", "alpha=true"), "Got --pruning-option alpha=true."),
        (("prune", "--pruning-option", "alpha="), "Got --pruning-option alpha=."),
        (("prune", "--pruning-option", "folds=1e9"), "Got --pruning-option folds=1e9."),
        (("prune", "--pruning-option", "merge_leaves=1"), "Got --pruning-option merge_leaves=1."),
        (("rules", "--confidence", "nan"), "--confidence is out of range. Got --confidence nan."),
        (("rules", "--method", "luck"), "Got --method luck."),
        (("forest", "--voting", "luck"), "Got --voting luck."),
        (
            ("forest", "--n-estimators", "9" * 20),
            f"--n-estimators is out of range. Got --n-estimators {'9' * 20}.",
        ),
        (("explain", "--row", "1", "--interval", "nan"), "Got --interval nan."),
    ],
)
def test_wrong_values(arguments: tuple[str, ...], words: str) -> None:
    outcome = plaintree(arguments[0], GOLF, "--target", "play", *arguments[1:])
    assert outcome.code == 2
    assert words in outcome.err


def test_options_are_checked_before_the_file_is_read() -> None:
    outcome = plaintree("grow", "none.csv", "--target", "play", "--max-depth", "-3")
    assert outcome.code == 2
    assert "--max-depth" in outcome.err


@dataclass(frozen=True)
class Shared:
    """Options of several commands."""

    colour: Annotated[str, typer.Option(help="A colour.")] = "red"
    size: int | None = None


def test_a_dataclass_stands_for_its_fields() -> None:
    called = []

    @with_options(FOREST_OPTIONS[:1])
    def paint(file: str, *, shared: Shared, **given: Any) -> None:
        called.append((file, shared, given))

    assert list(signature(paint).parameters) == ["file", "colour", "size", "criterion"]
    paint(file="a", colour="blue", size=3, criterion="gini")
    assert called == [("a", Shared("blue", 3), {"criterion": "gini"})]


def test_the_command_line_uses_all_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    used: list[int] = []
    module = sys.modules[main.__module__]  # the package has an object of the same name
    monkeypatch.setattr(module, "app", lambda **_: used.append(thread_count(None)))
    main()
    assert used == [thread_count(-1)]


def test_a_dictionary_is_an_option_for_each_entry() -> None:
    """A class, a pair of classes or a column, and a number."""
    given = ("--prior", "no=0.5", "--prior", "yes=0.5", "--cost", "no,yes=3")
    grown = ("grow", GOLF, "--target", "play", "--learner", "cart", "--cv", "0")
    outcome = plaintree(*grown, *given, "--feature-cost", "windy=2")
    assert outcome.code == 0
    said = " ".join(outcome.out.split())
    assert "priors={'no': 0.5, 'yes': 0.5}, costs={('no', 'yes'): 3.0}" in said
    assert "feature_costs={'windy': 2.0}" in said


@pytest.mark.parametrize(
    ("option", "message"),
    [
        (("--prior", "no"), "--prior needs a name and a number. Got --prior no."),
        (("--cost", "no,yes=x"), "--cost needs two classes and a number"),
        (("--prior", "on=1"), "priors names a class that the table does not have. Got 'on'."),
    ],
)
def test_an_entry_of_a_dictionary_needs_a_name_and_a_number(
    option: tuple[str, str], message: str
) -> None:
    outcome = plaintree("grow", GOLF, "--target", "play", "--learner", "cart", *option)
    assert outcome.code == 2
    assert message in outcome.err
