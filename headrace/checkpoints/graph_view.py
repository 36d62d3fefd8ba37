"""The graph of the objects below a root, and the savers of those who work with it rather than with a `Checkpoint`."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

from headrace.checkpoints.checkpoint import Checkpoint, ObjectSaver
from headrace.checkpoints.dependencies import dependencies_of
from headrace.checkpoints.functional_saver import MultiDeviceSaver
from headrace.checkpoints.load_status import CheckpointLoadStatus, NameBasedSaverStatus, needed_session
from headrace.checkpoints.object_graph import OBJECT_GRAPH_KEY, described, objects_below
from headrace.checkpoints.python_state import PythonStringStateSaveable
from headrace.checkpoints.saveables import NoRestoreSaveable, SaveableObject
from headrace.core.eager import executing_eagerly
from headrace.files.paths import as_path
from headrace.ops.array.constant import constant
from headrace.state.dependencies import TrackableReference

if TYPE_CHECKING:
    from headrace.core.typing import SessionLike


class ObjectGraphView:
    """What depends on a root object, and how it is saved.

    Args:
        root: an object, or a weak reference to one.
        saveables_cache: not needed: saveable objects are made when they are asked for.

    Raises:
        NotImplementedError: for a `saveables_cache`.
    """

    def __init__(self, root: Checkpoint, saveables_cache: Any = None) -> None:
        if saveables_cache is not None:
            raise NotImplementedError("ObjectGraphView(saveables_cache=...): there is nothing to keep; leave it None.")
        self._root = root
        self.saveables_cache = None

    @property
    def root(self) -> Any:
        """The root object."""
        return self._root() if isinstance(self._root, weakref.ref) else self._root

    def list_dependencies(self, obj: Any) -> list[TrackableReference]:
        """The dependencies of one of the objects, by name."""
        return dependencies_of(obj)

    def list_objects(self) -> list[Any]:
        """The root and all it depends on."""
        return objects_below(self.root).objects

    def serialize_object_graph(self) -> tuple[list[SaveableObject], Any, None]:
        """What is saved of the objects, and their graph as a `TrackableObjectGraph`; nothing is to be fed."""
        message, saveables, states = described(objects_below(self.root))
        return (
            [
                *saveables,
                *(PythonStringStateSaveable(key, state.serialize, state.deserialize) for key, state in states.items()),
            ],
            message,
            None,
        )

    def frozen_saveable_objects(self) -> list[SaveableObject]:
        """What is saved of the objects, with their graph as it is now."""
        saveables, message, _ = self.serialize_object_graph()
        text = constant(message.SerializeToString(deterministic=True))
        return [*saveables, NoRestoreSaveable(text, OBJECT_GRAPH_KEY)]


class TrackableSaver:
    """Saves and restores the objects of a graph of objects.

    Args:
        graph_view: an `ObjectGraphView`.
    """

    def __init__(self, graph_view: ObjectGraphView) -> None:
        self._graph_view = graph_view
        self._saver = ObjectSaver(graph_view.root)

    def save(self, file_prefix: str, checkpoint_number: Any = None, session: SessionLike | None = None) -> str:
        """Writes a checkpoint.

        Args:
            file_prefix: its path.
            checkpoint_number: a number to add to it.
            session: the session whose values are saved; the default one if None.

        Returns:
            its path.
        """
        path = as_path(file_prefix)
        if checkpoint_number is not None:
            path = f"{path}-{int(checkpoint_number)}"
        return self._saver.write(path, session)

    def restore(self, save_path: Any) -> Any:
        """The status of restoring a checkpoint, as `tf.train.Checkpoint.restore` gives it."""
        return self._saver.restore(None if save_path is None else as_path(save_path))


CheckpointV1 = Checkpoint


def frozen_saver(root_trackable: Any) -> MultiDeviceSaver:
    """A saver of the objects that there are now, whose operations can be put into a graph."""
    return MultiDeviceSaver(ObjectGraphView(root_trackable).frozen_saveable_objects())


def saver_with_op_caching(obj: Any) -> TrackableSaver:
    """A saver that adds the operations it needs once; all here do."""
    return TrackableSaver(ObjectGraphView(obj))


def streaming_restore(status: Any, session: SessionLike | None = None) -> None:
    """Restores the objects of a checkpoint that there are, and those that are made later as soon as they are.

    Args:
        status: what `restore` returned.
        session: the session whose variables take the values; the default one if None.

    Raises:
        NotImplementedError: for checkpoints by name.
    """
    if executing_eagerly():
        return
    if isinstance(status, NameBasedSaverStatus):
        raise NotImplementedError(
            "Streaming restore not supported from name-based checkpoints when graph building: restore them with "
            "tf.train.Saver."
        )
    if isinstance(status, CheckpointLoadStatus):
        status.stream(needed_session(session))
    else:
        status.run_restore_ops(session)


__all__ = [
    "CheckpointV1",
    "ObjectGraphView",
    "TrackableSaver",
    "frozen_saver",
    "saver_with_op_caching",
    "streaming_restore",
]
