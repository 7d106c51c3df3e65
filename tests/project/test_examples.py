"""The examples run as they are printed in the documentation, and print what they promise."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
N_POINTS = 41 * 41


def run_example(name: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """An example in a process of its own, as a reader would start it."""
    return subprocess.run(
        [sys.executable, "-W", "error", str(EXAMPLES / name), *arguments],
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONUTF8": "1"},
        check=False,
        timeout=300,
    )


def load_example(name: str) -> ModuleType:
    """An example as a module, without running it."""
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look their module up while the class is made
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def finished() -> subprocess.CompletedProcess[str]:
    """A short run of the grid example."""
    return run_example("lecture_grids.py", "--draws", "3")


@pytest.fixture(scope="module")
def lecture_grids() -> ModuleType:
    """The grid example's functions."""
    return load_example("lecture_grids")


class TestLectureGrids:
    """examples/lecture_grids.py: trees from random points of the course's grid."""

    @pytest.mark.slow
    def test_it_ends_well_and_complains_of_nothing(
        self, finished: subprocess.CompletedProcess[str]
    ) -> None:
        assert finished.returncode == 0, finished.stderr
        assert finished.stderr == ""

    def test_the_table_has_a_row_per_learner_and_the_course_s_figures(
        self, finished: subprocess.CompletedProcess[str], lecture_grids: ModuleType
    ) -> None:
        first_cells = [line.split("│")[1].strip() for line in rows(finished.stdout)]
        expected = [learner.name for learner in lecture_grids.LEARNERS]
        assert first_cells == [*expected, "the course, a single draw"]
        last = rows(finished.stdout)[-1].split("│")[2:6]
        assert [int(cell) for cell in last] == [3, 35, 26, 97]

    def test_every_cell_is_least_median_greatest_in_order(
        self, finished: subprocess.CompletedProcess[str], lecture_grids: ModuleType
    ) -> None:
        cells = re.findall(r"(\d+) / ([\d.]+) / (\d+)", finished.stdout)
        assert len(cells) == len(lecture_grids.LEARNERS) * len(lecture_grids.STUDIES)
        for least, median, greatest in cells:
            assert 0 <= int(least) <= float(median) <= int(greatest) < N_POINTS

    def test_it_prints_the_same_again(
        self,
        finished: subprocess.CompletedProcess[str],
        lecture_grids: ModuleType,
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        monkeypatch.setattr(sys, "argv", ["lecture_grids.py", "--draws", "3"])
        lecture_grids.main()
        assert capsys.readouterr().out == finished.stdout

    def test_no_draws_are_refused(
        self,
        lecture_grids: ModuleType,
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        monkeypatch.setattr(sys, "argv", ["lecture_grids.py", "--draws", "0"])
        with pytest.raises(SystemExit, match="2"):
            lecture_grids.main()
        assert "--draws must be at least 1" in capsys.readouterr().err

    def test_the_functions_have_the_classes_of_a_sign(self, lecture_grids: ModuleType) -> None:
        points = lecture_grids.grid()
        assert points.shape == (N_POINTS, 2)
        counts = {
            name: np.unique(getattr(lecture_grids, name)(points), return_counts=True)[1].tolist()
            for name in ("function_2", "function_3")
        }
        assert counts == {"function_2": [800, 81, 800], "function_3": [868, 1, 812]}

    def test_a_training_set_has_distinct_points_and_depends_on_the_seed(
        self, lecture_grids: ModuleType
    ) -> None:
        points, study = lecture_grids.grid(), lecture_grids.STUDIES[0]
        drawn = study.draw(points, 7)
        assert len(set(drawn.tolist())) == study.n_training
        assert drawn.tolist() == study.draw(points, 7).tolist()
        assert drawn.tolist() != study.draw(points, 8).tolist()


def rows(output: str) -> list[str]:
    """The body lines of a printed table."""
    return [line for line in output.splitlines() if line.startswith("│")]
