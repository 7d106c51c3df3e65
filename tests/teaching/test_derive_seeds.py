"""Every figure of the courses' worked solutions stands in the derivation of the same tree, at its
place: in the step of that node, under that attribute, as the result of that measure.

Shares must be there literally. Decimals must be ours, rounded to as many places as the course
prints. The courses' own slips are named with each figure that has one:

- ``CUT``: the figure is cut off, not rounded (0.66 of 0.6667), so ours is cut off to compare.
- ``ALL_ROWS``: in its second step the Turin solution takes the entropy of Nausea among all seven
  rows, 0.9852, for that among the four that are left, which is 1, and so finds the ratio 0.3160.

Shares of a branch of one class, such as 2/(2+0), are not written out here: its counts are in the
table, and its entropy is 0.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import ROUND_DOWN, ROUND_HALF_UP, Decimal

import pytest

import plaintree as pt
from plaintree.datasets import Dataset
from plaintree.teaching.derive.solution import Derivation, derive

CUT = "cut off"
ALL_ROWS = "of all rows instead of the node's"


@dataclass(frozen=True)
class Worked:
    """A measure that a course works out: its step and attribute (none: of the node itself), how
    our line begins, the figures filled in, and the result; ``slip`` if that is not our result."""

    step: int
    feature: str
    wanted: str
    filled: str
    result: str
    slip: str = ""


@dataclass(frozen=True)
class Counted:
    """Class counts of a branch that a course gives, in the order of our classes."""

    step: int
    feature: str
    branch: str
    counts: tuple[int, ...]


LISBON = [
    Worked(1, "", "H(S)", "3/6 3/6", "1"),
    Counted(1, "F1", "F1 = a", (1, 1)),
    Counted(1, "F1", "F1 = b", (0, 2)),
    Counted(1, "F1", "F1 = c", (2, 0)),
    Worked(1, "F1", "H(F1 = a)", "1/2 1/2", "1"),
    Worked(1, "F1", "H(F1 = b)", "", "0"),
    Worked(1, "F1", "H(F1 = c)", "", "0"),
    Worked(1, "F1", "H(S | F1)", "2/6 2/6 2/6", "0.33"),
    Worked(1, "F1", "Gain(F1)", "", "0.66", CUT),
    Counted(1, "F2", "F2 = a", (2, 1)),
    Counted(1, "F2", "F2 = b", (1, 2)),
    Worked(1, "F2", "H(F2 = a)", "2/3 1/3", "0.9183"),
    Worked(1, "F2", "H(F2 = b)", "1/3 2/3", "0.9183"),
    Worked(1, "F2", "H(S | F2)", "3/6 3/6", "0.9183"),
    Worked(1, "F2", "Gain(F2)", "", "0.0817"),
    Counted(1, "F3", "F3 = a", (1, 1)),
    Counted(1, "F3", "F3 = c", (2, 2)),
    Worked(1, "F3", "H(F3 = a)", "1/2 1/2", "1"),
    Worked(1, "F3", "H(F3 = c)", "2/4 2/4", "1"),
    Worked(1, "F3", "H(S | F3)", "2/6 4/6", "1.0"),
    Worked(1, "F3", "Gain(F3)", "", "0"),
    Worked(2, "", "H(S)", "1/2 1/2", "1"),
    Counted(2, "F2", "F2 = a", (1, 0)),
    Counted(2, "F2", "F2 = b", (0, 1)),
    Worked(2, "F2", "H(S | F2)", "1/2 1/2", "0"),
    Worked(2, "F2", "Gain(F2)", "", "1"),
    Counted(2, "F3", "F3 = a", (1, 0)),
    Counted(2, "F3", "F3 = c", (0, 1)),
    Worked(2, "F3", "H(S | F3)", "1/2 1/2", "0.0"),
    Worked(2, "F3", "Gain(F3)", "", "1"),
]
TURIN = [
    Worked(1, "", "H(S)", "3/7 4/7", "0.9852"),
    Worked(1, "Temperature", "H(Temperature = very_high)", "", "0"),
    Worked(1, "Temperature", "H(Temperature = high)", "", "0.9183"),
    Worked(1, "Temperature", "H(Temperature = normal)", "", "0"),
    Worked(1, "Temperature", "H(S | Temperature)", "", "0.3936"),
    Worked(1, "Temperature", "Gain(Temperature)", "0.9852", "0.5916", CUT),
    Worked(1, "Temperature", "SplitInfo(Temperature)", "", "1.4488"),
    Worked(1, "Temperature", "GainRatio(Temperature)", "", "0.4083", CUT),
    Worked(1, "Headache", "H(Headache = yes)", "", "0.8113"),
    Worked(1, "Headache", "H(Headache = no)", "", "0"),
    Worked(1, "Headache", "H(S | Headache)", "", "0.4636"),
    Worked(1, "Headache", "Gain(Headache)", "0.9852", "0.5216"),
    Worked(1, "Headache", "SplitInfo(Headache)", "", "0.9852"),
    Worked(1, "Headache", "GainRatio(Headache)", "", "0.5294", CUT),
    Worked(1, "Nausea", "H(Nausea = yes)", "", "1"),
    Worked(1, "Nausea", "H(Nausea = no)", "", "0.9183"),
    Worked(1, "Nausea", "H(S | Nausea)", "", "0.9650"),
    Worked(1, "Nausea", "Gain(Nausea)", "0.9852", "0.0202"),
    Worked(1, "Nausea", "SplitInfo(Nausea)", "", "0.9852"),
    Worked(1, "Nausea", "GainRatio(Nausea)", "", "0.0205"),
    Worked(2, "", "H(S)", "", "0.8113"),
    Worked(2, "Temperature", "H(Temperature = very_high)", "", "0"),
    Worked(2, "Temperature", "H(Temperature = high)", "", "0"),
    Worked(2, "Temperature", "H(Temperature = normal)", "", "0"),
    Worked(2, "Temperature", "H(S | Temperature)", "", "0"),
    Worked(2, "Temperature", "Gain(Temperature)", "0.8113", "0.8113"),
    Worked(2, "Temperature", "SplitInfo(Temperature)", "", "1.5"),
    Worked(2, "Temperature", "GainRatio(Temperature)", "", "0.5408", CUT),
    Worked(2, "Nausea", "H(Nausea = yes)", "", "0"),
    Worked(2, "Nausea", "H(Nausea = no)", "", "1"),
    Worked(2, "Nausea", "H(S | Nausea)", "", "0.5"),
    Worked(2, "Nausea", "Gain(Nausea)", "0.8113", "0.3113"),
    Worked(2, "Nausea", "SplitInfo(Nausea)", "", "0.9852", ALL_ROWS),
    Worked(2, "Nausea", "GainRatio(Nausea)", "", "0.3160", ALL_ROWS),
]
TEHRAN = [
    Worked(1, "", "H(S)", "", ".940"),
    Worked(1, "Humidity", "H(Humidity = High)", "", "0.985"),
    Worked(1, "Humidity", "H(Humidity = Normal)", "", "0.592"),
    Worked(1, "Humidity", "H(S | Humidity)", "7/14 0.985 7/14 0.592", ""),
    Worked(1, "Humidity", "Gain(Humidity)", ".940", ".151", CUT),
    Worked(1, "Wind", "H(Wind = Weak)", "", "0.811"),
    Worked(1, "Wind", "H(Wind = Strong)", "", "1"),
    Worked(1, "Wind", "H(S | Wind)", "8/14 0.811 6/14 1", ""),
    Worked(1, "Wind", "Gain(Wind)", ".940", ".048"),
    Worked(3, "", "H(S)", "", ".970", CUT),
    Worked(3, "Humidity", "H(S | Humidity)", "3/5 0.0 2/5 0.0", ""),
    Worked(3, "Humidity", "Gain(Humidity)", "", ".970", CUT),
    Worked(3, "Temperature", "H(S | Temperature)", "2/5 0.0 2/5 1.0 1/5 0.0", ""),
    Worked(3, "Temperature", "Gain(Temperature)", "", ".570", CUT),
    Worked(3, "Wind", "H(S | Wind)", "2/5 1.0 3/5 .918", ""),
    Worked(3, "Wind", "Gain(Wind)", "", ".019", CUT),
]


def worked(data: Dataset, criterion: str = "information_gain", **options: object) -> Derivation:
    model = pt.ID3Classifier(criterion).fit(data.X, data.y)
    return derive(model, data.X, data.y, **options)


def part(text: str, step: int, attribute: str) -> list[str]:
    """The lines about an attribute in a step, or about its node; formulas are on one line each."""
    _, _, after = text.partition(f"\nStep {step}: ")
    inside = re.split(r"\n(?:Step \d+: .*|The tree)\n-+\n", after)[0]
    pieces = re.split(r"\n(.+)\n~+\n", inside)
    about = dict(zip(["", *pieces[1::2]], pieces[::2], strict=True))
    return re.sub(r"\n {4,}", " ", about[attribute]).split("\n")


def line_of(lines: list[str], begin: str) -> str:
    found = [line for line in lines if re.match(rf" *{re.escape(begin)}(?: |$)", line)]
    assert len(found) == 1, f"{begin} stands there {len(found)} times"
    return found[0].strip().removeprefix(begin)


def figures_in(line: str) -> list[str]:
    """The shares and decimals of a line, in order; the base of a logarithm is none."""
    return re.findall(r"\d+/\d+|\d+(?:\.\d+)?", line.replace("log2", ""))


def printed_like(figure: str, ours: str, rounding: str) -> bool:
    """Whether a course's figure is ours, with as many places as the course prints."""
    if "/" in figure or "/" in ours:
        return figure == ours
    places = Decimal(1).scaleb(-len(figure.partition(".")[2]))
    return Decimal(ours).quantize(places, rounding=rounding) == Decimal(figure)


