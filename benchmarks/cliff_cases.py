"""The cases of cliffs.py: each makes its table and returns the work to be measured."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import plaintree as pt
from plaintree.estimators.discretizer import MDLDiscretizer
from plaintree.interop.model_file import save
from plaintree.pruning.curves import overfitting_curve
from tables import numbers

ADULT = Path(__file__).resolve().parents[2] / "shared" / "data" / "adult.csv"
Works = Mapping[str, Callable[[], Any]]


@dataclass(frozen=True)
class Case:
    """A case: its works by name, and how its figure is printed.

    With the works "with" and "without" the figure is their ratio, otherwise it is that of "work".
    """

    what: str
    goal: str
    make: Callable[[Path], Works]
    unit: str = "s"

    def shown(self, found: Mapping[str, float]) -> str:
        """The figure of a case as text."""
        if "without" in found:
            return f"{found['with'] / found['without']:.2f} times ({found['with']:.2f} s)"
        return f"{found['work']:,.2f} {self.unit}"


# -------------------------------------------------------------------- tables


def mixed_frame(n_rows: int, seed: int = 0) -> tuple[pl.DataFrame, np.ndarray]:
    """Four floats and four text columns; two classes with noise."""
    rng = np.random.default_rng(seed)
    floats = rng.normal(size=(n_rows, 4)).round(2)
    texts = [rng.integers(k, size=n_rows) for k in (2, 4, 6, 9)]
    score = floats[:, 0] * floats[:, 1] + (texts[1] > 1) - (texts[3] % 3 == 0)
    y = np.where(score + rng.normal(size=n_rows) > 0, "yes", "no")
    columns = {f"x{i}": floats[:, i] for i in range(4)}
    columns |= {f"t{i}": np.array([f"v{c}" for c in codes]) for i, codes in enumerate(texts)}
    return pl.DataFrame(columns), y


def frame_of(matrix: np.ndarray, y: np.ndarray) -> pl.DataFrame:
    """A matrix and its classes as a table."""
    columns = {f"x{i}": column for i, column in enumerate(matrix.T)}
    return pl.DataFrame({**columns, "y": np.array(["no", "yes"])[y]})


def with_missing(matrix: np.ndarray, share: float) -> np.ndarray:
    """The matrix with a share of its values missing."""
    gone = np.random.default_rng(1).random(matrix.shape) < share
    return np.where(gone, np.nan, matrix)


def command(*words: object) -> Callable[[], None]:
    """A run of the program, on one thread where it has a choice."""
    program = str(Path(sys.executable).with_name("plaintree"))

    def run() -> None:
        subprocess.run([program, *map(str, words)], check=True, stdout=subprocess.DEVNULL)

    return run


# -------------------------------------------------------------------- rules, evaluation, reports


def rules_of_mixed(n_rows: int) -> Works:
    """The rules of an unpruned C4.5 tree of mixed columns."""
    X, y = mixed_frame(n_rows)
    tree = pt.C45Classifier(pruning=None).fit(X, y).tree_
    return {"work": lambda: pt.rules.simplify_rules(tree, X, y)}


def rules_command(place: Path) -> Works:
    """`plaintree rules` without cross-validation on 100,000 mixed rows."""
    X, y = mixed_frame(100_000)
    X.with_columns(y=pl.Series(y)).write_csv(place / "t.csv")
    return {"work": command("rules", place / "t.csv", "--target", "y", "--cv", 0)}


def on_adult(name: str) -> Works:
    """A command on adult; it needs the reference tables beside the project."""
    return {"work": command(name, ADULT, "--target", "income")}


def curve(_place: Path) -> Works:
    """The curve of every report."""
    half = 100_000
    X, y = numbers(2 * half, 10, seed=1)
    tree = pt.CARTClassifier(n_jobs=1).fit(X[:half], y[:half]).tree_
    return {"work": lambda: overfitting_curve(tree, X[:half], y[:half], X[half:], y[half:])}


def forest_command(place: Path) -> Works:
    """`plaintree forest` with 100 trees."""
    frame_of(*numbers(100_000, 10, seed=1)).write_csv(place / "t.csv")
    return {"work": command("forest", place / "t.csv", "--target", "y", "--n-estimators", 100)}


def discretizer(stop: Any, n_classes: int) -> Works:
    """The cuts of three float columns."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400_000, 3))
    y = (X[:, 0] * n_classes + rng.normal(size=len(X))).astype(int) % n_classes
    return {"work": lambda: MDLDiscretizer(stop=stop).fit(X, y)}


