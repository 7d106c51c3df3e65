"""The Caruana table (benchmarks/caruana*.py): its metrics, scores, ranking, tables and resuming."""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import precision_recall_curve
from sklearn.svm import SVC

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
sys.path.append(str(BENCHMARKS))

import caruana  # noqa: E402
import caruana_learners as learners  # noqa: E402
import caruana_report as report  # noqa: E402
import caruana_scores as scores  # noqa: E402
import caruana_tables as tables  # noqa: E402
from caruana_store import open_store  # noqa: E402
from plaintree.errors import FileError  # noqa: E402

SMALL = ("--quick", "--jobs", "1", "--only", "KNN", "--only", "DT", "--only", "iris")


def flags_of(text: str) -> np.ndarray:
    """Positives are written +, negatives -."""
    return np.array([sign == "+" for sign in text])


@st.composite
def predictions(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    """Rows of both classes, each with a probability; few distinct ones, so that some are equal."""
    n_rows = draw(st.integers(4, 40))
    flags = np.array(draw(st.lists(st.booleans(), min_size=n_rows, max_size=n_rows)))
    flags[:2] = [True, False]
    tenths = draw(st.lists(st.integers(0, 10), min_size=n_rows, max_size=n_rows))
    return flags, np.array(tenths) / 10


class TestMetrics:
    """metric_values, expected_hits, constant_values"""

    def test_perfect_predictions_reach_the_best_of_every_metric(self) -> None:
        flags = flags_of("++------")
        values = scores.metric_values(flags, flags.astype(float), least=0.0)
        losses = dict.fromkeys(("RMS", "MXE"), 0.0)
        assert values == pytest.approx(
            {**dict.fromkeys(("ACC", "FSC", "ROC", "APR", "BEP"), 1.0), "LFT": 4.0, **losses}
        )

    def test_a_worked_example(self) -> None:
        flags = flags_of("+-+--+--")
        probability = np.array([0.9, 0.8, 0.7, 0.6, 0.4, 0.3, 0.2, 0.1])
        values = scores.metric_values(flags, probability, least=0.0)
        assert values["ACC"] == 5 / 8  # wrong: the second, the fourth and the sixth
        assert values["FSC"] == pytest.approx(4 / 7)  # 2 hits, 2 false alarms, 1 miss
        assert values["LFT"] == pytest.approx((1 / 2) / (3 / 8))  # one of the highest two
        assert values["ROC"] == pytest.approx(11 / 15)
        assert values["APR"] == pytest.approx((1 + 2 / 3 + 3 / 6) / 3)
        assert values["BEP"] == pytest.approx(2 / 3)
        squares = [0.01, 0.64, 0.09, 0.36, 0.16, 0.49, 0.04, 0.01]
        assert values["RMS"] == pytest.approx(math.sqrt(sum(squares) / 8))
        kept = [0.9, 0.2, 0.7, 0.4, 0.6, 0.3, 0.8, 0.9]
        assert values["MXE"] == pytest.approx(-sum(map(math.log, kept)) / 8)

    def test_equal_scores_are_drawn_at_random_in_expectation(self) -> None:
        flags = flags_of("++--")
        assert scores.expected_hits(flags, np.array([0.9, 0.5, 0.5, 0.1]), 2) == 1.5
        assert scores.expected_hits(flags, np.full(4, 0.5), 3) == 1.5

    def test_a_wrong_certainty_costs_no_more_than_the_distance_kept(self) -> None:
        values = scores.metric_values(flags_of("+-"), np.array([0.0, 0.0]), least=0.01)
        assert values["MXE"] == pytest.approx(-(math.log(0.01) + math.log(0.99)) / 2)

    @settings(max_examples=40)
    @given(predictions())
    def test_only_the_order_counts_for_lift_roc_precision_and_break_even(
        self, drawn: tuple[np.ndarray, np.ndarray]
    ) -> None:
        flags, probability = drawn
        values = scores.metric_values(flags, probability, least=0.01)
        bent = scores.metric_values(flags, probability**3, least=0.01)
        for metric in ("LFT", "ROC", "APR", "BEP"):
            assert bent[metric] == pytest.approx(values[metric])

    @settings(max_examples=40)
    @given(st.permutations(range(12)), st.integers(1, 11))
    def test_the_break_even_point_lies_on_the_curve_of_precision_and_recall(
        self, order: list[int], n_positive: int
    ) -> None:
        flags, distinct = np.arange(12) < n_positive, np.array(order) / 12
        point = scores.metric_values(flags, distinct, least=0.01)["BEP"]
        precision, recall, _ = precision_recall_curve(flags, distinct)
        assert np.any(np.isclose(precision, point) & np.isclose(recall, point))

    @pytest.mark.parametrize(("text", "accuracy"), [("+---", 0.75), ("+++-", 0.75)])
    def test_the_constant_answer(self, text: str, accuracy: float) -> None:
        flags = flags_of(text)
        share = flags.mean()
        values = scores.constant_values(flags)
        assert values["ACC"] == accuracy
        assert values["FSC"] == pytest.approx(2 * share / (1 + share))
        assert (values["LFT"], values["ROC"]) == (pytest.approx(1), 0.5)
        assert values["APR"] == values["BEP"] == pytest.approx(share)
        assert values["RMS"] == pytest.approx(math.sqrt(share * (1 - share)))
        entropy = -share * math.log(share) - (1 - share) * math.log(1 - share)
        assert values["MXE"] == pytest.approx(entropy)


def all_metrics(value: float) -> dict[str, float]:
    """Every metric as good as a value between 0 and 1; of losses, less is better."""
    return {m: 1 - value if m in scores.LOSSES else value for m in scores.METRICS}


def record(
    learner: str, goods: list[tuple[float, float]], table: str = "t", repetition: int = 0
) -> dict[str, Any]:
    """A finished piece; each setting is (good on held-out rows, good on test rows)."""
    return {
        "table": table,
        "repetition": repetition,
        "learner": learner,
        "seconds": 1.0,
        "constant": all_metrics(0.5),
        "outcomes": [
            {
                "setting": str(i),
                "calibration": calibration,
                "held_out": all_metrics(held_out),
                "test": all_metrics(test),
            }
            for i, (held_out, test) in enumerate(goods)
            for calibration in scores.CALIBRATIONS
        ],
    }


class TestScores:
    """Normalising, selecting and ranking."""

    @pytest.mark.parametrize(("constant", "best"), [(0.5, 0.9), (0.4, 0.1)])
    def test_the_constant_answer_is_0_and_the_best_is_1(self, constant: float, best: float) -> None:
        scale = scores.Scale(constant, best)
        assert scale.normalised(constant) == 0
        assert scale.normalised(best) == 1
        assert scale.normalised((constant + best) / 2) == pytest.approx(0.5)
        assert scale.normalised(constant - (best - constant)) == pytest.approx(-1)

    def test_the_best_is_the_best_test_value_of_anyone_in_any_repetition(self) -> None:
        found = scores.scales([record("A", [(0.9, 0.6)]), record("B", [(0.1, 0.7)], repetition=1)])
        assert found["t", "ACC"] == scores.Scale(0.5, 0.7)
        assert found["t", "RMS"].best == pytest.approx(0.3)

    def test_where_nobody_beats_the_constant_answer_there_is_no_score(self) -> None:
        rows = scores.ranked_rows([record("A", [(0.5, 0.4)]), record("A", [(0.9, 0.8)], table="u")])
        assert math.isnan(scores.Scale(0.5, 0.5).normalised(0.4))
        assert rows[0].mean == pytest.approx(1)  # of the table that has scores

    def test_settings_are_selected_on_the_held_out_rows(self) -> None:
        rows = scores.ranked_rows([record("A", [(0.6, 0.9), (0.8, 0.7)])])
        assert rows[0].mean == pytest.approx(0.5)
        assert rows[0].optimal == pytest.approx(1)

    def test_of_equally_good_settings_the_first_is_taken(self) -> None:
        outcomes = record("A", [(0.6, 0.7), (0.6, 0.9)])["outcomes"]
        assert scores.selected(outcomes, "ACC", by="held_out") == 0.7
        assert scores.selected(outcomes, "RMS", by="held_out") == pytest.approx(0.3)

    def test_rows_are_sorted_by_their_mean(self) -> None:
        rows = scores.ranked_rows([record("A", [(0.6, 0.6)]), record("B", [(0.6, 0.9)])])
        assert [row.learner for row in rows] == ["B"] * 3 + ["A"] * 3
        assert [round(row.mean, 6) for row in rows] == [1.0] * 3 + [0.25] * 3

    def test_every_table_counts_the_same(self) -> None:
        many = [record("A", [(0.6, 0.9)], repetition=i) for i in range(3)]
        hard = [record("A", [(0.6, 0.6)], "u"), record("A", [(0.6, 1.0)], "u", repetition=1)]
        assert scores.ranked_rows([*many, *hard])[0].mean == pytest.approx((1 + 0.6) / 2)

    def test_a_trial_that_a_learner_lacks_counts_for_nobody(self) -> None:
        both = [record("A", [(0.6, 0.6)]), record("B", [(0.6, 0.9)])]
        alone = record("A", [(0.6, 1.0)], repetition=1)
        assert scores.complete_trials([*both, alone]) == [("t", 0)]
        with_it, without = scores.ranked_rows([*both, alone]), scores.ranked_rows(both)
        assert [row.mean for row in with_it] == [row.mean for row in without]

    def test_nothing_finished_means_no_rows(self) -> None:
        assert scores.ranked_rows([]) == []

    @given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=6))
    def test_no_score_is_above_1_and_no_selection_beats_the_optimal_one(
        self, goods: list[tuple[float, float]]
    ) -> None:
        for row in scores.ranked_rows([record("A", goods), record("B", [(0.5, 0.75)])]):
            assert row.mean <= row.optimal + 1e-9
            assert row.optimal <= 1 + 1e-9

    def test_a_clear_difference_is_told_apart_and_a_doubtful_one_is_not(self) -> None:
        def trials(learner: str, tests: list[float]) -> list[dict[str, Any]]:
            return [record(learner, [(0.5, t)], repetition=i) for i, t in enumerate(tests)]

        best, near, far = [0.9, 0.8, 0.9, 0.8], [0.8, 0.9, 0.9, 0.78], [0.61, 0.52, 0.6, 0.5]
        rows = scores.ranked_rows([*trials("A", best), *trials("B", near), *trials("C", far)])
        by_name = {row.name: row for row in rows}
        assert scores.indistinguishable(by_name["B -"], by_name["A -"], "ACC")
        assert not scores.indistinguishable(by_name["C -"], by_name["A -"], "ACC")
        assert scores.indistinguishable(by_name["A PLT"], by_name["A -"], "ACC")


