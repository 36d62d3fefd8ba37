"""Recurrent layers of one certain cell, whose settings are those of the cell."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headrace.keras.layers.recurrent_base import RNN
from headrace.layers import named
from headrace.layers.input_spec import InputSpec

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor


def of_cell(names: str) -> Callable[[type], type]:
    """Decorates a layer: these attributes are its cell's."""

    def decorate(layer: type) -> type:
        for name in names.split():
            setattr(layer, name, _attribute(name))
        return layer

    return decorate


def _attribute(name: str) -> property:
    return property(lambda layer: getattr(layer.cell, name), doc=f"`{name}` of the cell.")


class CellLayer(RNN):
    """Runs a cell that it makes from its own arguments over the time of its inputs."""

    def __init__(self, cell: Any, **kwargs: Any) -> None:
        super().__init__(cell, **kwargs)
        if self.input_spec is None:
            self.input_spec = [InputSpec(ndim=3)]  # type: ignore[assignment]  # a list: states follow

    def call(  # type: ignore[override]  # cells of these layers take no constants
        self,
        inputs: Any,
        mask: Any = None,
        training: Any = None,
        initial_state: list[Tensor] | None = None,
    ) -> Any:
        """Runs the cell over the inputs, with new draws of what is dropped; see `RNN`."""
        return super().call(inputs, mask=mask, training=training, initial_state=initial_state)

    def get_config(self) -> dict[str, Any]:
        """The arguments it was made with."""
        config = super().get_config()
        del config["cell"]
        for name in self.cell.SETTINGS.split():
            config[name] = named.setting(getattr(self.cell, name))
            if name == "bias_regularizer":
                config["activity_regularizer"] = named.setting(self.activity_regularizer)
        return config

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Any:
        """The layer that `get_config` describes."""
        # 0 was an older way to compute the same as 1.
        changed = {"implementation": 1} if config.get("implementation") == 0 else {}
        return cls(**{**config, **changed})
