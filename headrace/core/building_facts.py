"""What is asked of an op type outside of plans, where graphs are built and sessions run them: words of its declaration."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

if TYPE_CHECKING:
    import numpy as np

    from headrace.core.operation import Operation
    from headrace.core.tensor import Tensor


class PythonValues(Protocol):
    """The values of tensors that TensorFlow's Python code knows: see `core.tensor_util.constant_value`.

    Attributes:
        partial: whether a value may be known in part, as an array of objects with None for what is not known.
    """

    partial: bool

    def of(self, tensor: Tensor) -> Any:
        """The value of a tensor, or None; known in part where that is asked for."""

    def all(self, tensors: Sequence[Tensor]) -> list[np.ndarray] | None:
        """The values of tensors, or None if one of them is not known."""


PythonValueRule = Callable[["Operation", PythonValues], Any]

Declared = TypeVar("Declared", bound="BuildingFacts")


class BuildingFacts:
    """The part of an op's declaration that is read while graphs are built and where sessions and eager programs begin.

    Attributes:
        python_value_rule: what TensorFlow's Python code knows of its output while the graph is built.
        may_be_fed: whether it is there for a value that a step is given.
        graph_only: why eager programs have no such operation, None where they have.
        gives_session_handle: whether its output is the handle of a value that the session keeps.
        is_remembered: whether its eager output tells what made it.
    """

    python_value_rule: PythonValueRule | None = None
    may_be_fed: bool = False
    graph_only: str | None = None
    gives_session_handle: bool = False
    is_remembered: bool = False

    def python_value(self, rule: PythonValueRule) -> PythonValueRule:
        """Declares what TensorFlow's Python code knows of its output: takes the operation and what is known of its inputs.

        Which ops a program makes depends on it, so it is told apart from what shape inference knows, which sees further.
        """
        self.python_value_rule = rule
        return rule

    def takes_feeds(self: Declared) -> Declared:
        """Declares that it is there for a value that a step is given: its own is not known while the graph is built."""
        self.may_be_fed = True
        return self

    def only_in_graphs(self: Declared, why: str) -> Declared:
        """Declares that eager programs have no such operation: making one is a RuntimeError that says why."""
        self.graph_only = why
        return self

    def gives_handle(self: Declared) -> Declared:
        """Declares that its output is the handle of a value that the session keeps: fetching it gives a `TensorHandle`."""
        self.gives_session_handle = True
        return self

    def remembered(self: Declared) -> Declared:
        """Declares that its eager output tells what made it (`core.origins`), so that a graph can make it again."""
        self.is_remembered = True
        return self
