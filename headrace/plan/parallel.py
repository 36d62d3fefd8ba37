"""The pass that says which nodes are worth more than one thread.

A parallel region costs microseconds to enter, and milliseconds when another program holds one of the cores, so small
operations run on one thread and only large ones on all.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from headrace.core.shapes import Dims
from headrace.plan.ir import Node, regions

# Multiply-adds and elements from which a second thread is worth waking: it takes up to 0.05 ms on a virtual machine, and
# these about 0.1 ms on one core.
_PRODUCT_WORK = 6_000_000
_CONVOLUTION_WORK = 2_000_000
_ELEMENT_WORK = 250_000

# How many simple operations each element of these takes.
_COSTS = {
    **dict.fromkeys(("_ApplyAdamMany", "_ApplyRMSPropMany", "ApplyAdam", "ResourceApplyAdam"), 3),
    **dict.fromkeys(("Exp", "Log", "Pow", "Sigmoid", "Tanh", "Softplus", "Erf", "Sin", "Cos", "Elu", "Selu"), 4),
    **dict.fromkeys(("Softmax", "LogSoftmax"), 4),
    **dict.fromkeys(("SoftmaxCrossEntropyWithLogits", "SparseSoftmaxCrossEntropyWithLogits"), 4),
}

# They read or write a few rows of their first input, however large that is.
_ROW_WISE = ("Scatter", "ResourceScatter", "Gather", "ResourceGather")
_PRODUCTS = frozenset(
    {
        *("MatMul", "BatchMatMul", "BatchMatMulV2", "_MatMulAdd", "_MatMulBias", "_MatMulRows"),
        "_ApplyGradientDescentProduct",
    }
)
# Where the left matrix is not the first input.
_LEFT = {"_MatMulAdd": 1, "_ApplyGradientDescentProduct": 2}


def mark_heavy(nodes: Sequence[Node], unknown: int) -> set[Node]:
    """Marks the nodes that are to use all threads, and returns them.

    Args:
        nodes: the planned nodes.
        unknown: the size to assume for unknown dimensions: the batch that was fed.
    """
    heavy = {node for node in nodes if node.device.type == "cpu" and _is_heavy(node, unknown)}
    for node in heavy:
        node.heavy = True
    for _, region in regions(nodes):
        heavy |= mark_heavy(region.nodes, unknown)
    return heavy


def _is_heavy(node: Node, unknown: int) -> bool:
    kind = node.type
    if node.region is not None:
        return False
    if kind in _PRODUCTS:
        left = _elements(node.inputs[_LEFT.get(kind, 0)].dims, unknown)
        out = node.outputs[0].dims if node.outputs else node.inputs[1].dims
        columns = unknown if out is None or not out or out[-1] is None else out[-1]
        return left * columns > _PRODUCT_WORK
    if "Conv" in kind:
        return _convolution_work(node, unknown) > _CONVOLUTION_WORK
    # A piece cut out of a large tensor is a view: the rest of the tensor is no work.
    touched = node.outputs if node.decl.may_alias else (*node.inputs, *node.outputs)
    if kind.startswith(_ROW_WISE):
        rows_only = node.inputs[1:] if "Scatter" in kind else node.outputs
        touched = tuple(rows_only)
    sizes = [_elements(value.dims, unknown) for value in touched]
    return max(sizes, default=0) * _COSTS.get(kind, 1) > _ELEMENT_WORK


def _convolution_work(node: Node, unknown: int) -> int:
    """The multiply-adds of a convolution or one of its gradients; more than enough where the filter is not known."""
    kind = node.type
    filters = node.notes.get("filter_dims")
    if filters is None:
        of = node.outputs[0] if "BackpropFilter" in kind else node.inputs[1]
        filters = of.dims
    if not filters or None in filters:
        return _CONVOLUTION_WORK + 1
    results = sum(
        _elements(value.dims, unknown) for value in ([node.inputs[2]] if "Backprop" in kind else node.outputs)
    )
    # A result sums over the window, and over the channels that go in where they are not kept apart.
    return results * prod(filters[: -2 if "Depthwise" in kind else -1])


def _elements(dims: Dims, unknown: int) -> int:
    if dims is None:
        return unknown
    size = 1
    for dim in dims:
        size *= unknown if dim is None else dim
    return size
