"""Constrained optimizers whose second player weighs the constraints.

Cotter, Jiang and Sridharan, "Two-player games for efficient non-convex constrained optimization", arXiv:1804.06500.
"""

from __future__ import annotations

import abc
import math
from typing import TYPE_CHECKING, Any

from headrace.contrib.constrained_optimization.optimizer import ConstrainedOptimizer
from headrace.contrib.constrained_optimization.problem import ConstrainedMinimizationProblem
from headrace.contrib.constrained_optimization.projections import (
    nearest_log_stochastic_matrix,
    nearest_multipliers,
    nearest_stochastic_matrix,
    stationary_vector,
)
from headrace.core.defaults import colocate_with, control_dependencies
from headrace.core.dtypes import float32
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.math.products import tensordot
from headrace.functions.math.reduction import reduce_sum
from headrace.kernels.composing import concat, expand_dims, matmul, ones, zeros
from headrace.ops.array.constant import constant
from headrace.ops.flow.grouping import group
from headrace.ops.math.cast import cast, to_float
from headrace.optimizers.optimizer import Optimizer
from headrace.state.updates import assign, assign_add
from headrace.state.variables import Variable

if TYPE_CHECKING:
    from headrace.core.operation import Operation


class _GameOptimizer(ConstrainedOptimizer):
    """Two players: the model makes the weighted loss small, the state of the weights makes the violations dear."""

    _state_name: str

    def __init__(self, optimizer: Optimizer, constraint_optimizer: Optimizer | None = None) -> None:
        super().__init__(optimizer)
        self._constraint_optimizer = constraint_optimizer

    @property
    def constraint_optimizer(self) -> Optimizer | None:
        """The `tf.train.Optimizer` that changes the weights of the constraints; None if it is `optimizer`."""
        return self._constraint_optimizer

    @abc.abstractmethod
    def _initial_state(self, num_constraints: int) -> Tensor:
        """What the state begins with."""

    @abc.abstractmethod
    def _loss_and_payoff(
        self, state: Variable, objective: Tensor, constraints: Tensor, proxies: Tensor
    ) -> tuple[Any, Any]:
        """What the model is to make small, and the slope of what the state is to make large."""

    @abc.abstractmethod
    def _projection_op(self, state: Variable, name: str | None = None) -> Variable:
        """Assigns to the state the nearest one that is allowed."""

    def _minimize_constrained(
        self,
        minimization_problem: ConstrainedMinimizationProblem,
        global_step: Variable | None = None,
        var_list: Any = None,
        gate_gradients: int = Optimizer.GATE_OP,
        aggregation_method: int | None = None,
        colocate_gradients_with_ops: bool = False,
        name: str | None = None,
        grad_loss: Any = None,
    ) -> Operation | Variable:
        objective, constraints, proxies, count = _parts(minimization_problem)
        # A function, lest the initial value waits for what is waited for here.
        state = Variable(lambda: self._initial_state(count), trainable=False, name=self._state_name, use_resource=True)
        loss, payoff = self._loss_and_payoff(state, objective, constraints, proxies)
        pairs = self.optimizer.compute_gradients(
            loss,
            var_list=var_list,
            gate_gradients=gate_gradients,
            aggregation_method=aggregation_method,
            colocate_gradients_with_ops=colocate_gradients_with_ops,
            grad_loss=grad_loss,
        )
        # Optimizers minimize, so what is to grow has its sign changed.
        pair_of_state = (-payoff, state)
        if self.constraint_optimizer is None:
            updates = [self.optimizer.apply_gradients([*pairs, pair_of_state], name="update")]
        else:
            # All gradients are of the variables as they were before either optimizer changes any.
            with control_dependencies([grad for grad, _ in [*pairs, pair_of_state] if grad is not None]):
                updates = [
                    self.optimizer.apply_gradients(pairs, name="update"),
                    self.constraint_optimizer.apply_gradients([pair_of_state], name="optimizer_state_update"),
                ]
        with control_dependencies(updates):
            if global_step is None:
                return self._projection_op(state, name=name)
            projected = self._projection_op(state, name="project")
            with colocate_with(global_step):
                counted = assign_add(global_step, 1, name="global_step_increment")
            return group(projected, counted, name=name)


