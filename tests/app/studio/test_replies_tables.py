"""What the studio offers, and the facts and cells of a table."""

from pathlib import Path

import msgspec
import numpy as np
import polars as pl
import pytest

import plaintree as pt
from plaintree.app.studio.messages import Hello, TableFacts
from plaintree.app.studio.messages.documents import Recipe, Settings
from plaintree.app.studio.replies import Held, reading
from plaintree.app.studio.replies.examples import EXAMPLES
from plaintree.app.studio.replies.learners import NAMES, estimator_of, learner_facts
from plaintree.errors import ColumnError, ParameterError, TableError
from tests.support.studio import ask, document, held_example, held_frame, random_frame

HOSTILE = {
    "</script><b>": [1, 2, 3, 4],
    "\u202eleft": ["a", "b", "</script>", "a"],
    "n" * 300: [0.5, None, 1.5, 2.5],
    "": ["x", "y", "x", "y"],
    "class": ["<!--", "\u2066no", "<!--", "\u2066no"],
}


def test_hello_works_without_a_table() -> None:
    found = ask(Held(), "hello")
    assert found.version == pt.__version__
    assert {facts.short for facts in found.learners} == set(NAMES)
    assert [example.name for example in found.examples] == list(EXAMPLES)
    assert msgspec.json.decode(msgspec.json.encode(found), type=Hello) == found


def test_every_learner_is_made_of_the_defaults_that_are_shown() -> None:
    for facts in learner_facts():
        given = {c.name: c.default for c in facts.parameters if c.name != "conventions"}
        made = estimator_of(Settings(learner=facts.short, parameters=given), facts.task)
        plain = estimator_of(Settings(learner=facts.short), facts.task)
        if hasattr(made, "_conventions"):
            assert made._conventions() == plain._conventions()


def test_choices_have_a_help_text_and_their_default() -> None:
    for facts in learner_facts():
        for choice in facts.parameters:
            assert choice.help.endswith(".")
            assert choice.default is not None or choice.optional
            if choice.type == "choice" and choice.default is not None:
                assert choice.default in choice.choices


def test_unknown_learners_and_parameters_are_errors() -> None:
    with pytest.raises(ParameterError, match="no such learner for regression"):
        estimator_of(Settings(learner="id3"), "regression")
    with pytest.raises(ParameterError, match="did you mean 'max_depth'"):
        estimator_of(Settings(learner="cart", parameters={"max_dept": 2}), "classification")
    with pytest.raises(ParameterError, match="no such parameter"):
        estimator_of(Settings(learner="cart", parameters={"n_jobs": 2}), "classification")
    with pytest.raises(ParameterError, match="random_state must be an integer"):
        estimator_of(Settings(learner="cart", parameters={"random_state": None}), "classification")


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_open_with_their_target(name: str) -> None:
    data = getattr(pt.datasets, f"load_{name}")()
    found = ask(Held(), "open", example=name)
    assert (found.target, found.n_rows) == (data.target, data.frame.height)
    assert [facts.name for facts in found.columns] == data.frame.columns
    assert sum(found.class_counts) == (data.frame.height if found.classes else 0)
    assert found.task == ("regression" if name == "houses" else "classification")


def test_facts_count_what_is_in_the_columns() -> None:
    found = ask(held_example("houses"), "open")
    frame = pt.datasets.load_houses().frame
    for facts in found.columns:
        column = frame[facts.name]
        assert facts.n_missing == column.null_count()
        assert facts.n_values == column.drop_nulls().n_unique()
        if facts.kind == "number":
            assert facts.mean == pytest.approx(float(column.drop_nulls().mean()))  # type: ignore[arg-type]
    assert found.findings


def test_the_task_may_be_chosen() -> None:
    held = held_example("houses")
    assert ask(held, "open", target="rooms", task="classification").classes
    with pytest.raises(ParameterError, match="regression needs a numeric target"):
        ask(held, "open", target="heating", task="regression")
    with pytest.raises(ParameterError, match="no such column"):
        ask(held, "open", target="prise")


def test_the_hash_depends_on_contents_only(tmp_path: Path) -> None:
    frame = random_frame(1)
    one = held_frame(frame, tmp_path, "a.csv").opened.hash
    assert one == held_frame(frame, tmp_path, "b.csv").opened.hash
    assert one != held_frame(frame.reverse(), tmp_path, "c.csv").opened.hash
    assert one != held_frame(frame.rename({"x": "y"}), tmp_path, "d.csv").opened.hash


