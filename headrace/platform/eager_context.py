"""1.x's `context`: whether operations run as they are made, and what surrounds those that do."""

from __future__ import annotations

from typing import Any

import torch

from headrace.core.eager import eager_graph, eager_mode, executing_eagerly, graph_mode
from headrace.core.internals import uid
from headrace.platform.behavior import (
    ASYNC,
    DEVICE_PLACEMENT_EXPLICIT,
    DEVICE_PLACEMENT_SILENT,
    DEVICE_PLACEMENT_WARN,
    SYNC,
)

__all__ = [
    "ASYNC",
    "DEVICE_PLACEMENT_EXPLICIT",
    "DEVICE_PLACEMENT_SILENT",
    "DEVICE_PLACEMENT_WARN",
    "SYNC",
    "eager_mode",
    "executing_eagerly",
    "graph_mode",
]

GRAPH_MODE = 0
EAGER_MODE = 1
DEVICE_PLACEMENT_SILENT_FOR_INT32 = 3

default_execution_mode = GRAPH_MODE


def in_graph_mode() -> bool:
    """Whether operations are added to a graph."""
    return not executing_eagerly()


def in_eager_mode() -> bool:
    """Whether operations run as they are made."""
    return executing_eagerly()


def num_gpus() -> int:
    """How many GPUs there are."""
    return torch.cuda.device_count() if torch.cuda.is_available() else 0


def list_devices() -> list[str]:
    """The names of the devices that eager operations can run on."""
    graph = eager_graph()
    return list(graph.runtime.settings.devices())


def set_global_seed(seed: int | None) -> None:
    """Sets the seed of eager execution."""
    eager_graph().seed = seed


def global_seed() -> int | None:
    """The seed of eager execution, None if it was not set."""
    seed: int | None = eager_graph().seed
    return seed


def internal_operation_seed() -> int | None:
    """The seed of the next operation that has none of its own."""
    seed: int | None = eager_graph().next_op_seed()
    return seed


def shared_name(name: str | None = None) -> str:
    """The name under which a resource is shared: while executing eagerly one that nothing else has."""
    if name or not executing_eagerly():
        return name or ""
    return f"eager_resource_{uid()}"


def async_wait() -> None:
    """Waits for operations in the background: there are none."""


def device(name: Any) -> Any:
    """A context in which operations run on the device called `name`."""
    from headrace.core.defaults import get_default_graph

    return get_default_graph().device(name)


class Context:
    """The surroundings of eager operations, as 1.x's code asks for them."""

    def executing_eagerly(self) -> bool:
        """Whether operations run as they are made."""
        return executing_eagerly()

    def num_gpus(self) -> int:
        """How many GPUs there are."""
        return num_gpus()

    def devices(self) -> list[str]:
        """The names of the devices."""
        return list_devices()

    def ensure_initialized(self) -> None:
        """Makes what eager operations need, if that has not been done."""
        eager_graph()

    @property
    def scope_name(self) -> str:
        """The name scope in force, with a final slash."""
        scope = eager_graph().get_name_scope()
        return scope + "/" if scope else ""


_context = Context()


def context() -> Context:
    """The surroundings of eager operations."""
    return _context


def ensure_initialized() -> None:
    """Makes what eager operations need, if that has not been done."""
    eager_graph()
