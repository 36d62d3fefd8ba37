"""`recompute_grad`: gradients that keep no values of the forward pass but compute them anew.

Chen, Xu, Zhang and Guestrin, "Training deep nets with sublinear memory cost", arXiv:1604.06174.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from headrace.autodiff.gradient_tape import GradientTape
from headrace.autodiff.gradients import gradients
from headrace.core import nest
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import control_dependencies
from headrace.core.eager import executing_eagerly
from headrace.core.registry import raw
from headrace.functions.flow.custom_gradient import custom_gradient


def recompute_grad(f: Callable[..., Any]) -> Callable[..., Any]:
    """A function like `f` whose gradient computes `f` once more, so that its values need not be kept until then.

    Args:
        f: takes tensors, returns a tensor or a list of them.

    Returns:
        a function of the same arguments.

    Raises:
        ValueError: when it is called with keyword arguments in a graph.

    Example:
        >>> @tf.recompute_grad
        ... def layer(x):
        ...     return tf.nn.relu(tf.layers.dense(x, 100))
    """

    @custom_gradient
    def recomputing(*args: Any, **settings: Any) -> Any:
        again = functools.partial(f, **settings)

        def grad(*grads: Any, **keywords: Any) -> Any:
            variables = keywords.get("variables")
            sources = [*args, *(variables or ())]
            made = (_eagerly if executing_eagerly() else _in_graph)(again, args, sources, grads)
            return made if variables is None else (made[: len(args)], made[len(args) :])

        return again(*args), grad

    return functools.wraps(f)(recomputing)


def _in_graph(f: Callable[..., Any], args: Any, sources: list[Any], grads: Sequence[Any]) -> list[Any]:
    """Gradients by operations of the graph, which begin when `grads` are there."""
    with control_dependencies(list(grads)):
        inputs = [raw.Identity(x) for x in args]
        again = f(*inputs)
    return gradients(nest.flatten(again), inputs + sources[len(inputs) :], grad_ys=list(grads))


def _eagerly(f: Callable[..., Any], args: Any, sources: list[Any], grads: Sequence[Any]) -> list[Any]:
    """Gradients by a tape that looks on while `f` runs once more."""
    inputs = [convert_to_tensor(x) for x in args]
    sources = inputs + sources[len(inputs) :]
    with GradientTape() as tape:
        for source in sources:
            tape.watch(source)
        again = f(*inputs)
    made: list[Any] = tape.gradient(nest.flatten(again), sources, output_gradients=list(grads))
    return made
