"""Several dependencies that one operation fills and one operation takes back."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.checkpoints.saveables import SaveableObject, SaveSpec
from headrace.checkpoints.tracking import VARIABLE_VALUE, Trackable
from headrace.core.registry import raw

if TYPE_CHECKING:
    from headrace.core.dtypes import DType
    from headrace.core.operation import Operation
    from headrace.core.shapes import TensorShape
    from headrace.core.tensor import Tensor
    from headrace.state.variables import Variable


_Fill = Callable[[dict[str, Any]], Any]


class _Shared:
    """What the parts have in common: tensors that wait to be saved, and those that were restored."""

    def __init__(self, count: int, fill: _Fill, consume: _Fill) -> None:
        self._count, self._fill, self._consume = count, fill, consume
        self._to_save: dict[str, Any] = {}
        self._restored: dict[str, Any] = {}

    def save(self, name: str, part: _Part) -> Any:
        """The tensor to save for a part; the first one asked for has all of them made."""
        if name not in self._to_save:
            if self._to_save:
                raise AssertionError(_unsynchronized(name, part, "saved"))
            self._fill(self._to_save)
        return self._to_save.pop(name)

    def restore(self, name: str, tensor: Tensor, part: _Part) -> Operation | Variable:
        """Takes a part's tensor; the last one has all of them taken back."""
        if name in self._restored:
            raise AssertionError(_unsynchronized(name, part, "restored"))
        self._restored[name] = tensor
        if len(self._restored) < self._count:
            return raw.NoOp()
        done = self._consume(self._restored)
        self._restored.clear()
        return done


def _unsynchronized(name: str, part: _Part, what: str) -> str:
    return f"Split dependency {name} ({part}) unsynchronized. Split dependencies must be {what} together."


class _PartSaveable(SaveableObject):
    def __init__(self, part: _Part, name: str) -> None:
        self._part = part
        spec = SaveSpec(part.tensor, "", name, dtype=part.dtype, device=part.device)
        super().__init__(part.tensor, [spec], name)

    def restore(
        self, restored_tensors: Sequence[Any], restored_shapes: Sequence[TensorShape] | None
    ) -> Operation | Variable:
        """Hands the tensor to the part."""
        (tensor,) = restored_tensors
        return self._part.take(tensor)


class _Part(Trackable):
    """One of the dependencies, which is saved as a variable is."""

    def __init__(self, shared: _Shared, name: str, dtype: DType, device: str) -> None:
        self._shared, self._name = shared, name
        self.dtype, self.device = dtype, device

    def tensor(self) -> Tensor:
        """What to save."""
        return self._shared.save(self._name, self)

    def take(self, tensor: Tensor) -> Operation | Variable:
        """Takes what was restored."""
        return self._shared.restore(self._name, tensor, self)

    def _gather_saveables_for_checkpoint(self) -> dict[str, Any]:
        return {VARIABLE_VALUE: functools.partial(_PartSaveable, self)}


def split_dependency(
    component_names: Sequence[str],
    component_dtypes: Sequence[Any],
    fill_save_buffer_fn: _Fill,
    consume_restore_buffer_fn: _Fill,
    device: str,
) -> dict[str, Any]:
    """Dependencies that are saved under different objects, and made and taken back together.

    For an operation with one opaque parameter that stands for variables of several objects.

    Args:
        component_names: the names of the parts.
        component_dtypes: their types.
        fill_save_buffer_fn: puts the tensors to save, by the names, into the dict it is given.
        consume_restore_buffer_fn: takes a dict of restored tensors by name; returns an operation that stores them, or
            stores them when executing eagerly.
        device: where that happens.

    Returns:
        a dict of objects by name. Where one is a dependency of what is saved, all must be; otherwise saving and
        restoring raise AssertionError.

    Example:
        >>> parts = tf.contrib.checkpoint.split_dependency(
        ...     ["first", "rest"], [tf.float32] * 2, lambda b: b.update(first=v[:1], rest=v[1:]),
        ...     lambda b: v.assign(tf.concat([b["first"], b["rest"]], 0)), device="/cpu:0")
        >>> checkpoint = tf.train.Checkpoint(**parts)
    """
    shared = _Shared(len(component_names), fill_save_buffer_fn, consume_restore_buffer_fn)
    return {
        name: _Part(shared, name, dtype, device) for name, dtype in zip(component_names, component_dtypes, strict=True)
    }
