"""`odeint`: Dormand and Prince's method of order 5, which chooses its steps, with interpolation between them.

Dormand and Prince, "A family of embedded Runge-Kutta formulae", Journal of Computational and Applied Mathematics 6
(1980); L. Shampine, "Some practical Runge-Kutta formulas", Mathematics of Computation 46 (1986). How steps are chosen:
Hairer, Nørsett and Wanner, "Solving ordinary differential equations I" (1993), section II.4.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.contrib.integrate.steps import check_types, combined, combined_to_scale, increasing
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import control_dependencies, name_scope
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.flow.assertion import Assert
from headrace.functions.flow.cond import cond
from headrace.functions.flow.tensor_array import TensorArray
from headrace.functions.flow.while_loop import while_loop
from headrace.functions.math.reduction import reduce_all, reduce_mean
from headrace.kernels import composing
from headrace.ops.math.unary import abs as absolute

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


_ORDER = 5
# The nodes, the stages' weights, and those of the error (fifth minus fourth order) and of the middle of a step
# (Shampine, 1986).
_NODES = (1 / 5, 3 / 10, 4 / 5, 8 / 9, 1.0, 1.0)
_STAGES = (
    (1 / 5,),
    (3 / 40, 9 / 40),
    (44 / 45, -56 / 15, 32 / 9),
    (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
    (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656),
    (35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84),
)
_ERROR = (
    35 / 384 - 1951 / 21600,
    0,
    500 / 1113 - 22642 / 50085,
    125 / 192 - 451 / 720,
    -2187 / 6784 - -12231 / 42400,
    11 / 84 - 649 / 6300,
    -1 / 60,
)
_MIDDLE = (
    6025192743 / 30085553152 / 2,
    0,
    51252292925 / 65400821598 / 2,
    -2691868925 / 45128329728 / 2,
    187940372067 / 1594534317056 / 2,
    -1776094331 / 19743644256 / 2,
    11237099 / 235043384 / 2,
)

Derivative = Callable[[Any, Any], Any]


def odeint(
    func: Derivative,
    y0: TensorLike,
    t: TensorLike,
    rtol: float = 1e-6,
    atol: float = 1e-12,
    method: str | None = None,
    options: dict[str, Any] | None = None,
    full_output: bool = False,
    name: str | None = None,
) -> Any:
    """The solution of dy/dt = func(y, t) with y(t[0]) = y0.

    Args:
        func: called with the state and the time, returns the state's derivative.
        y0: floating-point or complex tensor: the state at first.
        t: floating-point vector of increasing times, the first of which belongs to `y0`.
        rtol, atol: the errors to allow in a step, relative to the state and absolute.
        method: "dopri5" or None.
        options: with a method: `first_step`, `safety`, `ifactor`, `dfactor`, `max_num_steps`.
        full_output: whether to return the steps as well.
        name: a name for the operations.

    Returns:
        the states at the times, [times, ...]; with full_output a pair of them and a dict of `num_func_evals`,
        `integrate_points` and `error_ratio`.

    Raises:
        ValueError: for another method, or options without one. TypeError: for states or times without fractions.
        InvalidArgumentError: when it is run: for times that do not increase, too many steps or too small ones.

    Example:
        >>> y = tf.contrib.integrate.odeint(lambda y, t: -y, 1.0, [0.0, 1.0, 2.0])
    """
    if method not in (None, "dopri5"):
        raise ValueError(f"invalid method: {method!r}")
    if options is not None and method is None:
        raise ValueError("cannot supply `options` without specifying `method`")
    with name_scope(name, "odeint", [y0, t, rtol, atol]) as scope:
        y0 = convert_to_tensor(y0, name="y0")
        t = convert_to_tensor(t, preferred_dtype="float64", name="t")
        check_types(y0, t)
        error_type = absolute(y0).dtype
        tolerances = [convert_to_tensor(v, error_type, name=n) for v, n in ((rtol, "rtol"), (atol, "atol"))]
        solver = _DormandPrince(func, t, *tolerances, **(options or {}))
        return solver.solve(y0, full_output, scope)


class _DormandPrince:
    def __init__(
        self,
        func: Derivative,
        t: Tensor,
        rtol: Tensor,
        atol: Tensor,
        first_step: Any = None,
        safety: Any = 0.9,
        ifactor: Any = 10.0,
        dfactor: Any = 0.2,
        max_num_steps: Any = 1000,
    ) -> None:
        self.func, self.t, self.rtol, self.atol = func, t, rtol, atol
        self.first_step = convert_to_tensor(1.0 if first_step is None else first_step, t.dtype, name="first_step")
        self.safety = convert_to_tensor(safety, t.dtype, name="safety")
        self.grow = convert_to_tensor(ifactor, t.dtype, name="ifactor")
        self.shrink = convert_to_tensor(dfactor, t.dtype, name="dfactor")
        self.most = convert_to_tensor(max_num_steps, "int32", name="max_num_steps")

    def solve(self, y0: Tensor, full_output: bool, scope: str) -> Tensor | tuple[Tensor, dict[str, Tensor]]:
        t = self.t
        with control_dependencies([increasing(t)]):
            count = composing.size(t)
        solution = TensorArray(y0.dtype, size=count).write(0, y0)
        points = TensorArray(t.dtype, size=0, dynamic_size=True)
        ratios = TensorArray(self.rtol.dtype, size=0, dynamic_size=True)
        # The state and its derivative after the last step, the times it went from and to, the next step, and the
        # polynomial between.
        state = (y0, self.func(y0, t[0]), t[0], t[0], self.first_step, *[y0] * 5)

        def at_time(solution: TensorArray, points: TensorArray, ratios: TensorArray, *values: Any) -> tuple[Any, ...]:
            *state, i = values
            with name_scope("interpolate"):
                *state, points, ratios, _ = while_loop(
                    lambda *values: t[i] > values[3],
                    self._step,
                    (*state, points, ratios, 0),
                    name="integrate_loop",
                )
                value = _on_polynomial(state[5:], state[2], state[3], t[i])
                return (solution.write(i, value), points, ratios, *state, i + 1)

        solution, points, ratios, *_ = while_loop(
            lambda *values: values[-1] < count,
            at_time,
            (solution, points, ratios, *state, 1),
            name="interpolate_loop",
        )
        y = solution.stack(name=scope)
        y.set_shape(t.get_shape().concatenate(y0.get_shape()))
        if not full_output:
            return y
        taken = points.stack()
        return y, {
            "num_func_evals": 6 * composing.size(taken) + 1,
            "integrate_points": taken,
            "error_ratio": ratios.stack(),
        }

    def _step(self, *values: Any) -> tuple[Any, ...]:
        *state, points, ratios, n = values
        y0, f0, _, t0, dt, *polynomial = state
        with name_scope("assertions"):
            checks = [
                Assert(t0 + dt > t0, ["underflow in dt", dt]),
                Assert(n < self.most, ["max_num_steps exceeded"]),
                Assert(reduce_all(raw.IsFinite(absolute(y0))), ["non-finite values in state `y`", y0]),
            ]
        with control_dependencies(checks):
            y1, f1, error, derivatives = self._stages(y0, f0, t0, dt)
        with name_scope("error_ratio"):
            allowed = self.atol + self.rtol * raw.Maximum(absolute(y0), absolute(y1))
            ratio = raw.Sqrt(reduce_mean(_square(error) / raw.Square(allowed)))
            accepted = ratio <= 1
        with name_scope("update"):
            with name_scope("rk_state"):
                y = cond(accepted, lambda: y1, lambda: y0)
                f = cond(accepted, lambda: f1, lambda: f0)
                t1 = cond(accepted, lambda: t0 + dt, lambda: t0)
                polynomial = cond(accepted, lambda: _polynomial(y0, y1, derivatives, dt), lambda: [*polynomial])
                state = [y, f, t0, t1, self._next_step(dt, ratio), *polynomial]
            with name_scope("history"):
                end = t0 + dt
                points = points.write(points.size(), end)
                ratios = ratios.write(ratios.size(), ratio)
        return (*state, points, ratios, n + 1)

    def _stages(self, y0: Tensor, f0: Tensor, t0: Tensor, dt: Tensor) -> tuple[Tensor, Tensor, Tensor, list[Tensor]]:
        """The state and the derivative after a step, the state's error, and the derivatives at the stages."""
        with name_scope("runge_kutta_step") as scope:
            scale, derivatives, y = composing.cast(dt, y0.dtype), [f0], y0
            for node, weights in zip(_NODES, _STAGES, strict=True):
                time = t0 + node * dt
                y = y0 + combined_to_scale(scale, weights, derivatives)
                derivatives.append(convert_to_tensor(self.func(y, time)))
            y1 = raw.Identity(y, name=f"{scope}/y1")
            f1 = raw.Identity(derivatives[-1], name=f"{scope}/f1")
            error = combined_to_scale(scale, _ERROR, derivatives, name=f"{scope}/y1_error")
            return y1, f1, error, derivatives

    def _next_step(self, dt: Tensor, ratio: Tensor) -> Tensor:
        """The step that an error just small enough would have allowed, within limits."""
        with name_scope("optimal_step_size") as scope:
            ratio, exponent = composing.cast(ratio, dt.dtype), composing.cast(1 / _ORDER, dt.dtype)
            least = 1.0 / self.grow
            shrinkage = ratio**exponent / self.safety
            return raw.RealDiv(dt, raw.Maximum(least, raw.Minimum(shrinkage, 1.0 / self.shrink)), name=scope)


