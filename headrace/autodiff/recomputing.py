"""`recompute_grad`: gradients that keep no values of the forward pass but compute them anew.

Chen, Xu, Zhang and Guestrin, "Training deep nets with sublinear memory cost", arXiv:1604.06174.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from headrace.autodiff.gradients import gradients
from headrace.core.defaults import control_dependencies
from headrace.core.registry import raw
from headrace.functions.flow.custom_gradient import custom_gradient


def recompute_grad(f: Callable[..., Any]) -> Callable[..., Any]:
    """A function like `f` whose gradient computes `f` once more, so that its values need not be kept until then.

    Args:
        f: takes tensors, returns a tensor or a list of them.

    Returns:
        a function of the same arguments.

    Raises:
        ValueError: when it is called with keyword arguments.

    Example:
        >>> @tf.recompute_grad
        ... def layer(x):
        ...     return tf.nn.relu(tf.layers.dense(x, 100))
    """

    @custom_gradient
    def recomputing(*args: Any) -> Any:
        def grad(*grads: Any, **keywords: Any) -> Any:
            variables = keywords.get("variables")
            # Nothing of it begins before the gradients are there.
            with control_dependencies(list(grads)):
                inputs = [raw.Identity(x) for x in args]
                again = f(*inputs)
            results = list(again) if isinstance(again, (list, tuple)) else [again]
            used = list(variables or ())
            made = gradients(results, [*inputs, *used], grad_ys=list(grads))
            return made if variables is None else (made[: len(args)], made[len(args) :])

        return f(*args), grad

    return functools.wraps(f)(recomputing)
