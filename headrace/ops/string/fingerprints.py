"""Fingerprints of rows of any type."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch

from headrace.core.errors import InvalidArgumentError
from headrace.core.registry import op, raw
from headrace.core.tensor import Tensor
from headrace.kernels.host_values import boxed, to_array
from headrace.kernels.ranks import ranked
from headrace.kernels.string.batched_hashes import fingerprints

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


fingerprint_op = op("Fingerprint", "data: T, method: string, *, T: type -> fingerprint: uint8")
_METHOD = "farmhash64"


def _text(value: np.ndarray) -> str:
    item = boxed(value)[()] if not isinstance(value, (str, bytes)) else value
    return item.decode() if isinstance(item, bytes) else str(item)


@fingerprint_op.shape
@ranked((1, None), 0)
def fingerprint_shape(op):
    data = op.inputs[0]
    if data.dims is not None and not data.dims:
        raise ValueError("Shape must be at least rank 1 but is rank 0")
    known = op.constant(1)
    if known is not None and _text(known) != _METHOD:
        raise ValueError(f"Unsupported method: {_text(known)}")
    return [(None if data.dims is None else data.dims[0], 8)]


@fingerprint_op.kernel
def fingerprint_kernel(node):
    def rows_of(array: np.ndarray) -> list[bytes]:
        flat = np.ascontiguousarray(array).reshape(array.shape[0], -1)
        return [row.tobytes() for row in flat]

    def fingerprint(data, method):
        if _text(method) != _METHOD:
            raise InvalidArgumentError(None, None, f"Unsupported method: {_text(method)}")
        array = to_array(data)
        if not array.ndim:
            raise InvalidArgumentError(None, None, "`data` should have at least one dimension.")
        if array.dtype == object:
            hashes = fingerprints(array.reshape(-1).tolist()).astype("<u8")
            if array.size != array.shape[0]:
                hashes = fingerprints(rows_of(hashes.reshape(array.shape[0], -1))).astype("<u8")
        else:
            hashes = fingerprints(rows_of(array)).astype("<u8")
        return torch.from_numpy(hashes.view(np.uint8).reshape(array.shape[0], 8).copy())

    return fingerprint


fingerprint_op.on_host("data", "method", outputs=True)
fingerprint_op.accepts(np.array([b"abc", b"d"], object), b"farmhash64").accepts([2, 3], b"farmhash64")
fingerprint_op.rejects([2], b"other", error=ValueError, match="method")


def fingerprint(data: TensorLike, method: str = _METHOD, name: str | None = None) -> Tensor:
    """A fingerprint of 8 bytes of each row, the same on every machine.

    Args:
        data: a tensor of any type, of one or more dimensions.
        method: "farmhash64".
        name: a name for the operation.

    Returns:
        uint8 [rows, 8].

    Raises:
        ValueError: for another method, or a scalar.

    Example:
        >>> tf.Session().run(tf.fingerprint(["abc"]))
        array([[105, 243, 231, 116, 160, 179, 165,  36]], dtype=uint8)
    """
    return raw.Fingerprint(data, method, name=name)
