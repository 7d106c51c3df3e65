"""Models as ONNX graphs for onnxruntime.

May import members.py, verification, rules, tree and data. Estimators never enter.
"""

from .document import export_onnx

__all__ = ["export_onnx"]
