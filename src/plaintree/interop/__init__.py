"""For machines: model files, programs, PMML, ONNX, trees of other libraries, proofs.

The only room that reads bytes nobody vouches for. Imports everything further in. Exports read a
model through its members, never by the class of an estimator.
"""
