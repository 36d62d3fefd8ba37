"""Long short-term memories over images: their products are convolutions (Shi et al., arXiv:1506.04214)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.shapes import TensorShape
from headrace.functions.math.reduction import reduce_sum
from headrace.functions.nn.convolution_functions import convolution
from headrace.keras.layers.recurrent_base import RNN, check_state_spec
from headrace.keras.layers.recurrent_cells import take_settings
from headrace.keras.layers.recurrent_dropout import DropoutRNNCellMixin
from headrace.keras.layers.recurrent_layers import CellLayer, of_cell
from headrace.keras.layers.recurrent_states import is_multiple_state
from headrace.kernels.composing.arranging import concat
from headrace.kernels.composing.filling import zeros, zeros_like
from headrace.layers import named
from headrace.layers.engine import Layer
from headrace.layers.input_spec import InputSpec
from headrace.layers.sizes import (
    conv_output_length,
    convert_data_format,
    normalize_data_format,
    normalize_padding,
    normalize_tuple,
)
from headrace.ops.array.split import split
from headrace.ops.nn.bias import bias_add
from headrace.state.initializers import Ones

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import FunctionIdentifier, ShapeLike

_SETTINGS = (
    "filters kernel_size strides padding data_format dilation_rate activation recurrent_activation use_bias "
    "kernel_initializer recurrent_initializer bias_initializer unit_forget_bias kernel_regularizer "
    "recurrent_regularizer bias_regularizer kernel_constraint recurrent_constraint bias_constraint dropout "
    "recurrent_dropout"
)


class ConvRNN2D(RNN):
    """Runs a cell over the time of images, [batch, time, rows, columns, channels] or channels before rows.

    Args:
        cell: a cell with `filters`, `kernel_size`, `strides`, `padding`, `data_format`, `dilation_rate`, `kernel_shape`
            and `input_conv`, such as `ConvLSTM2DCell`.
        return_sequences, return_state, go_backwards, stateful: as in `RNN`.
        unroll: not supported.

    Raises:
        TypeError: for several cells, or if it is to be unrolled.
    """

    _bounds_loop = True

    def __init__(
        self,
        cell: Any,
        return_sequences: bool = False,
        return_state: bool = False,
        go_backwards: bool = False,
        stateful: bool = False,
        unroll: bool = False,
        **kwargs: Any,
    ) -> None:
        if unroll:
            raise TypeError("Unrolling isn't possible with convolutional RNNs.")
        if isinstance(cell, (list, tuple)):
            raise TypeError("It is not possible at the moment tostack convolutional cells.")
        super().__init__(
            cell,
            return_sequences=return_sequences,
            return_state=return_state,
            go_backwards=go_backwards,
            stateful=stateful,
            unroll=unroll,
            **kwargs,
        )
        self.input_spec = [InputSpec(ndim=5)]  # type: ignore[assignment]  # a list: states and constants follow

    def _output_size(self, sizes: Sequence[int | None]) -> tuple[Any, ...]:
        """The sizes of a step's output, for inputs of `sizes` [batch, time, ...]."""
        cell = self.cell
        first = cell.data_format == "channels_first"
        places = [
            conv_output_length(length, cell.kernel_size[at], cell.padding, cell.strides[at], cell.dilation_rate[at])
            for at, length in enumerate(sizes[3:5] if first else sizes[2:4])
        ]
        return (cell.filters, *places) if first else (*places, cell.filters)

    def compute_output_shape(self, input_shape: ShapeLike) -> Any:
        """The shape of the output, in a list with those of the states where they are returned."""
        if isinstance(input_shape, list) and not all(size is None or isinstance(size, int) for size in input_shape):
            input_shape = input_shape[0]
        sizes = TensorShape(input_shape).as_list()
        size = self._output_size(sizes)
        output = TensorShape([*sizes[: 2 if self.return_sequences else 1], *size])
        if not self.return_state:
            return output
        return [output, *(TensorShape([sizes[0], *size]) for _ in range(2))]

    def build(self, input_shape: Any) -> None:
        """Builds the cell for a step of the inputs."""
        if isinstance(input_shape, list):
            input_shape = input_shape[0]
        sizes = TensorShape(input_shape).as_list()
        specs: Any = self.input_spec
        self.input_spec = [  # type: ignore[assignment]  # see `__init__`
            InputSpec(shape=(sizes[0] if self.stateful else None, None, *sizes[2:5])),
            *specs[1:],
        ]
        if isinstance(self.cell, Layer) and not self.cell.built:
            self.cell.build((sizes[0], *sizes[2:]))
            self.cell.built = True
        state_size = self.cell.state_size
        channels = list(state_size) if is_multiple_state(state_size) else [state_size]
        first = self.cell.data_format == "channels_first"
        if self.state_spec is not None:
            axis = 1 if first else -1
            given = [InputSpec(shape=(None, spec.shape[axis])) for spec in self.state_spec]
            check_state_spec(channels, given)
        else:
            self.state_spec = [
                InputSpec(shape=(None, size, None, None) if first else (None, None, None, size)) for size in channels
            ]
        if self.stateful:
            self.reset_states()
        self.built = True

    def get_initial_state(self, inputs: Any) -> list[Any]:
        """Zeros of the places that the convolutions of `inputs` have."""
        nothing = reduce_sum(zeros_like(inputs), axis=1)
        kernel = zeros((*self.cell.kernel_shape[:-1], self.cell.filters), dtype=inputs.dtype)
        state = self.cell.input_conv(nothing, kernel, padding=self.cell.padding)
        return [state] * (len(self.cell.state_size) if is_multiple_state(self.cell.state_size) else 1)

    def _batch_size(self) -> int:
        """The batch size that its inputs were found to have; not knowing it is another error in 1.15 than for other layers.

        Raises:
            TypeError: if they have none.
        """
        try:
            return super()._batch_size()
        except ValueError as error:
            raise TypeError(str(error)) from None

    def _shape_of_state(self, batch: int, size: Any) -> tuple[Any, ...]:
        specs: Any = self.input_spec
        sizes = self._output_size(list(specs[0].shape))
        return (batch, *sizes)

    def _first_states(self, batch: int) -> list[Any]:
        shape = self._shape_of_state(batch, None)
        if None in shape:
            raise ValueError(
                "If a RNN is stateful, it needs to know the shape of its states; the inputs of layer "
                f"{self.name} have unknown sizes: {self.input_spec}."
            )
        count = len(self.cell.state_size) if is_multiple_state(self.cell.state_size) else 1
        return [np.zeros(shape, self.dtype or "float32") for _ in range(count)]


