"""The ops of `tf.contrib.tensor_forest` on data: words as numbers, and sums at places of a variable."""

from __future__ import annotations

import numpy as np

from headrace.core.errors import InvalidArgumentError
from headrace.core.registry import op
from headrace.kernels.host_values import boxed, mapped, to_array, to_tensor

reinterpret_op = op("ReinterpretStringToFloat", "input_data: string -> output_data: float")
scatter_op = op("ScatterAddNdim", "input: ref float, indices: int32, deltas: float ->")
reinterpret_op.on_host("input_data", outputs=True)
reinterpret_op.shape(lambda op: [op.inputs[0].dims])
scatter_op.on_host("indices", "deltas").writes("input")
scatter_op.shape(lambda op: [])
_BITS = (1 << 64) - 1
_MULTIPLIER, _SEED = 0xC6A4A7935BD1E995, 0xC70F6907


def _hash(word: bytes) -> int:
    """MurmurHash64A (A. Appleby, 2008) as the GNU C++ library has it for strings."""
    whole = len(word) & ~7
    mixed = (_SEED ^ len(word) * _MULTIPLIER) & _BITS
    for start in range(0, whole, 8):
        block = int.from_bytes(word[start : start + 8], "little") * _MULTIPLIER & _BITS
        mixed = (mixed ^ (block ^ block >> 47) * _MULTIPLIER & _BITS) * _MULTIPLIER & _BITS
    if len(word) > whole:
        mixed = (mixed ^ int.from_bytes(word[whole:], "little")) * _MULTIPLIER & _BITS
    mixed = (mixed ^ mixed >> 47) * _MULTIPLIER & _BITS
    return mixed ^ mixed >> 47


@reinterpret_op.kernel
def reinterpret_kernel(node):
    return lambda words: to_tensor(mapped(_hash, boxed(words), dtype=np.float32))


@scatter_op.kernel
def scatter_kernel(node):
    def scatter(buffer, indices, deltas):
        places, value = to_array(indices), buffer.read()
        if not places.size:
            return ()
        if len(places) != len(deltas):
            raise InvalidArgumentError(
                None,
                None,
                f"Number of updates should be same as number of indices. Got {len(deltas)} and {len(places)}",
            )
        depth = places.shape[-1]
        if (places < 0).any() or (places >= np.array(value.shape[:depth])).any():
            raise InvalidArgumentError(
                None,
                None,
                f"indices out of range: expected less than {list(value.shape[:depth])}, got {places.tolist()}",
            )
        value.index_put_(tuple(indices.long().T), deltas, accumulate=True)
        return ()

    return scatter


# ---- examples ----

reinterpret_op.accepts(np.array([[b"a", b"abc"], [b"", b"hello world"]]))
_VARIABLE = np.zeros((3, 2), np.float32)
scatter_op.accepts(_VARIABLE, np.array([[0, 1], [2, 0], [0, 1]], np.int32), np.array([1, 2, 4], np.float32))
scatter_op.accepts(_VARIABLE, np.array([[0], [2]], np.int32), np.array([[1, 2], [3, 4]], np.float32))
scatter_op.rejects(
    _VARIABLE,
    np.array([[3, 1]], np.int32),
    np.array([1], np.float32),
    error=InvalidArgumentError,
    differs="1.15 ends the process",
)
