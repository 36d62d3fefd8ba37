"""Batch normalization as one op: Ioffe and Szegedy, "Batch Normalization", arXiv:1502.03167."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from headrace.core import slots
from headrace.core.cases import made
from headrace.core.dims import merge_dim
from headrace.core.errors import InvalidArgumentError
from headrace.core.registry import op, raw
from headrace.core.tensor import Tensor
from headrace.kernels import composing
from headrace.kernels.array.arguments import shape_text
from headrace.kernels.nn.native_batch_norms import batch_norm_grad_rule, batch_norm_rule
from headrace.kernels.nn.windows import Layout

if TYPE_CHECKING:
    from headrace.core.typing import OpView


_SETTINGS = "epsilon=0.0001, data_format: {'NHWC', 'NCHW'} = 'NHWC', is_training=True"
_SETTINGS_V3 = "epsilon=0.0001, data_format: {'NHWC', 'NCHW', 'NDHWC', 'NCDHW'} = 'NHWC', is_training=True"
_MIXED = "T: {half, bfloat16, float}, U: {float}"

batch_norm_op = op(
    "FusedBatchNorm",
    f"x: T, scale: T, offset: T, mean: T, variance: T, *, T: {{float}}, {_SETTINGS} -> "
    "y: T, batch_mean: T, batch_variance: T, reserve_space_1: T, reserve_space_2: T",
)
batch_norm_v2_op = op(
    "FusedBatchNormV2",
    f"x: T, scale: U, offset: U, mean: U, variance: U, *, {_MIXED}, {_SETTINGS} -> "
    "y: T, batch_mean: U, batch_variance: U, reserve_space_1: U, reserve_space_2: U",
)
batch_norm_v3_op = op(
    "FusedBatchNormV3",
    f"x: T, scale: U, offset: U, mean: U, variance: U, *, {_MIXED}, {_SETTINGS_V3} -> "
    "y: T, batch_mean: U, batch_variance: U, reserve_space_1: U, reserve_space_2: U, reserve_space_3: U",
)
batch_norm_grad_op = op(
    "FusedBatchNormGrad",
    "y_backprop: T, x: T, scale: T, reserve_space_1: T, reserve_space_2: T, *, "
    f"T: {{float}}, {_SETTINGS} -> "
    "x_backprop: T, scale_backprop: T, offset_backprop: T, reserve_space_3: T, reserve_space_4: T",
).never_fails()
batch_norm_grad_v2_op = op(
    "FusedBatchNormGradV2",
    "y_backprop: T, x: T, scale: float, reserve_space_1: U, reserve_space_2: U, *, "
    f"{_MIXED}, {_SETTINGS} -> "
    "x_backprop: T, scale_backprop: U, offset_backprop: U, reserve_space_3: U, reserve_space_4: U",
).never_fails()
batch_norm_grad_v3_op = op(
    "FusedBatchNormGradV3",
    "y_backprop: T, x: T, scale: float, reserve_space_1: U, reserve_space_2: U, reserve_space_3: U, *, "
    f"{_MIXED}, {_SETTINGS_V3} -> "
    "x_backprop: T, scale_backprop: U, offset_backprop: U, reserve_space_4: U, reserve_space_5: U",
).never_fails()
_FORWARD = (batch_norm_op, batch_norm_v2_op, batch_norm_v3_op)
_BACKWARD = (batch_norm_grad_op, batch_norm_grad_v2_op, batch_norm_grad_v3_op)


# ---- static shapes ----


def _checked(op: OpView, image: int, vectors: Sequence[int]) -> tuple[Any, int | None]:
    """The shape of the image, and its channels as far as the image and the vectors tell."""
    data_format = op.attrs["data_format"]
    rank = 5 if "D" in data_format else 4
    dims = op.inputs[image].dims
    if dims is not None and len(dims) != rank:
        raise ValueError(f"Shape must be rank {rank} but is rank {len(dims)}")
    dims = (None,) * rank if dims is None else dims
    channels = dims[Layout(data_format, rank).channel]
    for i in vectors:
        vector = op.inputs[i].dims
        if vector is None:
            continue
        if len(vector) != 1:
            raise ValueError(f"Shape must be rank 1 but is rank {len(vector)}")
        if channels is not None and vector[0] is not None and channels != vector[0]:
            raise ValueError(f"Dimensions must be equal, but are {channels} and {vector[0]}")
        channels = merge_dim(channels, vector[0])
    return dims, channels


def _with_channels(op: OpView, dims: Sequence[int | None], channels: int | None) -> Any:
    axis = Layout(op.attrs["data_format"], len(dims)).channel
    return (*dims[:axis], channels, *dims[axis + 1 :])


def batch_norm_shape(op):
    """The shape rule of the three versions."""
    # In training, mean and variance are made, not taken.
    dims, channels = _checked(op, 0, (1, 2) if op.attrs["is_training"] else (1, 2, 3, 4))
    more = [None] if len(op.outputs) == 6 else []
    return [_with_channels(op, dims, channels), *[(channels,)] * 4, *more]


def batch_norm_grad_shape(op):
    """The shape rule of the gradients of the three versions."""
    dims, channels = _checked(op, 0, (2, 3, 4))
    return [_with_channels(op, dims, channels), (channels,), (channels,), None, None]


# ---- kernels ----


def batch_norm_kernel(node):
    """The kernel rule of the three versions."""
    data_format = node.attrs["data_format"]
    layout = Layout(data_format, 5 if "D" in data_format else 4)
    epsilon, normalize = node.attrs["epsilon"], torch.native_batch_norm
    more = len(node.outputs) == 6
    nothing = (torch.zeros((), device=node.device),) if more else ()

    rank = 5 if "D" in data_format else 4
    # What is known before the step needs no look at each.
    known = all(value.dims is not None for value in node.inputs[:3])

    def require(x, scale, offset):
        if x.dim() != rank:
            raise InvalidArgumentError(None, None, f"input must be {rank}-dimensional{shape_text(x.shape)}")
        for name, vector in (("scale", scale), ("offset", offset)):
            if vector.dim() != 1:
                raise InvalidArgumentError(None, None, f"{name} must be 1-dimensional{shape_text(vector.shape)}")

    def infer(x, scale, offset, mean, variance):
        if not known:
            require(x, scale, offset)
        y, _, _ = normalize(layout.enter(x), scale, offset, mean, variance, False, 0.0, epsilon)
        return (layout.leave(y), mean, variance, mean, variance, *nothing)

    def train(x, scale, offset, given_mean, _):
        if not known:
            require(x, scale, offset)
        if given_mean.numel():
            raise InvalidArgumentError(None, None, f"estimated_mean must be empty for training{list(given_mean.shape)}")
        count = x.numel() // max(x.shape[layout.channel], 1)
        if count == 0:
            unknown = torch.full_like(scale, torch.nan)
            return (torch.empty_like(x), unknown, unknown, unknown, unknown, *nothing)
        y, mean, inverse = normalize(layout.enter(x), scale, offset, None, None, True, 0.0, epsilon)
        # torch returns 1 / sqrt(variance + epsilon); adding epsilon again, as the gradient does, undoes any rounding here.
        variance = inverse.pow(-2).sub_(epsilon).clamp_(min=0.0)
        # What goes into moving averages is the unbiased estimate.
        unbiased = variance * (count / max(count - 1, 1))
        return (layout.leave(y), mean, unbiased, mean, variance, *nothing)

    return train if node.attrs["is_training"] else infer


def batch_norm_grad_kernel(node):
    """The kernel rule of the gradients of the three versions."""
    data_format = node.attrs["data_format"]
    layout = Layout(data_format, 5 if "D" in data_format else 4)
    epsilon, training = node.attrs["epsilon"], node.attrs["is_training"]
    backward = torch.ops.aten.native_batch_norm_backward.default
    everything = (True, True, True)
    # Nothing depends on the mean and the variance that were given.
    rest = torch.zeros((), device=node.device)
    known = all(value.dims is not None and None not in value.dims for value in node.inputs[:2])

    def require(gradient, x):
        if gradient.shape != x.shape:
            raise InvalidArgumentError(
                None, None, f"y_backprop and x must have the same shape: {list(gradient.shape)} and {list(x.shape)}"
            )

    def of_nothing(x, scale):
        # torch divides by the number of elements, and ends the process where there are none.
        return torch.empty_like(x), torch.zeros_like(scale), torch.zeros_like(scale), rest, rest

    def train(gradient, x, scale, mean, variance, *_):
        if not known:
            require(gradient, x)
        if not x.numel():
            return of_nothing(x, scale)
        inverse = torch.rsqrt(variance + epsilon)
        dx, dscale, doffset = backward(
            layout.enter(gradient), layout.enter(x), scale, None, None, mean, inverse, True, epsilon, everything
        )
        return layout.leave(dx), dscale, doffset, rest, rest

    def infer(gradient, x, scale, mean, variance, *_):
        if not known:
            require(gradient, x)
        if not x.numel():
            return of_nothing(x, scale)
        dx, dscale, doffset = backward(
            layout.enter(gradient), layout.enter(x), scale, mean, variance, None, None, False, epsilon, everything
        )
        return layout.leave(dx), dscale, doffset, rest, rest

    return train if training else infer


for _decl in _FORWARD:
    _decl.shape(batch_norm_shape)
    _decl.kernel(batch_norm_kernel)
    _decl.native(batch_norm_rule)
    # Without training, the given mean and variance come back as they are.
    _decl.aliases().fresh("y")
for _decl in _BACKWARD:
    _decl.fresh("x_backprop")
    _decl.shape(batch_norm_grad_shape)
    _decl.kernel(batch_norm_grad_kernel)
    _decl.native(batch_norm_grad_rule)


# ---- gradients ----

_GRADIENT = {
    "FusedBatchNorm": "FusedBatchNormGrad",
    "FusedBatchNormV2": "FusedBatchNormGradV2",
    "FusedBatchNormV3": "FusedBatchNormGradV3",
}


def batch_norm_gradient(op, *grads):
    """The gradient rule of the three versions."""
    x, scale, _, mean, variance = op.inputs
    gradient, training, data_format = grads[0], op.attrs["is_training"], op.attrs["data_format"]
    settings = {"epsilon": op.attrs["epsilon"], "is_training": training}
    apply = getattr(raw, _GRADIENT[op.type])
    reserved = list(op.outputs[5:])
    if training:
        found = apply(gradient, x, scale, op.outputs[3], op.outputs[4], *reserved, data_format=data_format, **settings)
        return list(found)
    is_nchw = data_format == "NCHW"
    if is_nchw:
        x = composing.transpose(x, [0, 2, 3, 1])
        gradient = composing.transpose(gradient, [0, 2, 3, 1])
    plain = "NHWC" if is_nchw else data_format
    dx, dscale, doffset, *_ = apply(gradient, x, scale, mean, variance, *reserved, data_format=plain, **settings)
    return [composing.transpose(dx, [0, 3, 1, 2]) if is_nchw else dx, dscale, doffset, None, None]


def batch_norm_grad_gradient(op, *grads):
    """The gradient of the gradient: that is written out in other ops, and these are differentiated."""
    gradient, x, scale, mean, variance = op.inputs[:5]
    sources = [gradient, x, scale]
    # The gradient that came in depends on x and scale itself; only what the tape sees counts.
    with slots.gradient_tape() as tape:
        for value in sources:
            tape.watch(value)
        written = _unfused_gradient(gradient, x, scale, mean, variance, op)
    return [*tape.gradient(written, sources, list(grads[:3])), *[None] * (len(op.inputs) - 3)]


def _unfused_gradient(
    gradient: Tensor, x: Tensor, scale: Tensor, mean: Tensor, variance: Tensor, op: OpView
) -> list[Tensor]:
    """The gradient with respect to x, scale and offset, made of elementary ops.

    With c = x - mean and s = 1 / sqrt(variance + epsilon): d offset = sum g, d scale = s sum (g c), and
    dx = scale s (g - mean g - s^2 mean(g c) c) where mean and variance are those of x, scale s g where they are given.
    """
    own, epsilon = x.dtype.base_dtype, op.attrs["epsilon"]
    if own.name == "float16":
        x, gradient = composing.cast(x, "float32"), composing.cast(gradient, "float32")
    rank = 5 if "D" in op.attrs["data_format"] else 4
    channel = Layout(op.attrs["data_format"], rank).channel
    axes = [axis for axis in range(rank) if axis != channel]
    along = channel == 1
    shape: list[Any] = [1, -1, *[1] * (rank - 2)]
    if not op.attrs["is_training"]:
        if along:
            shape[1] = composing.size(mean)
            mean, variance, scale = (raw.Reshape(value, shape) for value in (mean, variance, scale))
        doffset = raw.Sum(gradient, axes)
        inverse = raw.Rsqrt(variance + epsilon)
        dscale = raw.Sum(gradient * (x - mean) * inverse, axes)
        return [composing.cast(gradient * scale * inverse, own), dscale, doffset]
    if along:
        shape[1] = composing.size(scale)
        scale = raw.Reshape(scale, shape)
    mean_gradient = raw.Mean(gradient, axes, keep_dims=along)
    mean = raw.Mean(x, axes, keep_dims=along)
    variance = raw.Mean(raw.SquaredDifference(x, raw.StopGradient(mean)), axes, keep_dims=along)
    apart, centered = gradient - mean_gradient, x - mean
    covariance = raw.Mean(gradient * centered, axes, keep_dims=along)
    dx = scale * raw.Rsqrt(variance + epsilon) * (apart - raw.Reciprocal(variance + epsilon) * covariance * centered)
    dscale = raw.Rsqrt(variance + epsilon) * raw.Sum(gradient * centered, axes, keep_dims=along)
    if along:
        dscale = raw.Squeeze(dscale)
    return [composing.cast(dx, own), dscale, raw.Sum(gradient, axes)]


for _decl in _FORWARD:
    _decl.gradient(batch_norm_gradient)
    _decl.accepts([2, 3, 4, 5], [5], [5], [0], [0], epsilon=0.001)
    _decl.accepts(
        [2, 3, 4, 5], [3], [3], [0], [0], epsilon=0.001, data_format="NCHW", differs="1.15 has NCHW on GPUs only"
    )
    _decl.rejects([2, 3, 5], [5], [5], [0], [0], error=ValueError, match="rank 4")
    _decl.rejects([2, 3, 4, 5], [4], [4], [0], [0], error=ValueError, match="Dimensions must be equal")
for _decl in _BACKWARD:
    _decl.gradient(batch_norm_grad_gradient)

_images = np.sin(np.arange(24, dtype=np.float32)).reshape(2, 3, 2, 2)
for _decl, _forward in zip(_BACKWARD, _FORWARD, strict=True):
    _made = made(_forward.type, _images, [2], [2], [0], [0])
    _third = [_made[5]] if _decl is batch_norm_grad_v3_op else []
    _decl.accepts([2, 3, 2, 2], _images, [2], _made[3], _made[4], *_third, epsilon=0.001)
    _decl.accepts([2, 3, 2, 2], _images, [2], [2], [2], *_third, epsilon=0.001, is_training=False)
    _decl.rejects([2, 3, 2, 2], _images, [3], [2], [2], *_third, error=ValueError)


# ---- the op before these ----

global_norm_op = op(
    "BatchNormWithGlobalNormalization",
    "t: T, m: T, v: T, beta: T, gamma: T, *, T: numeric, variance_epsilon: float, scale_after_normalization: bool -> "
    "result: T",
)
global_norm_grad_op = op(
    "BatchNormWithGlobalNormalizationGrad",
    "t: T, m: T, v: T, gamma: T, backprop: T, *, T: numeric, variance_epsilon: float, scale_after_normalization: bool "
    "-> dx: T, dm: T, dv: T, db: T, dg: T",
)


@global_norm_op.shape
def global_norm_shape(op):
    return [op.inputs[0].dims]


@global_norm_grad_op.shape
def global_norm_grad_shape(op):
    return [op.inputs[0].dims, *[op.inputs[1].dims] * 4]


@global_norm_op.kernel
def global_norm_kernel(node):
    epsilon, scaled = node.attrs["variance_epsilon"], node.attrs["scale_after_normalization"]

    def normalize(t, m, v, beta, gamma):
        inverse = torch.rsqrt(v + epsilon)
        return (t - m) * (inverse * gamma if scaled else inverse) + beta

    return normalize


@global_norm_grad_op.kernel
def global_norm_grad_kernel(node):
    epsilon, scaled = node.attrs["variance_epsilon"], node.attrs["scale_after_normalization"]

    def gradient_of(t, m, v, gamma, gradient):
        inverse = torch.rsqrt(v + epsilon)
        factor = inverse * gamma if scaled else inverse
        total = gradient.flatten(0, -2).sum(0)
        along = (gradient * (t - m)).flatten(0, -2).sum(0)
        dv = along * (factor * inverse * inverse) * -0.5
        dgamma = along * inverse if scaled else torch.zeros_like(gamma)
        return gradient * factor, -total * factor, dv, total, dgamma

    return gradient_of


@global_norm_op.gradient
def global_norm_gradient(op, grad):
    t, m, v, _, gamma = op.inputs
    settings = {name: op.attrs[name] for name in ("variance_epsilon", "scale_after_normalization")}
    return list(raw.BatchNormWithGlobalNormalizationGrad(t, m, v, gamma, grad, **settings))


for _scaled in (True, False):
    _settings = {"variance_epsilon": 0.01, "scale_after_normalization": _scaled}
    global_norm_op.accepts([2, 2, 2, 3], [3], [3], [3], [3], **_settings)
    global_norm_grad_op.accepts([2, 2, 2, 3], [3], [3], [3], [2, 2, 2, 3], **_settings)
