"""Modules as ONNX files.

The ops of TensorFlow become operators of ONNX one by one. What does not depend on the inputs is computed while writing
and kept as initializers; sizes that are not known stay open, so that a model takes batches of any size.
"""

from headrace.torch.onnx.export import to_onnx

__all__ = ["to_onnx"]
