"""Tables of all kinds: files, hostile names, ties, missing values, categories, classes, numbers."""

from __future__ import annotations

import re

import polars as pl
import pytest

import plaintree as pt
from tests.support.dropped_files import drop
from tests.support.studio import random_frame
from tests.support.studio_page import Desk, expect

pytestmark = pytest.mark.browser

BIDI = "\u202egnp.exe"
LONG = "x" * 300
SCRIPT = "</script><script>document.title = 'taken'</script>"
IMAGE = "<img src=x onerror=\"document.title='taken'\">"


# -------------------------------------------------------------------- files


def test_a_table_is_dropped_on_the_first_page(desk: Desk) -> None:
    frame = pt.datasets.load_golf().frame
    desk.page.goto(desk.url)
    drop(desk.page.locator(".drop"), "dropped.csv", frame.write_csv())
    expect(desk.page.get_by_role("heading", level=1)).to_contain_text("dropped.csv")
    for name in frame.columns:
        expect(desk.page.get_by_role("rowheader", name=name, exact=True)).to_be_visible()
    # A column that is not used is not offered.
    desk.page.get_by_label("Use outlook").uncheck()
    expect(desk.page.get_by_label("Use outlook")).not_to_be_checked()
    desk.begin("ID3")
    desk.shows(0)
    expect(desk.inspector.get_by_role("button", name="outlook", exact=True)).to_have_count(0)
    expect(desk.inspector.get_by_role("button", name="windy", exact=True)).to_be_visible()


def test_the_reading_of_a_table_is_chosen_undone_and_kept(desk: Desk) -> None:
    rows = [f"{i % 3},{'?' if i % 5 == 0 else i},{'yes' if i > 20 else 'no'}" for i in range(40)]
    desk.upload("\n".join(["zone,age,class", *rows]), "read.csv")
    kind = desk.page.get_by_label("Kind age")
    kind.select_option(label="number")
    expect(desk.page.get_by_role("alert")).to_contain_text("add ? to the missing values")
    expect(kind).to_have_value("category")
    desk.button("Read ? as missing").click()
    expect(kind).to_have_value("number")
    expect(desk.page.get_by_label("Missing values")).to_have_value("?")
    desk.page.get_by_label("Kind zone").select_option(label="category")
    expect(desk.page.get_by_role("row", name=re.compile("^zone|Use zone"))).to_contain_text("0, 1")
    desk.begin("CART", grown=True)
    expect(desk.node(0)).to_contain_text("age")
    # The same table, read in another way, is a step that can be undone, also after a reload.
    desk.is_kept()
    before = desk.page.url
    desk.button(re.compile("^Table: ")).click()
    desk.page.get_by_role("menuitem", name="Columns and missing values").click()
    desk.page.get_by_label("Use age").uncheck()
    expect(desk.page.get_by_label("Use age")).not_to_be_checked()
    desk.begin("CART", grown=True)
    expect(desk.node(0)).to_contain_text("zone")
    desk.page.wait_for_url(lambda url: url != before)
    desk.page.reload()
    expect(desk.node(0)).to_contain_text("zone")
    desk.undo()
    expect(desk.node(0)).to_contain_text("age")
    desk.view("Table")
    expect(desk.page.get_by_role("columnheader", name="age", exact=True)).to_be_visible()


def test_a_file_that_is_no_table_is_refused_in_words(desk: Desk) -> None:
    desk.upload(b"\x00\x01\x02 not a table", "table.parquet")
    alert = desk.page.get_by_role("alert")
    expect(alert).to_contain_text(re.compile("cannot|not|read", re.I))
    desk.upload("", "empty.csv")
    expect(alert).to_be_visible()
    expect(desk.button("Choose a file").first).to_be_enabled()
    refused = "Failed to load resource: the server responded with a status of 400 (Bad Request)"
    assert set(desk.complaints) <= {refused}  # the browser itself notes the refusal
    desk.complaints.clear()


HIDDEN = r"""() => {
  const hidden = /[\u0000-\u0008\u000b-\u001f\u007f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069]/;
  const shown = [...document.body.querySelectorAll("*")].flatMap((one) => [
    ...[...one.childNodes].filter((node) => node.nodeType === 3).map((node) => node.data),
    ...["title", "aria-label", "aria-valuetext"].map((name) => one.getAttribute(name)),
  ]);
  return shown.filter((text) => text !== null && hidden.test(text));
}"""


