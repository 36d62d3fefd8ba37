"""Comparing declared gradients with finite differences: `tf.test.compute_gradient` and `compute_gradient_error`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.autodiff.gradients import gradients
from headrace.core.composite import IndexedSlices
from headrace.core.defaults import get_default_session
from headrace.core.dtypes import bfloat16, float32
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.kernels.composing.arranging import identity
from headrace.ops.array.constant import constant

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike, VariableLike


_CHECKED = ("float16", "bfloat16", "float32", "float64", "complex64", "complex128")
_Jacobians = tuple[np.ndarray, np.ndarray]


def compute_gradient(
    x: Any,
    x_shape: Sequence[int],
    y: Tensor,
    y_shape: Sequence[int],
    x_init_value: np.ndarray | None = None,
    delta: float = 1e-3,
    init_targets: Any = None,
    extra_feed_dict: dict[Any, Any] | None = None,
) -> Any:
    """The Jacobian of `y` with respect to `x`, by gradients and by central differences, in the default session.

    Args:
        x: a tensor or list of tensors.
        x_shape: the shape of x, or the list of their shapes.
        y: a tensor.
        y_shape: its shape.
        x_init_value: where to take the Jacobian (a list when x is one); random by default.
        delta: the step of the differences.
        init_targets: operations to run first.
        extra_feed_dict: what else to feed.

    Returns:
        the two Jacobians, each [size of x, size of y]; a list of such pairs when x is a list. Complex tensors count
        twice, real parts and imaginary parts alternating.
    """
    for target in init_targets or ():
        target.run()
    feed = dict(extra_feed_dict or {})
    if not isinstance(x, list):
        start, dx = _start(x, y, y_shape)
        return _jacobians(x, x_shape, dx, y, y_shape, start, x_init_value, delta, feed)
    starts = [_start(one, y, y_shape) for one in x]
    values = [None] * len(x) if x_init_value is None else x_init_value
    return [
        _jacobians(one, shape, dx, y, y_shape, start, value, delta, feed)
        for one, shape, (start, dx), value in zip(x, x_shape, starts, values, strict=True)
    ]


def compute_gradient_error(
    x: Tensor | VariableLike,
    x_shape: Sequence[int],
    y: Tensor,
    y_shape: Sequence[int],
    x_init_value: Any = None,
    delta: float = 1e-3,
    init_targets: Any = None,
    extra_feed_dict: dict[Any, Any] | None = None,
) -> float:
    """The largest difference between the two Jacobians of `compute_gradient`, whose arguments it takes."""
    pairs = compute_gradient(x, x_shape, y, y_shape, x_init_value, delta, init_targets, extra_feed_dict)
    error: Any = 0
    for theoretical, numeric in [pairs] if isinstance(pairs, tuple) else pairs:
        if theoretical.size or numeric.size:
            error = np.maximum(error, np.fabs(theoretical - numeric).max())
    return error


def _start(x: Tensor, y: Tensor, y_shape: Sequence[int]) -> tuple[Tensor, Any]:
    with x.graph.as_default():
        start = constant(1.0, shape=y_shape, dtype=y.dtype)
        # Fed through an identity, so that feeding it cuts nothing else that shares the constant.
        dx = gradients(y, x, identity(start))[0]
    return start, dx


def _jacobians(
    x: Tensor,
    x_shape: Any,
    dx: Tensor,
    y: Tensor,
    y_shape: Sequence[int],
    start: Tensor,
    value: np.ndarray | None,
    delta: float,
    feed: dict[Any, Any],
) -> _Jacobians:
    for tensor in (x, y):
        if tensor.dtype.base_dtype.name not in _CHECKED:
            raise AssertionError(f"Don't support type {tensor.dtype.name} for {tensor.name}")
    if value is None:
        value = np.random.random_sample(x_shape).astype(x.dtype.as_numpy_dtype)
        if x.dtype.is_complex:
            value.imag = np.random.random_sample(x_shape)
    elif list(np.shape(value)) != list(x_shape):
        raise AssertionError(f"x_shape = {x_shape}, init_data shape = {list(np.shape(value))}")
    return _theoretical(x, x_shape, value, start, y_shape, dx, feed), _numeric(
        x, x_shape, value, y, y_shape, delta, feed
    )


def _theoretical(
    x: Tensor,
    x_shape: Sequence[int],
    value: np.ndarray,
    start: Tensor,
    y_shape: Sequence[int],
    dx: Tensor,
    feed: dict[Any, Any],
) -> np.ndarray:
    session = get_default_session()
    real = x.dtype.real_dtype.as_numpy_dtype
    rows = int(np.prod(x_shape)) * (2 if x.dtype.is_complex else 1)
    row_size = int(np.prod(tuple(x_shape)[1:])) * (2 if x.dtype.is_complex else 1)
    directions = np.zeros(y_shape, start.dtype.as_numpy_dtype)
    flat = directions.ravel().view(start.dtype.real_dtype.as_numpy_dtype)
    jacobian = np.zeros((rows, flat.size), real)
    if dx is None:
        raise AssertionError(f"compute_gradient: y does not depend on {x.name}.")

    def run(fetch: Tensor) -> np.ndarray:
        return session.run(fetch, {**feed, x: value, start: directions})

    for column in range(flat.size):
        flat[column] = 1
        if isinstance(dx, IndexedSlices):
            indices, values = run([dx.indices, dx.values])
            for index, row in zip(indices, values, strict=True):
                begin = index * row_size
                jacobian[begin : begin + row_size, column] += row.ravel().view(real)
        else:
            jacobian[:, column] = np.asarray(run(dx)).ravel().view(real)
        flat[column] = 0
    if not flat.size:
        back = run(dx)
        if np.shape(back) != np.shape(value):
            raise ValueError(f"Empty gradient has wrong shape: expected {np.shape(value)}, got {np.shape(back)}")
        if np.any(back):
            raise ValueError("Empty tensor with nonzero gradients")
    return jacobian


def _numeric(
    x: Tensor,
    x_shape: Sequence[int],
    value: TensorLike,
    y: Tensor,
    y_shape: Sequence[int],
    delta: float,
    feed: dict[Any, Any],
) -> np.ndarray:
    session = get_default_session()
    # bfloat16 is too coarse to take differences of.
    if x.dtype.base_dtype is bfloat16:
        x = raw.Cast(x, DstT=float32)
        value = np.asarray(value, np.float32)
    if y.dtype.base_dtype is bfloat16:
        y = raw.Cast(y, DstT=float32)
    value = np.asarray(value, x.dtype.as_numpy_dtype)
    x_real, y_real = x.dtype.real_dtype.as_numpy_dtype, y.dtype.real_dtype.as_numpy_dtype
    rows = int(np.prod(x_shape)) * (2 if x.dtype.is_complex else 1)
    columns = int(np.prod(y_shape)) * (2 if y.dtype.is_complex else 1)
    scale = np.asarray(2 * delta, y_real)[()]
    jacobian = np.zeros((rows, columns), x_real)
    for row in range(rows):
        results = []
        for step in (delta, -delta):
            moved = np.array(value, copy=True, order="C")
            moved.reshape(-1).view(x_real)[row] += step
            results.append(session.run(y, {**feed, x: moved}))
        jacobian[row] = np.asarray((results[0] - results[1]) / scale).ravel().view(y_real)
    return jacobian
