"""`tf.train.Checkpoint`: objects saved with what they depend on, and restored by those dependencies."""

from __future__ import annotations

import itertools
import os
from typing import Any

from headrace.core.defaults import colocate_with, control_dependencies, device, get_default_session
from headrace.core.dtypes import int64
from headrace.core.eager import executing_eagerly
from headrace.core.errors import NotFoundError
from headrace.core.operation import Operation, Tensor
from headrace.core.registry import raw
from headrace.files import file_io
from headrace.files.checkpoint.reader import CheckpointReader
from headrace.files.paths import as_path
from headrace.interop import protos
from headrace.ops.array.constant import constant
from headrace.ops.flow.grouping import group
from headrace.state import restoring
from headrace.state.scoping import init_scope
from headrace.state.variables import Variable
from headrace.train import checkpoint_state
from headrace.train.object_graph import OBJECT_GRAPH_KEY, Match, described, matched, node_names, objects_below
from headrace.train.saveables import SaveableObject
from headrace.train.saver import Saver
from headrace.train.tracking import AutoTrackable, NoDependency, is_trackable

_NOTHING = "No checkpoint specified (save_path=None); nothing is being restored."

_numbers = itertools.count()


def _session(session: Any) -> Any:
    session = session or get_default_session()
    if session is None:
        raise RuntimeError(
            "A session is needed to save and restore while graphs are built: pass session=, or use `with tf.Session():`."
        )
    return session


class Checkpoint(AutoTrackable):
    """A group of objects that are saved and restored together, by their names as attributes.

    Args:
        **kwargs: variables, optimizers, layers and other trackable objects, which become attributes.

    Raises:
        ValueError: if one is nothing that can be saved.

    Example:
        >>> checkpoint = tf.train.Checkpoint(optimizer=optimizer, net=net)
        >>> path = checkpoint.save("train/ckpt", session=sess)
        >>> checkpoint.restore(path).assert_consumed().run_restore_ops(sess)
    """

    def __init__(self, **kwargs: Any) -> None:
        for name, value in sorted(kwargs.items()):
            if not is_trackable(value):
                raise ValueError(
                    "`Checkpoint` was expecting a trackable object (an object derived from `TrackableBase`), got "
                    f"{value}. If you believe this object should be trackable (i.e. it is part of the TensorFlow Python "
                    "API and manages state), please open an issue."
                )
            setattr(self, name, value)
        self._save_counter = None
        self._save_assign_op: Any = None
        self._saver = _ObjectSaver(self)

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
            self._save_counter = NoDependency(counter)  # type: ignore[assignment]
        return self._save_counter

    def write(self, file_prefix: Any, session: Any = None) -> str:
        """Writes a checkpoint, without counting it or noting it in the `checkpoint` file.

        Args:
            file_prefix: its path.
            session: the session whose values are saved; the default one if None.

        Returns:
            its path.
        """
        if executing_eagerly():
            return self._saver.save_now(as_path(file_prefix))
        return self._saver.save(as_path(file_prefix), _session(session))

    def save(self, file_prefix: Any, session: Any = None) -> str:
        """Writes a checkpoint whose number is added to its path, and notes it in the `checkpoint` file.

        Args:
            file_prefix: the path without the number.
            session: the session whose values are saved; the default one if None.

        Returns:
            the path with the number, for `restore`.
        """
        if not executing_eagerly():
            session = _session(session)
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
        status = self._saver.restore(None if save_path is None else as_path(save_path))
        _ = self.save_counter
        return status


class _ObjectSaver:
    """Saves the objects below a root; keeps the operations, so that saving again adds none."""

    def __init__(self, root: Any) -> None:
        self.root = root
        self._prefix: Tensor | None = None
        self._objects: Tensor | None = None
        self._states: dict[str, Tensor] = {}
        self._saved: bytes | None = None
        self._save_op: Any = None
        self._restores: dict[Any, Operation] = {}

    def save_now(self, path: str) -> str:
        """Writes a checkpoint while executing eagerly."""
        folder = os.path.dirname(path)
        if folder:
            file_io.recursive_create_dir(folder)
        message, saveables, states = described(objects_below(self.root))
        specs = [spec for saveable in saveables for spec in saveable.specs]
        texts = {key: state.serialize() for key, state in states.items()}
        texts[OBJECT_GRAPH_KEY] = message.SerializeToString(deterministic=True)
        with device("/cpu:0"):
            raw.SaveV2(
                path,
                [spec.name for spec in specs] + list(texts),
                [spec.slice_spec for spec in specs] + [""] * len(texts),
                [spec.tensor for spec in specs] + [constant(text) for text in texts.values()],
            )
        return path

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
            specs = [spec for saveable in saveables for spec in saveable.specs]
            with device("/cpu:0"):
                self._states = {key: constant("") for key in states}
                names = [spec.name for spec in specs] + [*self._states, OBJECT_GRAPH_KEY]
                parts = [spec.slice_spec for spec in specs] + [""] * (len(states) + 1)
                tensors = [spec.tensor for spec in specs] + [*self._states.values(), objects]
                save = raw.SaveV2(prefix, names, parts, tensors)
                with control_dependencies([save]):
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
        status = CheckpointLoadStatus(self, message, path)
        if executing_eagerly():
            status.take()
            return status
        for key, state in matched(message, self.root).states.items():
            state.deserialize(reader.get_tensor(key))
        return status

    def run_restore(self, saveables: list[SaveableObject], path: str, session: Any) -> None:
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


