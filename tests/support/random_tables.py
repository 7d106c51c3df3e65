"""Small random tables and conventions on which the core meets the oracle."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import inf, isnan, nan
from random import Random
from typing import Any

import numpy as np
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st

from plaintree.data.rows import Rows
from plaintree.data.schema import Feature, Schema
from plaintree.growing.one_tree import grow_tree
from plaintree.tree.conventions import CHOICES, OF_TARGETS, Conventions
from plaintree.tree.tree import Tree
from tests.oracle.naive import make_table
from tests.oracle.naive_table import Table

CLASS_CRITERIA = [c for c in CHOICES["criterion"] if c not in OF_TARGETS]
NUMBERS = [*map(float, range(6)), 0.5, -1.25, 2.0000001, inf, -inf, 1e308, 1.7e308, 5e-324]


@dataclass(frozen=True)
class Case:
    """A small table as the engine takes it."""

    columns: list[list[float]]
    n_categories: list[int]
    y: list[int]
    n_classes: int
    weights: list[float] | None
    times: list[int] | None = None
    lightest: float | None = None
    """In the sample of a forest's tree: how often each row was drawn, and the lightest of all."""

    @property
    def naive(self) -> Table:
        shape = self.columns, self.n_categories, self.y, self.n_classes
        return make_table(*shape, self.weights, times=self.times, lightest=self.lightest)

    def is_exact(self, rules: Conventions) -> bool:
        """Whether every sum of weights is a double, so that nothing is left to rounding."""
        gaps = any(isnan(v) or (n > 0 and v < 0) for c, n in self.parts for v in c)
        divided = rules.missing == "fractional" and gaps
        dyadic = all(float(w * 64).is_integer() for w in self.weights or ())
        return dyadic and not divided

    @property
    def parts(self) -> list[tuple[list[float], int]]:
        return list(zip(self.columns, self.n_categories, strict=True))

    def reordered(self, order: list[int]) -> Case:
        columns = [[column[i] for i in order] for column in self.columns]
        weights = None if self.weights is None else [self.weights[i] for i in order]
        return replace(self, columns=columns, y=[self.y[i] for i in order], weights=weights)

    def stretched(self, *, one_more_class: bool) -> Case:
        """The same rows in columns that the engine stores otherwise.

        Numeric columns of more than 255 values are kept sorted, and categories beyond 255 are not
        counted in small tables. The values come with 260 rows of one class, most of which a first
        cut takes away; the categories become every 71st of 300.
        """
        n_classes = self.n_classes + one_more_class
        padding = [1000.0 + i for i in range(260)]
        columns = [
            [*(v * 71 if v > 0 else v for v in c), *(0 for _ in padding)] if n else c + padding
            for c, n in self.parts
        ]
        return Case(
            columns=columns,
            n_categories=[300 if n else 0 for n in self.n_categories],
            y=self.y + [n_classes - 1] * len(padding),
            n_classes=n_classes,
            weights=None if self.weights is None else self.weights + [1.0] * len(padding),
        )

    @property
    def with_many_classes(self) -> Case:
        """The same rows, whose classes are a few of 200: the core looks at these alone."""
        return replace(self, y=[61 * c + 3 for c in self.y], n_classes=200)

    @property
    def schema(self) -> Schema:
        attributes = [
            Feature(f"c{i}", "categorical", "integer", tuple(range(n)))
            if n
            else Feature(f"x{i}", "numeric")
            for i, n in enumerate(self.n_categories)
        ]
        return Schema(tuple(attributes), tuple(range(self.n_classes)))

    @property
    def rows(self) -> Rows:
        columns = [np.array(c, np.int32 if n else np.float64) for c, n in self.parts]
        weights = None if self.weights is None else np.array(self.weights, np.float64)
        return Rows(columns, np.array(self.y, self.dtype), weights)

    @property
    def dtype(self) -> type:
        """Of the target."""
        return np.int32

    def grow(self, rules: Conventions, n_threads: int = 1, **options: Any) -> Tree:
        rows = self.rows
        given = rows.columns, rows.target, rows.weights
        return grow_tree(self.schema, *given, rules, n_threads=n_threads, **options)


def from_a_seed(make: Callable[[Random], Any], *subject: str) -> st.SearchStrategy[Any]:
    """What is made at random from a single drawn number, and otherwise for every subject.

    Nothing of it is shrunk, and drawing it value by value takes longer than growing and judging.
    """
    seeds = st.integers(0, 2**64 - 1)
    return seeds.map(lambda seed: make(Random(" ".join([str(seed), *subject]))))


FEW_CATEGORIES = (0, 0, 2, 3, 4, 5)
"""How many categories a column may have; 0: it is numeric."""


def cases(
    *subject: str, gaps: bool = True, sizes: Sequence[int] = FEW_CATEGORIES
) -> st.SearchStrategy[Case]:
    return from_a_seed(lambda random: random_case(random, gaps=gaps, sizes=sizes), *subject)


