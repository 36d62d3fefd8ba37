"""The gradient of broadcasting: four ops on shapes and two on the gradient become one sum, or nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import torch

from headrace.core.dims import Dims
from headrace.core.native import applied
from headrace.core.registry import op
from headrace.core.tensor import Tensor
from headrace.kernels.native import is_sized, shaped
from headrace.plan.fusion import API, Fetches, Fusion, tensor
from headrace.plan.ir import Node, Value, new_node

if TYPE_CHECKING:
    from headrace.core.native import Lowering, NativeBuilder
    from headrace.core.typing import Kernel, NodeView

sum_to_shape = op("_SumToShape", "gradient: T, *, shape: shape -> output: T").aliases().views().never_fails()


@sum_to_shape.kernel
def sum_to_shape_kernel(node: NodeView) -> Kernel:
    shape = torch.Size(node.attrs["shape"])
    rank = len(shape)
    if node.inputs[0].dims is not None and None not in shape:
        dims = node.inputs[0].dims
        lead = len(dims) - rank
        inner_equal = lead >= 0 and all(d is not None and d == s for d, s in zip(dims[lead:], shape, strict=True))
        if inner_equal and lead == 1:
            return lambda gradient: gradient.sum(0)
        if inner_equal and lead > 1:
            axes = tuple(range(lead))
            return lambda gradient: gradient.sum(axes)

    def to_shape(gradient: torch.Tensor) -> torch.Tensor:
        return gradient if gradient.shape == shape else gradient.sum_to_size(shape)

    return to_shape


sum_like = op("_SumLike", "gradient: T, like: U, *, T: type, U: type -> output: T").aliases().views().never_fails()


@sum_like.kernel
def sum_like_kernel(node: NodeView) -> Kernel:
    def to_like(gradient: torch.Tensor, like: torch.Tensor) -> torch.Tensor:
        shape = like.shape
        return gradient if gradient.shape == shape else gradient.sum_to_size(shape)

    return to_like


sum_to_shape_of = op("_SumToShapeOf", "gradient: T, shape: U, *, T: type, U: index -> output: T").aliases()
sum_to_shape_of.on_host("shape").views().never_fails()


@sum_to_shape_of.kernel
def sum_to_shape_of_kernel(node: NodeView) -> Kernel:
    def to_shape(gradient: torch.Tensor, shape: torch.Tensor) -> torch.Tensor:
        sizes = torch.Size(shape.tolist())
        return gradient if gradient.shape == sizes else gradient.sum_to_size(sizes)

    return to_shape


def fuse_broadcast_gradients(
    nodes: list[Node], keep: set[Node], fetched: list[Value]
) -> tuple[list[Node], dict[Value, Value]]:
    """Reshape(Sum(g, BroadcastGradientArgs(sx, sy)), sx) becomes `_SumToShape(g)`, `_SumLike(g, x)` or `_SumToShapeOf(g, sx)`.

    The gradient of every broadcasting op has this form. It is known while planning only if all shapes are static; with
    an unknown batch size it would cost six calls a step, most of which find that nothing was broadcast.
    """
    replaced: dict[Value, Value] = {}
    result = []
    for node in nodes:
        fused = _match(node) if node.type == "Reshape" and not node.control and node not in keep else None
        if isinstance(fused, Value):
            replaced[node.outputs[0]] = replaced.get(fused, fused)
            continue
        if fused is not None:
            replaced[node.outputs[0]] = fused.outputs[0]
            node = fused
        result.append(node)
    return result, replaced


def _match(node: Node) -> Node | Value | None:
    total = node.inputs[0].node
    if total.type != "Sum" or total.attrs["keep_dims"] or total.control:
        return None
    axes = total.inputs[1]
    if axes.node.type != "BroadcastGradientArgs":
        return None
    shape = axes.node.inputs[axes.index]
    if node.inputs[1] is not shape:
        return None
    gradient, output = total.inputs[0], node.outputs[0]
    other = axes.node.inputs[1 - axes.index]
    if other is shape or _keeps_its_shape(_shape_of(shape), _shape_of(other)):
        return gradient
    if shape.constant is not None:
        dims = tuple(int(d) for d in shape.constant)
        return new_node("_SumToShape", node, [gradient], [(output.dtype, dims)], {"shape": dims})
    if shape.node.type == "Shape":
        like = shape.node.inputs[0]
        return new_node("_SumLike", node, [gradient, like], [(output.dtype, like.dims)])
    # In the loop of a gradient the shape comes off a stack.
    return new_node("_SumToShapeOf", node, [gradient, shape], [(output.dtype, output.dims)])


def _shape_of(value: Value) -> Dims:
    """What is known of the tensor whose shape `value` is."""
    if value.constant is not None:
        return tuple(int(d) for d in value.constant)
    return value.node.inputs[0].dims if value.node.type == "Shape" else None


def _keeps_its_shape(dims: Dims, other: Dims) -> bool:
    """Whether broadcasting a tensor of shape `dims` against `other` leaves its shape alone, whatever the sizes."""
    if dims is None or other is None or len(other) > len(dims):
        return False
    pairs = zip(reversed(dims), reversed(other), strict=False)
    return all(theirs == 1 or (ours is not None and (ours == theirs or ours > 1)) for ours, theirs in pairs)


fusion = Fusion(
    "sum the gradient of broadcasting in one call, or not at all where nothing was broadcast",
    fuse_broadcast_gradients,
    [{"BroadcastGradientArgs"}],
    makes=[sum_to_shape, sum_like, sum_to_shape_of],
)


@fusion.example(tensor("rows", 3), tensor(3), makes=["_SumToShape"])
def a_vector_on_rows(tf: API, x: Tensor, y: Tensor) -> Fetches:
    return tf.gradients(tf.sin(x * y), [x, y])


@fusion.example(tensor("rows", "columns"), tensor("rows", 1), makes=["_SumLike"])
def unknown_sizes(tf: API, x: Tensor, y: Tensor) -> Fetches:
    return tf.gradients(tf.sin(x - y), [x, y])


@fusion.example(tensor("steps", "rows", 2), tensor("rows", 2), makes=["_SumToShapeOf"])
def in_the_gradient_of_a_loop(tf: API, x: Tensor, y: Tensor) -> Fetches:
    def add(i: torch.Tensor, total: torch.Tensor) -> torch.Tensor:
        return i + 1, tf.sin(total) * x[i] + tf.reduce_sum(y * x, [0])

    total = tf.while_loop(lambda i, _: i < tf.shape(x)[0], add, [0, y])[1]
    return tf.gradients(total, [x, y])


# ---- native instructions

sum_like.native(lambda node: applied("sum_like"))


@sum_to_shape_of.native
def _sum_to_shape_of_native(node: NodeView) -> Lowering | None:
    if not is_sized(node, 1):
        return None

    def lower(b: NativeBuilder, inputs: Sequence[int]) -> Sequence[int]:
        return b.apply("sum_like", [inputs[0], shaped(b, inputs[1])])

    return lower


@sum_to_shape.native
def _sum_to_shape_native(node: NodeView) -> Lowering | None:
    shape, dims = list(node.attrs["shape"]), node.inputs[0].dims
    if dims is None or len(shape) > len(dims):
        return None
    lead = len(dims) - len(shape)
    axes = [lead + i for i, size in enumerate(shape) if size == 1 and dims[lead + i] != 1]
    if None in dims[lead:] and any(
        size is None for size, wanted in zip(dims[lead:], shape, strict=True) if wanted == 1
    ):
        return None

    def lower(b: NativeBuilder, inputs: Sequence[int]) -> Sequence[int]:
        (total,) = b.apply("sum", [inputs[0]], [1, *range(lead), *axes])
        return b.apply("reshape", [total], shape)

    return lower
