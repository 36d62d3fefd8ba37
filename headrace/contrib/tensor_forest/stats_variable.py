"""What is kept of the leaves of a tree until they are split, in a session; checkpoints keep it too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.checkpoints.tracking import Trackable
from headrace.contrib.boosted_trees.resource_saving import ResourceSaveable
from headrace.core.collections import GraphKeys
from headrace.core.defaults import add_to_collection, name_scope
from headrace.core.operation import Operation
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.sessions.resources import register_resource

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


class FertileStatsVariableSavable(ResourceSaveable):
    """How savers save it: as a serialized `FertileStats`.

    Args:
        params: the forest's parameters, a serialized `TensorForestParams`.
        stats_handle: its handle.
        create_op: what makes it.
        name: the name it is saved under.
    """

    def __init__(self, params: bytes, stats_handle: Tensor, create_op: Operation, name: str) -> None:
        super().__init__(
            stats_handle,
            create_op,
            {stats_handle.name: raw.FertileStatsSerialize(stats_handle, params=params)},
            name,
            lambda tensors: raw.FertileStatsDeserialize(stats_handle, tensors[0], params=params),
        )


class FertileStatsVariable(Trackable):
    """What is kept of the leaves of a tree.

    Args:
        params: the forest's parameters, a serialized `TensorForestParams`.
        stats_config: what there is to begin with, as a serialized `FertileStats`.
        name: a name for it.
        container: where the session keeps it.
    """

    def __init__(self, params: bytes, stats_config: TensorLike, name: str, container: str | None = None) -> None:
        self._params = params
        self.resource_handle = raw.FertileStatsResourceHandleOp(container=container or "", shared_name=name, name=name)
        self._initializer = raw.CreateFertileStatsVariable(self.resource_handle, stats_config, params=params)

    @property
    def initializer(self) -> Operation:
        """The operation that makes it."""
        return self._initializer

    def is_initialized(self) -> Tensor:
        """Whether it has been made, as a tensor."""
        return raw.FertileStatsIsInitializedOp(self.resource_handle)

    def _gather_saveables_for_checkpoint(self) -> dict[str, Any]:
        return {
            "fertile_stats_variable": lambda name=None: FertileStatsVariableSavable(
                self._params, self.resource_handle, self.initializer, name or "stats"
            )
        }


def fertile_stats_variable(params: bytes, stats_config: TensorLike, name: str, container: str | None = None) -> Tensor:
    """Makes what is kept of the leaves of a tree, known to the graph's resources and savers; returns its handle.

    Args:
        params: the forest's parameters, a serialized `TensorForestParams`.
        stats_config: what there is to begin with, as a serialized `FertileStats`; "" for nothing.
        name: a name for it.
        container: where the session keeps it.
    """
    with name_scope(name, "FertileStatsVariable") as scope:
        variable = FertileStatsVariable(params, stats_config, scope, container)
        handle = variable.resource_handle
        register_resource(handle, variable.initializer, variable.is_initialized())
        saveable = FertileStatsVariableSavable(params, handle, variable.initializer, handle.name)
        add_to_collection(GraphKeys.SAVEABLE_OBJECTS, saveable)
        return handle
