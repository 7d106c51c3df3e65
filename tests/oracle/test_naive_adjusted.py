"""The core's adjusted p-value is that of the plain form, on random tables of branches x classes."""

from __future__ import annotations

import numpy as np
import pytest

from plaintree import _core
from plaintree.tree.condition import NodeKind
from tests.oracle.naive_adjusted import adjusted_p


@pytest.mark.parametrize("kind", ["threshold", "multiway", "equals", "subset", "grouped"])
def test_the_core_equals_the_plain_form(kind: str) -> None:
    random = np.random.default_rng(len(kind))
    for most in [2, 6, 30, 300] * 8:
        n_classes = int(random.integers(2, 5))
        n_branches = int(random.integers(2, 4)) if kind in ("multiway", "grouped") else 2
        table = random.integers(0, most + 1, (n_branches, n_classes)).astype(float)
        n_categories = 0 if kind == "threshold" else int(random.integers(n_branches, 7))
        n_features = int(random.integers(1, 20))
        number = int(NodeKind[kind.upper()])
        cells = table.ravel().tolist()
        got = _core.adjusted_p(cells, n_classes, number, n_categories, n_features)
        plain = adjusted_p(table.tolist(), kind, n_categories, n_features)
        assert got == pytest.approx(plain, rel=1e-7, abs=1e-12), (table, n_categories)
