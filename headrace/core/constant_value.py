"""What is known of tensors' values while the graph is built: constants, shapes, and arithmetic on them."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from headrace.core.dtypes import string
from headrace.core.errors import OpError
from headrace.core.operation import Tensor
from headrace.core.shapes import Dims

# Values larger than this are never needed to infer a shape.
_LIMIT = 4096
_UNKNOWN: Any = object()

# Ops whose outputs, of sizes that are not static, are not much larger than their inputs together.
_NO_LONGER = frozenset(
    {
        "BroadcastGradientArgs",
        "Cast",
        "ConcatV2",
        "DynamicPartition",
        "GatherNd",
        "GatherV2",
        "GreaterEqual",
        "Identity",
        "ListDiff",
        "Reshape",
        "SparseFeatureCross",
        "SparseFeatureCrossV2",
        "SparseFillEmptyRows",
        "SparseReshape",
        "Squeeze",
        "StridedSlice",
        "Unique",
        "Where",
    }
)

# Ops that take any text: what is wrong with a text that others read is told when the graph runs.
_OF_ANY_TEXT = frozenset(
    {
        "Equal",
        "NotEqual",
        "SparseFeatureCross",
        "SparseFeatureCrossV2",
        "StringToHashBucketFast",
        "StringToHashBucketStrong",
    }
)

# What TensorFlow's Python code sees through where it asks for a constant (its shape functions see through more).
_PLAIN = frozenset(
    {"Cast", "Concat", "ConcatOffset", "ConcatV2", "Const", "Equal", "Fill", "NotEqual", "Pack", "Range"}
)
_OF_SHAPES = frozenset({"Rank", "Shape", "Size"})


def is_constant(tensor_or_op: Any) -> bool:
    """Whether a tensor is a constant's, or an operation a constant."""
    return getattr(tensor_or_op, "op", tensor_or_op).type == "Const"


def constant_value(tensor: Tensor) -> np.ndarray | None:
    """The value of `tensor` if it follows from constants and static shapes alone, else None.

    Only small values are computed; the result must not be written to.
    """
    if not tensor._is_graph_tensor:
        return importlib.import_module("headrace.core.eager").constant_array(tensor)
    op = tensor.op
    if op.type == "Const":
        return op.attrs["value"]
    known = getattr(tensor, "_known_value", _UNKNOWN)
    # What was unknown may have become known by set_shape on something before it.
    if known is not _UNKNOWN and known is not None:
        return known
    value = _computed(tensor)
    if value is not None:
        tensor._known_value = value  # type: ignore[attr-defined]
    return value


def plain_constant_value(tensor: Tensor) -> np.ndarray | None:
    """The value of `tensor` where TensorFlow's Python code sees it; for decisions that change which ops are made."""
    return constant_value(tensor) if _is_plain(tensor) else None


def _is_plain(tensor: Tensor) -> bool:
    if not tensor._is_graph_tensor:
        return True
    if tensor.op.type in _OF_SHAPES:
        # Not where the sizes would have to be computed from the values of what they are the sizes of.
        dims = tensor.op.inputs[0].dims
        return dims is not None and (tensor.op.type == "Rank" or None not in dims)
    return tensor.op.type in _PLAIN and all(_is_plain(source) for source in tensor.op.inputs)


def _computed(tensor: Tensor) -> np.ndarray | None:
    op = tensor.op
    decl = op.decl
    if decl.stateful or (op.attrs.get("_class") and not op.inputs):
        return None
    if decl.static_rule is not None:
        arrays = decl.static_rule(op)
        if arrays is not None:
            return np.asarray(arrays[tensor.value_index], dtype=tensor.dtype.as_numpy_dtype)
    if not op.inputs or decl.kernel_rule is None or not _small(tensor):
        return None
    if any("func" in attr.kind for attr in decl.signature.attrs.values()):
        # Functions run in sessions only.
        return None
    if op.type in ("Placeholder", "PlaceholderWithDefault", "Merge", "Switch", "Enter", "Exit", "NextIteration"):
        return None
    values = []
    for source in op.inputs:
        read = source.dtype is string and tensor.dtype is not string and op.type not in _OF_ANY_TEXT
        if read or not _small(source):
            return None
        value = constant_value(source)
        if value is None:
            return None
        values.append(value)
    try:
        return importlib.import_module("headrace.plan.evaluate").evaluate(op, values)[tensor.value_index]
    except OpError:
        # What an op refuses, it refuses when the graph runs.
        return None


