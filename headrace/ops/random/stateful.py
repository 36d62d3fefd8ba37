"""Random numbers whose state is a variable: the ops under `tf.random.experimental.Generator`."""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from headrace.core.constant_value import constant_value
from headrace.core.errors import FailedPreconditionError, InvalidArgumentError
from headrace.core.registry import op
from headrace.core.shapes import unknown_dims
from headrace.ops.host_values import to_tensor
from headrace.ops.ranks import ranked

_PHILOX = 1
_WORD = 2**64


def _philox() -> Any:
    return importlib.import_module("headrace.runtime.philox")


def _signed(number: int) -> int:
    return number - _WORD if number >= _WORD // 2 else number


def _place(buffer: Any, algorithm: Any) -> Any:
    """Where the state in a variable stands in its stream: two words of counter, one of key."""
    if int(algorithm) != _PHILOX:
        raise InvalidArgumentError(None, None, f"Unsupported algorithm id: {int(algorithm)}")
    if buffer.value is None:
        raise FailedPreconditionError(None, None, "The state of a random generator has not been initialized.")
    state = buffer.value
    if state.dtype is not torch.int64 or state.dim() != 1 or state.numel() < 3:
        raise InvalidArgumentError(
            None,
            None,
            f"The state must be an int64 vector of at least 3 elements, got {list(state.shape)} {state.dtype}",
        )
    low, high, key = (number % _WORD for number in state.tolist()[:3])
    return _philox().Philox(key, high, low)


def _move(buffer: Any, place: Any, outputs: int) -> None:
    """Moves the state on as if each output had taken all the blocks reserved for one."""
    counter = place.high * _WORD + place.position + outputs * _philox().RESERVED_PER_OUTPUT
    moved = [counter % _WORD, counter // _WORD % _WORD, place.key]
    rest = buffer.value.tolist()[3:]
    buffer.value = torch.tensor([*map(_signed, moved), *rest], dtype=torch.int64, device=buffer.value.device)


def _shape(op: Any, index: int = 2) -> list[Any]:
    known = constant_value(op.inputs[index])
    if known is not None:
        return [tuple(int(size) for size in known)]
    dims = op.inputs[index].dims
    return [None if dims is None else unknown_dims(dims[0])]


def _drawing(decl: Any, draw: Callable[..., Any], index: int = 2) -> None:
    """The shape function and kernel of an op that draws with `draw(philox, count, dtype, *bounds)`."""
    decl.shape(lambda op: _shape(op, index))

    @decl.kernel
    def kernel(node: Any) -> Any:
        numpy_type, device = node.outputs[0].dtype.as_numpy_dtype, node.device

        def run(buffer: Any, algorithm: Any, shape: Any, *bounds: Any) -> Any:
            sizes = shape.tolist()
            count = math.prod(sizes)
            with buffer.lock:
                place = _place(buffer, algorithm)
                values = draw(place, count, numpy_type, *(bound.item() for bound in bounds))
                _move(buffer, place, count)
            return to_tensor(values.reshape(sizes), device)

        if index == 1:
            return lambda buffer, shape: run(buffer, _PHILOX, shape)
        return run


def full_range(place: Any, count: int, dtype: Any) -> Any:
    """Integers of all bits of the words of a stream."""
    kind = np.dtype(dtype)
    words = place.words(_philox().blocks_of(count, kind))
    if kind.itemsize == 8:
        words = words[0::2] | words[1::2].astype(np.uint64) << np.uint64(32)
    return words[:count].view(kind)


_FLOATS = (
    "resource: resource, algorithm: int64, shape: shape_dtype, *, dtype: type = float, shape_dtype: type = int64 -> "
    "output: dtype"
)

stateful_uniform_op = op("StatefulUniform", _FLOATS, stateful=True).on_host("algorithm", "shape").writes("resource")
stateful_normal_v2_op = (
    op("StatefulStandardNormalV2", _FLOATS, stateful=True).on_host("algorithm", "shape").writes("resource")
)
stateful_truncated_op = (
    op("StatefulTruncatedNormal", _FLOATS, stateful=True).on_host("algorithm", "shape").writes("resource")
)
stateful_normal_op = (
    op(
        "StatefulStandardNormal",
        "resource: resource, shape: shape_dtype, *, dtype: type = float, shape_dtype: type = int64 -> output: dtype",
        stateful=True,
    )
    .on_host("shape")
    .writes("resource")
)
stateful_int_op = (
    op(
        "StatefulUniformInt",
        "resource: resource, algorithm: int64, shape: shape_dtype, minval: dtype, maxval: dtype, *, dtype: type = int64, "
        "shape_dtype: type = int64 -> output: dtype",
        stateful=True,
    )
    .on_host("algorithm", "shape", "minval", "maxval")
    .writes("resource")
)
stateful_full_int_op = (
    op(
        "StatefulUniformFullInt",
        "resource: resource, algorithm: int64, shape: shape_dtype, *, dtype: type = uint64, shape_dtype: type = int64 -> "
        "output: dtype",
        stateful=True,
    )
    .on_host("algorithm", "shape")
    .writes("resource")
)
_drawing(stateful_uniform_op, lambda *args: _philox().uniform(*args))
_drawing(stateful_normal_v2_op, lambda *args: _philox().standard_normal(*args))
_drawing(stateful_truncated_op, lambda *args: _philox().truncated_normal(*args))
_drawing(stateful_normal_op, lambda *args: _philox().standard_normal(*args), index=1)
_drawing(stateful_full_int_op, full_range)


def _int_between(place: Any, count: int, dtype: Any, low: int, high: int) -> Any:
    return _philox().uniform_int(place, count, low, high, dtype)


_drawing(stateful_int_op, _int_between)

rng_skip_op = (
    op("RngSkip", "resource: resource, algorithm: int64, delta: int64 ->", stateful=True)
    .on_host("algorithm", "delta")
    .writes("resource")
)
rng_skip_op.shape(lambda op: [])


@rng_skip_op.kernel
def rng_skip_kernel(node: Any) -> Any:
    def skip(buffer: Any, algorithm: Any, delta: Any) -> None:
        with buffer.lock:
            skipped(buffer, algorithm, int(delta))

    return skip


def skipped(buffer: Any, algorithm: Any, delta: int) -> None:
    """Moves the state in a variable on by that many outputs; its lock is held."""
    _move(buffer, _place(buffer, algorithm), delta)


non_deterministic_op = op(
    "NonDeterministicInts",
    "shape: shape_dtype, *, dtype: type = int64, shape_dtype: type = int64 -> output: dtype",
    stateful=True,
).on_host("shape")
non_deterministic_op.shape(ranked(1)(lambda op: _shape(op, 0)))


@non_deterministic_op.kernel
def non_deterministic_kernel(node: Any) -> Any:
    kind, device = np.dtype(node.outputs[0].dtype.as_numpy_dtype), node.device
    source = np.random.default_rng()

    def draw(shape: Any) -> Any:
        sizes = shape.tolist()
        drawn = np.frombuffer(source.bytes(math.prod(sizes) * kind.itemsize), kind)
        return to_tensor(drawn.reshape(sizes).copy(), device)

    return draw
