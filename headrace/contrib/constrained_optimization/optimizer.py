"""The base class of constrained optimizers: a step with the constraints, without, or first without."""

from __future__ import annotations

import abc
import contextlib
from typing import TYPE_CHECKING, Any

from headrace.contrib.constrained_optimization.problem import ConstrainedMinimizationProblem
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import control_dependencies
from headrace.core.registry import raw
from headrace.functions.flow.cond import cond
from headrace.kernels.composing import cast
from headrace.optimizers.optimizer import Optimizer

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from headrace.core.graph_scopes import Controller
    from headrace.core.operation import Operation
    from headrace.core.tensor import Tensor
    from headrace.core.typing import TensorLike
    from headrace.state.variables import Variable


class ConstrainedOptimizer(abc.ABC):
    """Minimizes a `ConstrainedMinimizationProblem`; subclasses define `_minimize_constrained`.

    Args:
        optimizer: the `tf.train.Optimizer` that changes the model.
    """

    def __init__(self, optimizer: Optimizer) -> None:
        self._optimizer = optimizer

    @property
    def optimizer(self) -> Optimizer:
        """The `tf.train.Optimizer` that changes the model."""
        return self._optimizer

    @abc.abstractmethod
    def _minimize_constrained(
        self,
        minimization_problem: ConstrainedMinimizationProblem,
        global_step: Variable | None = None,
        var_list: Any = None,
        gate_gradients: int = Optimizer.GATE_OP,
        aggregation_method: int | None = None,
        colocate_gradients_with_ops: bool = False,
        name: str | None = None,
        grad_loss: TensorLike | None = None,
    ) -> Operation | Variable:
        """The operation of a step with the constraints; the problem's `pre_train_ops` are seen to elsewhere."""

    def minimize_constrained(
        self,
        minimization_problem: ConstrainedMinimizationProblem,
        global_step: Variable | None = None,
        var_list: Any = None,
        gate_gradients: int = Optimizer.GATE_OP,
        aggregation_method: int | None = None,
        colocate_gradients_with_ops: bool = False,
        name: str | None = None,
        grad_loss: TensorLike | None = None,
    ) -> Any:
        """Builds the operation of one step towards a smaller objective that keeps the constraints.

        Args:
            minimization_problem: a `ConstrainedMinimizationProblem`.
            global_step, var_list, gate_gradients, aggregation_method, colocate_gradients_with_ops, name, grad_loss: as
                for `tf.train.Optimizer.minimize`.

        Raises:
            ValueError: if the problem's tensors do not fit one another.

        Example:
            >>> constrained = tf.contrib.constrained_optimization
            >>> optimizer = constrained.AdditiveExternalRegretOptimizer(tf.train.AdagradOptimizer(1.0))
            >>> train_op = optimizer.minimize_constrained(problem)
        """
        with _after_preparation(minimization_problem):
            return self._minimize_constrained(
                minimization_problem,
                global_step=global_step,
                var_list=var_list,
                gate_gradients=gate_gradients,
                aggregation_method=aggregation_method,
                colocate_gradients_with_ops=colocate_gradients_with_ops,
                name=name,
                grad_loss=grad_loss,
            )

    def minimize_unconstrained(
        self,
        minimization_problem: ConstrainedMinimizationProblem,
        global_step: Variable | None = None,
        var_list: Any = None,
        gate_gradients: int = Optimizer.GATE_OP,
        aggregation_method: int | None = None,
        colocate_gradients_with_ops: bool = False,
        name: str | None = None,
        grad_loss: Tensor | None = None,
    ) -> Operation:
        """Builds the operation of one step towards a smaller objective, whatever the constraints say.

        Args:
            minimization_problem, global_step, var_list, gate_gradients, aggregation_method,
            colocate_gradients_with_ops, name, grad_loss: as for `minimize_constrained`.

        Example:
            >>> constrained = tf.contrib.constrained_optimization
            >>> optimizer = constrained.AdditiveExternalRegretOptimizer(tf.train.AdagradOptimizer(1.0))
            >>> warm_up = optimizer.minimize_unconstrained(problem)
        """
        with _after_preparation(minimization_problem):
            return self.optimizer.minimize(
                minimization_problem.objective,
                global_step=global_step,
                var_list=var_list,
                gate_gradients=gate_gradients,
                aggregation_method=aggregation_method,
                colocate_gradients_with_ops=colocate_gradients_with_ops,
                name=name,
                grad_loss=grad_loss,
            )

    def minimize(
        self,
        minimization_problem: ConstrainedMinimizationProblem,
        unconstrained_steps: TensorLike | None = None,
        global_step: Variable | None = None,
        var_list: Any = None,
        gate_gradients: int = Optimizer.GATE_OP,
        aggregation_method: int | None = None,
        colocate_gradients_with_ops: bool = False,
        name: str | None = None,
        grad_loss: TensorLike | None = None,
    ) -> Any:
        """Builds the operation of one step, which heeds the constraints once `unconstrained_steps` are done.

        Args:
            minimization_problem: a `ConstrainedMinimizationProblem`.
            unconstrained_steps: how many steps of the global step are without constraints; None for none.
            global_step, var_list, gate_gradients, aggregation_method, colocate_gradients_with_ops, name, grad_loss: as
                for `tf.train.Optimizer.minimize`.

        Raises:
            ValueError: if `unconstrained_steps` is given without `global_step`.

        Example:
            >>> constrained = tf.contrib.constrained_optimization
            >>> optimizer = constrained.AdditiveExternalRegretOptimizer(tf.train.AdagradOptimizer(1.0))
            >>> train_op = optimizer.minimize(problem, unconstrained_steps=100, global_step=global_step)
        """
        common: dict[str, Any] = {
            "global_step": global_step,
            "var_list": var_list,
            "gate_gradients": gate_gradients,
            "aggregation_method": aggregation_method,
            "colocate_gradients_with_ops": colocate_gradients_with_ops,
            "name": name,
            "grad_loss": grad_loss,
        }
        if unconstrained_steps is None:
            return self.minimize_constrained(minimization_problem, **common)
        if global_step is None:
            raise ValueError("global_step cannot be None if unconstrained_steps is provided")
        steps = convert_to_tensor(unconstrained_steps)
        return cond(
            raw.Less(cast(global_step, steps.dtype), steps),
            true_fn=lambda: self.minimize_unconstrained(minimization_problem, **common),
            false_fn=lambda: self.minimize_constrained(minimization_problem, **common),
        )


def _after_preparation(problem: ConstrainedMinimizationProblem) -> AbstractContextManager[Any] | Controller:
    before = problem.pre_train_ops
    return control_dependencies(before) if before else contextlib.nullcontext()
