"""FarmHash's fingerprint of 128 bits: the function Fingerprint128 of namespace farmhashcc, which is CityHash128.

G. Pike, github.com/google/farmhash.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from headrace.core.registry import op, raw
from headrace.core.tensor import Tensor
from headrace.kernels.host_values import to_array
from headrace.kernels.string.fingerprint import K0, K1, MASK, joined, mixed, rotate, up_to_16, weak, word

if TYPE_CHECKING:
    from headrace.core.typing import NodeView, OpView, TensorLike


_PAIR = 0x9DDFEA08EB382D69


def _of_pair(u: int, v: int) -> int:
    return joined(u & MASK, v & MASK, _PAIR)


def fingerprint128(text: bytes) -> tuple[int, int]:
    """The fingerprint as two unsigned numbers of 64 bits, the lower one first."""
    if len(text) >= 16:
        seed = word(text)[0], word(text, 8)[0] + K0 & MASK
        text = text[16:]
    else:
        seed = K0, K1
    return _murmur(text, *seed) if len(text) < 128 else _city(text, *seed)


def _murmur(text: bytes, a: int, b: int) -> tuple[int, int]:
    size = len(text)
    if size <= 16:
        a = mixed(a * K1 & MASK) * K1 & MASK
        c = b * K1 + up_to_16(text, size) & MASK
        d = mixed(a + (word(text)[0] if size >= 8 else c) & MASK)
    else:
        c = _of_pair(word(text, size - 8)[0] + K1, a)
        d = _of_pair(b + size, c + word(text, size - 16)[0])
        a = a + d & MASK
        for at in range(0, size - 16, 16):
            a = (a ^ mixed(word(text, at)[0] * K1 & MASK) * K1 & MASK) * K1 & MASK
            b ^= a
            c = (c ^ mixed(word(text, at + 8)[0] * K1 & MASK) * K1 & MASK) * K1 & MASK
            d ^= c
    a, b = _of_pair(a, c), _of_pair(d, b)
    return a ^ b, _of_pair(b, a)


def _city(text: bytes, x: int, y: int) -> tuple[int, int]:
    size = len(text)
    z = size * K1 & MASK
    first = rotate(y ^ K1, 49) * K1 + word(text)[0] & MASK
    v = first, rotate(first, 42) * K1 + word(text, 8)[0] & MASK
    w = rotate(y + z & MASK, 35) * K1 + x & MASK, rotate(x + word(text, 88)[0] & MASK, 53) * K1 & MASK
    end = size // 128 * 128
    for at in range(0, end, 64):
        x = rotate(x + y + v[0] + word(text, at + 8)[0] & MASK, 37) * K1 & MASK
        y = rotate(y + v[1] + word(text, at + 48)[0] & MASK, 42) * K1 & MASK
        x ^= w[1]
        y = y + v[0] + word(text, at + 40)[0] & MASK
        z = rotate(z + w[0] & MASK, 33) * K1 & MASK
        v = weak(text, at, v[1] * K1 & MASK, x + w[0] & MASK)
        w = weak(text, at + 32, z + w[1] & MASK, y + word(text, at + 16)[0] & MASK)
        z, x = x, z
    x = x + rotate(v[0] + z & MASK, 49) * K0 & MASK
    y = y * K0 + rotate(w[1], 37) & MASK
    z = z * K0 + rotate(w[0], 27) & MASK
    w = w[0] * 9 & MASK, w[1]
    v = v[0] * K0 & MASK, v[1]
    # What is left, from its end, 32 bytes at a time; the last of them may begin in the blocks before.
    for done in range(32, size - end + 32, 32):
        at = size - done
        y = rotate(x + y & MASK, 42) * K0 + v[1] & MASK
        w = w[0] + word(text, at + 16)[0] & MASK, w[1]
        x = x * K0 + w[0] & MASK
        z = z + w[1] + word(text, at)[0] & MASK
        w = w[0], w[1] + v[0] & MASK
        v = weak(text, at, v[0] + z & MASK, v[1])
        v = v[0] * K0 & MASK, v[1]
    x = _of_pair(x, v[0])
    y = _of_pair(y + z, w[0])
    return _of_pair(x + v[1], w[1]) + y & MASK, _of_pair(x + w[1], y + v[1])


fprint_op = op("SdcaFprint", "input: string -> output: int64")


@fprint_op.shape
def fprint_shape(op: OpView) -> list[Any]:
    dims = op.inputs[0].dims
    if dims is not None and len(dims) != 1:
        raise ValueError(f"Shape must be rank 1 but is rank {len(dims)}")
    return [(None if dims is None else dims[0], 2)]


@fprint_op.kernel
def fprint_kernel(node: NodeView) -> Callable[..., Any]:
    def fingerprints(texts: np.ndarray) -> torch.Tensor:
        pairs = [fingerprint128(text) for text in to_array(texts).reshape(-1).tolist()]
        return torch.from_numpy(np.array(pairs, np.uint64).reshape(-1, 2).view(np.int64))

    return fingerprints


fprint_op.on_host("input", outputs=True).not_differentiable()
fprint_op.accepts(np.array([b"", b"a", b"b" * 300], object))


def sdca_fprint(input: TensorLike, name: str | None = None) -> Tensor:
    """Fingerprints of 128 bits, by which `tf.train.sdca_optimizer` knows examples.

    Args:
        input: vector of strings.
        name: a name for the operation.

    Returns:
        int64 [strings, 2].

    Example:
        >>> keys = tf.train.sdca_fprint(["example 1", "example 2"])
    """
    return raw.SdcaFprint(input, name=name)
