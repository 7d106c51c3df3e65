"""Estimators for Spark DataFrames, in the manner of ``pyspark.ml``. They need pyspark 4.

>>> from plaintree.spark import CARTClassifier
>>> CARTClassifier(label_col="y", max_depth=4).getOrDefault("max_depth")
4
"""

from __future__ import annotations

from .estimators.spark import (
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
    TreeModel,
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
    "TreeModel",
]