def printed_bytes(place: Path) -> Works:
    """What `plaintree grow` prints for 1,000,000 rows."""
    frame_of(*numbers(1_000_000, 10, seed=1)).write_csv(place / "t.csv")
    program = str(Path(sys.executable).with_name("plaintree"))
    words = [program, "grow", str(place / "t.csv"), "--target", "y", "--cv", "0"]
    return {"work": lambda: len(subprocess.run(words, check=True, capture_output=True).stdout)}


# -------------------------------------------------------------------- growing and prediction


def missing_against_none(learner: Any, n_rows: int) -> Works:
    """Fitting with 1 % missing values against none."""
    X, y = numbers(n_rows, 10, seed=1)
    gappy = with_missing(X, 0.01)
    return {"with": lambda: learner.fit(gappy, y), "without": lambda: learner.fit(X, y)}


def text_predict(n_categories: int) -> Works:
    """A forest's prediction with ten floats and one text column against the floats only."""
    matrix, y = numbers(100_000, 10, seed=1)
    floats = frame_of(matrix, y).drop("y")
    words = np.array([f"v{i}" for i in range(n_categories)])
    codes = np.random.default_rng(2).integers(n_categories, size=len(y))
    texts = floats.with_columns(t=pl.Series(words[codes]))
    models = [
        pt.RandomForestClassifier(50, random_state=0, n_jobs=1).fit(frame[:20_000], y[:20_000])
        for frame in (texts, floats)
    ]
    return {
        "with": lambda: models[0].predict(texts),
        "without": lambda: models[1].predict(floats),
    }


def fractional(_place: Path) -> Works:
    """CART that divides rows with missing values among branches."""
    X, y = numbers(64_000, 10, seed=1)
    gappy = with_missing(X, 0.1)
    return {"work": lambda: pt.CARTClassifier(missing="fractional", n_jobs=1).fit(gappy, y)}


def many_classes(_place: Path) -> Works:
    """ID3 with a thousand classes."""
    rng = np.random.default_rng(0)
    frame = pl.DataFrame({f"c{i}": rng.integers(8, size=50_000).astype(str) for i in range(10)})
    y = rng.integers(1000, size=50_000)
    return {"work": lambda: pt.ID3Classifier().fit(frame, y)}


def many_categories(_place: Path) -> Works:
    """ID3 with columns of 10,000 categories: a small tree, or a refusal that names the column."""
    rng = np.random.default_rng(0)
    frame = pl.DataFrame({f"c{i}": rng.integers(10_000, size=50_000).astype(str) for i in range(3)})
    y = rng.integers(2, size=50_000)

    def fit() -> None:
        try:
            pt.ID3Classifier().fit(frame, y)
        except pt.PlaintreeError as error:
            print(error, file=sys.stderr)

    return {"work": fit}


def grouped(_place: Path) -> Works:
    """Groups of the categories of two columns, merged step by step."""
    rng = np.random.default_rng(0)
    codes = rng.integers(200, size=(2, 100_000))
    frame = pl.DataFrame({f"c{i}": [f"v{c}" for c in own] for i, own in enumerate(codes)})
    y = rng.integers(2, size=100_000)
    learner = pt.C45Classifier(categorical="grouped", pruning=None)
    return {"work": lambda: learner.fit(frame, y)}


