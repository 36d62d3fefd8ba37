"""Checkpoints that wait for objects to be made: while executing eagerly, what is restored before it exists gets its values
as soon as it does."""

from __future__ import annotations

import threading
import weakref
from typing import TYPE_CHECKING, Any

from headrace.core.eager import executing_eagerly
from headrace.core.shapes import TensorShape
from headrace.state.scoping import init_scope

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor

# What has been asked for and not been found yet: objects with `take()`, which restores what is there now, and `number`.
_waiting: weakref.WeakSet[Any] = weakref.WeakSet()


class _State(threading.local):
    taking = False


_state = _State()


def wait(restoration: Any) -> None:
    """Lets `restoration.take()` be called whenever objects have changed."""
    _waiting.add(restoration)


def done(restoration: Any) -> None:
    """Ends what `wait` began."""
    _waiting.discard(restoration)


def value_of_new(owner: object, name: str, shape: Any = None) -> Tensor | None:
    """What a checkpoint restored eagerly holds for a variable that is about to become `owner`'s dependency `name`.

    A variable made of it runs no initializer, so what is drawn at random afterwards does not depend on the restoring.

    Args:
        owner: the object, such as a layer.
        name: the name of the dependency.
        shape: the shape the variable is to have.

    Returns:
        The value; None where nothing waits for that name, or more than a value does.

    Raises:
        ValueError: if the value has another shape.
    """
    waiting = [
        (restoration, number)
        for restoration in getattr(owner, "__dict__", {}).get("_restorations", ())
        if (number := restoration.place_below(owner, name)) is not None
    ]
    if not waiting:
        return None
    with init_scope():
        if not executing_eagerly() or not all(restoration.is_value(number) for restoration, number in waiting):
            return None
        # What was asked for last has the last word.
        restoration, number = max(waiting, key=lambda one: one[0].number)
        value = restoration.value_at(number)
        if shape is not None and not value.shape.is_compatible_with(shape):
            raise ValueError(
                f"Variable {name!r} of {getattr(owner, 'name', None) or type(owner).__name__} is to have shape "
                f"{TensorShape(shape)}, but in the checkpoint {restoration.path} it has shape {value.shape}."
            )
        return value


def changed() -> None:
    """To be called when a layer has been built, a variable been made part of an object, an optimizer made its slots."""
    if not _waiting or _state.taking:
        return
    _state.taking = True
    try:
        # What was asked for last has the last word.
        for restoration in sorted(_waiting, key=lambda waiting: waiting.number):
            restoration.take()
    finally:
        _state.taking = False
