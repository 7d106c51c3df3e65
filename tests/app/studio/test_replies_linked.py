"""What links the views: rows of a node first, the paths of rows, the rows behind numbers."""

from pathlib import Path

import polars as pl
import pytest

import plaintree as pt
from plaintree.tree import node_at
from tests.support.studio import ask, document, held_example, held_frame, random_frame


@pytest.mark.parametrize("sort", [None, "humidity"])
@pytest.mark.parametrize("descending", [False, True])
def test_rows_of_the_node_come_first_in_any_order(sort: str | None, descending: bool) -> None:
    held = held_example("golf")
    asked = document(held, learner="id3")
    at_node = ask(held, "rows", document=asked, at=[2]).rows
    options = {"table": asked.table, "sort": sort, "descending": descending}
    plain = ask(held, "cells", **options)
    found = ask(held, "cells", document=asked, at=[2], **options)
    first = [row for row in plain.rows if row in at_node]
    assert found.rows == first + [row for row in plain.rows if row not in at_node]
    assert found.n_first == len(at_node)
    assert found.weights == [1.0] * len(first) + [0.0] * (14 - len(first))
    assert not found.divided
    assert plain.n_first == 0
    assert plain.visits == plain.weights == []


def test_a_row_lists_the_nodes_that_it_passes(tmp_path: Path) -> None:
    held = held_frame(random_frame(3), tmp_path)
    asked = document(held, learner="c45")
    table = ask(held, "cells", table=asked.table, document=asked, stop=60)
    for place, row in enumerate(table.rows):
        for visit in table.visits[place]:
            node = ask(held, "rows", document=asked, at=visit.at)
            assert visit.share == pytest.approx(node.weights[node.rows.index(row)])
    assert any(0 < visit.share < 1 for visits in table.visits for visit in visits)
    halves = [visit.at for visits in table.visits for visit in visits if 0 < visit.share < 1]
    assert ask(held, "cells", table=asked.table, document=asked, at=halves[0]).divided


def test_a_search_counts_what_it_found_at_the_node() -> None:
    held = held_example("golf")
    asked = document(held, learner="id3")
    found = ask(held, "cells", table=asked.table, document=asked, at=[2], search="sunny")
    assert found.n_found == found.n_first == 5
    none = ask(held, "cells", table=asked.table, document=asked, at=[2], search="rain")
    assert (none.n_found, none.n_first) == (5, 0)


def test_points_name_the_leaves_that_predict_them() -> None:
    held = held_example("golf")
    X, y = pt.datasets.load_golf()
    model = pt.ID3Classifier().fit(X, y)
    leaves = model.apply(X)
    found = ask(held, "regions", document=document(held, learner="id3"))
    assert found.points
    for point in found.points:
        assert node_at(model, point.leaf) == leaves[point.row]


def test_cells_of_the_confusion_matrix_list_their_rows() -> None:
    held = held_example("golf")
    asked = document(held, learner="id3")
    for threshold in (None, 0.9):
        found = ask(held, "quality", document=asked, threshold=threshold)
        assert [[len(rows) for rows in line] for line in found.confusion_rows] == found.confusion
    assert sorted(row for line in found.confusion_rows for rows in line for row in rows) == list(
        range(14)
    )


def test_rows_of_a_test_table_are_not_rows_of_the_table(tmp_path: Path) -> None:
    held = held_example("golf")
    path = tmp_path / "test.csv"
    pt.datasets.load_golf().frame.head(6).write_csv(path)
    held.load_test("t", str(path), "test.csv")
    asked = document(held, learner="id3")
    found = ask(held, "quality", document=asked, rows="test", test="t")
    assert found.confusion_rows == []


def test_out_of_bag_rows_keep_their_numbers() -> None:
    held = held_example("golf")
    asked = document(held, learner="forest", parameters={"n_estimators": 3})
    found = ask(held, "quality", document=asked, rows="oob")
    listed = [row for line in found.confusion_rows for rows in line for row in rows]
    assert len(listed) == found.n_rows
    assert set(listed) <= set(range(14))


def test_a_comparison_says_what_each_side_predicts() -> None:
    held = held_example("golf")
    X, y = pt.datasets.load_golf()
    other = document(held, learner="cart", parameters={"max_depth": 1})
    found = ask(held, "compare", document=document(held, learner="id3"), other=other)
    assert found.rows
    here, there = pt.ID3Classifier().fit(X, y), pt.CARTClassifier(max_depth=1).fit(X, y)
    assert found.predicted_here == here.predict(X)[found.rows].tolist()
    assert found.predicted_there == there.predict(X)[found.rows].tolist()


def test_residuals_are_actual_minus_predicted() -> None:
    held = held_example("houses")
    asked = document(held, task="regression", learner="cart")
    found = ask(held, "quality", document=asked, rows="training")
    curves = {curve.key: curve for curve in found.curves}
    both, residuals = curves["predicted"], curves["residuals"]
    assert residuals.x == both.y
    expected = [actual - predicted for actual, predicted in zip(both.x, both.y, strict=True)]
    assert residuals.y == pytest.approx(expected)


def test_reduced_error_uses_the_table_that_is_named(tmp_path: Path) -> None:
    held = held_example("golf")
    frame: pl.DataFrame = pt.datasets.load_golf().frame
    for key, n_rows in (("small", 4), ("large", 9)):
        path = tmp_path / f"{key}.csv"
        frame.head(n_rows).write_csv(path)
        held.load_test(key, str(path), path.name)
    asked = document(held, learner="id3")
    for key, n_rows in (("small", 4), ("large", 9)):
        found = ask(held, "pruning", document=asked, method="reduced_error", test=key)
        assert found.measured_on == f"test table {key}.csv"
        assert next(step for step in found.steps if not step.at).n_rows == n_rows
