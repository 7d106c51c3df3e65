"""ONNX models: columns in, the label and the class probabilities of each row out."""

from __future__ import annotations

from typing import Any

from plaintree.data.renaming import ClassNames, FeatureNames
from plaintree.errors import PlaintreeError

from ..members import members_of
from ..renamed import renamed_model
from ..verification.verify import verify_export


def export_onnx(
    model: object,
    *,
    matrix: bool = False,
    feature_names: FeatureNames = None,
    class_names: ClassNames = None,
    verify: Any = None,
) -> bytes:
    """Write a model as an ONNX graph, in double precision throughout.

    Every column is an input of its own, rows x 1: numbers as doubles (float32 columns are widened,
    which is exact; NaN is missing), categories as texts (an empty text is missing, or "?" where an
    empty text is a category) or, where they are numbers or truth values, as doubles; dates and
    times as microseconds since 1970. The outputs are ``label`` and ``probabilities`` (rows x
    classes). Trees are the TreeEnsemble operator of ai.onnx.ml 5, so that thresholds compare
    exactly as in the model. A row that the model refuses makes running the graph fail.

    Parameters
    ----------
    model
        A fitted model, a Tree or a RuleList.
    matrix
        One input ``X`` of rows x columns instead, where all columns are numbers.
    feature_names : sequence of str, default=None
        Names of the features in column order, in place of those of the model.
    class_names : sequence of str, default=None
        Labels of the classes in the order of ``classes_``, in place of those of the model.
    verify
        A table, or True: onnxruntime answers its rows and rows made to find differences;
        :class:`ExportError` shows the first row where the model answers otherwise. A
        :class:`~plaintree.interop.Verification` of the table tells what was compared.

    Examples
    --------
    >>> import plaintree as pt
    >>> from plaintree.interop.onnx import export_onnx
    >>> X, y = pt.datasets.load_tennis()
    >>> artefact = export_onnx(pt.ID3Classifier().fit(X, y), verify=X)
    >>> type(artefact)
    <class 'bytes'>
    """
    model = renamed_model(model, feature_names, class_names)
    try:
        from .predictions import write_model
    except ImportError as error:
        raise PlaintreeError(
            "writing ONNX needs the package onnx, which is not installed",
            hint="pip install 'plaintree[onnx]'.",
        ) from error
    artefact = write_model(members_of(model), matrix=matrix)
    if verify is not None:
        verify_export(model, artefact, "onnx", verify)
    return artefact
