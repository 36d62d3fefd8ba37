# Made by tools/make_stubs.py.
from typing import Any

__all__ = ['AssetFile', 'ClassificationSignature', 'GenericSignature', 'RegressionSignature', 'Signature', 'Signatures', 'TensorBinding']
AssetFile: Any
ClassificationSignature: Any
GenericSignature: Any
RegressionSignature: Any
Signature: Any
Signatures: Any
TensorBinding: Any