def check(asked: Worked, texts: dict[int, str]) -> None:
    """``texts`` by digits: figures that are cut off are compared with finer ones."""
    lines = part(texts[4], asked.step, asked.feature)
    ours = figures_in(line_of(lines, asked.wanted))
    left = list(ours[:-1])
    for figure in asked.filled.split():
        same = [other for other in left if printed_like(figure, other, ROUND_HALF_UP)]
        assert same, f"{asked}: {figure} is not filled in: {ours}"
        left.remove(same[0])
    if not asked.result:
        return
    rounded = printed_like(asked.result, ours[-1], ROUND_HALF_UP)
    if not asked.slip:
        assert rounded, f"{asked}: {ours[-1]}"
        return
    assert not rounded, f"{asked} has no slip"
    if asked.slip == CUT:
        finer = figures_in(line_of(part(texts[9], asked.step, asked.feature), asked.wanted))
        assert printed_like(asked.result, finer[-1], ROUND_DOWN), f"{asked}: {finer[-1]}"


@pytest.mark.parametrize(
    ("data", "criterion", "solution"),
    [
        (pt.datasets.load_lisbon_signs(), "information_gain", LISBON),
        (pt.datasets.load_flu(), "gain_ratio", TURIN),
        (pt.datasets.load_tennis(), "information_gain", TEHRAN),
    ],
    ids=["Lisbon, exercise 1", "Turin, flu", "Tehran, play tennis"],
)
@pytest.mark.parametrize("width", [60, 80])
def test_every_figure_of_the_solution_is_at_its_place(
    data: Dataset, criterion: str, solution: list[Worked | Counted], width: int
) -> None:
    found = worked(data, criterion)
    texts = {digits: found.to_text(width=width, digits=digits) for digits in (4, 9)}
    for asked in solution:
        if isinstance(asked, Worked):
            check(asked, texts)
        else:
            row = line_of(part(texts[4], asked.step, asked.feature), asked.branch).split()
            assert tuple(map(int, row[: len(asked.counts)])) == asked.counts, asked