class ConvLSTM2DCell(DropoutRNNCellMixin, Layer):
    """The cell of `ConvLSTM2D`: one step. The filters are those of the gates i, f, c and o.

    Args:
        filters: the number of channels of memory and output.
        kernel_size, strides, padding, data_format, dilation_rate: of the convolutions of the inputs, as in `Conv2D`;
            those of the states have strides of 1 and keep the sizes.
        activation, recurrent_activation: functions or their names, of memory and output and of the gates.
        use_bias: whether there is a bias.
        kernel_initializer, recurrent_initializer, bias_initializer, kernel_regularizer, recurrent_regularizer,
            bias_regularizer, kernel_constraint, recurrent_constraint, bias_constraint: as in `add_weight`.
        unit_forget_bias: whether the bias of the forget gate starts at 1.
        dropout, recurrent_dropout: the share of the inputs and of the states that is dropped while training.
    """

    SETTINGS = _SETTINGS

    filters: int
    kernel_size: tuple[int, int]
    strides: tuple[int, int]
    padding: str
    data_format: str
    dilation_rate: tuple[int, int]
    activation: Any
    recurrent_activation: Any
    use_bias: bool
    unit_forget_bias: bool

    def __init__(
        self,
        filters: int,
        kernel_size: int | Sequence[int],
        strides: int | Sequence[int] = (1, 1),
        padding: str = "valid",
        data_format: str | None = None,
        dilation_rate: int | Sequence[int] = (1, 1),
        activation: Any = "tanh",
        recurrent_activation: Any = "hard_sigmoid",
        use_bias: bool = True,
        kernel_initializer: FunctionIdentifier | None = "glorot_uniform",
        recurrent_initializer: FunctionIdentifier | None = "orthogonal",
        bias_initializer: FunctionIdentifier | None = "zeros",
        unit_forget_bias: bool = True,
        kernel_regularizer: FunctionIdentifier | None = None,
        recurrent_regularizer: FunctionIdentifier | None = None,
        bias_regularizer: FunctionIdentifier | None = None,
        kernel_constraint: FunctionIdentifier | None = None,
        recurrent_constraint: FunctionIdentifier | None = None,
        bias_constraint: FunctionIdentifier | None = None,
        dropout: float = 0.0,
        recurrent_dropout: float = 0.0,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        take_settings(
            self,
            filters=filters,
            kernel_size=normalize_tuple(kernel_size, 2, "kernel_size"),
            strides=normalize_tuple(strides, 2, "strides"),
            padding=normalize_padding(padding),
            data_format=normalize_data_format(data_format),
            dilation_rate=normalize_tuple(dilation_rate, 2, "dilation_rate"),
            activation=activation,
            recurrent_activation=recurrent_activation,
            use_bias=use_bias,
            kernel_initializer=kernel_initializer,
            recurrent_initializer=recurrent_initializer,
            bias_initializer=bias_initializer,
            unit_forget_bias=unit_forget_bias,
            kernel_regularizer=kernel_regularizer,
            recurrent_regularizer=recurrent_regularizer,
            bias_regularizer=bias_regularizer,
            kernel_constraint=kernel_constraint,
            recurrent_constraint=recurrent_constraint,
            bias_constraint=bias_constraint,
            dropout=dropout,
            recurrent_dropout=recurrent_dropout,
        )
        self.state_size = (self.filters, self.filters)

    def build(self, input_shape: Any) -> None:
        """Makes `kernel`, `recurrent_kernel` and `bias`.

        Raises:
            ValueError: if the number of channels is not known.
        """
        channels = input_shape[1 if self.data_format == "channels_first" else -1]
        channels = getattr(channels, "value", channels)
        if channels is None:
            raise ValueError("The channel dimension of the inputs should be defined. Found `None`.")
        filters, given = self.filters, self.bias_initializer  # type: ignore[attr-defined]  # set by `take_settings`
        self.kernel_shape = (*self.kernel_size, channels, 4 * filters)
        self.kernel = self._weight("kernel", self.kernel_shape, "kernel")
        self.recurrent_kernel = self._weight("recurrent_kernel", (*self.kernel_size, filters, 4 * filters), "recurrent")
        self.bias = None
        if self.use_bias:

            def biases(_: Any, *args: Any, **kwargs: Any) -> Tensor:
                first = given((filters,), *args, **kwargs)
                return concat([first, Ones()((filters,), *args, **kwargs), given((2 * filters,), *args, **kwargs)], -1)

            self.bias = self._weight("bias", (4 * filters,), "bias", biases if self.unit_forget_bias else given)
        self.built = True

    def _weight(self, name: str, shape: tuple[Any, ...], kind: str, initializer: Any = None) -> Any:
        return self.add_weight(
            name,
            shape=shape,
            initializer=initializer or getattr(self, f"{kind}_initializer"),
            regularizer=getattr(self, f"{kind}_regularizer"),
            constraint=getattr(self, f"{kind}_constraint"),
        )

    def call(self, inputs: Any, states: Any, training: Any = None) -> tuple[Tensor, list[Tensor]]:  # type: ignore[override]  # a cell takes its states too
        """One step."""
        h_before, c_before = states[0], states[1]
        masks = self.get_dropout_mask_for_cell(inputs, training, count=4)
        recurrent_masks = self.get_recurrent_dropout_mask_for_cell(h_before, training, count=4)
        dropped = [inputs] * 4 if masks is None else [inputs * mask for mask in masks]
        h = [h_before] * 4 if recurrent_masks is None else [h_before * mask for mask in recurrent_masks]
        kernels = split(self.kernel, num_or_size_splits=4, axis=3)
        recurrent_kernels = split(self.recurrent_kernel, num_or_size_splits=4, axis=3)
        biases = [None] * 4 if self.bias is None else split(self.bias, num_or_size_splits=4, axis=0)
        x = [self.input_conv(*parts, padding=self.padding) for parts in zip(dropped, kernels, biases)]
        inner = [self.recurrent_conv(*parts) for parts in zip(h, recurrent_kernels)]
        i = self.recurrent_activation(x[0] + inner[0])
        f = self.recurrent_activation(x[1] + inner[1])
        c = f * c_before + i * self.activation(x[2] + inner[2])
        o = self.recurrent_activation(x[3] + inner[3])
        h_new = o * self.activation(c)
        return h_new, [h_new, c]

    def input_conv(self, x: Tensor, w: Tensor, b: Tensor | None = None, padding: str = "valid") -> Tensor:
        """The convolution of inputs `x` with filters `w`, and a bias."""
        layout = convert_data_format(self.data_format, 4)
        result = convolution(x, w, padding.upper(), self.strides, self.dilation_rate, data_format=layout)
        return result if b is None else bias_add(result, b, data_format=layout)

    def recurrent_conv(self, x: Tensor, w: Tensor) -> Tensor:
        """The convolution of a state with filters `w`, of the same size."""
        return convolution(x, w, "SAME", (1, 1), data_format=convert_data_format(self.data_format, 4))

    def get_config(self) -> dict[str, Any]:
        """The arguments it was made with."""
        return {**super().get_config(), **named.settings(self, self.SETTINGS)}


@of_cell(_SETTINGS)
class ConvLSTM2D(CellLayer, ConvRNN2D):
    """A long short-term memory over images.

    Args:
        filters: the number of channels of memory and output.
        kernel_size, strides, padding, data_format, dilation_rate: of the convolutions of the inputs, as in `Conv2D`.
        activation, recurrent_activation: functions or their names, of memory and output and of the gates.
        use_bias: whether there is a bias.
        kernel_initializer, recurrent_initializer, bias_initializer, kernel_regularizer, recurrent_regularizer,
            bias_regularizer, kernel_constraint, recurrent_constraint, bias_constraint: as in `add_weight`.
        unit_forget_bias: whether the bias of the forget gate starts at 1.
        activity_regularizer: a function of the outputs whose value becomes a loss.
        return_sequences, go_backwards, stateful: as in `RNN`.
        dropout, recurrent_dropout: the share of the inputs and of the states that is dropped while training.
    """

    def __init__(
        self,
        filters: int,
        kernel_size: int | Sequence[int],
        strides: int | Sequence[int] = (1, 1),
        padding: str = "valid",
        data_format: str | None = None,
        dilation_rate: int | Sequence[int] = (1, 1),
        activation: Any = "tanh",
        recurrent_activation: Any = "hard_sigmoid",
        use_bias: bool = True,
        kernel_initializer: FunctionIdentifier | None = "glorot_uniform",
        recurrent_initializer: FunctionIdentifier | None = "orthogonal",
        bias_initializer: FunctionIdentifier | None = "zeros",
        unit_forget_bias: bool = True,
        kernel_regularizer: FunctionIdentifier | None = None,
        recurrent_regularizer: FunctionIdentifier | None = None,
        bias_regularizer: FunctionIdentifier | None = None,
        activity_regularizer: FunctionIdentifier | None = None,
        kernel_constraint: FunctionIdentifier | None = None,
        recurrent_constraint: FunctionIdentifier | None = None,
        bias_constraint: FunctionIdentifier | None = None,
        return_sequences: bool = False,
        go_backwards: bool = False,
        stateful: bool = False,
        dropout: float = 0.0,
        recurrent_dropout: float = 0.0,
        **kwargs: Any,
    ) -> None:
        cell = ConvLSTM2DCell(
            filters,
            kernel_size,
            strides=strides,
            padding=padding,
            data_format=data_format,
            dilation_rate=dilation_rate,
            activation=activation,
            recurrent_activation=recurrent_activation,
            use_bias=use_bias,
            kernel_initializer=kernel_initializer,
            recurrent_initializer=recurrent_initializer,
            bias_initializer=bias_initializer,
            unit_forget_bias=unit_forget_bias,
            kernel_regularizer=kernel_regularizer,
            recurrent_regularizer=recurrent_regularizer,
            bias_regularizer=bias_regularizer,
            kernel_constraint=kernel_constraint,
            recurrent_constraint=recurrent_constraint,
            bias_constraint=bias_constraint,
            dropout=dropout,
            recurrent_dropout=recurrent_dropout,
            dtype=kwargs.get("dtype"),
        )
        super().__init__(
            cell,
            return_sequences=return_sequences,
            go_backwards=go_backwards,
            stateful=stateful,
            activity_regularizer=activity_regularizer,
            **kwargs,
        )
