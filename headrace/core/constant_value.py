"""What is known of tensors' values while the graph is built: constants, shapes, and arithmetic on them."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core import slots
from headrace.core.dims import Dims, unknown_dims
from headrace.core.dtypes import string
from headrace.core.errors import OpError
from headrace.core.planning_facts import CONTROL_FLOW, Role
from headrace.core.tensor import Tensor

if TYPE_CHECKING:
    from headrace.core.operation import Operation
    from headrace.core.registry import OpDecl

# Values of more elements are never needed to infer a shape, and texts of more bytes in all.
_LIMIT = 4096
_MAX_BYTES = 1 << 20
# One value that stands for more elements than this is not read: a few bytes of a file say so, reading it takes them all.
_MAX_REPEATED = 1 << 16
# As far back a value is followed, and as deep the parts of a shape.
_FURTHEST = 256
_MAX_DEPTH = 64

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

_CROSSES = frozenset({"SparseFeatureCross", "SparseFeatureCrossV2"})
# What kernels raise besides errors of ops.
_FAULTS = (RuntimeError, ValueError, TypeError, IndexError, ArithmeticError, MemoryError)


def is_constant(tensor_or_op: Any) -> bool:
    """Whether a tensor is a constant's, or an operation a constant."""
    return getattr(tensor_or_op, "op", tensor_or_op).type == "Const"


def is_repeated(array: np.ndarray) -> bool:
    """Whether an array is one element over and over in the memory of one, as constants of files may be."""
    return array.size > 1 and not any(stride for stride, size in zip(array.strides, array.shape) if size > 1)


def distinct(array: np.ndarray) -> np.ndarray:
    """The elements of an array as a vector, without the copies of one that is repeated."""
    return array[(slice(0, 1),) * array.ndim].reshape(-1) if is_repeated(array) else array.reshape(-1)


