"""Resampling by periodic shuffling: some dimensions grow, one shrinks for them."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch

from headrace.core.dims import Dims
from headrace.core.dtypes import float32, float64, int32, int64
from headrace.core.errors import InvalidArgumentError
from headrace.core.registry import op, raw
from headrace.core.tensor import Tensor
from headrace.kernels.array.arguments import invalid, shape_text

if TYPE_CHECKING:
    from headrace.core.operation import Operation
    from headrace.core.typing import NodeView, OpView, ShapeLike, TensorLike


_T = (
    "T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, uint16, complex128, "
    "half, uint32, uint64}"
)
_SUPPORTED = (float32, float64, int32, int64)

resample_op = op("PeriodicResample", f"values: T, *, {_T}, shape: shape -> output: T")
resample_grad_op = op(
    "PeriodicResampleOpGrad", f"grad: T, *, {_T}, original_shape: shape, desired_shape: shape -> grad_values: T"
)


def _known(dims: Dims) -> tuple[int | None, ...]:
    if dims is None:
        raise invalid("periodic_resample expects a desired shape of known rank.")
    return tuple(dims)


def _full_shape(original: tuple[int, ...], desired: tuple[int | None, ...]) -> tuple[int, ...]:
    """`desired` with its free dimension filled in; InvalidArgumentError if it does not fit `original`."""
    if len(desired) != len(original):
        raise invalid(
            f"periodic_resample expects the rank of the input tensor, {len(original)}, to be the same as the length of the "
            f"desired shape, {len(desired)}."
        )
    free = [place for place, size in enumerate(desired) if size is None]
    if len(free) != 1:
        many = "only one index" if free else "at least one index"
        raise invalid(f"periodic_resample expects {many} to be marked as adjustable, got {shape_text(desired)}.")
    for place, (old, new) in enumerate(zip(original, desired, strict=True)):
        if new is not None and new < old:
            raise invalid(
                "periodic_resample expects the size of non-adjustable dimensions be at least as large as size of input "
                f"tensor. Dimension {place} input tensor has size {old}, desired shape has size {new}."
            )
    others = math.prod(size for size in desired if size is not None)
    left = math.prod(original) // others if others else 0
    if left < 1:
        raise invalid(
            f"periodic_resample found that the adjustable dimension, {free[0]}, isn't greater than zero, {left}: "
            f"{shape_text(original)} has too few elements for {shape_text(desired)}."
        )
    return tuple(left if size is None else size for size in desired)


@functools.lru_cache(maxsize=32)
def _places(original: tuple[int, ...], desired: tuple[int | None, ...]) -> tuple[tuple[int, ...], torch.Tensor]:
    """The shape of the output, and of each of its elements the place in the input."""
    full = _full_shape(original, desired)
    free = desired.index(None)
    rank = len(full)
    steps = [math.prod(original[axis + 1 :]) for axis in range(rank)]
    place = torch.zeros(full, dtype=torch.int64)
    period, offset = 1, torch.zeros(full, dtype=torch.int64)
    for axis, size in enumerate(full):
        at = torch.arange(size).reshape([-1 if other == axis else 1 for other in range(rank)])
        if axis == free:
            place = place + at * steps[axis]
            continue
        # A run of `factor` elements comes from one of the input; which of the run counts along the free dimension.
        factor = -(-size // original[axis])
        place = place + at // factor * steps[axis]
        offset = offset + at % factor * period
        period *= factor
    place = (place + offset * (full[free] * steps[free])).reshape(-1)
    if int(place.max()) >= math.prod(original):
        raise invalid(
            f"periodic_resample cannot fill {shape_text(full)} from {shape_text(original)}: use sizes that are multiples "
            "of the input's."
        )
    return full, place


def _checked_type(node: NodeView) -> None:
    if node.inputs[0].dtype.base_dtype not in _SUPPORTED:
        raise invalid(
            f"{node.type} has no kernel for {node.inputs[0].dtype.name}: cast to float32, float64, int32 or int64."
        )


@resample_op.shape
def resample_shape(op: Any) -> list[Any]:
    desired, dims = op.attrs["shape"], op.inputs[0].dims
    if desired is None:
        return [None]
    if dims is None or None in dims or len(dims) != len(desired) or desired.count(None) != 1:
        return [desired]
    others = math.prod(size for size in desired if size is not None)
    return [tuple((math.prod(dims) // others if others else None) if size is None else size for size in desired)]


@resample_op.kernel
def resample_kernel(node: NodeView) -> Callable[..., Any]:
    _checked_type(node)
    desired = _known(node.attrs["shape"])

    def resample(values: torch.Tensor) -> torch.Tensor:
        full, place = _places(tuple(values.shape), desired)
        return values.reshape(-1)[place.to(values.device)].reshape(full)

    return resample


@resample_grad_op.shape
def resample_grad_shape(op: OpView) -> list[Any]:
    return [op.attrs["original_shape"]]


@functools.lru_cache(maxsize=32)
def _sources(original: tuple[int, ...], desired: tuple[int | None, ...]) -> tuple[tuple[int, ...], Any, Any]:
    """The output's shape, the places of the input that it shows, and the last place of the output that shows each."""
    full, place = _places(original, desired)
    last = torch.full((math.prod(original),), -1).scatter_reduce(0, place, torch.arange(len(place)), "amax")
    shown = torch.nonzero(last >= 0)[:, 0]
    return full, shown, last[shown]