def is_all_visible(desk: Desk) -> None:
    """Whether no text or label on the page has a character that cannot be seen, or runs wide."""
    assert desk.page.evaluate(HIDDEN) == []
    root = "document.scrollingElement"
    assert desk.page.evaluate(f"{root}.scrollWidth <= {root}.clientWidth")


def test_hostile_names_are_text(desk: Desk) -> None:
    frame = pl.DataFrame(
        {
            SCRIPT: ["a", "b", "a", "b", "c", "c", "a", "b"],
            BIDI: [IMAGE, SCRIPT, IMAGE, "", "", SCRIPT, IMAGE, SCRIPT],
            LONG: [1, 2, 3, 4, 5, 6, 7, 8],
            "__proto__": ["u", "v", "u", "v", "u", "v", "u", "v"],
            IMAGE: [SCRIPT, IMAGE, SCRIPT, IMAGE, LONG, LONG, SCRIPT, IMAGE],
        }
    )
    desk.upload(frame.write_csv(), f"{SCRIPT[:9].replace('/', '')}{BIDI}.csv")
    expect(desk.page.get_by_label("What to predict")).to_have_value(IMAGE)
    is_all_visible(desk)
    desk.begin("C4.5")  # it refuses splits and gives reasons
    desk.shows(0)
    is_all_visible(desk)
    desk.button(re.compile("^Table: ")).click()
    is_all_visible(desk)
    desk.press("Escape", "Shift+G")
    expect(desk.status).not_to_contain_text(" open")
    desk.select(0)
    desk.press("Delete")
    expect(desk.page.get_by_text("removed.").last).to_be_visible()
    for title in ("Table", "Regions", "Rules", "How good", "What if", "History"):
        expect(desk.view(title)).to_be_visible()
        desk.page.wait_for_function("() => document.querySelector('.working') === null")
        is_all_visible(desk)
    desk.undo()
    expect(desk.nodes).not_to_have_count(1)
    desk.view("Table")
    expect(desk.page.get_by_role("columnheader", name=re.compile("^<.script>"))).to_be_visible()
    # Marks of direction are shown as a symbol, and long names are shortened in the middle.
    assert BIDI[0] not in desk.page.locator("body").inner_text()
    expect(desk.page.get_by_role("columnheader", name=re.compile("^�gnp"))).to_be_visible()
    expect(desk.page.get_by_role("columnheader", name=re.compile("^x+…x+$"))).to_be_visible()
    assert desk.page.locator("main script, main img[src]").count() == 0
    assert desk.page.title() != "taken"


# -------------------------------------------------------------------- ties, missing values


def test_ties_are_walked_through(desk: Desk) -> None:
    X, y = pt.datasets.load_lisbon_signs()
    model = pt.ID3Classifier().fit(X, y)
    tied = [n for n in range(model.tree_.n_nodes) if int(model.tree_.n_tied[n]) > 0]
    assert tied
    desk.example("lisbon_signs", grown=True)
    desk.has_nodes(model.tree_.n_nodes)
    link = desk.status.get_by_role("button", name=re.compile("tie"))
    ties = "1 tie" if len(tied) == 1 else f"{len(tied)} ties"
    expect(link).to_have_text(f"{ties} for the best split")
    link.click()
    expect(desk.inspector).to_contain_text("splits are tied.")
    expect(desk.inspector.get_by_text("1 =").first).to_be_visible()
    assert any(desk.node(n).get_attribute("aria-selected") == "true" for n in tied)


