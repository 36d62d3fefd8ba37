"""AddN and AccumulateNV2: the sum of many tensors of one shape."""

from __future__ import annotations

import functools
import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import torch

from headrace.core.composite import IndexedSlices, convert_to_tensor_or_indexed_slices
from headrace.core.convert import convert_to_tensor
from headrace.core.dims import Dims, dims_text, is_fully_defined, merge_dims
from headrace.core.errors import InvalidArgumentError
from headrace.core.registry import op, raw
from headrace.core.shapes import as_shape
from headrace.core.tensor import Tensor
from headrace.kernels.math.elementwise import bracketed, widened
from headrace.kernels.math.in_place import is_native
from headrace.kernels.native import of_one_shape

if TYPE_CHECKING:
    from headrace.core.typing import DTypeLike, NodeView, OpView, ShapeLike, TensorLike


_ADDABLE = (
    "{float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, uint16, complex128, "
    "half, uint32, uint64, variant}"
)
add_n_op = op("AddN", f"inputs: N * T, *, N: int >= 1, T: {_ADDABLE} -> sum: T").aliases().keeps_shape().never_fails()
accumulate_n_op = op("AccumulateNV2", "inputs: N * T, *, N: int >= 1, T: numeric, shape: shape -> sum: T").aliases()
add_n_op.accepts([[2, 3]] * 3).accepts([[2]]).accepts([[None], [3]], T="int32")
add_n_op.rejects([[2], [3]], error=ValueError)
accumulate_n_op.accepts([[2, 3]] * 3, shape=[2, 3]).accepts([[2], [2]], shape=[2], T="int32")
accumulate_n_op.rejects([[2], [3]], shape=[2], error=InvalidArgumentError)

# A sum of thousands is one expression in another in another, more than Python's compiler takes.
_MAX_SUMMANDS = 100


@add_n_op.scalar_expression
def add_n_scalar(node: NodeView) -> str | None:
    if len(node.inputs) > _MAX_SUMMANDS:
        return None
    return " + ".join(f"{{{i}}}" for i in range(len(node.inputs)))


def _text(dims: Dims) -> str:
    return dims_text(dims).replace("(", "[").replace(",)", "]").replace(")", "]").replace(", ", ",")


def _merged(op: OpView, dims: Dims) -> Dims:
    for i in range(len(op.inputs) - 1, -1, -1):
        other = op.inputs[i].dims
        try:
            dims = merge_dims(dims, other)
        except ValueError:
            assert dims is not None
            assert other is not None
            clash = f"Shapes must be equal rank, but are {len(other)} and {len(dims)}"
            for axis, (a, b) in enumerate(zip(other, dims, strict=False)):
                if len(other) == len(dims) and None not in (a, b) and a != b:
                    clash = (
                        f"Dimension {axis} in both shapes must be equal, but are {a} and {b}. "
                        f"Shapes are {_text(other)} and {_text(dims)}."
                    )
                    break
            raise ValueError(f"{clash}\n\tFrom merging shape {i} with other shapes.") from None
    return dims


@add_n_op.shape
def add_n_shape(op):
    return [_merged(op, None)]


@accumulate_n_op.shape
def accumulate_n_shape(op):
    # Whether the others fit shows when they are there.
    return [merge_dims(op.attrs["shape"], op.inputs[0].dims)]


@add_n_op.kernel
@accumulate_n_op.kernel
def add_n_kernel(node):
    if node.inputs[0].dtype.name == "variant":
        # Lists of tensors know how to add up.
        return lambda first, *others: functools.reduce(operator.add, others, first)
    if node.inputs[0].dtype.torch is None:
        raise NotImplementedError(f"AddN of {node.inputs[0].dtype.name} is not supported: add the tensors in them.")
    count = len(node.inputs)
    function = widened(node, {1: _same, 2: torch.add}.get(count, _total))
    if count == 1:
        return function
    dims = node.inputs[0].dims
    if is_fully_defined(dims) and all(value.dims == dims for value in node.inputs):
        return function

    def compute(*values):
        shape = values[0].shape
        for i, value in enumerate(values):
            if value.shape != shape:
                if node.type == "AccumulateNV2":
                    raise InvalidArgumentError(None, None, "Parameters and update must be the same size")
                raise InvalidArgumentError(
                    None,
                    None,
                    f"Inputs to operation {node.name} of type {node.type} must have the same size and shape.  "
                    f"Input 0: {bracketed(shape)} != input {i}: {bracketed(value.shape)}",
                )
        return function(*values)

    return compute


