"""State of Python objects in checkpoints of objects."""

from __future__ import annotations

import abc
import io
import tokenize
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.checkpoints.containers import Container
from headrace.checkpoints.saveables import SaveableObject, SaveSpec
from headrace.checkpoints.tracking import Trackable, is_trackable
from headrace.core.dtypes import string
from headrace.core.errors import DataLossError
from headrace.core.registry import raw
from headrace.ops.flow.py_func import py_func
from headrace.util.compat import as_bytes

if TYPE_CHECKING:
    from headrace.core.shapes import TensorShape
    from headrace.state.variables import Variable


class PythonState(Trackable, abc.ABC):
    """A trackable object whose state is a string that it makes and reads itself.

    It is saved with the variables; `restore` gives it back at once, not when operations are run.

    Example:
        >>> class Position(tf.train.experimental.PythonState):
        ...     line = 0
        ...     def serialize(self):
        ...         return str(self.line)
        ...     def deserialize(self, string_value):
        ...         self.line = int(string_value)
        >>> position = Position()
        >>> checkpoint = tf.train.Checkpoint(position=position)
        >>> position.line = 7
        >>> path = checkpoint.save("ckpt", session=sess)
        >>> position.line = 0
        >>> status = checkpoint.restore(path)
        >>> position.line
        7
    """

    @abc.abstractmethod
    def serialize(self) -> Any:
        """The state as a string."""

    @abc.abstractmethod
    def deserialize(self, string_value: Any) -> None:
        """Takes over the state in a string, bytes as the checkpoint has them."""


class PythonStringStateSaveable(SaveableObject):
    """A string of Python's, asked for when it is saved and handed on when it is restored.

    Args:
        name: the name it is saved under.
        state_callback: gives the string.
        restore_callback: takes it back; by default nothing does.
    """

    def __init__(
        self, name: str, state_callback: Callable[[], Any], restore_callback: Callable[[bytes], Any] | None = None
    ) -> None:
        def now() -> Any:
            return py_func(lambda: as_bytes(state_callback()), [], string)

        super().__init__(now, [SaveSpec(now, "", name, dtype=string, device="/cpu:0")], name)
        self._take = restore_callback

    def restore(self, restored_tensors: Any, restored_shapes: Sequence[TensorShape] | None) -> Any:
        """Hands the string on."""
        take = self._take
        if take is None:
            return raw.NoOp()

        def run(text: bytes) -> list[Any]:
            take(text)
            return []

        return py_func(run, [restored_tensors[0]], [])


class _ArrayState(PythonState):
    def __init__(self, array: Any) -> None:
        self.array = array

    def serialize(self) -> bytes:
        file = io.BytesIO()
        np.save(file, self.array, allow_pickle=False)
        return file.getvalue()

    def deserialize(self, string_value: bytes) -> None:
        # Without pickles: a checkpoint is data, and runs nothing.
        try:
            self.array = np.lib.format.read_array(io.BytesIO(string_value), allow_pickle=False)
        except (ValueError, TypeError, SyntaxError, EOFError, OverflowError, MemoryError, tokenize.TokenError) as error:
            # What reads the header is Python's parser, and the sizes in it are taken at their word.
            raise DataLossError(None, None, f"The saved array is damaged: {error}") from None


class NumpyState(Trackable):
    """An object whose attributes are NumPy arrays, saved and restored; restoring makes those that are missing.

    Example:
        >>> arrays = tf.contrib.checkpoint.NumpyState()
        >>> arrays.seen = np.zeros([10])
        >>> tf.train.Checkpoint(arrays=arrays)
    """

    def _lookup_dependency(self, name: str) -> Any:
        found = super()._lookup_dependency(name)
        return self._track_trackable(_ArrayState(np.array([])), name) if found is None else found

    def __getattr__(self, name: str) -> np.ndarray:
        # Asked for what is no attribute of its own: an array.
        found = self.__dict__.get("_own_dependencies", {}).get(name)
        if found is None:
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        return found.array

    def __setattr__(self, name: str, value: object) -> None:
        if not isinstance(value, (np.ndarray, np.generic)):
            raise NotImplementedError(
                f"Assigned {value} to the {name} property of {self}, which is not a NumPy array. Keep other trackable "
                "objects in an object of their own."
            )
        there = self._dependencies.get(name)
        if there is None:
            self._track_trackable(_ArrayState(value), name)
        else:
            there.array = value


class UniqueNameTracker(Container):
    """Dependencies whose names are made unique.

    Example:
        >>> tracker = tf.contrib.checkpoint.UniqueNameTracker()
        >>> x = tracker.track(tf.Variable(3.0), "x")
        >>> x_1 = tracker.track(tf.Variable(5.0), "x")
    """

    def track(self, trackable: Variable, base_name: str) -> Variable:
        """Makes `trackable` a dependency named `base_name`, with a number after it where that is taken; returns it.

        Raises:
            ValueError: if it is nothing that can be saved.
        """
        if not is_trackable(trackable):
            raise ValueError(
                f"Expected a trackable value, got {trackable} which does not inherit from tf.track.Trackable."
            )
        name, number = base_name, 0
        while name in self._dependencies:
            number += 1
            name = f"{base_name}_{number}"
        return self._track_trackable(trackable, name)

    def _named(self) -> Iterable[tuple[str, Any]]:
        return self._dependencies.items()
