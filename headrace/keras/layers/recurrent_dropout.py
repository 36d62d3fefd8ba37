"""Dropout within recurrent cells: one draw a call of the layer, the same at all steps (Gal and Ghahramani, arXiv:1512.05287)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.eager import executing_eagerly
from headrace.functions.nn.dropout import dropout
from headrace.kernels.composing.filling import ones_like
from headrace.layers.conditions import smart_cond
from headrace.layers.context import training_phase

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor


class DropoutRNNCellMixin:
    """Draws the masks of a cell when a call first asks for them, and keeps them until they are reset.

    The layer around the cell resets them before each of its calls. Cells have `dropout` and `recurrent_dropout`.
    """

    dropout: float
    recurrent_dropout: float

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        for name in _CACHES:
            object.__setattr__(self, name, None)
        super().__init__(*args, **kwargs)

    def reset_dropout_mask(self) -> None:
        """Forgets the masks of the inputs."""
        object.__setattr__(self, "_dropout_mask", None)
        object.__setattr__(self, "_eager_dropout_mask", None)

    def reset_recurrent_dropout_mask(self) -> None:
        """Forgets the masks of the states."""
        object.__setattr__(self, "_recurrent_dropout_mask", None)
        object.__setattr__(self, "_eager_recurrent_dropout_mask", None)

    def get_dropout_mask_for_cell(self, inputs: Tensor, training: Any, count: int = 1) -> list[Any] | None:
        """The masks of the inputs.

        Args:
            inputs: a step of the inputs, of whose shape the masks are.
            training: whether units are dropped: a bool, a tensor, or None for the learning phase.
            count: how many masks.

        Returns:
            the masks, None where the cell drops nothing.
        """
        return self._masks("_dropout_mask", self.dropout, inputs, training, count)

    def get_recurrent_dropout_mask_for_cell(self, inputs: Tensor, training: Any, count: int = 1) -> list[Any] | None:
        """The masks of the states; see `get_dropout_mask_for_cell`."""
        return self._masks("_recurrent_dropout_mask", self.recurrent_dropout, inputs, training, count)

    def _masks(self, name: str, rate: float, inputs: Tensor, training: Any, count: int) -> list[Any] | None:
        if rate == 0:
            return None
        # A function that is traced under eager execution must not meet values, nor the program tensors of a graph.
        name = f"_eager{name}" if executing_eagerly() else name
        masks = getattr(self, name)
        if masks is None:
            masks = generate_dropout_masks(ones_like(inputs), rate, training, count)
            object.__setattr__(self, name, masks)
        return masks


def reset_dropout_masks(cell: object) -> None:
    """Lets a cell, those of a stack and those inside wrappers draw anew what they drop.

    Args:
        cell: a cell of any kind.
    """
    if isinstance(cell, DropoutRNNCellMixin):
        cell.reset_dropout_mask()
        cell.reset_recurrent_dropout_mask()
    for inner in (*getattr(cell, "cells", ()), getattr(cell, "cell", None)):
        if inner is not None:
            reset_dropout_masks(inner)


_CACHES = ("_dropout_mask", "_recurrent_dropout_mask", "_eager_dropout_mask", "_eager_recurrent_dropout_mask")


def generate_dropout_masks(ones: Tensor, rate: float, training: Any = None, count: int = 1) -> list[Any]:
    """`count` independent masks: `ones` with units dropped while training, `ones` otherwise."""

    def dropped() -> Tensor:
        # NumPy's seed decides: that is how Keras makes draws of models reproducible.
        return dropout(ones, rate=rate, seed=np.random.randint(10_000_000))

    phase = training_phase(training)
    return [smart_cond(phase, dropped, lambda: ones) for _ in range(count)]
