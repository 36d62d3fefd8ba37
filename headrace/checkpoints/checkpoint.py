"""`tf.train.Checkpoint`: objects saved with what they depend on, and restored by those dependencies."""

from __future__ import annotations

import os
import weakref
from typing import TYPE_CHECKING, Any

from headrace.checkpoints import checkpoint_state
from headrace.checkpoints.auto_trackable import AutoTrackable
from headrace.checkpoints.functional_saver import save_op
from headrace.checkpoints.load_status import (
    CheckpointLoadStatus,
    InitializationOnlyStatus,
    NameBasedSaverStatus,
    needed_session,
)
from headrace.checkpoints.object_graph import OBJECT_GRAPH_KEY, described, objects_below
from headrace.checkpoints.restoration import Restoration
from headrace.checkpoints.saveables import SaveableObject
from headrace.checkpoints.tracking import is_trackable
from headrace.core.defaults import colocate_with, control_dependencies, device
from headrace.core.dtypes import int64
from headrace.core.eager import executing_eagerly
from headrace.core.errors import NotFoundError
from headrace.core.framework_ops import inside_function
from headrace.core.operation import Operation
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.files import file_io
from headrace.files.checkpoint.reader import CheckpointReader
from headrace.files.paths import as_path
from headrace.messages import protos
from headrace.ops.array.constant import constant
from headrace.ops.flow.grouping import group
from headrace.state.dependencies import NoDependency
from headrace.state.polymorphic_function import PolymorphicFunction
from headrace.state.variables import Variable

if TYPE_CHECKING:
    from headrace.core.typing import SessionLike
    from headrace.runtime.session import Session


class Checkpoint(AutoTrackable):
    """A group of objects that are saved and restored together, by their names as attributes.

    Args:
        **kwargs: variables, optimizers, layers and other trackable objects, which become attributes.

    Raises:
        ValueError: if one is nothing that can be saved.

    Example:
        >>> checkpoint = tf.train.Checkpoint(optimizer=optimizer, weights=w)
        >>> path = checkpoint.save("train/ckpt", session=sess)
        >>> checkpoint.restore(path).assert_consumed().run_restore_ops(sess)
    """

    if TYPE_CHECKING:
        # The objects of the group are attributes of any name.
        def __getattr__(self, name: str) -> Any: ...

    def __init__(self, **kwargs: Any) -> None:
        for name, value in sorted(kwargs.items()):
            if not isinstance(value, PolymorphicFunction) and not is_trackable(value):
                raise ValueError(
                    "`Checkpoint` was expecting a trackable object (an object derived from `TrackableBase`), got "
                    f"{value}. If you believe this object should be trackable (i.e. it is part of the TensorFlow Python "
                    "API and manages state), please open an issue."
                )
            setattr(self, name, value)
        self._save_counter: Any = None
        self._save_assign_op: NoDependency | None = None
        self._saver = ObjectSaver(self)

    @property
    def save_counter(self) -> Any:
        """The variable that counts the calls of `save` and numbers checkpoints."""
        if self._save_counter is None:
            with device("/cpu:0"):
                counter = Variable(
                    initial_value=lambda: constant(0, dtype=int64),
                    name="save_counter",
                    trainable=False,
                    use_resource=True,
                )
            self._track_trackable(counter, "save_counter")
            self._save_counter = NoDependency(counter)
        return self._save_counter

    def write(self, file_prefix: Any, session: SessionLike | None = None) -> str:
        """Writes a checkpoint, without counting it or noting it in the `checkpoint` file.

        Args:
            file_prefix: its path.
            session: the session whose values are saved; the default one if None.

        Returns:
            its path; in a `tf.function` a tensor of it, and the call of the function is what writes.
        """
        return self._saver.write(as_path(file_prefix), session)

    def save(self, file_prefix: str, session: Session | None = None) -> str:
        """Writes a checkpoint whose number is added to its path, and notes it in the `checkpoint` file.

        Args:
            file_prefix: the path without the number.
            session: the session whose values are saved; the default one if None.

        Returns:
            the path with the number, for `restore`.

        Raises:
            NotImplementedError: in a `tf.function`.
        """
        if inside_function():
            raise NotImplementedError(
                "Calling tf.train.Checkpoint.save() from a function is not supported, as it changes files that no operation "
                "does. tf.train.Checkpoint.write() can be called there; tf.train.latest_checkpoint does not know of what "
                "that writes."
            )
        if not executing_eagerly():
            session = needed_session(session)
        prefix = as_path(file_prefix)
        path = self.write(f"{prefix}-{self._count(session)}", session)
        checkpoint_state.update_checkpoint_state_internal(
            save_dir=os.path.dirname(prefix),
            model_checkpoint_path=path,
            all_model_checkpoint_paths=[path],
            save_relative_paths=True,
        )
        return path

    def _count(self, session: Any) -> int:
        if executing_eagerly():
            return int(self.save_counter.assign_add(1).numpy())
        if self._save_counter is None:
            session.run(self.save_counter.initializer)
        if self._save_assign_op is None:
            with colocate_with(self.save_counter):
                self._save_assign_op = NoDependency(self.save_counter.assign_add(1, read_value=True))
        return int(session.run(self._save_assign_op))

    def restore(self, save_path: Any) -> Any:
        """Finds the objects of a checkpoint among those here.

        Args:
            save_path: what `save` or `latest_checkpoint` returned; None for none, where variables are to be initialized.

        Returns:
            an object that restores: `run_restore_ops(session)`, `initialize_or_restore(session)`, and, to be sure of what is
            restored, `assert_consumed()`, `assert_existing_objects_matched()` and `assert_nontrivial_match()`.

        Raises:
            NotFoundError: if there is no such checkpoint.
        """
        # Before the objects are looked for: the counter is one.
        _ = self.save_counter
        return self._saver.restore(None if save_path is None else as_path(save_path))


