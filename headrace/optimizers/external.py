"""Minimizing with an algorithm outside the graph, SciPy's by default."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.autodiff.gradients import gradients
from headrace.core.defaults import get_default_session
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.kernels import composing
from headrace.ops.array.constant import placeholder
from headrace.state.collecting import trainable_variables
from headrace.util import tf_logging

if TYPE_CHECKING:
    from headrace.core.typing import SessionLike, TensorLike


def _sizes(tensor: Any) -> tuple[int, ...]:
    return tuple(tensor.get_shape().as_list())


def _slopes(value: TensorLike, variables: Sequence[Any]) -> list[Tensor]:
    found = gradients(value, list(variables))
    return [composing.zeros_like(var) if grad is None else grad for var, grad in zip(variables, found, strict=True)]


def _packed(tensors: Sequence[Any]) -> Any:
    """All elements of some tensors in one vector."""
    flat = [raw.Reshape(tensor, [-1]) for tensor in tensors]
    if not flat:
        return None
    return flat[0] if len(flat) == 1 else composing.concat(flat, 0)


class ExternalOptimizerInterface:
    """Base class: gives an algorithm the loss and its gradient as functions of one vector; overrides `_minimize`.

    Args:
        loss: a scalar tensor.
        var_list: what to change; the trainable variables by default.
        equalities: scalar tensors that are to be 0.
        inequalities: scalar tensors that are not to be negative.
        var_to_bounds: of a variable its (lower, upper) bounds, which broadcast to its shape.
        **optimizer_kwargs: for the algorithm.
    """

    def __init__(
        self,
        loss: TensorLike,
        var_list: Sequence[Any] | None = None,
        equalities: Sequence[Any] | None = None,
        inequalities: Sequence[Any] | None = None,
        var_to_bounds: Mapping[Any, tuple[Any, Any]] | None = None,
        **optimizer_kwargs: Any,
    ) -> None:
        self._loss = loss
        self._equalities = equalities or []
        self._inequalities = inequalities or []
        self._vars = trainable_variables() if var_list is None else list(var_list)
        self._packed_bounds: list[tuple[Any, Any]] | None = None
        if var_to_bounds is not None:
            self._packed_bounds = []
            for var in self._vars:
                bounds = var_to_bounds.get(var, (-np.inf, np.inf))
                low, high = (np.broadcast_to(bound, _sizes(var)).flat for bound in bounds)
                self._packed_bounds.extend(zip(low, high, strict=True))
        self._update_placeholders = [placeholder(var.dtype.base_dtype) for var in self._vars]
        self._var_updates = [
            var.assign(raw.Reshape(value, list(_sizes(var))))
            for var, value in zip(self._vars, self._update_placeholders, strict=True)
        ]
        loss_grads = _slopes(loss, self._vars)
        equality_grads = [_slopes(equality, self._vars) for equality in self._equalities]
        inequality_grads = [_slopes(inequality, self._vars) for inequality in self._inequalities]
        self.optimizer_kwargs = optimizer_kwargs
        self._packed_var = _packed(self._vars)
        self._packed_loss_grad = _packed(loss_grads)
        self._packed_equality_grads = [_packed(grads) for grads in equality_grads]
        self._packed_inequality_grads = [_packed(grads) for grads in inequality_grads]
        ends = [0, *itertools.accumulate(math.prod(_sizes(var)) for var in self._vars)]
        self._packing_slices = [slice(start, end) for start, end in itertools.pairwise(ends)]

    def minimize(
        self,
        session: SessionLike | None = None,
        feed_dict: Mapping[Any, Any] | None = None,
        fetches: Sequence[Any] | None = None,
        step_callback: Callable[[Any], Any] | None = None,
        loss_callback: Callable[..., Any] | None = None,
        **run_kwargs: Any,
    ) -> None:
        """Minimizes, and assigns the result to the variables.

        Args:
            session: the session, the default one if not given.
            feed_dict: fed each time.
            fetches: fetched with the loss each time.
            step_callback: called with the vector after each iteration.
            loss_callback: called with the values of `fetches` each time.
            **run_kwargs: for the run that assigns.
        """
        session = session or get_default_session()
        feeds, extra = dict(feed_dict or {}), list(fetches or [])

        def function(tensors: list[Any], callback: Callable[..., Any] | None = None) -> Callable[[Any], list[Any]]:
            def evaluate(x: np.ndarray) -> list[Any]:
                values = {
                    var: x[part].reshape(_sizes(var))
                    for var, part in zip(self._vars, self._packing_slices, strict=True)
                }
                values.update(feeds)
                results = session.run(tensors + extra, feed_dict=values)
                if callback is not None:
                    callback(*results[len(tensors) :])
                return results[: len(tensors)]

            return evaluate

        packed = self._minimize(
            initial_val=session.run(self._packed_var),
            loss_grad_func=function([self._loss, self._packed_loss_grad], loss_callback),
            equality_funcs=[function([tensor]) for tensor in self._equalities],
            equality_grad_funcs=[function([tensor]) for tensor in self._packed_equality_grads],
            inequality_funcs=[function([tensor]) for tensor in self._inequalities],
            inequality_grad_funcs=[function([tensor]) for tensor in self._packed_inequality_grads],
            packed_bounds=self._packed_bounds,
            step_callback=step_callback or (lambda x: None),
            optimizer_kwargs=self.optimizer_kwargs,
        )
        parts = [packed[part] for part in self._packing_slices]
        assigned = dict(zip(self._update_placeholders, parts, strict=True))
        session.run(self._var_updates, feed_dict=assigned, **run_kwargs)

    def _minimize(
        self,
        initial_val: TensorLike,
        loss_grad_func: Callable[[Any], list[Any]],
        equality_funcs: list[Callable[[Any], list[Any]]],
        equality_grad_funcs: list[Callable[[Any], list[Any]]],
        inequality_funcs: list[Callable[[Any], list[Any]]],
        inequality_grad_funcs: list[Callable[[Any], list[Any]]],
        packed_bounds: list[tuple[Any, Any]] | None,
        step_callback: Callable[[Any], Any],
        optimizer_kwargs: dict[str, Any],
    ) -> np.ndarray:
        """The algorithm: returns the vector of the least loss, starting at `initial_val`."""
        raise NotImplementedError(
            "To use ExternalOptimizerInterface, subclass from it and implement the _minimize() method."
        )


class ScipyOptimizerInterface(ExternalOptimizerInterface):
    """Minimizes with `scipy.optimize.minimize`, by default with L-BFGS-B.

    Byrd, Lu, Nocedal and Zhu, "A limited memory algorithm for bound constrained optimization", SIAM Journal on
    Scientific Computing 16 (1995).

    Args:
        loss, var_list, equalities, inequalities, var_to_bounds: as for `ExternalOptimizerInterface`.
        **optimizer_kwargs: `method`, `options`, `tol` and the like.

    Example:
        >>> optimizer = tf.contrib.opt.ScipyOptimizerInterface(loss, options={"maxiter": 100})
        >>> optimizer.minimize(session)
    """

    _DEFAULT_METHOD = "L-BFGS-B"

    def _minimize(
        self,
        initial_val: Any,
        loss_grad_func: Callable[[Any], list[Any]],
        equality_funcs: list[Callable[[Any], list[Any]]],
        equality_grad_funcs: list[Callable[[Any], list[Any]]],
        inequality_funcs: list[Callable[[Any], list[Any]]],
        inequality_grad_funcs: list[Callable[[Any], list[Any]]],
        packed_bounds: list[tuple[Any, Any]] | None,
        step_callback: Callable[[Any], Any],
        optimizer_kwargs: dict[str, Any],
    ) -> np.ndarray:
        def function(x: TensorLike) -> tuple[Any, Any]:
            loss, gradient = loss_grad_func(x)
            # SciPy's Fortran routines read doubles.
            return float(loss), gradient.astype("float64")

        keywords = dict(optimizer_kwargs)
        method = keywords.pop("method", self._DEFAULT_METHOD)
        constraints = []
        for kind, funcs, gradient_funcs in (
            ("eq", equality_funcs, equality_grad_funcs),
            ("ineq", inequality_funcs, inequality_grad_funcs),
        ):
            for func, gradient_func in zip(funcs, gradient_funcs, strict=True):
                constraints.append({"type": kind, "fun": _first_of(func), "jac": _first_of(gradient_func)})
        automatic = {
            "jac": True,
            "callback": step_callback,
            "method": method,
            "constraints": constraints,
            "bounds": packed_bounds,
        }
        for name in automatic:
            if name == "bounds" and name in keywords:
                raise ValueError("Bounds must be set using the var_to_bounds argument")
            if name in keywords:
                raise ValueError(f"Optimizer keyword arg '{name}' is set automatically and cannot be injected manually")
        try:
            from scipy import optimize
        except ImportError as error:
            raise ImportError("ScipyOptimizerInterface needs SciPy: pip install scipy") from error
        result = optimize.minimize(function, initial_val.astype("float64"), **automatic, **keywords)
        lines = ["Optimization terminated with:", f"  Message: {result.message}"]
        lines.append(f"  Objective function value: {result.fun:f}")
        if hasattr(result, "nit"):
            lines.append(f"  Number of iterations: {result.nit}")
        if hasattr(result, "nfev"):
            lines.append(f"  Number of functions evaluations: {result.nfev}")
        tf_logging.info("%s", "\n".join(lines))
        return result["x"]


def _first_of(function: Callable[[Any], list[Any]]) -> Callable[[Any], Any]:
    return lambda x: function(x)[0].astype("float64")
