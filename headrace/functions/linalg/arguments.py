"""The arguments of linear operators: variables that stay variables, sizes, what is said of an operator, and checks of all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.dtypes import as_dtype
from headrace.core.module import ModuleMembers, is_variable
from headrace.core.registry import raw
from headrace.functions.flow.checks import assert_equal, assert_less, assert_non_negative
from headrace.functions.flow.rank_checks import assert_rank
from headrace.kernels import composing
from headrace.kernels.composing.shapes import shape_internal
from headrace.ops.flow.grouping import with_dependencies
from headrace.ops.math.complex import imag
from headrace.ops.math.unary import abs as absolute

if TYPE_CHECKING:
    import numpy as np

    from headrace.core.operation import Operation
    from headrace.core.shapes import TensorShape
    from headrace.core.tensor import Tensor
    from headrace.core.typing import DTypeLike, TensorLike, VariableLike
    from headrace.functions.linalg.operator import LinearOperator


def is_ref(x: TensorLike | None) -> bool:
    """Whether `x` is read anew at each use: a variable, or a module that stands for a tensor."""
    return is_variable(x) or (isinstance(x, ModuleMembers) and hasattr(x, "dtype") and hasattr(x, "shape"))


def assert_not_ref_type(x: TensorLike | None, arg_name: str) -> None:
    """Refuses variables.

    Raises:
        TypeError: if `x` is one.
    """
    if is_ref(x):
        raise TypeError(f"Argument {arg_name} cannot be reference type. Found: {type(x)}")


def base_dtype(dtype: DTypeLike) -> Any:
    """A type, or that of the values of a reference to it."""
    return as_dtype(dtype).base_dtype


def dtype_name(dtype: DTypeLike) -> str:
    """The name of a type."""
    return as_dtype(dtype).name


def convert_nonref_to_tensor(
    value: Any, dtype: DTypeLike | None = None, dtype_hint: Any = None, name: str | None = None
) -> Any:
    """`value` as a tensor; variables stay what they are, to be read where they are used.

    Args:
        value: a tensor, what can become one, a variable, or None.
        dtype: the element type of the result.
        dtype_hint: the type to take where `value` does not tell its own.
        name: a name for the tensor.

    Raises:
        TypeError: if a variable has another type than `dtype`.
    """
    if value is None:
        return None
    if not is_ref(value):
        return convert_to_tensor(value, dtype=dtype, preferred_dtype=dtype_hint, name=name)
    if dtype is not None and base_dtype(dtype) != base_dtype(value.dtype):
        names = dtype_name(base_dtype(dtype)), dtype_name(base_dtype(value.dtype))
        raise TypeError(f'Mutable type must be of dtype "{names[0]}" but is "{names[1]}".')
    return value


def at_least(value: Tensor | VariableLike, name: str, rank: int) -> Any:
    """`value`, known to have at least so many dimensions or an unknown number.

    Raises:
        ValueError: if it has fewer.
    """
    found = value.get_shape().ndims
    if found is not None and found < rank:
        raise ValueError(
            f"Argument {name} must have at least {rank} dimension{'s' if rank > 1 else ''}.  Found: {value}"
        )
    return value


def shape_tensor(shape: Any, name: str | None = None) -> Tensor:
    """A shape as a tensor: int32 where it is empty, else of its own type."""
    empty = isinstance(shape, (list, tuple)) and not shape
    return convert_to_tensor(shape, dtype="int32" if empty else None, name=name)


def checked_sizes(sizes: Tensor, known: np.ndarray, name: str, rank: int, checks: bool) -> Tensor:
    """Sizes, checked to be whole numbers that are not negative: now if they are known, by ops if `checks`.

    Args:
        sizes: a tensor.
        known: its value, or None.
        name: what the argument is called.
        rank: 0 for a size, 1 for a shape.
        checks: whether to check when the graph runs as well.

    Raises:
        TypeError: if it is not of integers. ValueError: if it is known not to be so.
    """
    not_rank = f"Argument {name} must be a {rank}-D Tensor."
    negative = f"Argument {name} must be non-negative."
    if checks:
        made = [assert_rank(sizes, rank, message=not_rank), assert_non_negative(sizes, message=negative)]
        sizes = with_dependencies(made, sizes)
    if not sizes.dtype.is_integer:
        raise TypeError(f"Argument {name} must be integer type.  Found: {sizes}")
    if known is not None:
        if known.ndim != rank:
            raise ValueError(f"{not_rank}  Found: {known}")
        if (known < 0).any():
            raise ValueError(f"{negative}  Found: {known}")
    return sizes


def assert_no_entries_with_modulus_zero(
    x: TensorLike, message: str | None = None, name: str = "assert_no_entries_with_modulus_zero"
) -> Operation:
    """The operation that checks that no element of `x`, real or complex, is 0."""
    with name_scope(name, values=[x]):
        x = convert_to_tensor(x, name="x")
        size = absolute(x)
        zero = convert_to_tensor(0, x.dtype.base_dtype.real_dtype)
        return assert_less(zero, size, message=message)


def assert_zero_imag_part(x: TensorLike, message: str | None = None, name: str = "assert_zero_imag_part") -> Any:
    """The operation that checks that the elements of `x` are real."""
    with name_scope(name, values=[x]):
        x = convert_to_tensor(x, name="x")
        if x.dtype.base_dtype.is_floating:
            return raw.NoOp()
        zero = convert_to_tensor(0, x.dtype.base_dtype.real_dtype)
        return assert_equal(zero, imag(x), message=message)


def assert_compatible_matrix_dimensions(operator: Any, x: TensorLike) -> Any:
    """The operation that checks that `x` has as many rows as the operator has columns."""
    rows = shape_internal(x)[-2]
    message = "Dimensions are not compatible.  shape[-2] of argument to be the same as this operator"
    return assert_equal(rows, operator.domain_dimension_tensor(), message=message)


def assert_is_batch_matrix(tensor: Tensor) -> None:
    """Refuses what is known to have fewer dimensions than a matrix.

    Raises:
        ValueError: if it has.
    """
    rank = tensor.get_shape().ndims
    if rank is not None and rank < 2:
        raise ValueError(f"Expected [batch] matrix to have at least two dimensions.  Found: {tensor}")


def use_operator_or_provided_hint_unless_contradicting(
    operator: LinearOperator, hint_attr_name: str, provided_hint_value: bool | None, message: str
) -> bool | None:
    """What is known of an operator and said of one made from it, which is the same.

    Args:
        operator: the operator.
        hint_attr_name: what is said: the name of one of its properties.
        provided_hint_value: whether it is so, or None.
        message: that of the error.

    Raises:
        ValueError: if the two contradict each other.
    """
    both = {getattr(operator, hint_attr_name), provided_hint_value} - {None}
    if len({bool(each) for each in both}) > 1:
        raise ValueError(message)
    return bool(both.pop()) if both else None


def diagonal(matrix: TensorLike) -> Tensor:
    """The diagonal of a tensor, under the name that TensorFlow's operators give it."""
    return raw.MatrixDiagPart(matrix, name="diag_part")


def square_shape(vector: Tensor | VariableLike) -> TensorShape:
    """The shape of square matrices that are made from vectors of `vector`'s shape."""
    shape = vector.get_shape()
    return shape.concatenate(shape[-1:])


def square_shape_tensor(vector: TensorLike) -> Tensor:
    """`square_shape` as an int32 vector."""
    shape = shape_internal(vector)
    return composing.concat([shape, [shape[-1]]], 0)
