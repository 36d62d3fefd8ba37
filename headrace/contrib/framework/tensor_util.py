"""Checks and sums of tensors: shapes that are asserted, ranks that are made to agree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.composite import SparseTensor
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import control_dependencies, name_scope
from headrace.core.dtypes import int32
from headrace.core.shapes import TensorShape
from headrace.core.tensor import Tensor
from headrace.core.tensor_util import is_tensor
from headrace.functions import squeezing
from headrace.functions.flow.assertion import Assert
from headrace.functions.flow.checks import assert_scalar
from headrace.functions.math.reduction import reduce_all, reduce_sum
from headrace.kernels.composing.arranging import identity
from headrace.kernels.composing.shapes import rank, shape, size
from headrace.ops.array.shape import reshape
from headrace.ops.math.add_n import add_n
from headrace.ops.math.comparison import equal
from headrace.ops.math.logical import logical_and, logical_or

if TYPE_CHECKING:
    from headrace.core.operation import Operation
    from headrace.core.typing import TensorLike


def reduce_sum_n(tensors: Sequence[Any], name: str | None = None) -> Tensor:
    """The sum of all elements of several tensors.

    Args:
        tensors: a list of tensors.
        name: a name scope.

    Raises:
        ValueError: if there are none.
    """
    if not tensors:
        raise ValueError("No tensors provided.")
    with name_scope(name, "reduce_sum_n", tensors) as scope:
        sums = [reduce_sum(tensor, name=f"{tensor.op.name}/sum") for tensor in tensors]
        return sums[0] if len(sums) == 1 else add_n(sums, name=scope)


def remove_squeezable_dimensions(
    predictions: TensorLike, labels: TensorLike, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """`tf.confusion_matrix`'s function of this name, with predictions first."""
    labels, predictions = squeezing.remove_squeezable_dimensions(labels, predictions, name=name)
    return predictions, labels


def assert_scalar_int(tensor: TensorLike, name: str | None = None) -> Tensor:
    """Checks that a tensor is a scalar int, and returns it.

    Raises:
        ValueError: if it is not.
    """
    with name_scope(name, "assert_scalar_int", [tensor]) as scope:
        tensor = convert_to_tensor(tensor)
        if not tensor.dtype.base_dtype.is_integer:
            raise ValueError(f"Expected integer type for {tensor.name}, received type: {tensor.dtype}.")
        return assert_scalar(tensor, name=scope)


def _has_shape(expected: TensorLike, tensor: TensorLike, actual: Tensor) -> Tensor:
    """Whether a tensor has a shape, in which -1 stands for any size."""
    with name_scope("is_shape", values=[tensor]) as scope:
        expected_size = size(expected)
        with name_scope("is_rank", values=[tensor]) as rank_scope:
            expected_rank = convert_to_tensor(expected_size, name="expected")
            same_rank = equal(expected_rank, rank(tensor, name="actual"), name=rank_scope)
        with name_scope("shape_tensor_equal", values=[expected, actual]) as equal_scope:
            free = logical_or(equal(expected, -1), equal(expected, actual, "equal"), name="exclude_partial_shape")
            same_sizes = reduce_all(free, name=equal_scope)
        return logical_and(same_rank, same_sizes, name=scope)


def _assert_shape(expected: TensorLike, tensor: Tensor) -> Operation:
    with name_scope("assert_shape", values=[tensor]) as scope:
        actual = shape(tensor, name="actual")
        if isinstance(expected, TensorShape) and not expected.is_fully_defined():
            expected = [-1 if known is None else known for known in expected.as_list()]
        data = [f"Wrong shape for {tensor.name} [expected] [actual].", expected, actual]
        return Assert(_has_shape(expected, tensor, actual), data, name=scope)


def with_same_shape(expected_tensor: Tensor, tensor: Tensor) -> Tensor:
    """`tensor`, checked to have the shape of another: at once where that is known, else when it is computed."""
    with name_scope(f"{tensor.op.name}/", values=[expected_tensor, tensor]):
        known = expected_tensor.shape
        expected = known.as_list() if known.is_fully_defined() else shape(expected_tensor, name="expected_shape")
        return with_shape(expected, tensor)


def with_shape(expected_shape: Any, tensor: Tensor) -> Tensor:
    """`tensor`, checked to have a shape: at once where it is known, else when it is computed.

    Args:
        expected_shape: a shape, a list, an array or an int32 tensor.
        tensor: a tensor.

    Raises:
        ValueError: for a sparse tensor, a shape of a wrong kind, or a tensor known to have another.
    """
    if isinstance(tensor, SparseTensor):
        raise ValueError("SparseTensor not supported.")
    given: Any = expected_shape
    if isinstance(given, (list, tuple)):
        given = np.asarray(given, dtype=np.int32) if all(isinstance(n, int) for n in given) else np.asarray(given)
    if is_tensor(given) and given.dtype.base_dtype != int32:
        raise ValueError(f"Invalid dtype {given.dtype} for shape {given} expected of tensor {tensor.name}.")
    if isinstance(given, np.ndarray):
        if given.ndim > 1:
            raise ValueError(f"Invalid rank {given.ndim} for shape {given} expected of tensor {tensor.name}.")
        if given.dtype != np.int32:
            raise ValueError(f"Invalid dtype {given.dtype} for shape {given} expected of tensor {tensor.name}.")
    actual = tensor.shape
    if not actual.is_fully_defined() or is_tensor(given):
        with name_scope(f"{tensor.op.name}/", values=[tensor]):
            if not is_tensor(given) and len(given) < 1:
                return reshape(tensor, [])
            with control_dependencies([_assert_shape(given, tensor)]):
                result = identity(tensor)
            if not is_tensor(given):
                result.set_shape(given)
            return result
    if not actual.is_compatible_with(given):
        if len(given) < 1 and actual.is_compatible_with([1]):
            with name_scope(f"{tensor.op.name}/", values=[tensor]):
                return reshape(tensor, [])
        raise ValueError(f"Invalid shape for tensor {tensor.name}, expected {given}, got {actual}.")
    return tensor
