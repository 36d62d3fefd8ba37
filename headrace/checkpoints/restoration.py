"""A checkpoint of objects that is being restored: what of it has been found, and what may still come."""

from __future__ import annotations

import functools
import itertools
import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from headrace.checkpoints.object_graph import Match, matched, node_names
from headrace.checkpoints.tracking import VARIABLE_VALUE
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import get_default_graph
from headrace.core.eager import executing_eagerly
from headrace.files.checkpoint.reader import CheckpointReader
from headrace.state import restoring
from headrace.state.scoping import creators_of, init_scope
from headrace.util import tf_logging

if TYPE_CHECKING:
    from headrace.checkpoints.checkpoint import ObjectSaver
    from headrace.core.tensor import Tensor
    from headrace.core.typing import SessionLike


# Those of restorations: what was asked for last has the last word.
numbers = itertools.count()


class Restoration:
    """One call of `restore`. The objects that it concerns keep it; it keeps none of them.

    Args:
        saver: what runs the operations.
        message: the `TrackableObjectGraph` of the checkpoint.
        path: the checkpoint.
    """

    def __init__(self, saver: ObjectSaver, message: Any, path: str) -> None:
        self.message = message
        self._saver = saver
        self.path = path
        self.number = next(numbers)
        self._found: dict[int, Callable[[], Any]] = {}
        self._places: dict[int, int] = {}  # of what has been found, by identity
        self._edges: set[tuple[int, str]] = set()
        self._taken: set[int] = set()
        self._session: Any = None
        self._account = _Account(message)
        # At the latest when the program ends; not bound to what it tells about.
        weakref.finalize(self, self._account.tell)

    def stream(self, session: SessionLike) -> None:
        """While a graph is built, restores what there is in a session, and what is made later as soon as it is."""
        self._session = session
        self.take()

    def take(self) -> None:
        """While executing eagerly, restores what there is of what has not been restored; the rest when it is made."""
        if self._session is not None and get_default_graph() is not self._session.graph:
            return  # another graph, in which nothing waits
        with init_scope():
            match = self.match(makes_slots=executing_eagerly())
            fresh = [number for number in match.objects if number not in self._taken]
            self._taken.update(fresh)
            if len(self._taken) == len(self.message.nodes):
                restoring.done(self)
            else:
                restoring.wait(self)
            if not fresh:
                return
            keys = {attribute.checkpoint_key for number in fresh for attribute in self.message.nodes[number].attributes}
            saveables = [saveable for saveable in match.saveables if saveable.name in keys]
            if self._session is None:
                self._saver.restore_now(saveables, self.path)
            else:
                self._saver.run_restore(saveables, self.path, self._session)
            states = [(key, state) for key, state in match.states.items() if key in keys]
            for key, state in states:
                state.deserialize(self._reader.get_tensor(key))

    def run(self, session: SessionLike) -> Match:
        """Restores in a session what has been found; returns that."""
        match = self.match()
        self._saver.run_restore(match.saveables, self.path, session)
        return match

    def match(self, makes_slots: bool = False) -> Match:
        """What there is now of the checkpoint; what another has been restored into since stays as it is.

        Args:
            makes_slots: whether slots that are in the checkpoint are made where their optimizer has not done so.
        """
        # Where a program has a say in how variables are made, as strategies have, they are left to it.
        shapes = self._shapes if makes_slots and not creators_of(get_default_graph()).stack else None
        there = {number: item for number, found in self._found.items() if (item := found()) is not None}
        root = self._saver.root
        if root is not None:
            there.setdefault(0, root)
        match = matched(self.message, there, self._edges, shapes)
        kept: set[str] = set()
        for number, item in match.objects.items():
            found = self._found.get(number)
            if found is None or found() is not item:
                self._found[number] = _reference(item)
                self._places[id(item)] = number
                if self._may_come(number, match.objects):
                    # An object keeps what may yet come to objects below it.
                    item.__dict__.setdefault("_restorations", []).append(self)
            latest = item.__dict__.get("_restored_by", -1)
            if latest > self.number:
                kept.update(attribute.checkpoint_key for attribute in self.message.nodes[number].attributes)
            else:
                item.__dict__["_restored_by"] = self.number
        if kept:
            match.saveables = [saveable for saveable in match.saveables if saveable.name not in kept]
            match.states = {key: state for key, state in match.states.items() if key not in kept}
        self._account.note(match)
        return match

    def place_below(self, owner: object, name: str) -> int | None:
        """The number of the node that the checkpoint has at `name` below an object that has been found."""
        number = self._places.get(id(owner))
        if number is None or self._found[number]() is not owner:
            return None
        places = [child.node_id for child in self.message.nodes[number].children if child.local_name == name]
        # A file may name nodes that it does not have.
        return places[0] if places and 0 <= places[0] < len(self.message.nodes) else None

    def is_value(self, number: int) -> bool:
        """Whether a node is one value, that of a variable, and nothing else."""
        node = self.message.nodes[number]
        return [attribute.name for attribute in node.attributes] == [VARIABLE_VALUE] and not node.children

    def value_at(self, number: int) -> Tensor:
        """The value of such a node."""
        return convert_to_tensor(self._reader.get_tensor(self.message.nodes[number].attributes[0].checkpoint_key))

    def _may_come(self, number: int, objects: Mapping[int, Any]) -> bool:
        """Whether something below an object has not been found."""
        node = self.message.nodes[number]
        below = [child.node_id for child in node.children]
        below += [slot.slot_variable_node_id for slot in node.slot_variables]
        return any(place not in objects for place in below)

    @functools.cached_property
    def _shapes(self) -> Mapping[str, Sequence[int]]:
        return self._reader.get_variable_to_shape_map()

    @functools.cached_property
    def _reader(self) -> CheckpointReader:
        return CheckpointReader(self.path)

    def expect_partial(self) -> None:
        """Lets nothing be said about what is not found."""
        self._account.expected_partial = True


