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
    choice: Choice | None = None,
    risk: Risk = "error",
    links: Links = "weakest",
    folds: Any = 10,
    learner: Any = None,
    progress: Progress | None = None,
) -> Tree:
    """Cut to the smallest tree of least risk + alpha x leaves, alpha given or cross-validated."""
    only_one(("alpha", "choice"), (alpha, choice), 'give alpha=0.01, say, or choice="one_se".')
    path = path_of(task.tree, risk, links)
    if alpha is not None:
        return task.cut(path.links <= check_number("alpha", alpha, 0, float("inf")))
    task.rows("the training rows, to choose alpha by cross-validation")  # checks them
    validated = cross_validated(
        path,
        task.model if learner is None else learner,
        task.X,
        task.y,
        task.sample_weight,
        folds=folds,
        random_state=task.random_state,
        progress=progress,
    )
    assert choice is not None, "either alpha or choice is given"
    return task.cut(path.links <= validated.best_alpha(choice))
