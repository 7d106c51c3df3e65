"""The command line: what each command prints where, and with which exit code it ends."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from inspect import signature
from pathlib import Path
from typing import Any

import pytest

import plaintree as pt
from plaintree.app.cli.help import ORDER
from plaintree.app.cli.options import LEARNERS, OPTIONS
from plaintree.estimators.registry import BY_SHORT_NAME
from plaintree.tree.conventions import CHOICES
from tests.support.command_line import GOLF, plaintree, program, rows


@pytest.fixture
def write(file: Any) -> Any:
    """A function that writes a table's text to a file and gives its path."""
    return lambda text, name="table.csv": str(file(name, text))


# -------------------------------------------------------------------- starting


def test_help_is_given_without_importing_what_makes_it_slow() -> None:
    code = (
        "import sys\n"
        "from plaintree.app.cli import main\n"
        "heavy = {'numpy', 'polars', 'sklearn', 'scipy', 'pandas', 'rich'}\n"
        "for line in sys.argv[1:]:\n"
        "    sys.argv[1:] = line.split()\n"
        "    try:\n"
        "        main()\n"
        "    except SystemExit as end:\n"
        "        print(line, end.code, sorted(heavy & {*sys.modules}), file=sys.stderr)\n"
    )
    lines = ["--version", "--help", *(f"{command} --help" for command in ORDER)]
    done = subprocess.run(
        [sys.executable, "-c", code, *lines], capture_output=True, text=True, check=False
    )
    assert done.stderr.splitlines() == [f"{line} 0 []" for line in lines]
    assert done.stdout.startswith("plaintree 0.")
    assert re.findall(r"^Usage: .* ([a-z]+) ", done.stdout, re.MULTILINE) == list(ORDER)


@pytest.mark.parametrize("flag", ["--version", "-V"])
def test_version_is_the_packages(flag: str) -> None:
    assert plaintree(flag).out == f"plaintree {pt.__version__}\n"


