"""String handles: names under which a session's steps, and those alone, find its iterators again."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

from headrace.core import errors
from headrace.kernels.data.base import invalid, strings

if TYPE_CHECKING:
    import numpy as np

    from headrace.core.typing import NodeView


# What the names that we issue begin with.
_BEGINNING = b"headrace-"


class Handles:
    """The handles that a session has issued.

    Another session does not find what they stand for: names count up, and could be guessed.

    Args:
        node: the planned operation that issues or takes a handle.
        kind: what they stand for.
    """

    def __init__(self, node: NodeView, kind: str) -> None:
        self._known: weakref.WeakValueDictionary[bytes, Any] = node.runtime.object(
            ("string handles", kind), weakref.WeakValueDictionary
        )

    def issue(self, thing: Any) -> np.ndarray:
        """The handle of something, its attribute `handle`, as a string tensor."""
        self._known[thing.handle] = thing
        return strings(thing.handle)

    def find(self, handle: np.ndarray) -> Any:
        """What a handle stands for.

        Args:
            handle: a string tensor, which has to be a scalar.

        Raises:
            NotFoundError: if it is not of this session.
            InvalidArgumentError: if it is no handle.
        """
        if handle.ndim:
            raise invalid("string_handle must be a scalar")
        name: bytes = handle.item()
        found = self._known.get(name)
        if found is None and name.startswith(_BEGINNING):
            raise errors.NotFoundError(
                None, None, f"Could not find resource: this session has no iterator {name.decode('utf-8', 'replace')}"
            )
        if found is None:
            raise invalid("Could not parse string_handle as a valid ResourceHandle")
        return found
