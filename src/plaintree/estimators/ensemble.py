"""What all ensembles of trees share: scikit-learn's view of their members."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from plaintree.checks import check_number
from plaintree.errors import ParameterError
from plaintree.tree.tree import Tree

from .base import TableClassifier

if TYPE_CHECKING:
    from .trees import DecisionTreeClassifier


class TreeEnsemble(TableClassifier):
    """A classifier of several trees: a sequence of fitted models of one tree each.

    ``trees_`` are the trees themselves; ``estimators_``, ``len(model)`` and ``model[i]`` wrap them
    as estimators when they are asked for.
    """

    n_estimators: int
    trees_: Sequence[Tree]

    @property
    def estimators_(self) -> list[DecisionTreeClassifier]:
        """The trees as fitted estimators, made from ``trees_`` at every access."""
        return list(self)

    def __len__(self) -> int:
        return len(self.trees_)

    def __getitem__(self, index: int) -> DecisionTreeClassifier:
        from .trees import DecisionTreeClassifier

        member = DecisionTreeClassifier.from_tree(self.trees_[index])
        if not hasattr(self, "feature_names_in_"):
            del member.feature_names_in_
        return member

    def __iter__(self) -> Iterator[DecisionTreeClassifier]:
        return (self[i] for i in range(len(self)))

    def __bool__(self) -> bool:
        return True  # also before fitting, when it has no length

    def _count_of_trees(self) -> int:
        n: Any = self.n_estimators
        whole = isinstance(n, int | np.integer) and not isinstance(n, bool)
        if not whole:
            raise ParameterError(
                "n_estimators must be an integer from 1 upwards",
                got=f"n_estimators={n!r}",
                hint="give the number of trees, such as 100.",
            )
        return int(check_number("n_estimators", n, 1, 2**31 - 1))
