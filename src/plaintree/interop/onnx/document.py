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

    Every column is a separate input, rows x 1: numbers as doubles (float32 columns are widened,
    which is exact; NaN is missing), categories as strings (an empty string is missing, or "?" if
    the empty string is a category) or, if they are numbers or booleans, as doubles; dates and times
    as microseconds since 1970. The outputs are ``label`` and ``probabilities`` (rows x classes), or
    ``prediction`` if the target is numeric.
    Trees are the TreeEnsemble operator of ai.onnx.ml 5, so thresholds compare exactly as in the
    model. The graph fails for a row that the model refuses.

    Parameters
    ----------
    model : estimator, Tree or RuleList
        A fitted estimator, a tree or a rule list.
    matrix : bool, default=False
        Whether to use one input ``X`` of rows x columns instead; all columns must be numbers.
    feature_names : sequence of str, default=None
        Names of the features in column order, in place of those of the model.
    class_names : sequence of str, default=None
        Labels of the classes in the order of ``classes_``, in place of those of the model.
    verify : table, True, Verification or None, default=None
        If given, the graph is run by onnxruntime
        on the rows of the table and on generated rows, and compared with the model; True uses
        generated rows only. A :class:`~plaintree.interop.Verification` also has the result.

    Returns
    -------
    bytes
        The graph; write it to a file that ends in .onnx.

    Raises
    ------
    ExportError
        If the model cannot be exported, or the export predicts a row differently.

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
