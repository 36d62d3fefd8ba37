"""Shapes that are asked of one tensor to make another of: filling, reshaping and spreading like a tensor that is there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import torch

from headrace.core.native import NativeBuilder, applied
from headrace.core.registry import op
from headrace.core.tensor import Tensor
from headrace.kernels.array.reshaping import reshaped
from headrace.plan.fusion import API, Fetches, Fusion, tensor
from headrace.plan.ir import Node, Value, new_node

if TYPE_CHECKING:
    from headrace.core.native import Lowering
    from headrace.core.typing import Kernel, NodeView

reshape_like = op("_ReshapeLike", "x: T, like: U, *, T: type, U: type -> output: T").aliases().views().never_fails()
reshape_like.native(lambda node: applied("reshape_like"))


@reshape_like.kernel
def reshape_like_kernel(node: NodeView) -> Kernel:
    return lambda x, like: reshaped(x, tuple(like.shape))


fill_like = op("_FillLike", "value: T, like: U, *, T: type, U: type -> output: T").never_fails()


@fill_like.kernel
def fill_like_kernel(node: NodeView) -> Kernel:
    dtype, device, empty = node.outputs[0].dtype.torch, node.device, torch.empty
    return lambda value, like: empty(like.shape, dtype=dtype, device=device).fill_(value)


@fill_like.native
def _fill_like_native(node: NodeView) -> Lowering:
    def lower(b: NativeBuilder, inputs: Sequence[int]) -> Sequence[int]:
        (filled,) = b.apply("broadcast_like", [inputs[0], inputs[1]])
        return b.apply("copy", [filled])

    return lower


keep_dims = op("_KeepDims", "x: T, *, axes: list(int), rank: int, T: type -> output: T").aliases().views().never_fails()


@keep_dims.kernel
def keep_dims_kernel(node: NodeView) -> Kernel:
    """What was reduced along axes, with axes of size 1 in their places."""
    axes = node.attrs["axes"]
    index = tuple(None if axis in axes else slice(None) for axis in range(node.attrs["rank"]))
    return lambda x: x[index]


@keep_dims.native
def _keep_dims_native(node: NodeView) -> Lowering:
    axes = sorted(node.attrs["axes"])

    def lower(b: NativeBuilder, inputs: Sequence[int]) -> Sequence[int]:
        made: Sequence[int] = [inputs[0]]
        for axis in axes:
            made = b.apply("expand_dims", made, [axis])
        return made

    return lower


_TEXTS = frozenset({"string", "resource", "variant"})


def fuse_shapes_of_others(
    nodes: list[Node], keep: set[Node], fetched: list[Value]
) -> tuple[list[Node], dict[Value, Value]]:
    """Reshape(x, Shape(y)) becomes `_ReshapeLike(x, y)`, Fill(Shape(y), v) `_FillLike(v, y)`.

    In the gradient of a reduction of x along axes, Reshape(g, s) becomes `_KeepDims(g)` and Tile(v, Shape(x) // max(s, 1))
    `_ExpandLike(v, x)`, where s is the shape of x with sizes of 1 at the axes.
    """
    replaced: dict[Value, Value] = {}
    result = []
    for node in nodes:
        rule = _RULES.get(node.type)
        if rule is not None and node not in keep and not node.control and node.outputs[0].dtype.name not in _TEXTS:
            node.inputs = [replaced.get(value, value) for value in node.inputs]
            fused = rule(node)
            if fused is not None:
                replaced[node.outputs[0]] = fused.outputs[0]
                node = fused
        result.append(node)
    return result, replaced


def _shaped(shape: Value) -> Value | None:
    """The tensor whose shape `shape` is."""
    node = shape.node
    if node.type != "Shape" or shape.constant is not None or node.control or node.inputs[0].dtype.name in _TEXTS:
        return None
    return node.inputs[0]


def _reshaped(node: Node) -> Node | None:
    value, shape = node.inputs
    output = node.outputs[0]
    like = _shaped(shape)
    if like is not None:
        return new_node("_ReshapeLike", node, [value, like], [(output.dtype, output.dims)])
    reduced = _reduced(shape)
    if reduced is None or value.dims is None:
        return None
    source, axes = reduced
    assert source.dims is not None
    if len(value.dims) != len(source.dims) - len(axes):
        return None
    attrs = {"axes": axes, "rank": len(source.dims)}
    dims = tuple(1 if axis in axes else size for axis, size in enumerate(source.dims))
    return new_node("_KeepDims", node, [value], [(output.dtype, dims)], attrs)


def _filled(node: Node) -> Node | None:
    like, value, output = _shaped(node.inputs[0]), node.inputs[1], node.outputs[0]
    if like is None or value.dims != ():
        return None
    return new_node("_FillLike", node, [value, like], [(output.dtype, like.dims)])


def _tiled(node: Node) -> Node | None:
    value, repeats = node.inputs
    division = repeats.node
    if division.type != "FloorDiv" or division.control or repeats.constant is not None:
        return None
    shape, least = division.inputs
    source = _shaped(shape)
    if source is None or least.node.type != "Maximum" or least.node.control or source.dims is None:
        return None
    kept, one = least.node.inputs
    reduced = _reduced(kept)
    if reduced is None or reduced[0] is not source or one.constant is None or not (one.constant == 1).all():
        return None
    if value.dims is None or len(value.dims) != len(source.dims):
        return None
    # What is repeated has the sizes of the source, but for those that were reduced to 1.
    if value.node.type != "_KeepDims" or value.node.attrs["axes"] != reduced[1]:
        return None
    return new_node("_ExpandLike", node, [value, source], [(node.outputs[0].dtype, source.dims)])


def _reduced(shape: Value) -> tuple[Value, list[int]] | None:
    """The tensor and the axes for which `shape` is the shape of the tensor with sizes of 1 at the axes."""
    node = shape.node
    if node.type != "DynamicStitch" or node.control or len(node.inputs) != 4:
        return None
    places, axes, sizes, ones = node.inputs
    source = _shaped(sizes)
    if source is None or source.dims is None or places.constant is None or axes.constant is None:
        return None
    if ones.constant is None or not (ones.constant == 1).all():
        return None
    if not np.array_equal(places.constant.ravel(), np.arange(len(source.dims))):
        return None
    found = sorted({int(axis) for axis in axes.constant.ravel()})
    return (source, found) if all(0 <= axis < len(source.dims) for axis in found) else None


_RULES = {"Reshape": _reshaped, "Fill": _filled, "Tile": _tiled}

fusion = Fusion(
    "fill, reshape and spread like a tensor that is there, without asking for its shape",
    fuse_shapes_of_others,
    [{"Reshape", "Fill", "Tile"}, {"Shape"}],
    makes=[reshape_like, fill_like, keep_dims],
)


@fusion.example(tensor("rows", "columns"), tensor("columns", "rows"), makes=["_ReshapeLike", "_FillLike"])
def as_another(tf: API, x: Tensor, y: Tensor) -> Fetches:
    return [tf.reshape(x, tf.shape(y)) * y, tf.fill(tf.shape(x), tf.reduce_max(y))]


@fusion.example(tensor("rows", 3), makes=["_KeepDims"])
def gradient_of_a_sum(tf: API, x: Tensor) -> Fetches:
    return tf.gradients(tf.square(tf.reduce_sum(tf.sin(x), 1)), x)


@fusion.example(tensor("rows", 3), makes=["_KeepDims"])
def gradient_of_a_maximum(tf: API, x: Tensor) -> Fetches:
    return tf.gradients(tf.square(tf.reduce_max(tf.sin(x), 1)), x)
