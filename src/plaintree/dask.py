"""Estimators for Dask DataFrames. They need ``pip install "plaintree[dask]"``.

``fit`` works where the partitions are, and gives the model that the rows in memory would give;
``predict`` is lazy. For other tables they are the ordinary estimators.

>>> from plaintree.dask import CARTClassifier
>>> CARTClassifier(max_depth=4)
CARTClassifier(max_depth=4)
"""

from __future__ import annotations

from .estimators.dask import (
    BaggedTreesClassifier,
    BaggedTreesRegressor,
    C45Classifier,
    CARTClassifier,
    CARTRegressor,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ID3Classifier,
    RandomForestClassifier,
    RandomForestRegressor,
)

__all__ = [
    "BaggedTreesClassifier",
    "BaggedTreesRegressor",
    "C45Classifier",
    "CARTClassifier",
    "CARTRegressor",
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "ID3Classifier",
    "RandomForestClassifier",
    "RandomForestRegressor",
]
