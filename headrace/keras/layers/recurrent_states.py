"""The states of recurrent layers: their sizes, zeros to start with, and the arguments of a call that hold them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.core import nest
from headrace.core.shapes import TensorShape
from headrace.kernels.composing.filling import zeros
from headrace.kernels.composing.shapes import shape

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import DTypeLike, Nested


def is_multiple_state(state_size: object) -> bool:
    """Whether a cell of this size has a list of states rather than one."""
    return isinstance(state_size, Sequence) and not isinstance(state_size, TensorShape)


def zero_state(batch_size: int | Tensor | None, state_size: Any, dtype: DTypeLike | None) -> Any:
    """Zeros [batch_size, size] for each size, nested as `state_size`.

    Raises:
        ValueError: if the batch size or the type is not known.
    """
    if batch_size is None or dtype is None:
        raise ValueError(
            "batch_size and dtype cannot be None while constructing initial state: "
            f"batch_size={batch_size}, dtype={dtype}"
        )

    def of_size(size: Any) -> Tensor:
        return zeros([batch_size, *TensorShape(size).as_list()], dtype=dtype)

    return nest.map_structure(of_size, state_size) if nest.is_sequence(state_size) else of_size(state_size)


def zero_state_of_cell(
    cell: Any, inputs: Tensor | None, batch_size: int | Tensor | None, dtype: DTypeLike | None
) -> Any:
    """The zeros that `cell` starts with: of the batch size and type of `inputs` where there are any."""
    if inputs is not None:
        batch_size, dtype = shape(inputs)[0], inputs.dtype
    return zero_state(batch_size, cell.state_size, dtype)


def as_list(value: Any) -> list[Any] | None:
    """A list or tuple as a list, None as itself, anything else as the only entry of one."""
    if value is None or isinstance(value, list):
        return value
    return list(value) if isinstance(value, tuple) else [value]


def standardize_args(
    inputs: Nested[Tensor], initial_state: Any, constants: Any, num_constants: int | None
) -> tuple[Any, list[Any] | None, list[Any] | None]:
    """Parts a list of inputs into inputs, states and constants.

    Args:
        inputs: the inputs, or a list of them, the states and the constants.
        initial_state, constants: those that were given apart.
        num_constants: how many of a list of inputs are constants.

    Returns:
        the inputs, the list of states or None, the list of constants or None.

    Raises:
        ValueError: if states or constants were given both ways.
    """
    if isinstance(inputs, list):
        if initial_state is not None or constants is not None:
            raise ValueError("`initial_state` and `constants` cannot be given beside a list of inputs that holds them.")
        if num_constants:
            constants = inputs[-num_constants:]
            inputs = inputs[:-num_constants]
        if len(inputs) > 1:
            initial_state = inputs[1:]
            inputs = inputs[:1]
        inputs = tuple(inputs) if len(inputs) > 1 else inputs[0]
    return inputs, as_list(initial_state), as_list(constants)
