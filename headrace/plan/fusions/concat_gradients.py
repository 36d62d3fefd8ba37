"""The gradient of joining tensors of unknown sizes: shapes, offsets and a slice for each part become one cut."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import torch

from headrace.core.dims import Dims
from headrace.core.registry import op
from headrace.core.tensor import Tensor
from headrace.kernels.array.offsets import offsets_of
from headrace.kernels.array.strides import window_of
from headrace.kernels.native import same_shape
from headrace.plan.fusion import API, Fetches, Fusion, tensor
from headrace.plan.ir import Node, Value, new_node

if TYPE_CHECKING:
    from headrace.core.native import Lowering, NativeBuilder
    from headrace.core.typing import Kernel, NodeView

split_like = op(
    "_SplitLike",
    "joined: T, likes: N * U, *, axis: int, shapes: list(shape), M: int >= 1, N: int >= 1, T: type, U: type -> parts: M * T",
)
split_like.aliases().never_fails().not_differentiable()


@split_like.kernel
def split_like_kernel(node: NodeView) -> Kernel:
    """What Slice takes of a tensor, one part after the other; the shapes are those of `likes` where none is given."""
    axis, shapes = node.attrs["axis"], [None if dims is None else torch.Size(dims) for dims in node.attrs["shapes"]]
    given_dims = iter([value.dims for value in node.inputs[1:]])
    dims = [next(given_dims) if shape is None else shape for shape in shapes]
    known = [shape[axis] for shape in dims if shape is not None and shape[axis] is not None]
    sizes = known if len(known) == len(dims) else None

    def checked(joined: torch.Tensor, likes: Sequence[torch.Tensor]) -> Sequence[torch.Tensor]:
        given = iter(likes)
        part_shapes = [next(given).shape if shape is None else shape for shape in shapes]
        begins = offsets_of(axis, *[torch.tensor(shape) for shape in part_shapes])
        return [joined[window_of(joined.shape, b.tolist(), list(s))] for b, s in zip(begins, part_shapes, strict=True)]

    if sizes is not None and shapes == [None, None]:
        total = sum(sizes)

        def two(joined: torch.Tensor, like: torch.Tensor, other: torch.Tensor) -> Sequence[torch.Tensor]:
            if joined.ndim > axis and joined.shape[axis] == total:
                parts: Sequence[torch.Tensor] = joined.split(sizes, axis)
                if parts[0].shape == like.shape and parts[1].shape == other.shape:
                    return parts
            return checked(joined, (like, other))

        return two

    # Tensors that were joined fit, but these ops may be applied to any.
    def split(joined: torch.Tensor, *likes: torch.Tensor) -> Sequence[torch.Tensor]:
        given = iter(likes)
        part_shapes = [next(given).shape if shape is None else shape for shape in shapes]
        lengths = [shape[axis] for shape in part_shapes] if sizes is None else sizes
        if joined.ndim > axis and joined.shape[axis] == sum(lengths):
            parts: Sequence[torch.Tensor] = joined.split(lengths, axis)
            if [part.shape for part in parts] == part_shapes:
                return parts
        return checked(joined, likes)

    return split


@split_like.native
def _split_like_native(node: NodeView) -> Lowering | None:
    axis, shapes, joined = node.attrs["axis"], node.attrs["shapes"], node.inputs[0].dims
    if joined is None or not 0 <= axis < len(joined):
        return None
    rank = len(joined)

    def lower(b: NativeBuilder, inputs: Sequence[int]) -> Sequence[int]:
        given, nothing = iter(inputs[1:]), b.constant(False)
        likes = [next(given) if dims is None else b.apply("fill", [nothing], dims)[0] for dims in shapes]
        rest, parts = inputs[0], []
        for like in likes:
            size = [-1] * axis + [b.dim(like, axis)] + [-1] * (rank - axis - 1)
            (part,) = b.apply("slice", [rest], [*[0] * rank, *size, *[1] * rank])
            same_shape(b, part, like)
            begin = [0] * axis + [b.dim(like, axis)] + [0] * (rank - axis - 1)
            (rest,) = b.apply("slice", [rest], [*begin, *[-1] * rank, *[1] * rank])
            parts.append(part)
        return parts

    return lower


_Group = tuple[Node, Value, Value]


def fuse_concat_gradients(
    nodes: list[Node], keep: set[Node], fetched: list[Value]
) -> tuple[list[Node], dict[Value, Value]]:
    """Slice(g, ConcatOffset(axis, shapes)[i], shapes[i]) for all i becomes `_SplitLike(g, x…)`, where shapes are those of x.

    With an unknown batch size this is what the gradient of every concatenation is made of.
    """
    groups: dict[_Group, list[Node]] = {}
    for node in nodes:
        if node.type == "Slice" and node not in keep:
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
        # What one slice waits for, as the gradient of a part does where gradients are gated, its cut can wait for.
        if len(slices) > 1 and any(node.control for node in slices):
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
    return new_node("_SplitLike", first, [joined, *likes], types, {"axis": int(axis), "shapes": shapes})


fusion = Fusion(
    "cut the gradient of joined tensors of unknown sizes in one call",
    fuse_concat_gradients,
    [{"ConcatOffset"}],
    makes=[split_like],
)


@fusion.example(tensor("first", 3), tensor("second", 3))
def two_tensors(tf: API, x: Tensor, y: Tensor) -> Fetches:
    return tf.gradients(tf.sin(tf.concat([x, y], 0)), [x, y])


@fusion.example(tensor("rows", 2), tensor("rows", 3), tensor("rows", "columns"))
def three_along_the_columns(tf: API, x: Tensor, y: Tensor, z: Tensor) -> Fetches:
    return tf.gradients(tf.sin(tf.concat([x, y, z], 1)), [x, y, z])
