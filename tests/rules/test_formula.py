"""A class as a formula: it says what the tree says, and never at greater length than the rules."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import plaintree as pt
from plaintree.data.encode import encode
from plaintree.data.schema import Feature, Schema
from plaintree.data.table import table_from
from plaintree.errors import ArgumentTypeError, ParameterError
from plaintree.rules.formula import Formula, export_formula, formula_of
from tests.support.trees import XY_SCHEMA, build, chain_spec, random_rows, route, specs, tennis

A, B = [1, 0], [0, 1]


def formula(spec: Any, label: str = "A", **options: Any) -> str:
    return export_formula(build(XY_SCHEMA, spec), label, width=200, **options)


# ---------------------------------------------------------------- what it says


@given(specs(), st.sampled_from("AB"), st.integers(0, 2**32 - 1))
def test_it_holds_for_the_rows_that_the_tree_answers_so(spec: Any, label: str, seed: int) -> None:
    tree = build(XY_SCHEMA, spec)
    columns = random_rows(XY_SCHEMA, 60, seed)
    answered = tree.label[route(tree, columns)] == XY_SCHEMA.classes.index(label)
    for simplify in (True, False):
        held = formula_of(tree, label, simplify=simplify).matches(columns)
        assert held.tolist() == answered.tolist()


@given(specs(), st.sampled_from("AB"))
def test_it_is_never_longer_than_the_rules(spec: Any, label: str) -> None:
    tree = build(XY_SCHEMA, spec)
    short, plain = formula_of(tree, label), formula_of(tree, label, simplify=False)
    assert len(short.terms) <= len(plain.terms) <= tree.n_leaves
    assert short.n_conditions <= plain.n_conditions
    assert len(str(short)) <= max(len(str(plain)), len("always"))


@given(specs(), st.integers(0, 2**32 - 1))
def test_gaps_never_make_it_say_more_than_some_completion(spec: Any, seed: int) -> None:
    """What holds for a row with gaps holds whatever the missing values are."""
    tree = build(XY_SCHEMA, spec)
    gaps, full = random_rows(XY_SCHEMA, 60, seed, gaps=True), random_rows(XY_SCHEMA, 60, seed + 1)
    filled = [
        np.where(np.isnan(gap) if gap.dtype.kind == "f" else gap < 0, whole, gap)
        for gap, whole in zip(gaps, full, strict=True)
    ]
    short = formula_of(tree, "A")
    assert not (short.matches(gaps) & ~short.matches(filled)).any()


@given(st.sampled_from("AB"), st.integers(0, 2**32 - 1))
def test_branches_for_missing_values_are_part_of_it(label: str, seed: int) -> None:
    colors = {"red": A, "green": A, "blue": B, "grey": ("x <=", 3, A, B, B)}
    tree = build(XY_SCHEMA, ("color", colors, ("y <=", 2, A, B, A)))
    columns = random_rows(XY_SCHEMA, 100, seed, gaps=True)
    answered = tree.label[route(tree, columns)] == XY_SCHEMA.classes.index(label)
    assert formula_of(tree, label).matches(columns).tolist() == answered.tolist()


@pytest.mark.parametrize("missing", ["branch", "most_common", "fractional"])
@pytest.mark.parametrize("categorical", ["multiway", "subset", "one_vs_rest"])
def test_it_holds_for_the_predictions_of_a_model(missing: str, categorical: str) -> None:
    random = np.random.default_rng(1)
    n = 400
    X = pd.DataFrame(
        {
            "x": random.normal(size=n),
            "color": random.choice([*"rgbk"], n),
            "size": pd.Categorical(random.choice([*"sml"], n), [*"sml"], ordered=True),
        }
    )
    train = X.mask(random.random(X.shape) < 0.1)
    y = np.where(X["color"].isin(["r", "g"]) ^ (X["x"] > 0.5), "yes", random.choice([*"ab"], n))
    model = pt.DecisionTreeClassifier(missing=missing, categorical=categorical).fit(train, y)
    columns = encode(table_from(X), model.schema_)
    for label in model.classes_:
        expected = model.predict(X) == label
        assert formula_of(model, label).matches(columns).tolist() == expected.tolist()


# ---------------------------------------------------------------- how it is simplified


def test_a_class_is_a_disjunction_of_conjunctions() -> None:
    assert export_formula(tennis(), "Yes", width=200) == (
        "(outlook = Overcast) OR (outlook = Rain AND wind = Weak)"
        " OR (outlook = Sunny AND humidity <= 75)"
    )


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        pytest.param(("x <=", 3, A, ("x <=", 5, A, B)), "x <= 5", id="adjacent intervals"),
        pytest.param(("x <=", 3, B, ("x <=", 5, A, B)), "3 < x <= 5", id="a single interval"),
        pytest.param(
            ("color", {"red": A, "green": A, "blue": B, "grey": B}),
            "color in {red, green}",
            id="two categories",
        ),
        pytest.param(
            ("color", {"red": A, "green": A, "blue": B, "grey": A}),
            "color != blue",
            id="all categories but one",
        ),
        pytest.param(
            ("y <=", 2, ("color", dict.fromkeys(("red", "green", "blue", "grey"), A)), B),
            "y <= 2",
            id="all categories",
        ),
        pytest.param(
            ("x <=", 3, ("y <=", 2, A, B), ("y <=", 2, A, B)), "y <= 2", id="a test for nothing"
        ),
        pytest.param(
            ("x <=", 3, A, ("color =", "red", A, B)),
            "(x <= 3) OR (color = red)",
            id="a condition that is implied",
        ),
        pytest.param(
            ("x <=", 3, A, ("x <=", 5, ("y <=", 2, A, B), B)),
            "(x <= 3) OR (x <= 5 AND y <= 2)",
            id="an end that is implied",
        ),
        pytest.param(
            ("x <=", 3, ("x <=", 4, A, B), B), "x <= 3", id="a path that contradicts itself"
        ),
        pytest.param(
            ("x <=", 3, ("y <=", 2, B, A), ("x <=", 5, B, ("y <=", 2, B, A))),
            "(x <= 3 AND y > 2) OR (x > 5 AND y > 2)",
            id="intervals that do not touch",
        ),
        pytest.param(
            ("size <=", 0.5, B, ("size <=", 1.5, A, B)),
            "small < size <= middle",
            id="ordered categories",
        ),
        pytest.param(
            ("x <=", 3, A, B, ("y <=", 2, A, B)),
            "(x <= 3) OR (x is missing AND y <= 2)",
            id="missing values",
        ),
        pytest.param(("x <=", 3, A, A, A), "always", id="missing values as all others"),
    ],
)
def test_conditions_on_one_attribute_are_joined(spec: Any, words: str) -> None:
    assert formula(spec) == words


def test_exclusive_or_has_nothing_to_simplify() -> None:
    spec = ("x <=", 0, ("y <=", 0, B, A), ("y <=", 0, A, B))
    assert formula(spec) == "(x <= 0 AND y > 0) OR (x > 0 AND y <= 0)"


def test_a_class_that_is_everything_or_nothing() -> None:
    spec = ("x <=", 3, A, ("y <=", 2, A, A))
    assert (formula(spec, "A"), formula(spec, "B")) == ("always", "never")
    assert formula_of(build(XY_SCHEMA, spec), "A").terms == ((),)
    assert formula_of(build(XY_SCHEMA, spec), "B").terms == ()


def test_paths_can_be_left_as_they_are() -> None:
    spec = ("x <=", 3, A, ("x <=", 5, A, B))
    assert formula(spec, simplify=False) == "(x <= 3) OR (3 < x <= 5)"


def test_known_values_cannot_be_said_without_missing_ones() -> None:
    spec = ("x <=", 3, A, A, ("y <=", 2, A, B))
    assert formula(spec) == "(x <= 3) OR (x > 3) OR (y <= 2)"


def test_deep_trees_take_no_recursion() -> None:
    schema = Schema((Feature("x", "numeric"),), ("A", "B"))
    tree = build(schema, chain_spec(3_000))
    assert export_formula(tree, "B") == "x > 3000"


# ---------------------------------------------------------------- words

MIXED = ("color in", ["red", "blue"], ("x <=", 2.5, A, B), ("size <=", 0.5, B, A))


def test_styles() -> None:
    assert formula(MIXED) == (
        "(color in {red, blue} AND x <= 2.5) OR (color in {green, grey} AND size > small)"
    )
    assert formula(MIXED, style="unicode") == (
        "(color ∈ {red, blue} ∧ x ≤ 2.5) ∨ (color ∈ {green, grey} ∧ size > small)"
    )
    assert formula(MIXED, style="latex").replace("\n", " ") == (
        r"(\text{color} \in \{\text{red}, \text{blue}\} \land \text{x} \le 2.5) \lor "
        r"(\text{color} \in \{\text{green}, \text{grey}\} \land \text{size} > \text{small})"
    )


def test_names_that_look_like_signs_stay_names() -> None:
    schema = Schema(
        (Feature("a <= b_1", "categorical", "text", ("x in y", "50%", "{}")),), ("A", "B")
    )
    tree = build(schema, ("a <= b_1", {"x in y": A, "50%": B, "{}": A}))
    assert export_formula(tree, "A", style="unicode") == "a <= b_1 ≠ 50%"
    assert export_formula(tree, "A", style="latex") == (
        r"\text{a \textless{}= b\_1} \ne \text{50\%}"
    )
    assert export_formula(tree, "B", style="unicode") == "a <= b_1 = 50%"


def test_signs_that_latex_has_in_formulas_only() -> None:
    schema = Schema((Feature("a ≤ b ≠ c", "numeric"),), ("A", "B"))
    tree = build(schema, ("a ≤ b ≠ c <=", 2, [1, 0], [0, 1]))
    words = r"\text{a $\leq$ b $\neq$ c} \le 2"
    assert export_formula(tree, "A", style="latex") == words


FOREIGN = Schema((Feature("α ≤ 温度_1", "categorical", "text", ("😀", "b", "c")),), ("A", "B"))


def test_letters_that_pdflatex_has_not_are_numbers_there() -> None:
    tree = build(FOREIGN, ("α ≤ 温度_1", {"😀": A, "b": B, "c": B}))
    assert export_formula(tree, "A", style="latex", width=200) == (
        r"\text{\ifdefined\Umathchar α\else [U+03B1]\fi{} $\leq$ "
        r"\ifdefined\Umathchar 温度\else [U+6E29][U+5EA6]\fi{}\_1} = "
        r"\text{\ifdefined\Umathchar 😀\else [U+1F600]\fi{}}"
    )


@pytest.mark.parametrize("program", ["pdflatex", "lualatex"])
def test_latex_takes_letters_of_any_script(program: str, tmp_path: Path) -> None:
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    tree = build(FOREIGN, ("α ≤ 温度_1", {"😀": A, "b": B, "c": B}))
    document = (
        "\\documentclass{article}\\usepackage{amsmath}\\begin{document}"
        f"\\[{export_formula(tree, 'A', style='latex', width=40)}\\]\\end{{document}}"
    )
    (tmp_path / "page.tex").write_text(document, encoding="utf-8")
    command = [program, "-interaction=nonstopmode", "-halt-on-error", "page.tex"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
    assert run.returncode == 0, run.stdout.decode(errors="replace")[-2000:]


def test_values_in_latex() -> None:
    schema = Schema((Feature("x", "numeric"), Feature("t", "numeric", "date")), ("A", "B"))
    day = 86_400_000_000.0
    tree = build(schema, ("x <=", 1e-7, A, ("t <=", day, A, B)))
    assert export_formula(tree, "A", style="latex") == (
        r"(\text{x} \le 1 \cdot 10^{-7}) \lor (\text{t} \le \text{1970-01-02})"
    )
    missing = build(schema, ("x <=", 1, B, B, A))
    assert export_formula(missing, "A", style="latex") == r"\text{x} \text{ is missing}"
    assert export_formula(missing, "A", style="unicode") == "x is missing"
    always = build(schema, A)
    assert export_formula(always, "A", style="latex") == r"\text{always}"


def test_long_formulas_have_a_line_per_term() -> None:
    text = export_formula(build(XY_SCHEMA, MIXED), "A", width=40)
    assert text.split("\n") == [
        "(color in {red, blue} AND x <= 2.5)",
        "OR (color in {green, grey} AND size >",
        "      small)",
    ]


def test_a_formula_prints_itself() -> None:
    found = formula_of(tennis(), "No")
    assert isinstance(found, Formula)
    assert str(found) == "(outlook = Rain AND wind = Strong) OR (outlook = Sunny AND humidity > 75)"


# ---------------------------------------------------------------- errors


def test_only_classes_of_the_tree() -> None:
    with pytest.raises(ParameterError, match=r"no such class. Got label='yes'. Hint: did you mean"):
        export_formula(tennis(), "yes")
    with pytest.raises(ParameterError, match=r"Hint: the classes are 'No', 'Yes'"):
        export_formula(tennis(), 7)


def test_only_known_styles() -> None:
    with pytest.raises(ParameterError, match=r"style='prose'. Hint: use one of 'text', 'unicode'"):
        export_formula(tennis(), "Yes", style="prose")  # type: ignore[arg-type]


def test_a_list_of_rules_has_no_formula() -> None:
    model = pt.C45RulesClassifier().fit(*pt.datasets.load_golf())
    for listed in (model, model.rules_):
        with pytest.raises(
            ArgumentTypeError,
            match="a formula describes a tree",
        ):
            export_formula(listed, "no")


def test_what_has_no_tree_has_no_formula() -> None:
    with pytest.raises(ArgumentTypeError, match="no tree to read"):
        export_formula("tree", "Yes")