def _square(x: Tensor) -> Tensor:
    if x.dtype.is_complex:
        return raw.Square(raw.Real(x, Tout=x.dtype.real_dtype)) + raw.Square(raw.Imag(x, Tout=x.dtype.real_dtype))
    return raw.Square(x)


def _polynomial(y0: Tensor, y1: Tensor, derivatives: Sequence[Tensor], dt: Tensor) -> list[Any]:
    """The polynomial of order 4 with a step's values and slopes at its ends and value in its middle; highest first."""
    with name_scope("interp_fit_rk"):
        scale = composing.cast(dt, y0.dtype)
        middle = y0 + combined_to_scale(scale, _MIDDLE, derivatives)
        parts = [derivatives[0], derivatives[-1], y0, y1, middle]
        return [
            combined([-2 * scale, 2 * scale, -8, -8, 16], parts),
            combined([5 * scale, -3 * scale, 18, 14, -32], parts),
            combined([-4 * scale, scale, -11, -5, 16], parts),
            scale * derivatives[0],
            y0,
        ]


def _on_polynomial(coefficients: Sequence[Any], t0: Tensor, t1: Tensor, t: Tensor) -> Tensor:
    with name_scope("interp_evaluate"):
        check = Assert((t0 <= t) & (t <= t1), ["invalid interpolation, fails `t0 <= t <= t1`:", t0, t, t1])
        with control_dependencies([check]):
            x = (t - t0) / (t1 - t0)
        x = composing.cast(x, coefficients[0].dtype)
        powers = [convert_to_tensor(1, x.dtype), x]
        while len(powers) < len(coefficients):
            powers.append(powers[-1] * x)
        return combined(coefficients, powers[::-1])