@pytest.mark.parametrize("arguments", [["-V"], ["--help"], ["gorw"]])
def test_the_package_runs_as_the_program(arguments: list[str]) -> None:
    """``python -m plaintree`` calls itself ``plaintree``: its completion would not work else."""
    command = [sys.executable, "-m", "plaintree", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    called = program(*arguments)
    assert (done.returncode, done.stdout) == (called.returncode, called.stdout)
    assert done.stderr == called.stderr


def test_unknown_command_is_wrong_use_and_the_nearest_is_named() -> None:
    outcome = plaintree("gorw", GOLF)
    assert outcome.code == 2
    assert "grow" in outcome.err
    assert outcome.out == ""


# -------------------------------------------------------------------- inspect


def test_inspect_shows_every_column_and_the_classes() -> None:
    outcome = plaintree("inspect", GOLF, "--target", "play")
    assert outcome.code == 0
    assert outcome.err == ""
    summary = (
        "golf.csv: 14 rows, 4 features (2 numeric, 2 categorical), no missing values, target: play"
    )
    assert outcome.out.splitlines()[0] == summary
    lines = [" ".join(line.split()) for line in outcome.out.splitlines()]
    assert "outlook categorical text - 3: overcast, rain, sunny sunny" in lines
    assert "temperature numeric integer - 12 from 64 to 85 85" in lines
    assert "no 5 (35.7%)" in lines
    assert "yes 9 (64.3%)" in lines


def test_inspect_without_target_shows_the_columns_and_hints_at_it() -> None:
    outcome = plaintree("inspect", GOLF)
    assert outcome.code == 0
    assert "5 columns" in outcome.out
    assert "(target)" not in outcome.out
    assert "hint: --target NAME" in outcome.err


def test_inspect_counts_missing_values_and_writes_dates_as_dates(write: Any) -> None:
    table = write("when,what,y\n2024-03-01,,a\n2024-05-31,x,b\n,x,a\n,z,b\n")
    facts = plaintree("inspect", table, "--json").json
    when, what = facts["columns"][:2]
    assert (when["kind"], when["unit"], when["n_missing"]) == ("numeric", "date", 2)
    assert when["levels"] == ["2024-03-01", "2024-05-31"]
    assert (what["n_missing"], what["n_levels"], what["example"]) == (1, 2, "x")
    assert "2 (50.0%)" in plaintree("inspect", table).out


def test_inspect_json_is_one_object_and_nothing_else() -> None:
    outcome = plaintree("inspect", GOLF, "--target", "play", "--json")
    assert outcome.json["classes"] == {"no": 5, "yes": 9}
    assert outcome.json["n_rows"] == 14
    assert outcome.json["warnings"] == []


def test_inspect_json_has_numbers_as_numbers(write: Any) -> None:
    table = write("n,x,day\n3,0.123456789012,2024-03-01\n1,2,2024-05-31\n")
    n, x, day = plaintree("inspect", table, "--json").json["columns"]
    assert (n["levels"], n["example"]) == ([1, 3], 3)
    assert (x["levels"], x["example"]) == ([0.123456789012, 2.0], 0.123456789012)
    assert day["levels"] == ["2024-03-01", "2024-05-31"]


def test_inspect_reads_standard_input() -> None:
    outcome = plaintree("inspect", "-", stdin=Path(GOLF).read_text())
    assert outcome.out.startswith("standard input: 14 rows")


@pytest.mark.parametrize(
    ("name", "column", "warning"),
    [
        ("patient", [f"p{i}" for i in range(40)], "row identifier, .* with --drop patient"),
        ("number", list(range(1, 41)), "row identifier, .* with --drop number"),
        ("same", ["x"] * 40, "a single value, so no split can use it"),
        ("gone", [""] * 40, "a single value, so no split can use it"),
        ("rare", ["a", "b"] * 5 + [""] * 30, "missing in most rows"),
        ("grade", [1, 2, 3, 4] * 10, "integers .*, add --categorical-feature grade"),
    ],
)
def test_inspect_warns_about_columns_that_mislead(
    write: Any, name: str, column: list[Any], warning: str
) -> None:
    table = write(rows(f"{name},y", column, ["a", "b"] * 20))
    outcome = plaintree("inspect", table, "--target", "y")
    assert outcome.code == 0
    assert len(outcome.err.splitlines()) == 1
    assert re.fullmatch(f"warning: {name}: {warning}", outcome.err.strip())


@pytest.mark.parametrize(
    ("name", "column"),
    [
        ("text", ["a", "b", "c", "d"] * 10),
        ("flag", [0, 1] * 20),
        ("measure", [i * 577 % 1009 for i in range(40)]),
        ("growing", [i + 0.5 for i in range(40)]),
    ],
)
def test_inspect_keeps_quiet_about_columns_that_do_not(
    write: Any, name: str, column: list[Any]
) -> None:
    table = write(rows(f"{name},y", column, ["a", "b"] * 20))
    assert plaintree("inspect", table, "--target", "y").err == ""


@pytest.mark.parametrize(
    ("classes", "warning"),
    [
        (["a"] * 40, "y has a single class, so there is nothing to learn"),
        (["a"] * 39 + ["b"], "y has very rare classes (b: 1 row)"),
        (["a", ""] * 20, "y is missing in 20 of 40 rows"),
        ([0.5] * 40, "y has a single value, so there is nothing to learn"),
        ([f"t{i}" for i in range(40)], "y has 40 classes, which is many for 40 rows"),
        (["2021-01-01", "2021-01-02"] * 20, "y is a date, which is neither a class nor a number"),
    ],
)
def test_inspect_warns_about_targets_that_cannot_be_learnt(
    write: Any, classes: list[Any], warning: str
) -> None:
    table = write(rows("x,y", ["u", "v"] * 20, classes))
    assert warning in plaintree("inspect", table, "--target", "y").err


# -------------------------------------------------------------------- grow


def test_grow_shows_the_tree_and_how_good_it_is() -> None:
    outcome = plaintree("grow", GOLF, "--target", "play")
    model = pt.C45Classifier().fit(*pt.datasets.load_golf())
    assert outcome.code == 0
    assert outcome.err == ""
    assert pt.export_text(model, width=100) in outcome.out
    assert "IF" not in outcome.out
    assert "Size: 3 internal nodes, 5 leaves, depth 2" in outcome.out
    lines = outcome.out.splitlines()
    start = lines.index("Training error: 0 of 14 (0.0%)")
    assert lines[start + 1 : start + 5] == [
        "CV accuracy: 60.0% ± 43.6% (10 folds)",
        "CV balanced accuracy: 60.0%",
        "Baseline accuracy (always yes): 64.3%",
        "The folds are not stratified: a class has fewer rows than there are folds.",
    ]


def test_grow_shows_rules_if_asked() -> None:
    outcome = plaintree("grow", GOLF, "--target", "play", "--rules", "--cv", "0")
    assert "IF outlook = overcast THEN yes   (support 4, confidence 1.00)" in outcome.out
    assert "cross-validation" not in outcome.out
    assert outcome.out.splitlines()[-4:] == [
        "Training error: 0 of 14 (0.0%)",
        "Training accuracy: 100.0%",
        "Training balanced accuracy: 100.0%",
        "Baseline accuracy (always yes): 64.3%",
    ]


@pytest.mark.parametrize("learner", LEARNERS)
def test_grow_json_says_all_there_is(learner: str) -> None:
    arguments = ("grow", GOLF, "--target", "play", "--learner", learner, "--cv", "5", "--json")
    study = plaintree(*arguments).json
    model = BY_SHORT_NAME[learner].load()().fit(*pt.datasets.load_golf())
    tree = model.tree_
    assert study["learner"] == learner
    assert study["conventions"] == tree.conventions.to_json()
    assert study["schema"] == tree.schema.to_json()
    assert (study["tree"]["splits"], study["tree"]["depth"]) == (tree.size, tree.depth)
    nodes = study["tree"]["nodes"]
    assert [node["class_weights"] for node in nodes] == tree.class_weights.tolist()
    for node in nodes[1:]:
        assert node["id"] in nodes[node["parent"]]["split"]["children"]
    assert [rule["then"] for rule in study["rules"]] == [r.label for r in pt.rules_of(tree)]
    assert study["training"] == {
        "measured_on": "training rows",
        "rows": 14,
        "errors": 0,
        "accuracy": 1.0,
        "balanced_accuracy": 1.0,
        "baseline_accuracy": 9 / 14,
        "majority_class": "yes",
    }
    validation = study["cross_validation"]
    assert validation["stratified"]
    assert len(validation["accuracies"]) == 5
    assert sum(map(sum, validation["confusion"])) == 14


def test_grow_says_the_same_twice_and_another_seed_something_else() -> None:
    def accuracies(seed: int) -> Any:
        arguments = ("grow", GOLF, "--target", "play", "--json", "--random-state", str(seed))
        return plaintree(*arguments).json["cross_validation"]["accuracies"]

    assert accuracies(0) == accuracies(0)
    assert len({tuple(accuracies(seed)) for seed in range(4)}) > 1


def test_grow_passes_options_on_to_the_learner() -> None:
    study = plaintree(
        *("grow", GOLF, "--target", "play", "--learner", "cart", "--json", "--cv", "0"),
        *("--criterion", "entropy", "--categorical", "one_vs_rest", "--min-samples-leaf", "2"),
        *("--no-zero-gain", "--max-depth", "3", "--categorical-feature", "humidity"),
    ).json
    assert study["parameters"]["criterion"] == "entropy"
    assert study["conventions"]["criterion"] == "information_gain"
    assert study["conventions"]["categorical"] == "one_vs_rest"
    assert study["conventions"]["min_samples_leaf"] == 2
    assert study["conventions"]["zero_gain"] is False
    assert study["conventions"]["max_depth"] == 3
    assert study["schema"]["features"][2]["kind"] == "categorical"
    assert study["cross_validation"] is None


def test_grow_leaves_dropped_columns_out() -> None:
    arguments = ("grow", GOLF, "--target", "play", "--drop", "outlook", "--drop", "windy")
    names = [a["name"] for a in plaintree(*arguments, "--json").json["schema"]["features"]]
    assert names == ["temperature", "humidity"]


def test_grow_fits_narrow_terminals() -> None:
    outcome = plaintree("grow", GOLF, "--target", "play", "--rules", "--width", "40")
    assert max(map(len, outcome.out.splitlines())) <= 40


def test_many_classes_are_shown_as_their_most_frequent_confusions(write: Any) -> None:
    classes = [f"class number {i % 30}" for i in range(300)]
    table = write(rows("x,y", [i * 7 % 11 for i in range(300)], classes))
    outcome = plaintree("grow", table, "--target", "y", "--cv", "2")
    assert "more pairs of classes. Print all with --json." in outcome.out
    assert max(map(len, outcome.out.splitlines())) <= 100


def test_names_are_never_read_as_markup(write: Any) -> None:
    table = write(rows("[bold]x,[red]y", ["[i]u", ":smile:"] * 5, ["[/]a", "b"] * 5))
    outcome = plaintree("grow", table, "--target", "[red]y", "--cv", "2")
    assert outcome.code == 0
    for name in ("[bold]x", "[red]y", "[i]u", ":smile:", "[/]a"):
        assert name in outcome.out


def test_infinite_numbers_do_not_break_json(write: Any) -> None:
    table = write(rows("x,y", ["-inf", "1.5", "inf", "2.5"], ["a", "b", "a", "b"]))
    study = plaintree("grow", table, "--target", "y", "--json", "--learner", "id3").json
    assert study["training"]["errors"] == 0


def test_grow_repeats_the_warnings_of_inspect(write: Any) -> None:
    table = write(rows("id,x,y", list(range(40)), ["u", "v"] * 20, ["a", "b"] * 20))
    assert "leave it out with --drop id" in plaintree("grow", table, "--target", "y").err
    assert plaintree("grow", table, "--target", "y", "--drop", "id").err == ""


def test_a_single_row_grows_a_leaf_and_is_not_validated(write: Any) -> None:
    outcome = plaintree("grow", write("x,y\n1,a\n"), "--target", "y")
    assert outcome.code == 0
    assert "0 internal nodes, 1 leaf, depth 0" in outcome.out


def test_grow_says_by_which_conventions_and_how_surely(write: Any) -> None:
    table = write(rows("x,y", ["u", "v"] * 10, ["a", "b"] * 10))
    assert "Conventions: c4.5r8\n" in plaintree("grow", table, "--target", "y").out
    changed = plaintree("grow", table, "--target", "y", "--learner", "cart", "--max-depth", "2")
    assert "Conventions: cart84, but max_depth=2\n" in changed.out
    nodes = plaintree("grow", table, "--target", "y", "--json").json["tree"]["nodes"]
    assert nodes[0]["p_adjusted"] < 0.001
    assert nodes[1]["p_adjusted"] is None


# -------------------------------------------------------------------- the table of options


def test_the_options_are_the_learners_parameters() -> None:
    left_out = {
        "n_jobs",
        "categorical_features",
        "random_state",
    }  # --random-state is the last of these
    for learner in LEARNERS:
        parameters = set(signature(BY_SHORT_NAME[learner].load()).parameters) - left_out
        parameters |= {"confidence"}  # of c45, and an option of error-based pruning for the others
        assert {o.parameter for o in OPTIONS if learner in o.learners} == parameters


def test_help_names_every_option_and_choice() -> None:
    words = plaintree("grow", "--help").out.replace("\n", " ")
    for option in OPTIONS:
        assert option.flag in words
        for choice in option.choices or CHOICES.get(option.parameter, ()):
            assert choice in words


@pytest.mark.parametrize(
    ("learner", "option", "having"),
    [
        ("id3", ("--max-bins", "5"), "cart has it."),
        ("c45", ("--no-zero-gain",), "id3 and cart have it."),
        ("cart", ("--no-collapse",), "c45 has it."),
    ],
)
def test_an_option_the_learner_has_not_is_wrong_use(
    learner: str, option: tuple[str, ...], having: str
) -> None:
    outcome = plaintree("grow", GOLF, "--target", "play", "--learner", learner, *option)
    assert outcome.code == 2
    assert outcome.err.startswith(f"error: the learner {learner} has no option ")
    assert outcome.err.endswith(f"Hint: {having}\n")


# -------------------------------------------------------------------- wrong use and bad data


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--target", "plya"), "Got --target plya. Hint: did you mean 'play'?"),
        (("--target", "zzz"), "Hint: the columns are outlook, temperature, humidity, windy, play."),
        (("--target", "play", "--drop", "wind"), "Hint: did you mean 'windy'?"),
        (("--target", "play", "--drop", "play"), "Got --drop play."),
        (("--target", "play", "--categorical-feature", "humidty"), "did you mean 'humidity'?"),
        (("--target", "play", "--learner", "c54"), "Hint: did you mean 'c45'?"),
        (("--target", "play", "--learner", "forest"), "Hint: use one of c45, id3, cart."),
        (("--target", "play", "--missing", "often"), "Hint: use one of 'fractional', "),
        (("--target", "play", "--max-depth", "-1"), "--max-depth is out of range."),
        (("--target", "play", "--max-depth", "deep"), "'--max-depth'"),
        (("--target", "play", "--max-dept", "1"), "--max-depth"),
        (("--target", "play", "--cv", "1"), "Got --cv 1."),
        (("--target", "play", "--width", "5"), "Got --width 5."),
        ((), "--target"),
    ],
)
def test_wrong_use_is_told_with_exit_code_2(arguments: tuple[str, ...], words: str) -> None:
    outcome = plaintree("grow", GOLF, *arguments)
    assert outcome.code == 2
    assert outcome.out == ""
    assert words in outcome.err
    assert "Traceback" not in outcome.err


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is empty"),
        ("x,y\n", "has no rows"),
        ("x,y\n1,a\n2\n", "1 fields in line 3, but 2 in the header"),
        ("x,x\n1,a\n", "the same name more than once"),
        (b"\x7fELF\0\1\2", "binary data"),
        ("x,y\n1,a\n2,\n", "the target 'y' has missing labels"),
        ("x,y\n1,0.5\n2,\n3,1.5\n4,\n", "Got nan in row 2 and 1 more row (row 4)"),
    ],
)
def test_bad_data_is_told_with_exit_code_3(write: Any, text: str | bytes, words: str) -> None:
    outcome = plaintree("grow", write(text), "--target", "y")
    assert outcome.code == 3
    assert outcome.out == ""
    assert outcome.err.startswith("error: ")
    assert words in outcome.err


