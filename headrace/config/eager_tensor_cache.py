"""Eager tensors that are kept for their next use, by key."""

from __future__ import annotations

import collections
from collections.abc import Hashable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from headrace.core.eager import EagerTensor


class EagerTensorCache:
    """Keeps small eager tensors; the oldest goes when there are too many.

    Args:
        max_items: how many it keeps.
        max_tensor_size: how many elements one that is kept has at most.
    """

    def __init__(self, max_items: int = 256, max_tensor_size: int = 10000) -> None:
        self._data: collections.OrderedDict[Hashable, EagerTensor] = collections.OrderedDict()
        self._max_items = max_items
        self._max_tensor_size = max_tensor_size

    def put(self, key: Hashable, value: EagerTensor) -> None:
        """Keeps a tensor, unless it is too large."""
        if value._num_elements() > self._max_tensor_size:
            return
        self._data[key] = value
        if len(self._data) > self._max_items:
            self._data.popitem(last=False)

    def get(self, key: Hashable) -> EagerTensor | None:
        """What is kept under a key; None if nothing is."""
        return self._data.get(key)

    def flush(self) -> None:
        """Forgets all."""
        self._data.clear()