def _parts(problem: ConstrainedMinimizationProblem) -> tuple[Any, Any, Any, int]:
    """The objective, the constraints and their proxies as vectors, and how many they are."""
    objective, constraints, proxies = problem.objective, problem.constraints, problem.proxy_constraints
    if proxies is None:
        proxies = constraints
    dtypes = [tensor.dtype.base_dtype for tensor in (objective, constraints, proxies)]
    if len(set(dtypes)) > 1:
        raise ValueError(
            "objective, constraints and proxy_constraints must have the same dtype, not "
            + ", ".join(dtype.name for dtype in dtypes)
        )
    count = problem.num_constraints
    return objective, raw.Reshape(constraints, [count]), raw.Reshape(proxies, [count]), count


class AdditiveExternalRegretOptimizer(_GameOptimizer):
    """Lagrange multipliers: the loss is the objective plus multipliers times the constraints.

    A step makes the loss smaller and the multipliers of violated constraints larger, by gradients; no multiplier becomes
    negative. With proxy constraints the model follows those, and the multipliers follow the constraints.

    Args:
        optimizer: the `tf.train.Optimizer` of the model, and of the multipliers unless there is another for them.
        constraint_optimizer: the `tf.train.Optimizer` of the multipliers.
        maximum_multiplier_radius: what the multipliers sum to at most; None for no bound.

    Raises:
        ValueError: if `maximum_multiplier_radius` is not positive.

    Example:
        >>> optimizer = tf.contrib.constrained_optimization.AdditiveExternalRegretOptimizer(
        ...     tf.train.AdagradOptimizer(1.0)
        ... )
        >>> train_op = optimizer.minimize(problem)
    """

    _state_name = "external_regret_optimizer_state"

    def __init__(
        self,
        optimizer: Optimizer,
        constraint_optimizer: Optimizer | None = None,
        maximum_multiplier_radius: float | None = None,
    ) -> None:
        super().__init__(optimizer, constraint_optimizer)
        # 0 has always passed for no bound.
        if maximum_multiplier_radius and maximum_multiplier_radius <= 0.0:
            raise ValueError(f"maximum_multiplier_radius must be strictly positive, not {maximum_multiplier_radius}")
        self._maximum_multiplier_radius = maximum_multiplier_radius

    def _initial_state(self, num_constraints: int) -> Tensor:
        return zeros((num_constraints,), dtype=float32)

    def _loss_and_payoff(
        self, state: Variable, objective: Tensor, constraints: Tensor, proxies: Tensor
    ) -> tuple[Any, Any]:
        loss = objective + tensordot(cast(state, proxies.dtype), proxies, 1)
        return loss, cast(constraints, state.dtype.base_dtype)

    def _projection_op(self, state: Variable, name: str | None = None) -> Variable:
        with colocate_with(state):
            if self._maximum_multiplier_radius:
                allowed = nearest_multipliers(state, self._maximum_multiplier_radius)
            else:
                allowed = raw.Maximum(state, 0.0)
            return assign(state, allowed, name=name)


class _SwapRegretOptimizer(_GameOptimizer):
    """The weights are the distribution that a matrix of distributions, the state, leaves as it is."""

    _state_name = "swap_regret_optimizer_state"

    @abc.abstractmethod
    def _stochastic_matrix(self, state: Variable) -> Tensor | Variable:
        """The matrix that the state stands for."""

    def _distribution(self, state: Variable) -> Tensor:
        weights = raw.Abs(stationary_vector(self._stochastic_matrix(state)))
        return weights / reduce_sum(weights)

    def _loss_and_payoff(
        self, state: Variable, objective: Tensor, constraints: Tensor, proxies: Tensor
    ) -> tuple[Any, Any]:
        violations = concat((zeros((1,), dtype=constraints.dtype), constraints), axis=0)
        costs = concat((expand_dims(objective, 0), proxies), axis=0)
        weights = self._distribution(state)
        loss = tensordot(cast(weights, costs.dtype), costs, 1)
        return loss, matmul(expand_dims(cast(violations, weights.dtype), 1), expand_dims(weights, 0))


