"""Sizes that are known only when a step runs: tiling to the shape of a tensor, and dividing by its number of elements.

The gradient of every mean over a batch of unknown size is made of these.
"""

from __future__ import annotations

from headrace.plan.ir import Node, Value, new_node


def fuse_counts(nodes: list[Node], keep: set[Node], fetched: list[Value]) -> tuple[list[Node], dict[Value, Value]]:
    """Tile(v, Shape(x)) becomes `_ExpandLike`, t / Cast(Prod(Shape(x)) // c) becomes `_DivideByCount`."""
    replaced: dict[Value, Value] = {}
    result = []
    for node in nodes:
        fused = None
        if not node.control and node not in keep:
            if node.type == "Tile":
                fused = _expansion(node)
            elif node.type == "RealDiv":
                fused = _division(node)
        if fused is not None:
            replaced[node.outputs[0]] = fused.outputs[0]
            node = fused
        result.append(node)
    return result, replaced


def _expansion(node: Node) -> Node | None:
    value, multiples = node.inputs
    if multiples.node.type != "Shape" or value.dims is None or any(d != 1 for d in value.dims):
        return None
    like = multiples.node.inputs[0]
    if like.dims is None or len(like.dims) != len(value.dims) or value.dtype.name == "string":
        return None
    output = node.outputs[0]
    return new_node("_ExpandLike", node, [value, like], [(output.dtype, like.dims)])


def _division(node: Node) -> Node | None:
    total, count = node.inputs
    cast = count.node
    if cast.type != "Cast" or total.dtype.name not in ("float32", "float64"):
        return None
    quotient = cast.inputs[0].node
    if quotient.type != "FloorDiv":
        return None
    product, divisor = quotient.inputs[0].node, quotient.constant(1)
    if product.type != "Prod" or divisor is None or divisor.shape != () or product.inputs[0].node.type != "Shape":
        return None
    axes = product.constant(1)
    counted = product.inputs[0].node.inputs[0]
    if axes is None or axes.ravel().tolist() != [0] or counted.dims is None:
        return None
    output = node.outputs[0]
    return new_node("_DivideByCount", node, [total, counted], [(output.dtype, output.dims)], {"divisor": int(divisor)})
