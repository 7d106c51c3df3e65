"""Every figure of the courses' worked solutions stands in the derivation of the same tree.

Printed figures are often cut off, or computed from rounded ones: a figure counts as found if the
text has one that differs by no more than one in its last place. Shares must be there literally.
"""

from __future__ import annotations

import re

import pytest

import plaintree as pt
from plaintree.datasets import Dataset
from plaintree.derivation.solution import Derivation, derive

LISBON = """3/6 1 1/2 2/6 0.33 0.66 2/3 1/3 3/6 0.9183 0.0817 2/4 4/6 1.0 0
            1/2 0.0 1"""
TURIN = """3/7 4/7 0.9852 0 0.9183 0.3936 0.5916 1.4488 0.4083
           0.8113 0.4636 0.5216 0.9852 0.5294 1 0.9650 0.0202 0.0205
           0.5408 1.5 0.5 0.3113"""
TEHRAN = """7/14 .985 .592 8/14 6/14 .811 1 .940 .151 .048
            .970 3/5 2/5 0.0 1/5 1.0 .570 .918 .019"""


def worked(data: Dataset, criterion: str = "information_gain", **options: object) -> Derivation:
    model = pt.ID3Classifier(criterion).fit(data.X, data.y)
    return derive(model, data.X, data.y, **options)


@pytest.mark.parametrize(
    ("data", "criterion", "figures"),
    [
        (pt.datasets.load_lisbon_signs(), "information_gain", LISBON),
        (pt.datasets.load_flu(), "gain_ratio", TURIN),
        (pt.datasets.load_tennis(), "information_gain", TEHRAN),
    ],
    ids=["Lisbon, exercise 1", "Turin, flu", "Tehran, play tennis"],
)
@pytest.mark.parametrize("width", [60, 80])
def test_every_figure_of_the_solution_is_there(
    data: Dataset, criterion: str, figures: str, width: int
) -> None:
    text = worked(data, criterion).to_text(width=width)
    shares = set(re.findall(r"\d+/\d+", text))
    numbers = [float(n) for n in re.findall(r"(?<![\d/.])\d+(?:\.\d+)?(?![\d/])", text)]
    for figure in figures.split():
        if "/" in figure:
            assert figure in shares
        else:
            places = len(figure.partition(".")[2])
            near = 1.0001 * 10**-places if places > 1 else 0
            assert any(abs(number - float(figure)) <= near for number in numbers), figure


def test_lisbon_finds_the_tie_and_takes_the_first_column() -> None:
    text = worked(pt.datasets.load_lisbon_signs()).to_text()
    assert "F2 ties with F3 at a gain of 1; the first column is taken: F2." in text


def test_turin_the_ratio_of_nausea_in_the_second_step() -> None:
    """Printed 0.3160, from the entropy of all seven rows; among the four it is 1."""
    text = worked(pt.datasets.load_flu(), "gain_ratio").to_text()
    second = text[text.index("Step 2") :]
    assert "GainRatio(Nausea) ≈ 0.3113 / 1 ≈ 0.3113" in second


def test_turin_new_vectors_in_words() -> None:
    rows = [("normal", "yes", "yes"), ("very_high", "yes", "no")]
    text = worked(pt.datasets.load_flu(), "gain_ratio", rows=rows).to_text()
    first, second = text[text.index("Row 1") :].split("Row 2")
    assert "- Headache = yes\n- Temperature = normal\n- a leaf: no (no 1)" in first
    assert "The answer: no." in first
    assert "The answer: yes." in second


def test_turin_rules() -> None:
    text = worked(pt.datasets.load_flu(), "gain_ratio").to_text(width=100)
    assert "IF Headache = no THEN no   (support 3, confidence 1.00)" in text
    assert "IF Headache = yes AND Temperature = very_high THEN yes" in text


def test_tehran_says_which_rows_are_sunny() -> None:
    text = worked(pt.datasets.load_tennis()).to_text()
    assert "S: 5 rows (1, 2, 8, 9, 11). Classes: No 3, Yes 2." in text
