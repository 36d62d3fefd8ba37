"""Sums, products, activations and shapes of integers of a range."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from headrace.core.cases import Made, made
from headrace.core.dims import broadcast_dims, merge_dim
from headrace.core.dtypes import DType, as_dtype
from headrace.core.registry import op, raw
from headrace.core.tensor import Tensor
from headrace.kernels.array.arguments import invalid, moving, rank_at_least, rank_is
from headrace.kernels.array.reshaping import reshaped_dims
from headrace.kernels.quantized.ranges import (
    Levels,
    Range,
    bounds,
    check_scalars,
    ends,
    narrowed,
    number_of,
    product_range,
    requantized,
    scalars,
    sum_range,
    to_levels,
    unclamped,
    wide,
)
from headrace.kernels.ranks import ranked

if TYPE_CHECKING:
    from headrace.core.typing import DTypeLike, TensorLike


_TWO = "T1: quantized, T2: quantized"
_X_Y = "min_x: float, max_x: float, min_y: float, max_y: float"
_RELU = "min_features: float, max_features: float, *, Tinput: quantized, out_type: quantized = quint8 -> activations: out_type"
_RELU_RANGE = "min_activations: float, max_activations: float"

add_op = op(
    "QuantizedAdd",
    f"x: T1, y: T2, {_X_Y}, *, {_TWO}, Toutput: quantized = qint32 -> z: Toutput, min_z: float, max_z: float",
)
mul_op = op(
    "QuantizedMul",
    f"x: T1, y: T2, {_X_Y}, *, {_TWO}, Toutput: quantized = qint32 -> z: Toutput, min_z: float, max_z: float",
)
bias_add_op = op(
    "QuantizedBiasAdd",
    "input: T1, bias: T2, min_input: float, max_input: float, min_bias: float, max_bias: float, *, T1: quantized, "
    "T2: quantized, out_type: quantized -> output: out_type, min_out: float, max_out: float",
)
matmul_op = op(
    "QuantizedMatMul",
    f"a: T1, b: T2, min_a: float, max_a: float, min_b: float, max_b: float, *, {_TWO}, Toutput: quantized = qint32, "
    "transpose_a=False, transpose_b=False, Tactivation: quantized = quint8 -> out: Toutput, min_out: float, max_out: float",
)
relu_op = op("QuantizedRelu", f"features: Tinput, {_RELU}, {_RELU_RANGE}")
relu6_op = op("QuantizedRelu6", f"features: Tinput, {_RELU}, {_RELU_RANGE}")
relu_x_op = op("QuantizedReluX", f"features: Tinput, max_value: float, {_RELU}, {_RELU_RANGE}")
reshape_op = op(
    "QuantizedReshape",
    "tensor: T, shape: Tshape, input_min: float, input_max: float, *, Tshape: index = int32 -> output: T, "
    "output_min: float, output_max: float",
).aliases()
concat_op = op(
    "QuantizedConcat",
    "concat_dim: int32, values: N * T, input_mins: N * float, input_maxes: N * float, *, N: int >= 2 -> output: T, "
    "output_min: float, output_max: float",
)

add_op.on_host("min_x", "max_x", "min_y", "max_y")
mul_op.on_host("min_x", "max_x", "min_y", "max_y")
bias_add_op.on_host("min_input", "max_input", "min_bias", "max_bias")
matmul_op.on_host("min_a", "max_a", "min_b", "max_b")
relu_op.on_host("min_features", "max_features")
relu6_op.on_host("min_features", "max_features")
relu_x_op.on_host("max_value", "min_features", "max_features")
reshape_op.on_host("shape", "input_min", "input_max")
concat_op.on_host("concat_dim", "input_mins", "input_maxes")


# ---- static shapes ----


def _broadcast(op):
    check_scalars(op, 2, 3, 4, 5)
    return [broadcast_dims(op.inputs[0].dims, op.inputs[1].dims), (), ()]


add_op.shape(_broadcast)
mul_op.shape(_broadcast)


@bias_add_op.shape
def bias_add_shape(op):
    check_scalars(op, 2, 3, 4, 5)
    dims, bias = rank_at_least(op.inputs[0].dims, 2), rank_is(op.inputs[1].dims, 1)
    if dims is not None and bias is not None:
        dims = (*dims[:-1], merge_dim(dims[-1], bias[0]))
    return [dims, (), ()]


@matmul_op.shape
def matmul_shape(op):
    check_scalars(op, 2, 3, 4, 5)
    sizes = []
    for tensor, flipped in zip(op.inputs[:2], (op.attrs["transpose_a"], op.attrs["transpose_b"]), strict=True):
        dims = tensor.dims
        if dims is not None and len(dims) != 2:
            raise ValueError(f"Shape must be rank 2 but is rank {len(dims)}")
        rows, columns = dims or (None, None)
        sizes.append((columns, rows) if flipped else (rows, columns))
    (rows, inner), (other, columns) = sizes
    if inner is not None and other is not None and inner != other:
        raise ValueError(f"Dimensions must be equal, but are {inner} and {other}")
    return [(rows, columns), (), ()]


def _like_features(op):
    check_scalars(op, *range(1, len(op.inputs)))
    return [op.inputs[0].dims, (), ()]


for _op in (relu_op, relu6_op, relu_x_op):
    _op.shape(_like_features)


@reshape_op.shape
def reshape_shape(op):
    check_scalars(op, 2, 3)
    return [reshaped_dims(op), (), ()]


@concat_op.shape
@ranked(0)
def concat_shape(op):
    count = op.attrs["N"]
    values = [tensor.dims for tensor in op.inputs[1 : 1 + count]]
    known = [dims for dims in values if dims is not None]
    if not known:
        return [None, (), ()]
    rank = len(known[0])
    if any(len(dims) != rank for dims in known):
        raise ValueError(f"Shapes must be equal rank, but are {' and '.join(str(len(dims)) for dims in known)}")
    axis = op.constant(0)
    if axis is None:
        return [(None,) * rank, (), ()]
    place = int(axis) % rank
    merged: list[int | None] = []
    for i in range(rank):
        sizes = [dims[i] if dims is not None else None for dims in values]
        if i == place:
            merged.append(None if None in sizes else sum(size for size in sizes if size is not None))
        else:
            merged.append(next((size for size in sizes if size is not None), None))
    return [tuple(merged), (), ()]


# ---- kernels ----


def _full(range_: Range, names: str) -> Range:
    if not range_.high > range_.low:
        raise invalid(f"max_{names} must be larger than min_{names}.")
    return range_


def _term(values: torch.Tensor, dtype: DType, before: Range, target: DType, after: Range) -> torch.Tensor:
    """One side of a sum. TensorFlow takes the bytes of a tensor, not one alone, in whole steps from the first."""
    if dtype.base_dtype.torch != torch.uint8 or values.numel() == 1:
        return requantized(values, dtype, before, target, after)
    first, second = (unclamped(number_of(level, before, dtype), after, target) for level in (0, 1))
    return (first + wide(values) * (second - first)).clamp(*bounds(target))


@add_op.kernel
def add_kernel(node):
    first, second, target = (as_dtype(node.attrs[name]) for name in ("T1", "T2", "Toutput"))

    def add(x, y, *limits):
        of_x, of_y = _full(ends(*limits[:2]), "x"), _full(ends(*limits[2:]), "y")
        after = sum_range(of_x, of_y, 14)
        total = _term(x, first, of_x, target, after) + _term(y, second, of_y, target, after)
        return narrowed(total, target), *scalars(node, *after)

    return add


@mul_op.kernel
def mul_kernel(node):
    first, second, target = (as_dtype(node.attrs[name]) for name in ("T1", "T2", "Toutput"))

    def multiply(x, y, *limits):
        of_x, of_y = _full(ends(*limits[:2]), "x"), _full(ends(*limits[2:]), "y")
        product = (wide(x) - unclamped(0.0, of_x, first)) * (wide(y) - unclamped(0.0, of_y, second))
        return narrowed(product, target), *scalars(node, *product_range(of_x, first, of_y, second, target))

    return multiply


@bias_add_op.kernel
def bias_add_kernel(node):
    first, second, target = (as_dtype(node.attrs[name]) for name in ("T1", "T2", "out_type"))

    def bias_add(x, bias, *limits):
        of_x, of_bias = ends(*limits[:2]), ends(*limits[2:])
        if x.dim() < 2:
            raise invalid(f"Input tensor must be at least 2D: {list(x.shape)}")
        if bias.dim() != 1:
            raise invalid(f"Biases must be 1D: {list(bias.shape)}")
        if bias.shape[0] != x.shape[-1]:
            raise invalid(
                f"Must provide as many biases as the last dimension of the input tensor: {list(bias.shape)} vs. "
                f"{list(x.shape)}"
            )
        after = sum_range(of_x, of_bias, 17)
        space = Levels(after, target)
        total = wide(space.integers(Levels(of_x, first).floats(x)))
        total = total + wide(space.integers(Levels(of_bias, second).floats(bias)))
        return narrowed(total - to_levels(0.0, after, target), target), *scalars(node, *after)

    return bias_add


@matmul_op.kernel
def matmul_kernel(node):
    first, second, target = (as_dtype(node.attrs[name]) for name in ("T1", "T2", "Toutput"))
    flip_a, flip_b = node.attrs["transpose_a"], node.attrs["transpose_b"]

    def matmul(a, b, *limits):
        of_a, of_b = ends(*limits[:2]), ends(*limits[2:])
        for range_, name in ((of_a, "a"), (of_b, "b")):
            _full(range_, name)
        a, b = (m.t() if flipped else m for m, flipped in ((a, flip_a), (b, flip_b)))
        if a.shape[1] != b.shape[0]:
            raise invalid(f"Matrix size-compatible: In[0]: {list(a.shape)}, In[1]: {list(b.shape)}")
        # Whole numbers below 2^53 are exact in float64, for which torch has fast products.
        a = (wide(a) - unclamped(0.0, of_a, first)).double()
        b = (wide(b) - unclamped(0.0, of_b, second)).double()
        return narrowed(a @ b, target), *scalars(node, *product_range(of_a, first, of_b, second, target))

    return matmul


def _relu_rule(most: float | None) -> Callable[..., Any]:
    def rule(node):
        dtype, target = as_dtype(node.attrs["Tinput"]), as_dtype(node.attrs["out_type"])
        if dtype is not target:
            raise invalid(f"{node.type} gives the type it takes, {dtype.name}, not {target.name}")

        def relu(x, *limits):
            range_ = ends(*limits[-2:])
            levels = wide(x).clamp(min=to_levels(0.0, range_, dtype))
            high = limits[0].item() if len(limits) == 3 else most
            if high is not None:
                levels = levels.clamp(max=to_levels(high, range_, dtype))
            return levels.to(x.dtype), *scalars(node, *range_)

        return relu

    return rule


relu_op.kernel(_relu_rule(None))
relu6_op.kernel(_relu_rule(6.0))
relu_x_op.kernel(_relu_rule(None))


@reshape_op.kernel
def reshape_kernel(node):
    def reshape(x, shape):
        sizes = shape.tolist()
        count = x.numel()
        known = 1
        for size in sizes:
            known *= 1 if size == -1 else size
        fits = count % known == 0 if -1 in sizes and known else count == known
        if sizes.count(-1) > 1 or not fits:
            raise invalid(f"Input to reshape is a tensor with {count} values, but the requested shape has {known}")
        return x.reshape(sizes)

    moved = moving(node, reshape)
    return lambda x, shape, low, high: (moved(x, shape), *scalars(node, *ends(low, high)))


@concat_op.kernel
def concat_kernel(node):
    dtype = as_dtype(node.attrs["T"])
    signed = dtype.base_dtype.torch in (torch.int8, torch.int16, torch.int32)

    count = node.attrs["N"]

    def concat(axis, *rest):
        values, lows, highs = (rest[i : i + count] for i in range(0, 3 * count, count))
        ranges = [ends(low, high) for low, high in zip(lows, highs, strict=True)]
        rank, place = values[0].dim(), int(axis)
        if not -rank <= place < rank:
            raise invalid(
                f"ConcatOp : Expected concatenating dimensions in the range [{-rank}, {rank}), but got {place}"
            )
        first = list(values[0].shape)
        for number, value in enumerate(values):
            shape = list(value.shape)
            if len(shape) != rank or any(a != b for i, (a, b) in enumerate(zip(first, shape)) if i != place % rank):
                raise invalid(
                    f"ConcatOp : Dimensions of inputs should match: shape[0] = {first} vs. shape[{number}] = {shape}"
                )
        # Zero lies in the range, and in the middle of a signed one.
        low = min(0.0, *(range_.low for range_ in ranges))
        high = max(range_.high for range_ in ranges)
        if signed:
            high = max(abs(low), abs(high))
            low = -high
        after = Range(low, high)
        space = Levels(after, dtype)
        parts = [
            wide(value if range_ == after else space.integers(Levels(range_, dtype).floats(value)))
            for value, range_ in zip(values, ranges, strict=True)
        ]
        return narrowed(torch.cat(parts, place), dtype), *scalars(node, *after)

    return concat


# ---- functions ----


def _integers(floats: Any, low: float, high: float) -> Made:
    return made(
        "QuantizeV2", np.array(floats, np.float32), np.float32(low), np.float32(high), T="quint8", mode="MIN_FIRST"
    )


_x, _y = _integers([[-1, -0.5, 0], [0.3, 0.7, 1]], -1, 1), _integers([0.1, 2, -0.4], -0.5, 2)
for _decl in (add_op, mul_op):
    _decl.accepts(_x, _y, _x[1], _x[2], _y[1], _y[2]).accepts(_y, _y, _y[1], _y[2], _y[1], _y[2])
    _decl.rejects([2], [3], *[np.float32(1)] * 4, T1="quint8", T2="quint8", error=ValueError)
bias_add_op.accepts(_x, _y, _x[1], _x[2], _y[1], _y[2], out_type="qint32")
bias_add_op.rejects(_x, _x, _x[1], _x[2], _x[1], _x[2], out_type="qint32", error=ValueError)
matmul_op.accepts(_x, _x, _x[1], _x[2], _x[1], _x[2], transpose_b=True)
matmul_op.rejects(_x, _x, _x[1], _x[2], _x[1], _x[2], error=ValueError)
for _decl in (relu_op, relu6_op):
    _decl.accepts(_x, _x[1], _x[2]).accepts(_y, _y[1], _y[2])
    _decl.rejects([2], [2], np.float32(1), Tinput="quint8", error=ValueError)
relu_x_op.accepts(
    *(_x, np.float32(0.5), _x[1], _x[2]),
    differs="1.15 has no kernel for it",
    # MIN_FIRST rounds 127.5 * 0.5 and 127.5 * -1 before it subtracts the one from the other.
    gives=(np.array([[128, 128, 128], [166, 192, 192]]), -1.0, 1.0),
)
reshape_op.accepts(_x, np.array([3, 2], np.int32), _x[1], _x[2]).rejects(
    _x, np.array([4], np.int32), _x[1], _x[2], error=ValueError
)
concat_op.accepts(np.int32(0), [_x, _x], [_x[1], _x[1]], [_x[2], _x[2]])
concat_op.accepts(np.int32(0), [_y, _y], [_y[1], np.float32(-1)], [_y[2], np.float32(1)])
concat_op.rejects(np.int32(0), [_x, _y], [_x[1], _y[1]], [_x[2], _y[2]], error=ValueError)


def quantized_concat(
    concat_dim: TensorLike,
    values: Sequence[TensorLike],
    input_mins: Sequence[TensorLike],
    input_maxes: Sequence[TensorLike],
    name: str | None = None,
) -> Any:
    """Joins tensors of integers of ranges, brought to one range.

    Args:
        concat_dim: int32 scalar, the dimension along which to join.
        values: at least two tensors of one quantized type and rank.
        input_mins, input_maxes: their ranges, a scalar each.
        name: a name for the operation.

    Returns:
        (output, output_min, output_max).

    Raises:
        InvalidArgumentError: when run, for shapes that do not match.
    """
    return raw.QuantizedConcat(concat_dim, values, input_mins, input_maxes, name=name)


def quantized_relu_x(
    features: TensorLike,
    max_value: TensorLike,
    min_features: TensorLike,
    max_features: TensorLike,
    out_type: DTypeLike = "quint8",
    name: str | None = None,
) -> Tensor:
    """`min(max(features, 0), max_value)` of integers of a range.

    Args:
        features: a tensor of a quantized type.
        max_value: float32 scalar.
        min_features, max_features: float32 scalars, the range.
        out_type: the type of `features`.
        name: a name for the operation.

    Returns:
        (activations, min_activations, max_activations), in the range of `features`.
    """
    return raw.QuantizedReluX(features, max_value, min_features, max_features, out_type=out_type, name=name)