def _initializers(objects: list[Any]) -> list[Any]:
    return [item.initializer for item in objects if getattr(item, "initializer", None) is not None]


class CheckpointLoadStatus:
    """What `restore` found of a checkpoint of objects; objects that are made later are found when it is asked."""

    def __init__(self, saver: _ObjectSaver, message: Any, path: str) -> None:
        self._saver = saver
        self._message = message
        self._path = path
        self.number = next(_numbers)
        self._taken: set[int] = set()

    def take(self) -> None:
        """While executing eagerly, restores what there is of what has not been restored; the rest when it is made."""
        with init_scope():
            match = self._match()
            fresh = [number for number in match.objects if number not in self._taken]
            self._taken.update(fresh)
            if len(self._taken) == len(self._message.nodes):
                restoring.done(self)
            else:
                restoring.wait(self)
                for number in fresh:
                    # An object keeps what may yet come to objects below it.
                    match.objects[number].__dict__.setdefault("_restorations", []).append(self)
            if not fresh:
                return
            keys = {
                attribute.checkpoint_key for number in fresh for attribute in self._message.nodes[number].attributes
            }
            saveables = [saveable for saveable in match.saveables if saveable.name in keys]
            self._saver.restore_now(saveables, self._path)
            states = [(key, state) for key, state in match.states.items() if key in keys]
            if states:
                reader = CheckpointReader(self._path)
                for key, state in states:
                    state.deserialize(reader.get_tensor(key))

    def _match(self) -> Match:
        return matched(self._message, self._saver.root)

    def assert_consumed(self) -> CheckpointLoadStatus:
        """Checks that everything in the checkpoint and every object here has been matched.

        Raises:
            AssertionError: naming what has not.
        """
        match = self._existing()
        names = node_names(self._message)
        for number, node in enumerate(self._message.nodes):
            if number not in match.objects:
                raise AssertionError(f"Unresolved object in checkpoint {names.get(number)}: {node}")
        if match.unused:
            lines = [f"{names[number]} ({match.objects[number]}): {name}" for number, name in match.unused]
            raise AssertionError(
                "Unused attributes in these objects (the attributes exist in the checkpoint but were not restored):\n"
                + "\n".join(lines)
            )
        return self

    def _existing(self) -> Match:
        match = self._match()
        found = {id(item) for item in match.objects.values()}
        objects = objects_below(self._saver.root).objects
        missing = [item for item in objects if id(item) not in found and not _is_empty(item)]
        if missing:
            raise AssertionError(
                "Some Python objects were not bound to checkpointed values, likely due to changes in the Python program: "
                f"{missing}"
            )
        return match

    def assert_existing_objects_matched(self) -> CheckpointLoadStatus:
        """Checks that every object here has been matched; AssertionError names those that have not."""
        self._existing()
        return self

    def assert_nontrivial_match(self) -> CheckpointLoadStatus:
        """Checks that something besides the root has been matched; AssertionError otherwise."""
        if len(self._match().objects) > 1:
            return self
        others = objects_below(self._saver.root).objects[1:]
        if others:
            raise AssertionError(
                "Nothing except the root object matched a checkpointed value. Typically this means that the checkpoint does "
                f"not match the Python program. The following objects have no matching checkpointed value: {others}"
            )
        raise AssertionError(f"Nothing to load. No dependencies have been added to {self._saver.root} yet.")

    def expect_partial(self) -> CheckpointLoadStatus:
        """Says that not all of the checkpoint is needed; nothing warns of that here."""
        return self

    def run_restore_ops(self, session: Any = None) -> None:
        """Restores what has been matched in `session`, or the default session."""
        if executing_eagerly():
            return
        self._saver.run_restore(self._match().saveables, self._path, _session(session))

    def initialize_or_restore(self, session: Any = None) -> None:
        """Restores what has been matched and initializes the other variables."""
        if executing_eagerly():
            return
        session = _session(session)
        match = self._match()
        found = {id(item) for item in match.objects.values()}
        self._saver.run_restore(match.saveables, self._path, session)
        objects = objects_below(self._saver.root).objects
        session.run(_initializers([item for item in objects if id(item) not in found]))


