"""Which learner is cross-validated for a tree that was edited after it was grown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf, sqrt
from typing import Any

from sklearn.base import clone

from plaintree.pruning.path import path_of
from plaintree.tree.tree import Tree

WITHOUT_EDITS = ", without the edits to this tree (pruning counts as one)"


@dataclass(frozen=True, eq=False)
class Validated:
    """A learner whose folds are grown again, and how it differs from the settings, as text.

    Cost-complexity pruning can be repeated in every fold; all other edits are of this tree alone.
    """

    learner: Any
    remark: str = ""

    @classmethod
    def of(cls, learner: Any, tree: Tree | None) -> Validated:
        """The learner with the pruning of a tree, otherwise without its edits."""
        if tree is None or not tree.edits:
            return cls(learner)
        alphas = [_alpha_of(edit) for edit in tree.edits]
        if None in alphas or not _can_prune(learner):
            return cls(learner, WITHOUT_EDITS)
        alpha = max(alpha for alpha in alphas if alpha is not None)
        options = {"alpha": _between(alpha, tree)}
        pruning = clone(learner).set_params(pruning="cost_complexity", pruning_options=options)
        return cls(pruning, f", pruned with alpha {alpha:.4g}")


def _alpha_of(edit: Mapping[str, Any]) -> float | None:
    """The alpha of an edit that only prunes by it."""
    if edit["edit"] != "prune" or edit["method"] != "cost_complexity":
        return None
    options = edit["options"]
    return float(options["alpha"]) if options.keys() == {"alpha"} else None


def _can_prune(learner: Any) -> bool:
    """Whether it has a pruning to set, and none of its own that would come first."""
    own = learner.get_params(deep=False) if hasattr(learner, "get_params") else {}
    return "pruning" in own and own["pruning"] is None and not own.get("ccp_alpha")


def _between(alpha: float, tree: Tree) -> float:
    """The alpha of the folds: the geometric mean of those that give this tree, as in CART.

    So it is the one of the pruning path, whose cross-validated error is then the same.
    """
    left = path_of(tree).alphas
    return sqrt(alpha * float(left[1])) if len(left) > 1 else inf
