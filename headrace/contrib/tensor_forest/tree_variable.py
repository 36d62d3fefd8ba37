"""A tree of a forest in a session, which checkpoints keep."""

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


class TreeVariableSavable(ResourceSaveable):
    """How savers save a tree: as a serialized `Model`.

    Args:
        params: the forest's parameters, a serialized `TensorForestParams`.
        tree_handle: the handle of the tree.
        stats_handle: that of what is kept of its leaves.
        create_op: what makes it.
        name: the name it is saved under.
    """

    def __init__(
        self, params: bytes, tree_handle: Tensor, stats_handle: Tensor | None, create_op: Operation, name: str
    ) -> None:
        self.params, self._stats_handle = params, stats_handle
        super().__init__(
            tree_handle,
            create_op,
            {tree_handle.name: raw.TreeSerialize(tree_handle)},
            name,
            lambda tensors: raw.TreeDeserialize(tree_handle, tensors[0], params=params),
        )


class TreeVariable(Trackable):
    """A tree in a session.

    Args:
        params: the forest's parameters, a serialized `TensorForestParams`.
        tree_config: the tree to begin with, as a serialized `Model`.
        stats_handle: the handle of what is kept of its leaves.
        name: a name for it.
        container: where the session keeps it.
    """

    def __init__(
        self,
        params: bytes,
        tree_config: TensorLike,
        stats_handle: Tensor | None,
        name: str,
        container: str | None = None,
    ) -> None:
        self._params, self._stats_handle = params, stats_handle
        self.resource_handle = raw.DecisionTreeResourceHandleOp(container=container or "", shared_name=name, name=name)
        self._initializer = raw.CreateTreeVariable(self.resource_handle, tree_config, params=params)

    @property
    def initializer(self) -> Operation:
        """The operation that makes it."""
        return self._initializer

    def is_initialized(self) -> Tensor:
        """Whether it has been made, as a tensor."""
        return raw.TreeIsInitializedOp(self.resource_handle)

    def _gather_saveables_for_checkpoint(self) -> dict[str, Any]:
        return {
            "tree_variable": lambda name=None: TreeVariableSavable(
                self._params, self.resource_handle, self._stats_handle, self.initializer, name or "tree"
            )
        }


def tree_variable(
    params: bytes, tree_config: TensorLike, stats_handle: Tensor | None, name: str, container: str | None = None
) -> Tensor:
    """Makes a tree that the graph's resources and savers know of; returns its handle.

    Args:
        params: the forest's parameters, a serialized `TensorForestParams`.
        tree_config: the tree to begin with, as a serialized `Model`; "" for one of a leaf.
        stats_handle: the handle of what is kept of its leaves.
        name: a name for it.
        container: where the session keeps it.
    """
    with name_scope(name, "TreeVariable") as scope:
        variable = TreeVariable(params, tree_config, stats_handle, scope, container)
        handle = variable.resource_handle
        register_resource(handle, variable.initializer, variable.is_initialized())
        saveable = TreeVariableSavable(params, handle, stats_handle, variable.initializer, handle.name)
        add_to_collection(GraphKeys.SAVEABLE_OBJECTS, saveable)
        return handle
