"""Cost-complexity pruning (Breiman and others 1984): the best tree at a price per leaf."""

from __future__ import annotations

from typing import Any

from plaintree.checks import check_number, only_one
from plaintree.progress import Progress
from plaintree.tree.tree import Tree

from .cross_validation import cross_validated
from .links import Links
from .path import Choice, Risk, path_of
from .task import Task


def cost_complexity(
    task: Task,
    *,
    alpha: float | None = None,
    cp: float | None = None,
    choice: Choice | None = None,
    risk: Risk = "error",
    links: Links = "weakest",
    folds: Any = 10,
    progress: Progress | None = None,
) -> Tree:
    """Cut to the smallest tree of least risk + alpha x leaves, alpha given or cross-validated."""
    hint = 'give alpha=0.01 or cp=0.01, say, or choice="one_se".'
    only_one(("alpha", "cp", "choice"), (alpha, cp, choice), hint)
    path = path_of(task.tree, risk, links)
    if cp is not None:
        return task.cut(path.links <= path.alpha_of(cp))
    if alpha is not None:
        return task.cut(path.links <= check_number("alpha", alpha, 0, float("inf")))
    assert choice is not None, "neither alpha nor cp is given"
    assert task.regrow is not None, "there are rows to choose by"
    validated = cross_validated(
        path,
        task.known_rows,
        task.regrow,
        folds=folds,
        random_state=task.random_state,
        progress=progress,
    )
    return task.cut(path.links <= validated.best_alpha(choice))
