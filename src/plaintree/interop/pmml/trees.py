"""Trees as TreeModel elements, and trees that vote as segments of a MiningModel."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from plaintree.data.words import plain
from plaintree.errors import ExportError
from plaintree.tree.condition import DIVIDES, STOPS, Condition, Grouped
from plaintree.tree.prediction import predicted_classes, predicted_values
from plaintree.tree.tree import Tree
from plaintree.tree.walk import divides

from ..members import Members, decisive_costs, division_weights, splits_to
from .fields import Field, Fields
from .markup import Markup
from .predicates import (
    Predicate,
    branch_predicate,
    by_surrogates,
    known_only,
    or_missing,
    with_codes,
    write_predicate,
)

AVERAGES = {"hard": "average", "weighted": "weightedAverage", "soft": "average"}
"""How PMML combines trees: their predictions are averaged, probabilities or votes.

PMML's own votes leave open which class wins a tie; of equal averages it is the first.
"""
VOTES = {**AVERAGES, "hard": "majorityVote", "weighted": "weightedMajorityVote"}
"""The same if trees divide rows, so leaves have probabilities, not votes."""


@dataclass(frozen=True)
class TreeWriter:
    """Writes the nodes of trees over the same fields.

    - ``brief``: only nodes where rows end have class probabilities.
    - ``votes``: the probability of their label is 1.
    """

    fields: Fields
    members: Members
    brief: bool = False
    votes: bool = False

    def features(self, tree: Tree) -> dict[str, str]:
        """The attributes of the TreeModel element."""
        inner = tree.n_children > 0
        stops = self.members.stops or bool((tree.missing_child[inner] == STOPS).any())
        last = "returnLastPrediction" if stops else "returnNullPrediction"
        binary = bool((tree.n_children[inner] == 2).all())
        return {
            "functionName": self.fields.function,
            "missingValueStrategy": "weightedConfidence" if divides(tree) else "defaultChild",
            "noTrueChildStrategy": last,
            "splitCharacteristic": "binarySplit" if binary else "multiSplit",
        }

    def write(self, out: Markup, tree: Tree) -> None:
        """Write the nodes of a tree, the branches of each in order."""
        scores = self._scores(tree)
        shares = self._shares(tree)
        divided, weights = divides(tree), division_weights(tree)
        if divided and decisive_costs(tree) is not None:
            raise ExportError(
                "PMML predicts the most probable class for a row that is divided over branches, "
                "and this tree the class of the least expected cost",
                got="a tree that divides rows and has costs or a decision threshold",
                hint='fit with another policy than missing="fractional".',
            )
        stops = self.members.stops | (tree.missing_child == STOPS)
        waiting: list[tuple[int, Predicate | None] | None] = [(0, None)]
        while waiting:
            entry = waiting.pop()
            if entry is None:
                out.end()
                continue
            node, predicate = entry
            leaf = not tree.n_children[node]
            default = None
            if not leaf and not divided and tree.missing_child[node] >= 0:
                default = int(tree.first_child[node]) + int(tree.missing_child[node])
            out.start(
                "Node",
                id=node,
                score=scores[node],
                recordCount=_number(weights[node]),
                defaultChild=default,
            )
            if predicate is None:
                out.empty("True")
            else:
                write_predicate(out, predicate)
            if shares is not None and (leaf or stops[node] or not self.brief):
                counts = None if self.votes else tree.class_weights[node]
                self._write_shares(out, counts, shares[node])
            waiting.append(None)
            if not leaf:
                first = int(tree.first_child[node])
                branches = self._branches(tree, node, divided)
                waiting += [(first + i, branches[i]) for i in reversed(range(len(branches)))]

    def _scores(self, tree: Tree) -> list[str]:
        """The prediction of every node: its label, or its number."""
        if not self.fields.classes:
            return [repr(number) for number in predicted_values(tree)[:, 0].tolist()]
        return [self.fields.classes[code] for code in predicted_classes(tree).tolist()]

    def _shares(self, tree: Tree) -> NDArray[np.float64] | None:
        """The class probabilities of every node, or votes; None without classes."""
        if not self.fields.classes:
            return None
        if self.votes:
            return np.eye(len(self.fields.classes))[predicted_classes(tree)]
        return predicted_values(tree)

    def _write_shares(
        self, out: Markup, weights: NDArray[np.float64] | None, shares: NDArray[np.float64]
    ) -> None:
        counts = shares if weights is None else weights
        for label, count, share in zip(
            self.fields.classes, counts.tolist(), shares.tolist(), strict=True
        ):
            out.empty(
                "ScoreDistribution",
                value=label,
                recordCount=_number(count),
                confidence=repr(share),
                probability=repr(share),
            )

    def _branches(self, tree: Tree, node: int, divided: bool) -> list[Predicate]:
        """Return the predicates of a node's children; ``divided``: any node divides rows."""
        condition = tree.condition(node)
        assert condition is not None, "a leaf has no branches"
        attribute = self.fields.schema.features[condition.feature]
        field = self.fields.tested[condition.feature]
        closed = self.members.stops and attribute.is_categorical and not attribute.cuts
        missing = int(tree.missing_child[node])
        if tree.surrogates(node) or missing == STOPS:
            return self._by_surrogates(tree, node)
        predicates = [
            branch_predicate(condition, branch, field, attribute, closed=closed)
            for branch in range(int(tree.n_children[node]))
        ]
        if missing < 0:
            _check_division(tree, node, condition, field)
            return predicates
        if isinstance(condition, Grouped):  # categories without a branch count as missing
            predicates[missing] = with_codes(
                predicates[missing], field, condition.categories_of(-1)
            )
        if divided:  # elsewhere missing values are divided; here they are not
            return [
                _decided(predicate, field, i, missing, condition)
                for i, predicate in enumerate(predicates)
            ]
        return predicates

    def _by_surrogates(self, tree: Tree, node: int) -> list[Predicate]:
        """The predicates of a node whose surrogates decide, or where undecided rows stop.

        They are never unknown. Of a row that stops, all are false: the node itself predicts it.
        """
        missing = int(tree.missing_child[node])
        if missing == DIVIDES:
            raise ExportError(
                "PMML cannot divide rows that no surrogate split decides",
                got=f"node {node}, which has surrogates and divides rows",
                hint="choose another export, or a branch for rows that no surrogate decides.",
            )
        fields, features = self.fields.tested, self.fields.schema.features
        return [
            by_surrogates(
                splits_to(tree, node, branch),
                fields,
                features,
                branch == missing,
                as_is=self.members.stops,
            )
            for branch in range(int(tree.n_children[node]))
        ]


