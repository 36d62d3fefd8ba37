"""The gradient of broadcasting: four ops on shapes and two on the gradient become one sum, or nothing."""

from __future__ import annotations

from headrace.plan.ir import Node, Value, new_node


def fuse_unbroadcast(nodes: list[Node], keep: set[Node], fetched: list[Value]) -> tuple[list[Node], dict[Value, Value]]:
    """Reshape(Sum(g, BroadcastGradientArgs(sx, sy)), sx) becomes `_SumToShape(g, x)`.

    The gradient of every broadcasting op has this form. It is settled while planning only if all shapes are static; with
    an unknown batch size it would cost six calls a step, most of which find that nothing was broadcast.
    """
    replaced: dict[Value, Value] = {}
    result = []
    for node in nodes:
        fused = _match(node) if node.type == "Reshape" and not node.control and node not in keep else None
        if fused is not None:
            replaced[node.outputs[0]] = fused.outputs[0]
            node = fused
        result.append(node)
    return result, replaced


def _match(node: Node) -> Node | None:
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
    if shape.constant is not None:
        dims = tuple(int(d) for d in shape.constant)
        return new_node("_SumToShape", node, [gradient], [(output.dtype, dims)], {"shape": dims})
    if shape.node.type == "Shape":
        like = shape.node.inputs[0]
        return new_node("_SumLike", node, [gradient, like], [(output.dtype, like.dims)])
    return None
