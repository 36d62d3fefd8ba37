"""The gradient of looking up rows, and summing its rows of equal indices, as optimizers do before they apply it.

A lookup's gradient is its rows one behind the other, `Reshape(gradient, [Size(indices), ...])` beside
`Reshape(indices, [Size(indices)])`; the sum is an `UnsortedSegmentSum` by the places that `Unique` gives.
"""

from __future__ import annotations

from collections import Counter

from headrace.plan.ir import Node, Value, new_node


def fuse_sparse_gradients(
    nodes: list[Node], keep: set[Node], fetched: list[Value]
) -> tuple[list[Node], dict[Value, Value]]:
    """Such pairs of reshapes become `_RowsFor` and `_Flat`, such sums `_SumOfRepeated`."""
    replaced: dict[Value, Value] = {}
    result = []
    sums = _Sums(nodes, keep, fetched)
    for node in nodes:
        fused = None
        if not node.control and node not in keep:
            if node.type == "Reshape":
                fused = _rows(node)
            elif node.type == "UnsortedSegmentSum":
                fused = sums.fused(node)
                if fused is not None:
                    replaced[node.inputs[1].node.outputs[0]] = fused.outputs[1]
        if fused is not None:
            replaced[node.outputs[0]] = fused.outputs[0]
            node = fused
        result.append(node)
    return result, replaced


def _rows(node: Node) -> Node | None:
    value, shape = node.inputs
    if value.dtype.name == "string":
        return None
    output = node.outputs[0]
    counted = _counted(shape)
    if counted is not None:
        if counted is not value:
            return None
        return new_node("_Flat", node, [value], [(output.dtype, output.dims)])
    concat = shape.node
    if concat.type != "ConcatV2" or len(concat.inputs) != 3 or concat.control:
        return None
    first, rest, axis = concat.inputs
    counted = _counted(first)
    sizes = rest.constant
    if counted is None or sizes is None or axis.constant is None or int(axis.constant) not in (0, -1):
        return None
    if sizes.ndim != 1 or (sizes < 0).any():
        return None
    attrs = {"shape": sizes.tolist()}
    return new_node("_RowsFor", node, [value, counted], [(output.dtype, output.dims)], attrs)


def _counted(shape: Value) -> Value | None:
    """The tensor whose number of elements is the one element of `shape`."""
    node = shape.node
    if node.type != "ExpandDims" or node.control or node.inputs[0].node.type != "Size":
        return None
    size = node.inputs[0].node
    return None if size.control or size.inputs[0].dtype.name == "string" else size.inputs[0]


class _Sums:
    """Finds the sums by places that nothing else asks for."""

    def __init__(self, nodes: list[Node], keep: set[Node], fetched: list[Value]) -> None:
        self._uses = Counter(value for node in nodes for value in node.inputs)
        self._uses.update(fetched)
        self._keep = keep
        self._index = {node: i for i, node in enumerate(nodes)}
        self._first_use: dict[Value, int] = {}
        for i, node in enumerate(nodes):
            for value in node.inputs:
                if node.type != "Shape":
                    self._first_use.setdefault(value, i)

    def fused(self, node: Node) -> Node | None:
        data, places, number = node.inputs
        unique = places.node
        if unique.type != "Unique" or places is not unique.outputs[1] or self._uses[places] != 1:
            return None
        kept = unique.outputs[0]
        if unique.control or unique in self._keep or unique.guard != node.guard or not self._counts(number, kept):
            return None
        # The different indices are made with the sum, which must come before what asks for them.
        if self._first_use.get(kept, len(self._index)) < self._index[node] or unique.inputs[0].dtype.name == "string":
            return None
        output = node.outputs[0]
        types = [(output.dtype, output.dims), (kept.dtype, kept.dims)]
        return new_node("_SumOfRepeated", node, [data, unique.inputs[0]], types)

    def _counts(self, number: Value, kept: Value) -> bool:
        """Whether `number` is the size of the vector `kept`, asked for by its shape, and nobody else asks for that."""
        part = number.node
        if part.type != "StridedSlice" or part.control or self._uses[number] != 1 or number.dims != ():
            return False
        shape = part.inputs[0]
        begin = part.constant(1)
        if shape.node.type != "Shape" or shape.node.inputs[0] is not kept or self._uses[shape] != 1:
            return False
        return begin is not None and begin.tolist() == [0] and part.attrs["shrink_axis_mask"] == 1
