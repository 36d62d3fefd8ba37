"""Cells around cells that map inputs or outputs: EmbeddingWrapper, InputProjectionWrapper, OutputProjectionWrapper."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headrace.core.defaults import device, name_scope
from headrace.functions.nn.embedding import embedding_lookup
from headrace.ops.array.shape import reshape
from headrace.recurrent.cell import RNNCell, assert_like_rnn_cell
from headrace.recurrent.linear import LinearOnce
from headrace.state.initializers import random_uniform_initializer
from headrace.state.variable_scope import get_variable, get_variable_scope
from headrace.util import tf_logging

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import DTypeLike, InitializerLike, TensorLike
    from headrace.recurrent.lstm_cells import LSTMStateTuple


class AroundCell(RNNCell):
    """A cell with another inside, whose sizes it has; subclasses define `call`."""

    def __init__(self, cell: RNNCell, reuse: bool | None = None) -> None:
        super().__init__(_reuse=reuse)
        assert_like_rnn_cell("cell", cell)
        self._cell = cell

    @property
    def state_size(self) -> Any:
        """The size of the inner cell's state."""
        return self._cell.state_size

    @property
    def output_size(self) -> Any:
        """The size of the inner cell's output."""
        return self._cell.output_size

    def zero_state(self, batch_size: int | Tensor, dtype: DTypeLike) -> Any:
        """A state of zeros; see `RNNCell.zero_state`."""
        with name_scope(f"{type(self).__name__}ZeroState", values=[batch_size]):
            return self._cell.zero_state(batch_size, dtype)


class EmbeddingWrapper(AroundCell):
    """A cell whose inputs are numbers of words, [batch, 1]: it looks them up in a table `embedding`.

    Args:
        cell: the cell that gets the words' vectors.
        embedding_classes: how many words there are.
        embedding_size: the size of a word's vector.
        initializer: for the table; by default the scope's, else uniform values of variance 1.
        reuse: whether to share variables that are there.

    Raises:
        ValueError: unless both sizes are positive.
    """

    def __init__(
        self,
        cell: RNNCell,
        embedding_classes: int,
        embedding_size: int,
        initializer: InitializerLike | None = None,
        reuse: bool | None = None,
    ) -> None:
        super().__init__(cell, reuse)
        if embedding_classes <= 0 or embedding_size <= 0:
            raise ValueError(
                f"Both embedding_classes and embedding_size must be > 0: {embedding_classes}, {embedding_size}."
            )
        self._table_shape = [embedding_classes, embedding_size]
        self._initializer = initializer

    def call(self, inputs: TensorLike, state: Any) -> tuple[Tensor, Tensor | LSTMStateTuple | tuple[Tensor, Tensor]]:
        """One step."""
        with device("/cpu:0"):
            bound = math.sqrt(3)
            initializer = (
                self._initializer or get_variable_scope().initializer or random_uniform_initializer(-bound, bound)
            )
            dtype = (state[0] if isinstance(state, tuple) else state).dtype
            table = get_variable("embedding", self._table_shape, initializer=initializer, dtype=dtype)
            return self._cell(embedding_lookup(table, reshape(inputs, [-1])), state)


class InputProjectionWrapper(AroundCell):
    """A cell whose inputs are mapped to `num_proj` values before the inner cell gets them.

    Args:
        cell: the inner cell.
        num_proj: the size of what it gets.
        activation: a function of the mapped inputs; None changes nothing.
        input_size: not used any more.
        reuse: whether to share variables that are there.
    """

    def __init__(
        self,
        cell: RNNCell,
        num_proj: int,
        activation: Callable[[Any], Any] | None = None,
        input_size: int | None = None,
        reuse: bool | None = None,
    ) -> None:
        super().__init__(cell, reuse)
        if input_size is not None:
            tf_logging.warn("%s: The input_size parameter is deprecated.", self)
        self._activation = activation
        self._linear = LinearOnce(num_proj)

    def call(self, inputs: TensorLike, state: object) -> Any:
        """One step."""
        projected = self._linear(inputs)
        return self._cell(self._activation(projected) if self._activation else projected, state)


class OutputProjectionWrapper(AroundCell):
    """A cell whose outputs are those of the inner cell mapped to `output_size` values.

    Args:
        cell: the inner cell.
        output_size: the size of the output.
        activation: a function of the mapped outputs; None changes nothing.
        reuse: whether to share variables that are there.

    Raises:
        ValueError: unless the size is positive.
    """

    def __init__(
        self,
        cell: RNNCell,
        output_size: int,
        activation: Callable[[Any], Any] | None = None,
        reuse: bool | None = None,
    ) -> None:
        super().__init__(cell, reuse)
        if output_size < 1:
            raise ValueError(f"Parameter output_size must be > 0: {output_size}.")
        self._output_size, self._activation = output_size, activation
        self._linear = LinearOnce(output_size)

    @property
    def output_size(self) -> int:
        """The size of the mapped output."""
        return self._output_size

    def call(self, inputs: TensorLike, state: object) -> tuple[Tensor, Tensor | LSTMStateTuple]:
        """One step."""
        output, new_state = self._cell(inputs, state)
        projected = self._linear(output)
        return (self._activation(projected) if self._activation else projected), new_state
