"""The state of a random generator in a variable: two words of counter, one of key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from headrace.core.errors import FailedPreconditionError, InvalidArgumentError
from headrace.kernels.random import philox

if TYPE_CHECKING:
    from headrace.core.buffers import VariableBuffer


PHILOX = 1
_WORD = 2**64


def _signed(number: int) -> int:
    return number - _WORD if number >= _WORD // 2 else number


def place_of(buffer: Any, algorithm: Any, start: int = 0) -> Any:
    """Where the state in a variable stands in its stream: two words of counter, one of key, from `start` on."""
    if int(algorithm) != PHILOX:
        raise InvalidArgumentError(None, None, f"Unsupported algorithm id: {int(algorithm)}")
    if buffer.value is None:
        raise FailedPreconditionError(None, None, "The state of a random generator has not been initialized.")
    state = buffer.value
    if state.dtype is not torch.int64 or state.dim() != 1 or state.numel() < start + 3:
        raise InvalidArgumentError(
            None,
            None,
            f"The state must be an int64 vector of at least {start + 3} elements, got {list(state.shape)} {state.dtype}",
        )
    low, high, key = (number % _WORD for number in state.tolist()[start : start + 3])
    return philox.Philox(key, high, low)


def algorithm_in(buffer: Any) -> int:
    """The algorithm that the state in a variable begins with, as that of the first version does."""
    if buffer.value is None:
        raise FailedPreconditionError(None, None, "The state of a random generator has not been initialized.")
    return int(buffer.value.reshape(-1)[0]) if buffer.value.numel() else 0


def move(buffer: Any, place: Any, outputs: int, start: int = 0) -> None:
    """Moves the state on as if each output had taken all the blocks reserved for one."""
    counter = place.high * _WORD + place.position + outputs * philox.RESERVED_PER_OUTPUT
    moved = [counter % _WORD, counter // _WORD % _WORD, place.key]
    state = buffer.value.tolist()
    state[start : start + 3] = map(_signed, moved)
    buffer.value = torch.tensor(state, dtype=torch.int64, device=buffer.value.device)


def skipped(buffer: VariableBuffer, algorithm: int | torch.Tensor, delta: int) -> None:
    """Moves the state in a variable on by that many outputs; its lock is held."""
    move(buffer, place_of(buffer, algorithm), delta)
