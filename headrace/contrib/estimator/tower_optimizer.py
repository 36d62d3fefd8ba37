"""`TowerOptimizer`: gathers the gradients of the copies of a model, and applies their sum once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from headrace.core.composite import IndexedSlices
from headrace.core.defaults import device as on_device
from headrace.core.defaults import get_collection_ref, name_scope
from headrace.kernels.composing.arranging import concat
from headrace.losses.weighting import Reduction
from headrace.ops.flow.grouping import no_op
from headrace.ops.math.add_n import add_n
from headrace.ops.math.division import truediv
from headrace.optimizers.optimizer import Optimizer
from headrace.state.current_scope import get_variable_scope
from headrace.state.modes import AUTO_REUSE
from headrace.state.variable_scope import variable_scope

if TYPE_CHECKING:
    from headrace.core.operation import Operation
    from headrace.core.tensor import Tensor
    from headrace.core.typing import TensorLike
    from headrace.state.current_scope import VariableScope

_STATE = "replicate_model_fn_graph_states"


class TowerState:
    """What the optimizers of all copies in a graph have in common."""

    def __init__(self) -> None:
        self.is_used = False
        self._index, self._count = 0, 1
        self._reduction = Reduction.SUM
        self._first_scope: VariableScope | None = None
        # Of the calls of apply_gradients that a copy makes, in their order: what each copy gave.
        self._gathered: list[list[list[tuple[Any, Any]]]] = []
        self._calls_in_tower = 0

    @contextmanager
    def tower(self, index: int, count: int, reduction: str) -> Iterator[None]:
        """Within it, a copy of the model is built.

        Args:
            index, count: which of how many.
            reduction: how the losses of the copies become one.
        """
        self._index, self._count, self._reduction = index, count, reduction
        self._calls_in_tower = 0
        if index == 0:
            self._first_scope = get_variable_scope()
        yield

    @property
    def is_alone(self) -> bool:
        """Whether there are no copies."""
        return self._count == 1

    @property
    def first_scope(self) -> VariableScope:
        """The variable scope in which the first copy was begun; slots are named as ones made there."""
        return self._first_scope or get_variable_scope()

    @property
    def is_last(self) -> bool:
        """Whether the last copy is being built."""
        return self._index == self._count - 1

    def scaled(self, loss: Any) -> Any:
        """A copy's part of the loss of all."""
        if self._reduction == Reduction.SUM or self._count == 1:
            return loss
        return truediv(loss, float(self._count), name="averaged_loss")

    def gather(self, pairs: list[tuple[Any, Any]]) -> list[list[tuple[Any, Any]]]:
        """Keeps the gradients of a copy, and gives those of all copies so far that made the same call.

        Args:
            pairs: the gradients, with their variables.
        """
        self.is_used = True
        if self._calls_in_tower == len(self._gathered):
            self._gathered.append([])
        calls = self._gathered[self._calls_in_tower]
        self._calls_in_tower += 1
        calls.append(pairs)
        return calls

    def check(self) -> None:
        """Raises ValueError unless each optimizer was called in each copy."""
        if any(len(calls) != self._count for calls in self._gathered if calls):
            raise ValueError(
                "Every tower was supposed to make the same optimizer calls, but the numbers of calls in "
                f"{self._count} towers are {[len(calls) for calls in self._gathered]}."
            )


def tower_state() -> TowerState:
    """That of the default graph."""
    states = get_collection_ref(_STATE)
    if not states:
        states.append(TowerState())
    state: TowerState = states[0]
    return state


def forget_towers() -> None:
    """Lets the copies that are built next in the default graph be those of another call of the model function."""
    get_collection_ref(_STATE).clear()


class TowerOptimizer(Optimizer):
    """An optimizer for model functions that `replicate_model_fn` copies.

    Args:
        optimizer_or_optimizer_fn: the optimizer, or a function that returns it.

    Example:
        >>> optimizer = tf.contrib.estimator.TowerOptimizer(tf.train.AdamOptimizer(0.001))
        >>> train_op = optimizer.minimize(loss, tf.train.get_global_step())
    """

    COLLECTION_FOR_GRAPH_STATES = _STATE

    def __init__(self, optimizer_or_optimizer_fn: Optimizer | Callable[[], Optimizer]) -> None:
        self._optimizer_or_optimizer_fn = optimizer_or_optimizer_fn

    @property
    def _optimizer(self) -> Optimizer:
        """The optimizer: a function for it is called when it is first used, which may be in another graph."""
        given = self._optimizer_or_optimizer_fn
        if isinstance(given, Optimizer) or not callable(given):
            return given
        self._optimizer_or_optimizer_fn = optimizer = given()
        return optimizer

    def get_name(self) -> str:
        """The optimizer's own."""
        return self._optimizer.get_name()

    def compute_gradients(self, loss: Any, *args: Any, **kwargs: Any) -> list[tuple[Any, Any]]:
        """The optimizer's own, of this copy's part of the loss."""
        return self._optimizer.compute_gradients(tower_state().scaled(loss), *args, **kwargs)

    def apply_gradients(
        self, grads_and_vars: Iterable[Any], global_step: TensorLike | None = None, *args: Any, **kwargs: Any
    ) -> Operation | Tensor:
        """Keeps the gradients of this copy; in the last copy, applies the sums of all."""
        state = tower_state()
        gathered = state.gather(list(grads_and_vars))
        if state.is_alone:
            return self._optimizer.apply_gradients(gathered[0], global_step, *args, **kwargs)
        if not state.is_last:
            return no_op(name="train_op_placeholder")
        # What is done for all copies has the names that it has without them, and may make variables.
        with variable_scope(state.first_scope, reuse=AUTO_REUSE, auxiliary_name_scope=False), name_scope(None):
            return self._optimizer.apply_gradients(_summed(gathered), global_step, *args, **kwargs)

    def get_slot(self, *args: Any, **kwargs: Any) -> Any:
        """The optimizer's own."""
        return self._optimizer.get_slot(*args, **kwargs)

    def get_slot_names(self, *args: Any, **kwargs: Any) -> list[str]:
        """The optimizer's own."""
        return self._optimizer.get_slot_names(*args, **kwargs)

    def variables(self) -> list[Any]:
        """The optimizer's own."""
        return self._optimizer.variables()


def _summed(gathered: list[list[tuple[Any, Any]]]) -> list[tuple[Any, Any]]:
    """The gradients of all copies as one for each variable that has some."""
    of_variable: dict[Any, tuple[Any, list[Any]]] = {}
    for pairs in gathered:
        for gradient, variable in pairs:
            _, gradients = of_variable.setdefault(variable.op.name, (variable, []))
            if gradient is not None:
                gradients.append(gradient)
    with name_scope("gradient_aggregating"):
        return [
            (sum_on_device(gradients, variable.device), variable)
            for variable, gradients in of_variable.values()
            if gradients
        ]


def sum_on_device(values: list[Any], device: str, name: str | None = None) -> Any:
    """The sum of tensors, or of slices of one tensor.

    Args:
        values: the tensors, or IndexedSlices.
        device: where it is computed.
        name: of the result.

    Raises:
        ValueError: if there is a name for slices, which are several tensors.
    """
    if name and any(isinstance(each, IndexedSlices) for each in values):
        raise ValueError(f"The name {name} is not expected to be given to IndexedSlices {values}")
    with on_device(device):
        if isinstance(values[0], IndexedSlices):
            return IndexedSlices(
                concat([each.values for each in values], 0),
                concat([each.indices for each in values], 0),
                values[0].dense_shape,
            )
        return add_n(values, name=name)
