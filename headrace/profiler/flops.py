"""How many floating-point operations an op does, as TensorFlow's profiler counts them.

Registered with `RegisterStatistics(op_type, "flops")`, where programs add theirs. Counting needs full shapes; where one is
unknown the function raises ValueError.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headrace.core.framework_ops import OpStats, RegisterStatistics

if TYPE_CHECKING:
    from headrace.core.graph import Graph
    from headrace.messages import protos


Rule = Callable[[Any, Any], float]


def shape_of(graph: Any, name: str) -> tuple[int, ...]:
    """The static shape of a tensor named as in a NodeDef's inputs.

    Raises:
        ValueError: if it is not fully known.
    """
    node, _, slot = name.lstrip("^").partition(":")
    dims = graph.get_operation_by_name(node).outputs[int(slot or 0)].dims
    if dims is None or None in dims:
        raise ValueError(f"Shape {dims} of {name} is not fully defined")
    return tuple(dims)


def _size(graph: Graph, name: str) -> int:
    return math.prod(shape_of(graph, name))


def _an_input_element(count: int) -> Rule:
    """`count` for each element of the first input."""
    return lambda graph, node: count * _size(graph, node.input[0])


def _an_output_element(graph: Graph, node: protos.NodeDef) -> int:
    return _size(graph, node.name)


def _reduction(finalize: int) -> Rule:
    """One for each element that goes in after the first of its result, and `finalize` for each result."""
    return lambda graph, node: _size(graph, node.input[0]) + _size(graph, node.name) * (finalize - 1)


def _product(graph: Graph, node: protos.NodeDef) -> int:
    first = shape_of(graph, node.input[0])
    transposed = node.attr["transpose_a"].b or node.attr["adj_x"].b
    return 2 * _size(graph, node.name) * first[-2 if transposed else -1]


def _convolution(spatial: int, takes_depth: bool) -> Rule:
    """A multiplication and an addition for each filter element that an output element sees."""

    def count(graph: Graph, node: protos.NodeDef) -> int:
        shape_of(graph, node.input[0])
        kernel = shape_of(graph, node.input[1])
        return 2 * _size(graph, node.name) * math.prod(kernel[: spatial + takes_depth])

    return count


def _channels_last(node: protos.NodeDef) -> None:
    if node.attr["data_format"].s != b"NHWC":
        raise ValueError("Only NHWC format is supported in flops computations")


def _window(node: protos.NodeDef) -> int:
    return math.prod(node.attr["ksize"].list.i)


def _pool(graph: Graph, node: protos.NodeDef) -> int:
    _channels_last(node)
    return _window(node) * _size(graph, node.name)


def _average_pool_gradient(graph: Graph, node: protos.NodeDef) -> int:
    _channels_last(node)
    return 2 * _window(node) * _size(graph, node.input[1])


def _max_pool_gradient(graph: Graph, node: protos.NodeDef) -> int:
    _channels_last(node)
    return (_window(node) + 1) * _size(graph, node.input[1])


def _convolution_gradient(image: Callable[[Any], str], kernel: Callable[[Any], str]) -> Rule:
    def count(graph: Graph, node: protos.NodeDef) -> float:
        _channels_last(node)
        images, kernels = shape_of(graph, image(node)), shape_of(graph, kernel(node))
        strides = node.attr["strides"].list.i
        return 2 * math.prod(images) * math.prod(kernels) / (images[-1] * strides[1] * strides[2])

    return count


def _sum_of_several(graph: Graph, node: protos.NodeDef) -> int:
    return _size(graph, node.input[0]) * (len(node.input) - 1) if node.input else 0


_RULES: dict[str, Rule] = {
    **dict.fromkeys(["Reciprocal", "Square", "Log", "Neg", "AssignSub", "AssignAdd", "BiasAdd"], _an_input_element(1)),
    "Rsqrt": _an_input_element(2),
    "Softmax": _an_input_element(5),
    "L2Loss": lambda graph, node: 3 * _size(graph, node.input[0]) - 1,
    **dict.fromkeys(
        [
            "Add",
            "Sub",
            "Mul",
            "RealDiv",
            "Maximum",
            "Minimum",
            "Pow",
            "GreaterEqual",
            "Greater",
            "LessEqual",
            "Less",
            "Equal",
            "NotEqual",
            "SquaredDifference",
        ],
        _an_output_element,
    ),
    "RsqrtGrad": lambda graph, node: 4 * _an_output_element(graph, node),
    "Mean": _reduction(1),
    **dict.fromkeys(["Sum", "ArgMax", "ArgMin", "BiasAddGrad"], _reduction(0)),
    "MatMul": _product,
    "BatchMatMul": _product,
    "Conv2D": _convolution(2, True),
    "Conv3D": _convolution(3, True),
    "DepthwiseConv2dNative": _convolution(2, False),
    "Dilation2D": _convolution(2, False),
    "AvgPool": _pool,
    "MaxPool": _pool,
    "AvgPoolGrad": _average_pool_gradient,
    "MaxPoolGrad": _max_pool_gradient,
    "Conv2DBackpropInput": _convolution_gradient(lambda node: node.name, lambda node: node.input[1]),
    "Conv2DBackpropFilter": _convolution_gradient(lambda node: node.input[0], lambda node: node.name),
    "AddN": _sum_of_several,
}


def _register(op_type: str, rule: Rule) -> None:
    RegisterStatistics(op_type, "flops")(lambda graph, node: OpStats("flops", rule(graph, node)))


for _op_type, _rule in _RULES.items():
    _register(_op_type, _rule)


def register() -> None:
    """Has nothing left to do: the rules above are registered when this module is imported."""