def _small(tensor: Tensor) -> bool:
    if tensor.dims is None:
        return False
    size = 1
    for dim in tensor.dims:
        if dim is None:
            return tensor.op.type in _NO_LONGER and all(_small(source) for source in tensor.op.inputs)
        size *= dim
    return size <= _LIMIT


def constant_dims(tensor: Tensor) -> Dims:
    """What is known of an integer vector (or scalar) that describes a shape; -1 counts as unknown.

    Returns:
        a tuple with None for the elements that are not known, or None if not even their number is.
    """
    return _dims(tensor, plain=False)


def plain_constant_dims(tensor: Tensor) -> Dims:
    """`constant_dims` where TensorFlow's Python code sees them; for decisions that change which ops are made."""
    return _dims(tensor, plain=True)


def _dims(tensor: Tensor, *, plain: bool) -> Dims:
    value = plain_constant_value(tensor) if plain else constant_value(tensor)
    if value is not None:
        return tuple(None if v < 0 else int(v) for v in np.ravel(value))
    op = tensor.op
    kind = op.type
    if kind == "Shape":
        return op.inputs[0].dims
    if kind == "ShapeN":
        return op.inputs[tensor.value_index].dims
    if not plain and kind in ("Cast", "Identity", "StopGradient") and tensor.dims is not None and len(tensor.dims) == 1:
        return _dims(op.inputs[0], plain=plain)
    # What is packed to a vector are scalars, known to be or not.
    if kind == "Pack" and op.inputs and (tensor.dims is None or len(tensor.dims) == 1):
        return tuple(_scalar(source, plain=plain) for source in op.inputs)
    if kind == "ConcatV2":
        return _joined(op.inputs[:-1], plain=plain)
    if kind == "Concat":
        return _joined(op.inputs[1:], plain=plain)
    if not plain and kind == "ExpandDims" and op.inputs[0].dims == ():
        return (_scalar(op.inputs[0], plain=plain),)
    if kind == "StridedSlice":
        bounds = _slice_bounds(op)
        dims = _dims(op.inputs[0], plain=plain)
        if bounds is not None and dims is not None and not op.attrs["shrink_axis_mask"]:
            return dims[bounds]
    if tensor.dims is not None and len(tensor.dims) == 1 and tensor.dims[0] is not None:
        return (None,) * tensor.dims[0]
    return None


def _joined(parts: Any, *, plain: bool) -> Dims:
    dims: tuple[int | None, ...] = ()
    for part in parts:
        known = _dims(part, plain=plain)
        if known is None:
            return None
        dims += known
    return dims


def _scalar(tensor: Tensor, *, plain: bool) -> int | None:
    """As in TensorFlow, a size taken out of a shape that is known in part counts as unknown among others.

    It sees a size through the edge of one loop, and of one only.
    """
    if tensor._is_graph_tensor and tensor.op.type == "Enter":
        tensor = tensor.op.inputs[0]
    value = plain_constant_value(tensor) if plain else constant_value(tensor)
    return None if value is None or int(value) < 0 else int(value)


def _slice_bounds(op: Any) -> slice | None:
    attrs = op.attrs
    if attrs["ellipsis_mask"] or attrs["new_axis_mask"]:
        return None
    parts = [constant_value(source) for source in op.inputs[1:4]]
    if any(part is None or part.size != 1 for part in parts):
        return None
    begin, end, stride = (int(part.ravel()[0]) for part in parts if part is not None)
    return slice(None if attrs["begin_mask"] & 1 else begin, None if attrs["end_mask"] & 1 else end, stride)
