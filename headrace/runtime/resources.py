"""The state that a session keeps between runs: the buffers of its variables."""

from __future__ import annotations

import threading
from typing import Any

import torch

from headrace.core import errors
from headrace.core.dtypes import DType
from headrace.core.shapes import Dims


class VariableBuffer:
    """One variable's memory; reference edges and resource handles carry it.

    Attributes:
        value: the tensor (or array of bytes), None while uninitialized.
        is_resource: whether it belongs to a resource variable, which words its error.
    """

    __slots__ = ("device", "dims", "dtype", "is_resource", "lock", "name", "value")

    def __init__(self, name: str, dtype: DType, dims: Dims, device: torch.device, is_resource: bool) -> None:
        self.name = name
        self.dtype = dtype
        self.dims = dims
        self.device = device
        self.is_resource = is_resource
        self.value: Any = None
        self.lock = threading.Lock()

    def read(self) -> Any:
        """The value itself, not a copy.

        Raises:
            FailedPreconditionError: naming the variable, if it has no value yet.
        """
        value = self.value
        if value is None:
            raise uninitialized(self)
        return value

    def assign(self, value: Any) -> None:
        """Takes over a copy of `value`, in place where the shape allows, so that references see it."""
        old = self.value
        if isinstance(value, torch.Tensor):
            if old is not None and old.shape == value.shape:
                old.copy_(value)
            else:
                self.value = value.to(self.device, copy=True, memory_format=torch.contiguous_format)
        else:
            self.value = value.copy()


def uninitialized(buffer: VariableBuffer) -> errors.FailedPreconditionError:
    """The error of reading a variable before it has a value."""
    if buffer.is_resource:
        message = (
            f"Error while reading resource variable {buffer.name} from Container: localhost. This could mean that the "
            f"variable was uninitialized. Not found: Resource localhost/{buffer.name}/N10tensorflow3VarE does not exist."
        )
    else:
        message = f"Attempting to use uninitialized value {buffer.name}"
    return errors.FailedPreconditionError(None, None, message)


class Runtime:
    """What kernels may ask of the session they run in.

    Attributes:
        buffers: the variables, by container and name.
        device: where nodes run unless something says otherwise.
    """

    def __init__(self, device: torch.device) -> None:
        self.device = device
        self.buffers: dict[tuple[str, str], VariableBuffer] = {}
        # Streams, queues and tables, by kind and name.
        self.objects: dict[Any, Any] = {}
        self.lock = threading.RLock()
        self.settings: Any = None

    def buffer(
        self, container: str, name: str, dtype: DType, dims: Dims, device: Any, is_resource: bool
    ) -> VariableBuffer:
        """The buffer of a variable, made at its first use."""
        key = (container, name)
        with self.lock:
            buffer = self.buffers.get(key)
            if buffer is None:
                buffer = self.buffers[key] = VariableBuffer(name, dtype, dims, device, is_resource)
        return buffer

    def object(self, key: Any, make: Any) -> Any:
        """The object kept under `key`, made by calling `make` at its first use."""
        with self.lock:
            found = self.objects.get(key)
            if found is None:
                found = self.objects[key] = make()
        return found

    def clear(self, containers: Any = None) -> None:
        """Forgets all state, or that of the given containers."""
        with self.lock:
            if containers:
                for key in [k for k in self.buffers if k[0] in containers]:
                    self.buffers.pop(key).value = None
            else:
                self.buffers.clear()
                self.objects.clear()