class TestReport:
    """The ranked table beside the paper's."""

    def test_the_best_of_a_column_is_marked(self) -> None:
        records = [record("RF", [(0.6, 0.6)]), record("SVM", [(0.6, 0.9)])]
        rows = scores.ranked_rows(records)
        cells = [report.marked(rows, row, "ROC") for row in rows]
        assert cells[0] == "1.000*"
        assert cells[-1] == ".250 "

    def test_agreement_with_the_paper_is_a_rank_correlation(self) -> None:
        goods = {"RF": 0.9, "ANN": 0.8, "BST-STMP": 0.6}
        same = scores.ranked_rows([record(name, [(0.5, good)]) for name, good in goods.items()])
        assert report.rank_agreement(same) > 0.9
        assert math.isnan(report.rank_agreement(same[:2]))

    def test_every_row_of_the_paper_is_one_of_ours(self) -> None:
        names = {f"{name} {c}" for name in learners.LEARNERS for c in scores.CALIBRATIONS}
        assert set(report.PAPER_MEANS) <= names


class TestStore:
    """The file of finished work."""

    def test_finished_work_is_found_again(self, tmp_path: Path) -> None:
        path = tmp_path / "new folder" / "r.jsonl"
        done = record("A", [(0.5, 0.6)])
        open_store(path, {"rows": 5}).add(done)
        assert open_store(path, {"rows": 5}).records == {("t", 0, "A"): done}

    def test_a_line_that_was_cut_off_is_dropped_and_the_rest_kept(self, tmp_path: Path) -> None:
        path = tmp_path / "r.jsonl"
        open_store(path, {}).add(record("A", [(0.5, 0.6)]))
        with path.open("a") as file:
            file.write('{"table": "t", "repet')
        again = open_store(path, {})
        again.add(record("B", [(0.5, 0.6)]))
        assert list(open_store(path, {}).records) == [("t", 0, "A"), ("t", 0, "B")]

    def test_a_file_of_other_parameters_is_refused_and_left_alone(self, tmp_path: Path) -> None:
        path = tmp_path / "r.jsonl"
        open_store(path, {"rows": 5, "folds": 3})
        before = path.read_bytes()
        with pytest.raises(FileError, match=r"other parameters.*rows = 5, now 6.*--fresh"):
            open_store(path, {"rows": 6, "folds": 3})
        assert path.read_bytes() == before

    def test_any_other_file_is_refused_and_left_alone(self, file: Any) -> None:
        path = file("notes.txt", "dear diary\nno end of line")
        with pytest.raises(FileError, match=r"no results file.*--results"):
            open_store(path, {})
        assert path.read_text() == "dear diary\nno end of line"

    def test_fresh_forgets_what_is_there(self, tmp_path: Path) -> None:
        path = tmp_path / "r.jsonl"
        open_store(path, {"rows": 5}).add(record("A", [(0.5, 0.6)]))
        assert open_store(path, {"rows": 6}, fresh=True).records == {}
        assert open_store(path, {"rows": 6}).records == {}