def test_rows_with_missing_values_are_divided(desk: Desk) -> None:
    frame = random_frame(4, 80)
    X, y = frame.drop("class"), frame["class"]
    model = pt.C45Classifier().fit(X, y)
    tree = model.tree_
    best = pt.candidates(model, X, y)[0]
    desk.upload(frame.write_csv(), "gaps.csv").begin("C4.5", grown=True)
    desk.has_nodes(tree.n_nodes)
    desk.select(0)
    offer = desk.inspector.get_by_role("listitem").filter(has_text="in the tree")
    assert best.n_missing > 0
    expect(offer).to_contain_text(re.compile(rf"{best.n_missing} rows? .*divided", re.S))
    # The card of the node says the same, with a hatched end of its bar.
    missing = desk.page.locator(".missing-note").first
    expect(missing).to_contain_text(re.compile(rf"{best.n_missing} rows? .*divided", re.S))
    expect(desk.node(0).locator(".hatched")).to_be_visible()
    expect(desk.node(0)).to_contain_text("80 rows")
    divided = next(n for n in range(1, tree.n_nodes) if not float(tree.weight[n]).is_integer())
    expect(desk.node(divided)).to_contain_text(re.compile(r"\d\.\d rows"))
    desk.select(divided)
    heading = desk.view("Table").get_by_role("columnheader", name="weight")
    expect(heading).to_be_visible()
    # A row that is divided lights each of its leaves, and says how much of it gets there.
    row = next(i for i, value in enumerate(X[best.feature]) if value is None)
    desk.select(0)
    header = desk.page.get_by_role("rowheader", name=str(row + 1), exact=True)
    desk.view("Table").get_by_role("row").filter(has=header).click()
    expect(desk.view("Table")).to_contain_text(f"of row {row + 1}")


# -------------------------------------------------------------------- sizes


def test_a_node_with_200_categories_is_one_block(desk: Desk) -> None:
    n = 200
    frame = pl.DataFrame(
        {
            "town": [f"town {i % n:03}" for i in range(2 * n)],
            "size": [i % 7 for i in range(2 * n)],
            "kind": ["big" if (i % n) % 3 == 0 else "small" for i in range(2 * n)],
        }
    )
    desk.upload(frame.write_csv(), "towns.csv").begin("ID3")
    desk.shows(0)
    desk.offer("town").get_by_role("button", name="town", exact=True).click()
    expect(desk.offer("town")).to_contain_text("197 more branches")
    desk.button("Take this split").click()
    desk.has_nodes(n + 1)
    block = desk.page.get_by_role("treeitem", name="200 branches in a list")
    expect(block).to_be_visible()
    search = block.get_by_role("searchbox")
    search.fill("town 042")
    block.get_by_role("button", name=re.compile("town 042")).click()
    expect(desk.inspector.get_by_role("heading", level=2)).to_contain_text("town 042")
    expect(desk.inspector).to_contain_text("2 rows")


