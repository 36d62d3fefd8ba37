"""Long sums of the rows of one tensor, written as a chain of slices and additions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import torch

from headrace.core.registry import op
from headrace.core.tensor import Tensor
from headrace.plan.fusion import API, Fetches, Fusion, tensor
from headrace.plan.ir import ADDITIONS, Node, Value, new_node

if TYPE_CHECKING:
    from headrace.core.typing import Kernel, NodeView

add_rows = op("_AddRows", "start: T, x: T, *, rows: list(int), T: type -> output: T")


@add_rows.kernel
def add_rows_kernel(node: NodeView) -> Kernel:
    rows = node.attrs["rows"]
    first, count = min(rows), len(rows)
    if sorted(rows) == list(range(first, first + count)):
        dims = node.inputs[1].dims
        if first == 0 and dims is not None and dims[0] == count:
            return lambda start, x: x.sum(0, dtype=x.dtype).add_(start)
        return lambda start, x: x[first : first + count].sum(0, dtype=x.dtype).add_(start)
    picked = torch.tensor(rows, device=node.device)
    return lambda start, x: x.index_select(0, picked).sum(0, dtype=x.dtype).add_(start)


# Of eight rows of 1000 float32 a chain takes 11 microseconds on a core of a virtual machine, the fused op 3 to 5; of four 6
# and 3 to 4, too little to look for them.
_SHORTEST = 8


def fuse_row_sums(nodes: list[Node], keep: set[Node], fetched: list[Value]) -> tuple[list[Node], dict[Value, Value]]:
    """z + x[0] + x[1] + … becomes `_AddRows(z, x)`.

    The rows may come from slices with constant bounds or from one Unpack. Each partial sum must serve the next addition
    only.
    """
    if sum(node.type in ADDITIONS for node in nodes) < _SHORTEST:
        return nodes, {}
    uses: dict[Value, int] = {}
    for node in nodes:
        for value in node.inputs:
            uses[value] = uses.get(value, 0) + 1
    for value in fetched:
        uses[value] = uses.get(value, 0) + 2

    # For each sum that may go on: where the chain began, the tensor, and the rows added so far.
    chains: dict[Value, tuple[Value, Value, list[int]]] = {}
    ended: dict[Value, tuple[Value, Value, list[int]]] = {}
    for node in nodes:
        if node.type not in ADDITIONS or node.control or node.guard or node in keep:
            continue
        for total, part in (node.inputs, reversed(node.inputs)):
            row = _row(part)
            if row is None or total.dims is None or total.dims != part.dims:
                continue
            source, index = row
            chain = chains.get(total)
            if chain is not None and chain[1] is source and uses[total] == 1:
                del chains[total]
                chain[2].append(index)
                chains[node.outputs[0]] = chain
            else:
                chains[node.outputs[0]] = (total, source, [index])
            break
    ended = {value: chain for value, chain in chains.items() if len(chain[2]) >= _SHORTEST}
    if not ended:
        return nodes, {}
    replaced: dict[Value, Value] = {}
    result = []
    for node in nodes:
        chain = ended.get(node.outputs[0]) if node.outputs else None
        if chain is not None:
            start, source, rows = chain
            output = node.outputs[0]
            node = new_node("_AddRows", node, [start, source], [(output.dtype, output.dims)], {"rows": rows})
            replaced[output] = node.outputs[0]
        result.append(node)
    return result, replaced


def _row(value: Value) -> tuple[Value, int] | None:
    """The tensor and index of which `value` is one row, if it is."""
    node = value.node
    if node.control:
        return None
    if node.type == "Unpack" and node.attrs["axis"] == 0:
        return node.inputs[0], value.index
    if node.type != "StridedSlice":
        return None
    attrs = node.attrs
    if attrs["shrink_axis_mask"] != 1 or attrs["ellipsis_mask"] or attrs["new_axis_mask"] or attrs["begin_mask"] & 1:
        return None
    begin, dims = node.constant(1), node.inputs[0].dims
    if begin is None or begin.size != 1 or dims is None or dims[0] is None:
        return None
    index = int(begin[0])
    index += dims[0] if index < 0 else 0
    return (node.inputs[0], index) if 0 <= index < dims[0] else None


fusion = Fusion(
    "add up many rows of one tensor in one call",
    fuse_row_sums,
    [ADDITIONS, {"Unpack", "StridedSlice"}],
    makes=[add_rows],
)


def _added(start: Tensor, rows: Iterable[Tensor]) -> Tensor:
    for row in rows:
        start += row
    return start


@fusion.example(tensor(12, 3), tensor(3))
def unstacked_rows(tf: API, x: Tensor, start: Tensor) -> Fetches:
    return _added(start, tf.unstack(x))


@fusion.example(tensor(20, 3), tensor(3))
def some_slices(tf: API, x: Tensor, start: Tensor) -> Fetches:
    return _added(start, [x[i] for i in range(1, 20, 2)])
