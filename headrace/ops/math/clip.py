"""Clipping: tensors kept within bounds, or their norm kept below one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from headrace.core.composite import IndexedSlices
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import colocate_with, name_scope
from headrace.core.dims import merge_dims
from headrace.core.dtypes import float32
from headrace.core.errors import InvalidArgumentError
from headrace.core.native import applied
from headrace.core.registry import op, raw
from headrace.core.tensor import Tensor
from headrace.kernels.composing import cast, ones_like, range_, rank, size, stack
from headrace.kernels.math.elementwise import bracketed, same_shape, scalar, widened

if TYPE_CHECKING:
    import torch

    from headrace.core.typing import TensorLike


clip_by_value_op = op("ClipByValue", "t: T, clip_value_min: T, clip_value_max: T, *, T: numeric -> output: T")
clip_by_value_op.shape(same_shape)


@clip_by_value_op.kernel
def clip_by_value_kernel(node):
    def clamped(t: torch.Tensor, low: torch.Tensor, high: torch.Tensor) -> torch.Tensor:
        return t.clamp(low, high)

    if all(limit.dims == () for limit in node.inputs[1:]):
        return widened(node, clamped)

    def clipped(t: torch.Tensor, low: torch.Tensor, high: torch.Tensor) -> Any:
        if any(limit.dim() and limit.shape != t.shape for limit in (low, high)):
            raise InvalidArgumentError(
                None,
                None,
                "clip_value_min and clip_value_max must be either of the same shape as input, or a scalar. input shape: "
                f"{bracketed(t.shape)}clip_value_min shape: {bracketed(low.shape)}clip_value_max shape: "
                f"{bracketed(high.shape)}",
            )
        return t.clamp(low, high)

    return widened(node, clipped)


clip_by_value_op.accepts(np.array([[-1, 0.5], [2, 0.1]], np.float32), np.float32(0), np.float32(1))
clip_by_value_op.accepts(np.array([5, -1, 2], np.int32), np.array([1, 0, 3], np.int32), np.array([2, 2, 4], np.int32))
clip_by_value_op.rejects([2, 2], [2], [2], error=InvalidArgumentError)


def _values(t: TensorLike, name: str = "t") -> Tensor:
    return convert_to_tensor(t.values if isinstance(t, IndexedSlices) else t, name=name)


def _like(t: TensorLike, values: Tensor) -> IndexedSlices | Tensor:
    return IndexedSlices(values, t.indices, t.dense_shape) if isinstance(t, IndexedSlices) else values


def _scope_values(*items: Any) -> list[Any]:
    """What decides the graph a name scope belongs to."""
    return [item.values if isinstance(item, IndexedSlices) else item for item in items]


@overload
def clip_by_value(  # type: ignore[overload-overlap]  # what is TensorLike may be IndexedSlices
    t: IndexedSlices, clip_value_min: TensorLike, clip_value_max: TensorLike, name: str | None = None
) -> IndexedSlices: ...
@overload
def clip_by_value(
    t: TensorLike, clip_value_min: TensorLike, clip_value_max: TensorLike, name: str | None = None
) -> Tensor: ...
def clip_by_value(t: Any, clip_value_min: TensorLike, clip_value_max: TensorLike, name: str | None = None) -> Any:
    """`t` with elements below `clip_value_min` or above `clip_value_max` set to these.

    Args:
        t: a tensor or IndexedSlices.
        clip_value_min, clip_value_max: scalars or tensors that broadcast to the shape of `t`.
        name: a name for the operation.

    Returns:
        the same kind of object as `t`.

    Raises:
        ValueError: if the bounds would make the result larger than `t`.

    Example:
        >>> tf.Session().run(tf.clip_by_value([-5.0, 0.5, 7.0], -1.0, 1.0))
        array([-1. ,  0.5,  1. ], dtype=float32)
    """
    with name_scope(name, "clip_by_value", _scope_values(t, clip_value_min, clip_value_max)) as name:
        values = _values(t)
        below = raw.Minimum(values, clip_value_max)
        merge_dims(values.dims, below.dims)
        clipped = raw.Maximum(below, clip_value_min, name=name)
        merge_dims(values.dims, clipped.dims)
        return _like(t, clipped)


@overload
def clip_by_norm(  # type: ignore[overload-overlap]  # what is TensorLike may be IndexedSlices
    t: IndexedSlices, clip_norm: TensorLike, axes: Any = None, name: str | None = None
) -> IndexedSlices: ...
@overload
def clip_by_norm(t: TensorLike, clip_norm: TensorLike, axes: Any = None, name: str | None = None) -> Tensor: ...
def clip_by_norm(t: Any, clip_norm: TensorLike, axes: Any = None, name: str | None = None) -> Any:
    """`t` scaled down so that its L2 norm is at most `clip_norm`: t * clip_norm / max(norm(t), clip_norm).

    Args:
        t: a tensor or IndexedSlices.
        clip_norm: a scalar above 0.
        axes: the dimensions over which norms are taken; all of them by default.
        name: a name for the operation.

    Returns:
        the same kind of object as `t`.

    Example:
        >>> tf.Session().run(tf.clip_by_norm([3.0, 4.0], 1.0))
        array([0.6, 0.8], dtype=float32)
    """
    with name_scope(name, "clip_by_norm", _scope_values(t, clip_norm)) as name:
        values: Tensor = _values(t)
        squared = values * values
        squares = raw.Sum(squared, _all_axes(squared) if axes is None else axes, keep_dims=True)
        # sqrt is taken only of what is positive: its gradient at 0 is infinite.
        positive = squares > 0
        safe = raw.Select(positive, squares, ones_like(squares))
        norm = raw.Select(positive, raw.Sqrt(safe), squares)
        scaled = values * clip_norm
        merge_dims(values.dims, scaled.dims)
        clipped = raw.Identity(scaled / raw.Maximum(norm, clip_norm), name=name)
        return _like(t, clipped)


def _all_axes(x: Tensor) -> Tensor:
    if x.dims is not None:
        return convert_to_tensor(list(range(len(x.dims))), "int32", name="Const")
    return range_(0, rank(x))


def clip_by_average_norm(t: TensorLike, clip_norm: float, name: str | None = None) -> Tensor:
    """`t` scaled down so that its L2 norm, divided by its number of elements, is at most `clip_norm`.

    Args:
        t: a float32 tensor.
        clip_norm: a scalar above 0.
        name: a name for the operation.
    """
    with name_scope(name, "clip_by_average_norm", [t, clip_norm]) as name:
        tensor: Tensor = convert_to_tensor(t, name="t")
        count = cast(size(tensor), float32)
        product = tensor * tensor
        inverse_norm = raw.Rsqrt(raw.Sum(product, range_(rank(tensor))))
        scaled = tensor * clip_norm
        averaged = inverse_norm * count
        return raw.Identity(scaled * raw.Minimum(averaged, scalar(1.0, float32) / clip_norm), name=name)


def _as_list(t_list: str | Tensor | Sequence[Tensor | IndexedSlices | None]) -> list[Any]:
    if not isinstance(t_list, Sequence) or isinstance(t_list, (str, bytes)):
        raise TypeError("t_list should be a sequence")
    return list(t_list)


def global_norm(t_list: Tensor | Sequence[Tensor | IndexedSlices | None], name: str | None = None) -> Tensor:
    """The L2 norm of several tensors taken as one vector: sqrt(sum of all squares).

    Args:
        t_list: a sequence of tensors, IndexedSlices and None, which is left out.
        name: a name scope.

    Returns:
        a scalar.

    Raises:
        TypeError: if `t_list` is not a sequence.
    """
    items = _as_list(t_list)
    with name_scope(name, "global_norm", _scope_values(*items)):
        values = [None if t is None else _values(t, f"t_{i}") for i, t in enumerate(items)]
        halves = []
        for value in values:
            if value is not None:
                with colocate_with(value):
                    halves.append(raw.L2Loss(value))
        stacked = stack(halves)
        half: Tensor = raw.Sum(stacked, _all_axes(stacked))
        return raw.Sqrt(half * scalar(2.0, half.dtype), name="global_norm")


def clip_by_global_norm(
    t_list: str | Tensor | Sequence[Tensor | IndexedSlices | None],
    clip_norm: float,
    use_norm: TensorLike | None = None,
    name: str | None = None,
) -> tuple[list[Any], Tensor]:
    """Several tensors scaled down by one factor so that their global norm is at most `clip_norm`.

    Args:
        t_list: a sequence of tensors, IndexedSlices and None, which stays None.
        clip_norm: a scalar above 0.
        use_norm: the global norm, if it is known already.
        name: a name scope.

    Returns:
        the list of clipped tensors, NaN where the norm is not finite, and the global norm.

    Raises:
        TypeError: if `t_list` is not a sequence.

    Example:
        >>> clipped, norm = tf.clip_by_global_norm([tf.constant(3.0), tf.constant(4.0)], 2.5)
        >>> sess.run([norm, clipped])
        [5.0, [1.5, 2.0]]
    """
    items = _as_list(t_list)
    norm: Any = global_norm(items, name) if use_norm is None else use_norm
    with name_scope(name, "clip_by_global_norm", _scope_values(*items, clip_norm)) as name:
        inverse = 1.0 / norm
        one: Tensor = scalar(1.0, norm.dtype)
        factor: Tensor = clip_norm * raw.Minimum(inverse, one / clip_norm)
        factor = raw.Select(raw.IsFinite(norm), factor, scalar(float("nan"), norm.dtype))
        values = [None if t is None else _values(t, f"t_{i}") for i, t in enumerate(items)]
        clipped: list[Any] = []
        for i, (t, value) in enumerate(zip(items, values, strict=True)):
            if value is None:
                clipped.append(None)
                continue
            with colocate_with(value):
                scaled: Tensor = value * factor
                clipped.append(_like(t, raw.Identity(scaled, name=f"{name}_{i}")))
        return clipped, norm


# ---- native instructions


@clip_by_value_op.native
def _clip_native(node):
    # Bounds are numbers here: those of the shape of t go by the kernel.
    return applied("clip") if node.inputs[1].dims == () == node.inputs[2].dims else None
