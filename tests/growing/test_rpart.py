"""rpart's stored trees, node by node: surrogates, priors, losses, costs of features.

Where rpart follows one of its bugs, or rounding decides, the trees below a node are not compared.
Everything else is: splits, rows, risks, predictions, surrogates with their agreements, and the node
in which every training row and every row with cells knocked out ends.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from plaintree.data.encode import encode
from plaintree.data.table import table_from
from plaintree.pruning.curves import pruning_path
from plaintree.tree.condition import Condition, Grouped, Surrogate, Threshold
from plaintree.tree.cut import cut_nodes
from plaintree.tree.predict import predicting_nodes
from plaintree.tree.prediction import class_probabilities, node_risks, rule_of
from plaintree.tree.tree import Tree
from plaintree.tree.walk import Reached, walk_rows
from tests.support.reference_tables import needs_shared
from tests.support.rpart_runs import RpartRun, rpart_runs

pytestmark = needs_shared

NO_WEIGHT = "rows of weight 0 count in n and minsplit there"
EXPOSURE = "there is no exposure here"
ZERO = "there a leaf may predict 0 events; here the deviance of others from it is infinite"
RUNS = [run for run in rpart_runs("rpart_anova", "rpart_cart") if "nodes" in run.stored]
OTHER = MappingProxyType(
    {
        "insurance-poisson_full": ZERO,
        "solder-poisson_cp001": ZERO,
        "solder-poisson_full": ZERO,
        "solder-poisson_shrink0_cp001": ZERO,
    }
)
"""Other runs in which the trees differ, and why."""


def left_out(run: RpartRun) -> str | None:
    """Why a run is not compared; None if it is."""
    if run.args.get("weights") == "wzero":
        return NO_WEIGHT
    return EXPOSURE if "exposure" in run.args else OTHER.get(str(run))


COMPARED = [run for run in RUNS if left_out(run) is None]


# -------------------------------------------------------------------- splits as rpart has them


def split_as_there(tree: Tree, condition: Condition, branch: int) -> Any:
    """What goes to a branch of a condition: a threshold with its side, or categories."""
    feature = tree.schema.features[condition.feature]
    labels = list(map(str, feature.categories))
    if isinstance(condition, Grouped):
        return {labels[code] for code in condition.categories_of(branch)}
    assert isinstance(condition, Threshold)
    if feature.kind == "ordered":
        low = {label for code, label in enumerate(labels) if code <= condition.threshold}
        return low if branch == 0 else set(labels) - low
    return condition.threshold, -1 if branch == 0 else 1


def is_left(ours: Any, theirs: dict[str, Any]) -> bool:
    """Whether what goes to a branch is what goes left there."""
    if "index" in theirs:
        return (
            isinstance(ours, tuple)
            and ours[1] == theirs["ncat"]
            and bool(np.isclose(ours[0], theirs["index"], rtol=1e-9, atol=1e-12))
        )
    return bool(ours == set(theirs["left"]))


def same_surrogate(tree: Tree, ours: Surrogate, theirs: dict[str, Any], left: int) -> bool:
    """Categories whose rows are as many on both sides may go to either."""
    measures = [ours.agreement, ours.adjusted]
    if tree.schema.names[ours.feature] != theirs["var"] or measures != pytest.approx(
        [theirs["improve"], theirs["adj"]], abs=1e-11
    ):
        return False
    branch = 1 - left if ours.reversed else left
    found = split_as_there(tree, ours.condition, branch)
    if isinstance(ours.condition, Grouped):
        other = split_as_there(tree, ours.condition, 1 - branch)
        return bool(found | other == set(theirs["left"]) | set(theirs["right"]))
    return is_left(found, theirs)


# -------------------------------------------------------------------- two trees side by side


@dataclass
class Comparison:
    """A tree here and there: which nodes correspond, and where they differ."""

    run: RpartRun
    tree: Tree
    columns: list[NDArray[Any]]
    number_of: dict[int, int] = field(default_factory=dict)
    differences: list[str] = field(default_factory=list)
    unsure: set[int] = field(default_factory=set)  # nodes with other surrogates
    n_uncompared: int = 0

    def walk(self) -> None:
        """Compare nodes from the root down."""
        stored = {node["id"]: node for node in self.run.stored["nodes"]}
        splits = defaultdict(list)
        for split in self.run.stored["splits"]:
            splits[split["node"], split["kind"]].append(split)
        pending = [(0, 1)]
        while pending:
            node, number = pending.pop()
            self.number_of[node] = number
            self.compare_node(node, stored[number])
            if stored[number]["var"] == "<leaf>":
                continue
            if number in self.run.stored["tie_nodes"]:
                self.n_uncompared += 1
                continue
            left = self.left_branch(node, splits[number, "primary"][0])
            if left is None and self.is_better(node, splits[number, "primary"][0]):
                self.n_uncompared += 1
            elif left is None:
                self.differences.append(f"split of node {number}")
            elif self.compare_surrogates(node, number, splits[number, "surrogate"], left):
                first = int(self.tree.first_child[node])
                pending += [(first + left, 2 * number), (first + 1 - left, 2 * number + 1)]
            else:
                self.n_uncompared += 1

    def expect(self, what: str, ours: Any, theirs: Any) -> None:
        if ours != pytest.approx(theirs, rel=1e-9, abs=1e-9):
            self.differences.append(f"{what}: {ours} against {theirs}")

    def compare_node(self, node: int, theirs: dict[str, Any]) -> None:
        tree, number = self.tree, theirs["id"]
        self.expect(f"n of node {number}", int(tree.n_rows[node]), theirs["n"])
        self.expect(f"weight of node {number}", float(tree.weight[node]), theirs["wt"])
        risk = float(node_risks(tree)[node])
        if tree.schema.classes:
            self.expect(f"dev of node {number}", risk, theirs["dev"])
            counts, shares = tree.class_weights[node], class_probabilities(tree)[node]
            self.expect(f"counts of node {number}", counts.tolist(), theirs["counts"])
            self.expect(f"probabilities of node {number}", shares.tolist(), theirs["prob"])
            cheapest = rule_of(tree).is_cheapest(tree.class_weights[node][None])[0]
            label = list(map(str, tree.schema.classes)).index(theirs["yval"])
            self.expect(f"class of node {number}", bool(cheapest[label]), True)
        elif self.run.args["method"] == "anova":
            self.expect(f"dev of node {number}", risk, theirs["dev"])
            self.expect(f"mean of node {number}", tree.prediction[node], theirs["yval"])
        else:  # rates are shrunken there
            events = float(tree.prediction[node] * tree.weight[node])
            self.expect(f"events of node {number}", events, theirs["events"])

    def left_branch(self, node: int, theirs: dict[str, Any]) -> int | None:
        condition = self.tree.condition(node)
        if condition is None or self.tree.schema.names[condition.feature] != theirs["var"]:
            return None
        branches = (0, 1)
        found = [b for b in branches if is_left(split_as_there(self.tree, condition, b), theirs)]
        return found[0] if found else None

    def is_better(self, node: int, theirs: dict[str, Any]) -> bool:
        """Whether the split here is a better set of categories.

        Where minbucket rules out cuts of the categories in the order of their means, every set is
        tried here, and only the other cuts there.
        """
        if self.run.args["method"] != "anova" or self.tree.condition(node) is None:
            return False
        return bool(self.tree.score[node] / self.tree.impurity[node] > theirs["improve"] + 1e-9)

    def compare_surrogates(
        self, node: int, number: int, theirs: list[dict[str, Any]], left: int
    ) -> bool:
        """Whether the children have the same rows."""
        if self.run.args["usesurrogate"] == 0:  # then surrogates are not kept here
            return True
        surrogates = self.tree.surrogates(node)
        taken = [s for s in surrogates if not self.is_refused_there(node, s)]
        n_more = len(surrogates) - len(taken)
        if len(surrogates) < len(theirs) or (not n_more and len(taken) > len(theirs)):
            self.differences.append(f"number of surrogates of node {number}")
        for ours, other in zip(taken, theirs, strict=False):
            if not same_surrogate(self.tree, ours, other, left):
                self.differences.append(f"surrogate {other['var']} of node {number}")
        sets_alike = all(
            is_left(split_as_there(self.tree, s.condition, left ^ s.reversed), other)
            for s, other in zip(taken, theirs, strict=False)
        )
        if n_more == 0 and sets_alike:
            return True
        self.unsure.add(node)
        return bool(self.is_known(node, self.columns, self.rows_of[node]).all())

    def is_known(
        self, node: int, columns: list[NDArray[Any]], rows: NDArray[np.intp]
    ) -> NDArray[np.bool_]:
        """Which rows the split of a node has a branch for."""
        condition = self.tree.condition(node)
        assert condition is not None, "the node is split"
        return np.asarray(condition.route(columns[condition.feature][rows]) >= 0)

    @property
    def rows_of(self) -> dict[int, NDArray[np.intp]]:
        return rows_by_node(self.run)

    def is_refused_there(self, node: int, surrogate: Surrogate) -> bool:
        """Whether fewer than two rows agree, or disagree: then rpart refuses categories."""
        condition, rows = self.tree.condition(node), self.rows_of[node]
        assert condition is not None, "a node with surrogates is split"
        if not isinstance(surrogate.condition, Grouped):
            return False
        primary = condition.route(self.columns[condition.feature][rows])
        other = surrogate.route(self.columns[surrogate.feature][rows])
        both = (primary >= 0) & (other >= 0)
        agree = int((primary == other)[both].sum())
        return min(agree, int(both.sum()) - agree) < 2

    # ---------------------------------------------------------------- rows

    def compare_rows(self, columns: list[NDArray[Any]], expected: list[int | None]) -> None:
        """The node where each row ends, in the part of the tree that was compared."""
        frontier = np.zeros(self.tree.n_nodes, dtype=np.bool_)
        inner = {int(self.tree.parent[n]) for n in self.number_of if n}
        frontier[[node for node in self.number_of if node not in inner]] = True
        kept = cut_nodes(self.tree, frontier)
        nodes = sorted(self.number_of)  # in the order that they keep
        numbers = {place: self.number_of[node] for place, node in enumerate(nodes)}
        known = set(numbers.values())
        excused = np.zeros(len(expected), dtype=np.bool_)
        for at in walk_rows(kept, columns, np.ones(len(expected))):
            if kept.n_children[at.node]:
                excused[at.rows[self.is_excused(kept, at, columns, numbers, nodes[at.node])]] = True
        ends = predicting_nodes(kept, columns).tolist()
        for row, (end, there) in enumerate(zip(ends, expected, strict=True)):
            if there is None or excused[row]:
                continue
            above = there
            while above not in known:
                above //= 2
            if numbers[end] != above:
                self.differences.append(f"row {row}: node {numbers[end]} against {above}")

    def is_excused(
        self,
        kept: Tree,
        at: Reached,
        columns: list[NDArray[Any]],
        numbers: dict[int, int],
        node: int,
    ) -> NDArray[np.bool_]:
        """Which rows at a node may go elsewhere there.

        In predicting, rpart's default counts rows, also those that surrogates sent; in growing it
        is that of weights, which holds here. A value that is exactly a threshold is left of it
        here, and right of it there.
        """
        stored = {node["id"]: node for node in self.run.stored["nodes"]}
        number, excused = numbers[at.node], np.zeros(len(at.rows), dtype=np.bool_)
        if self.run.args["usesurrogate"] == 2:
            n_left, n_right = (stored[2 * number + side]["n"] for side in (0, 1))
            heavier = -2 if n_left == n_right else 2 * number + (n_right > n_left)
            first, default = int(kept.first_child[at.node]), int(kept.missing_child[at.node])
            if heavier != (-2 if default < 0 else numbers[first + default]):
                excused |= at.branches < 0
        if node in self.unsure:
            excused |= ~self.is_known(node, columns, at.rows)
        conditions = [kept.condition(at.node), *(s.condition for s in kept.surrogates(at.node))]
        for condition in conditions:
            if isinstance(condition, Threshold):
                excused |= columns[condition.feature][at.rows] == condition.threshold
        return excused


@cache
def fitted(run: RpartRun) -> Any:
    return run.learner.fit(*run.table)


@cache
def encoded(run: RpartRun, holes: bool) -> list[NDArray[Any]]:
    schema = fitted(run).schema_
    return encode(table_from(run.holes if holes else run.table[0]), schema, unseen="missing")


@cache
def rows_by_node(run: RpartRun) -> dict[int, NDArray[np.intp]]:
    columns = encoded(run, holes=False)
    walked = walk_rows(fitted(run).tree_, columns, np.ones(len(columns[0])))
    return {at.node: at.rows for at in walked}


@cache
def compared(run: RpartRun) -> Comparison:
    found = Comparison(run, fitted(run).tree_, encoded(run, holes=False))
    found.walk()
    return found


# -------------------------------------------------------------------- the tests


def test_the_runs_that_are_left_out() -> None:
    assert Counter(left_out(run) for run in RUNS) == {
        None: 279,
        NO_WEIGHT: 12,
        EXPOSURE: 6,
        ZERO: 4,
    }


def test_most_nodes_are_compared() -> None:
    """The others are below ties, refused surrogates and better sets of categories."""
    stored = sum(len(run.stored["nodes"]) for run in COMPARED)
    found = sum(len(compared(run).number_of) for run in COMPARED)
    assert (found, stored) == (6467, 10167)


@pytest.mark.parametrize("run", COMPARED, ids=str)
def test_nodes_splits_and_surrogates(run: RpartRun) -> None:
    assert compared(run).differences == []


@pytest.mark.parametrize("run", [r for r in COMPARED if "predict_node" in r.stored], ids=str)
def test_where_rows_end(run: RpartRun) -> None:
    found = compared(run)
    stored, n = run.stored, len(encoded(run, holes=False)[0])
    grown = stored.get("train_node") or stored["predict_node"]
    if len(grown) > n:
        grown = [node for row, node in enumerate(grown) if row not in stored["rows_dropped"]]
    found.compare_rows(encoded(run, holes=False), grown)
    found.compare_rows(encoded(run, holes=True), stored["holes_node"])
    assert found.differences == []


@pytest.mark.parametrize("run", COMPARED, ids=str)
def test_complexity_of_every_node(run: RpartRun) -> None:
    found = compared(run)
    shrunken = run.args["method"] == "poisson" and run.args.get("parms") not in (
        {"shrink": 0},
        {"method": "sqrt"},
    )
    if shrunken or run.args["cp"] < 0 or found.n_uncompared:
        return
    path = pruning_path(fitted(run), links="rpart", cp=run.args["cp"])
    stored = {node["id"]: node for node in run.stored["nodes"]}
    for node, number in found.number_of.items():
        if stored[number]["var"] != "<leaf>":
            cp = path.links[node] / path.risks[-1]
            assert cp == pytest.approx(stored[number]["complexity"], abs=1e-9), number