def test_lisbon_finds_the_tie_and_takes_the_first_column() -> None:
    text = worked(pt.datasets.load_lisbon_signs()).to_text()
    assert "F2 ties with F3 at a gain of 1; the first column wins: F2." in text


def test_turin_the_ratio_of_nausea_in_the_second_step() -> None:
    """Printed 0.3160, from the entropy of all seven rows; among the four it is 1."""
    text = worked(pt.datasets.load_flu(), "gain_ratio").to_text()
    second = text[text.index("Step 2") :]
    assert "GainRatio(Nausea) ≈ 0.3113 / 1 ≈ 0.3113" in second


def test_turin_new_vectors_in_words() -> None:
    rows = [("normal", "yes", "yes"), ("very_high", "yes", "no")]
    text = worked(pt.datasets.load_flu(), "gain_ratio", rows=rows).to_text()
    first, second = text[text.index("Row 1") :].split("Row 2")
    assert "- Headache = yes\n- Temperature = normal\n- a leaf: no (no: 1)" in first
    assert "Prediction: no." in first
    assert "Prediction: yes." in second


def test_turin_rules() -> None:
    text = worked(pt.datasets.load_flu(), "gain_ratio").to_text(width=100)
    assert "IF Headache = no THEN no   (support 3, confidence 1.00)" in text
    assert "IF Headache = yes AND Temperature = very_high THEN yes" in text


def test_tehran_says_which_rows_are_sunny() -> None:
    text = worked(pt.datasets.load_tennis()).to_text()
    assert "S: 5 rows (1, 2, 8, 9, 11). Classes: No: 3, Yes: 2." in text
