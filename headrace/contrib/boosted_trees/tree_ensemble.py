"""An ensemble of trees in a session, which checkpoints keep."""

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


class TreeEnsembleVariableSavable(ResourceSaveable):
    """How savers save an ensemble: its stamp, and its trees as a serialized `DecisionTreeEnsembleConfig`.

    Args:
        tree_ensemble_handle: the handle of the ensemble.
        create_op: what makes it.
        name: the name it is saved under.
    """

    def __init__(self, tree_ensemble_handle: Tensor, create_op: Operation, name: str) -> None:
        stamp, config = raw.TreeEnsembleSerialize(tree_ensemble_handle)
        super().__init__(
            tree_ensemble_handle,
            create_op,
            {f"{name}_stamp": stamp, f"{name}_config": config},
            name,
            lambda tensors: raw.TreeEnsembleDeserialize(tree_ensemble_handle, *tensors),
        )


class TreeEnsembleVariable(Trackable):
    """An ensemble of trees in a session.

    Args:
        stamp_token: its first stamp, which changes with each change of the trees.
        tree_ensemble_config: the trees to begin with, as a serialized `DecisionTreeEnsembleConfig`.
        name: a name for it.
        container: where the session keeps it.

    Example:
        >>> from headrace.contrib.boosted_trees.python.ops.model_ops import TreeEnsembleVariable
        >>> ensemble = TreeEnsembleVariable(stamp_token=0, tree_ensemble_config="", name="trees")
        >>> with tf.Session() as sess:
        ...     _ = sess.run(ensemble.initializer)
        ...     bool(sess.run(ensemble.is_initialized()))
        True
    """

    def __init__(
        self, stamp_token: TensorLike, tree_ensemble_config: TensorLike, name: str, container: str | None = None
    ) -> None:
        self._stamp_token, self._tree_ensemble_config = stamp_token, tree_ensemble_config
        self._name, self._container = name, container
        self.resource_handle = raw.DecisionTreeEnsembleResourceHandleOp(
            container=container or "", shared_name=name, name=name
        )
        self._initializer = raw.CreateTreeEnsembleVariable(self.resource_handle, stamp_token, tree_ensemble_config)

    @property
    def initializer(self) -> Operation:
        """The operation that makes it."""
        return self._initializer

    def is_initialized(self) -> Tensor:
        """Whether it has been made, as a tensor."""
        return raw.TreeEnsembleIsInitializedOp(self.resource_handle)

    def _gather_saveables_for_checkpoint(self) -> dict[str, Any]:
        return {
            "tree_ensemble_variable": lambda name=None: TreeEnsembleVariableSavable(
                self.resource_handle, self.initializer, name or self.resource_handle.name
            )
        }


def tree_ensemble_variable(
    stamp_token: TensorLike, tree_ensemble_config: TensorLike, name: str, container: str | None = None
) -> Tensor:
    """Makes an ensemble that the graph's resources and savers know of.

    Args:
        stamp_token: its first stamp.
        tree_ensemble_config: the trees to begin with, as a serialized `DecisionTreeEnsembleConfig`.
        name: a name for it.
        container: where the session keeps it.

    Returns:
        its handle.

    Example:
        >>> from headrace.contrib.boosted_trees.python.ops import model_ops
        >>> handle = model_ops.tree_ensemble_variable(0, "", name="trees")
        >>> handle.dtype
        tf.resource
    """
    with name_scope(name, "TreeEnsembleVariable") as scope:
        variable = TreeEnsembleVariable(stamp_token, tree_ensemble_config, scope, container)
        handle = variable.resource_handle
        register_resource(handle, variable.initializer, variable.is_initialized())
        saveable = TreeEnsembleVariableSavable(handle, variable.initializer, handle.name)
        add_to_collection(GraphKeys.SAVEABLE_OBJECTS, saveable)
        return handle