def _is_empty(item: Any) -> bool:
    return isinstance(item, (list, dict, tuple)) and not item._checkpoint_dependencies  # type: ignore[union-attr]


class InitializationOnlyStatus:
    """What `restore(None)` returns: there is nothing to restore, only variables to initialize."""

    def __init__(self, root: Any) -> None:
        self._root = root

    def assert_consumed(self) -> Any:
        """Raises AssertionError."""
        raise AssertionError(_NOTHING)

    assert_existing_objects_matched = assert_nontrivial_match = assert_consumed

    def run_restore_ops(self, session: Any = None) -> None:
        """Raises AssertionError."""
        raise AssertionError(
            "No checkpoint specified, so no restore ops are available (save_path=None to Saver.restore)."
        )

    def expect_partial(self) -> InitializationOnlyStatus:
        """Nothing."""
        return self

    def initialize_or_restore(self, session: Any = None) -> None:
        """Initializes the variables."""
        if executing_eagerly():
            return
        _session(session).run(_initializers(objects_below(self._root).objects))


class NameBasedSaverStatus:
    """What `restore` found of a checkpoint of a `Saver`, in which variables go by their names."""

    def __init__(self, root: Any, path: str) -> None:
        self._root = root
        self._path = path
        self._saver: Saver | None = None
        self.number = next(_numbers)
        self._taken: set[int] = set()

    def take(self) -> None:
        """While executing eagerly, restores the variables there are; the others when they are made."""
        reader = CheckpointReader(self._path)
        objects = objects_below(self._root).objects
        fresh = [item for item in objects if id(item) not in self._taken]
        self._taken.update(map(id, fresh))
        restoring.wait(self)
        for item in fresh:
            item.__dict__.setdefault("_restorations", []).append(self)
            if isinstance(item, Variable) and reader.has_tensor(item._shared_name):
                item.assign(reader.get_tensor(item._shared_name))  # type: ignore[attr-defined]

    def _variables(self) -> list[Any]:
        return [item for item in objects_below(self._root).objects if isinstance(item, Variable)]

    def assert_consumed(self) -> NameBasedSaverStatus:
        """Checks that every variable here is in the checkpoint; AssertionError names those that are not."""
        reader = CheckpointReader(self._path)
        missing = [v for v in self._variables() if not reader.has_tensor(v._shared_name)]
        if missing:
            raise AssertionError(f"Object not restored: {missing[0]}")
        return self

    assert_existing_objects_matched = assert_nontrivial_match = assert_consumed

    def expect_partial(self) -> NameBasedSaverStatus:
        """Nothing."""
        return self

    def run_restore_ops(self, session: Any = None) -> None:
        """Restores the variables by their names."""
        if executing_eagerly():
            return
        if self._saver is None:
            counter = getattr(self._root, "_save_counter", None)
            self._saver = Saver([v for v in self._variables() if v is not counter])
        self._saver.restore(_session(session), self._path)

    def initialize_or_restore(self, session: Any = None) -> None:
        """Restores the variables by their names."""
        self.run_restore_ops(session)


def list_objects(root_trackable: Any) -> list[Any]:
    """The objects that one depends on, and itself."""
    return objects_below(root_trackable).objects


def object_metadata(save_path: Any) -> Any:
    """The `TrackableObjectGraph` of a checkpoint of objects.

    Raises:
        ValueError: if it is a checkpoint of a `Saver`.
    """
    try:
        data = CheckpointReader(save_path).get_tensor(OBJECT_GRAPH_KEY)
    except NotFoundError:
        raise ValueError(
            f'The specified checkpoint "{save_path}" does not appear to be object-based (it is missing the key '
            f'"{OBJECT_GRAPH_KEY}"). Likely it was created with a name-based saver and does not contain an object '
            "dependency graph."
        ) from None
    return protos.TrackableObjectGraph.FromString(data)


def dot_graph_from_checkpoint(save_path: Any) -> str:
    """The objects of a checkpoint as a graph in the language of graphviz.

    Args:
        save_path: the checkpoint.

    Example:
        >>> print(tf.contrib.checkpoint.dot_graph_from_checkpoint("train/ckpt-1"))
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
