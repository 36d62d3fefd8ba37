"""The rows of tensors as elements."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import torch

from headrace.kernels.data.base import Dataset, Element, Iteration, Next, invalid

if TYPE_CHECKING:
    import numpy as np


# How many rows are cut off by one call of torch. Rows of 28 x 28 floats take 3.6 us each one by one and 0.9 us in
# stretches of 64 to 512; longer stretches cost more again, and the first row waits for all of its own: 0.4 ms of 512,
# 2 ms of 4096.
STRETCH = 512


class Slices(Dataset):
    """The rows of tensors with the same first dimension."""

    def __init__(self, components: Element) -> None:
        super().__init__()
        self.components = components
        sizes = {len(component) for component in components}
        if len(sizes) > 1:
            raise invalid("All components must have the same size in the 0th dimension")
        self.size = sizes.pop()

    def start(self, iteration: Iteration) -> Next:
        return itertools.chain(rows(self.components, self.size), itertools.repeat(None)).__next__

    def cardinality(self) -> int:
        return self.size

    def rows_of(self) -> tuple[Element, Dataset]:
        """The tensors, and the numbers of all of their rows."""
        return self.components, Numbers(self.size)


class Numbers(Dataset):
    """The numbers of rows, as Python integers."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.size = size

    def start(self, iteration: Iteration) -> Next:
        return itertools.chain(zip(range(self.size)), itertools.repeat(None)).__next__


def rows(components: Sequence[Any], size: int) -> Iterator[Element]:
    """The rows of `components` as elements.

    Args:
        components: arrays or tensors with the same first dimension.
        size: that dimension.
    """
    for first in range(0, size, STRETCH):
        yield from zip(*[_cut(component, first, first + STRETCH) for component in components], strict=False)


def _cut(
    component: np.ndarray | torch.Tensor, first: int, last: int
) -> np.ndarray | list[np.ndarray] | tuple[torch.Tensor, ...]:
    """The rows from `first` up to `last`, as something that gives them one by one."""
    if isinstance(component, torch.Tensor):
        return component[first:last].unbind(0)
    part = component[first:last]
    if component.ndim > 1:
        return part
    # An element of a vector is to be an array without dimensions, which iterating over the vector would not give.
    return [part[i, ...] for i in range(len(part))]