class ObjectSaver:
    """Saves the objects below a root; keeps the operations, so that saving again adds none."""

    def __init__(self, root: Any) -> None:
        # Roots keep their savers, and are to go when nothing else keeps them.
        self._root = weakref.ref(root)
        self._prefix: Tensor | None = None
        self._objects: Tensor | None = None
        self._states: dict[str, Tensor] = {}
        self._saved: bytes | None = None
        self._save_op: Any = None
        self._restores: dict[Any, Operation] = {}

    @property
    def root(self) -> Any:
        """The root, None if it is gone."""
        return self._root()

    def write(self, path: str, session: SessionLike | None) -> Any:
        """Writes a checkpoint in the way that suits what is being built; returns its path."""
        if executing_eagerly():
            self.save_now(path)
            return path
        if inside_function():
            with control_dependencies([self.save_now(path)]):
                return raw.Identity(constant(path))
        return self.save(path, needed_session(session))

    def save_now(self, path: str) -> Operation:
        """Writes a checkpoint while executing eagerly, or whenever the function that is being traced is called."""
        folder = os.path.dirname(path)
        if folder:
            file_io.recursive_create_dir(folder)
        message, saveables, states = described(objects_below(self.root))
        texts = {key: state.serialize() for key, state in states.items()}
        texts[OBJECT_GRAPH_KEY] = message.SerializeToString(deterministic=True)
        with device("/cpu:0"):
            kept = {key: constant(text) for key, text in texts.items()}
        return save_op(path, saveables, kept)

    def restore_now(self, saveables: list[SaveableObject], path: str) -> None:
        """Restores values while executing eagerly."""
        specs = [spec for saveable in saveables for spec in saveable.specs]
        if not specs:
            return
        with device("/cpu:0"):
            tensors = raw.RestoreV2(
                path,
                [spec.name for spec in specs],
                [spec.slice_spec for spec in specs],
                dtypes=[spec.dtype.base_dtype for spec in specs],
            )
        first = 0
        for saveable in saveables:
            after = first + len(saveable.specs)
            saveable.restore(tensors[first:after], None)
            first = after

    def _feeds(self) -> tuple[Tensor, Tensor]:
        if self._prefix is None or self._objects is None:
            with device("/cpu:0"):
                self._objects, self._prefix = constant(""), constant("")
        return self._prefix, self._objects

    def save(self, path: str, session: Any) -> str:
        """Writes a checkpoint."""
        prefix, objects = self._feeds()
        folder = os.path.dirname(path)
        if folder:
            file_io.recursive_create_dir(folder)
        described_graph, saveables, states = described(objects_below(self.root))
        message = described_graph.SerializeToString(deterministic=True)
        if message != self._saved:
            with device("/cpu:0"):
                self._states = {key: constant("") for key in states}
            save = save_op(prefix, saveables, {**self._states, OBJECT_GRAPH_KEY: objects})
            with device("/cpu:0"), control_dependencies([save]):
                self._save_op = raw.Identity(prefix)
            self._saved = message
        feeds = {self._states[key]: state.serialize() for key, state in states.items()}
        session.run(self._save_op, {prefix: path, objects: message, **feeds})
        return path

    def restore(self, path: str | None) -> Any:
        """The status of restoring a checkpoint."""
        if path is None:
            return InitializationOnlyStatus(self.root)
        reader = CheckpointReader(path)
        try:
            message = protos.TrackableObjectGraph.FromString(reader.get_tensor(OBJECT_GRAPH_KEY))
        except NotFoundError:
            by_name = NameBasedSaverStatus(self.root, path)
            if executing_eagerly():
                by_name.take()
            return by_name
        restoration = Restoration(self, message, path)
        if executing_eagerly():
            restoration.take()
        else:
            for key, state in restoration.match().states.items():
                state.deserialize(reader.get_tensor(key))
        return CheckpointLoadStatus(self.root, restoration)

    def restore_found(self, path: str, session: SessionLike | None = None) -> None:
        """Restores what there is now below the root; what comes later keeps its own values.

        Args:
            path: the checkpoint.
            session: while a graph is built, the session whose variables get the values.
        """
        reader = CheckpointReader(path)
        restoration = Restoration(
            self, protos.TrackableObjectGraph.FromString(reader.get_tensor(OBJECT_GRAPH_KEY)), path
        )
        restoration.expect_partial()
        match = restoration.match()
        if session is None:
            self.restore_now(match.saveables, path)
        else:
            self.run_restore(match.saveables, path, session)
        for key, state in match.states.items():
            state.deserialize(reader.get_tensor(key))

    def run_restore(self, saveables: list[SaveableObject], path: str, session: SessionLike) -> None:
        """Restores values."""
        if not saveables:
            return
        prefix, _ = self._feeds()
        specs = [spec for saveable in saveables for spec in saveable.specs]
        key = tuple((saveable.name, id(saveable.op)) for saveable in saveables)
        if key not in self._restores:
            with device("/cpu:0"):
                tensors = raw.RestoreV2(
                    prefix,
                    [spec.name for spec in specs],
                    [spec.slice_spec for spec in specs],
                    dtypes=[spec.dtype.base_dtype for spec in specs],
                )
            restored, first = [], 0
            for saveable in saveables:
                after = first + len(saveable.specs)
                restored.append(saveable.restore(tensors[first:after], None))
                first = after
            self._restores[key] = group(*restored)
        session.run(self._restores[key], {prefix: path})


