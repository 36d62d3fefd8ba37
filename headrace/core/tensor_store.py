"""The store of tensors that a session keeps between runs, by handle."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

from headrace.core import errors
from headrace.core.dtypes import DType

if TYPE_CHECKING:
    import numpy as np
    import torch


TENSOR_STORE = "kept_tensors"


class TensorStore:
    """The kernels' values a session keeps, each with its type, by the text of its handle."""

    def __init__(self) -> None:
        self._values: dict[str, tuple[Any, DType]] = {}
        self._numbers = itertools.count()

    def keep(self, node: str, device: str, value: np.ndarray | torch.Tensor, dtype: DType) -> str:
        """Keeps a value.

        Args:
            node: the operation that asks for it.
            device: the name of the device on which the value lies.
            value: the value, which nothing else changes.
            dtype: its type.

        Returns:
            the handle: the operation's name, a number and the device.
        """
        handle = f"{node};{next(self._numbers)};{device}"
        self._values[handle] = (value, dtype)
        return handle

    def get(self, handle: str) -> tuple[Any, DType]:
        """A value and its type.

        Raises:
            InvalidArgumentError: if it is not kept.
        """
        found = self._values.get(handle)
        if found is None:
            raise errors.InvalidArgumentError(
                None, None, f"The tensor with handle '{handle}' is not in the session store."
            )
        return found

    def drop(self, handle: str) -> bool:
        """Forgets a value; whether it was kept."""
        return self._values.pop(handle, None) is not None
