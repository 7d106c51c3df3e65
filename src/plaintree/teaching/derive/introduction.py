"""The first page of a derivation: the task, the table, and the conventions as text."""

from __future__ import annotations

from collections.abc import Iterator

from plaintree.data.schema import Feature
from plaintree.data.words import format_value
from plaintree.stats.sums import Sums
from plaintree.tree.conventions import Conventions

from .cases import Cases, Rows
from .document import Block, Grid, Heading, Listing, Paragraph
from .terms import Terms
from .words import count_text, listed, rows_text

TABLE_ROWS = 20

JUDGED = {
    "information_gain": "A split A is scored by its information gain, Gain(A) = H(S) - H(S | A): "
    "H(S) is the entropy of the classes, minus the sum of p log2 p over their proportions p, and "
    "H(S | A) the mean entropy of the branches, weighted by their rows.",
    "gain_ratio": "A split A is scored by its gain ratio, GainRatio(A) = Gain(A) / SplitInfo(A), "
    "with Gain(A) = H(S) - H(S | A) and SplitInfo(A) the entropy of the branches' sizes. H(S) is "
    "the entropy of the classes, H(S | A) the mean entropy of the branches, weighted by their "
    "rows.",
    "gain_ratio_conditional": "A split A is scored by GainRatio(A) = Gain(A) / H(S | A), with "
    "Gain(A) = H(S) - H(S | A). H(S) is the entropy of the classes, H(S | A) the mean entropy of "
    "the branches, weighted by their rows. If H(S | A) is zero, the ratio is infinite.",
    "gini": "A split A is scored by the decrease of the Gini index, Gain(A) = Gini(S) - "
    "Gini(S | A): Gini(S) is one minus the sum of the squared class proportions, Gini(S | A) "
    "the mean Gini index of the branches, weighted by their rows.",
    "error": "A split A is scored by the decrease of the error, Gain(A) = Error(S) - "
    "Error(S | A): Error(S) is the proportion outside the majority class, Error(S | A) the "
    "mean error of the branches, weighted by their rows.",
    "squared_error": "A split A is scored by the decrease of the variance, Gain(A) = Var(S) - "
    "Var(S | A). SSE(S) is the sum of squared differences of the n targets from their mean, which "
    "is the sum of their squares minus (their sum)^2 / n. Var(S) is SSE(S) / n, and Var(S | A) the "
    "SSE of all branches together over n.",
    "absolute_error": "A split A is scored by the decrease of the mean absolute deviation, Gain(A) "
    "= MAD(S) - MAD(S | A). SAD(S) is the sum of absolute differences of the n targets from their "
    "median, the mean of the two middle targets if there are two. MAD(S) is SAD(S) / n, and "
    "MAD(S | A) the SAD of all branches together over n.",
    "poisson": "A split A is scored by the decrease of half the mean Poisson deviance, Gain(A) = "
    "MDev(S) - MDev(S | A). Dev(S) is the sum of y ln(y / mean) over the n targets y, which is the "
    "sum of y ln y minus s ln(s / n) with their sum s; 0 ln 0 is 0. MDev(S) is Dev(S) / n, and "
    "MDev(S | A) the Dev of all branches together over n. No branch may have a mean of 0, whose "
    "deviance from other targets is infinite.",
}
PREDICTED = {
    "squared_error": "A leaf predicts the mean of its targets.",
    "absolute_error": "A leaf predicts the median of its targets.",
    "poisson": "A leaf predicts the mean of its targets.",
}
CATEGORIES = {
    "multiway": "A categorical attribute has a branch for each category, and is split on at most "
    "once on a path. A branch without rows is a leaf with the prediction of the node above it.",
    "one_vs_rest": "A categorical attribute is split into one category and all others.",
    "subset": "A categorical attribute is split into a subset of its categories and all others.",
    "grouped": "A categorical attribute has a branch for each group of categories, found by "
    "merging groups while the score rises.",
}
MISSING_VALUES = {
    "fractional": "Rows with a missing value do not count for the gain, which is multiplied by the "
    "fraction of the others. They then go into every branch, with their weight divided in "
    "proportion to the known rows of the branches.",
    "most_common": "A missing value is replaced by the most frequent value in the node, or by the "
    "median of a numeric attribute.",
    "most_common_in_class": "A missing value is replaced by the most frequent value among the rows "
    "of the same class in the node.",
    "branch": "Rows with a missing value have a branch of their own.",
    "surrogate": "Rows with a missing value do not count for the gain, which is multiplied by the "
    "fraction of the others.",
    "error": "Missing values are not allowed.",
}