def test_missing_files_directories_and_unknown_formats_are_bad_data(
    write: Any, tmp_path: Path
) -> None:
    near = write("x,y\n1,a\n", "patients.csv").replace("patients", "patient")
    for file, words in (
        (near, "Hint: did you mean 'patients.csv'?"),
        (str(tmp_path), "is a directory"),
        (write("x", "table.docx"), "the format of"),
    ):
        outcome = plaintree("inspect", file)
        assert outcome.code == 3
        assert words in outcome.err


def test_debug_shows_where_an_error_arose() -> None:
    outcome = plaintree("grow", "nowhere.csv", "--target", "y", "--debug")
    assert outcome.code == 3
    assert outcome.err.startswith("Traceback")
    assert outcome.err.splitlines()[-1].startswith("error: there is no file nowhere.csv.")


# -------------------------------------------------------------------- demo


def test_demo_shows_table_tree_rules_accuracy_and_what_to_try_next() -> None:
    outcome = plaintree("demo")
    assert outcome.code == 0
    assert outcome.err == ""
    for part in (
        "golf.csv: 14 rows",
        "├─ outlook = overcast: yes (4)",
        "IF outlook = sunny AND humidity > 75 THEN no",
        "Training error: 0 of 14",
        "10-fold cross-validation",
        "rows: actual, columns: predicted",
    ):
        assert part in outcome.out
    *_, grow, inspect = outcome.out.splitlines()
    assert grow.startswith("plaintree grow ")
    assert inspect.startswith("plaintree inspect ")


