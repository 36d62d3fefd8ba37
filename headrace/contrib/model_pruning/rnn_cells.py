"""Recurrent cells whose kernels have masks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.contrib.model_pruning.core_layers import add_mask, add_threshold
from headrace.contrib.model_pruning.masks import masked
from headrace.recurrent.lstm_cells import BasicLSTMCell, LSTMCell

if TYPE_CHECKING:
    from headrace.core.typing import InitializerLike


def _mask_kernel(cell: Any) -> Any:
    """The product of the kernel of a built cell and its mask; the cell multiplies by it from now on."""
    cell.built = False
    cell._mask = add_mask(cell, cell._kernel.shape)
    cell._threshold = add_threshold(cell)
    cell._masked_kernel = masked(cell._kernel, cell._mask, cell._threshold)
    cell._kernel = cell._masked_kernel
    cell.built = True


class MaskedBasicLSTMCell(BasicLSTMCell):
    """`tf.nn.rnn_cell.BasicLSTMCell` with a mask on its kernel; arguments as there."""

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1.0,
        state_is_tuple: bool = True,
        activation: Any = None,
        reuse: bool | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__(
            num_units,
            forget_bias=forget_bias,
            state_is_tuple=state_is_tuple,
            activation=activation,
            reuse=reuse,
            name=name,
        )

    def build(self, inputs_shape: Any) -> None:
        """Makes the variables `kernel`, `bias`, `mask` and `threshold`."""
        super().build(inputs_shape)
        _mask_kernel(self)


class MaskedLSTMCell(LSTMCell):
    """`tf.nn.rnn_cell.LSTMCell` with a mask on its kernel; arguments as there."""

    def __init__(
        self,
        num_units: int,
        use_peepholes: bool = False,
        cell_clip: float | None = None,
        initializer: InitializerLike | None = None,
        num_proj: int | None = None,
        proj_clip: float | None = None,
        num_unit_shards: int | None = None,
        num_proj_shards: int | None = None,
        forget_bias: float = 1.0,
        state_is_tuple: bool = True,
        activation: Any = None,
        reuse: bool | None = None,
    ) -> None:
        super().__init__(
            num_units,
            use_peepholes=use_peepholes,
            cell_clip=cell_clip,
            initializer=initializer,
            num_proj=num_proj,
            proj_clip=proj_clip,
            num_unit_shards=num_unit_shards,
            num_proj_shards=num_proj_shards,
            forget_bias=forget_bias,
            state_is_tuple=state_is_tuple,
            activation=activation,
            reuse=reuse,
        )

    def build(self, inputs_shape: Any) -> None:
        """Makes the variables of the cell, `mask` and `threshold`."""
        super().build(inputs_shape)
        _mask_kernel(self)