def introduction(cases: Cases, terms: Terms[Sums], *, table: bool) -> Iterator[Block]:
    """The task, the table if it is asked for, and the conventions."""
    schema, counts = terms.shown, cases.counts(cases.everyone)
    target, n = str(schema.target), len(cases.everyone)
    yield Heading(1, (f"A {terms.kind} tree for {target}",))
    yield Paragraph(
        (
            f"The task: from {rows_text(n)} and the attributes {listed(schema.names)}, learn to "
            f"predict {target}. {terms.about_target(counts)}",
        )
    )
    if table:
        yield rows_table(cases, terms, cases.everyone)
    yield Heading(2, ("Conventions",))
    yield Listing(tuple((item,) for item in _conventions(cases, terms)))


def rows_table(cases: Cases, terms: Terms[Sums], every: Rows) -> Grid:
    """Rows with their values, their weights if these matter, and their targets."""
    schema, rows = terms.shown, every[:TABLE_ROWS]
    weighted = any(weight != 1 for _, weight in every)
    header = ("row", *schema.names, *(("weight",) if weighted else ()), str(schema.target))
    written = []
    for row, weight in rows:
        values = [
            value_text(attribute, column[row])
            for attribute, column in zip(schema.features, cases.columns, strict=True)
        ]
        extra = [count_text(weight)] if weighted else []
        written.append((str(row + 1), *values, *extra, terms.target_text(cases.codes[row])))
    numeric = [a.kind == "numeric" for a in schema.features]
    return Grid(
        header,
        tuple(written),
        (True, *numeric, *((True,) if weighted else ()), terms.has_numbers),
        more=len(every) - len(rows),
    )


def value_text(attribute: Feature, value: float) -> str:
    """A value of a column as a person writes it; a question mark where it is missing."""
    if attribute.is_missing(value):
        return "?"
    if attribute.is_categorical:
        return str(attribute.categories[int(value)])
    return format_value(attribute, value)


def _conventions(cases: Cases, terms: Terms[Sums]) -> Iterator[str]:
    rules, attributes = cases.rules, cases.schema.features
    yield f"The conventions are {rules}."
    yield JUDGED[rules.criterion]
    if rules.criterion in PREDICTED:
        yield PREDICTED[rules.criterion]
    if any(a.is_categorical for a in attributes):
        yield CATEGORIES[rules.categorical]
    if any(a.cuts for a in attributes):
        yield "Numbers were discretised first; the intervals are the categories."
    if any(not a.is_categorical for a in attributes):
        yield from _cutting(cases)
    if rules.average_gain and rules.criterion == "gain_ratio":
        yield "Only attributes whose gain is at least average qualify."
    if _has_missing(cases):
        yield MISSING_VALUES[rules.missing]
        if rules.missing == "surrogate":
            yield from _surrogates(rules)
    yield from _stopping(cases, terms)
    yield (
        "If scores are equal, the first column wins, and within a column the lowest threshold or "
        "the first category."
    )


