"""Exponential moving averages of variables and of values."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from headrace.core.collections import GraphKeys
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import add_to_collection, colocate_with, get_default_graph, name_scope
from headrace.core.dtypes import bfloat16, float16, float32, float64
from headrace.core.eager import executing_eagerly
from headrace.core.operation import Operation
from headrace.ops.flow.grouping import group
from headrace.ops.math.binary import minimum, pow
from headrace.ops.math.cast import cast
from headrace.ops.math.division import div, truediv
from headrace.optimizers import slots
from headrace.state.collecting import global_variables, moving_average_variables, trainable_variables
from headrace.state.initializers import zeros_initializer
from headrace.state.modes import ReduceOp
from headrace.state.replication import get_strategy_and_replica_context, has_strategy
from headrace.state.scoping import init_scope
from headrace.state.updates import assign, assign_sub
from headrace.state.variable_scope import get_variable, get_variable_scope, variable_scope
from headrace.state.variables import Variable

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from headrace.core.tensor import Tensor
    from headrace.core.typing import CollectionNames, TensorLike


_HOLDERS = ("Variable", "VariableV2", "VarHandleOp")


def assign_moving_average(
    variable: Any, value: Any, decay: Any, zero_debias: bool = True, name: str | None = None
) -> Any:
    """variable -= (1 - decay) * (variable - value).

    Args:
        variable: the variable that keeps the average.
        value: a tensor shaped as the variable.
        decay: a float or float tensor, close to 1.
        zero_debias: whether `variable` starts at 0 and is to be scaled as Adam's moments are (Kingma and Ba,
            arXiv:1412.6980, section 3); two more variables, "biased" and "local_step", are made for it.
        name: the name scope.

    Returns:
        what evaluates to the new average. Where replicas of a strategy call this, the average goes on by the mean of
        their values, whatever the variable's own aggregation.

    Example:
        >>> moving_mean = tf.get_variable("moving_mean", [], initializer=tf.ones_initializer(), trainable=False)
        >>> update = assign_moving_average(moving_mean, 3.0, 0.75, zero_debias=False)
        >>> sess.run(moving_mean.initializer)
        >>> sess.run(update)
        1.5
    """
    with name_scope(name, "AssignMovingAvg", [variable, value, decay]) as scope:
        rate = convert_to_tensor(1.0 - decay, name="decay")
        if rate.dtype != variable.dtype.base_dtype:
            rate = cast(rate, variable.dtype.base_dtype)

        def average(part: Any, value: Any) -> Any:
            return assign_sub(part, (part - value) * rate, name=scope)

        def debiased(part: Any, value: Any, biased: Any, local_step: Any) -> Tensor:
            update = assign_sub(biased, (biased - value) * rate)
            steps = local_step.assign_add(1)
            factor = 1 - pow(1.0 - rate, steps)
            return assign(part, update / factor, name=f"{get_default_graph().get_name_scope()}/")

        if not has_strategy():
            if zero_debias:
                return debiased(variable, value, *_bias_variables(variable, value, rate, colocate_with(variable)))
            return average(variable, value)

        def on_all_parts(strategy: Any, variable: Any, value: Any) -> Any:
            if not zero_debias:
                return strategy.extended.update(variable, average, args=(value,))
            kept = _bias_variables(variable, value, rate, strategy.extended.colocate_vars_with(variable))
            return strategy.extended.update(variable, debiased, args=(value, *kept))

        def merged(strategy: Any, variable: Any, value: Any) -> Any:
            return on_all_parts(strategy, variable, strategy.extended.reduce_to(ReduceOp.MEAN, value, variable))

        strategy, replica = get_strategy_and_replica_context()
        if replica is None:
            return on_all_parts(strategy, variable, value)
        return replica.merge_call(merged, args=(variable, value))


def _bias_variables(
    variable: Any, value: TensorLike, rate: Tensor, place: AbstractContextManager[Any]
) -> tuple[Any, Any]:
    """The biased average beside `variable`, which gets the average without the bias, and the count of updates."""
    with variable_scope(variable.name[:-2], values=[variable, value, rate]):
        with init_scope():
            zeros = zeros_initializer()
        with place:
            biased = get_variable(
                _unused("biased"),
                initializer=zeros,
                shape=variable.get_shape(),
                dtype=variable.dtype,
                trainable=False,
            )
            local_step = get_variable(
                _unused("local_step"), shape=[], dtype=variable.dtype, initializer=zeros, trainable=False
            )
    return biased, local_step


def _unused(name: str) -> str:
    """`name`, with a number where the open variable scope has a variable of this name."""
    scope = get_variable_scope()
    if scope.reuse:
        return name
    taken = {variable.op.name for variable in scope.global_variables()}
    full = f"{scope.name}/{name}"
    if full not in taken:
        return name
    number = 1
    while f"{full}_{number}" in taken:
        number += 1
    return f"{name}_{number}"


def weighted_moving_average(
    value: Any,
    decay: Any,
    weight: Any,
    truediv: bool = True,
    collections: CollectionNames | None = None,
    name: str | None = None,
) -> Any:
    """The moving average of value * weight over that of weight.

    Args:
        value: a numeric tensor.
        decay: a float or float tensor.
        weight: a tensor that multiplies `value`.
        truediv: whether integers are divided as floats.
        collections: those that the two variables join; the global variables by default.
        name: the variable scope, "WeightedMovingAvg" by default.

    Returns:
        a tensor with the new average.
    """
    if collections is None:
        collections = [GraphKeys.GLOBAL_VARIABLES]
    with variable_scope(name, "WeightedMovingAvg", [value, weight, decay]) as scope:
        kept = [
            get_variable(
                what,
                shape=of.get_shape(),
                dtype=of.dtype,
                initializer=zeros_initializer(),
                trainable=False,
                collections=collections,
            )
            for what, of in (("value_x_weight", value), ("weight", weight))
        ]
        numerator = assign_moving_average(kept[0], value * weight, decay, zero_debias=False)
        denominator = assign_moving_average(kept[1], weight, decay, zero_debias=False)
        return _quotient(numerator, denominator, truediv, scope.name)


def _quotient(x: Any, y: TensorLike, true: bool, name: str) -> Any:
    return truediv(x, y, name=name) if true else div(x, y, name=name)


class ExponentialMovingAverage:
    """Keeps a moving average of each of some variables in a slot beside it.

    average -= (1 - decay) * (average - variable), each time that the operation of `apply` runs. (Polyak and Juditsky,
    "Acceleration of stochastic approximation by averaging", 1992, is on why averages of variables do better.)

    Args:
        decay: a float, close to 1.
        num_updates: the number of updates so far; the decay is at most (1 + num_updates) / (10 + num_updates) then.
        zero_debias: whether averages of tensors, which start at 0, are scaled as Adam's moments are.
        name: what the names of the averages end in.

    Example:
        >>> ema = tf.train.ExponentialMovingAverage(decay=0.999)
        >>> train_step = optimizer.minimize(loss)
        >>> with tf.control_dependencies([train_step]):
        ...     train_op = ema.apply([w])
        >>> saver = tf.train.Saver(ema.variables_to_restore())
    """

    def __init__(
        self,
        decay: TensorLike,
        num_updates: Variable | None = None,
        zero_debias: bool = False,
        name: str = "ExponentialMovingAverage",
    ) -> None:
        self._decay = decay
        self._num_updates = num_updates
        self._zero_debias = zero_debias
        self._name = name
        self._averages: dict[Any, Any] = {}

    @property
    def name(self) -> str:
        """What the names of the averages end in."""
        return self._name

    def apply(self, var_list: Any = None) -> Operation:
        """The operation that updates the averages, which are made where there are none yet.

        Args:
            var_list: variables and tensors of float types; the trainable variables by default.

        Raises:
            TypeError: if one is not of a float type.
        """
        if var_list is None:
            var_list = trainable_variables()
        debiased = set()
        for var in var_list:
            if var.dtype.base_dtype not in (bfloat16, float16, float32, float64):
                raise TypeError(f"The variables must be half, float, or double: {var.name}")
            if executing_eagerly() and not isinstance(var, Variable):
                raise TypeError(
                    "tf.train.ExponentialMovingAverage does not support non-Variable tensors when eager execution is enabled."
                )
            if var.experimental_ref() in self._averages:
                continue
            with init_scope():
                if isinstance(var, Variable):
                    average = slots.create_slot(var, var.initialized_value(), self._name)
                    add_to_collection(GraphKeys.MOVING_AVERAGE_VARIABLES, var)
                else:
                    average = slots.create_zeros_slot(var, self._name, colocate_with_primary=var.op.type in _HOLDERS)
                    if self._zero_debias:
                        debiased.add(average.experimental_ref())
            self._averages[var.experimental_ref()] = average
        with name_scope(self._name) as scope:
            decay = convert_to_tensor(self._decay, name="decay")
            if self._num_updates is not None:
                updates = cast(self._num_updates, float32, name="num_updates")
                decay = minimum(decay, (1.0 + updates) / (10.0 + updates))
            steps = []
            for var in var_list:
                average = self._averages[var.experimental_ref()]
                steps.append(assign_moving_average(average, var, decay, average.experimental_ref() in debiased))
            return group(*steps, name=scope)

    def average(self, var: Tensor | Variable) -> Any:
        """The variable that keeps the average of `var`; None if there is none."""
        return self._averages.get(var.experimental_ref())

    def average_name(self, var: Variable) -> str:
        """The name of the average of `var`, or the one it will have: what checkpoints keep it by."""
        average = self.average(var)
        if average is not None:
            return average.op.name
        return get_default_graph().unique_name(f"{var.op.name}/{self._name}", mark_as_used=False)

    def variables_to_restore(self, moving_avg_variables: Iterable[Any] | None = None) -> dict[str, Any]:
        """What to restore from a checkpoint, so that variables get their averages: names to variables.

        Args:
            moving_avg_variables: the variables that are averaged; the trainable ones and those in the collection of
                averaged ones by default.

        Returns:
            the names of the averages with the variables that are averaged, and of all others with themselves.
        """
        if moving_avg_variables is None:
            moving_avg_variables = [*trainable_variables(), *moving_average_variables()]
        averaged = list(dict.fromkeys(moving_avg_variables))
        found = {self.average_name(var): var for var in averaged}
        names = {var.name for var in averaged}
        for var in dict.fromkeys(global_variables()):
            if var.name not in names and var.op.name not in found:
                found[var.op.name] = var
        return found
