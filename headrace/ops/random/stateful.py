"""Random numbers whose state is a variable: the ops under `tf.random.experimental.Generator`."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.dims import unknown_dims
from headrace.core.errors import InvalidArgumentError
from headrace.core.registry import op
from headrace.kernels.host_values import to_tensor
from headrace.kernels.random import philox
from headrace.kernels.random.binomial import binomial
from headrace.kernels.random.generator_state import PHILOX, algorithm_in, move, place_of, skipped
from headrace.kernels.random.philox import full_range
from headrace.kernels.ranks import ranked

if TYPE_CHECKING:
    import torch

    from headrace.core.buffers import VariableBuffer
    from headrace.core.registry import OpDecl
    from headrace.core.typing import NodeView, OpView


def _shape(op: OpView, index: int = 2) -> list[Any]:
    known = op.constant(index)
    if known is not None:
        return [tuple(int(size) for size in known)]
    dims = op.inputs[index].dims
    return [None if dims is None else unknown_dims(dims[0])]


def _drawing(decl: OpDecl, draw: Callable[..., Any], index: int = 2) -> None:
    """The shape function and kernel of an op that draws with `draw(philox, count, dtype, *bounds)`."""
    decl.shape(lambda op: _shape(op, index))

    @decl.kernel
    def kernel(node: NodeView) -> Callable[..., Any]:
        numpy_type, device = node.outputs[0].dtype.as_numpy_dtype, node.device

        # The first version keeps the algorithm in the state, before all else.
        start = 1 if index == 1 else 0

        def run(buffer: VariableBuffer, algorithm: torch.Tensor, shape: torch.Tensor, *bounds: Any) -> torch.Tensor:
            sizes = shape.tolist()
            count = math.prod(sizes)
            with buffer.lock:
                place = place_of(buffer, algorithm, start)
                values = draw(place, count, numpy_type, *(bound.item() for bound in bounds))
                move(buffer, place, count, start)
            return to_tensor(values.reshape(sizes), device)

        if index == 1:
            return lambda buffer, shape: run(buffer, algorithm_in(buffer), shape)
        return run


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
_drawing(stateful_uniform_op, lambda *args: philox.uniform(*args))
_drawing(stateful_normal_v2_op, lambda *args: philox.standard_normal(*args))
_drawing(stateful_truncated_op, lambda *args: philox.truncated_normal(*args))
_drawing(stateful_normal_op, lambda *args: philox.standard_normal(*args), index=1)
_drawing(stateful_full_int_op, full_range)


def _int_between(place: Any, count: int, dtype: Any, low: int, high: int) -> np.ndarray:
    return philox.uniform_int(place, count, low, high, dtype)


_drawing(stateful_int_op, _int_between)

binomial_op = (
    op(
        "StatefulRandomBinomial",
        "resource: resource, algorithm: int64, shape: S, counts: T, probs: T, *, S: index, "
        "T: {half, float, double, int32, int64} = double, dtype: {half, float, double, int32, int64} = int64 -> output: dtype",
        stateful=True,
    )
    .on_host("algorithm", "shape", "counts", "probs")
    .writes("resource")
)


@binomial_op.shape
def binomial_shape(op: OpView) -> list[Any]:
    for index in (3, 4):
        dims = op.inputs[index].dims
        if dims is not None and len(dims) > 1:
            raise ValueError(f"Shape must be at most rank 1 but is rank {len(dims)}")
    return _shape(op)


@binomial_op.kernel
def binomial_kernel(node: NodeView) -> Callable[..., Any]:
    numpy_type, device = node.outputs[0].dtype.as_numpy_dtype, node.device

    def run(buffer: VariableBuffer, algorithm: torch.Tensor, shape: torch.Tensor, *given: torch.Tensor) -> torch.Tensor:
        sizes = shape.tolist()
        if not sizes:
            raise InvalidArgumentError(None, None, "The shape must have a dimension, for the rows of numbers; got [].")
        rows, per_row = sizes[0], math.prod(sizes[1:])
        counts, probs = (value.numpy().reshape(-1) for value in given)
        reserved = rows * 2 * 100 * (per_row + 3) // 4
        if len(counts) == len(probs) == 1:
            # All are alike: they come in rows of a hundred.
            reserved = -(-rows * per_row // 100) * 2 * 100 * (100 + 3) // 4
            rows, per_row = min(1, rows * per_row), rows * per_row
        for name, values in (("counts", counts), ("probs", probs)):
            if rows and len(values) not in (1, rows):
                raise InvalidArgumentError(
                    None, None, f"Input {name} should have length 1 or shape[0], got shape: [{len(values)}]"
                )
        with buffer.lock:
            place = place_of(buffer, algorithm)
            values = binomial(place, per_row, *(np.resize(each, rows) for each in (counts, probs)))
            move(buffer, place, reserved)
        with np.errstate(invalid="ignore"):
            return to_tensor(values.astype(numpy_type).reshape(sizes), device)

    return run


rng_skip_op = (
    op("RngSkip", "resource: resource, algorithm: int64, delta: int64 ->", stateful=True)
    .on_host("algorithm", "delta")
    .writes("resource")
)
rng_skip_op.shape(lambda op: [])


@rng_skip_op.kernel
def rng_skip_kernel(node: NodeView) -> Callable[..., Any]:
    def skip(buffer: VariableBuffer, algorithm: torch.Tensor, delta: torch.Tensor) -> None:
        with buffer.lock:
            skipped(buffer, algorithm, int(delta))

    return skip


non_deterministic_op = op(
    "NonDeterministicInts",
    "shape: shape_dtype, *, dtype: type = int64, shape_dtype: type = int64 -> output: dtype",
    stateful=True,
).on_host("shape")
non_deterministic_op.shape(ranked(1)(lambda op: _shape(op, 0)))


@non_deterministic_op.kernel
def non_deterministic_kernel(node: NodeView) -> Callable[..., Any]:
    kind, device = np.dtype(node.outputs[0].dtype.as_numpy_dtype), node.device
    source = np.random.default_rng()

    def draw(shape: torch.Tensor) -> torch.Tensor:
        sizes = shape.tolist()
        drawn = np.frombuffer(source.bytes(math.prod(sizes) * kind.itemsize), kind)
        return to_tensor(drawn.reshape(sizes).copy(), device)

    return draw


_STATE, _PHILOX, _SIZES = np.array([1, 2, 3]), np.int64(PHILOX), np.array([2, 3])
for _decl in (stateful_uniform_op, stateful_normal_v2_op, stateful_truncated_op, stateful_full_int_op):
    _decl.accepts(_STATE, _PHILOX, _SIZES)
stateful_uniform_op.accepts(_STATE, _PHILOX, _SIZES, dtype="float64")
stateful_normal_op.accepts(np.array([PHILOX, 2, 3, 4]), _SIZES)
stateful_int_op.accepts(_STATE, _PHILOX, _SIZES, np.int64(-2), np.int64(5))
_MOVES = "It moves a copy of the state that is gone, where the variable shares its memory with what it was given."
_ROWS = np.array([4.0, 50.0, 30.0]), np.array([0.3, 0.4, 0.8])
_FLOAT_ROWS = np.array([20, 5], np.float32), np.array([0.25, 0.75], np.float32)
binomial_op.accepts(_STATE, _PHILOX, np.array([3, 40], np.int32), *_ROWS, differs=_MOVES)
binomial_op.accepts(_STATE, _PHILOX, np.array([2, 30], np.int32), *_FLOAT_ROWS, dtype="float32", differs=_MOVES)
rng_skip_op.accepts(_STATE, _PHILOX, np.int64(300))
non_deterministic_op.accepts(_SIZES, varies="it is not deterministic")