def text_bytes(array: np.ndarray) -> int:
    """How many bytes the texts of an array have in all; 0 for numbers and variants."""
    if array.dtype != object:
        return 0
    elements = distinct(array)
    count = sum(len(item) for item in elements.tolist() if isinstance(item, bytes))
    return count * (array.size // max(1, elements.size))


def constant_value(tensor: Tensor) -> np.ndarray | None:
    """The value of `tensor` if it follows from constants and static shapes alone, else None.

    Only small values are computed; the result must not be written to.
    """
    value = _given(tensor)
    return value if value is not None else _value(tensor, set())


def plain_constant_value(tensor: Tensor) -> np.ndarray | None:
    """The value of `tensor` where TensorFlow's Python code sees it; for decisions that change which ops are made."""
    return constant_value(tensor) if _is_plain(tensor) else None


def _is_plain(tensor: Tensor) -> bool:
    pending, seen = [tensor], {tensor}
    while pending:
        tensor = pending.pop()
        if not tensor._is_graph_tensor:
            continue
        decl = tensor.op.decl
        if decl.python_value_rule is None:
            return False
        if decl.static_rule is not None:
            # Not where the sizes would have to be computed from the values of what they are the sizes of.
            if decl.static_rule(tensor.op) is None:
                return False
        elif len(seen) > _LIMIT:
            return False
        else:
            new = [source for source in tensor.op.inputs if source not in seen]
            seen.update(new)
            pending.extend(new)
    return True


def _value(tensor: Tensor, unknown: set[Tensor]) -> np.ndarray | None:
    """The value of `tensor`; what is found to be unknown on the way is added to `unknown`.

    What it is computed from may lie far back, so the way there is a list.
    """
    value = _given(tensor)
    if value is not None:
        return value
    if tensor in unknown or not _may_compute(tensor):
        return None
    path: list[tuple[Tensor, list[np.ndarray]]] = [(tensor, [])]
    while path:
        tensor, values = path[-1]
        deeper = None
        for source in tensor.op.inputs[len(values) :]:
            value = _given(source) if _readable(source, tensor) else None
            if value is None:
                deeper = source
                break
            values.append(value)
        if deeper is None:
            value = _evaluated(tensor, values)
        elif deeper not in unknown and len(path) < _FURTHEST and _readable(deeper, tensor) and _may_compute(deeper):
            path.append((deeper, []))
            continue
        if value is None:
            # All that is computed from it is unknown too.
            unknown.update(waiting for waiting, _ in path)
            return None
        path.pop()
    return value


def _given(tensor: Tensor) -> np.ndarray | None:
    """The value of `tensor` where nothing has to be computed."""
    if not tensor._is_graph_tensor:
        return slots.eager_constant(tensor)
    op = tensor.op
    if op.type == "Const":
        array = op.attrs["value"]
        return None if array.size > _MAX_REPEATED and is_repeated(array) else array
    # What was unknown may have become known by set_shape on something before it.
    known = getattr(tensor, "_known_value", None)
    if known is not None:
        return known
    decl = op.decl
    if decl.static_rule is None or decl.stateful or (op.attrs.get("_class") and not op.inputs):
        return None
    arrays = decl.static_rule(op)
    if arrays is None:
        return None
    value = tensor._known_value = np.asarray(arrays[tensor.value_index], dtype=tensor.dtype.as_numpy_dtype)
    return value


def _may_compute(tensor: Tensor) -> bool:
    """Whether `tensor` is computed while the graph is built, where its inputs are known."""
    op = tensor._op
    if not op._inputs or _runs_in_sessions_only(op.decl) or not _small(tensor):
        return False
    if any(output._dtype.name in ("resource", "variant") for output in op._outputs):
        # Lists and their like are objects of a step: NumPy has no values for them.
        return False
    if op.decl.moves_text or op.decl.type in _CROSSES:
        return True
    return string not in [output._dtype for output in op._outputs]


@functools.cache
def _runs_in_sessions_only(decl: OpDecl) -> bool:
    """Whether the ops of a type have state, call functions, or are not computed from their inputs' values."""
    elsewhere = decl.role in CONTROL_FLOW or decl.may_be_fed or decl.signature.calls or decl.runs_python
    return decl.stateful or decl.kernel_rule is None or elsewhere


def _readable(source: Tensor, tensor: Tensor) -> bool:
    """Whether `tensor` may be computed from `source`."""
    if source.dtype is string and tensor.dtype is not string and tensor.op.type not in _OF_ANY_TEXT:
        return False
    return _small(source)


def _evaluated(tensor: Tensor, values: list[np.ndarray]) -> np.ndarray | None:
    op = tensor.op
    if sum(map(text_bytes, values)) > _MAX_BYTES:
        return None
    if not slots.may_evaluate(op, values, _LIMIT):
        return None
    try:
        made = slots.evaluate(op, values)
    except (OpError, *_FAULTS):
        # What an op refuses, it refuses when the graph runs.
        return None
    for output, value in zip(op.outputs, made, strict=True):
        if output is tensor or (output.dtype is not string and _small(output)):
            output._known_value = value
    return tensor._known_value


def _small(tensor: Tensor) -> bool:
    """Whether the static shape of `tensor` says that it is small, or its op that it is no larger than its inputs."""
    if tensor.dims is None:
        return False
    size = 1
    for dim in tensor.dims:
        if dim is None:
            return tensor.op.decl.most_elements_rule is not None
        size *= dim
    return size <= _LIMIT


def constant_dims(tensor: Tensor, *, captured: bool = False) -> Dims:
    """What is known of an integer vector (or scalar) that describes a shape; -1 counts as unknown.

    Args:
        tensor: the vector.
        captured: whether what a function has captured counts as what it is outside: TensorFlow's Python code looks
            there for a few functions, its shape rules do not.

    Returns:
        a tuple with None for the elements that are not known, or None if not even their number is, or more than any
        shape has.
    """
    return _ShapeQuery(plain=False, captured=captured).dims(tensor, 0)


def plain_constant_dims(tensor: Tensor) -> Dims:
    """`constant_dims` where TensorFlow's Python code sees them; for decisions that change which ops are made."""
    return _ShapeQuery(plain=True).dims(tensor, 0)


def outer_of(tensor: Tensor) -> Tensor | None:
    """The tensor of another graph that an input of a function stands for; None if it is an argument."""
    captures = getattr(tensor.graph, "_outer_of", None)
    return None if captures is None else captures.get(tensor)


class _ShapeQuery:
    """One question for what is known of a shape, and what has been found on the way to the answer."""

    def __init__(self, *, plain: bool, captured: bool = False) -> None:
        self._plain, self._captured = plain, captured
        self._unknown: set[Tensor] = set()
        self._found: dict[Tensor, Dims] = {}

    def _value(self, tensor: Tensor) -> np.ndarray | None:
        return None if self._plain and not _is_plain(tensor) else _value(tensor, self._unknown)

    def dims(self, tensor: Tensor, depth: int) -> Dims:
        """The answer for `tensor`, which is so many parts inside of what was asked for."""
        value = self._value(tensor)
        for _ in range(0 if self._plain else _FURTHEST):
            if value is not None or not _is_passed_on(tensor):
                break
            tensor = tensor.op.inputs[0]
            value = self._value(tensor)
        if value is not None:
            return None if value.size > _LIMIT else tuple(None if v < 0 else int(v) for v in np.ravel(value))
        if tensor not in self._found:
            self._found[tensor] = self._described(tensor, depth)
        return self._found[tensor]

    def _described(self, tensor: Tensor, depth: int) -> Dims:
        op = tensor.op
        kind = op.type
        if kind == "Shape":
            return op.inputs[0].dims
        if kind == "ShapeN":
            return op.inputs[tensor.value_index].dims
        if kind == "Placeholder" and self._captured:
            outer = outer_of(tensor)
            if outer is not None and outer._is_graph_tensor:
                return self.dims(outer, depth)
        if depth < _MAX_DEPTH:
            # What is packed to a vector are scalars, known to be or not.
            if kind == "Pack" and op.inputs and (tensor.dims is None or len(tensor.dims) == 1):
                return tuple(map(self._scalar, op.inputs)) if len(op.inputs) <= _LIMIT else None
            if kind == "ConcatV2":
                return self._joined(op.inputs[:-1], depth)
            if kind == "Concat":
                return self._joined(op.inputs[1:], depth)
            if not self._plain and kind == "ExpandDims" and op.inputs[0].dims == ():
                return (self._scalar(op.inputs[0]),)
            if kind == "StridedSlice":
                bounds = _slice_bounds(op)
                dims = self.dims(op.inputs[0], depth + 1)
                if bounds is not None and dims is not None and not op.attrs["shrink_axis_mask"]:
                    return dims[bounds]
        return unknown_dims(tensor.dims[0]) if tensor.dims is not None and len(tensor.dims) == 1 else None

    def _joined(self, parts: Sequence[Tensor], depth: int) -> Dims:
        dims: list[int | None] = []
        for part in parts:
            known = self.dims(part, depth + 1)
            if known is None or len(dims) + len(known) > _LIMIT:
                return None
            dims += known
        return tuple(dims)

    def _scalar(self, tensor: Tensor) -> int | None:
        """As in TensorFlow, a size taken out of a shape that is known in part counts as unknown among others.

        It sees a size through the edge of one loop, and of one only.
        """
        if tensor._is_graph_tensor and tensor.op.decl.role is Role.ENTER:
            tensor = tensor.op.inputs[0]
        value = self._value(tensor)
        return None if value is None or int(value) < 0 else int(value)


def _is_passed_on(tensor: Tensor) -> bool:
    """Whether a vector is the first input of its op again."""
    kind = tensor.op.type
    return kind in ("Cast", "Identity", "StopGradient") and tensor.dims is not None and len(tensor.dims) == 1


def _slice_bounds(op: Operation) -> slice | None:
    attrs = op.attrs
    if attrs["ellipsis_mask"] or attrs["new_axis_mask"]:
        return None
    parts = [constant_value(source) for source in op.inputs[1:4]]
    if any(part is None or part.size != 1 for part in parts):
        return None
    begin, end, stride = (int(part.ravel()[0]) for part in parts if part is not None)
    return slice(None if attrs["begin_mask"] & 1 else begin, None if attrs["end_mask"] & 1 else end, stride)
