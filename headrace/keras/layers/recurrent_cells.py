"""What recurrent cells share: the abstract cell, and cells of units with a kernel, a recurrent kernel and a bias."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

from headrace.keras.layers.recurrent_dropout import DropoutRNNCellMixin
from headrace.keras.layers.recurrent_states import zero_state_of_cell
from headrace.layers import named
from headrace.layers.engine import Layer

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import DTypeLike, InitializerLike


class AbstractRNNCell(Layer):
    """The base of cells that are written as classes.

    Subclasses have `call(inputs, states)`, which returns the output of a step and the next states, and the properties
    `state_size` and `output_size`.

    Example:
        >>> class Sum(tf.keras.layers.AbstractRNNCell):
        ...     state_size = output_size = 4
        ...     def call(self, inputs, states):
        ...         total = inputs + states[0]
        ...         return total, [total]
        >>> running = tf.keras.layers.RNN(Sum(), return_sequences=True)
    """

    def call(self, inputs: Any, states: Any) -> tuple[Any, Any]:  # type: ignore[override]  # a cell takes its states too
        """A step.

        Args:
            inputs: what the cell gets at this step, [batch, ...].
            states: the states, nested as `state_size`.

        Returns:
            the output and the next states.
        """
        raise NotImplementedError("Abstract method")

    @property
    def state_size(self) -> Any:
        """The size of each state: integers or shapes, without the batch."""
        raise NotImplementedError("Abstract method")

    @property
    def output_size(self) -> Any:
        """The size of the output: an integer or a shape, without the batch."""
        raise NotImplementedError("Abstract method")

    def get_initial_state(
        self,
        inputs: Tensor | None = None,
        batch_size: int | Tensor | None = None,
        dtype: DTypeLike | None = None,
    ) -> Any:
        """The states to start with: zeros.

        Args:
            inputs: a step of inputs, whose batch size and type are meant.
            batch_size, dtype: those where there are no inputs.
        """
        return zero_state_of_cell(self, inputs, batch_size, dtype)


_READ: dict[str, Callable[[Any], Any]] = {
    "activation": named.get_activation,
    "initializer": named.get_initializer,
    "regularizer": named.get_regularizer,
    "constraint": named.get_constraint,
    "dropout": lambda rate: min(1.0, max(0.0, rate)),
}


def take_settings(layer: Any, **arguments: Any) -> None:
    """Sets arguments of `__init__` as attributes, read by what they are: names of initializers become these and so on."""
    for name, value in arguments.items():
        read = _READ.get(name.rpartition("_")[2])
        setattr(layer, name, value if read is None else read(value))


class UnitsCell(DropoutRNNCellMixin, Layer):
    """A cell of `units` whose gates are computed from a kernel, a recurrent kernel and a bias.

    Attributes:
        GATES: how many columns of `units` the kernels have.
        SETTINGS: the arguments of `__init__`, as `get_config` orders them.
    """

    GATES: ClassVar[int] = 1
    SETTINGS: ClassVar[str] = ""

    units: int
    activation: Callable[[Any], Any]
    recurrent_activation: Callable[[Any], Any]
    use_bias: bool
    kernel_initializer: Any
    recurrent_initializer: Any
    bias_initializer: Any
    state_size: Any
    output_size: Any

    def build(self, input_shape: Any) -> None:
        """Makes `kernel`, `recurrent_kernel` and `bias`."""
        self._make_weights(input_shape[-1], (self.GATES * self.units,), self.bias_initializer)
        self.built = True

    def _make_weights(self, depth: Any, bias_shape: tuple[int, ...], bias_initializer: InitializerLike) -> None:
        self.kernel = self._weight("kernel", (depth, self.GATES * self.units), self.kernel_initializer)
        self.recurrent_kernel = self._weight(
            "recurrent_kernel", (self.units, self.GATES * self.units), self.recurrent_initializer
        )
        self.bias = self._weight("bias", bias_shape, bias_initializer) if self.use_bias else None

    def _weight(self, name: str, shape: tuple[Any, ...], initializer: InitializerLike) -> Any:
        kind = name.removesuffix("_kernel")
        return self.add_weight(
            name,
            shape=shape,
            initializer=initializer,
            regularizer=getattr(self, f"{kind}_regularizer"),
            constraint=getattr(self, f"{kind}_constraint"),
        )

    def get_initial_state(
        self,
        inputs: Tensor | None = None,
        batch_size: int | Tensor | None = None,
        dtype: DTypeLike | None = None,
    ) -> Any:
        """The states to start with: zeros; see `AbstractRNNCell`."""
        return zero_state_of_cell(self, inputs, batch_size, dtype)

    def get_config(self) -> dict[str, Any]:
        """The arguments it was made with."""
        return {**super().get_config(), **named.settings(self, self.SETTINGS)}
