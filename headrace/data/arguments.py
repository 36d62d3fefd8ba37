"""Arguments of datasets as the tensors that dataset ops take, and what is known of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headrace.core.constant_value import constant_dims, constant_value
from headrace.core.convert import convert_to_tensor
from headrace.core.shapes import TensorShape, as_shape
from headrace.core.tensor import Tensor
from headrace.core.type_specs import TensorSpec

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


def int64(value: TensorLike, name: str) -> Tensor:
    """A scalar argument of a dataset op as a tensor."""
    return convert_to_tensor(value, dtype="int64", name=name)


def known_size(size: Tensor, drop: Tensor) -> int | None:
    """The size of all batches where it is known."""
    dropped, count = constant_value(drop), constant_value(size)
    return int(count) if dropped is not None and bool(dropped) and count is not None else None


def check_predicate(spec: TensorSpec, message: str | None = None) -> None:
    """Checks that a predicate returns a bool scalar.

    Args:
        spec: the description of what it returns.
        message: what to say otherwise.

    Raises:
        ValueError: if it does not; AttributeError if it returns several values.
    """
    if isinstance(spec, (tuple, dict)):
        raise AttributeError(
            f"{type(spec).__name__!r} object has no attribute 'is_compatible_with': a predicate returns one bool, got {spec}."
        )
    if not isinstance(spec, TensorSpec) or spec.dtype.name != "bool" or not spec.shape.is_compatible_with([]):
        raise ValueError(
            message or f"`predicate` return type must be convertible to a scalar boolean tensor. Was {spec}."
        )


def shape_vector(shape_like: object, called: str) -> tuple[Tensor, TensorShape]:
    """A shape as an int64 vector with -1 for what is not known, and what is known of it.

    Args:
        shape_like: a shape, or a vector.
        called: what messages call it.

    Raises:
        ValueError: for a tensor that is no vector; TypeError: for one that is not of int64.
    """
    try:
        shape = as_shape(shape_like)
        return convert_to_tensor([-1 if size is None else size for size in shape.as_list()], dtype="int64"), shape
    except (TypeError, ValueError):
        tensor = convert_to_tensor(shape_like, preferred_dtype="int64")
        if tensor.shape.ndims is not None and tensor.shape.ndims != 1:
            raise ValueError(
                f"{called} {shape_like} must be a 1-D tensor of tf.int64 values, but its shape was {tensor.shape}."
            ) from None
        if tensor.dtype.name != "int64":
            raise TypeError(
                f"{called} {shape_like} must be a 1-D tensor of tf.int64 values, but its element type was {tensor.dtype.name}."
            ) from None
        return tensor, as_shape(constant_dims(tensor))
