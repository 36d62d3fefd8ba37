"""Gradients of Python functions: `tfe.gradients_function` and its like."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

from headrace.autodiff.gradient_tape import GradientTape
from headrace.autodiff.gradients import is_trainable
from headrace.core import nest
from headrace.core.convert import convert_to_tensor
from headrace.core.eager import EagerTensor, eager_graph
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.kernels.composing.filling import ones_like, zeros_like


def _positions(f: Callable[..., Any], params: Sequence[Any] | None, args: Sequence[Any]) -> list[int]:
    """The arguments to differentiate by: all of them, or those named or numbered.

    Raises:
        ValueError: for a name or number that is none, or a mixture of both.
    """
    if params is None:
        return list(range(len(args)))
    if all(isinstance(p, str) for p in params):
        names = list(inspect.signature(f).parameters)
        missing = [p for p in params if p not in names]
        if missing:
            raise ValueError(f"params must be names of arguments of the function, {missing} are not among {names}.")
        return [names.index(p) for p in params]
    if all(isinstance(p, int) for p in params):
        return list(params)
    raise ValueError("params must be all strings or all integers; got " + str(params))


def value_and_gradients_function(f: Callable[..., Any], params: Sequence[Any] | None = None) -> Callable[..., Any]:
    """A function that returns the value of `f` and its gradients.

    Args:
        f: takes tensors, returns a tensor or a list of them.
        params: the names or positions of the arguments to differentiate by; all by default.

    Returns:
        a function of the arguments of `f`, and optionally `dy`, the gradient to start from, that returns the value and a list
        of gradients.

    Raises:
        ValueError: when it is called with an argument that no gradient reaches as None results, never; for wrong `params`.

    Example:
        >>> value, (dx, dy) = tfe.value_and_gradients_function(lambda x, y: x * y)(2.0, 3.0)
    """

    @functools.wraps(f)
    def call(*args: Any, **kwargs: Any) -> tuple[Any, list[Any]]:
        start = kwargs.pop("dy", None)
        if kwargs:
            raise ValueError("Functions to be differentiated cannot receive keyword arguments.")
        value, backward = _run(f, _positions(f, params, args), args)
        return value, backward(start)

    return call


def gradients_function(f: Callable[..., Any], params: Sequence[Any] | None = None) -> Callable[..., Any]:
    """As `value_and_gradients_function`, but it returns the gradients alone.

    Example:
        >>> tfe.gradients_function(lambda x: x * x)(3.0)[0].numpy()
        6.0
    """

    @functools.wraps(f)
    def call(*args: Any, **kwargs: Any) -> list[Any]:
        gradients: list[Any] = value_and_gradients_function(f, params)(*args, **kwargs)[1]
        return gradients

    return call


def make_vjp(f: Callable[..., Any], params: Sequence[Any] | None = None, persistent: bool = True) -> Callable[..., Any]:
    """A function that returns the value of `f` and a function from the gradient of that to those of the arguments.

    Args:
        f: takes tensors, returns a tensor or a structure of them.
        params: the names or positions of the arguments to differentiate by; all by default.
        persistent: whether the second function may be called more than once.
    """

    @functools.wraps(f)
    def call(*args: Any, **kwargs: Any) -> tuple[Any, Callable[..., Any]]:
        if kwargs:
            raise ValueError("Functions to be differentiated cannot receive keyword arguments.")
        return _run(f, _positions(f, params, args), args, persistent)

    return call


def _run(
    f: Callable[..., Any], positions: Sequence[int], args: Sequence[Any], persistent: bool = False
) -> tuple[Any, Callable[..., Any]]:
    with GradientTape(persistent=persistent) as tape:
        given: list[Any] = list(args)
        sources: list[Any] = []
        for i, value in enumerate(given):
            if hasattr(value, "handle"):
                if i in positions:
                    tape.watch(value)
            else:
                given[i] = convert_to_tensor(value)
        # One value passed for two of them has two gradients; elsewhere among the arguments it counts as well.
        met: set[int] = set()
        for i in positions:
            if isinstance(given[i], Tensor) and id(given[i]) in met:
                given[i] = raw.Identity(given[i])
            met.add(id(given[i]))
        for i in positions:
            if isinstance(given[i], Tensor):
                tape.watch(given[i])
            sources.append(given[i])
        result = f(*given)
        if result is None:
            raise ValueError(
                f"Cannot differentiate a function that returns None; did you forget to return a value from {f.__name__}?"
            )
        value = nest.map_structure(convert_to_tensor, result)

    def backward(start: Any = None) -> list[Any]:
        if isinstance(value, Tensor) and not is_trainable(value.dtype):
            return [None] * len(sources)
        if start is None and isinstance(value, EagerTensor):
            # The first gradients are constants as functions of the arguments: their derivatives are zeros, not missing.
            start = ones_like(value)
            eager_graph().note([value], [start], lambda _: [zeros_like(value)])
        gradients: list[Any] = tape.gradient(value, sources, start)
        return gradients

    return value, backward


def implicit_value_and_gradients(f: Callable[..., Any]) -> Callable[..., Any]:
    """A function that returns the value of `f` and its gradients with respect to the trainable variables it uses.

    Args:
        f: returns a tensor.

    Returns:
        a function of the arguments of `f` that returns the value and a list of pairs of a gradient and a variable.

    Raises:
        ValueError: when it is called, if no variable is used or `f` returns None.

    Example:
        >>> w = tfe.Variable(3.0)
        >>> value, grads_and_vars = tfe.implicit_value_and_gradients(lambda x: w * x)(2.0)
        >>> tf.train.GradientDescentOptimizer(0.5).apply_gradients(grads_and_vars)
        >>> w.numpy()
        2.0
    """

    @functools.wraps(f)
    def call(*args: Any, **kwargs: Any) -> tuple[Any, list[tuple[Any, Any]]]:
        with GradientTape() as tape:
            value = f(*args, **kwargs)
            if value is None:
                raise ValueError(
                    f"Cannot differentiate a function that returns None; did you forget to return a value from {f.__name__}?"
                )
        variables = tape.watched_variables()
        if not variables:
            raise ValueError("No trainable variables were accessed while the function was being computed.")
        return value, list(zip(tape.gradient(value, list(variables)), variables, strict=True))

    return call


def implicit_gradients(f: Callable[..., Any]) -> Callable[..., Any]:
    """As `implicit_value_and_gradients`, but it returns the pairs alone.

    Example:
        >>> w = tfe.Variable(3.0)
        >>> grads_and_vars = tfe.implicit_gradients(lambda x: w * x)(2.0)
        >>> grads_and_vars[0][0].numpy()
        2.0
    """

    @functools.wraps(f)
    def call(*args: Any, **kwargs: Any) -> list[tuple[Any, Any]]:
        pairs: list[tuple[Any, Any]] = implicit_value_and_gradients(f)(*args, **kwargs)[1]
        return pairs

    return call