def _same(value):
    return value


def _total(first, second, *others):
    # One buffer, each input read once.
    total = torch.add(first, second)
    for value in others:
        total.add_(value)
    return total


def _add_n_in_place(node, index):
    dims = node.inputs[0].dims
    # Only the first two may be swapped without adding up in another order.
    if index > 1 or not is_native(node) or not is_fully_defined(dims) or any(v.dims != dims for v in node.inputs):
        return None

    def total(*values):
        sum_of_two = values[index].add_(values[1 - index])
        for value in values[2:]:
            sum_of_two.add_(value)
        return sum_of_two

    return total


add_n_op.reuses(_add_n_in_place)


@add_n_op.same_as
@accumulate_n_op.same_as
def add_n_same(node):
    return node.inputs[0] if len(node.inputs) == 1 else None


@add_n_op.gradient
@accumulate_n_op.gradient
def add_n_gradient(op, grad):
    return [grad] * len(op.inputs)


def add_n(inputs: Sequence[TensorLike], name: str | None = None) -> Tensor:
    """The sum of all of `inputs`, element by element.

    Args:
        inputs: a list of tensors or IndexedSlices of one type and shape; they do not broadcast.
        name: a name for the operation.

    Raises:
        ValueError: if `inputs` is empty, or the shapes or types differ.

    Example:
        >>> tf.Session().run(tf.add_n([[1, 2], [3, 4], [5, 6]]))
        array([ 9, 12], dtype=int32)
    """
    if inputs and isinstance(inputs, (int, float)):
        raise TypeError(f"add_n: inputs are a list of tensors, got {inputs!r}.")
    if not inputs or not isinstance(inputs, (list, tuple)):
        raise ValueError("inputs must be a list of at least one Tensor/IndexedSlices with the same dtype and shape")
    values: list[Any] = [value if value is None else convert_to_tensor_or_indexed_slices(value) for value in inputs]
    if not all(isinstance(value, (Tensor, IndexedSlices)) for value in values):
        raise ValueError("inputs must be a list of at least one Tensor/IndexedSlices with the same dtype and shape")
    if len(values) == 1:
        value = convert_to_tensor(values[0])
        return raw.Identity(value, name=name) if name else value
    return raw.AddN(values, name=name)


def accumulate_n(
    inputs: Sequence[TensorLike],
    shape: ShapeLike | None = None,
    tensor_dtype: DTypeLike | None = None,
    name: str | None = None,
) -> Tensor:
    """The sum of all of `inputs`, which need not be there at the same time.

    Args:
        inputs: a list of tensors of one type and shape.
        shape: their shape, where it is not known from them.
        tensor_dtype: their type, to have it checked.
        name: a name for the operation.

    Raises:
        ValueError: if `inputs` is empty, or the shapes or types differ.
        TypeError: if their type is not `tensor_dtype`.
    """
    wrong = "inputs must be a list of at least one Tensor with the same dtype and shape"
    if not inputs or not isinstance(inputs, (list, tuple)):
        raise ValueError(wrong)
    values: list[Any] = [value if value is None else convert_to_tensor_or_indexed_slices(value) for value in inputs]
    if not all(isinstance(value, Tensor) for value in values) or len({value.dtype for value in values}) > 1:
        raise ValueError(wrong)
    known = as_shape(shape)
    for value in values:
        known = known.merge_with(value.dims)
    if tensor_dtype is not None and values[0].dtype != tensor_dtype:
        raise TypeError(f"tensor_dtype is {tensor_dtype}, but input is of type {values[0].dtype}")
    if len(values) == 1:
        return values[0] if name is None else raw.Identity(values[0], name=name)
    return raw.AccumulateNV2(values, shape=known._dims, name=name)


# ---- native instructions

for _decl in (add_n_op, accumulate_n_op):
    _decl.native(of_one_shape("add_n"))
