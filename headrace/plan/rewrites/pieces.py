"""The gradient of joining tensors of unknown sizes: shapes, offsets and a slice for each part become one cut."""

from __future__ import annotations

from headrace.core.shapes import Dims
from headrace.plan.ir import Node, Value, new_node

_Group = tuple[Node, Value, Value]


def fuse_pieces(nodes: list[Node], keep: set[Node], fetched: list[Value]) -> tuple[list[Node], dict[Value, Value]]:
    """Slice(g, ConcatOffset(axis, shapes)[i], shapes[i]) for all i becomes `_PiecesLike(g, x…)`, where shapes are those of x.

    With an unknown batch size this is what the gradient of every concatenation is made of.
    """
    groups: dict[_Group, list[Node]] = {}
    for node in nodes:
        if node.type == "Slice" and not node.control and node not in keep:
            offset = node.inputs[1]
            if offset.node.type == "ConcatOffset" and offset.node.inputs[1 + offset.index] is node.inputs[2]:
                groups.setdefault((offset.node, node.inputs[0], offset), []).append(node)
    if not groups:
        return nodes, {}
    # Of each ConcatOffset and tensor, the slices of each part.
    cuts: dict[tuple[Node, Value], dict[int, list[Node]]] = {}
    for (offsets, joined, offset), slices in groups.items():
        cuts.setdefault((offsets, joined), {})[offset.index] = slices
    place = {node: i for i, node in enumerate(nodes)}
    replaced: dict[Value, Value] = {}
    instead: dict[Node, Node | None] = {}
    for (offsets, joined), parts in cuts.items():
        slices = [node for part in parts.values() for node in part]
        first = min(slices, key=place.__getitem__)
        if any(node.guard != first.guard or node.early != first.early for node in slices):
            continue
        cut = _cut(offsets, joined, parts, first)
        if cut is None:
            continue
        for index, part in parts.items():
            for node in part:
                replaced[node.outputs[0]] = cut.outputs[index]
                instead[node] = None
        instead[first] = cut
    if not instead:
        return nodes, {}
    result = []
    for node in nodes:
        new = instead.get(node, node)
        if new is not None:
            result.append(new)
    return result, replaced


def _cut(offsets: Node, joined: Value, parts: dict[int, list[Node]], first: Node) -> Node | None:
    """The node that makes all parts at once."""
    axis = offsets.constant(0)
    if axis is None or axis.shape != () or offsets.control or joined.dtype.name == "string":
        return None
    # The shapes that are known, and for the others tensors that have them.
    shapes: list[Dims] = []
    likes: list[Value] = []
    for shape in offsets.inputs[1:]:
        known = shape.constant
        if known is not None:
            shapes.append(tuple(int(size) for size in known))
            continue
        if shape.node.type not in ("Shape", "ShapeN") or shape.node.control:
            return None
        like = shape.node.inputs[shape.index]
        if like.dims is None or like.dtype.name in ("string", "resource", "variant") or like.dtype._is_ref_dtype:
            return None
        shapes.append(None)
        likes.append(like)
    ranks = {len(shape) for shape in shapes if shape is not None} | {len(like.dims or ()) for like in likes}
    if not likes or len(ranks) != 1 or not 0 <= int(axis) < min(ranks):
        return None
    given = iter(likes)
    dims: list[Dims] = [next(given).dims if shape is None else shape for shape in shapes]
    for index, slices in parts.items():
        dims[index] = slices[0].outputs[0].dims or dims[index]
    types = [(joined.dtype, shape) for shape in dims]
    return new_node("_PiecesLike", first, [joined, *likes], types, {"axis": int(axis), "shapes": shapes})
