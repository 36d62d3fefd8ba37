# Made by tools/make_stubs.py.
from typing import Any

AssetFile: Any
ClassificationSignature: Any
GenericSignature: Any
RegressionSignature: Any
Signature: Any
Signatures: Any
TensorBinding: Any
