"""Layers of networks: convolutions, pooling, normalization, resizing. ONNX has channels before the spatial dimensions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from headrace.core.operation import Operation
from headrace.torch.onnx.builder import Builder, rule, unsupported


def _text(op: Operation, name: str) -> str:
    value = op.get_attr(name)
    return value.decode() if isinstance(value, bytes) else value


class _Layout:
    """Where an op has its channels and its spatial dimensions."""

    def __init__(self, op: Operation, rank: int) -> None:
        self.last = _text(op, "data_format") in ("NHWC", "NDHWC")
        self.spatial = range(1, rank - 1) if self.last else range(2, rank)
        self._rank = rank

    def first(self, b: Builder, name: str) -> str:
        """A value with its channels brought to the front."""
        return b.transpose(name, (0, self._rank - 1, *range(1, self._rank - 1))) if self.last else name

    def back(self, b: Builder, name: str) -> str:
        """A result as the op has it."""
        return b.transpose(name, (0, *range(2, self._rank), 1)) if self.last else name

    def of(self, values: Sequence[int]) -> list[int]:
        """The spatial ones of an attribute with a number for each dimension."""
        return [int(values[i]) for i in self.spatial]


def _padding(
    op: Operation, layout: _Layout, sizes: Sequence[int], strides: Sequence[int], dilations: Sequence[int]
) -> dict[str, object]:
    """The attributes that say how the borders are padded."""
    padding = _text(op, "padding")
    if padding == "VALID":
        return {"auto_pad": "VALID"}
    if padding == "EXPLICIT":
        pairs = np.reshape(op.get_attr("explicit_paddings"), (-1, 2))[list(layout.spatial)]
        return {"pads": [int(pad) for pad in pairs.T.ravel()]}
    dims = op.inputs[0].dims
    known = dims is not None and all(dims[i] is not None for i in layout.spatial)
    if not known:
        if any(dilation != 1 for dilation in dilations):
            raise unsupported(op, "padding SAME with dilations needs sizes that are known")
        return {"auto_pad": "SAME_UPPER"}
    befores, afters = [], []
    for i, size, stride, dilation in zip(layout.spatial, sizes, strides, dilations):
        length = dims[i]  # type: ignore[index]  # the sizes are known: it has been asked
        reach = (size - 1) * dilation + 1
        total = max((-(-length // stride) - 1) * stride + reach - length, 0)  # type: ignore[operator]  # the sizes are known: it has been asked
        befores.append(total // 2)
        afters.append(total - total // 2)
    return {"pads": befores + afters}


def _filters(op: Operation, b: Builder, order: Sequence[int]) -> str:
    """The filters in ONNX's order: as an initializer where they are known."""
    value = b.value(op.inputs[1])
    if value is None:
        return b.transpose(b.input(op, 1), order)
    return b.constant(np.ascontiguousarray(value.transpose(order)), op.inputs[1].name.removesuffix(":0"))


def _filter_dims(op: Operation) -> tuple[int, ...]:
    dims = op.inputs[1].dims
    if dims is None or None in dims:
        raise unsupported(op, f"the shape of {op.inputs[1].name} is not known")
    return tuple(int(size) for size in dims if size is not None)


@rule("Conv2D", "Conv3D")
def _conv(op: Operation, b: Builder) -> str:
    dims = _filter_dims(op)
    n = len(dims) - 2
    layout = _Layout(op, n + 2)
    strides, dilations = layout.of(op.get_attr("strides")), layout.of(op.get_attr("dilations"))
    pads = _padding(op, layout, dims[:n], strides, dilations)
    channels = op.inputs[0].dims[-1 if layout.last else 1] if op.inputs[0].dims is not None else None
    group = 1 if channels is None else channels // dims[n]
    filters = _filters(op, b, (n + 1, n, *range(n)))
    x = layout.first(b, b.input(op, 0))
    y = b.emit("Conv", x, filters, strides=strides, dilations=dilations, group=group, kernel_shape=dims[:n], **pads)
    return layout.back(b, y)


@rule("DepthwiseConv2dNative")
def _depthwise(op: Operation, b: Builder) -> str:
    height, width, channels, multiplier = _filter_dims(op)
    layout = _Layout(op, 4)
    strides, dilations = layout.of(op.get_attr("strides")), layout.of(op.get_attr("dilations"))
    pads = _padding(op, layout, (height, width), strides, dilations)
    filters = b.emit("Reshape", _filters(op, b, (2, 3, 0, 1)), b.ints(channels * multiplier, 1, height, width))
    value = b.value(op.inputs[1])
    if value is not None:
        made = value.transpose(2, 3, 0, 1).reshape(channels * multiplier, 1, height, width)
        filters = b.constant(np.ascontiguousarray(made), op.inputs[1].name.removesuffix(":0"))
    x = layout.first(b, b.input(op, 0))
    y = b.emit(
        "Conv", x, filters, strides=strides, dilations=dilations, group=channels, kernel_shape=[height, width], **pads
    )
    return layout.back(b, y)


