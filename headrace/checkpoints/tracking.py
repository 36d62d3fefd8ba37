"""Objects that depend on one another by name: what checkpoints of objects save, rather than names of variables."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headrace.core.dtypes import as_dtype, float32
from headrace.core.shapes import TensorShape
from headrace.state import restoring
from headrace.state.dependencies import NamedDependencies, SlotOwner, TrackableReference
from headrace.state.initializers import glorot_uniform_initializer, zeros_initializer
from headrace.state.variables import Variable

if TYPE_CHECKING:
    from headrace.core.dtypes import DType
    from headrace.core.typing import InitializerLike


VARIABLE_VALUE = "VARIABLE_VALUE"


class Trackable(NamedDependencies):
    """An object with dependencies; see `auto_trackable.AutoTrackable` for one that finds them itself."""

    def _track_trackable(self, trackable: object, name: str, overwrite: bool = False) -> Any:
        """Makes `trackable` a dependency named `name`; returns it.

        Raises:
            TypeError: if it is nothing that can be saved.
            ValueError: if another has the name, unless `overwrite`.
        """
        if not is_trackable(trackable):
            raise TypeError(
                "Trackable._track_trackable() passed type "
                f"{type(trackable)}, not a Trackable: it keeps no state that a checkpoint could hold."
            )
        return super()._track_trackable(trackable, name, overwrite)

    def _add_variable_with_custom_getter(
        self,
        name: str,
        shape: Any = None,
        dtype: DType = float32,
        initializer: InitializerLike | None = None,
        getter: Callable[..., Any] | None = None,
        overwrite: bool = False,
        **kwargs: Any,
    ) -> Any:
        """Makes a variable that becomes a dependency named `name`; returns it.

        Args:
            name: its name, and that of the dependency.
            shape, dtype: its shape and type.
            initializer: what makes its value; of default kind where None.
            getter: what makes the variable, called with all that; `tf.Variable` by default.
            overwrite: whether it may take the name of another dependency.
            kwargs: more for `getter`.

        Raises:
            ValueError: if another dependency has the name, unless `overwrite`.
        """
        if not overwrite and self._lookup_dependency(name) is not None:
            raise ValueError(
                f"A variable named '{name}' is already declared in this Trackable: variable names must be unique within a "
                "Trackable object."
            )
        getter = _plain_variable if getter is None else getter
        restored = restoring.value_of_new(self, name, shape)
        first: Any = initializer
        if restored is not None:
            first, shape = restored, None
        made = getter(name=name, shape=shape, dtype=dtype, initializer=first, **kwargs)
        return self._track_trackable(made, name, overwrite) if is_trackable(made) else made

    @property
    def _unconditional_checkpoint_dependencies(self) -> list[TrackableReference]:
        return self._checkpoint_dependencies

    def _handle_deferred_dependencies(self, name: str, trackable: Any) -> None:
        """Lets checkpoints that wait for objects look again; called when `trackable` has become reachable."""
        restoring.changed()

    def _gather_saveables_for_checkpoint(self) -> dict[str, Any]:
        return {}


def _plain_variable(
    name: str,
    shape: Any = None,
    dtype: DType = float32,
    initializer: InitializerLike | None = None,
    trainable: bool = True,
    **kwargs: Any,
) -> Any:
    dtype = as_dtype(dtype)
    if initializer is None:
        initializer = glorot_uniform_initializer() if dtype.is_floating else zeros_initializer()
    value: Any = initializer
    if callable(initializer):
        made = initializer() if isinstance(initializer, type) else initializer
        sizes = TensorShape(shape).as_list()
        value = functools.partial(made, sizes, dtype=dtype)
    elif shape is not None:
        raise ValueError("If initializer is a constant, do not specify shape.")
    return Variable(
        initial_value=value,
        name=name,
        dtype=dtype,
        trainable=trainable,
        use_resource=True,
        **kwargs,
    )


class NotTrackable:
    """A base of classes whose objects cannot be saved, as their functions make variables that nothing keeps."""


def is_layer(item: object) -> bool:
    """Whether an object has weights as a layer has."""
    # Asked of the class: a model that has no weights yet refuses to tell them.
    return hasattr(type(item), "trainable_weights") and hasattr(type(item), "add_weight")


def is_trackable(item: object) -> bool:
    """Whether checkpoints of objects can hold an object."""
    if isinstance(item, type):
        return False
    return (
        isinstance(item, (Trackable, Variable, SlotOwner))
        or is_layer(item)
        or hasattr(item, "_checkpoint_dependencies")
    )


def saveables_of(item: object) -> dict[str, Any]:
    """What of an object itself is saved, by attribute: of a variable its value."""
    gather = getattr(item, "_gather_saveables_for_checkpoint", None)
    if gather is not None:
        # A variable says so itself where it is made of several.
        return gather()
    return {VARIABLE_VALUE: item} if isinstance(item, Variable) else {}
