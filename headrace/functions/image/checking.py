"""What the functions on images ask of their arguments, at once where it is known and in the graph where it is not."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.convert import convert_to_tensor
from headrace.core.dims import is_fully_defined
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.flow.assertion import Assert
from headrace.functions.flow.checks import assert_equal, assert_greater_equal, assert_positive
from headrace.kernels import composing
from headrace.kernels.composing.shapes import expand_dims, rank_internal, shape_internal, squeeze
from headrace.ops.flow.grouping import with_dependencies

if TYPE_CHECKING:
    from headrace.core.operation import Operation
    from headrace.core.typing import TensorLike


_POSITIVE = "all dims of 'image.shape' must be > 0"
_MIN_RANK = "'image' must be at least three-dimensional."


def is_tensor(value: object) -> bool:
    """Whether `value` is known only when the graph runs."""
    return isinstance(value, Tensor) or hasattr(value, "_as_graph_element")


def require(condition: Tensor | int, error: type[Exception], message: str) -> list[Operation]:
    """The operations that check a condition; none if it is a Python value, which is checked here.

    Args:
        condition: a bool or number, or a scalar tensor.
        error: what is raised if a Python value is false; a tensor gives InvalidArgumentError when run.
        message: what the error says.
    """
    if is_tensor(condition):
        return [Assert(condition, [message])]
    if not condition:
        raise error(message)
    return []


def checks_of_image(image: Tensor) -> list[Operation]:
    """The operations that check what shapes leave open: three dimensions or more, none of them 0.

    Raises:
        ValueError: if it is known to be otherwise.
    """
    dims = image.dims
    if dims is not None and len(dims) < 3:
        raise ValueError(_MIN_RANK)
    if dims is not None and 0 in dims:
        raise ValueError(f"{_POSITIVE}: {image.get_shape()}")
    if is_fully_defined(dims):
        return []
    return [
        assert_positive(shape_internal(image), [f"{_POSITIVE}."]),
        assert_greater_equal(rank_internal(image), 3, message=_MIN_RANK),
    ]


def checked_single_image(image: Tensor) -> Tensor:
    """`image`, there once it has been seen to have three dimensions, none of them 0.

    Raises:
        ValueError: if it is known to be otherwise.
    """
    dims = image.dims
    if dims is not None and len(dims) != 3:
        raise ValueError(f"'image' (shape {image.get_shape()}) must be three-dimensional.")
    if dims is not None and 0 in dims:
        raise ValueError(f"{_POSITIVE}: {image.get_shape()}")
    checks = [] if is_fully_defined(dims) else [assert_positive(shape_internal(image), [f"{_POSITIVE}."])]
    return with_dependencies(checks, image)


def checked_image(image: Tensor) -> Tensor:
    """`image`, there once `checks_of_image` have passed."""
    return with_dependencies(checks_of_image(image), image)


def checked_grayscale(image: Tensor) -> Tensor:
    """`image`, there once its last dimension has been seen to be 1.

    Raises:
        ValueError: if it is known to be otherwise.
    """
    dims, last = image.dims, "Last dimension of a grayscale image should be size 1."
    least_rank = "A grayscale image must be at least two-dimensional."
    if dims is not None and len(dims) < 2:
        raise ValueError(least_rank)
    if dims is not None and is_fully_defined(dims):
        if dims[-1] != 1:
            raise ValueError(last)
        return with_dependencies([], image)
    # As in 1.15, three dimensions are asked for in the graph, and two where they are known.
    checks = [
        assert_equal(shape_internal(image)[-1], 1, message=last),
        assert_greater_equal(rank_internal(image), 3, message=least_rank),
    ]
    return with_dependencies(checks, image)


def sizes_of(image: Tensor, rank: int) -> list[int | Tensor]:
    """The dimensions, each an int where it is known and a scalar tensor where it is not.

    Raises:
        ValueError: if the image is known to be of another rank.
    """
    if is_fully_defined(image.dims):
        return [size for size in image.dims or () if size is not None]
    known = image.get_shape().with_rank(rank).as_list()
    found = raw.Unpack(shape_internal(image), num=rank, name="unstack")
    return [there if size is None else size for size, there in zip(known, found)]


def as_batch(image: Tensor) -> tuple[Tensor, Callable[[Tensor], Tensor]]:
    """`image` with a batch dimension, and what takes that away again from a result.

    Raises:
        ValueError: for a rank other than 3 and 4.
    """
    rank = image.get_shape().ndims
    if rank == 4:
        return image, lambda result: result
    if rank not in (3, None):
        raise ValueError("'image' must have either 3 or 4 dimensions.")
    batch = expand_dims(image, 0)
    if rank is None:
        batch.set_shape([None] * 4)
    return batch, lambda result: squeeze(result, axis=[0])


def _either_way(op_type: str, plain: Callable[..., Any], x: TensorLike, y: TensorLike) -> int | Tensor:
    """An op applied to two numbers if one of them is a tensor, else what a Python function gives for them."""
    return getattr(raw, op_type)(x, y) if is_tensor(x) or is_tensor(y) else plain(x, y)


# Of two sizes, each a number or a scalar tensor: the larger one, the smaller one, whether they are equal.
larger = functools.partial(_either_way, "Maximum", max)
smaller = functools.partial(_either_way, "Minimum", min)
same = functools.partial(_either_way, "Equal", lambda x, y: x == y)


def stacked(values: Sequence[int | Tensor]) -> Tensor:
    """`values` as one vector, as `tf.stack` makes it."""
    return composing.stack(values) if not any(is_tensor(v) for v in values) else convert_to_tensor(values, name="stack")
