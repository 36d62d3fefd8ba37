"""`keras.layers.Layer`: subclasses as Keras 1 and 2 had them written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.keras.engine.base_layer import Layer as TfLayer
from headrace.keras.standalone.stand_in import stand_in

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
    return TfLayer.add_weight(self, *given, **kwargs)


def _compute_output_shape(self: Any, input_shape: Sequence[int | None]) -> Any:
    """The shape of the outputs, which Keras 1 called `get_output_shape_for`."""
    if hasattr(type(self), "get_output_shape_for"):
        return self.get_output_shape_for(input_shape)
    return TfLayer.compute_output_shape(self, input_shape)


Layer = stand_in(
    TfLayer,
    members={"add_weight": _add_weight, "compute_output_shape": _compute_output_shape},
)