@rule("Conv2DBackpropInput")
def _conv_transpose(op: Operation, b: Builder) -> str:
    height, width = _filter_dims(op)[:2]
    layout = _Layout(op, 4)
    strides, dilations = layout.of(op.get_attr("strides")), layout.of(op.get_attr("dilations"))
    given, made = op.inputs[2].dims, b.sizes(op.inputs[0])
    if given is None or made is None or any(given[i] is None or made[i] is None for i in layout.spatial):
        raise unsupported(op, "the spatial sizes are not known")
    if _text(op, "padding") == "EXPLICIT":
        raise unsupported(op, "explicit paddings")
    befores, afters, extra = [], [], []
    for i, size, stride, dilation in zip(layout.spatial, (height, width), strides, dilations):
        over = (int(given[i]) - 1) * stride + (size - 1) * dilation + 1 - int(made[i])  # type: ignore[arg-type]  # the sizes are known: it has been asked
        befores.append(max(over, 0) // 2)
        afters.append(max(over, 0) - befores[-1])
        extra.append(max(-over, 0))
    if any(more >= stride for more, stride in zip(extra, strides)):
        raise unsupported(op, "the result is larger than what the convolution covers")
    filters = _filters(op, b, (3, 2, 0, 1))
    y = b.emit(
        "ConvTranspose", layout.first(b, b.input(op, 2)), filters, strides=strides, dilations=dilations,
        pads=befores + afters, output_padding=extra, kernel_shape=[height, width],
    )  # fmt: skip
    return layout.back(b, y)


@rule("MaxPool", "AvgPool", "MaxPool3D", "AvgPool3D")
def _pool(op: Operation, b: Builder) -> str:
    sizes = op.get_attr("ksize")
    layout = _Layout(op, len(sizes))
    if any(int(size) != 1 for i, size in enumerate(sizes) if i not in layout.spatial):
        raise unsupported(op, "pooling over the batch or the channels")
    kernel, strides = layout.of(sizes), layout.of(op.get_attr("strides"))
    pads = _padding(op, layout, kernel, strides, [1] * len(kernel))
    operator = "MaxPool" if op.type.startswith("Max") else "AveragePool"
    y = b.emit(operator, layout.first(b, b.input(op, 0)), kernel_shape=kernel, strides=strides, **pads)
    return layout.back(b, y)


@rule("BiasAdd", "BiasAddV1")
def _bias_add(op: Operation, b: Builder) -> str:
    x, bias = b.inputs(op)
    dims = op.inputs[0].dims
    if op.type == "BiasAdd" and _text(op, "data_format") == "NCHW" and (dims is None or len(dims) > 2):
        if dims is None:
            raise unsupported(op, "the rank is not known")
        bias = b.emit("Reshape", bias, b.ints(-1, *[1] * (len(dims) - 2)))
    return b.emit("Add", x, bias)


@rule("FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3")
def _batch_norm(op: Operation, b: Builder) -> list[str]:
    if op.get_attr("is_training"):
        raise unsupported(op, "it normalizes by the batch (is_training); write the graph for inference")
    layout = _Layout(op, 4)
    x, scale, offset, mean, variance = b.inputs(op)
    epsilon = float(op.get_attr("epsilon"))
    y = b.emit("BatchNormalization", layout.first(b, x), scale, offset, mean, variance, epsilon=epsilon)
    return [layout.back(b, y), mean, variance, mean, variance][: len(op.outputs)]


@rule("LRN")
def _lrn(op: Operation, b: Builder) -> str:
    size = 2 * int(op.get_attr("depth_radius")) + 1
    x = b.transpose(b.input(op, 0), (0, 3, 1, 2))
    # ONNX divides alpha by the number of channels that are summed.
    alpha, beta, bias = (float(op.get_attr(name)) for name in ("alpha", "beta", "bias"))
    return b.transpose(b.emit("LRN", x, size=size, alpha=alpha * size, beta=beta, bias=bias), (0, 2, 3, 1))


@rule("ResizeBilinear", "ResizeNearestNeighbor")
def _resize(op: Operation, b: Builder) -> str:
    nearest = op.type == "ResizeNearestNeighbor"
    corners, half = bool(op.get_attr("align_corners")), bool(op.get_attr("half_pixel_centers"))
    if corners:
        where = "align_corners"
    elif half:
        where = "tf_half_pixel_for_nn" if nearest else "half_pixel"
    else:
        where = "asymmetric"
    x = b.transpose(b.input(op, 0), (0, 3, 1, 2))
    front = b.emit("Slice", b.emit("Shape", x), b.ints(0), b.ints(2), b.ints(0))
    sizes = b.emit("Concat", front, b.to_int64(op.inputs[1]), axis=0)
    if not nearest:
        x = b.cast(x, op.outputs[0].dtype) if op.inputs[0].dtype != op.outputs[0].dtype else x
    y = b.emit(
        "Resize", x, "", "", sizes, mode="nearest" if nearest else "linear", coordinate_transformation_mode=where,
        nearest_mode=("round_prefer_ceil" if corners else "floor") if nearest else None,
    )  # fmt: skip
    return b.transpose(y, (0, 2, 3, 1))


@rule("SparseSoftmaxCrossEntropyWithLogits", "SoftmaxCrossEntropyWithLogits")
def _cross_entropy(op: Operation, b: Builder) -> list[str]:
    logits, labels = b.inputs(op)
    logarithms = b.emit("LogSoftmax", logits, axis=-1)
    if op.type.startswith("Sparse"):
        taken = b.emit("GatherElements", logarithms, b.emit("Unsqueeze", labels, b.ints(1)), axis=1)
        loss = b.emit("Neg", b.emit("Squeeze", taken, b.ints(1)))
    else:
        loss = b.emit("Neg", b.emit("ReduceSum", b.emit("Mul", labels, logarithms), b.ints(-1), keepdims=0))
    # The second output, a gradient, is of no use in a model that is not trained.
    return [loss]