class TestTables:
    """The problems and how they are divided."""

    def test_at_least_eight_come_without_anything_beside_the_project(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        monkeypatch.setattr(tables, "SHARED", tmp_path)
        names = tables.available()
        assert len(names) >= 8
        assert not any(tables.PROBLEMS[name].beside for name in names)

    @pytest.mark.parametrize("name", tables.available())
    def test_both_classes_are_there(self, name: str) -> None:
        table, flags = tables.load(name)
        assert len(table) == len(flags)
        assert 0.05 < flags.mean() < 0.95

    def test_a_repetition_divides_the_training_rows_and_never_touches_the_test_rows(self) -> None:
        sizes = tables.Sizes(training_rows=300, test_rows=200, folds=5)
        divisions = [tables.divide("breast_cancer", sizes, i) for i in range(5)]
        training = set(divisions[0].fit) | set(divisions[0].held_out)
        assert len(training) == 300
        for division in divisions:
            assert division.test.tolist() == divisions[0].test.tolist()
            assert len(division.test) == 200
            assert set(division.fit) | set(division.held_out) == training
            assert not set(division.fit) & set(division.held_out)
            assert not training & set(division.test)
        assert set().union(*(division.held_out for division in divisions)) == training

    def test_two_thirds_of_a_small_table_are_training_rows(self) -> None:
        division = tables.divide("iris", tables.Sizes(5000, 5000, 5), 0)
        assert (len(division.fit), len(division.held_out), len(division.test)) == (80, 20, 50)

    def test_text_and_gaps_stay_as_they_are(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        monkeypatch.setattr(tables, "SHARED", tmp_path)
        about = {"target": "y", "kinds": {"a": "categorical", "b": "numeric"}}
        (tmp_path / "t.json").write_text(json.dumps(about))
        (tmp_path / "t.csv").write_text("a,b,y\n01,1.5,no\nNA,,yes\n,2,perhaps\n")
        table, flags = tables.from_file("t", "yes", "perhaps")
        assert table["a"].tolist()[:2] == ["01", "NA"]
        assert table.isna().to_numpy().tolist() == [[False, False], [False, True], [True, False]]
        assert flags.tolist() == [False, True, True]


class TestLearners:
    """The learners, their calibration and one piece of work."""

    @pytest.mark.parametrize("name", learners.LEARNERS)
    def test_a_quick_run_tries_some_of_the_settings(self, name: str) -> None:
        learner = learners.LEARNERS[name]
        assert set(learner.chosen(quick=True)) <= set(learner.chosen(quick=False))
        assert learner.chosen(quick=True)

    @pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
    @pytest.mark.parametrize("name", learners.LEARNERS)
    def test_text_gaps_and_unseen_categories_are_no_trouble(self, name: str) -> None:
        random = np.random.default_rng(0)
        flags = random.random(80) < 0.4
        table = pd.DataFrame(
            {
                "number": np.where(random.random(80) < 0.1, np.nan, flags + random.random(80)),
                "text": random.choice(["red", "green", None], 80),
            }
        )
        new = pd.DataFrame({"number": [1.5, np.nan], "text": ["blue", None]})
        make = next(iter(learners.LEARNERS[name].chosen(quick=True).values()))
        answers = learners.raw_scores(make().fit(table, flags), new)
        assert answers.shape == (2,)
        assert np.all(np.isfinite(answers))

    def test_a_piece_has_an_outcome_per_setting_and_calibration(self) -> None:
        piece = learners.Piece("iris", 0, "DT", caruana.QUICK, quick=True)
        done = learners.run_piece(piece)
        assert (done["table"], done["repetition"], done["learner"]) == piece.key
        tried = [(o["setting"], o["calibration"]) for o in done["outcomes"]]
        settings = learners.LEARNERS["DT"].quick
        assert tried == [(s, c) for s in settings for c in scores.CALIBRATIONS]
        assert all(set(o["test"]) == set(scores.METRICS) for o in done["outcomes"])

    @pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
    def test_calibration_keeps_the_order_and_meets_the_shares(self, method: str) -> None:
        random = np.random.default_rng(1)
        margins = random.normal(size=2000)
        flags = random.random(2000) < 1 / (1 + np.exp(-3 * margins))
        new = np.array([-1.0, 0.0, 1.0])
        _, answers = learners.calibrated((margins, new), flags, method)
        assert answers == pytest.approx(1 / (1 + np.exp(-3 * new)), abs=0.08)
        assert np.all(np.diff(answers) >= 0)

    def test_a_margin_of_nothing_is_one_half_before_calibration(self) -> None:
        margins = np.array([-4.0, 0.0, 2.0]), np.array([-8.0, 0.0, 1.0])
        first, second = learners.uncalibrated(SVC(), None, None, margins)
        assert first.tolist() == [0, 0.5, 0.75]
        assert second.tolist() == [0, 0.5, 0.625]


def command(results: Path, *arguments: str) -> list[str]:
    script = str(BENCHMARKS / "caruana.py")
    return [sys.executable, "-W", "error", script, "--results", str(results), *arguments]


def run(results: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The benchmark in a process of its own."""
    return subprocess.run(
        command(results, *arguments),
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONUTF8": "1"},
        check=False,
        timeout=300,
    )


class TestCommand:
    """benchmarks/caruana.py as a whole."""

    @pytest.mark.slow
    def test_a_second_run_does_nothing_again_and_says_the_same(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        results, saved = tmp_path / "r.jsonl", tmp_path / "ranked.json"
        first = run(results, *SMALL, "--json", str(saved))
        assert first.returncode == 0, first.stderr
        written = results.read_bytes()
        assert caruana.main(["--results", str(results), *SMALL]) == 0
        assert capsys.readouterr().out == first.stdout
        assert results.read_bytes() == written
        rows = json.loads(saved.read_text())["rows"]
        assert {(row["learner"], row["calibration"]) for row in rows} == {
            (learner, c) for learner in ("KNN", "DT") for c in scores.CALIBRATIONS
        }

    @pytest.mark.slow
    def test_an_interrupt_keeps_what_is_finished(self, tmp_path: Path) -> None:
        results = tmp_path / "r.jsonl"
        arguments = ("--quick", "--jobs", "1", "--only", "KNN")
        process = subprocess.Popen(
            command(results, *arguments), stderr=subprocess.PIPE, text=True, start_new_session=True
        )
        while process.poll() is None and (
            not results.exists() or results.read_bytes().count(b"\n") < 2
        ):
            time.sleep(0.01)
        os.killpg(process.pid, signal.SIGINT)  # the terminal sends it to the workers too
        _, said = process.communicate(timeout=60)
        assert process.returncode == caruana.INTERRUPTED
        assert "Traceback" not in said
        assert "Stopped." in said
        kept = open_store(results, caruana.parameters(quick=True)).records
        assert len(kept) >= 1

    def test_other_parameters_are_refused_in_one_sentence(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        results = tmp_path / "r.jsonl"
        open_store(results, caruana.parameters(quick=False))
        assert caruana.main(["--results", str(results), *SMALL]) == 2
        assert "was written with other parameters" in capsys.readouterr().err

    def test_a_table_that_is_not_there_is_refused(
        self,
        monkeypatch: pytest.MonkeyPatch,
        tmp_path: Path,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        monkeypatch.setattr(tables, "SHARED", tmp_path)
        with pytest.raises(SystemExit, match="2"):
            caruana.main(["--only", "adult"])
        assert "the table adult is not beside the project" in capsys.readouterr().err

    def test_pieces_are_the_wanted_tables_and_learners(self) -> None:
        pieces = caruana.chosen_pieces(["DT", "wine"], quick=False)
        assert {(p.table, p.learner) for p in pieces} == {("wine", "DT")}
        assert [p.repetition for p in pieces] == list(range(caruana.REPETITIONS[False]))
