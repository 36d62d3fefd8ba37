"""The gradients of slices that together make up a tensor: put side by side instead of padded with zeros and added up."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from headrace.core.tensor import Tensor
from headrace.plan.fusion import API, Fetches, Fusion, tensor
from headrace.plan.ir import Node, Value, joined_control, new_node


class _Part(NamedTuple):
    """Where one slice lies: from `begin` to `end` of `axis`, and all of the other axes."""

    axis: int
    begin: int
    end: int
    values: Value


def fuse_slice_gradients(
    nodes: list[Node], keep: set[Node], fetched: list[Value]
) -> tuple[list[Node], dict[Value, Value]]:
    """AddN of Pad(a), Pad(b)… or of StridedSliceGrad(a)… becomes `_Concat(a, b…)` where they leave no gap and do not overlap."""
    replaced: dict[Value, Value] = {}
    result = []
    for node in nodes:
        joined = _joined(node) if node.type == "AddN" and node not in keep else None
        if joined is not None:
            replaced[node.outputs[0]] = joined.outputs[0]
            node = joined
        result.append(node)
    return (result, replaced) if replaced else (nodes, {})


def _joined(total: Node) -> Node | None:
    dims = total.outputs[0].dims
    if dims is None:
        return None
    parts = []
    for value in total.inputs:
        part = _padded(value, dims) if value.node.type == "Pad" else _spread(value, dims)
        if part is None:
            return None
        parts.append(part)
    axis = parts[0].axis
    size = dims[axis]
    parts.sort(key=lambda part: part.begin)
    ends = [0, *(part.end for part in parts)]
    if any(part.axis != axis for part in parts) or [part.begin for part in parts] != ends[:-1] or ends[-1] != size:
        return None
    output = total.outputs[0]
    values = [part.values for part in parts]
    joined = new_node("_Concat", total, values, [(output.dtype, output.dims)], {"N": len(values), "axis": axis})
    joined.control = joined_control(joined, *(value.node for value in total.inputs))
    return joined


def _padded(value: Value, dims: tuple[int | None, ...]) -> _Part | None:
    paddings = value.node.inputs[1].constant
    if paddings is None or paddings.shape != (len(dims), 2):
        return None
    axes = np.flatnonzero(paddings.any(1))
    if len(axes) != 1:
        return None
    axis = int(axes[0])
    size = dims[axis]
    if size is None:
        return None
    before, after = (int(count) for count in paddings[axis])
    return _Part(axis, before, size - after, value.node.inputs[0])


def _spread(value: Value, dims: tuple[int | None, ...]) -> _Part | None:
    """The slice that a StridedSliceGrad spreads, if it goes by single steps along one axis."""
    node = value.node
    if node.type != "StridedSliceGrad":
        return None
    _, begin, end, strides = (given.constant for given in node.inputs[:4])
    if begin is None or end is None or strides is None or (strides != 1).any() or len(begin) > len(dims):
        return None
    if any(node.attrs[mask] for mask in ("ellipsis_mask", "new_axis_mask", "shrink_axis_mask")):
        return None
    found = None
    for axis, (first, last) in enumerate(zip(begin.tolist(), end.tolist(), strict=True)):
        from_first, to_last = node.attrs["begin_mask"] >> axis & 1, node.attrs["end_mask"] >> axis & 1
        if from_first and to_last:
            continue
        size = dims[axis]
        if size is None:
            return None
        first, last, _ = slice(None if from_first else first, None if to_last else last).indices(size)
        if (first, last) == (0, size):
            continue
        if found is not None or last <= first:
            return None
        found = _Part(axis, first, last, node.inputs[4])
    return found


fusion = Fusion(
    "put the gradients of the slices of a tensor side by side instead of padding and adding them",
    fuse_slice_gradients,
    [{"AddN"}, {"Pad", "StridedSliceGrad"}],
)


@fusion.example(tensor(3, 6))
def slices_of_columns(tf: API, x: Tensor) -> Fetches:
    return tf.gradients(tf.sin(tf.slice(x, [0, 0], [3, 2])) * tf.cos(tf.slice(x, [0, 2], [3, 4]))[:, 1:3], x)


@fusion.example(tensor("rows", 6))
def strided_slices(tf: API, x: Tensor) -> Fetches:
    return tf.gradients(tf.sin(x[:, :3]) * x[:, 3:], x)