class AdditiveSwapRegretOptimizer(_SwapRegretOptimizer):
    """Weights for the objective and the constraints from a matrix that is changed by adding gradients.

    Meant for problems with proxy constraints, where multipliers need not converge.

    Args:
        optimizer: the `tf.train.Optimizer` of the model, and of the matrix unless there is another for it.
        constraint_optimizer: the `tf.train.Optimizer` of the matrix.

    Example:
        >>> optimizer = tf.contrib.constrained_optimization.AdditiveSwapRegretOptimizer(tf.train.AdagradOptimizer(1.0))
        >>> train_op = optimizer.minimize(problem)
    """

    def __init__(self, optimizer: Optimizer, constraint_optimizer: Optimizer | None = None) -> None:
        super().__init__(optimizer, constraint_optimizer)

    def _initial_state(self, num_constraints: int) -> Tensor:
        size = num_constraints + 1
        return concat((ones((1, size)), zeros((num_constraints, size))), axis=0)

    def _stochastic_matrix(self, state: Variable) -> Variable:
        return state

    def _projection_op(self, state: Variable, name: str | None = None) -> Variable:
        with colocate_with(state):
            return assign(state, nearest_stochastic_matrix(state), name=name)


class MultiplicativeSwapRegretOptimizer(_SwapRegretOptimizer):
    """Weights for the objective and the constraints from a matrix that is multiplied by exponentials of gradients.

    Args:
        optimizer: the `tf.train.Optimizer` of the model, and of the matrix unless there is another for it.
        constraint_optimizer: the `tf.train.Optimizer` of the matrix.
        minimum_multiplier_radius: the least element of the matrix, times one more than the number of constraints.
        initial_multiplier_radius: the same for what the elements of the constraints begin with; the least by default.

    Raises:
        ValueError: if the least is not between 0 and 1, or the initial one is less.

    Example:
        >>> optimizer = tf.contrib.constrained_optimization.MultiplicativeSwapRegretOptimizer(
        ...     tf.train.AdagradOptimizer(1.0), minimum_multiplier_radius=0.01
        ... )
        >>> train_op = optimizer.minimize(problem)
    """

    def __init__(
        self,
        optimizer: Optimizer,
        constraint_optimizer: Optimizer | None = None,
        minimum_multiplier_radius: float = 1e-3,
        initial_multiplier_radius: float | None = None,
    ) -> None:
        super().__init__(optimizer, constraint_optimizer)
        if not 0.0 < minimum_multiplier_radius < 1.0:
            raise ValueError(f"minimum_multiplier_radius must be in the range (0,1), not {minimum_multiplier_radius}")
        if initial_multiplier_radius is None:
            initial_multiplier_radius = minimum_multiplier_radius
        elif initial_multiplier_radius < minimum_multiplier_radius:
            raise ValueError(
                "initial_multiplier_radius must be in the range [minimum_multiplier_radius,1] = "
                f"[{minimum_multiplier_radius},1], not {initial_multiplier_radius}"
            )
        self._minimum_multiplier_radius = minimum_multiplier_radius
        self._initial_multiplier_radius = initial_multiplier_radius

    def _initial_state(self, num_constraints: int) -> Tensor:
        size, radius = num_constraints + 1, self._initial_multiplier_radius
        of_objective = math.log(1.0 - radius * num_constraints / size)
        return concat(
            (
                constant(of_objective, dtype=float32, shape=(1, size)),
                constant(math.log(radius / size), dtype=float32, shape=(num_constraints, size)),
            ),
            axis=0,
        )

    def _stochastic_matrix(self, state: Variable) -> Tensor:
        return raw.Exp(state)

    def _projection_op(self, state: Variable, name: str | None = None) -> Variable:
        with colocate_with(state):
            size = state.get_shape()[0].value
            least = raw.Log(self._minimum_multiplier_radius / to_float(size))
            return assign(state, raw.Maximum(nearest_log_stochastic_matrix(state), least), name=name)
