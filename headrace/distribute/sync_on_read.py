"""Variables that each replica updates for itself, and that become one value when they are read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.checkpoints.saveables import SaveableObject, SaveSpec
from headrace.core.convert import convert_to_tensor, register_tensor_conversion_function
from headrace.core.tensor import Tensor
from headrace.distribute.variables import DistributedVariable, in_scope_of
from headrace.ops.math.cast import cast
from headrace.state.modes import ReduceOp, VariableAggregation
from headrace.state.replication import in_cross_replica_context

if TYPE_CHECKING:
    from headrace.core.dtypes import DType


class SyncOnReadVariable(DistributedVariable):
    """A variable of which each replica has its own, that becomes one value where it is read in cross-replica context.

    Args:
        strategy, device_map, values, aggregation, logical_device: as of every variable of several replicas.
    """

    def _update(self, name: str, args: Any, kwargs: dict[str, Any]) -> Any:
        with in_scope_of(self._distribute_strategy):
            if not in_cross_replica_context():
                return getattr(self.get(), name)(*args, **kwargs)
            value = args[0]
            if self._aggregation == VariableAggregation.SUM:
                if name != "assign":
                    raise ValueError(
                        f"SyncOnReadVariable does not support `{name}` in cross-replica context when aggregation is set to "
                        "`tf.VariableAggregation.SUM`."
                    )
                # Each part gets its share, so that reading gives the whole. What cannot be multiplied by a part of 1 is
                # refused: a list, a tensor of integers.
                value = value * (1.0 / len(self._values))
            return self._on_all_parts(lambda part: getattr(part, name)(value, read_value=False))

    def _get_cross_replica(self) -> Any:
        if self._aggregation == VariableAggregation.ONLY_FIRST_REPLICA:
            return self._values[0]
        with in_scope_of(self._distribute_strategy):
            return self._distribute_strategy.reduce(
                ReduceOp.from_variable_aggregation(self._aggregation), self, axis=None
            )

    def _as_graph_element(self) -> Any:
        if in_cross_replica_context():
            return convert_to_tensor(self._get_cross_replica())
        return self.get()._as_graph_element()

    def _gather_saveables_for_checkpoint(self) -> dict[str, Callable[..., Any]]:
        """What checkpoints keep: the one value of all parts."""

        def saveable(name: str = self._shared_name) -> SyncOnReadSaveable:
            return SyncOnReadSaveable(self, name)

        return {"VARIABLE_VALUE": saveable}


class SyncOnReadSaveable(SaveableObject):
    """The one value of a variable's parts in a checkpoint."""

    def __init__(self, sync_on_read_variable: SyncOnReadVariable, name: str) -> None:
        self._sync_on_read_variable = variable = sync_on_read_variable

        def read() -> Tensor:
            # Of one replica the strategy gives the part, which is a variable.
            return convert_to_tensor(variable._distribute_strategy.extended.read_var(variable))

        spec = SaveSpec(read, "", name, dtype=variable.dtype, device=variable._values[0].device)
        super().__init__(read, [spec], name)

    def restore(self, restored_tensors: Sequence[Tensor], restored_shapes: Any) -> Any:
        """Gives each part its share."""
        (value,) = restored_tensors
        variable = self._sync_on_read_variable
        if variable.aggregation == VariableAggregation.SUM:
            # Of integers too, of which a program cannot assign shares.
            value = cast(value / len(variable.values), variable.dtype)
        return variable._on_all_parts(lambda part: part.assign(value, read_value=False))


def _tensor_of_sync_on_read(
    variable: SyncOnReadVariable, dtype: DType | None = None, name: str | None = None, as_ref: bool = False
) -> Tensor:
    return convert_to_tensor(variable.get(), dtype, name, as_ref=as_ref)


register_tensor_conversion_function(SyncOnReadVariable, _tensor_of_sync_on_read)