def _reference(item: Any) -> Callable[[], Any]:
    try:
        return weakref.ref(item)
    except TypeError:
        # A tuple: it changes no more, and keeps only its elements.
        return lambda: item


class _Account:
    """What has been found of a checkpoint, and what is said when no more can be."""

    def __init__(self, message: Any) -> None:
        self.expected_partial = False
        self._message = message
        self._found: set[int] = set()
        self._unused: dict[int, list[str]] = {}
        self._ambiguous: set[int] = set()

    def note(self, match: Match) -> None:
        """Notes what has been found, and says at once where two objects were."""
        self._found.update(match.objects)
        for number, name in match.unused:
            names = self._unused.setdefault(number, [])
            if name not in names:
                names.append(name)
        for number, other in match.ambiguous.items():
            if number not in self._ambiguous:
                self._ambiguous.add(number)
                tf_logging.warning(
                    "Inconsistent references when loading the checkpoint into this object graph: one object of the "
                    "checkpoint would be two here, as the program or the checkpoint has changed. Two checkpoint "
                    "references resolved to different objects (%s and %s).",
                    match.objects[number],
                    other,
                )

    def tell(self) -> None:
        """Warns of what has not been found."""
        missing = [number for number in range(len(self._message.nodes)) if number not in self._found]
        if self.expected_partial or not (missing or self._unused):
            return
        names = node_names(self._message)
        for number in missing:
            tf_logging.warning("Unresolved object in checkpoint: %s", names.get(number))
        for number, unused in self._unused.items():
            tf_logging.warning("Unused attribute in object %s: %s", names.get(number), unused)
        tf_logging.warning(
            "A checkpoint was restored, by tf.train.Checkpoint.restore or tf.keras.Model.load_weights, and not all of its "
            "values were used; the lines above say which. Where that is as it should be, call expect_partial() on what "
            "restore() returns; where it is not, assert_consumed() makes it an error."
        )
