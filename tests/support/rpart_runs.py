"""The stored runs of rpart: their tables, the learner that grows the same tree, and its results."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from plaintree import CARTClassifier, CARTRegressor
from plaintree.data.schema import Feature, Schema
from plaintree.tree.build import NodeDescription, build_tree
from plaintree.tree.condition import Threshold
from plaintree.tree.tree import Tree
from tests.support.reference_tables import (
    SHARED,
    cells,
    description,
    encoded_column,
    folds,
    golden,
    names_in,
)

WEIGHTS = MappingProxyType(
    {
        "w123": lambda row: 1.0 + row % 3,
        "wfrac": lambda row: (1 + (7 * row) % 11) / 8,
        "wzero": lambda row: np.where(row % 4 == 0, 0.0, 1.0),
    }
)
CP_COLUMNS = ("CP", "nsplit", "rel_error", "xerror", "xstd")


@dataclass(frozen=True)
class RpartRun:
    """A run of rpart on a table, and how to repeat it."""

    folder: str
    name: str
    run: str

    def __str__(self) -> str:
        return f"{self.name}-{self.run}"

    @property
    def stored(self) -> dict[str, Any]:
        return golden(self.folder, self.name)["runs"][self.run]

    @property
    def args(self) -> dict[str, Any]:
        return self.stored["args"]

    @property
    def where(self) -> str:
        """Where the table and its folds lie."""
        return f"regression/{self.name}" if self.folder == "rpart_anova" else self.name

    @property
    def left_out(self) -> str | None:
        """Why a tree is not grown alike here; None if it is."""
        args = self.args
        reasons = {
            "missing values (surrogates)": any(description(self.where)["missing"].values())
            if self.folder == "rpart_anova"
            else description(self.where)["n_missing"] > 0,
            "costs of features": "cost" in args,
            "priors or losses": "prior" in args or "loss" in args,
            "exposure": "exposure" in args,
            "shrunken rates": args["method"] == "poisson"
            and args.get("parms") not in ({"shrink": 0}, {"method": "sqrt"}),
            "splits that do not lower the risk": args["cp"] < 0,
        }
        return next((reason for reason, applies in reasons.items() if applies), None)

    @property
    def table(self) -> tuple[pd.DataFrame, NDArray[Any], NDArray[np.float64] | None]:
        """Features, target and weights."""
        about, columns = description(self.where), {}
        for column, kind in about["kinds"].items():
            values = encoded_column(self.where, column)
            if kind == "categorical":
                codes = np.where(np.isnan(values), -1, values).astype(int)
                ordered = column in self.args.get("ordered", ())
                labels = about["categories"][column]
                values = pd.Categorical.from_codes(codes, labels, ordered=ordered)
            columns[column] = values
        target = np.array(cells(self.where)[about["target"]])
        if self.args["method"] != "class":
            target = target.astype(np.float64)
        weigh = WEIGHTS.get(self.args.get("weights", ""))
        weights = None if weigh is None else weigh(np.arange(len(target)))
        return pd.DataFrame(columns), target, weights

    @property
    def learner(self) -> Any:
        args = self.args
        limits = {
            "min_samples_split": args["minsplit"],
            "min_samples_leaf": args["minbucket"],
            "max_depth": args["maxdepth"],
        }
        if args["method"] == "class":
            criterion = {"gini": "gini", "information": "information_gain"}[args["split"]]
            return CARTClassifier(criterion, zero_gain=False, **limits)
        return CARTRegressor({"anova": "squared_error"}.get(args["method"], "poisson"), **limits)

    @property
    def folds(self) -> NDArray[np.int64] | None:
        """The stored folds, if the run was cross-validated."""
        return folds(self.where) if "xval" in self.args else None

    @property
    def tree(self) -> Tree:
        """The stored tree, of whatever task, with rpart's risk in the place of the impurity.

        The splits are not those of the run: pruning does not depend on them.
        """
        nodes = self.stored["nodes"]
        place = {node["id"]: i for i, node in enumerate(nodes)}
        schema = Schema((Feature("x", "numeric"),), ())
        return build_tree(
            schema,
            [
                NodeDescription(
                    condition=None if node["var"] == "<leaf>" else Threshold(0, 0.0),
                    children=()
                    if node["var"] == "<leaf>"
                    else (place[2 * node["id"]], place[2 * node["id"] + 1]),
                    prediction=0.0,
                    weight=node["wt"],
                    n_rows=node["n"],
                    impurity=node["dev"] / node["wt"],
                    missing_child=0 if node["var"] != "<leaf>" else -1,
                )
                for node in nodes
            ],
        )

    @property
    def cp_table(self) -> NDArray[np.float64]:
        """The cp table; of rows whose CP differs by rounding alone the first."""
        rows = [[row.get(name) for name in CP_COLUMNS] for row in self.stored["cptable"]]
        table = np.array(rows, dtype=np.float64)
        return table[np.concatenate([[True], np.diff(table[:, 0]) < -1e-12])]


def rpart_runs(*folders: str) -> Iterator[RpartRun]:
    """All stored runs; none if they are not here."""
    for folder in folders:
        if (SHARED / "golden" / folder).is_dir():
            for name in names_in(folder):
                for run in golden(folder, name)["runs"]:
                    yield RpartRun(folder, name, run)
