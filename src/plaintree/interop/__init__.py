"""Exchange with other programs: model files, exports and imports.

Holds model files, programs in other languages, PMML, ONNX, trees of other libraries, and the
verification of exports. It is the only room that reads untrusted bytes. May import estimators and
what is further in, but only model_file imports estimators: exports read a model through
members.py. Presentation for people never enters.
"""

from plaintree.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
