"""The base of recurrent cells."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headrace.core import nest
from headrace.core.constant_value import constant_value
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.dtypes import as_dtype
from headrace.core.tensor import Tensor
from headrace.kernels.composing.shapes import shape
from headrace.layers.base import Layer
from headrace.recurrent.sizes import zero_state_tensors
from headrace.state.collecting import trainable_variables
from headrace.state.partitioned import PartitionedVariable
from headrace.state.variable_scope import get_variable_scope, variable_scope

if TYPE_CHECKING:
    from headrace.core.typing import DTypeLike, TensorLike
    from headrace.state.current_scope import VariableScope
    from headrace.state.variables import Variable


def assert_like_rnn_cell(name: str, cell: Any) -> None:
    """Raises TypeError, naming the argument `name`, if `cell` is nothing that can be used as a recurrent cell."""
    missing = []
    if not _has(cell, "output_size"):
        missing.append("'output_size' property is missing")
    if not _has(cell, "state_size"):
        missing.append("'state_size' property is missing")
    if not (_has(cell, "get_initial_state") or _has(cell, "zero_state")):
        missing.append("either 'zero_state' or 'get_initial_state' method is required")
    if not callable(cell):
        missing.append("is not callable")
    if missing:
        raise TypeError(f"The argument {name!r} ({cell}) is not an RNNCell: {', '.join(missing)}.")


def _has(value: int | RNNCell, name: str) -> bool:
    # A property of an abstract cell raises NotImplementedError; the cell has it all the same.
    try:
        getattr(value, name)
    except AttributeError:
        return False
    return True


def check_cell_dtype(dtype: DTypeLike | None) -> None:
    """Raises ValueError unless `dtype` is None or a type that cells compute in."""
    if dtype is None:
        return
    dtype = as_dtype(dtype)
    if not (dtype.is_floating or dtype.is_complex):
        raise ValueError(f"RNN cell only supports floating point inputs, but saw dtype: {dtype}")


def check_cell_inputs(*inputs: Any) -> None:
    """Raises ValueError unless all tensors in `inputs` are of types that cells compute in."""
    for tensor in nest.flatten(inputs):
        check_cell_dtype(tensor.dtype)


class RNNCell(Layer):
    """What computes one step of a recurrent network: an output and the next state, of an input and a state.

    Subclasses define `state_size`, `output_size` and `call(inputs, state)`.

    Args:
        trainable, name, dtype: as for `tf.layers.Layer`.

    Example:
        >>> cell = tf.nn.rnn_cell.BasicLSTMCell(128)
        >>> output, state = cell(x, cell.zero_state(batch_size=4, dtype=tf.float32))
    """

    def __init__(
        self, trainable: bool = True, name: str | None = None, dtype: DTypeLike | None = None, **kwargs: Any
    ) -> None:
        super().__init__(trainable=trainable, name=name, dtype=dtype, **kwargs)
        self._is_tf_rnn_cell = True

    def __call__(
        self, inputs: Any, state: Any, scope: str | VariableScope | None = None, *args: Any, **kwargs: Any
    ) -> Any:
        """Computes one step.

        Args:
            inputs: [batch, input size].
            state: tensors of shape [batch, size] in the structure of `state_size`.
            scope: the variable scope; that named after the class by default.

        Returns:
            the output and the next state.
        """
        if scope is not None:
            with variable_scope(scope, custom_getter=self._rnn_get_variable) as entered:
                return super().__call__(inputs, state, *args, scope=entered, **kwargs)
        own = getattr(self, "rnncell_scope", None)
        if own is None:
            own = variable_scope(get_variable_scope(), custom_getter=self._rnn_get_variable)
            self.rnncell_scope = own
        with own:
            return super().__call__(inputs, state, *args, **kwargs)

    def get_config(self) -> dict[str, Any]:
        """The layer's arguments; a cell with arguments of its own adds those."""
        return super().get_config()

    def _rnn_get_variable(self, getter: Callable[..., Any], *args: Any, **kwargs: Any) -> Variable:
        """Notes the variables that `call` makes with `tf.get_variable` as the cell's own."""
        variable = getter(*args, **kwargs)
        trained = trainable_variables()
        first = next(iter(variable)) if isinstance(variable, PartitionedVariable) else variable
        weights = self._trainable_weights if any(first is other for other in trained) else self._non_trainable_weights
        if all(variable is not other for other in weights):
            weights.append(variable)
        return variable

    @property
    def state_size(self) -> Any:
        """The size of the state: an int, a TensorShape, or a structure of them."""
        raise NotImplementedError("Abstract method")

    @property
    def output_size(self) -> Any:
        """The size of the output: an int or a TensorShape."""
        raise NotImplementedError("Abstract method")

    def build(self, _: TensorLike) -> None:
        """Makes nothing: cells may make their variables in `call`."""

    def get_initial_state(
        self, inputs: Any = None, batch_size: int | Tensor | None = None, dtype: DTypeLike | None = None
    ) -> Any:
        """`zero_state` of the batch size and type that are given, or those of `inputs`.

        Raises:
            ValueError: if they contradict each other, or are not given.
        """
        if inputs is not None:
            inputs = convert_to_tensor(inputs, name="inputs")
            known = inputs.shape.dims[0].value
            if batch_size is not None:
                given = constant_value(batch_size) if isinstance(batch_size, Tensor) else batch_size
                if known != given:
                    raise ValueError(
                        "batch size from input tensor is different from the input param. Input tensor batch: "
                        f"{known}, batch_size: {batch_size}"
                    )
            if dtype is not None and inputs.dtype != dtype:
                raise ValueError(
                    f"dtype from input tensor is different from the input param. Input tensor dtype: {inputs.dtype}, "
                    f"dtype: {dtype}"
                )
            batch_size = known or shape(inputs)[0]
            dtype = inputs.dtype
        if batch_size is None or dtype is None:
            raise ValueError(
                "batch_size and dtype cannot be None while constructing initial state: "
                f"batch_size={batch_size}, dtype={dtype}"
            )
        return self.zero_state(batch_size, dtype)

    def zero_state(self, batch_size: int | Tensor, dtype: DTypeLike) -> Any:
        """A state of zeros.

        Args:
            batch_size: an int or int32 scalar tensor.
            dtype: the element type.

        Returns:
            zeros of shape [batch_size, size] in the structure of `state_size`.
        """
        with name_scope(f"{type(self).__name__}ZeroState", values=[batch_size]):
            return zero_state_tensors(self.state_size, batch_size, dtype)


class LayerRNNCell(RNNCell):
    """A cell that makes its variables in `build`, as other layers do."""

    def __call__(
        self, inputs: Any, state: Any, scope: str | VariableScope | None = None, *args: Any, **kwargs: Any
    ) -> Any:
        """Computes one step; arguments as for `RNNCell`."""
        return Layer.__call__(self, inputs, state, *args, scope=scope, **kwargs)
