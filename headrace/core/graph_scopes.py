"""What is open while operations are added to a graph: control dependencies, devices, colocation, the name scope."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headrace.core.callsite import innermost
from headrace.core.device import DeviceSpecV2, merge_device
from headrace.core.operation import Operation
from headrace.core.traceable_stack import TraceableObject

if TYPE_CHECKING:
    from headrace.core.graph import Graph


class Controller:
    """One `control_dependencies` block: what new operations must wait for."""

    def __init__(self, graph: Graph, control_inputs: list[Operation], new_stack: bool) -> None:
        self.graph = graph
        self.control_inputs = control_inputs
        self.new_stack = new_stack
        self.seen: set[Operation] = set()
        self.previous_stack: list[Controller] = []
        self.previous_context: Any = None

    def __enter__(self) -> None:
        graph = self.graph
        if self.new_stack:
            # control_dependencies(None) also leaves any control flow context.
            self.previous_stack = graph._control_dependencies_stack
            graph._control_dependencies_stack = []
            self.previous_context = graph._get_control_flow_context()
            graph._set_control_flow_context(None)
        graph._control_dependencies_stack = [*graph._control_dependencies_stack, self]

    def __exit__(self, *_: object) -> None:
        graph = self.graph
        if not graph._control_dependencies_stack or graph._control_dependencies_stack[-1] is not self:
            raise AssertionError("control_dependencies blocks must be left in the reverse order of entering them.")
        graph._control_dependencies_stack = graph._control_dependencies_stack[:-1]
        if self.new_stack:
            graph._control_dependencies_stack = self.previous_stack
            graph._set_control_flow_context(self.previous_context)


class OpenScopes(threading.local):
    """What each thread that builds one graph has open."""

    def __init__(self) -> None:
        self.devices: list[Any] = []
        self.control_stack: list[Controller] = []
        self.colocation: list[Operation] = []
        self.colocation_origins: list[TraceableObject] = []
        self.name_stack = ""


def device_merger(merge: Callable[[Any], Any]) -> Callable[[Operation], str]:
    def merged(op: Operation) -> str:
        result = merge(op)
        return result if isinstance(result, str) else result.to_string()

    return merged


def device_scope(given: Any) -> Any:
    """What a device scope does to operations made in it, with the place in the program as its attribute `origin`.

    Args:
        given: what `tf.device` was given; None gives None.

    Raises:
        TypeError: if it says nothing of devices.
    """
    if given is None:
        return None
    if isinstance(given, (str, DeviceSpecV2)):
        shown = given if isinstance(given, str) else given.to_string()
        scope = device_merger(merge_device(given))
    elif callable(given):
        code = getattr(given, "__code__", None)
        name = getattr(given, "__name__", type(given).__name__)
        shown = name if code is None else f"{name}<{code.co_filename}, {code.co_firstlineno}>"

        def scope(op: Operation) -> Any:
            return given(op)
    else:
        raise TypeError(f"device must be a string, DeviceSpec, function or None, got {given!r}.")
    scope.origin = TraceableObject(shown, *innermost())  # type: ignore[attr-defined]
    return scope
