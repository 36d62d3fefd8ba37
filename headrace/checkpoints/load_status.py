"""What restoring objects gives back: it restores, and tells what of a checkpoint has been found."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headrace.checkpoints.object_graph import node_names, objects_below
from headrace.checkpoints.restoration import Restoration, numbers
from headrace.checkpoints.saver import Saver
from headrace.core.defaults import get_default_session
from headrace.core.eager import executing_eagerly
from headrace.files.checkpoint.reader import CheckpointReader
from headrace.state import restoring
from headrace.state.variables import Variable

if TYPE_CHECKING:
    from headrace.checkpoints.object_graph import Match
    from headrace.core.typing import SessionLike


_NOTHING = "No checkpoint specified (save_path=None); nothing is being restored."

_provided_session: Callable[[], Any] | None = None


def register_session_provider(session_provider: Callable[[], Any]) -> None:
    """Says which session takes the place of a default one where there is none."""
    global _provided_session
    _provided_session = session_provider


def needed_session(session: Any) -> Any:
    """The session that is given, or the default one.

    Raises:
        RuntimeError: if there is none.
    """
    session = session or get_default_session() or (_provided_session() if _provided_session else None)
    if session is None:
        raise RuntimeError(
            "A session is needed to save and restore while graphs are built: pass session=, or use `with tf.Session():`."
        )
    return session


def initializers_of(objects: list[Any]) -> list[Any]:
    """The initializers of those objects that have one."""
    return [item.initializer for item in objects if getattr(item, "initializer", None) is not None]


class CheckpointLoadStatus:
    """What `restore` found of a checkpoint of objects; objects that are made later are found when it is asked."""

    def __init__(self, root: Any, restoration: Restoration) -> None:
        self._root = root
        self._restoration = restoration

    def stream(self, session: SessionLike) -> None:
        """While a graph is built, restores what there is in a session, and what is made later as soon as it is."""
        self._restoration.stream(session)

    def assert_consumed(self) -> CheckpointLoadStatus:
        """Checks that everything in the checkpoint and every object here has been matched.

        Raises:
            AssertionError: naming what has not.
        """
        match = self._existing()
        message = self._restoration.message
        names = node_names(message)
        for number, node in enumerate(message.nodes):
            # 1.15 also notes lists of layers that hold nothing to be saved.
            if number not in match.objects and (node.attributes or node.children or node.slot_variables):
                raise AssertionError(f"Unresolved object in checkpoint {names.get(number)}: {node}")
        if match.unused:
            lines = [f"{names[number]} ({match.objects[number]}): {name}" for number, name in match.unused]
            raise AssertionError(
                "Unused attributes in these objects (the attributes exist in the checkpoint but were not restored):\n"
                + "\n".join(lines)
            )
        return self

    def _existing(self) -> Match:
        match = self._restoration.match()
        found = {id(item) for item in match.objects.values()}
        objects = objects_below(self._root).objects
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
        if len(self._restoration.match().objects) > 1:
            return self
        others = objects_below(self._root).objects[1:]
        if others:
            raise AssertionError(
                "Nothing except the root object matched a checkpointed value. Typically this means that the checkpoint does "
                f"not match the Python program. The following objects have no matching checkpointed value: {others}"
            )
        raise AssertionError(f"Nothing to load. No dependencies have been added to {self._root} yet.")

    def expect_partial(self) -> CheckpointLoadStatus:
        """Says that not all of the checkpoint is needed: no warning tells what is not used."""
        self._restoration.expect_partial()
        return self

    def run_restore_ops(self, session: SessionLike | None = None) -> None:
        """Restores what has been matched in `session`, or the default session."""
        if executing_eagerly():
            return
        self._restoration.run(needed_session(session))

    def initialize_or_restore(self, session: SessionLike | None = None) -> None:
        """Restores what has been matched and initializes the other variables."""
        if executing_eagerly():
            return
        session = needed_session(session)
        found = {id(item) for item in self._restoration.run(session).objects.values()}
        objects = objects_below(self._root).objects
        session.run(initializers_of([item for item in objects if id(item) not in found]))


def _is_empty(item: Any) -> bool:
    return isinstance(item, (list, dict, tuple)) and not item._checkpoint_dependencies  # type: ignore[union-attr]  # tracked containers have it


class InitializationOnlyStatus:
    """What `restore(None)` returns: there is nothing to restore, only variables to initialize."""

    def __init__(self, root: Any) -> None:
        self._root = root

    def assert_consumed(self) -> Any:
        """Raises AssertionError."""
        raise AssertionError(_NOTHING)

    assert_existing_objects_matched = assert_nontrivial_match = assert_consumed

    def run_restore_ops(self, session: SessionLike | None = None) -> None:
        """Raises AssertionError."""
        raise AssertionError(
            "No checkpoint specified, so no restore ops are available (save_path=None to Saver.restore)."
        )

    def expect_partial(self) -> InitializationOnlyStatus:
        """Nothing."""
        return self

    def initialize_or_restore(self, session: SessionLike | None = None) -> None:
        """Initializes the variables."""
        if executing_eagerly():
            return
        needed_session(session).run(initializers_of(objects_below(self._root).objects))


class NameBasedSaverStatus:
    """What `restore` found of a checkpoint of a `Saver`, in which variables go by their names."""

    def __init__(self, root: Any, path: str) -> None:
        self._root = root
        self._path = path
        self._saver: Saver | None = None
        self.number = next(numbers)
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
                item.assign(reader.get_tensor(item._shared_name))

    def place_below(self, owner: object, name: str) -> None:
        """None: what counts are the names of variables, which these have when they are made."""

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

    def run_restore_ops(self, session: SessionLike | None = None) -> None:
        """Restores the variables by their names."""
        if executing_eagerly():
            return
        if self._saver is None:
            counter = getattr(self._root, "_save_counter", None)
            self._saver = Saver([v for v in self._variables() if v is not counter])
        self._saver.restore(needed_session(session), self._path)

    def initialize_or_restore(self, session: SessionLike | None = None) -> None:
        """Restores the variables by their names."""
        self.run_restore_ops(session)