def test_tables_beyond_the_limits_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "MOST_ROWS", 10)
    with pytest.raises(TableError, match="more than 10 rows"):
        held_frame(random_frame(1), tmp_path)


def test_the_last_column_that_can_be_predicted_is_the_target(tmp_path: Path) -> None:
    columns = {"kind": ["a", "b", "a"], "day": ["2020-01-01"] * 3, "port": ["S", None, "C"]}
    held = held_frame(pl.DataFrame(columns), tmp_path)
    assert ask(held, "open").target == "kind"
    with pytest.raises(ValueError, match="missing labels"):
        ask(held, "open", target="port")
    empty = held_frame(pl.DataFrame({"x": [1, None], "y": [None, "a"]}), tmp_path, "gaps.csv")
    with pytest.raises(ValueError, match="the target 'y' has missing labels"):
        ask(empty, "open")


# -------------------------------------------------------------------- reading options


GAPS = "zone,age,born,class\n1,30,03/04/2021,a\n2,?,04/04/2021,b\n1,40,05/04/2021,a\n3,50,?,b\n"


@pytest.fixture
def gaps(tmp_path: Path) -> Held:
    """A table with strings that stand for a missing value, and numbers that are codes."""
    path = tmp_path / "gaps.csv"
    path.write_text(GAPS)
    held = Held()
    held.load_file("key", str(path), "gaps.csv")
    return held


def kinds_of(facts: TableFacts) -> dict[str, tuple[str, int]]:
    return {column.name: (column.kind, column.n_missing) for column in facts.columns}


def test_a_recipe_says_how_a_table_is_read(gaps: Held) -> None:
    plain = ask(gaps, "open")
    assert kinds_of(plain)["age"] == ("category", 0)
    recipe = Recipe(missing_values=["?"], categorical_features=["zone"], dates="month-first")
    read = ask(gaps, "open", recipe=recipe)
    assert kinds_of(read) == {
        "zone": ("category", 0),
        "age": ("number", 1),
        "born": ("date", 1),
        "class": ("category", 0),
    }
    assert next(c.values[0] for c in read.columns if c.name == "born") == "2021-03-04"
    assert (read.recipe, read.hash == plain.hash) == (recipe, False)
    assert ask(gaps, "open") == plain  # the recipe is the document's, not the server's


def test_documents_of_two_recipes_give_their_own_tables(gaps: Held) -> None:
    recipe = Recipe(missing_values=["?"])
    read = ask(gaps, "open", recipe=recipe)
    plain, other = document(gaps, learner="cart"), document(gaps, learner="cart")
    other.table.recipe, other.table.hash = recipe, read.hash
    plain.table.drop = other.table.drop = ["zone"]
    for _ in range(2):  # to and fro, as undo and two tabs do
        assert ask(gaps, "cells", table=plain.table, search="?").n_found == 2
        assert ask(gaps, "cells", table=other.table, search="?").n_found == 0
        assert not ask(gaps, "cells", table=plain.table).numeric[0]
        assert ask(gaps, "cells", table=other.table).numeric[0]
        assert ask(gaps, "tree", document=plain).hash != ask(gaps, "tree", document=other).hash
    other.table.recipe = Recipe()
    with pytest.raises(TableError, match="another table"):
        ask(gaps, "tree", document=other)


def test_numbers_may_be_categories_as_an_estimator_reads_them(gaps: Held) -> None:
    frame = gaps.opened.frame
    model = pt.ID3Classifier(categorical_features=["zone"])
    model.fit(frame.select("zone"), frame["class"])
    read = ask(gaps, "open", recipe=Recipe(categorical_features=["zone"]))
    asked = document(gaps, learner="id3")
    asked.table.recipe, asked.table.hash = read.recipe, read.hash
    asked.table.drop = ["age", "born"]
    tree = ask(gaps, "tree", document=asked)
    assert tree.n_rows == model.tree_.n_rows.tolist()
    assert model.tree_.n_children[0] == 3


def test_a_test_table_is_read_as_the_table(gaps: Held, tmp_path: Path) -> None:
    (tmp_path / "test.csv").write_text(GAPS)
    gaps.load_test("t", str(tmp_path / "test.csv"), "test.csv")
    read = ask(gaps, "open", recipe=Recipe(missing_values=["?"], categorical_features=["zone"]))
    asked = document(gaps, learner="cart")
    asked.table.recipe, asked.table.hash = read.recipe, read.hash
    assert ask(gaps, "quality", document=asked, rows="test", test="t").n_rows == 4


