"""`keras.layers.Layer`: subclasses as Keras 1 and 2 had them written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.keras.engine.base_layer import Layer as TfLayer
from headrace.keras.standalone.layer_classes import layer_stand_in, seeds_by_numpy

if TYPE_CHECKING:
    from headrace.state.variables import Variable


def _add_weight(self: Any, *args: Any, **kwargs: Any) -> Variable:
    """Makes a variable of the layer; the shape may come first, as before Keras 2.0.3."""
    given = list(args)
    if given and isinstance(given[0], tuple | list):
        kwargs["shape"] = given.pop(0)
        if given and (isinstance(given[0], str) or callable(given[0])):
            kwargs["initializer"] = given.pop(0)
        if given and isinstance(given[0], str):
            kwargs["name"] = given.pop(0)
    with seeds_by_numpy():
        return TfLayer.add_weight(self, *given, **kwargs)


def _compute_output_shape(self: Any, input_shape: Sequence[int | None]) -> Any:
    """The shape of the outputs, which Keras 1 called `get_output_shape_for`."""
    if hasattr(type(self), "get_output_shape_for"):
        return self.get_output_shape_for(input_shape)
    return TfLayer.compute_output_shape(self, input_shape)


def _settable(name: str, own: str, other: str) -> property:
    """A property of weights that programs could set, as Keras 1 and 2 had it.

    Args:
        name: the property.
        own: the attribute with the weights of this kind.
        other: that with the weights of the other kind, which those that are set leave.
    """
    read = getattr(TfLayer, name)

    def write(self: Any, weights: Sequence[Variable]) -> None:
        chosen = {id(weight) for weight in weights}
        getattr(self, other)[:] = [weight for weight in getattr(self, other) if id(weight) not in chosen]
        getattr(self, own)[:] = weights

    return property(read.fget, write, doc=read.__doc__)


Layer = layer_stand_in(
    TfLayer,
    members={
        "add_weight": _add_weight,
        "compute_output_shape": _compute_output_shape,
        "non_trainable_weights": _settable(
            "non_trainable_weights", own="_non_trainable_weights", other="_trainable_weights"
        ),
        "trainable_weights": _settable("trainable_weights", own="_trainable_weights", other="_non_trainable_weights"),
    },
)
