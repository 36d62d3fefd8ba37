"""What comes of the values that the members of a group give."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

import torch

from headrace.core.errors import InvalidArgumentError
from headrace.kernels.collective.call import BROADCAST, GATHER, Collective

_MERGE: Mapping[str, Callable[..., torch.Tensor]] = MappingProxyType(
    {"Add": torch.add, "Mul": torch.mul, "Min": torch.minimum, "Max": torch.maximum}
)
_DIGITS = re.compile(r"(\d+)")


def reduced(values: Sequence[torch.Tensor], merge: str) -> torch.Tensor:
    """The sum, product, minimum or maximum of some tensors of one shape, in memory of its own.

    Raises:
        InvalidArgumentError: if shapes differ.
    """
    first = values[0]
    for value in values[1:]:
        if value.shape != first.shape:
            raise InvalidArgumentError(
                None,
                None,
                f"Shapes of the members of a collective differ: {list(first.shape)} and {list(value.shape)}",
            )
    if len(values) == 1:
        return first.clone()
    join = _MERGE[merge]
    result = join(first, values[1])
    for value in values[2:]:
        join(result, value, out=result)
    return result


def finished(value: torch.Tensor, collective: Collective) -> torch.Tensor:
    """The result of a reduction; the value's memory is used."""
    if collective.final == "Div":
        if value.is_floating_point():
            return value.div_(collective.size)
        return value.div_(collective.size, rounding_mode="trunc")
    return value


def combined(collective: Collective, given: Mapping[str, torch.Tensor]) -> torch.Tensor:
    """What comes of a collective all of whose members are in this process.

    Args:
        collective: which.
        given: what the members give, by device, in the order of their names.

    Raises:
        InvalidArgumentError: if shapes differ.
    """
    values = list(given.values())
    if collective.kind == GATHER:
        return joined(values)
    if collective.kind == BROADCAST:
        return values[0].clone()
    return finished(reduced(values, collective.merge), collective)


def joined(values: Sequence[torch.Tensor]) -> torch.Tensor:
    """The values one after the other along the first axis.

    Raises:
        InvalidArgumentError: if shapes differ, or they are scalars.
    """
    first = values[0]
    if not first.dim() or any(value.shape != first.shape for value in values):
        raise InvalidArgumentError(
            None,
            None,
            "A collective gathers tensors of one shape and at least one axis, got "
            + ", ".join(str(list(value.shape)) for value in values),
        )
    return torch.cat(list(values))


def place_order(device: str) -> list[str | int]:
    """What devices are sorted by: their names, in which numbers count as numbers.

    Example:
        >>> sorted(["/device:CPU:10", "/device:CPU:2"], key=place_order)
        ['/device:CPU:2', '/device:CPU:10']
    """
    return [int(part) if part.isdigit() else part for part in _DIGITS.split(device)]
