"""A matrix product, or a convolution, and the bias added to it are one kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from headrace.core.multiply_adds import convolution, matrix_product
from headrace.core.native import applied
from headrace.core.registry import op
from headrace.core.tensor import Tensor
from headrace.devices.large_products import large_product
from headrace.kernels.nn.convolutions import by_rows, convolution_kernel
from headrace.kernels.nn.native_convolutions import convolution_rule
from headrace.plan.fusion import API, Fetches, Fusion, tensor
from headrace.plan.ir import ADDITIONS, Node, Value, consumers_of, new_node

if TYPE_CHECKING:
    from headrace.core.native import Lowering
    from headrace.core.typing import Kernel, NodeView

matmul_bias = op(
    "_MatMulBias", "a: T, b: T, bias: T, *, transpose_a=False, transpose_b=False, T: {float, double} -> output: T"
)


matmul_bias.fresh().work(matrix_product())


@matmul_bias.kernel
def matmul_bias_kernel(node: NodeView) -> Kernel:
    a_turned, b_turned = node.attrs["transpose_a"], node.attrs["transpose_b"]
    product = large_product(node)
    if product is None:
        addmm = torch.addmm

        def product(a: torch.Tensor, b: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
            return addmm(bias, a, b)

    if a_turned and b_turned:
        return lambda a, b, bias: product(a.t(), b.t(), bias)
    if a_turned:
        return lambda a, b, bias: product(a.t(), b, bias)
    if b_turned:
        return lambda a, b, bias: product(a, b.t(), bias)
    return product


_IMAGE = (
    "*, T: floating, strides: list(int), use_cudnn_on_gpu=True, padding: {'SAME', 'VALID', 'EXPLICIT'}, "
    "explicit_paddings: list(int) = [], data_format: {'NHWC', 'NCHW'} = 'NHWC', dilations: list(int) = [1, 1, 1, 1]"
)
_DEPTHWISE = (
    "*, T: floating, strides: list(int), padding: {'SAME', 'VALID'}, data_format: {'NHWC', 'NCHW'} = 'NHWC', "
    "dilations: list(int) = [1, 1, 1, 1]"
)
_VOLUME = (
    "*, T: floating, strides: list(int) >= 5, padding: {'SAME', 'VALID'}, "
    "data_format: {'NDHWC', 'NCDHW'} = 'NDHWC', dilations: list(int) = [1, 1, 1, 1, 1]"
)

conv2d_bias = op("_Conv2DBias", f"input: T, filter: T, bias: T, {_IMAGE} -> output: T").fresh().work(convolution())
conv2d_bias.kernel(
    by_rows(convolution_kernel(4), "convolving", lambda node: node.inputs[0], lambda node: node.inputs[1])
)
conv3d_bias = op("_Conv3DBias", f"input: T, filter: T, bias: T, {_VOLUME} -> output: T").fresh().work(convolution())
conv3d_bias.kernel(convolution_kernel(5))
depthwise_bias = op("_DepthwiseConv2dBias", f"input: T, filter: T, bias: T, {_DEPTHWISE} -> output: T")
depthwise_bias.fresh().work(convolution(depthwise=True)).kernel(convolution_kernel(4, depthwise=True))


_SUMS = ADDITIONS | {"BiasAdd"}
_TYPES = frozenset({"float32", "float64"})
# Rounding a short type twice, as two ops do, is not what one kernel does.
_FUSED = {
    "MatMul": "_MatMulBias",
    "Conv2D": "_Conv2DBias",
    "Conv3D": "_Conv3DBias",
    "DepthwiseConv2dNative": "_DepthwiseConv2dBias",
}


def fuse_bias(nodes: list[Node], keep: set[Node], fetched: list[Value]) -> tuple[list[Node], dict[Value, Value]]:
    """BiasAdd(MatMul(x, w), b) becomes `_MatMulBias(x, w, b)`, and so on, where nothing else takes the product itself.

    A `_SumLike` takes it for its shape only, which the sum has too.
    """
    consumers = consumers_of(nodes)
    fetched_values = set(fetched)
    replaced: dict[Value, Value] = {}
    result = []
    for node in nodes:
        if node.type in _SUMS and not node.control and node not in keep:
            fused = _match(node, consumers, fetched_values)
            if fused is not None:
                output = node.outputs[0]
                replaced[output] = fused.outputs[0]
                # For the nodes that look at the product's shape.
                replaced[node.inputs[0]] = fused.outputs[0]
                node = fused
        result.append(node)
    return result, replaced


def _match(node: Node, consumers: dict[Value, list[Node]], fetched: set[Value]) -> Node | None:
    product, bias = node.inputs
    maker = product.node
    fused_type = _FUSED.get(maker.type)
    if fused_type is None or product in fetched or maker.control or maker.guard != node.guard:
        return None
    if product.dtype.name not in _TYPES or bias.dims is None or len(bias.dims) != 1:
        return None
    if product.dims is None or bias.dims[0] is None or product.dims[-1] != bias.dims[0]:
        return None
    if len(product.dims) > 2 and not _on_last_axis(node, maker):
        return None
    for consumer in consumers[product]:
        if consumer is not node and not (consumer.type == "_SumLike" and consumer.inputs[0] is not product):
            return None
    output = node.outputs[0]
    return new_node(fused_type, node, [*maker.inputs, bias], [(output.dtype, output.dims)], maker.attrs)


def _on_last_axis(*nodes: Node) -> bool:
    """Whether the channels are last to all of these."""
    return all(not node.attrs.get("data_format", "").startswith("NC") for node in nodes)


fusion = Fusion(
    "add the bias where a matrix product or a convolution is computed",
    fuse_bias,
    [_FUSED.keys(), _SUMS],
    makes=[matmul_bias, conv2d_bias, conv3d_bias, depthwise_bias],
)
_STEPS = {"strides": [1, 1, 1, 1], "padding": "SAME"}


@fusion.example(tensor("rows", 4), tensor(4, 5), tensor(5), makes=["_MatMulBias"])
def product(tf: API, x: Tensor, w: Tensor, b: Tensor) -> Fetches:
    return tf.nn.bias_add(tf.matmul(x, w), b)


@fusion.example(tensor(4, "rows"), tensor(5, 4), tensor(5), makes=["_MatMulBias"])
def product_of_turned_matrices(tf: API, x: Tensor, w: Tensor, b: Tensor) -> Fetches:
    return tf.matmul(x, w, transpose_a=True, transpose_b=True) + b


@fusion.example(tensor("batch", 5, 6, 3), tensor(3, 3, 3, 4), tensor(4), makes=["_Conv2DBias"])
def image(tf: API, x: Tensor, w: Tensor, b: Tensor) -> Fetches:
    return tf.nn.bias_add(tf.nn.conv2d(x, w, **_STEPS), b)


@fusion.example(tensor("batch", 5, 6, 3), tensor(3, 3, 3, 2), tensor(6), makes=["_DepthwiseConv2dBias"])
def channels_of_an_image(tf: API, x: Tensor, w: Tensor, b: Tensor) -> Fetches:
    return tf.nn.depthwise_conv2d(x, w, **_STEPS) + b


@fusion.example(tensor("batch", 4, 5, 4, 2), tensor(2, 2, 2, 2, 3), tensor(3), makes=["_Conv3DBias"])
def volume(tf: API, x: Tensor, w: Tensor, b: Tensor) -> Fetches:
    return tf.nn.conv3d(x, w, [1, 1, 1, 1, 1], "VALID") + b


# ---- native instructions


@matmul_bias.native
def _matmul_bias_native(node: NodeView) -> Lowering | None:
    return applied("matmul", [int(node.attrs["transpose_a"]), int(node.attrs["transpose_b"])])


conv2d_bias.native(convolution_rule)