def _decided(
    predicate: Predicate, field: Field, branch: int, missing: int, condition: Condition
) -> Predicate:
    """The predicate of a branch, never unknown: only one branch takes missing values."""
    if branch != missing:
        return known_only(predicate, field)
    return predicate if branch == condition.n_branches else or_missing(predicate, field)


def _check_division(tree: Tree, node: int, condition: Condition, field: Field) -> None:
    """Refuse a node that divides rows in a way that PMML cannot express."""
    first, n = int(tree.first_child[node]), int(tree.n_children[node])
    if not division_weights(tree)[first : first + n].any():
        raise ExportError(
            "PMML divides rows without a value by the training rows of the branches, and here "
            "there are none",
            got=f"node {node}, a split on {plain(field.name)}",
            hint='prune the tree, or fit with another policy than missing="fractional".',
        )
    if isinstance(condition, Grouped):
        stray = _reachable(tree, node) & set(condition.categories_of(-1))
        if stray:
            raise ExportError(
                "PMML cannot divide rows with a category that has no branch",
                got=f"{plain(field.categories[min(stray)])} at node {node}, a split on "
                f"{plain(field.name)}",
                hint="fit without pruning, or with another treatment of categories.",
            )


def _reachable(tree: Tree, node: int) -> set[int]:
    """Return the categories of the split feature that can reach a node."""
    attribute = int(tree.feature[node])
    codes = np.arange(len(tree.schema.features[attribute].categories))
    while (above := int(tree.parent[node])) >= 0:
        condition = tree.condition(above)
        if condition is not None and condition.feature == attribute:
            branch = node - int(tree.first_child[above])
            routes = condition.route(codes)
            everywhere = routes < 0  # divided: such a row comes to every branch
            codes = codes[(routes == branch) | everywhere]
        node = above
    return set(codes.tolist())


def write_tree_model(out: Markup, fields: Fields, members: Members) -> None:
    """Open a TreeModel element for a single tree and write all but its end."""
    tree, writer = members.trees[0], TreeWriter(fields, members)
    out.start("TreeModel", modelName="plaintree", **writer.features(tree))
    fields.write_schema(out, members)
    fields.write_output(out)
    writer.write(out, tree)


def write_mining_model(out: Markup, fields: Fields, members: Members) -> None:
    """Open a MiningModel element, a segment for each tree, and write all but its end."""
    out.start("MiningModel", modelName="plaintree", functionName=fields.function)
    fields.write_schema(out, members)
    fields.write_output(out)
    divided = any(map(divides, members.trees))
    method = (VOTES if divided else AVERAGES)[members.voting]
    out.start("Segmentation", multipleModelMethod=method)
    votes = members.voting != "soft" and not divided
    writer = TreeWriter(fields, members, brief=True, votes=votes)
    for number, tree in enumerate(members.trees):
        weight = repr(members.weights[number]) if members.weights else None
        out.start("Segment", id=number + 1, weight=weight)
        out.empty("True")
        out.start("TreeModel", **writer.features(tree))
        fields.write_schema(out, members)
        writer.write(out, tree)
        out.end()
        out.end()
    out.end()


def _number(value: float) -> str:
    """A count without a needless fraction, anything else as it is."""
    number = float(value)
    return str(int(number)) if number.is_integer() else repr(number)
