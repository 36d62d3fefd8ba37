"""What provides the items of one example after another."""

from __future__ import annotations

import abc
from collections.abc import Iterable
from typing import Any


class DataProvider(abc.ABC):  # noqa: B024 -- a base to derive from, all of whose methods have a meaning already
    """Items by name.

    Args:
        items_to_tensors: tensors by the names of items.
        num_samples: the number of examples, if it is known.
    """

    def __init__(self, items_to_tensors: dict[str, Any], num_samples: int | None) -> None:
        self._items_to_tensors = items_to_tensors
        self._num_samples = num_samples

    def get(self, items: list[str] | tuple[str, ...]) -> list[Any]:
        """The tensors of `items`, in their order.

        Raises:
            ValueError: if `items` is no list or tuple, or holds a name that there is not.
        """
        if not isinstance(items, (list, tuple)):
            raise ValueError("items must be a list or tuple")
        for item in items:
            if item not in self._items_to_tensors:
                raise ValueError(f"Item [{item}] is invalid. Valid entries include: {self.list_items()}")
        return [self._items_to_tensors[item] for item in items]

    def list_items(self) -> Iterable[str]:
        """The names of the items there are."""
        return self._items_to_tensors.keys()

    def num_samples(self) -> int | None:
        """The number of examples, if it is known."""
        return self._num_samples
