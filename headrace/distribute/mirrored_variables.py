"""Mirrored variables: each replica has its own, and updates keep them equal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.checkpoints.saveables import ResourceVariableSaveable
from headrace.core.convert import convert_to_tensor, register_tensor_conversion_function
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.distribute.replica_context import get_update_device
from headrace.distribute.values import Mirrored
from headrace.distribute.variables import DistributedVariable, aggregated, in_scope_of
from headrace.state.modes import VariableAggregation
from headrace.state.replication import get_replica_context, in_cross_replica_context

if TYPE_CHECKING:
    from headrace.core.dtypes import DType

_NEEDS_AGGREGATION = (
    "You must specify an aggregation method to update a MirroredVariable in Replica Context: make it with "
    "tf.Variable(..., aggregation=tf.VariableAggregation.SUM), or another of tf.VariableAggregation, so that the values of "
    "all replicas become one before it is updated. Or update it in cross-replica context, with "
    "tf.distribute.StrategyExtended.update() in a function given to tf.distribute.get_replica_context().merge_call()."
)


def assigning(name: str) -> Callable[..., Any]:
    """A function that calls the method `name` of a variable."""

    def assign(variable: Any, *args: Any, **kwargs: Any) -> Any:
        return getattr(variable, name)(*args, **kwargs)

    return assign


class MirroredVariable(DistributedVariable, Mirrored):
    """A variable of which each replica has its own, and whose values are always the same.

    Assigned to in cross-replica context, all parts get the value; assigned to by replicas, the values of all replicas
    become one first, as its aggregation says.

    Args:
        strategy, device_map, values, aggregation, logical_device: as of every variable of several replicas.
    """

    def _update(self, name: str, args: Any, kwargs: dict[str, Any]) -> Any:
        strategy = self._distribute_strategy
        assign = assigning(name)
        with in_scope_of(strategy):
            if in_cross_replica_context():
                where = get_update_device()
                if where is not None:
                    return assign(self.get(where), *args, **kwargs)
                return strategy.extended.update(self, assign, args=args, kwargs=kwargs)
            if self._aggregation == VariableAggregation.NONE:
                raise ValueError(_NEEDS_AGGREGATION)

            def merged(strategy: Any, value: Any, *others: Any, **keywords: Any) -> Any:
                value = aggregated(strategy, value, self._aggregation, self)
                return strategy.extended.update(self, assign, args=(value, *others), kwargs=keywords)

            return get_replica_context().merge_call(merged, args=args, kwargs=kwargs)

    def _as_graph_element(self) -> Any:
        return self._closest()._as_graph_element()

    def _gather_saveables_for_checkpoint(self) -> dict[str, Callable[..., Any]]:
        """What checkpoints keep: the value of the first part, which all get back."""

        def saveable(name: str = self._shared_name) -> MirroredSaveable:
            return MirroredSaveable(self, self._values[0], name)

        return {"VARIABLE_VALUE": saveable}


class MirroredSaveable(ResourceVariableSaveable):
    """The value of a mirrored variable in a checkpoint."""

    def __init__(self, mirrored_variable: MirroredVariable, primary_variable: Any, name: str) -> None:
        self._mirrored_variable = mirrored_variable
        super().__init__(primary_variable, "", name)

    def restore(self, restored_tensors: Sequence[Tensor], restored_shapes: Any) -> Any:
        """Assigns the value to all parts."""
        (value,) = restored_tensors
        return self._mirrored_variable._on_all_parts(lambda part: part.assign(value, read_value=False))


def _tensor_of_mirrored(
    variable: MirroredVariable, dtype: DType | None = None, name: str | None = None, as_ref: bool = False
) -> Tensor:
    part = variable._closest()
    if in_cross_replica_context() and get_update_device() is None:
        # As in 1.15, what is read for all replicas is a copy.
        part = raw.Identity(part)
    return convert_to_tensor(part, dtype, name, as_ref=as_ref)


# Before that of mirrored values, whose part in cross-replica context is the same.
register_tensor_conversion_function(MirroredVariable, _tensor_of_mirrored, priority=99)
