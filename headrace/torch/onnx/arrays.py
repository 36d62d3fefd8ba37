"""Ops that move, cut, join and look up what tensors hold."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from headrace.core.operation import Operation
from headrace.core.tensor import Tensor
from headrace.torch.onnx.builder import Builder, rule, unsupported

# More than any dimension has: "to the end" in ONNX's Slice.
_END = np.iinfo(np.int64).max


def rank(op: Operation, tensor: Tensor) -> int:
    """The rank of a tensor, which has to be known."""
    if tensor.dims is None:
        raise unsupported(op, f"the rank of {tensor.name} is not known")
    return len(tensor.dims)


@rule("Reshape")
def _reshape(op: Operation, b: Builder) -> str:
    # A size of 0 is 0, as in TensorFlow; without the flag it would mean "as it was".
    return b.emit("Reshape", b.input(op, 0), b.to_int64(op.inputs[1]), allowzero=1)


@rule("Squeeze")
def _squeeze(op: Operation, b: Builder) -> str:
    axes = op.get_attr("squeeze_dims")
    if not axes:
        dims = op.inputs[0].dims
        if dims is None or None in dims:
            raise unsupported(op, "which dimensions are 1 is not known")
        axes = [i for i, size in enumerate(dims) if size == 1]
    return b.emit("Squeeze", b.input(op, 0), b.ints(*axes))


@rule("ExpandDims")
def _expand_dims(op: Operation, b: Builder) -> str:
    return b.emit("Unsqueeze", b.input(op, 0), b.ints(int(b.need(op, 1))))


@rule("Transpose")
def _transpose(op: Operation, b: Builder) -> str:
    return b.emit("Transpose", b.input(op, 0), perm=[int(axis) for axis in b.need(op, 1)])


@rule("ConcatV2", "Concat")
def _concat(op: Operation, b: Builder) -> str:
    names, last = b.inputs(op) if op.type == "Concat" else [b.name(t) for t in op.inputs[:-1]], len(op.inputs) - 1
    if op.type == "Concat":
        return b.emit("Concat", *names[1:], axis=int(b.need(op, 0)))
    return b.emit("Concat", *names, axis=int(b.need(op, last)))


@rule("Pack")
def _pack(op: Operation, b: Builder) -> str:
    axis = int(op.get_attr("axis"))
    return b.emit("Concat", *[b.emit("Unsqueeze", name, b.ints(axis)) for name in b.inputs(op)], axis=axis)


@rule("IdentityN")
def _identity_n(op: Operation, b: Builder) -> list[str]:
    return [b.emit("Identity", b.input(op, i)) for i in range(len(op.inputs))]


@rule("Unpack")
def _unpack(op: Operation, b: Builder) -> list[str]:
    axis, count = int(op.get_attr("axis")), len(op.outputs)
    x = b.input(op, 0)
    return [b.emit("Gather", x, b.constant(np.array(i, np.int64)), axis=axis) for i in range(count)]


@rule("Split")
def _split(op: Operation, b: Builder) -> list[str]:
    count = len(op.outputs)
    return b.emit_many("Split", [b.input(op, 1)], count, axis=int(b.need(op, 0)), num_outputs=count)


@rule("SplitV")
def _split_v(op: Operation, b: Builder) -> list[str]:
    sizes, axis = b.need(op, 1).astype(np.int64), int(b.need(op, 2))
    if -1 in sizes:
        dims = op.inputs[0].dims
        if dims is None or dims[axis] is None:
            raise unsupported(op, "the size that is to be split is not known")
        sizes[sizes == -1] = dims[axis] - sizes.sum() - 1
    return b.emit_many("Split", [b.input(op, 0), b.ints(*sizes)], len(op.outputs), axis=axis)


@rule("Slice")
def _slice(op: Operation, b: Builder) -> str:
    axes = b.ints(*range(rank(op, op.inputs[0])))
    begin, size = b.to_int64(op.inputs[1]), b.value(op.inputs[2])
    if size is None:
        ends = b.emit("Add", begin, b.to_int64(op.inputs[2]))
    elif b.value(op.inputs[1]) is not None:
        starts = b.need(op, 1)
        ends = b.ints(*[_END if n < 0 else int(s) + int(n) for s, n in zip(starts, size)])
    elif min(size, default=0) < 0:
        raise unsupported(op, "what begins at computed places and goes to the end")
    else:
        ends = b.emit("Add", begin, b.ints(*size))
    return b.emit("Slice", b.input(op, 0), begin, ends, axes)


@rule("StridedSlice")
def _strided_slice(op: Operation, b: Builder) -> str:
    masks = {name: int(op.get_attr(f"{name}_mask")) for name in ("begin", "end", "ellipsis", "new_axis", "shrink_axis")}
    begins, ends, strides = (b.value(op.inputs[i]) for i in (1, 2, 3))
    count = next((len(v) for v in (begins, ends, strides) if v is not None), None)
    if count is None or strides is None:
        raise unsupported(op, "the strides depend on the model's inputs")
    has = {name: [bool(mask >> i & 1) for i in range(count)] for name, mask in masks.items()}
    real = sum(not new and not dots for new, dots in zip(has["new_axis"], has["ellipsis"]))
    axis = 0
    cut: list[tuple[int, int]] = []  # (axis of the input, index into the specification)
    new_axes: list[int] = []
    removed: list[int] = []
    place = 0  # in the result, with the dimensions that an index removes still there
    for i in range(count):
        if has["ellipsis"][i]:
            skipped = rank(op, op.inputs[0]) - real
            axis, place = axis + skipped, place + skipped
        elif has["new_axis"][i]:
            new_axes.append(place)
            place += 1
        else:
            cut.append((axis, i))
            if has["shrink_axis"][i]:
                removed.append(place)
            axis, place = axis + 1, place + 1
    x = b.input(op, 0)
    if cut:
        starts, stops = _bounds(op, b, has, [i for _, i in cut])
        x = b.emit("Slice", x, starts, stops, b.ints(*[a for a, _ in cut]), b.ints(*[int(strides[i]) for _, i in cut]))
    if new_axes:
        x = b.emit("Unsqueeze", x, b.ints(*new_axes))
    return b.emit("Squeeze", x, b.ints(*removed)) if removed else b.emit("Identity", x)


def _bounds(op: Operation, b: Builder, has: dict[str, list[bool]], specs: Sequence[int]) -> tuple[str, str]:
    """Where the slices begin and end, as vectors."""
    begins, ends, strides = b.value(op.inputs[1]), b.value(op.inputs[2]), b.need(op, 3)
    if begins is not None and (ends is not None or all(has["end"][i] or has["shrink_axis"][i] for i in specs)):
        first: list[int] = []
        end: list[int] = []
        for i in specs:
            back = strides[i] < 0
            start = (_END if back else 0) if has["begin"][i] and not has["shrink_axis"][i] else int(begins[i])
            first.append(start)
            if has["shrink_axis"][i]:
                # The last element is index -1, whose end would be 0.
                end.append(_END if start == -1 else start + 1)
            elif has["end"][i] or ends is None:
                end.append(-_END if back else _END)
            else:
                end.append(int(ends[i]))
        return b.ints(*first), b.ints(*end)
    if any(strides[i] < 0 for i in specs) or (any(has["shrink_axis"][i] for i in specs) and begins is None):
        raise unsupported(op, "where it begins depends on the model's inputs")
    chosen = b.ints(*specs)
    starts = b.emit("Gather", b.to_int64(op.inputs[1]), chosen)
    stops = b.emit("Gather", b.to_int64(op.inputs[2]), chosen)
    open_start = b.constant(np.array([has["begin"][i] for i in specs]))
    open_stop = b.constant(np.array([has["end"][i] for i in specs]))
    starts = b.emit("Where", open_start, b.ints(0), starts)
    stops = b.emit("Where", open_stop, b.ints(_END), stops)
    if any(has["shrink_axis"][i] for i in specs):
        last = [_END if begins[i] == -1 else int(begins[i]) + 1 for i in specs]  # type: ignore[index]  # begins are known where an axis is shrunk
        stops = b.emit("Where", b.constant(np.array([has["shrink_axis"][i] for i in specs])), b.ints(*last), stops)
    return starts, stops


@rule("Gather", "GatherV2", "ResourceGather")
def _gather(op: Operation, b: Builder) -> str:
    axis = int(b.need(op, 2)) if op.type == "GatherV2" else 0
    if op.type == "GatherV2" and int(op.get_attr("batch_dims")):
        raise unsupported(op, "batch_dims")
    return b.emit("Gather", b.input(op, 0), b.input(op, 1), axis=axis)


@rule("GatherNd")
def _gather_nd(op: Operation, b: Builder) -> str:
    return b.emit("GatherND", b.input(op, 0), b.to_int64(op.inputs[1]))


@rule("Shape")
def _shape(op: Operation, b: Builder) -> str:
    return b.from_int64(b.emit("Shape", b.input(op, 0)), op.outputs[0].dtype)


@rule("ShapeN")
def _shape_n(op: Operation, b: Builder) -> list[str]:
    return [b.from_int64(b.emit("Shape", name), out.dtype) for name, out in zip(b.inputs(op), op.outputs)]


@rule("Size")
def _size(op: Operation, b: Builder) -> str:
    return b.from_int64(b.emit("Size", b.input(op, 0)), op.outputs[0].dtype)


@rule("Rank")
def _rank(op: Operation, b: Builder) -> str:
    return b.constant(np.array(rank(op, op.inputs[0]), np.int32))


@rule("Fill")
def _fill(op: Operation, b: Builder) -> str:
    return b.emit("Expand", b.input(op, 1), b.to_int64(op.inputs[0]))


@rule("BroadcastTo")
def _broadcast_to(op: Operation, b: Builder) -> str:
    return b.emit("Expand", b.input(op, 0), b.to_int64(op.inputs[1]))


@rule("ZerosLike", "OnesLike")
def _filled_like(op: Operation, b: Builder) -> str:
    value = b.like(op.inputs[0], op.type == "OnesLike")
    return b.emit("Expand", value, b.emit("Shape", b.input(op, 0)))


@rule("Tile")
def _tile(op: Operation, b: Builder) -> str:
    return b.emit("Tile", b.input(op, 0), b.to_int64(op.inputs[1]))


@rule("Pad", "PadV2", "MirrorPad")
def _pad(op: Operation, b: Builder) -> str:
    sizes = b.to_int64(op.inputs[1])
    if b.value(op.inputs[1]) is not None:
        pads = b.ints(*b.need(op, 1).T.ravel())
    else:
        pads = b.emit("Reshape", b.emit("Transpose", sizes, perm=[1, 0]), b.ints(-1))
    if op.type == "MirrorPad":
        if op.get_attr("mode") in (b"SYMMETRIC", "SYMMETRIC"):
            raise unsupported(op, "mode SYMMETRIC has no counterpart; REFLECT has")
        return b.emit("Pad", b.input(op, 0), pads, mode="reflect")
    value = [b.input(op, 2)] if op.type == "PadV2" else [b.like(op.inputs[0], 0)]
    return b.emit("Pad", b.input(op, 0), pads, *value)


@rule("Range")
def _range(op: Operation, b: Builder) -> str:
    return b.emit("Range", *b.inputs(op))


@rule("OneHot")
def _one_hot(op: Operation, b: Builder) -> str:
    indices, depth, on, off = b.inputs(op)
    values = b.emit("Concat", *[b.emit("Unsqueeze", value, b.ints(0)) for value in (off, on)], axis=0)
    hot = b.emit("OneHot", indices, depth, values, axis=int(op.get_attr("axis")))
    # ONNX counts negative indices from the end; TensorFlow gives rows without a one.
    axis, dims = int(op.get_attr("axis")), op.inputs[0].dims
    valid = b.emit("GreaterOrEqual", indices, b.like(op.inputs[0], 0))
    valid = b.emit("Unsqueeze", valid, b.ints(axis if axis >= 0 or dims is None else len(dims)))
    return b.emit("Where", valid, hot, off)


@rule("TopKV2", "TopK")
def _top_k(op: Operation, b: Builder) -> list[str]:
    if op.type == "TopK":
        count = b.ints(int(op.get_attr("k")))
    else:
        count = b.emit("Reshape", b.to_int64(op.inputs[1]), b.ints(1))
    values, indices = b.emit_many("TopK", [b.input(op, 0), count], 2, axis=-1, largest=1, sorted=1)
    return [values, b.from_int64(indices, op.outputs[1].dtype)]


@rule("ReverseV2")
def _reverse(op: Operation, b: Builder) -> str:
    axes = [int(axis) for axis in b.need(op, 1).ravel()]
    if not axes:
        return b.emit("Identity", b.input(op, 0))
    lows = b.ints(*[-_END] * len(axes))
    return b.emit("Slice", b.input(op, 0), b.ints(*[-1] * len(axes)), lows, b.ints(*axes), b.ints(*[-1] * len(axes)))


@rule("ReverseSequence")
def _reverse_sequence(op: Operation, b: Builder) -> str:
    time, batch = int(op.get_attr("seq_dim")), int(op.get_attr("batch_dim"))
    if sorted((time, batch)) != [0, 1]:
        raise unsupported(op, "batch and time have to be the first two dimensions")
    return b.emit("ReverseSequence", b.input(op, 0), b.to_int64(op.inputs[1]), time_axis=time, batch_axis=batch)


@rule("Where")
def _where(op: Operation, b: Builder) -> str:
    return b.emit("Transpose", b.emit("NonZero", b.input(op, 0)), perm=[1, 0])


def _rows(op: Operation, b: Builder, tensor: Tensor, lead: int) -> tuple[str, str]:
    """A tensor with its first dimensions made one, and the shape of what follows them."""
    x = b.name(tensor)
    rest = b.emit("Shape", x, start=lead)
    return (x if lead == 1 else b.emit("Reshape", x, b.emit("Concat", b.ints(-1), rest, axis=0))), rest


@rule("DynamicPartition")
def _dynamic_partition(op: Operation, b: Builder) -> list[str]:
    rows, _ = _rows(op, b, op.inputs[0], rank(op, op.inputs[1]))
    numbers = b.emit("Reshape", b.input(op, 1), b.ints(-1))
    masks = [b.emit("Equal", numbers, b.like(op.inputs[1], i)) for i in range(len(op.outputs))]
    return [b.emit("Compress", rows, mask, axis=0) for mask in masks]


@rule("DynamicStitch", "ParallelDynamicStitch")
def _dynamic_stitch(op: Operation, b: Builder) -> str:
    count = len(op.inputs) // 2
    where, rows = [], []
    for indices, data in zip(op.inputs[:count], op.inputs[count:]):
        where.append(b.emit("Reshape", b.to_int64(indices), b.ints(-1)))
        made, rest = _rows(op, b, data, rank(op, indices))
        # A single row for a single index.
        rows.append(made if rank(op, indices) else b.emit("Reshape", made, b.emit("Concat", b.ints(1), rest, axis=0)))
    places = b.emit("Concat", *where, axis=0)
    size = b.emit("Add", b.emit("ReduceMax", places, b.ints(0), keepdims=1), b.ints(1))
    empty = b.emit("Expand", b.like(op.inputs[count], 0), b.emit("Concat", size, rest, axis=0))
    return b.emit("ScatterND", empty, b.emit("Unsqueeze", places, b.ints(1)), b.emit("Concat", *rows, axis=0))


@rule("SpaceToDepth", "DepthToSpace")
def _space_and_depth(op: Operation, b: Builder) -> str:
    if op.get_attr("data_format") not in (b"NHWC", "NHWC"):
        raise unsupported(op, f"data_format {op.get_attr('data_format')!r}")
    block, dims = int(op.get_attr("block_size")), op.inputs[0].dims
    x = b.transpose(b.input(op, 0), (0, 3, 1, 2))
    if op.type == "DepthToSpace":
        return b.transpose(b.emit("DepthToSpace", x, blocksize=block, mode="DCR"), (0, 2, 3, 1))
    if dims is None or dims[3] is None:
        raise unsupported(op, "the number of channels is not known")
    # Both put the block's place before the channel, as TensorFlow does.
    return b.transpose(b.emit("SpaceToDepth", x, blocksize=block), (0, 2, 3, 1))


@rule("SpaceToBatchND", "BatchToSpaceND")
def _space_and_batch(op: Operation, b: Builder) -> str:
    block, margins, dims = b.need(op, 1).ravel().tolist(), b.need(op, 2), op.inputs[0].dims
    if dims is None or len(block) != len(dims) - 2:
        raise unsupported(op, "blocks of all dimensions but the first and the last are what can be written")
    n, x = len(block), b.input(op, 0)
    shape = b.emit("Shape", x)

    def size(i: int) -> str:
        return b.emit("Gather", shape, b.ints(i))

    def reshape(value: str, sizes: list[str]) -> str:
        return b.emit("Reshape", value, b.emit("Concat", *sizes, axis=0))

    count = b.ints(int(np.prod(block)))
    if op.type == "SpaceToBatchND":
        pads = [0, *margins[:, 0].tolist(), 0, 0, *margins[:, 1].tolist(), 0]
        x = b.emit("Pad", x, b.ints(*pads), b.like(op.inputs[0], 0))
        shape = b.emit("Shape", x)
        smaller = [b.emit("Div", size(i + 1), b.ints(block[i])) for i in range(n)]
        split = [part for i in range(n) for part in (smaller[i], b.ints(block[i]))]
        x = reshape(x, [size(0), *split, size(n + 1)])
        order = [2 * i + 2 for i in range(n)] + [0] + [2 * i + 1 for i in range(n)] + [2 * n + 1]
        return reshape(b.transpose(x, order), [b.emit("Mul", size(0), count), *smaller, size(n + 1)])
    batch = b.emit("Div", size(0), count)
    x = reshape(x, [*[b.ints(k) for k in block], batch, *[size(i + 1) for i in range(n)], size(n + 1)])
    order = [n] + [axis for i in range(n) for axis in (n + 1 + i, i)] + [2 * n + 1]
    larger = [b.emit("Mul", size(i + 1), b.ints(block[i])) for i in range(n)]
    x = reshape(b.transpose(x, order), [batch, *larger, size(n + 1)])
    ends = [_END if end == 0 else -int(end) for end in margins[:, 1]]
    return b.emit("Slice", x, b.ints(*margins[:, 0]), b.ints(*ends), b.ints(*range(1, n + 1)))
