"""Training steps: update ops first, then transformed gradients, with a check of the loss."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.collections import GraphKeys
from headrace.core.composite import IndexedSlices
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import control_dependencies, get_collection, get_collection_ref, name_scope
from headrace.ops.flow.grouping import no_op, with_dependencies
from headrace.ops.flow.numerics import check_numerics as checked
from headrace.ops.math.clip import clip_by_norm, global_norm
from headrace.optimizers.optimizer import Optimizer
from headrace.state.collecting import trainable_variables
from headrace.state.global_step import get_or_create_global_step
from headrace.summary import operations as summary
from headrace.util import tf_logging

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import TensorLike


Gradients = list[tuple[Any, Any]]

# A step counter that is not given is the graph's; None is for none.
USE_GLOBAL_STEP = 0


def _changed(gradient: Tensor, change: Callable[[Any], Any]) -> Tensor:
    if isinstance(gradient, IndexedSlices):
        return IndexedSlices(change(gradient.values), gradient.indices, gradient.dense_shape)
    return change(gradient)


def _product(factor: Tensor, values: Tensor) -> Tensor:
    return values * factor


def summarize_gradients_as(grads_and_vars: Gradients, separator: str) -> list[Any]:
    """A histogram of each gradient and a summary of its norm, named by the variable."""
    made = []
    for gradient, variable in grads_and_vars:
        if gradient is None:
            tf_logging.info("Var %s has no gradient", variable.op.name)
            continue
        values = gradient.values if isinstance(gradient, IndexedSlices) else gradient
        made.append(summary.histogram(f"{variable.op.name}{separator}gradient", values))
        made.append(summary.scalar(f"{variable.op.name}{separator}gradient_norm", global_norm([values])))
    return made


def add_gradients_summaries(grads_and_vars: Gradients) -> list[Any]:
    """A histogram of each gradient and a summary of its norm.

    Args:
        grads_and_vars: (gradient, variable) pairs.
    """
    return summarize_gradients_as(grads_and_vars, "_")


def clip_gradient_norms(gradients_to_variables: Gradients, max_norm: TensorLike) -> Gradients:
    """Scales gradients down, each by itself.

    Args:
        gradients_to_variables: (gradient, variable) pairs.
        max_norm: the largest norm of a gradient.
    """
    return [
        (None if gradient is None else _changed(gradient, lambda values: clip_by_norm(values, max_norm)), variable)
        for gradient, variable in gradients_to_variables
    ]


def clip_gradient_norms_fn(max_norm: TensorLike) -> Callable[[Gradients], Gradients]:
    """`clip_gradient_norms` as a function of the pairs only."""
    return lambda gradients_to_variables: clip_gradient_norms(gradients_to_variables, max_norm)


def multiply_gradients(grads_and_vars: Gradients, gradient_multipliers: Mapping[str, float]) -> Gradients:
    """Multiplies gradients.

    Args:
        grads_and_vars: (gradient, variable) pairs.
        gradient_multipliers: a dict of factors by variable or name of its operation.

    Raises:
        ValueError: if an argument is of a wrong kind or empty, or a gradient to multiply is None.
    """
    if not isinstance(grads_and_vars, list):
        raise ValueError("`grads_and_vars` must be a list.")
    if not gradient_multipliers:
        raise ValueError("`gradient_multipliers` is empty.")
    if not isinstance(gradient_multipliers, dict):
        raise ValueError("`gradient_multipliers` must be a dict.")
    found = []
    for gradient, variable in grads_and_vars:
        key = variable if variable in gradient_multipliers else variable.op.name
        if key in gradient_multipliers:
            if gradient is None:
                raise ValueError("Requested multiple of `None` gradient.")
            factor = convert_to_tensor(gradient_multipliers[key], dtype=gradient.dtype)
            gradient = _changed(gradient, functools.partial(_product, factor))
        found.append((gradient, variable))
    return found


def create_train_op(
    total_loss: Tensor,
    optimizer: Optimizer,
    global_step: TensorLike | None = USE_GLOBAL_STEP,
    update_ops: Sequence[Any] | None = None,
    variables_to_train: Sequence[Any] | None = None,
    transform_grads_fn: Callable[[Gradients], Gradients] | None = None,
    summarize_gradients: bool = False,
    gate_gradients: int = Optimizer.GATE_OP,
    aggregation_method: Any = None,
    colocate_gradients_with_ops: bool = False,
    check_numerics: bool = True,
) -> Tensor:
    """A training step.

    Args:
        total_loss: a scalar.
        optimizer: an optimizer.
        global_step: the step counter; the graph's by default, None for none.
        update_ops: operations to run before; `GraphKeys.UPDATE_OPS` by default.
        variables_to_train: those to train; all trainable ones by default.
        transform_grads_fn: a function of (gradient, variable) pairs.
        summarize_gradients: whether to make summaries of the gradients.
        gate_gradients, aggregation_method, colocate_gradients_with_ops: as in `Optimizer.compute_gradients`.
        check_numerics: whether a loss that is no finite number is an error.

    Returns:
        the loss; computing it does the step.

    Example:
        >>> train_op = tf.contrib.training.create_train_op(loss, tf.train.AdamOptimizer())
    """
    if global_step is USE_GLOBAL_STEP:
        global_step = get_or_create_global_step()
    of_graph = dict.fromkeys(get_collection(GraphKeys.UPDATE_OPS))
    updates = of_graph if update_ops is None else dict.fromkeys(update_ops)
    if not of_graph.keys() <= updates.keys():
        tf_logging.warning("update_ops in create_train_op does not contain all the update_ops in GraphKeys.UPDATE_OPS")
    if updates:
        with control_dependencies(list(updates)):
            barrier = no_op(name="update_barrier")
        total_loss = with_dependencies([barrier], total_loss)
    if variables_to_train is None:
        variables_to_train = trainable_variables()
    else:
        trained = {id(variable) for variable in trainable_variables()}
        for variable in variables_to_train:
            if not (getattr(variable, "trainable", False) or id(variable) in trained):
                raise AssertionError(f"{variable.name} is not trainable.")
    if not variables_to_train:
        raise AssertionError("There are no variables to train.")
    gradients = optimizer.compute_gradients(
        total_loss,
        variables_to_train,
        gate_gradients=gate_gradients,
        aggregation_method=aggregation_method,
        colocate_gradients_with_ops=colocate_gradients_with_ops,
    )
    if transform_grads_fn:
        gradients = transform_grads_fn(gradients)
    if summarize_gradients:
        with name_scope("summarize_grads"):
            add_gradients_summaries(gradients)
    applied = optimizer.apply_gradients(gradients, global_step=global_step)
    with name_scope("train_op"):
        if check_numerics:
            total_loss = checked(total_loss, "LossTensor is inf or nan")
        train_op = with_dependencies([applied], total_loss)
    collected = get_collection_ref(GraphKeys.TRAIN_OP)
    if all(train_op is not other for other in collected):
        collected.append(train_op)
    return train_op
