"""The messages of session bundles: which tensors of a graph take what a request brings, and which answer it.

from headrace.messages import session_bundle_protos
session_bundle_protos.Signatures()
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from headrace.messages.message_tables import build_file, class_of

if TYPE_CHECKING:
    from google.protobuf.descriptor import FileDescriptor

_MESSAGES = {
    "TensorBinding": "tensor_name=1:string",
    "AssetFile": "tensor_binding=1:TensorBinding filename=2:string",
    "RegressionSignature": "input=1:TensorBinding output=2:TensorBinding",
    "ClassificationSignature": "input=1:TensorBinding classes=2:TensorBinding scores=3:TensorBinding",
    "GenericSignature": "map=1:{string,TensorBinding}",
    "Signature": (
        "regression_signature=1:?type:RegressionSignature classification_signature=2:?type:ClassificationSignature "
        "generic_signature=3:?type:GenericSignature"
    ),
    "Signatures": "default_signature=1:Signature named_signatures=2:{string,Signature}",
}


@functools.cache
def _file() -> FileDescriptor:
    return build_file("headrace/session_bundle.proto", "headrace.serving", _MESSAGES, {})


def __getattr__(name: str) -> Any:
    if name not in _MESSAGES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = class_of(_file(), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_MESSAGES})
