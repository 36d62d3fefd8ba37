"""TensorArrays: those filled at once are tensors; those written one by one are sequences, in the order of the writes."""

from __future__ import annotations

import numpy as np

from headrace.core.dtypes import as_dtype
from headrace.core.operation import Operation
from headrace.core.tensor import Tensor
from headrace.torch.onnx.builder import Builder, element_type, rule, unsupported


def _array(op: Operation) -> Operation:
    """The op that made the array."""
    tensor: Tensor = op.inputs[0]
    while tensor.op.type in ("Enter", "Identity", "Switch"):
        tensor = tensor.op.inputs[0]
    if tensor.op.type != "TensorArrayV3":
        raise unsupported(op, "its array is not known")
    return tensor.op


@rule("TensorArrayV3")
def _make(op: Operation, b: Builder) -> list[str]:
    dtype = as_dtype(op.get_attr("dtype"))
    name = b.emit("SequenceEmpty", dtype=element_type(dtype))
    b.sequences[name] = dtype
    # The handle is nothing in ONNX: the flow carries the values.
    return [name, name]


def _size_of(op: Operation, b: Builder) -> str:
    """The size of an op's array, int64: what it was made with, or how many were written where that is more."""
    made_with = _array(op).inputs[0]
    if b.value(made_with) is None and b.scope.find(made_with) is None:
        raise unsupported(op, "the size is computed in a loop")
    size, flow = b.to_int64(made_with), b.name(op.inputs[-1])
    return b.emit("Max", size, b.emit("SequenceLength", flow)) if flow in b.sequences else size


@rule("TensorArraySizeV3")
def _size(op: Operation, b: Builder) -> str:
    return b.from_int64(_size_of(op, b), op.outputs[0].dtype)


@rule("TensorArrayWriteV3")
def _write(op: Operation, b: Builder) -> str:
    _, index, value, flow = b.inputs(op)
    if flow not in b.sequences:
        raise unsupported(op, "the array was filled at once before")
    name = b.emit("SequenceInsert", flow, value, index)
    b.sequences[name] = b.sequences[flow]
    return name


def _is_range(b: Builder, tensor: Tensor, whole: bool = False) -> bool:
    """Whether indices are 0, 1, 2, …, and where asked so, go to the end of an array."""
    value = b.value(tensor)
    if value is not None:
        return not whole and np.array_equal(value, np.arange(len(value)))
    op = tensor.op
    if op.type != "Range" or (whole and op.inputs[1].op.type != "TensorArraySizeV3"):
        return False
    start, delta = b.value(op.inputs[0]), b.value(op.inputs[2])
    return start is not None and delta is not None and int(start) == 0 and int(delta) == 1


@rule("TensorArrayScatterV3")
def _scatter(op: Operation, b: Builder) -> str:
    if not _is_range(b, op.inputs[1]):
        raise unsupported(op, "the array is filled in another order than from its beginning")
    return b.emit("Identity", b.input(op, 2))


@rule("TensorArrayReadV3")
def _read(op: Operation, b: Builder) -> str:
    _, index, flow = b.inputs(op)
    if flow in b.sequences:
        return b.emit("SequenceAt", flow, index)
    return b.emit("Gather", flow, index, axis=0)


@rule("TensorArrayGatherV3")
def _gather(op: Operation, b: Builder) -> str:
    _, indices, flow = b.inputs(op)
    if flow in b.sequences:
        dims = op.outputs[0].dims
        if dims is None:
            raise unsupported(op, "the rank of the array's elements is not known")
        # Elements that were never written, those behind the last one, are zeros.
        missing = b.emit("Sub", _size_of(op, b), b.emit("SequenceLength", flow))
        before, after = b.ints(*[0] * len(dims)), [b.ints(*[0] * (len(dims) - 1))] if len(dims) > 1 else []
        pads = b.emit("Concat", before, b.emit("Reshape", missing, b.ints(1)), *after, axis=0)
        written = b.emit("ConcatFromSequence", flow, axis=0, new_axis=1)
        flow = b.emit("Pad", written, pads, b.constant(np.zeros((), op.outputs[0].dtype.as_numpy_dtype)))
    return flow if _is_range(b, op.inputs[1], whole=True) else b.emit("Gather", flow, indices, axis=0)
