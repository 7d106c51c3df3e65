"""The stored runs of rpart: their tables, the learner that grows the same tree, and its results."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from plaintree import CARTRegressor, DecisionTreeClassifier
from plaintree.data.schema import Feature, Schema
from plaintree.tree.build import NodeDescription, build_tree
from plaintree.tree.condition import Threshold
from plaintree.tree.tree import Tree
from tests.support.reference_tables import (
    SHARED,
    cells,
    description,
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
            "exposure": "exposure" in args,
            "shrunken rates": args["method"] == "poisson"
            and args.get("parms") not in ({"shrink": 0}, {"method": "sqrt"}),
            "splits that do not lower the risk": args["cp"] < 0,
            "rows without weight count in minsplit there": args.get("weights") == "wzero",
        }
        return next((reason for reason, applies in reasons.items() if applies), None)

    @property
    def holes(self) -> pd.DataFrame:
        """The features with cells knocked out, which the run predicts as well."""
        path = SHARED / "golden" / self.folder / f"{self.name}_holes.csv"
        with path.open(newline="") as file:
            header, *rows = csv.reader(file)
        return self._features(dict(zip(header, map(list, zip(*rows, strict=True)), strict=True)))

    @property
    def every_row(self) -> pd.DataFrame:
        """The features of all rows, also of those that rpart drops in growing."""
        return self._features(cells(self.where))

    @property
    def table(self) -> tuple[pd.DataFrame, NDArray[Any], NDArray[np.float64] | None]:
        """Features, target and weights."""
        table = self.every_row
        target = np.array(cells(self.where)[description(self.where)["target"]])
        if self.args["method"] != "class":
            target = target.astype(np.float64)
        weigh = WEIGHTS.get(self.args.get("weights", ""))
        if weigh is not None:
            return table, target, weigh(np.arange(len(target)))
        known = self._known(table)
        return table[known].reset_index(drop=True), target[known], None

    def _known(self, table: pd.DataFrame) -> NDArray[np.bool_]:
        """Rows with a value; rpart drops the others, unless there are weights."""
        return np.asarray(~table.isna().all(axis=1) | ("weights" in self.args))

    def _features(self, text: Mapping[str, list[str]]) -> pd.DataFrame:
        about, columns = description(self.where), {}
        for column, kind in about["kinds"].items():
            if kind == "categorical":
                ordered = column in self.args.get("ordered", ())
                labels = about["categories"][column]
                columns[column] = pd.Categorical(
                    [cell or None for cell in text[column]], labels, ordered=ordered
                )
            else:
                columns[column] = [float(cell) if cell else np.nan for cell in text[column]]
        return pd.DataFrame(columns)

    @property
    def learner(self) -> Any:
        args = self.args
        options: dict[str, Any] = {
            "min_samples_split": args["minsplit"],
            "min_samples_leaf": args["minbucket"],
            "max_depth": args["maxdepth"],
            "missing": "surrogate",
            "max_surrogates": args["maxsurrogate"],
            "use_surrogate": args["usesurrogate"],
            "surrogate_style": args["surrogatestyle"],
        }
        if "cost" in args:
            columns = description(self.where)["kinds"]
            options["feature_costs"] = dict(zip(columns, args["cost"], strict=True))
        if args["method"] != "class":
            criterion = {"anova": "squared_error"}.get(args["method"], "poisson")
            return CARTRegressor(criterion, **options)
        criterion = {"gini": "gini", "information": "information_gain"}[args["split"]]
        classes = description(self.where)["classes"]
        if "prior" in args:
            options["priors"] = dict(zip(classes, args["prior"], strict=True))
        if "loss" in args:
            losses = zip(product(classes, classes), np.ravel(args["loss"]).tolist(), strict=True)
            options["costs"] = {pair: cost for pair, cost in losses if pair[0] != pair[1]}
        return DecisionTreeClassifier(conventions="rpart", criterion=criterion, **options)

    @property
    def folds(self) -> NDArray[np.int64] | None:
        """The stored folds, if the run was cross-validated."""
        known = self._known(self.every_row)
        validated = "xval" in self.args or "xerror_direct" in self.stored
        return folds(self.where)[known] if validated else None

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
        return np.array(rows, dtype=np.float64)[self._distinct]

    @property
    def direct_errors(self) -> NDArray[np.float64] | None:
        """The cross-validated errors of rpart's predictions, where its own are of no use."""
        errors = self.stored.get("xerror_direct")
        return None if errors is None else np.array(errors, dtype=np.float64)[self._distinct]

    @property
    def _distinct(self) -> NDArray[np.bool_]:
        cp = np.array([row["CP"] for row in self.stored["cptable"]])
        return np.concatenate([[True], np.diff(cp) < -1e-12])


def rpart_runs(*folders: str) -> Iterator[RpartRun]:
    """All stored runs; none if they are not here."""
    for folder in folders:
        if (SHARED / "golden" / folder).is_dir():
            for name in names_in(folder):
                for run in golden(folder, name)["runs"]:
                    yield RpartRun(folder, name, run)
