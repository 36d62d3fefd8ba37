"""The memory of one variable in one session: what reference edges and resource handles carry; what other state is kept under."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from headrace.core import errors
from headrace.core.dims import Dims
from headrace.core.dtypes import DType

if TYPE_CHECKING:
    import torch


_next_version = itertools.count(1).__next__
_versions_wanted = False


class StateKey(NamedTuple):
    """What a session, or all of a server, keep state under.

    Args:
        kind: what sort of state it is; states of different kinds have names of their own.
        container: the container that a reset may name.
        name: what is shared by it.
        node: the node that stands for it, where it goes by that.
        own: whether no two sessions share it, though they are of one server.
    """

    kind: str
    container: str
    name: str
    node: str = ""
    own: bool = False


class Replacements:
    """Tells whether any buffer has got other memory since one looked, for whoever keeps the tensors of many.

    Attributes:
        latest: another number after each time.
    """

    __slots__ = ("latest",)

    def __init__(self) -> None:
        self.latest = 0


replacements = Replacements()


class VariableBuffer:
    """One variable's memory; reference edges and resource handles carry it.

    Attributes:
        value: the tensor (or array of bytes), None while uninitialized.
        is_resource: whether it belongs to a resource variable, which words its error.
        version: another number after each write, once somebody has asked for versions.
        is_aliased: whether a tensor of eager execution may share its memory.
    """

    __slots__ = ("device", "dims", "dtype", "is_aliased", "is_resource", "lock", "name", "value", "version")

    def __init__(self, name: str, dtype: DType, dims: Dims, device: torch.device, is_resource: bool) -> None:
        self.name = name
        self.dtype = dtype
        self.dims = dims
        self.device = device
        self.is_resource = is_resource
        self.value: Any = None
        self.version = 0
        self.is_aliased = False
        self.lock = threading.Lock()

    def __setattr__(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)
        if name == "value":
            replacements.latest = _next_version()

    def read(self) -> Any:
        """The value itself, not a copy.

        Raises:
            FailedPreconditionError: naming the variable, if it has no value yet.
        """
        value = self.value
        if value is None:
            raise uninitialized(self)
        return value

    def assign(self, value: np.ndarray | torch.Tensor) -> None:
        """Takes over a copy of `value`, in place where the shape allows, so that references see it."""
        old = self.value
        if isinstance(value, np.ndarray):
            self.value = value.copy()
        elif not hasattr(value, "copy_"):
            self.value = value  # a variant, which never changes
        elif old is not None and old.shape == value.shape:
            old.copy_(value)
        else:
            self.value = value.contiguous().to(self.device, copy=True)


def want_versions() -> None:
    """From here on buffers get a new version when they are written, which costs every writer a little."""
    global _versions_wanted
    _versions_wanted = True


def written(buffers: Iterable[VariableBuffer]) -> None:
    """Gives buffers that have been written, or whose writing has failed midway, a new version."""
    if _versions_wanted:
        for buffer in buffers:
            buffer.version = _next_version()


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
