"""The gradient of looking up rows, and summing its rows of equal indices, as optimizers do before they apply it.

A lookup's gradient is its rows one behind the other, `Reshape(gradient, [Size(indices), ...])` beside
`Reshape(indices, [Size(indices)])`; the sum is an `UnsortedSegmentSum` by the places that `Unique` gives.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import torch

from headrace.core.native import applied
from headrace.core.registry import op
from headrace.core.tensor import Tensor
from headrace.kernels.array.arguments import invalid
from headrace.kernels.array.numbering import numbered_by_first
from headrace.kernels.array.reshaping import reshaped
from headrace.kernels.math.segments import combined, in_wider
from headrace.native.direct import directly
from headrace.plan.fusion import API, Fetches, Fusion, tensor, variable
from headrace.plan.ir import Node, Value, new_node

if TYPE_CHECKING:
    from headrace.core.native import Lowering
    from headrace.core.typing import Kernel, NodeView

flat = op("_Flatten", "x: T, *, T: type -> output: T").aliases().never_fails()


@flat.kernel
def flat_kernel(node: NodeView) -> Kernel:
    return lambda x: x.reshape(-1)


rows_for = op("_RowsFor", "x: T, counted: U, *, shape: shape, T: type, U: type -> output: T").aliases()


@rows_for.kernel
def rows_for_kernel(node: NodeView) -> Kernel:
    """`x` as rows of `shape`, one for each element of `counted`."""
    shape = node.attrs["shape"]

    def rows(x: torch.Tensor, counted: torch.Tensor) -> torch.Tensor:
        sizes = (counted.numel(), *shape)
        return x if x.shape == sizes else reshaped(x, sizes)

    return rows


sum_of_repeated = op("_SumOfRepeated", "data: T, indices: I, *, T: type, I: index -> output: T, different: I")
sum_of_repeated.not_differentiable()


@sum_of_repeated.kernel
def sum_of_repeated_kernel(node: NodeView) -> Kernel:
    """The rows of `data` that have the same index summed, and the different indices in the order they come."""
    total = in_wider(node, lambda data, places, count: combined("Sum", data, places, count))

    def summed(data: torch.Tensor, indices: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        if indices.dim() != 1:
            raise invalid("unique expects a 1D vector.")
        if data.shape[:1] != indices.shape:
            raise invalid(
                f"data.shape = {list(data.shape)} does not start with segment_ids.shape = {list(indices.shape)}"
            )
        different, places = numbered_by_first(indices)
        return total(data, places, different.shape[0]), different

    return directly("sum_of_repeated", summed) if node.device.type == "cpu" else summed


def fuse_sparse_gradients(
    nodes: list[Node], keep: set[Node], fetched: list[Value]
) -> tuple[list[Node], dict[Value, Value]]:
    """Such pairs of reshapes become `_RowsFor` and `_Flatten`, such sums `_SumOfRepeated`."""
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
        return new_node("_Flatten", node, [value], [(output.dtype, output.dims)])
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


fusion = Fusion(
    "gather the rows of a lookup's gradient, and sum those of equal indices, in a call each",
    fuse_sparse_gradients,
    [{"Size", "UnsortedSegmentSum"}],
    makes=[flat, rows_for, sum_of_repeated],
)
_ROWS = tensor("words", 2, dtype="int32", low=0, high=4)


@fusion.example(variable(5, 3), _ROWS, makes=["_Flatten", "_RowsFor"])
def gradient_of_a_lookup(tf: API, table: Tensor, rows: Tensor) -> Fetches:
    gradient = tf.gradients(tf.sin(tf.nn.embedding_lookup(table, rows)), table)[0]
    return [gradient.indices, gradient.values]


@fusion.example(variable(5, 3), _ROWS)
def sparse_updates(tf: API, table: Tensor, rows: Tensor) -> Fetches:
    loss = tf.reduce_sum(tf.sin(tf.nn.embedding_lookup(table, rows)))
    return tf.train.AdamOptimizer(0.1).minimize(loss)


# ---- native instructions

flat.native(lambda node: applied("reshape", [-1]))


@rows_for.native
def _rows_for_native(node: NodeView) -> Lowering | None:
    shape, dims = list(node.attrs["shape"]), node.inputs[0].dims
    if dims is None or None in shape or 0 in shape or tuple(dims[-len(shape) :]) != tuple(shape):
        return None
    # One row for each element of what is counted: the product of the rest is their number.
    return (lambda b, inputs: b.apply("reshape", [inputs[0]], [-1, *shape])) if shape else None
