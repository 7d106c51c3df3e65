"""Models as ONNX graphs, which run wherever onnxruntime does."""

from .document import export_onnx

__all__ = ["export_onnx"]
