"""Rounding floats to the values a quantized type could hold: FakeQuant and QuantizeAndDequantize."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from headrace.core.dims import Dims, merge_dim
from headrace.core.errors import InvalidArgumentError
from headrace.core.registry import op, raw
from headrace.core.tensor import Tensor
from headrace.kernels.array.arguments import invalid, require_scalar, shape_text

if TYPE_CHECKING:
    from headrace.core.operation import Operation
    from headrace.core.typing import NodeView, OpView, TensorLike


_GRID = "num_bits=8, narrow_range=False"


def _same_dims(op):
    return [op.inputs[0].dims]


def _levels(attrs: dict[str, Any]) -> tuple[float, float]:
    bits = attrs["num_bits"]
    if not 2 <= bits <= 16:
        raise invalid("num_bits must be between 2 and 16, inclusive")
    return (1.0 if attrs["narrow_range"] else 0.0), float(2**bits - 1)


def _nudged(low: torch.Tensor, high: torch.Tensor, levels: tuple[float, float]) -> tuple[Any, Any, Any]:
    """The range moved so that zero is one of its levels, and the step between levels.

    The affine scheme of Jacob et al., "Quantization and Training of Neural Networks for Efficient
    Integer-Arithmetic-Only Inference", arXiv:1712.05877, section 3.
    """
    first, last = levels
    step = (high - low) / (last - first)
    zero = first - low / step
    # Halves go up; levels are never negative.
    zero = torch.clamp(torch.floor(zero + 0.5), first, last)
    return (first - zero) * step, (last - zero) * step, step


def _quantized(x: torch.Tensor, low: torch.Tensor, high: torch.Tensor, levels: tuple[float, float]) -> torch.Tensor:
    least, most, step = _nudged(low, high, levels)
    shifted = torch.minimum(torch.maximum(x, least), most) - least
    result = torch.floor(shifted * (1.0 / step) + 0.5) * step + least
    return torch.where((low == 0) & (high == 0), torch.zeros_like(x), result)


def _inside(
    x: torch.Tensor, low: torch.Tensor, high: torch.Tensor, levels: tuple[float, float]
) -> tuple[Any, Any, Any]:
    """Where gradients pass: within the range, below it and above it."""
    least, most, _ = _nudged(low, high, levels)
    flat = (low == 0) & (high == 0)
    return ((x >= least) & (x <= most)) | flat, (x < least) & ~flat, (x > most) & ~flat


fake_quant_args_op = op("FakeQuantWithMinMaxArgs", f"inputs: float, *, min=-6.0, max=6.0, {_GRID} -> outputs: float")
fake_quant_args_grad_op = op(
    "FakeQuantWithMinMaxArgsGradient",
    f"gradients: float, inputs: float, *, min=-6.0, max=6.0, {_GRID} -> backprops: float",
)
fake_quant_args_op.shape(_same_dims)
fake_quant_args_grad_op.shape(_same_dims)


def _range_of(node: NodeView) -> tuple[Any, ...]:
    low, high = node.attrs["min"], node.attrs["max"]
    if not low < high:
        raise invalid(f"min has to be smaller than max, was: {low:g} >= {high:g}")
    return tuple(torch.tensor(value, dtype=torch.float32, device=node.device) for value in (low, high))


@fake_quant_args_op.kernel
def fake_quant_args_kernel(node):
    levels = _levels(node.attrs)
    low, high = _range_of(node)
    return lambda x: _quantized(x, low, high, levels)


@fake_quant_args_grad_op.kernel
def fake_quant_args_grad_kernel(node):
    levels = _levels(node.attrs)
    low, high = _range_of(node)

    def gradient(grad, x):
        if grad.shape != x.shape:
            raise invalid(
                f"Inputs to operation {node.name} of type {node.type} must have the same size and shape.  "
                f"Input 0: {shape_text(grad.shape)} != input 1: {shape_text(x.shape)}"
            )
        return grad * _inside(x, low, high, levels)[0]

    return gradient


def _grid(op: Operation, *names: str) -> dict[str, Any]:
    return {name: op.attrs[name] for name in (*names, "num_bits", "narrow_range")}


@fake_quant_args_op.gradient
def fake_quant_args_gradient(op, grad):
    return [raw.FakeQuantWithMinMaxArgsGradient(grad, op.inputs[0], **_grid(op, "min", "max"))]


fake_quant_args_op.accepts([2, 3]).accepts([4], min=-1.0, max=2.0, num_bits=4)
fake_quant_args_grad_op.accepts([2, 3], [2, 3], min=0.3, max=0.7).accepts([4], [4], num_bits=4, narrow_range=True)
fake_quant_args_grad_op.rejects([2], [3], error=InvalidArgumentError)

_VARS = f"inputs: float, min: float, max: float, *, {_GRID} -> outputs: float"
_VARS_GRADIENT = (
    f"gradients: float, inputs: float, min: float, max: float, *, {_GRID} -> backprops_wrt_input: float, "
    "backprop_wrt_min: float, backprop_wrt_max: float"
)
fake_quant_vars_op = op("FakeQuantWithMinMaxVars", _VARS)
fake_quant_vars_grad_op = op("FakeQuantWithMinMaxVarsGradient", _VARS_GRADIENT)
fake_quant_channels_op = op("FakeQuantWithMinMaxVarsPerChannel", _VARS)
fake_quant_channels_grad_op = op("FakeQuantWithMinMaxVarsPerChannelGradient", _VARS_GRADIENT)


def _check_range(op: OpView, first: int, rank: int) -> None:
    for tensor in op.inputs[first : first + 2]:
        if tensor.dims is not None and len(tensor.dims) != rank:
            raise ValueError(f"Shape must be rank {rank} but is rank {len(tensor.dims)}")


def _check_channels(op: OpView, first: int) -> None:
    dims = op.inputs[0].dims
    for tensor in op.inputs[first : first + 2]:
        if dims and tensor.dims:
            merge_dim(dims[-1], tensor.dims[0])


@fake_quant_vars_op.shape
def fake_quant_vars_shape(op):
    _check_range(op, 1, 0)
    return [op.inputs[0].dims]


@fake_quant_channels_op.shape
def fake_quant_channels_shape(op):
    _check_range(op, 1, 1)
    _check_channels(op, 1)
    return [op.inputs[0].dims]


@fake_quant_vars_grad_op.shape
def fake_quant_vars_grad_shape(op):
    _check_range(op, 2, 0)
    return [op.inputs[0].dims, (), ()]


@fake_quant_channels_grad_op.shape
def fake_quant_channels_grad_shape(op):
    _check_range(op, 2, 1)
    _check_channels(op, 2)
    channels: Dims = op.inputs[2].dims
    return [op.inputs[0].dims, channels, channels]


def _vars_kernel(node):
    levels = _levels(node.attrs)
    return lambda x, low, high: _quantized(x, low, high, levels)


def _vars_grad_kernel(node):
    levels = _levels(node.attrs)
    channels = node.type == "FakeQuantWithMinMaxVarsPerChannelGradient"

    def gradients(grad, x, low, high):
        if grad.shape != x.shape:
            raise invalid("gradient and input must be the same size")
        inside, below, above = _inside(x, low, high, levels)
        axes = tuple(range(x.ndim - 1)) if channels else tuple(range(x.ndim))
        zero = torch.zeros_like(grad)
        totals = [torch.where(mask, grad, zero) for mask in (below, above)]
        # An empty list of axes would sum over all of them.
        return grad * inside, *(total.sum(axes) if axes else total for total in totals)

    return gradients


fake_quant_vars_op.kernel(_vars_kernel)
fake_quant_channels_op.kernel(_vars_kernel)
fake_quant_vars_grad_op.kernel(_vars_grad_kernel)
fake_quant_channels_grad_op.kernel(_vars_grad_kernel)


@fake_quant_vars_op.gradient
def fake_quant_vars_gradient(op, grad):
    return raw.FakeQuantWithMinMaxVarsGradient(grad, *op.inputs, **_grid(op))


@fake_quant_channels_op.gradient
def fake_quant_channels_gradient(op, grad):
    return raw.FakeQuantWithMinMaxVarsPerChannelGradient(grad, *op.inputs, **_grid(op))


fake_quant_vars_op.accepts([2, 3], np.float32(-1), np.float32(2))
fake_quant_vars_grad_op.accepts([2, 3], [2, 3], np.float32(-0.1), np.float32(0.6))
_ranges = (np.array([-1, 0, -0.5], np.float32), np.array([2, 0.6, 0.5], np.float32))
fake_quant_channels_op.accepts([2, 3], *_ranges).accepts([3], *_ranges, num_bits=4, narrow_range=True)
fake_quant_channels_op.rejects([2, 2], *_ranges, error=ValueError)
fake_quant_channels_grad_op.accepts([2, 3], [2, 3], *_ranges).accepts([1, 2, 3], [1, 2, 3], *_ranges, num_bits=4)

quantize_v1_op = op(
    "QuantizeAndDequantize",
    "input: T, *, signed_input=True, num_bits=8, range_given=False, input_min=0.0, input_max=0.0, T: floating -> output: T",
)
quantize_v2_op = op(
    "QuantizeAndDequantizeV2",
    "input: T, input_min: T, input_max: T, *, signed_input=True, num_bits=8, range_given=False, T: floating, "
    "round_mode: {'HALF_TO_EVEN', 'HALF_UP'} = 'HALF_TO_EVEN', narrow_range=False -> output: T",
)
quantize_v3_op = op(
    "QuantizeAndDequantizeV3",
    "input: T, input_min: T, input_max: T, num_bits: int32, *, signed_input=True, range_given=True, T: floating, "
    "narrow_range=False -> output: T",
)
quantize_v3_op.on_host("num_bits")
quantize_v1_op.shape(_same_dims)


@quantize_v2_op.shape
def quantize_v2_shape(op):
    for place in range(1, len(op.inputs)):
        require_scalar(op, place)
    return _same_dims(op)


quantize_v3_op.shape(quantize_v2_shape)


def _to_grid(attrs: dict[str, Any], x: torch.Tensor, low: torch.Tensor, high: torch.Tensor, bits: int) -> torch.Tensor:
    """`x` rounded to multiples of a step, zero among them, that cover the range with `bits` bits."""
    if x.element_size() == 2:
        # Products of half precision would round a second time.
        return _to_grid(attrs, x.float(), low.float(), high.float(), bits).to(x.dtype)
    signed, given = attrs["signed_input"], attrs["range_given"]
    if not 0 < bits < (62 if signed else 63):
        raise invalid(f"num_bits is out of range: {bits} with signed_input_ {int(signed)}")
    if not given:
        if not x.numel():
            return x.clone()
        low, high = x.min(), x.max()
    elif bool(low > high):
        raise invalid(f"Invalid range: input_min {float(low):g} > input_max {float(high):g}")
    least = (-(2 ** (bits - 1)) + (1 if attrs.get("narrow_range") else 0)) if signed else 0
    most = 2 ** (bits - 1) - 1 if signed else 2**bits - 1
    limit = torch.finfo(x.dtype).max
    by_low = torch.where(least * low > 0, least / low, limit)
    by_high = torch.where(most * high > 0, most / high, limit)
    narrower = by_low < by_high
    scale = torch.where(narrower, by_low, by_high)
    step = torch.where(narrower, low / least if least else torch.zeros_like(low), high / most)
    if given:
        low, high = torch.where(narrower, low, least * step), torch.where(narrower, most * step, high)
        x = torch.minimum(torch.maximum(x, low), high)
    scaled = x * scale
    rounded = torch.floor(scaled + 0.5) if attrs.get("round_mode") == "HALF_UP" else torch.round(scaled)
    return rounded * step


@quantize_v1_op.kernel
def quantize_v1_kernel(node):
    attrs = dict(node.attrs)
    dtype, device = node.outputs[0].dtype.torch, node.device
    low, high = (torch.tensor(attrs[name], dtype=dtype, device=device) for name in ("input_min", "input_max"))
    return lambda x: _to_grid(attrs, x, low, high, attrs["num_bits"])


@quantize_v2_op.kernel
def quantize_v2_kernel(node):
    attrs = dict(node.attrs)
    return lambda x, low, high: _to_grid(attrs, x, low, high, attrs["num_bits"])


@quantize_v3_op.kernel
def quantize_v3_kernel(node):
    attrs = dict(node.attrs)
    return lambda x, low, high, bits: _to_grid(attrs, x, low, high, int(bits))


@quantize_v1_op.gradient
def quantize_v1_gradient(op, grad):
    return [grad]


@quantize_v2_op.gradient
def quantize_v2_gradient(op, grad):
    return [grad, None, None]


@quantize_v3_op.gradient
def quantize_v3_gradient(op, grad):
    return [grad, None, None, None]


quantize_v2_op.accepts([2, 3], np.float32(-1), np.float32(1), range_given=True)
quantize_v2_op.accepts([2, 3], np.float16(-1), np.float16(1), range_given=True, T="float16")
quantize_v1_op.accepts([2, 3]).accepts([2, 3], range_given=True, input_min=-1.0, input_max=0.5, num_bits=4)
quantize_v3_op.accepts([2, 3], np.float32(-1), np.float32(0.5), np.int32(8))
quantize_v3_op.accepts([2, 3], np.float32(0), np.float32(0), np.int32(4), range_given=False, signed_input=False)
quantize_v3_op.rejects([2], np.float32(1), np.float32(0), np.int32(8), error=InvalidArgumentError)


def fake_quant_with_min_max_args(
    inputs: TensorLike,
    min: float = -6,
    max: float = 6,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Tensor:
    """`inputs` clamped to [min, max] and rounded to the levels of `num_bits` bits, gradients passing within the range.

    Args:
        inputs: float32 tensor.
        min, max: the range, moved a little so that zero is one of the levels.
        num_bits: 2 to 16.
        narrow_range: whether to leave out the lowest level.
        name: a name for the operation.
    """
    return raw.FakeQuantWithMinMaxArgs(
        inputs, min=min, max=max, num_bits=num_bits, narrow_range=narrow_range, name=name
    )


def fake_quant_with_min_max_args_gradient(
    gradients: TensorLike,
    inputs: TensorLike,
    min: float = -6,
    max: float = 6,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Tensor:
    """The gradient of `fake_quant_with_min_max_args`: `gradients` where `inputs` is within the range."""
    return raw.FakeQuantWithMinMaxArgsGradient(
        gradients, inputs, min=min, max=max, num_bits=num_bits, narrow_range=narrow_range, name=name
    )


def fake_quant_with_min_max_vars(
    inputs: TensorLike,
    min: TensorLike,
    max: TensorLike,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Tensor:
    """As `fake_quant_with_min_max_args`, for a range of two scalar tensors, which get gradients too."""
    return raw.FakeQuantWithMinMaxVars(inputs, min, max, num_bits=num_bits, narrow_range=narrow_range, name=name)


def fake_quant_with_min_max_vars_gradient(
    gradients: TensorLike,
    inputs: TensorLike,
    min: TensorLike,
    max: TensorLike,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Any:
    """The gradients of `fake_quant_with_min_max_vars` with respect to its inputs, as a namedtuple."""
    return raw.FakeQuantWithMinMaxVarsGradient(
        gradients, inputs, min, max, num_bits=num_bits, narrow_range=narrow_range, name=name
    )


def fake_quant_with_min_max_vars_per_channel(
    inputs: TensorLike,
    min: TensorLike,
    max: TensorLike,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Tensor:
    """As `fake_quant_with_min_max_vars`, with a range for each entry of the last axis."""
    return raw.FakeQuantWithMinMaxVarsPerChannel(
        inputs, min, max, num_bits=num_bits, narrow_range=narrow_range, name=name
    )


def fake_quant_with_min_max_vars_per_channel_gradient(
    gradients: TensorLike,
    inputs: TensorLike,
    min: TensorLike,
    max: TensorLike,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Any:
    """The gradients of `fake_quant_with_min_max_vars_per_channel`, as a namedtuple."""
    return raw.FakeQuantWithMinMaxVarsPerChannelGradient(
        gradients, inputs, min, max, num_bits=num_bits, narrow_range=narrow_range, name=name
    )


def quantize_and_dequantize(
    input: TensorLike,
    input_min: TensorLike,
    input_max: TensorLike,
    signed_input: bool = True,
    num_bits: int = 8,
    range_given: bool = False,
    round_mode: str = "HALF_TO_EVEN",
    name: str | None = None,
    narrow_range: bool = False,
) -> Tensor:
    """`input` rounded to what integers of `num_bits` bits times a scale can hold.

    Args:
        input: a float tensor.
        input_min, input_max: scalars, the range to cover if `range_given`; else that of `input` is taken.
        signed_input: whether the integers are signed.
        num_bits: how many bits they have.
        range_given: whether the range is given.
        round_mode: "HALF_TO_EVEN" or "HALF_UP".
        name: a name for the operation.
        narrow_range: whether to leave out the lowest integer.
    """
    return raw.QuantizeAndDequantizeV2(
        input,
        input_min,
        input_max,
        signed_input=signed_input,
        num_bits=num_bits,
        range_given=range_given,
        round_mode=round_mode,
        narrow_range=narrow_range,
        name=name,
    )
