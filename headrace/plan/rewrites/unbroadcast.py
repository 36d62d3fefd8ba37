"""The gradient of broadcasting: four ops on shapes and two on the gradient become one sum, or nothing."""

from __future__ import annotations

from headrace.core.shapes import Dims
from headrace.plan.ir import Node, Value, new_node


def fuse_unbroadcast(nodes: list[Node], keep: set[Node], fetched: list[Value]) -> tuple[list[Node], dict[Value, Value]]:
    """Reshape(Sum(g, BroadcastGradientArgs(sx, sy)), sx) becomes `_SumToShape(g)`, `_SumLike(g, x)` or `_SumToShapeOf(g, sx)`.

    The gradient of every broadcasting op has this form. It is settled while planning only if all shapes are static; with
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
    if _keeps_its_shape(_shape_of(shape), _shape_of(other)):
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