def _surrogates(rules: Conventions) -> Iterator[str]:
    if not rules.use_surrogate or not rules.max_surrogates:
        yield "They stay at the node, which predicts them."
        return
    known = "whose values of both attributes are" if rules.surrogate_style else "whose branch is"
    n = rules.max_surrogates
    yield (
        "Surrogates send them to a branch: splits on other attributes. The agreement of a "
        f"surrogate is the proportion of the rows {known} known that it sends to their branch. The "
        "adjusted agreement is (agreement - m) / (1 - m), where m is the proportion of the larger "
        "branch among these rows."
    )
    yield (
        "Of each attribute, the surrogate with the greatest agreement is tried; a threshold needs "
        "two such rows on each side. Those that agree more than m are kept, the greatest agreement "
        f"first, at most {n}. The first that has a value for a row decides."
    )
    stays = "stays at the node, which predicts it"
    if rules.use_surrogate == 2:
        yield (
            "A row that no surrogate knows goes to the branch with more of the known rows. If both "
            f"have the same weight, it {stays}."
        )
    else:
        yield f"A row that no surrogate knows {stays}."


def _has_missing(cases: Cases) -> bool:
    columns = range(len(cases.columns))
    return any(cases.split_by_missing(cases.everyone, column)[1] for column in columns)


def _cutting(cases: Cases) -> Iterator[str]:
    rules = cases.rules
    reported = "the midpoints of neighbouring values in the node"
    if rules.threshold == "data_value":
        reported += ", each reported as the greatest value of the table that is not above it"
    again = "A numeric attribute is split at a threshold, and can be split again further down."
    yield f"{again} The candidate thresholds are {reported}."
    if rules.threshold_choice == "gain" and rules.criterion.startswith("gain_ratio"):
        yield "The threshold of an attribute is the one with the greatest gain."
    if rules.threshold_penalty:
        yield (
            "For a threshold, log2(k) / (rows in the node) is subtracted from the gain, where k is "
            "the number of thresholds with enough rows on both sides."
        )


P_NAMES = {
    "adjusted": "the p-value, adjusted for the choice among all splits,",
    "chi_square": "the p-value of the chi-square test",
}


def _stopping(cases: Cases, terms: Terms[Sums]) -> Iterator[str]:
    rules = cases.rules
    stops = [terms.all_its_rows, "no split is left"]
    if rules.max_depth is not None:
        stops.append(f"its depth is {rules.max_depth}")
    if rules.max_leaf_nodes is not None:
        stops.append(
            f"the tree has {rules.max_leaf_nodes} leaves, where the leaf whose split decreases "
            "the total impurity most is split first"
        )
    if cases.min_to_split > 2:
        stops.append(f"it has fewer than {cases.min_to_split:g} rows")
    if rules.min_score is not None:
        stops.append(f"no split scores {rules.min_score:g}")
    if rules.min_impurity_decrease:
        stops.append(
            f"no split decreases the impurity by {rules.min_impurity_decrease:g}, that is its gain "
            "times the node's fraction of all rows"
        )
    if not rules.zero_gain:
        stops.append("nothing is gained")
    if rules.significance is not None:
        stops.append(
            f"{P_NAMES[rules.significance_test]} of the split is above {rules.significance:g}"
        )
    yield f"A node is a leaf if {' or '.join(stops)}."
    if (rules.min_samples_branch or 0) > 1:
        yield f"At least two branches of a split must have {rules.min_samples_branch:g} rows."
    if cases.limits.min_samples_leaf > 1:
        yield f"Every branch of a split must have {cases.limits.min_samples_leaf} rows."
    if rules.min_weight_fraction_leaf:
        least = f"{rules.min_weight_fraction_leaf:g}"
        yield f"Every branch of a split must have {least} of the weight of all rows."
    if rules.numeric_branch_fraction:
        yield (
            f"Both sides of a threshold must have {rules.numeric_branch_fraction:g} of the known "
            "rows per class, at most 25."
        )
    if rules.collapse:
        yield "A node whose branches make no fewer errors than the node is collapsed into a leaf."