def test_more_than_twelve_classes(desk: Desk) -> None:
    frame = pl.DataFrame(
        {"x": list(range(60)), "letter": [chr(ord("a") + i // 4) for i in range(60)]}
    )
    desk.upload(frame.write_csv(), "letters.csv")
    expect(desk.page.get_by_text("and 3 more")).to_be_visible()
    desk.begin("CART", grown=True)
    X, y = frame.drop("letter"), frame["letter"]
    desk.has_nodes(pt.CARTClassifier().fit(X, y).tree_.n_nodes)
    desk.select(0)
    bar = desk.inspector.locator(".bar.big i")
    expect(bar).to_have_count(12)  # eleven classes, and one part for the others


def test_a_lone_leaf_says_why(desk: Desk) -> None:
    frame = pl.DataFrame({"a": ["p", "q"] * 12, "b": range(24), "y": ["u", "u", "v", "v"] * 6})
    X, y = frame.drop("y"), frame["y"]
    model = pt.C45Classifier().fit(X, y)
    assert model.tree_.n_nodes == 1
    refused = [offer for offer in pt.candidates(model, X, y) if offer.refused]
    assert refused
    desk.upload(frame.write_csv(), "leaf.csv").begin("C4.5", grown=True)
    desk.has_nodes(1)
    desk.select(0)
    for found in refused:
        offer = desk.inspector.get_by_role("listitem").filter(has_text=f"{found.feature} ")
        expect(offer.last).to_contain_text(f"Not taken by the learner: {found.refused}")
    expect(desk.inspector.get_by_role("heading", name="Splits that do not qualify")).to_be_visible()
    expect(desk.view("Pruning")).to_contain_text("so there is nothing to prune")


def test_one_class_is_a_tree_of_one_leaf(desk: Desk) -> None:
    desk.upload("a,y\n1,only\n2,only\n3,only\n").begin("CART", grown=True)
    desk.has_nodes(1)
    expect(desk.node(0)).to_contain_text("only")


# -------------------------------------------------------------------- numbers, forests


def test_a_numeric_target_is_a_regression(desk: Desk) -> None:
    X, y = pt.datasets.load_houses()
    model = pt.CARTRegressor(max_depth=2).fit(X, y)
    tree = model.tree_
    desk.page.goto(desk.url)
    desk.button(re.compile("^houses ")).click()
    expect(desk.page.get_by_label("Predict a number (regression)")).to_be_checked()
    desk.begin("CART")
    desk.shows(0)
    best = pt.candidates(model, X, y)[0]
    first = desk.inspector.get_by_role("listitem").first
    expect(first).to_contain_text(best.feature)
    desk.button("Grow one level").click()
    desk.has_nodes(1 + int(tree.n_children[0]))
    mean = float(tree.node(1).prediction)
    desk.select(1)
    expect(desk.inspector).to_contain_text(f"Predicts {_significant(mean)}")
    view = desk.view("What if")
    expect(view.locator(".whatif-answer")).to_contain_text(re.compile(r"\d"))
    expect(desk.view("Rules").get_by_role("row")).to_have_count(1 + int(tree.n_children[0]))


def _significant(number: float) -> str:
    """A number with five significant digits, as the page writes it."""
    text = f"{number:.5g}"
    return f"{float(text):,.10g}"


def test_a_forest_votes_and_is_not_edited(desk: Desk) -> None:
    desk.page.goto(desk.url)
    desk.button(re.compile("^golf ")).click()
    desk.page.get_by_label("Learner").select_option(label="Random forest")
    expect(desk.button("Start with the root open")).to_have_count(0)
    desk.button("Grow a tree").click()
    expect(desk.node(0)).to_be_visible()
    choice = desk.page.get_by_role("spinbutton", name=re.compile("^Tree"))
    expect(choice).to_have_attribute("max", str(pt.RandomForestClassifier().n_estimators))
    for name in ("Make a leaf", "Grow below", "Grow the rest", "Take this split"):
        expect(desk.button(name)).to_have_count(0)
    desk.node(0).focus()
    before = desk.nodes.count()
    desk.press("Delete", "g", "1")
    expect(desk.nodes).to_have_count(before)
    expect(desk.page.get_by_role("tab", name="Pruning")).to_have_count(0)
    forms = desk.view("Rules").get_by_role("group", name="Form of the rules").get_by_role("button")
    assert forms.all_inner_texts() == ["Outline", "One per leaf"]
    view = desk.view("What if")
    expect(view.get_by_role("heading", name="Votes of the trees")).to_be_visible()
    expect(desk.view("How good").get_by_role("button", name="Out of bag")).to_be_visible()
    # The inspector knows the forest as a whole, and the split of each node.
    X, y = pt.datasets.load_golf()
    forest = pt.RandomForestClassifier(oob_score=True).fit(X, y)
    expect(choice).to_have_value("1")
    expect(desk.inspector).to_contain_text(f"Out-of-bag accuracy {100 * forest.oob_score_:.1f}%")
    expect(desk.inspector).to_contain_text("out-of-bag rows (14 rows)")
    expect(desk.inspector).to_contain_text("are grown on samples or weights of the rows")
    importances = desk.inspector.get_by_role("table").get_by_role("rowheader")
    assert {text.strip() for text in importances.all_inner_texts()} == set(X.columns)
    desk.button("How good: out of bag").click()
    expect(desk.page.get_by_role("tab", name="How good")).to_have_attribute("aria-selected", "true")
    desk.button("What if: the votes of the trees").click()
    expect(view.get_by_role("heading", name="Votes of the trees")).to_be_visible()
    desk.button("Next tree").click()
    expect(choice).to_have_value("2")
    tree = forest.trees_[1]
    if not tree.root.is_leaf:
        split = desk.inspector.get_by_role("heading", name="Split", exact=True).locator("../..")
        expect(split).to_contain_text(tree.root.feature)
        expect(split).to_contain_text(f"{float(tree.score[0]):.4f}")
    choice.fill("7")
    choice.press("Enter")
    expect(desk.node(0)).to_be_visible()
    expect(choice).to_have_value("7")
