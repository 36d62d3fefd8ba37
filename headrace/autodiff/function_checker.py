"""Comparing the gradients of functions with finite differences, as `gradient_checker_v2` of 1.x's own tree does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.autodiff import checker
from headrace.autodiff.gradient_tape import GradientTape
from headrace.core.composite import IndexedSlices, IndexedSlicesValue
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import get_default_graph, get_default_session
from headrace.core.dtypes import bfloat16, float32
from headrace.core.eager import EagerTensor, executing_eagerly
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.ops.array.constant import placeholder

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


def compute_gradient(
    f: Callable[..., Any], x: Sequence[Any], delta: float = 1e-3
) -> tuple[tuple[np.ndarray, ...], tuple[np.ndarray, ...]]:
    """The Jacobians of `f` at `x`, by gradients and by central differences, in the default session or eagerly.

    Args:
        f: function of as many tensors as `x` has, that gives one tensor.
        x: list or tuple of what to call it with: tensors, or what becomes some.
        delta: the step of the differences.

    Returns:
        the Jacobians by gradients and those by differences, one for each argument, each [size of that argument, size
        of f(*x)].

    Raises:
        ValueError: if `x` is no list, or a graph is built and there is no default session.
    """
    if not isinstance(x, (list, tuple)):
        raise ValueError(f"`x` must be a list of Tensors (arguments to `f`), not a {type(x)}")
    if executing_eagerly():
        tensors = [convert_to_tensor(argument) for argument in x]
        return tuple(_eager_gradients(f, tensors)), tuple(_eager_differences(f, tensors, delta))
    session = get_default_session()
    if session is None:
        raise ValueError("compute_gradient needs a default session: call it under `with session.as_default():`")
    tensors = [convert_to_tensor(argument) for argument in x]
    values = [np.asarray(session.run(tensor)) for tensor in tensors]
    with get_default_graph().as_default():
        given = [placeholder(t.dtype.base_dtype, np.shape(v)) for t, v in zip(tensors, values, strict=True)]
        result: Tensor = f(*given)
    feed = dict(zip(given, values, strict=True))
    shape = np.shape(session.run(result, feed))
    pairs = [
        checker.compute_gradient(one, np.shape(value), result, shape, value, delta, extra_feed_dict=feed)
        for one, value in zip(given, values, strict=True)
    ]
    return tuple(by_gradient for by_gradient, _ in pairs), tuple(by_steps for _, by_steps in pairs)


def _parts(value: TensorLike) -> np.ndarray:
    """The real numbers of an array, real and imaginary parts alternating."""
    flat = np.ascontiguousarray(value).ravel()
    return flat.view(flat.real.dtype) if np.iscomplexobj(flat) else flat


def _array(tensor: Any) -> np.ndarray:
    # bfloat16 is too coarse to take differences of.
    return raw.Cast(tensor, DstT=float32).numpy() if tensor.dtype.base_dtype is bfloat16 else tensor.numpy()


def to_numpy(value: Any) -> Any:
    """The value of a tensor, in the default session where graphs are built; of slices, that of the whole."""
    if isinstance(value, (IndexedSlices, IndexedSlicesValue)):
        whole = np.zeros(tuple(np.asarray(value.dense_shape)), np.asarray(value.values).dtype)
        np.add.at(whole, np.asarray(value.indices), np.asarray(value.values))
        return whole
    if not isinstance(value, Tensor):
        return value
    return value.numpy() if isinstance(value, EagerTensor) else get_default_session().run(value)


def _eager_gradients(f: Callable[..., Any], tensors: Sequence[Any]) -> list[np.ndarray]:
    with GradientTape(persistent=True) as tape:
        for tensor in tensors:
            tape.watch(tensor)
        result = f(*tensors)
    direction = np.zeros(result.shape.as_list(), result.dtype.as_numpy_dtype)
    flat = _parts(direction.reshape(-1))
    jacobians = [np.zeros((_parts(_array(tensor)).size, flat.size), _parts(_array(tensor)).dtype) for tensor in tensors]
    for column in range(flat.size):
        parts = np.zeros_like(flat)
        parts[column] = 1
        given = convert_to_tensor(parts.view(direction.dtype).reshape(direction.shape), dtype=result.dtype.base_dtype)
        for i, grad in enumerate(tape.gradient(result, list(tensors), output_gradients=[given])):
            if grad is None:
                raise ValueError(f"compute_gradient: the result does not depend on argument {i}.")
            jacobians[i][:, column] = _parts(_array(convert_to_tensor(grad)))
    return jacobians


def _eager_differences(f: Callable[..., Any], tensors: Sequence[Any], delta: float) -> list[np.ndarray]:
    jacobians = []
    for i, tensor in enumerate(tensors):
        start = _array(tensor)
        rows = []
        for row in range(_parts(start).size):
            results = []
            for step in (delta, -delta):
                moved = _parts(start).copy()
                moved[row] += step
                value = convert_to_tensor(moved.view(start.dtype).reshape(start.shape))
                arguments = [*tensors[:i], raw.Cast(value, DstT=tensor.dtype.base_dtype), *tensors[i + 1 :]]
                results.append(_parts(_array(f(*arguments))))
            rows.append((results[0] - results[1]) / np.asarray(2 * delta, results[0].dtype)[()])
        jacobian = rows or np.zeros((0, _parts(_array(f(*tensors))).size))
        jacobians.append(np.asarray(jacobian, _parts(start).dtype))
    return jacobians


def max_error(grad1: Sequence[np.ndarray], grad2: Sequence[np.ndarray]) -> float:
    """The largest difference between two lists of Jacobians, such as the two of `compute_gradient`."""
    error = 0.0
    for one, other in zip(grad1, grad2, strict=True):
        if one.size or other.size:
            error = np.maximum(error, np.fabs(one - other).max())
    return error
