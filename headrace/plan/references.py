"""What emitted functions call where it depends on the step what a value is: references to text, and predicates."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from headrace.core.buffers import VariableBuffer
from headrace.core.errors import InvalidArgumentError
from headrace.plan.ir import Node, Value

if TYPE_CHECKING:
    import torch


_numbers = itertools.count()
# How a session names the container of what is in none.
_CONTAINER = "localhost"


class Reference:
    """A fetched reference to text: that of a variable, or that of a queue, table or accumulator, which is its name.

    Args:
        value: the reference.
    """

    def __init__(self, value: Value) -> None:
        node = value.node
        # References are handed on as they are; which of several it is shows in the step only.
        while "shared_name" not in node.attrs and node.inputs and node.inputs[0].dtype._is_ref_dtype:
            node = node.inputs[0].node
        self._container = node.attrs.get("container") or _CONTAINER
        self._name = node.attrs.get("shared_name") or ""
        self._node = node

    def _made_up(self) -> str:
        node = self._node
        name: str = node.runtime.object(("reference name", node.name), lambda: _numbered(node.name))
        return name

    def read(self, found: object) -> np.ndarray | torch.Tensor:
        """What the reference leads to: a string tensor."""
        if isinstance(found, VariableBuffer):
            return found.read()
        handle = getattr(found, "handle", None)
        if isinstance(handle, tuple):
            # A stack lives for one run, and its name with it.
            return np.array([part.encode() for part in handle], dtype=object)
        if not self._name:
            self._name = getattr(found, "name", "") or self._made_up()
        return np.array([self._container.encode(), self._name.encode()], dtype=object)


def _numbered(name: str) -> str:
    return f"_{next(_numbers)}_{name}"


def scalar_check(pred: Node, switch: Node) -> Callable[[torch.Tensor], torch.Tensor]:
    """What hands on a predicate, the output of `pred`, if it is a scalar.

    Raises (when called):
        InvalidArgumentError: of `switch` if it is none.
    """

    def check(value: torch.Tensor) -> torch.Tensor:
        if not value.ndim:
            return value
        count = int(np.prod(value.shape))
        found = "no elements" if count == 0 else "one element" if count == 1 else "several elements"
        error = InvalidArgumentError(
            None, None, f"The predicate '{pred.name}' must be a scalar, got {found}, of shape {list(value.shape)}"
        )
        raise error if switch.origin is None else error.attach(switch.origin)

    return check
