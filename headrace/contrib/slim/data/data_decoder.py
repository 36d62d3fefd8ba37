"""What decodes a record into items."""

from __future__ import annotations

import abc
from collections.abc import Sequence
from typing import Any


class DataDecoder(abc.ABC):
    """What makes tensors of a serialized record."""

    @abc.abstractmethod
    def decode(self, data: Any, items: Sequence[str]) -> list[Any]:
        """The tensors of `items`, in their order.

        Args:
            data: the record, a string tensor.
            items: names of items.
        """

    @abc.abstractmethod
    def list_items(self) -> list[str]:
        """The names of the items there are."""
