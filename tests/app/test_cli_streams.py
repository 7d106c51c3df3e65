"""Every command with every kind of stream: full disks, closed ends, JSON, pasted examples."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import plaintree as pt
from plaintree.app.cli.help import ORDER
from plaintree.interop.model_file import save
from tests.support.command_line import GOLF, plaintree, program

TABLE = ("{table}", "--target", "play")
COMMANDS = {
    "inspect": TABLE,
    "grow": (*TABLE, "--cv", "2"),
    "derive": TABLE,
    "explain": (*TABLE, "--row", "1"),
    "prune": (*TABLE, "--cv", "2"),
    "rules": (*TABLE, "--cv", "2"),
    "forest": (*TABLE, "--n-estimators", "30"),
    "compare": (*TABLE, "--cv", "2", "--learners", "c45"),
    "evaluate": ("{model}", "{table}"),
    "predict": ("{model}", "{table}"),
    "export": ("{model}", "--to", "c"),
    "diff": ("{model}", "{model}", "{table}"),
    "check": ("{model}",),
    "profiles": (),
    "demo": (),
}
"""A use of every command that goes well."""
SERVING = ("studio",)
"""These run until they are ended, and are tried in tests/app/studio."""
IN_BATCHES = ("grow", "evaluate", "predict")
"""These also read the files of a directory."""
READING = [name for name, words in COMMANDS.items() if "{table}" in words]


@pytest.fixture
def use(tmp_path: Path) -> Any:
    """The words of a command that goes well, on a table of a name, and a model."""
    model = str(tmp_path / "golf.json")
    save(pt.C45Classifier().fit(*pt.datasets.load_golf()), model)

    def words(command: str, table: str = GOLF) -> list[str]:
        parts = [part.format(table=table, model=model) for part in COMMANDS[command]]
        return [command, *parts]

    return words


def test_every_command_is_tried_here() -> None:
    assert tuple(COMMANDS) == tuple(command for command in ORDER if command not in SERVING)


# -------------------------------------------------------------------- what goes in


@pytest.mark.parametrize("command", READING)
def test_tables_come_from_pipes(use: Any, command: str) -> None:
    piped = plaintree(*use(command, "-"), stdin=Path(GOLF).read_text())
    named = plaintree(*use(command))
    assert piped.code == named.code == 0
    assert piped.out.replace("standard input", "golf.csv") == named.out


@pytest.mark.parametrize("command", READING)
@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "table.csv is empty"),
        ("outlook,play\n", "no rows"),
        ("outlook,outlook\nsunny,no\n", "the same name more than once"),
        ("outlook,play\nsunny\n", "1 fields in line 2, but 2 in the header"),
        (b"\xff\xfe\0\0", "does not match its extension"),
    ],
)
def test_broken_tables_are_told(
    use: Any, file: Any, command: str, content: str | bytes, words: str
) -> None:
    outcome = plaintree(*use(command, str(file("table.csv", content))))
    assert outcome.code == 3
    assert outcome.out == ""
    assert words in outcome.err
    assert len(outcome.err.splitlines()) == 1


@pytest.mark.parametrize("command", [name for name in COMMANDS if "--target" in COMMANDS[name]])
def test_misspelt_targets_are_told(use: Any, command: str) -> None:
    outcome = plaintree(*(word.replace("play", "plya") for word in use(command)))
    assert (outcome.code, outcome.out) == (2, "")
    assert "did you mean 'play'?" in outcome.err


@pytest.mark.parametrize("command", [name for name in COMMANDS if "{model}" in COMMANDS[name]])
@pytest.mark.parametrize(
    ("model", "code", "words"),
    [
        ("", 2, "the name of the model is empty"),
        ("/", 3, "/ is a directory"),
        ("golf.jsn", 3, "Hint: did you mean 'golf.json'?"),
        (GOLF, 3, "the file is not a model file"),
    ],
)
def test_what_is_no_model_is_told(
    use: Any, command: str, model: str, code: int, words: str
) -> None:
    _, good, *rest = use(command)
    given = str(Path(good).with_name(model)) if model == "golf.jsn" else model
    outcome = plaintree(command, given, *rest)
    assert (outcome.code, outcome.out) == (code, "")
    assert words in outcome.err


@pytest.mark.parametrize("command", [name for name in COMMANDS if "{model}" in COMMANDS[name]])
def test_models_come_from_pipes(use: Any, command: str) -> None:
    _, model, *rest = words = use(command)
    piped = plaintree(command, "-", *rest, stdin=Path(model).read_text())
    assert piped == plaintree(*words)
    assert piped.code == 0
    wrong = plaintree(command, "-", *rest, stdin="play,no\n")
    assert (wrong.code, wrong.out) == (3, "")
    assert "is not a model file" in wrong.err


@pytest.mark.parametrize(
    "words",
    [
        ("evaluate", "-", "-"),
        ("predict", "-", "-"),
        ("diff", "-", "-"),
        ("diff", "-", "other.json", "-"),
        ("export", "-", "--to", "sql", "--verify", "-"),
        ("explain", "-", "-", "--row", "1"),
        ("derive", "-", "--target", "play", "--rows", "-"),
        ("prune", "-", "--target", "play", "--validation", "-"),
    ],
)
def test_a_pipe_is_read_once(words: tuple[str, ...]) -> None:
    outcome = plaintree(*words, stdin="")
    assert (outcome.code, outcome.out) == (2, "")
    assert "standard input can be read only once" in outcome.err


@pytest.mark.parametrize("command", [name for name in READING if name not in IN_BATCHES])
def test_a_directory_is_not_a_table(use: Any, command: str, tmp_path: Path) -> None:
    outcome = plaintree(*use(command, str(tmp_path)))
    assert (outcome.code, outcome.out) == (3, "")
    assert f"{tmp_path} is a directory. Hint: name the file in it" in outcome.err


@pytest.mark.parametrize("command", ["derive", "predict", "export"])
def test_output_that_has_no_place_is_told_at_first(use: Any, command: str, tmp_path: Path) -> None:
    lost = plaintree(*use(command), "-o", str(tmp_path / "none" / "out.csv"))
    assert lost.code == 3
    assert f"there is no directory {tmp_path / 'none'}. Hint: create it first" in lost.err
    directory = plaintree(*use(command), "-o", str(tmp_path))
    assert directory.code == 3
    assert "is a directory. Hint: name a file in it" in directory.err


def test_a_table_of_the_target_alone_cannot_be_learnt(file: Any) -> None:
    table = str(file("table.csv", "y\na\nb\n"))
    assert (
        "2 rows, 0 features, no missing values" in plaintree("inspect", table, "--target", "y").out
    )
    for command in ("grow", "rules", "forest", "compare", "derive", "prune"):
        outcome = plaintree(command, table, "--target", "y")
        assert (outcome.code, outcome.out) == (3, "")
        assert "the table has no column besides the target" in outcome.err


def test_a_table_without_a_name_is_wrong_use() -> None:
    outcome = plaintree("inspect", "")
    assert outcome.code == 2
    assert outcome.err == "error: the name of the table is empty. Hint: name a file.\n"


# -------------------------------------------------------------------- what comes out


@pytest.mark.parametrize("command", [name for name in COMMANDS if name != "predict"])
def test_json_is_one_object_and_nothing_else(use: Any, command: str) -> None:
    outcome = plaintree(*use(command), "--json")
    assert outcome.code == 0
    assert isinstance(outcome.json, dict)


@pytest.mark.parametrize("command", ["inspect", "--help", "--version"])
def test_a_full_disk_is_told_without_a_traceback(use: Any, command: str) -> None:
    """Answers of predict have a test among those of that command."""
    words = use(command) if command in COMMANDS else [command]
    code = "from plaintree.app.cli import main; main()"
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-c", code, *words],
            stdout=full, stderr=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
    assert done.returncode == 3
    assert done.stderr.endswith("could not be written. Got No space left on device.\n") or (
        done.stderr == "error: the output cannot be written. Got No space left on device.\n"
    )


@pytest.mark.parametrize(
    ("closed", "code", "said"),
    [
        (">&-", 0, ""),
        ("2>&- >&-", 0, ""),
        ("<&-", 3, "error: standard input is empty."),
    ],
)
def test_closed_streams_are_not_an_error(closed: str, code: int, said: str) -> None:
    file = "-" if closed == "<&-" else GOLF
    run = "from plaintree.app.cli import main; main()"
    script = f'"$0" -c "{run}" inspect {file} --target play {closed}'
    done = subprocess.run(
        ["sh", "-c", script, sys.executable], capture_output=True, text=True, check=False
    )
    assert done.returncode == code
    assert done.stderr.startswith(said)
    assert "Traceback" not in done.stderr


def test_a_bug_is_called_one_with_the_place_to_report_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> None:
        raise KeyError("columns")

    monkeypatch.setattr("plaintree.app.study.inspect.inspect_table", fail)
    short, long = plaintree("inspect", GOLF), plaintree("inspect", GOLF, "--debug")
    assert short.code == long.code == 4
    assert short.err.startswith("error: KeyError: 'columns'.\nhint: this is a bug in plaintree")
    assert re.search(
        r"; please report it at https://\S+/issues \(add --debug for the traceback\)\n$", short.err
    )
    assert long.err.startswith("Traceback")


# -------------------------------------------------------------------- help that can be used


@pytest.mark.slow
def test_examples_work_when_pasted_one_after_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("plaintree.app.studio.launch.serve", lambda *_: None)  # it would not end
    assert plaintree("demo", "--table", "golf.csv").code == 0
    assert Path("golf.csv").read_text() == Path(GOLF).read_text()
    helps = [plaintree("--help").out, *(plaintree(name, "--help").out for name in ORDER)]
    shown = [line for text in helps for line in text.partition("Examples:")[2].splitlines()]
    lines = [shlex.split(line) for line in shown]
    pasted = [line[1:] for line in lines if line]
    assert len(pasted) > 2 * len(ORDER)
    for words in pasted:
        end = words.index("<") if "<" in words else len(words)
        stdin = Path(words[-1]).read_text() if end < len(words) else None
        outcome = plaintree(*words[:end], *(["--cv", "2"] * (words[0] == "compare")), stdin=stdin)
        assert outcome.code == (1 if words[0] == "diff" else 0), words


def asked_by_bash(words: str) -> dict[str, str]:
    """The variables by which bash asks how a line goes on."""
    line = f"plaintree {words}"
    place = str(len(line.split()) - 1)
    return {"COMP_WORDS": line, "COMP_CWORD": place, "_PLAINTREE_COMPLETE": "complete_bash"}


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("gr", ["grow"]),
        ("grow golf.csv --learner c", ["c45", "cart"]),
        (
            "grow golf.csv --max",
            [
                "--max-surrogates",
                "--max-depth",
                "--max-leaf-nodes",
                "--max-features",
                "--max-bins",
            ],
        ),
        ("export golf.json --to j", ["javascript", "java"]),
        ("prune golf.csv --method c", ["cost_complexity"]),
        ("derive golf.csv --level t", ["table"]),
        ("derive golf.csv --format m", ["markdown"]),
        ("forest golf.csv --voting s", ["soft"]),
        ("forest golf.csv --tune o", ["oob"]),
        ("forest golf.csv --max-features l", ["log2"]),
        ("compare golf.csv --learners c45,c", ["c45,cart", "c45,c45rules"]),
    ],
)
def test_a_shell_completes_commands_options_and_choices(
    words: str, offered: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in asked_by_bash(words).items():
        monkeypatch.setenv(name, value)
    assert plaintree().out.split() == offered


def test_the_program_completes() -> None:
    code = "import sys; sys.argv[0] = 'plaintree'; from plaintree.app.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **asked_by_bash("gr")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.split() == ["grow"]


def test_the_script_for_completion_is_shown() -> None:
    # typer would look for a shell among the parent processes; with this it takes the one named.
    named = {**os.environ, "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}
    done = program("--show-completion", "bash", env=named)
    assert done.returncode == 0
    assert "complete -o default -F" in done.stdout
