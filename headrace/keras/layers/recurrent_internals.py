"""Names inside 1.x's module of recurrent layers that programs with layers of their own use."""

from __future__ import annotations

from headrace.keras.layers.recurrent_dropout import generate_dropout_masks
from headrace.keras.layers.recurrent_states import is_multiple_state as _is_multiple_state
from headrace.keras.layers.recurrent_states import standardize_args as _standardize_args
from headrace.keras.layers.recurrent_states import zero_state as _generate_zero_filled_state
from headrace.keras.layers.recurrent_states import zero_state_of_cell as _generate_zero_filled_state_for_cell

__all__ = [
    "_generate_dropout_mask",
    "_generate_zero_filled_state",
    "_generate_zero_filled_state_for_cell",
    "_is_multiple_state",
    "_standardize_args",
]


def _generate_dropout_mask(ones: object, rate: float, training: object = None, count: int = 1) -> object:
    """One mask, or a list of `count`; see `generate_dropout_masks`."""
    masks = generate_dropout_masks(ones, rate, training, count)  # type: ignore[arg-type]  # whatever the program has
    return masks if count > 1 else masks[0]
