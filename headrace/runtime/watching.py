"""Runs whose tensors are watched: what `RunOptions.debug_options` asks for, and what debuggers stand on."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from headrace.core import slots
from headrace.core.buffers import VariableBuffer
from headrace.core.operation import Operation
from headrace.core.tensor import Tensor
from headrace.plan.ir import Value
from headrace.plan.values import to_numpy
from headrace.plan.watched import WatchedPlan, make_watched_plan

if TYPE_CHECKING:
    import torch

    from headrace.core.typing import Fetches
    from headrace.messages import protos
    from headrace.runtime.session import BaseSession

# A value as NumPy has it; None where it has none: an uninitialized variable, a resource.
Reader = Callable[[], "np.ndarray | None"]


class Watcher(Protocol):
    """The callbacks of a watched run, in the order in which they are called."""

    def begin(self, plan: WatchedPlan) -> None:
        """The run begins."""

    def before(self, operation: Operation) -> None:
        """An operation is about to be called."""

    def tensor(self, tensor: Tensor, read: Reader) -> None:
        """A tensor has been made; its value must be read now or never, for a variable changes."""

    def end(self) -> None:
        """The run is over, or has failed."""


# What makes the watcher for the URLs of a scheme: takes the URL, the `DebugTensorWatch` messages that name it, and the
# step. Debuggers lie above this room, and a program may fill in the options itself and import none of them.
_OPENERS: dict[str, Callable[[str, Sequence[Any], int], Watcher | None]] = {
    "file": slots.dump_watcher,
    "step": slots.step_watcher,
}


def watchers_of(options: protos.RunOptions) -> list[Watcher]:
    """The watchers that a `RunOptions` asks for, one a URL.

    Raises:
        NotImplementedError: if nothing here writes to a URL of that kind.
    """
    watches: dict[str, list[Any]] = {}
    for watch in options.debug_options.debug_tensor_watch_opts:
        for url in watch.debug_urls:
            watches.setdefault(url, []).append(watch)
    found = []
    for url, asked in watches.items():
        opener = _OPENERS.get(url.partition("://")[0])
        watcher = opener(url, asked, options.debug_options.global_step) if opener is not None else None
        if watcher is None:
            raise NotImplementedError(
                f"RunOptions.debug_options with the URL {url!r}: Headrace writes watched tensors to files only; use a "
                "file:// URL."
            )
        found.append(watcher)
    return found


def run_watched(
    session: BaseSession,
    fetches: Fetches,
    feed_dict: Mapping[Any, Any] | None,
    watchers: Sequence[Watcher],
    observe: Callable[..., None] | None = None,
    on_plan: Callable[[WatchedPlan], None] | None = None,
) -> Any:
    """`Session.run` that tells `watchers` about each operation and tensor.

    Args:
        session, fetches, feed_dict: as in `Session.run`.
        watchers: whose callbacks are called.
        observe: called with the number of each node, before and after it.
        on_plan: called with the plan before it runs.
    """
    entry = session._watched_entry(fetches, feed_dict, make_watched_plan)
    plan = entry.plan
    assert isinstance(plan, WatchedPlan)
    if on_plan is not None:
        on_plan(plan)
    names = [[plan.tensors.get(value) for value in node.outputs] for node in plan.nodes]

    def watch(number: int, after: bool, values: tuple[Any, ...] = ()) -> None:
        if observe is not None:
            observe(number, after, values)
        node = plan.observed_nodes[number]
        if not after:
            if node.origin is not None:
                for watcher in watchers:
                    watcher.before(node.origin)
            return
        for tensor, value, made in zip(names[number], node.outputs, values, strict=True):
            if tensor is not None and made is not None:
                _notify(watchers, tensor, value, made)

    def step(*feeds: Any) -> tuple[np.ndarray | torch.Tensor, ...]:
        for tensor, value in plan.given:
            _notify(watchers, tensor, value, value.bound)
        for tensor, made in zip(plan.fed, feeds, strict=True):
            _notify(watchers, tensor, None, made)
        return plan.function(watch, *feeds)

    for watcher in watchers:
        watcher.begin(plan)
    try:
        return session._run_entry(entry, step, feed_dict)
    finally:
        for watcher in watchers:
            watcher.end()


def _notify(watchers: Sequence[Watcher], tensor: Tensor, value: Value | None, made: object) -> None:
    dtype = tensor.dtype.base_dtype

    def read() -> np.ndarray | None:
        if isinstance(made, VariableBuffer):
            if dtype.name == "resource" or made.value is None:
                return None
            return np.array(to_numpy(made.read(), dtype))
        if dtype.name in ("resource", "variant"):
            return None
        return np.array(to_numpy(made, dtype))

    for watcher in watchers:
        watcher.tensor(tensor, read)


def micros() -> int:
    """The time in microseconds since the epoch."""
    return time.time_ns() // 1000


def part_of_graph(plan: WatchedPlan) -> protos.GraphDef:
    """The operations that take part in a run, as a `GraphDef`."""
    names = {operation.name for operation in plan.graph_operations}
    whole = plan.graph_operations[0].graph.as_graph_def()
    part = type(whole)(versions=whole.versions, library=whole.library)
    for node in whole.node:
        if node.name in names:
            # What lies before a tensor that is fed takes no part.
            inputs = [name for name in node.input if name.lstrip("^").partition(":")[0] in names]
            copied = part.node.add()
            copied.CopyFrom(node)
            if len(inputs) < len(node.input):
                del copied.input[:]
                copied.input.extend(inputs)
    return part
