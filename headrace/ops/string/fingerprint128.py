"""FarmHash's fingerprint of 128 bits: the function Fingerprint128 of namespace farmhashcc, which is CityHash128.

G. Pike, github.com/google/farmhash.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from headrace.core.operation import Tensor
from headrace.core.registry import op, raw
from headrace.ops.host_values import to_array
from headrace.ops.string.fingerprint import _K0, _K1, _MASK, _joined, _mixed, _rotate, _up_to_16, _weak, _word

_PAIR = 0x9DDFEA08EB382D69


def _of_pair(u: int, v: int) -> int:
    return _joined(u & _MASK, v & _MASK, _PAIR)


def fingerprint128(text: bytes) -> tuple[int, int]:
    """The fingerprint as two unsigned numbers of 64 bits, the lower one first."""
    if len(text) >= 16:
        seed = _word(text)[0], _word(text, 8)[0] + _K0 & _MASK
        text = text[16:]
    else:
        seed = _K0, _K1
    return _murmur(text, *seed) if len(text) < 128 else _city(text, *seed)


def _murmur(text: bytes, a: int, b: int) -> tuple[int, int]:
    size = len(text)
    if size <= 16:
        a = _mixed(a * _K1 & _MASK) * _K1 & _MASK
        c = b * _K1 + _up_to_16(text, size) & _MASK
        d = _mixed(a + (_word(text)[0] if size >= 8 else c) & _MASK)
    else:
        c = _of_pair(_word(text, size - 8)[0] + _K1, a)
        d = _of_pair(b + size, c + _word(text, size - 16)[0])
        a = a + d & _MASK
        for at in range(0, size - 16, 16):
            a = (a ^ _mixed(_word(text, at)[0] * _K1 & _MASK) * _K1 & _MASK) * _K1 & _MASK
            b ^= a
            c = (c ^ _mixed(_word(text, at + 8)[0] * _K1 & _MASK) * _K1 & _MASK) * _K1 & _MASK
            d ^= c
    a, b = _of_pair(a, c), _of_pair(d, b)
    return a ^ b, _of_pair(b, a)


def _city(text: bytes, x: int, y: int) -> tuple[int, int]:
    size = len(text)
    z = size * _K1 & _MASK
    first = _rotate(y ^ _K1, 49) * _K1 + _word(text)[0] & _MASK
    v = first, _rotate(first, 42) * _K1 + _word(text, 8)[0] & _MASK
    w = _rotate(y + z & _MASK, 35) * _K1 + x & _MASK, _rotate(x + _word(text, 88)[0] & _MASK, 53) * _K1 & _MASK
    end = size // 128 * 128
    for at in range(0, end, 64):
        x = _rotate(x + y + v[0] + _word(text, at + 8)[0] & _MASK, 37) * _K1 & _MASK
        y = _rotate(y + v[1] + _word(text, at + 48)[0] & _MASK, 42) * _K1 & _MASK
        x ^= w[1]
        y = y + v[0] + _word(text, at + 40)[0] & _MASK
        z = _rotate(z + w[0] & _MASK, 33) * _K1 & _MASK
        v = _weak(text, at, v[1] * _K1 & _MASK, x + w[0] & _MASK)
        w = _weak(text, at + 32, z + w[1] & _MASK, y + _word(text, at + 16)[0] & _MASK)
        z, x = x, z
    x = x + _rotate(v[0] + z & _MASK, 49) * _K0 & _MASK
    y = y * _K0 + _rotate(w[1], 37) & _MASK
    z = z * _K0 + _rotate(w[0], 27) & _MASK
    w = w[0] * 9 & _MASK, w[1]
    v = v[0] * _K0 & _MASK, v[1]
    # What is left, from its end, 32 bytes at a time; the last of them may begin in the blocks before.
    for done in range(32, size - end + 32, 32):
        at = size - done
        y = _rotate(x + y & _MASK, 42) * _K0 + v[1] & _MASK
        w = w[0] + _word(text, at + 16)[0] & _MASK, w[1]
        x = x * _K0 + w[0] & _MASK
        z = z + w[1] + _word(text, at)[0] & _MASK
        w = w[0], w[1] + v[0] & _MASK
        v = _weak(text, at, v[0] + z & _MASK, v[1])
        v = v[0] * _K0 & _MASK, v[1]
    x = _of_pair(x, v[0])
    y = _of_pair(y + z, w[0])
    return _of_pair(x + v[1], w[1]) + y & _MASK, _of_pair(x + w[1], y + v[1])


fprint_op = op("SdcaFprint", "input: string -> output: int64")


@fprint_op.shape
def fprint_shape(op: Any) -> list[Any]:
    dims = op.inputs[0].dims
    if dims is not None and len(dims) != 1:
        raise ValueError(f"Shape must be rank 1 but is rank {len(dims)}")
    return [(None if dims is None else dims[0], 2)]


@fprint_op.kernel
def fprint_kernel(node: Any) -> Any:
    def fingerprints(texts: Any) -> torch.Tensor:
        pairs = [fingerprint128(text) for text in to_array(texts).reshape(-1).tolist()]
        return torch.from_numpy(np.array(pairs, np.uint64).reshape(-1, 2).view(np.int64))

    return fingerprints


fprint_op.on_host("input", outputs=True).not_differentiable()
fprint_op.accepts(np.array([b"", b"a", b"b" * 300], object))


def sdca_fprint(input: Any, name: str | None = None) -> Tensor:
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