@resample_grad_op.kernel
def resample_grad_kernel(node: NodeView) -> Callable[..., Any]:
    _checked_type(node)
    desired = _known(node.attrs["desired_shape"])
    original = tuple(node.attrs["original_shape"])

    def scatter(grad: torch.Tensor) -> torch.Tensor:
        full, shown, source = _sources(original, desired)
        if tuple(grad.shape) != full:
            raise invalid(
                f"PeriodicResampleOpGrad expects grad of shape {shape_text(full)}, got {shape_text(grad.shape)}."
            )
        values = grad.new_zeros(math.prod(original))
        values[shown.to(grad.device)] = grad.reshape(-1)[source.to(grad.device)]
        return values.reshape(original)

    return scatter


@resample_op.gradient
def resample_gradient(op: Operation, grad: TensorLike) -> list[Any]:
    shape = op.inputs[0].shape
    if not shape.is_fully_defined():
        raise ValueError(
            f"Shape {shape} is not fully defined for the gradient of PeriodicResample '{op.name}': give the values a "
            "static shape with set_shape"
        )
    return [raw.PeriodicResampleOpGrad(grad, original_shape=shape, desired_shape=op.attrs["shape"])]


resample_op.accepts([3, 4], shape=[6, None])
resample_op.rejects([3, 4], shape=[2, None], error=InvalidArgumentError)
resample_grad_op.accepts([6, 2], original_shape=[3, 4], desired_shape=[6, None])


def periodic_resample(values: TensorLike, shape: ShapeLike, name: str | None = None) -> Tensor:
    """Elements of one dimension spread over others, as in sub-pixel convolutions (arXiv:1609.05158).

    Args:
        values: a tensor of float32, float64, int32 or int64.
        shape: the wanted shape, of the same rank. One size is None: that dimension shrinks as far as the others grow. They
            are at least what they are in `values`; best are multiples of it.
        name: a name for the operation.

    Returns:
        a tensor of `shape`.

    Raises:
        InvalidArgumentError: if the shape does not fit.

    Example:
        >>> tf.contrib.periodic_resample.periodic_resample([[0, 1, 2, 3], [4, 5, 6, 7]], [4, None])
        >>> # [[0, 1], [2, 3], [4, 5], [6, 7]]
    """
    return raw.PeriodicResample(values, shape=shape, name=name)