def deep_chain(_place: Path) -> Works:
    """Error-based pruning of a chain: classes that alternate are split off one row at a time."""
    n = 20_000
    X, y = np.arange(n, dtype=float)[:, None], np.arange(n) % 2
    tree = pt.CARTClassifier(n_jobs=1).fit(X, y).tree_
    assert tree.depth == n - 1
    return {"work": lambda: pt.prune(tree, "error_based", X=X, y=y)}


# -------------------------------------------------------------------- files


def verified_export(place: Path) -> Works:
    """`plaintree export --verify` with a million rows."""
    X, y = numbers(1_000_000, 10, seed=1)
    frame = frame_of(X, y)
    model = pt.CARTClassifier(max_depth=8).fit(frame[:50_000].drop("y"), frame["y"][:50_000])
    save(model, place / "model.json")
    frame.drop("y").write_parquet(place / "t.parquet")
    words = ("export", place / "model.json", "--to", "python", "-o", place / "model.py")
    return {"work": command(*words, "--verify", place / "t.parquet")}


def csv_columns(n_columns: int, place: Path) -> Works:
    """Reading a CSV file of many columns and twenty rows."""
    from plaintree.data.files import read_table

    path = place / "wide.csv"
    names = ",".join(f"c{i}" for i in range(n_columns))
    line = ",".join(str(i % 7) for i in range(n_columns))
    path.write_text("\n".join([names, *[line] * 20]) + "\n")
    return {"work": lambda: str(read_table(str(path)).shape)}


CASES: dict[str, Case] = {
    "rules_40k": Case("C4.5rules, 40,000 mixed rows", "4", lambda _: rules_of_mixed(40_000)),
    "rules_100k": Case("plaintree rules, 100,000 mixed rows", "10", rules_command),
    "rules_adult": Case("plaintree rules on adult", "10", lambda _: on_adult("rules")),
    "compare_adult": Case("plaintree compare on adult", "60", lambda _: on_adult("compare")),
    "curve": Case("overfitting_curve, 100,000 rows and as many to test", "0.3", curve),
    "forest": Case("plaintree forest, 100 trees, 100,000 rows", "5", forest_command),
    "cuts_pure": Case(
        'discretiser, stop="pure", 400,000 x 3', "2", lambda _: discretizer("pure", 2)
    ),
    "cuts_classes": Case(
        "discretiser, 50 classes, 400,000 x 3", "2", lambda _: discretizer("mdl", 50)
    ),
    "grow_prints": Case("grow on 1,000,000 rows prints", "20,000", printed_bytes, "bytes"),
    "missing_tree": Case(
        "tree, 1 % missing against none",
        "1.3",
        lambda _: missing_against_none(pt.CARTClassifier(n_jobs=1), 100_000),
    ),
    "missing_forest": Case(
        "forest, 1 % missing against none",
        "1.3",
        lambda _: missing_against_none(
            pt.RandomForestClassifier(20, random_state=0, n_jobs=1), 50_000
        ),
    ),
    "text_predict": Case(
        "forest predict, with a text column of 30 categories", "1.5", lambda _: text_predict(30)
    ),
    "text_predict_100": Case(
        "forest predict, with a text column of 100 categories", "2", lambda _: text_predict(100)
    ),
    "fractional": Case('CART, missing="fractional", 64,000 rows', "2", fractional),
    "classes": Case("ID3, 1,000 classes, 50,000 rows", "3", many_classes),
    "categories": Case("ID3, 10,000 categories", "3", many_categories),
    "grouped": Case('categorical="grouped", 2 columns of 200 categories', "1", grouped),
    "deep_chain": Case("error-based pruning of a deep tree", "1", deep_chain),
    "verify": Case("export --verify, 1,000,000 rows", "5", verified_export),
    "csv_10k": Case("CSV of 10,000 columns", "0.2", lambda place: csv_columns(10_000, place)),
    "csv_100k": Case("CSV of 100,000 columns", "2", lambda place: csv_columns(100_000, place)),
}
"""Every case by name."""