@pytest.mark.parametrize(
    ("recipe", "message"),
    [
        (Recipe(types={"age": "number"}), "column 'age' has a value that is not a number"),
        (Recipe(types={"agee": "text"}), "did you mean 'age'"),
        (Recipe(types={"age": "numbr"}), "did you mean 'number'"),
        (Recipe(categorical_features=["zones"]), "did you mean 'zone'"),
    ],
)
def test_a_recipe_that_does_not_fit_is_an_error(gaps: Held, recipe: Recipe, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ask(gaps, "open", recipe=recipe)
    assert ask(gaps, "open").n_rows == 4


def test_warnings_name_what_settles_them_on_the_page(gaps: Held) -> None:
    found = [it for it in ask(gaps, "open").findings if it.parameter]
    assert [(it.parameter, it.values) for it in found] == [("missing_values", ["?"])] * 2
    assert [it.columns for it in found] == [["age"], ["born"]]
    assert all(it.text.endswith("add '?' to the missing values") for it in found)
    settled = ask(gaps, "open", recipe=Recipe(missing_values=["?"])).findings
    assert {it.parameter for it in settled} == {"dates"}
    assert settled[0].text.endswith("otherwise: month-first")


def test_strings_for_missing_values_that_do_not_occur_are_told(gaps: Held) -> None:
    def told(*marks: str) -> list[str]:
        found = ask(gaps, "open", recipe=Recipe(missing_values=list(marks))).findings
        return [it.text for it in found if it.text.startswith("no value")]

    assert told("?", "Zzz", "NA") == ["no value of the table is 'Zzz' or 'NA'"]
    assert told("30", "?") == []
    assert told() == []


def test_hostile_names_come_back_as_they_are(tmp_path: Path) -> None:
    held = held_frame(pl.DataFrame(HOSTILE, strict=False), tmp_path, "x.parquet")
    found = ask(held, "open", target="class")
    assert [facts.name for facts in found.columns] == list(HOSTILE)
    assert msgspec.json.decode(msgspec.json.encode(found), type=TableFacts) == found
    asked = document(held, "class", learner="cart")
    tree = ask(held, "tree", document=asked)
    assert len(tree.features) == 4
    cells = ask(held, "cells", table=asked.table)
    assert cells.cells[2][1] == "</script>"
    assert ask(held, "candidates", document=asked, at=[]).offers
    assert ask(held, "rules", document=asked).rules


def test_cells_are_those_of_the_table() -> None:
    held = held_example("golf")
    frame = pt.datasets.load_golf().frame
    table = document(held).table
    found = ask(held, "cells", table=table, start=3, stop=6)
    assert found.rows == [3, 4, 5]
    assert found.columns == frame.columns
    assert found.cells == [[str(value) for value in frame.row(row)] for row in (3, 4, 5)]
    assert [["no", "yes"][code] for code in found.classes] == [row[-1] for row in found.cells]


def test_cells_are_sorted_and_searched() -> None:
    held = held_example("golf")
    frame = pt.datasets.load_golf().frame
    table = document(held).table
    found = ask(held, "cells", table=table, sort="humidity", descending=True)
    assert [int(row[2]) for row in found.cells] == sorted(frame["humidity"].to_list(), reverse=True)
    rainy = ask(held, "cells", table=table, search="RAIN")
    assert rainy.rows == np.flatnonzero(frame["outlook"].to_numpy() == "rain").tolist()
    assert rainy.n_found == 5
    assert ask(held, "cells", table=table, rows=[7, 2]).rows == [7, 2]
    with pytest.raises(TableError, match="there is no such row"):
        ask(held, "cells", table=table, rows=[14])
    with pytest.raises(ColumnError, match="no such column"):
        ask(held, "cells", table=table, sort="wind")


def test_missing_cells_are_none_and_come_last() -> None:
    held = held_example("houses")
    table = document(held, task="regression").table
    found = ask(held, "cells", table=table, sort="heating", stop=240)
    column = found.columns.index("heating")
    values = [row[column] for row in found.cells]
    assert values[-10:] == [None] * 10
    assert None not in values[:-10]
    assert set(found.classes) == {-1}


def test_no_table_is_said() -> None:
    with pytest.raises(TableError, match="no table is open"):
        ask(Held(), "open")
