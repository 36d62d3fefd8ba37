"""The gradients of clipping: what flows through where a value lies within its bound, and zeros elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import torch

from headrace.core.errors import InvalidArgumentError
from headrace.core.registry import op
from headrace.core.tensor import Tensor
from headrace.kernels.native import equal_dims, same_shape
from headrace.plan.fusion import API, Fetches, Fusion, tensor
from headrace.plan.ir import Node, Value, joined_control, new_node

if TYPE_CHECKING:
    from headrace.core.native import Lowering, NativeBuilder
    from headrace.core.typing import Kernel, NodeView

within_op = op("_WithinBound", "grad: T, x: T, *, bound: float, above: bool, T: {float, double} -> output: T")
within_op.never_fails().not_differentiable().fresh()


@within_op.kernel
def within_kernel(node: NodeView) -> Kernel:
    """The gradient where `x` is not below its bound, or not above it; a vector `x` goes for the rows of the gradient."""
    where, bound = torch.where, node.attrs["bound"]
    compare = torch.ge if node.attrs["above"] else torch.le

    def within(grad: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        inside = compare(x, bound)
        if x.shape != grad.shape and x.ndim:
            if x.shape != grad.shape[:1]:
                raise InvalidArgumentError(
                    None,
                    node,
                    f"The condition of a choice has the shape {list(x.shape)}, where that of the values, "
                    f"{list(grad.shape)}, or that of their first axis is expected.",
                )
            inside = inside.reshape(inside.shape + (1,) * (grad.ndim - x.ndim))
        return where(inside, grad, 0.0)

    return within


_TYPES = frozenset({"float32", "float64"})
_COMPARISONS = {"GreaterEqual": True, "LessEqual": False}


def fuse_clipped_gradients(
    nodes: list[Node], keep: set[Node], fetched: list[Value]
) -> tuple[list[Node], dict[Value, Value]]:
    """Select(x >= bound, g, zeros of the shape of g) becomes `_WithinBound(g, x)`, and so does x <= bound."""
    replaced: dict[Value, Value] = {}
    result = []
    for node in nodes:
        made = _within(node) if node.type == "Select" and node not in keep else None
        if made is not None:
            replaced[node.outputs[0]] = made.outputs[0]
            node = made
        result.append(node)
    return (result, replaced) if replaced else (nodes, {})


def _within(node: Node) -> Node | None:
    inside, grad, others = node.inputs
    above = _COMPARISONS.get(inside.node.type)
    if above is None or inside.constant is not None or grad.dtype.name not in _TYPES:
        return None
    x, limit = inside.node.inputs
    if x.dtype is not grad.dtype:
        return None
    bound = limit.constant
    # The bound has to be what it is in the type of x, whichever float it is written as.
    if bound is None or bound.ndim or not _are_zeros_like(others, grad):
        return None
    attrs = {"bound": float(bound), "above": above}
    made = new_node("_WithinBound", node, [grad, x], [(grad.dtype, node.outputs[0].dims)], attrs)
    made.control = joined_control(made, inside.node, others.node)
    return made


def _are_zeros_like(value: Value, other: Value) -> bool:
    node = value.node
    if node.type == "ZerosLike":
        return node.inputs[0] is other
    if node.type != "Fill" or value.constant is not None:
        return False
    content, sizes = node.inputs[1].constant, node.inputs[0]
    return (
        content is not None
        and content.ndim == 0
        and content == 0
        and sizes.node.type == "Shape"
        and sizes.constant is None
        and sizes.node.inputs[0] is other
    )


fusion = Fusion(
    "let gradients through where a value lies within its bound, in one call",
    fuse_clipped_gradients,
    [{"Select"}, {"GreaterEqual", "LessEqual"}, {"Fill", "ZerosLike"}],
    makes=[within_op],
)


@fusion.example(tensor("rows", 3))
def clipped(tf: API, x: Tensor) -> Fetches:
    y = tf.clip_by_value(x * 2.0, -0.5, 0.5)
    return [y, *tf.gradients(tf.sin(y), x)]


@fusion.example(tensor("rows", 3))
def in_a_loop(tf: API, x: Tensor) -> Fetches:
    def step(i: Tensor, s: Tensor) -> tuple[Tensor, Tensor]:
        return i + 1, tf.clip_by_value(0.2 * s + 0.5, 0.0, 1.0) * s

    y = tf.while_loop(lambda i, _: i < 3, step, [0, x])[1]
    return [y, *tf.gradients(y, x)]


# ---- native instructions


@within_op.native
def _within_native(node: NodeView) -> Lowering | None:
    bound = np.asarray(node.attrs["bound"], node.inputs[1].dtype.as_numpy_dtype)
    grad, x = node.inputs[0].dims, node.inputs[1].dims
    name = "greater_equal" if node.attrs["above"] else "less_equal"
    alike = equal_dims(*node.inputs)
    if not alike and (grad is None or x is None or len(grad) != len(x)):
        return None

    def lower(b: NativeBuilder, inputs: Sequence[int]) -> Sequence[int]:
        if not alike:
            same_shape(b, inputs[0], inputs[1])
        (inside,) = b.apply(name, [inputs[1], b.constant(bound)])
        (zeros,) = b.apply("zeros_like", [inputs[0]])
        return b.apply("select", [inside, inputs[0], zeros])

    return lower
