"""Options that commands share: --quiet, --no-color, --jobs, files to write, groups in help."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import plaintree as pt
from plaintree.app.cli.flags import flag_of
from plaintree.app.cli.help import ORDER
from plaintree.app.cli.options import OPTIONS
from plaintree.interop.model_file import load
from tests.support.command_line import GOLF, plaintree, rows

RUN = "from plaintree.app.cli import main; main()"


@pytest.fixture
def doubtful(file: Any) -> str:
    """A table with a column that identifies rows, so that commands warn."""
    return str(file("t.csv", rows("id,x,y", list(range(40)), ["u", "v"] * 20, ["a", "b"] * 20)))


# -------------------------------------------------------------------- messages


def test_quiet_leaves_out_warnings_and_names_of_files(doubtful: str, tmp_path: Path) -> None:
    arguments = ("grow", doubtful, "-t", "y", "--cv", "0", "--save", str(tmp_path / "m"))
    assert len(plaintree(*arguments).err.splitlines()) == 2
    quiet = plaintree(*arguments, "-q")
    assert (quiet.code, quiet.err) == (0, "")
    assert quiet.out == plaintree(*arguments, "--quiet").out


def test_quiet_does_not_leave_out_errors() -> None:
    outcome = plaintree("inspect", "nowhere.csv", "--quiet")
    assert outcome.code == 3
    assert outcome.err.startswith("error: there is no file nowhere.csv.")


def test_a_command_that_was_quiet_does_not_silence_the_next(doubtful: str) -> None:
    assert plaintree("inspect", doubtful, "-q").err == ""
    assert plaintree("inspect", doubtful).err != ""


@pytest.mark.parametrize("command", ORDER)
def test_every_command_can_be_quiet_and_without_colour(command: str) -> None:
    text = plaintree(command, "--help").out
    assert "-q, --quiet" in text
    assert "--no-color" in text


@pytest.mark.parametrize(
    ("options", "variables", "coloured"),
    [((), {}, True), (("--no-color",), {}, False), ((), {"NO_COLOR": "1"}, False)],
)
def test_colours_on_a_terminal(
    doubtful: str, options: tuple[str, ...], variables: dict[str, str], coloured: bool
) -> None:
    terminal, side = os.openpty()
    environment = {k: v for k, v in os.environ.items() if k != "NO_COLOR"}
    environment |= {"TERM": "xterm-256color", "COLUMNS": "100", **variables}
    command = [sys.executable, "-c", RUN, "inspect", doubtful, "-t", "y", *options]
    done = subprocess.run(
        command, stdout=subprocess.DEVNULL, stderr=side, check=False, env=environment
    )
    os.close(side)
    drawn = os.read(terminal, 100_000).decode()
    os.close(terminal)
    assert done.returncode == 0
    assert bool(re.search(r"\x1b\[\d*;?3\dm", drawn)) is coloured


# -------------------------------------------------------------------- files that are written


@pytest.mark.parametrize(
    ("command", "names"),
    [
        ("grow", ["--report", "--save"]),
        ("prune", ["--report", "--save"]),
        ("rules", ["--report", "--save"]),
        ("forest", ["--report", "--save"]),
        ("derive", ["-o"]),
    ],
)
def test_files_that_were_written_are_named_on_standard_error(
    command: str, names: list[str], tmp_path: Path
) -> None:
    paths = [str(tmp_path / name.strip("-")) for name in names]
    kept = [word for pair in zip(names, paths, strict=True) for word in pair]
    outcome = plaintree(command, GOLF, "-t", "play", *kept)
    assert outcome.code == 0
    assert outcome.err == "".join(f"wrote {path}\n" for path in paths)
    assert all(Path(path).stat().st_size for path in paths)


@pytest.mark.parametrize("command", ["predict", "export"])
def test_files_made_from_a_model_are_named(saved: str, command: str, tmp_path: Path) -> None:
    rest = {"predict": (GOLF,), "export": ("--to", "sql")}[command]
    out = str(tmp_path / "out.csv")
    assert plaintree(command, saved, *rest, "-o", out).err == f"wrote {out}\n"


@pytest.mark.parametrize("command", ["derive", "export"])
def test_json_can_be_written_to_a_file(saved: str, command: str, tmp_path: Path) -> None:
    words = {"derive": (GOLF, "-t", "play"), "export": (saved, "--to", "sql")}[command]
    out = tmp_path / "out.json"
    assert plaintree(command, *words, "--json", "-o", str(out)).out == ""
    assert out.read_text() == plaintree(command, *words, "--json").out


class TestPrunedModels:
    """`prune --save` and `prune --report`."""

    def test_the_model_predicts_with_the_pruned_tree(self, tmp_path: Path) -> None:
        path = str(tmp_path / "pruned.json")
        arguments = ("prune", GOLF, "-t", "play", "--method", "limits")
        options = ("--pruning-option", "max_depth=1", "--save", path)
        study = plaintree(*arguments, *options, "--json").json
        model = load(path)
        assert type(model) is pt.C45Classifier
        assert model.tree_.depth == study["pruned"]["depth"] == 1
        assert model.training_.n_rows == 14

    @pytest.mark.parametrize("method", ["limits", "error_based", "pessimistic", "mdl"])
    @pytest.mark.parametrize("learner", ["c45", "cart"])
    def test_its_parameters_grow_the_same_tree(
        self, method: str, learner: str, tmp_path: Path
    ) -> None:
        path = str(tmp_path / "pruned.json")
        arguments = ("prune", GOLF, "-t", "play", "--learner", learner, "--method", method)
        options = ("--pruning-option", "max_depth=1") if method == "limits" else ()
        assert plaintree(*arguments, *options, "--save", path).code == 0
        model = load(path)
        pruned = model.tree_
        assert model.get_params()["pruning"] == method
        again = model.fit(*pt.read_table(GOLF, "play")).tree_
        assert pruned.difference(again) is None or pruned.n_nodes == again.n_nodes == 1

    def test_the_report_cross_validates_growing_and_pruning(self, tmp_path: Path) -> None:
        page = tmp_path / "pruned.html"
        options = ("--method", "pessimistic", "--cv", "3", "--report", str(page))
        assert plaintree("prune", GOLF, "-t", "play", *options).code == 0
        assert "In 3-fold cross-validation, each fold is predicted" in page.read_text("utf-8")


# -------------------------------------------------------------------- threads


@pytest.mark.parametrize("flag", ["-j", "--jobs", "--n-jobs"])
def test_the_number_of_threads_changes_nothing_else(flag: str) -> None:
    arguments = ("forest", GOLF, "-t", "play", "--n-estimators", "20")
    assert plaintree(*arguments, flag, "2").out == plaintree(*arguments).out


def test_a_saved_model_does_not_remember_the_number_of_threads(tmp_path: Path) -> None:
    path = str(tmp_path / "model")
    plaintree("grow", GOLF, "-t", "play", "--cv", "0", "-j", "2", "--save", path)
    assert load(path).n_jobs is None


def test_no_threads_are_a_usage_error() -> None:
    outcome = plaintree("grow", GOLF, "-t", "play", "-j", "0")
    assert outcome.code == 2
    assert "Got --jobs 0." in outcome.err


# -------------------------------------------------------------------- names and help


def test_an_option_has_the_name_of_its_parameter() -> None:
    for option in OPTIONS:
        assert option.flag in (flag_of(option.parameter), flag_of(option.parameter)[:-1])
    singular = {o.flag for o in OPTIONS if o.flag != flag_of(o.parameter)}
    assert singular == {"--pruning-option", "--prior", "--cost", "--feature-cost"}


def test_every_command_that_grows_has_the_same_default_learner() -> None:
    for command in ("grow", "derive", "explain", "prune"):
        text = " ".join(plaintree(command, "--help").out.split())
        assert "One of c45, id3, cart (default: c45; for a numeric target cart)." in text


def test_options_are_grouped_in_the_help() -> None:
    text = plaintree("grow", "--help").out
    headings = re.findall(r"^(\w[\w ]+):$", text, re.MULTILINE)
    assert headings == [
        "Arguments",
        "Options",
        "Reading the table",
        "Tables larger than memory",
        "Learner",
        "Validation and computation",
        "Files to write",
        "Output",
    ]
    learner = text.partition("\nLearner:")[2].partition("\nValidation")[0]
    assert all(option.flag in learner for option in OPTIONS)


@pytest.mark.parametrize("command", ["predict", "explain"])
def test_a_misspelt_category_is_reported_with_the_nearest(
    saved: str, command: str, file: Any
) -> None:
    table = str(file("t.csv", Path(GOLF).read_text().replace("sunny", "suny", 1)))
    rest = ("--row", "1") if command == "explain" else ()
    outcome = plaintree(command, saved, table, *rest)
    assert outcome.code == 0
    assert "'suny' (did you mean 'sunny'?)" in outcome.err


def test_a_misspelt_category_of_a_value_is_reported_with_the_nearest(saved: str) -> None:
    outcome = plaintree("explain", saved, "--value", "outlook=overcst")
    assert "'overcst' (did you mean 'overcast'?)" in outcome.err
