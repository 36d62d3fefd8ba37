"""`odeint_fixed`: methods that take steps of a given size.

The midpoint rule, and Kutta's method of order 4: Hairer, Nørsett and Wanner, "Solving ordinary differential equations
I" (1993), section II.1.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headrace.contrib.integrate.steps import check_types, increasing
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import control_dependencies, name_scope
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.flow.tensor_array import TensorArray
from headrace.functions.flow.while_loop import while_loop
from headrace.kernels import composing
from headrace.ops.math.add_n import add_n

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


Derivative = Callable[[Any, Any], Any]


def _midpoint(func: Derivative, t: Tensor, dt: Tensor, y: Tensor) -> Tensor:
    scale = composing.cast(dt, y.dtype)
    return scale * func(y + func(y, t) * scale / 2, t + dt / 2)


def _runge_kutta(func: Derivative, t: Tensor, dt: Tensor, y: Tensor) -> Tensor:
    k1 = func(y, t)
    half, scale = t + dt / 2, composing.cast(dt, y.dtype)
    k2 = func(y + scale * k1 / 2, half)
    k3 = func(y + scale * k2 / 2, half)
    k4 = func(y + scale * k3, t + dt)
    return add_n([k1, 2 * k2, 2 * k3, k4]) * (scale / 6)


_METHODS = {"midpoint": _midpoint, "rk4": _runge_kutta}


def odeint_fixed(
    func: Derivative, y0: TensorLike, t: Any, dt: Any = None, method: str = "rk4", name: str | None = None
) -> Tensor:
    """The solution of dy/dt = func(y, t) with y(t[0]) = y0, in steps of a given size.

    Args:
        func: called with the state and the time, returns the state's derivative.
        y0: floating-point or complex tensor: the state at first.
        t: floating-point vector of increasing times, the first of which belongs to `y0`.
        dt: vector of the greatest steps between each time and the next; by default one step.
        method: "midpoint" or "rk4".
        name: a name for the operations.

    Returns:
        the states at the times, [times, ...].

    Raises:
        ValueError: for another method, or lengths that do not fit. TypeError: for states or times without fractions.
        InvalidArgumentError: when it is run, for times that do not increase.

    Example:
        >>> y = tf.contrib.integrate.odeint_fixed(lambda y, t: -y, 1.0, [0.0, 1.0, 2.0], dt=[0.1, 0.1])
    """
    with name_scope(name, "odeint_fixed", [y0, t, dt]):
        t = convert_to_tensor(t, preferred_dtype="float64", name="t")
        y0 = convert_to_tensor(y0, name="y0")
        intervals = t[1:] - t[:-1]
        dt = convert_to_tensor(intervals if dt is None else dt, preferred_dtype="float64", name="dt")
        check_types(y0, t, dt)
        if len(t.get_shape()) > 1 or len(dt.get_shape()) > 1:
            raise ValueError("t must be a 1D tensor")
        counts = raw.Ceil(intervals / dt)
        dt, counts = intervals / counts, composing.cast(counts, "int32")
        if t.get_shape()[0] != dt.get_shape()[0] + 1:
            raise ValueError("t and dt have incompatible lengths, must be N and N-1")
        with control_dependencies([increasing(t)]), name_scope(method):
            if method not in _METHODS:
                raise ValueError(f"method not supported: {method!s}")
            return _integrated(func, _METHODS[method], y0, t, dt, counts)


def _integrated(
    func: Derivative, step: Callable[..., Any], y0: Tensor, t: Tensor, dt: Tensor, counts: Tensor
) -> Tensor:
    """The states at the times `t`, between which `counts` steps of the sizes `dt` lie."""
    times, start = composing.size(t), t[0]

    def interval(
        solution: TensorArray, y: Tensor, time: Tensor, i: Tensor
    ) -> tuple[TensorArray, Tensor, Tensor, Tensor]:
        def forward(y: Tensor, time: Tensor, n: Tensor, i: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
            size = dt[i - 1]
            change = composing.cast(step(func, time, size, y), y.dtype)
            return y + change, time + size, n + 1, i

        y, time, *_ = while_loop(lambda y, time, n, i: raw.Less(n, counts[i - 1]), forward, (y, time, 0, i))
        return solution.write(i, y), y, time, i + 1

    solution = TensorArray(y0.dtype, times).write(0, y0)
    solution, *_ = while_loop(lambda solution, y, time, i: raw.Less(i, times), interval, (solution, y0, start, 1))
    states = solution.stack()
    states.set_shape(t.get_shape().concatenate(y0.get_shape()))
    return states
