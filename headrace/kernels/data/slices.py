"""The rows of tensors as elements."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import torch

from headrace.kernels.data.base import Dataset, Element, Iteration, Next, invalid

if TYPE_CHECKING:
    import numpy as np


# Rows are cut off in stretches: one call for many is far quicker than one each.
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
        return self.components, Numbers(self.size)


class Numbers(Dataset):
    """The numbers of rows, as Python integers."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.size = size

    def start(self, iteration: Iteration) -> Next:
        return itertools.chain(zip(range(self.size)), itertools.repeat(None)).__next__


def rows(components: Sequence[Any], size: int) -> Iterator[Element]:
    """The rows of `components` as elements."""
    for first in range(0, size, STRETCH):
        yield from zip(*[_cut(component, first, first + STRETCH) for component in components], strict=False)


def _cut(
    component: np.ndarray | torch.Tensor, first: int, last: int
) -> np.ndarray | list[np.ndarray] | tuple[torch.Tensor, ...]:
    if isinstance(component, torch.Tensor):
        return component[first:last].unbind(0)
    part = component[first:last]
    if component.ndim > 1:
        return part
    return [part[i, ...] for i in range(len(part))]