def test_what_the_demo_says_to_try_next_works() -> None:
    command = plaintree("demo").out.splitlines()[-2]
    assert plaintree(*command.split()[1:]).code == 0


def test_the_demo_of_loans_is_pruned_and_cross_validated() -> None:
    outcome = plaintree("demo", "loans")
    assert outcome.code == 0
    assert "loans.csv: 1,200 rows" in outcome.out
    assert "late_payments" in outcome.out


# -------------------------------------------------------------------- the program in a shell


def test_a_reader_that_leaves_is_no_error(write: Any) -> None:
    names = [f"column_{i}" for i in range(200)]  # more words than a pipe is given at once
    table = write(rows(",".join(names), *[["a", "b"]] * 200))
    read_end, write_end = os.pipe()
    os.close(read_end)
    command = [sys.executable, "-c", "from plaintree.app.cli import main; main()", "inspect", table]
    done = subprocess.run(command, stdout=write_end, stderr=subprocess.PIPE, text=True, check=False)
    os.close(write_end)
    assert done.returncode == 141
    assert done.stderr == ""


def test_an_interrupt_ends_with_a_word_and_exit_code_130(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: Any) -> None:
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr("plaintree.app.study.inspect.inspect_table", interrupt)
    outcome = plaintree("inspect", GOLF)
    assert outcome.code == 130
    assert outcome.err == "interrupted\n"


@pytest.mark.slow
def test_output_that_takes_ascii_only_gets_ascii(write: Any) -> None:
    table = write(rows("größe,y", ["ä", "ö"] * 5, ["a", "b"] * 5))
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = program("grow", table, "--target", "y", "--cv", "2", "--rules", env=environment)
    assert done.returncode == 0
    assert done.stdout.isascii()
    assert "|- gr\\xf6\\xdfe = \\xe4: a (5)" in done.stdout


def test_output_to_a_file_has_no_colours() -> None:
    done = program("inspect", GOLF)
    assert done.returncode == 0
    assert "\x1b" not in done.stdout + done.stderr
    assert "hint: " in done.stderr
