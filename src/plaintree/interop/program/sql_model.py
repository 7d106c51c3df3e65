"""A model as SQL expressions: one tree, trees that vote, or rules."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from plaintree.data.schema import Schema
from plaintree.errors import ExportError
from plaintree.rules.rule import Clause, Rule
from plaintree.tree.conventions import Conventions
from plaintree.tree.tree import Tree

from ..members import SAME_COST, Members, decisive_costs, members_of
from .plan import rule_probabilities, rules_that_fire
from .sql_tree import TreeSql
from .sql_words import Dialect, select_with

GROUP = 100
"""Trees that vote in one step."""
MOST_NODES = 500_000
"""Maximum number of nodes in SQL, all trees together: some 50 MB."""


class ModelSql:
    """A model in a dialect: its prediction, and its values.

    The values are the probability of each class, or the number, which is the prediction then.
    """

    def __init__(self, schema: Schema, dialect: Dialect, conventions: Conventions | None) -> None:
        self.schema = schema
        self.dialect = dialect
        self.prefix = _unused_prefix(schema)
        self.refusal = _refusal(schema, dialect, conventions)
        self.n_values = len(schema.classes) or 1

    def answer(self) -> str:
        """The class, or the number."""
        return self._unless_refused(self._answer()) if self.schema.classes else self.value(0)

    def value(self, number: int) -> str:
        """Write the probability of a class, or the number."""
        return self._unless_refused(self._value(number))

    def _answer(self) -> str:
        raise NotImplementedError

    def _value(self, number: int) -> str:
        raise NotImplementedError

    def label(self, code: int) -> str:
        return self.dialect.label(self.schema.classes[code], self.schema.classes)

    def greatest(self, totals: Sequence[str], codes: bool = False) -> str:
        """Write the first class of maximum probability, given by the names of columns."""
        answers = [str(c) if codes else self.label(c) for c in range(len(totals))]
        cases = [
            f"WHEN {' AND '.join(f'{total} >= {other}' for other in totals[c + 1 :])} "
            f"THEN {answers[c]}"
            for c, total in enumerate(totals[:-1])
        ]
        return f"CASE {' '.join(cases)} ELSE {answers[-1]} END" if cases else answers[0]

    def decided(self, tree: TreeSql, totals: Sequence[str], codes: bool = False) -> str:
        """Write the class of a row that a tree divides: by probability, or by expected cost."""
        costs = decisive_costs(tree.tree)
        if costs is None:
            return self.greatest(totals, codes)
        number, n = self.dialect.number, len(totals)
        answers = [str(c) if codes else self.label(c) for c in range(n)]
        expected = [
            " + ".join(f"{total} * {number(float(costs[a, c]))}" for a, total in enumerate(totals))
            for c in range(n)
        ]
        cases = [
            (c, [f"{expected[c]} <= {other} + {number(SAME_COST)}" for other in expected])
            for c in range(n - 1)
        ]
        whens = " ".join(f"WHEN {' AND '.join(tests)} THEN {answers[c]}" for c, tests in cases)
        return f"CASE {whens} ELSE {answers[-1]} END"

    def _unless_refused(self, expression: str) -> str:
        if self.refusal is None:
            return expression
        return f"CASE WHEN {self.refusal} THEN NULL ELSE {expression} END"


def written_model(model: object, dialect: Dialect) -> ModelSql:
    """A fitted model, a Tree or a RuleList in a dialect."""
    members = members_of(model)
    dialect.check_columns(members.schema.names)
    if not isinstance(members, Members):
        tree = getattr(model, "tree_", None)
        return _Rules(members, dialect, getattr(tree, "conventions", None))
    n_nodes = 0
    for tree in members.trees:
        n_nodes += tree.n_nodes
        if n_nodes > MOST_NODES:
            raise ExportError(
                "the model is too large for SQL",
                got=f"more than {MOST_NODES:,} nodes in {len(members.trees)} trees",
                hint="limit max_depth or the number of trees, or export to another language.",
            )
    if members.voting == "alone":
        return _Alone(members, dialect)
    return _Voting(members, dialect)


def _unused_prefix(schema: Schema) -> str:
    """Return a prefix that no column has."""
    prefix = "pt_"
    while any(name.casefold().startswith(prefix) for name in schema.names):
        prefix += "_"
    return prefix


def _refusal(schema: Schema, dialect: Dialect, conventions: Conventions | None) -> str | None:
    """Write the condition for rows that the model refuses, if any."""
    if conventions is None:
        return None
    reasons = []
    for attribute in schema.features:
        if conventions.missing == "error":
            reasons.append(f"{dialect.column(attribute)} IS NULL")
            if dialect.missing(attribute).count("NaN"):
                reasons[-1] = dialect.missing(attribute)
        if conventions.unseen == "error" and attribute.categories and not attribute.cuts:
            reasons.append(f"NOT {dialect.known(attribute)}")
    return " OR ".join(reasons) or None


# -------------------------------------------------------------------- one tree


class _Alone(ModelSql):
    """A single tree."""

    def __init__(self, members: Members, dialect: Dialect) -> None:
        super().__init__(members.schema, dialect, members.conventions)
        self.tree = TreeSql(members.trees[0], dialect, self.prefix)

    def _answer(self) -> str:
        alone = self.tree.followed(lambda node: self.label(self.tree.answers[node]))
        classes, decided = range(self.n_values), partial(self.decided, self.tree)
        return _or_divided(self.tree, alone, lambda: self.tree.divided(decided, classes))

    def _value(self, number: int) -> str:
        alone = followed_value(self.tree, number)
        return _or_divided(self.tree, alone, lambda: self.tree.divided(_only, [number]))


def _or_divided(tree: TreeSql, alone: str, divided: Any) -> str:
    """Write the prediction of a single node, or of a divided row."""
    return f"COALESCE({alone},\n{divided()})" if tree.divides else alone


def _only(totals: Sequence[str]) -> str:
    """The one total that there is."""
    return totals[0]


def followed_value(tree: TreeSql, number: int) -> str:
    """Write a value at the node of a row; NULL if the row is divided."""
    return tree.followed(lambda node: tree.dialect.number(float(tree.values[node, number])))


# -------------------------------------------------------------------- trees that vote


class _Voting(ModelSql):
    """Trees that vote, some in each step; votes and values are summed in the order of the trees."""

    def __init__(self, members: Members, dialect: Dialect) -> None:
        super().__init__(members.schema, dialect, members.conventions)
        self.members = members
        self.votes = members.weights or (1.0,) * len(members.trees)

    def _answer(self) -> str:
        return self._counted(self.greatest)

    def _value(self, number: int) -> str:
        return self._counted(lambda totals: totals[number])

    def _counted(self, write: Any) -> str:
        p, zero = self.prefix, self.dialect.number(0.0)
        sums = ", ".join(f"{zero} AS {p}v{c}" for c in range(self.n_values))
        steps = [f"{p}t0 AS MATERIALIZED (SELECT {sums})"]
        trees = list(self.members.trees)
        for start in range(0, len(trees), GROUP):
            some = trees[start : start + GROUP]
            if self.members.voting == "soft":
                for number, tree in enumerate(some, start):
                    steps.append(self._added_values(number, tree, len(steps)))
            else:
                steps += self._added_votes(start, some, len(steps))
        total = 0.0
        for vote in self.votes:
            total += vote
        parts = ", ".join(
            f"{p}v{c} / {self.dialect.number(total)} AS {p}v{c}" for c in range(self.n_values)
        )
        steps.append(f"{p}r AS MATERIALIZED (SELECT {parts} FROM {p}t{len(steps) - 1})")
        chosen = write([f"{p}v{c}" for c in range(self.n_values)])
        return select_with(steps, chosen, f"{p}r")

    def _tree(self, number: int, tree: Tree) -> TreeSql:
        return TreeSql(tree, self.dialect, f"{self.prefix}{number}_", f"tree {number}")

    def _added_values(self, number: int, tree: Tree, step: int) -> str:
        """Write a step that adds the values of a tree, leaf by leaf if divided."""
        p, written = self.prefix, self._tree(number, tree)
        sums = [f"{p}v{c}" for c in range(self.n_values)]
        columns = []
        for c, name in enumerate(sums):
            added = f"{name} + {followed_value(written, c)}"
            if written.divides:
                parts = written.divided(_only, [c], [name])
                added = f"COALESCE({added},\n{parts})"
            columns.append(f"{added} AS {name}")
        return f"{p}t{step} AS MATERIALIZED (SELECT {', '.join(columns)} FROM {p}t{step - 1})"

    def _added_votes(self, start: int, trees: list[Tree], step: int) -> list[str]:
        """Write two steps: the classes that some trees predict, and the votes with theirs."""
        p, zero = self.prefix, self.dialect.number(0.0)
        sums = [f"{p}v{c}" for c in range(self.n_values)]
        answers = [
            f"{self._class_of(self._tree(number, tree))} AS {p}a{number}"
            for number, tree in enumerate(trees, start)
        ]
        added = []
        for c, name in enumerate(sums):
            terms = [
                f"CASE {p}a{number} WHEN {c} THEN {self.dialect.number(vote)} ELSE {zero} END"
                for number, vote in enumerate(self.votes[start : start + len(trees)], start)
            ]
            added.append(f"{' + '.join([name, *terms])} AS {name}")
        answered = ", ".join([*sums, *answers])
        return [
            f"{p}t{step} AS MATERIALIZED (SELECT {answered} FROM {p}t{step - 1})",
            f"{p}t{step + 1} AS MATERIALIZED (SELECT {', '.join(added)} FROM {p}t{step})",
        ]

    def _class_of(self, tree: TreeSql) -> str:
        alone = tree.followed(lambda node: str(tree.answers[node]))
        classes = range(self.n_values)
        return _or_divided(
            tree, alone, lambda: tree.divided(partial(self.decided, tree, codes=True), classes)
        )


# -------------------------------------------------------------------- rules


class _Rules(ModelSql):
    """A rule list: the first rule whose conditions hold predicts."""

    def __init__(self, listed: Any, dialect: Dialect, conventions: Conventions | None) -> None:
        super().__init__(listed.schema, dialect, conventions)
        self.listed = listed
        self.rules: list[Rule] = rules_that_fire(listed)

    def _answer(self) -> str:
        classes = self.schema.classes
        labels = [classes.index(label) for label in self._labels()]
        return self._cases([self.label(code) for code in labels])

    def _value(self, number: int) -> str:
        classes = self.schema.classes
        weights = [*(rule.class_weights for rule in self.rules), self.listed.default_weights]
        shares = (
            rule_probabilities(classes.index(answer), weight)
            for answer, weight in zip(self._labels(), weights, strict=True)
        )
        return self._cases([self.dialect.number(share[number]) for share in shares])

    def _labels(self) -> list[Any]:
        return [*(rule.label for rule in self.rules), self.listed.default]

    def _cases(self, answers: list[str]) -> str:
        lines = [
            f"  WHEN {self._conditions(rule)} THEN {answer}\n"
            for rule, answer in zip(self.rules, answers, strict=False)
        ]
        return f"CASE\n{''.join(lines)}  ELSE {answers[-1]}\nEND" if lines else answers[-1]

    def _conditions(self, rule: Rule) -> str:
        matched = [part for clause in rule.conditions for part in self._clause(clause)]
        return " AND ".join(matched) or "1 = 1"

    def _clause(self, clause: Clause) -> list[str]:
        attribute = self.schema.features[clause.feature]
        d, name = self.dialect, "a rule"
        if clause.is_missing:
            return [d.missing(attribute)]
        codes: list[int] | None = None if clause.allowed is None else list(clause.codes)
        if attribute.kind == "ordered":
            codes = [
                c
                for c in range(len(attribute.categories))
                if (clause.low is None or c > clause.low)
                and (clause.high is None or c <= clause.high)
            ]
        if codes is not None:
            return [d.among(attribute, codes, name) or "1 = 0"]
        parts = [] if clause.low is None else [d.above(attribute, clause.low, name)]
        return parts if clause.high is None else [*parts, d.at_most(attribute, clause.high, name)]
