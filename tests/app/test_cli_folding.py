"""Large trees, rule lists and tables are folded on the screen, and --all prints all of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from plaintree.app.cli.show import COLUMNS_SHOWN
from plaintree.app.cli.show_study import NODES_SHOWN, RULES_SHOWN
from tests.support.command_line import GOLF, plaintree


@pytest.fixture(scope="module")
def noise(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A table whose unpruned tree has about a thousand nodes."""
    rng = np.random.default_rng(0)
    x, y = rng.random((1500, 3)).round(4), rng.integers(2, size=1500)
    path = tmp_path_factory.mktemp("folding") / "noise.csv"
    lines = [
        f"{a},{b},{c},{'no' if label else 'yes'}" for (a, b, c), label in zip(x, y, strict=True)
    ]
    path.write_text("\n".join(["a,b,c,y", *lines]) + "\n")
    return str(path)


GROW = ("--target", "y", "--cv", "0")


def branches(text: str) -> int:
    return sum("─ " in line or "[depth" in line for line in text.splitlines())


UNPRUNED = ["--method", "limits", "--pruning-option", "max_depth=99"]


@pytest.mark.parametrize(("name", "options"), [("grow", []), ("prune", UNPRUNED)])
def test_a_large_tree_is_folded_and_says_how_to_see_all(
    noise: str, name: str, options: list[str]
) -> None:
    folded = plaintree(name, noise, *GROW, "--learner", "cart", *options).out
    assert "Print it in full with --all." in folded
    assert 0 < branches(folded) <= NODES_SHOWN
    assert "leaves below" in folded
    whole = plaintree(name, noise, *GROW, "--learner", "cart", "--all", *options).out
    assert "--all" not in whole
    assert branches(whole) > NODES_SHOWN


def test_many_rules_of_a_tree_are_left_out_and_counted(noise: str) -> None:
    folded = plaintree("grow", noise, *GROW, "--learner", "cart", "--rules").out
    assert folded.count("IF ") == RULES_SHOWN
    assert "more rules of the tree. Print all with --all." in folded
    whole = plaintree("grow", noise, *GROW, "--learner", "cart", "--rules", "--all").out
    assert whole.count("IF ") > RULES_SHOWN


def test_a_small_tree_is_printed_as_it_is() -> None:
    short = plaintree("grow", GOLF, "--target", "play", "--cv", "0").out
    whole = plaintree("grow", GOLF, "--target", "play", "--cv", "0", "--all").out
    assert short == whole


def test_many_columns_are_left_out_and_counted_but_never_the_target(tmp_path: Path) -> None:
    names = [f"c{i}" for i in range(COLUMNS_SHOWN + 7)]
    wide = tmp_path / "wide.csv"
    rows = [",".join(str((i * k) % 5) for i in range(len(names))) for k in range(20)]
    wide.write_text("\n".join([",".join(names), *rows]) + "\n")
    last = names[-1]
    folded = plaintree("inspect", str(wide), "--target", last).out
    assert "... and 7 more columns. Print all with --all." in folded
    assert f"{last} (target)" in folded
    assert sum("numeric " in line for line in folded.splitlines()) == COLUMNS_SHOWN
    whole = plaintree("inspect", str(wide), "--target", last, "--all").out
    assert "--all" not in whole
    assert sum("numeric " in line for line in whole.splitlines()) == len(names)
