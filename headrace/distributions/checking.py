"""Checks of bijectors for tests of programs: that both directions undo each other and the densities fit."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from headrace.core.defaults import get_default_session
from headrace.core.registry import raw
from headrace.distributions.normal import Uniform
from headrace.functions.math.reduction import reduce_mean

if TYPE_CHECKING:
    from headrace.core.typing import SessionLike
    from headrace.distributions.bijector import Bijector


def assert_finite(array: np.ndarray) -> None:
    """Fails unless all elements are finite.

    Raises:
        AssertionError: if one is not.
    """
    if not np.isfinite(array).all():
        raise AssertionError(f"array was not all finite. {np.asarray(array)[:15]}")


def assert_strictly_increasing(array: np.ndarray) -> None:
    """Fails unless each element is greater than the one before.

    Raises:
        AssertionError: if one is not.
    """
    np.testing.assert_array_less(0.0, np.diff(array))


def assert_strictly_decreasing(array: np.ndarray) -> None:
    """Fails unless each element is less than the one before.

    Raises:
        AssertionError: if one is not.
    """
    np.testing.assert_array_less(np.diff(array), 0.0)


def assert_strictly_monotonic(array: np.ndarray) -> None:
    """Fails unless the elements increase, or decrease, all along.

    Raises:
        AssertionError: if they do neither.
    """
    (assert_strictly_increasing if array[0] < array[-1] else assert_strictly_decreasing)(array)


def assert_scalar_congruency(
    bijector: Bijector,
    lower_x: float,
    upper_x: float,
    n: int = int(10e3),
    rtol: float = 0.01,
    sess: SessionLike | None = None,
) -> None:
    """Fails unless a bijector of numbers is monotonic, undone by its inverse, and stretches as it says.

    Args:
        bijector: the bijector.
        lower_x, upper_x: the ends of the interval it is tried on.
        n: how many numbers to try.
        rtol: by which share the length of the interval may be off when it is estimated from the Jacobians.
        sess: a Session; the default one by default.

    Raises:
        AssertionError: if it is not so.
    """
    sess = get_default_session() if sess is None else sess
    points = np.linspace(lower_x, upper_x, num=10).astype(np.float32)
    if bijector.dtype is not None:
        points = points.astype(bijector.dtype.as_numpy_dtype)
    forward_points = bijector.forward(points)
    lower_y, upper_y = sorted(sess.run([bijector.forward(lower_x), bijector.forward(upper_x)]))
    x = Uniform(low=lower_x, high=upper_x).sample(n, seed=0)
    y = Uniform(low=lower_y, high=upper_y).sample(n, seed=1)
    inverse_of_forward = bijector.inverse(bijector.forward(x))
    forward_of_inverse = bijector.forward(bijector.inverse(y))
    # The length of the interval of x is the integral of dx/dy over that of y.
    derivative = raw.Exp(bijector.inverse_log_det_jacobian(y, event_ndims=0))
    length = (upper_y - lower_y) * reduce_mean(derivative)
    inverse_derivative = raw.Exp(bijector.forward_log_det_jacobian(bijector.inverse(y), event_ndims=0))
    fetched = [forward_points, derivative, inverse_derivative, length, x, y, inverse_of_forward, forward_of_inverse]
    forward_points, derivative, inverse_derivative, length, x, y, inverse_of_forward, forward_of_inverse = sess.run(
        fetched
    )
    assert_strictly_monotonic(forward_points)
    np.testing.assert_allclose(inverse_of_forward, x, atol=1e-5, rtol=1e-3)
    np.testing.assert_allclose(forward_of_inverse, y, atol=1e-5, rtol=1e-3)
    np.testing.assert_allclose(upper_x - lower_x, length, atol=0, rtol=rtol)
    np.testing.assert_allclose(derivative, np.divide(1.0, inverse_derivative), atol=1e-5, rtol=1e-3)


def assert_bijective_and_finite(
    bijector: Bijector,
    x: np.ndarray,
    y: np.ndarray,
    event_ndims: int,
    atol: float = 0,
    rtol: float = 1e-5,
    sess: SessionLike | None = None,
) -> None:
    """Fails unless both directions undo each other, as do their log-determinants, and nothing is infinite.

    Args:
        bijector: the bijector.
        x, y: values before and after.
        event_ndims: how many of their dimensions are one value.
        atol, rtol: how far results may be off.
        sess: a Session; the default one by default.

    Raises:
        AssertionError: if it is not so.
    """
    sess = sess or get_default_session()
    assert_finite(x)
    assert_finite(y)
    after, before = bijector.forward(x), bijector.inverse(y)
    results = sess.run(
        [
            bijector.inverse(after),
            bijector.forward(before),
            bijector.inverse_log_det_jacobian(after, event_ndims=event_ndims),
            bijector.forward_log_det_jacobian(x, event_ndims=event_ndims),
            bijector.inverse_log_det_jacobian(y, event_ndims=event_ndims),
            bijector.forward_log_det_jacobian(before, event_ndims=event_ndims),
            after,
            before,
        ]
    )
    for result in results:
        assert_finite(result)
    pairs = ((results[0], x), (results[1], y), (-results[2], results[3]), (-results[4], results[5]))
    for actual, desired in pairs:
        np.testing.assert_allclose(actual, desired, atol=atol, rtol=rtol)