def random_case(random: Random, *, gaps: bool, sizes: Sequence[int] = FEW_CATEGORIES) -> Case:
    """Columns of few values, some twice, so that there are ties between tests and columns."""
    n_rows, n_classes = min(random.randint(2, 40), 30), random.randint(2, 4)
    n_categories = random.choices(sizes, k=random.randint(1, 5))
    columns: list[list[float]] = []
    for i, n in enumerate(n_categories):
        values: list[float] = list(range(n)) if n else random.sample(NUMBERS, 6)
        if gaps and random.random() < 0.5:
            values.append(-1 if n else nan)
        twins = [c for c, m in zip(columns, n_categories[:i], strict=True) if m == n]
        again = twins and random.random() < 0.3
        columns.append(random.choice(twins) if again else random.choices(values, k=n_rows))
    y = random.choices(range(n_classes), k=n_rows)
    return Case(columns, n_categories, y, n_classes, random_weights(random, n_rows))


def random_weights(random: Random, n_rows: int) -> list[float] | None:
    """None, or whole numbers, parts of 64, or any; there is always one of 1."""
    kinds: list[Callable[[], float]] = [
        lambda: float(random.randint(0, 4)),
        lambda: random.randint(0, 200) / 64,
        lambda: random.uniform(0.05, 3),
    ]
    one = random.choice([None, *kinds])
    if one is None:
        return None
    weights = [one() for _ in range(n_rows)]
    weights[random.randrange(n_rows)] = 1.0
    return weights


FINE_PRINT: dict[str, list[Any]] = {
    "max_depth": [None, None, None, 0, 1, 3],
    "min_samples_split": [2, 2, 3, 6, 0.2],
    "min_samples_leaf": [1, 1, 2, 3, 0.1],
    "min_samples_branch": [None, None, 0, 1, 1.5, 2, 3],
    "min_score": [None, None, None, 0.05, 0.2],
    "min_weight_fraction_leaf": [0.0, 0.0, 0.0, 0.1],
    "min_impurity_decrease": [0.0, 0.0, 0.0, 0.01, 0.1],
    "significance": [None, None, None, 0.05, 0.3],
    "significance_test": ["adjusted", "chi_square"],
    "zero_gain": [True, False],
    "threshold": list(CHOICES["threshold"]),
    "threshold_choice": list(CHOICES["threshold_choice"]),
    "threshold_penalty": [False, True],
    "average_gain": [False, True],
    "numeric_branch_fraction": [0.0, 0.0, 0.1, 0.5],
    "min_separation": [0.0, 0.0, 1e-5, 1.0],
    "tie_tolerance": [1e-12, 1e-12, 0.0, 0.05],
}
"""The fields of the conventions beside criterion, categorical and missing, off more than on."""


def fine_print(*subject: str) -> st.SearchStrategy[dict[str, Any]]:
    def drawn(random: Random) -> dict[str, Any]:
        chosen = {k: random.choice(v) for k, v in FINE_PRINT.items()}
        if chosen["min_samples_branch"] is not None:  # which is not about every branch
            chosen |= {"min_samples_leaf": 1, "min_weight_fraction_leaf": 0.0}
        return chosen

    return from_a_seed(drawn, *subject)


def policies(
    *, gaps: bool = True, of_classes: bool = True, of_surrogates: bool = True
) -> list[str]:
    """The policies for missing values; ``gaps``: only those that allow them."""
    left_out = {"error"} if gaps else set()
    left_out |= set() if of_classes else {"most_common_in_class"}
    left_out |= set() if of_surrogates else {"surrogate"}
    return [policy for policy in CHOICES["missing"] if policy not in left_out]


def kinds_with(missing: str) -> list[str]:
    """The kinds of splits on categories that a policy for missing values allows."""
    with_two_branches = ["one_vs_rest", "subset"]
    return with_two_branches if missing == "surrogate" else list(CHOICES["categorical"])


SPLITS = [(kind, missing) for missing in CHOICES["missing"] for kind in kinds_with(missing)]
"""Kinds of splits on categories with policies for missing values."""


def surrogate_print(missing: str, *subject: str) -> st.SearchStrategy[dict[str, Any]]:
    """The conventions of surrogates, where the policy is that."""

    def drawn(random: Random) -> dict[str, Any]:
        chosen = {
            "max_surrogates": random.choice([5, 5, 2, 1, 0]),
            "use_surrogate": random.choice([2, 2, 1, 0]),
            "surrogate_style": random.choice([0, 1]),
        }
        return chosen if missing == "surrogate" else {}

    return from_a_seed(drawn, missing, *subject)


def drawn_rules(data: st.DataObject, criterion: Any, missing: Any, **chosen: Any) -> Conventions:
    """Conventions with a criterion and a policy for missing values; the rest is drawn."""
    categorical = data.draw(st.sampled_from(kinds_with(missing)))
    more = data.draw(fine_print(criterion, missing) | st.just({}))
    more = more | data.draw(surrogate_print(missing, criterion)) | chosen
    return Conventions(criterion=criterion, categorical=categorical, missing=missing, **more)


def many(n: int) -> Any:
    """So many examples, always the same ones; not shrunk, which takes minutes for tables."""
    return settings(
        max_examples=n,
        deadline=None,
        derandomize=True,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )
