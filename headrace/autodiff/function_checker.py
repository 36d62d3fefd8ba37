"""Comparing the gradients of functions with finite differences, as `gradient_checker_v2` of 1.x's own tree does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from headrace.autodiff import checker
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import get_default_graph, get_default_session
from headrace.core.operation import Tensor
from headrace.ops.array.constant import placeholder


def compute_gradient(
    f: Callable[..., Any], x: Sequence[Any], delta: float = 1.0 / 1024
) -> tuple[tuple[np.ndarray, ...], tuple[np.ndarray, ...]]:
    """The Jacobians of `f` at `x`, by gradients and by central differences, in the default session.

    Args:
        f: function of as many tensors as `x` has, that gives one tensor.
        x: list or tuple of what to call it with: tensors, or what becomes some.
        delta: the step of the differences.

    Returns:
        the Jacobians by gradients and those by differences, one for each argument, each [size of that argument, size
        of f(*x)].

    Raises:
        ValueError: if `x` is no list, or there is no default session.
    """
    if not isinstance(x, (list, tuple)):
        raise ValueError(f"x must be a list or tuple of arguments, got {x!r}")
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


def max_error(grad1: Sequence[np.ndarray], grad2: Sequence[np.ndarray]) -> float:
    """The largest difference between two lists of Jacobians, such as the two of `compute_gradient`."""
    error = 0.0
    for one, other in zip(grad1, grad2, strict=True):
        if one.size or other.size:
            error = np.maximum(error, np.fabs(one - other).max())
    return error
