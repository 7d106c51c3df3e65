"""A growing ONNX graph: operations, constants, and names that are never given twice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from plaintree.data.schema import Label
from plaintree.errors import ExportError

from ..members import label_type, unique_name

OPSET, ML_OPSET, IR_VERSION = 21, 5, 10
"""TreeEnsemble, which takes doubles, came with version 5 of the operators for machine learning."""
ML = "ai.onnx.ml"


class Graph:
    """A graph to which operations are added; each returns the name of its result."""

    def __init__(self, taken: Sequence[str]) -> None:
        self._taken = set(taken)
        self._nodes: list[onnx.NodeProto] = []
        self._constants: list[onnx.TensorProto] = []
        self._inputs: list[onnx.ValueInfoProto] = []
        self._outputs: list[onnx.ValueInfoProto] = []

    def input(self, name: str, type_: int, columns: int, about: str) -> str:
        """A tensor that comes in, rows x columns."""
        utf8(name)
        if not name:
            raise ExportError(
                "an input of ONNX needs a name, and a column has none",
                hint="name the column before fitting, or use matrix=True.",
            )
        info = helper.make_tensor_value_info(name, type_, ["rows", columns], doc_string=about)
        self._inputs.append(info)
        return name

    def output(self, tensor: str, name: str, type_: int, columns: int | None) -> str:
        """Name a tensor as an output."""
        own = unique_name(name, self._taken)
        self._nodes.append(helper.make_node("Identity", [tensor], [own]))
        shape: list[str | int] = ["rows"] if columns is None else ["rows", columns]
        self._outputs.append(helper.make_tensor_value_info(own, type_, shape))
        return own

    def constant(self, values: Any, dtype: Any = np.float64) -> str:
        """A tensor of numbers that is part of the model."""
        name = unique_name(f"constant{len(self._constants)}", self._taken)
        self._constants.append(numpy_helper.from_array(np.asarray(values, dtype=dtype), name))
        return name

    def labels(self, labels: Sequence[Label]) -> tuple[str, int]:
        """Labels as a tensor that is part of the model, and its type."""
        kind = label_type(labels)
        if kind != "text":
            dtype = {"integer": np.int64, "real": np.float64, "boolean": np.bool_}[kind]
            name = self.constant(list(labels), dtype)
            return name, int(self._constants[-1].data_type)
        texts = [without_null_at_end(str(label), "a class") for label in labels]
        name = unique_name(f"constant{len(self._constants)}", self._taken)
        self._constants.append(text_tensor(name, texts))
        return name, int(TensorProto.STRING)

    def apply(self, operator: str, *inputs: str, domain: str = "", **attributes: Any) -> str:
        """Add an operation and return the name of its result."""
        result = unique_name(f"{operator}{len(self._nodes)}", self._taken)
        node = helper.make_node(operator, list(inputs), [result], domain=domain, **attributes)
        self._nodes.append(node)
        return result

    # ---------------------------------------------------------------- operations in a few words

    def take(self, tensor: str, positions: Any, axis: int = 1) -> str:
        """Some columns (or rows) of a tensor, by constant positions."""
        return self.apply("Gather", tensor, self.constant(positions, np.int64), axis=axis)

    def running_sum(self, tensor: str, n: int) -> str:
        """The sum over axis 1 (of length n), added up from the first to the last.

        Adding in any other order would round otherwise than the model does.
        """
        sums = self.apply("CumSum", tensor, self.constant(1, np.int64))
        return self.apply("Gather", sums, self.constant(n - 1, np.int64), axis=1)

    def where_missing(self, tensor: str, missing: str, known: str) -> str:
        """One tensor where another is NaN, and a third elsewhere."""
        return self.apply("Where", self.apply("IsNaN", tensor), missing, known)

    def greatest(self, tensor: str) -> str:
        """The position of the greatest value in each row, the first one on ties."""
        return self.apply("ArgMax", tensor, axis=1, keepdims=0)

    def to_bytes(self) -> bytes:
        """The finished model."""
        graph = helper.make_graph(
            self._nodes, "plaintree", self._inputs, self._outputs, self._constants
        )
        model = helper.make_model(
            graph,
            producer_name="plaintree",
            ir_version=IR_VERSION,
            opset_imports=[helper.make_opsetid("", OPSET), helper.make_opsetid(ML, ML_OPSET)],
        )
        return bytes(model.SerializeToString())


def numbers(values: Any, dtype: Any = np.float64) -> onnx.TensorProto:
    """Numbers as a tensor for an attribute."""
    array: NDArray[Any] = np.asarray(values, dtype=dtype)
    return numpy_helper.from_array(array)


def text_tensor(name: str, texts: Sequence[str]) -> onnx.TensorProto:
    """Make a tensor of strings."""
    encoded: Any = list(map(utf8, texts))
    return helper.make_tensor(name, TensorProto.STRING, [len(texts)], encoded)


def without_null_at_end(text: str, what: str) -> str:
    """Return a string, if it stays distinct from others in an array."""
    if text.endswith("\0"):
        raise ExportError(
            f"{what} ends with a null character, which arrays of strings lose",
            got=repr(text),
            hint="rename it before fitting.",
        )
    return text


def utf8(text: str) -> bytes:
    """Encode a string for ONNX."""
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise ExportError(
            "a name or label has half of a surrogate pair, which ONNX cannot store",
            got=ascii(text),
            hint="rename the column, category or class before fitting.",
        ) from error