def list_objects(root_trackable: Checkpoint) -> list[Any]:
    """The objects that one depends on, and itself."""
    return objects_below(root_trackable).objects


def object_metadata(save_path: str) -> protos.TrackableObjectGraph:
    """The `TrackableObjectGraph` of a checkpoint of objects.

    Raises:
        NotFoundError: if there is no checkpoint.
        ValueError: if it is a checkpoint of a `Saver`.
    """
    reader = CheckpointReader(save_path)
    try:
        data = reader.get_tensor(OBJECT_GRAPH_KEY)
    except NotFoundError:
        raise ValueError(
            f'The specified checkpoint "{save_path}" does not appear to be object-based (it is missing the key '
            f'"{OBJECT_GRAPH_KEY}"). Likely it was created with a name-based saver and does not contain an object '
            "dependency graph."
        ) from None
    return protos.TrackableObjectGraph.FromString(data)


def dot_graph_from_checkpoint(save_path: str) -> str:
    """The objects of a checkpoint as a graph in the language of graphviz.

    Args:
        save_path: the checkpoint.

    Example:
        >>> path = tf.train.Checkpoint(weights=w).save("ckpt", session=sess)
        >>> print(tf.contrib.checkpoint.dot_graph_from_checkpoint(path))
        digraph {
        ...
        }
    """
    message = object_metadata(save_path)
    shapes = CheckpointReader(save_path).get_variable_to_shape_map()
    lines = ["digraph {"]
    slots = {slot.slot_variable_node_id for node in message.nodes for slot in node.slot_variables}
    for number, node in enumerate(message.nodes):
        color = "blue" if number in slots else "orange" if node.attributes else "black"
        label = "root" if number == 0 else "slot" if number in slots else ""
        lines.append(f'  N_{number} [shape=point label="{label}" color={color} width=0.1];')
        for attribute in node.attributes:
            shape = shapes.get(attribute.checkpoint_key, [])
            text = f"{attribute.name} {attribute.full_name} shape={shape}"
            lines.append(f'  N_{number}_{attribute.name} [shape=rectangle label="{text}"];')
            lines.append(f"  N_{number} -> N_{number}_{attribute.name};")
        lines += [f'  N_{number} -> N_{child.node_id} [label="{child.local_name}"];' for child in node.children]
    return "\n".join([*lines, "}"])
