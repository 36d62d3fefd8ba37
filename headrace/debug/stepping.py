"""Going through a run operation by operation."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from headrace.core.operation import Operation
from headrace.core.tensor import Tensor
from headrace.debug.parsing import Arguments, CommandError
from headrace.debug.terminal import EXPLICIT_USER_EXIT, Leave, Terminal
from headrace.plan.watched import WatchedPlan
from headrace.runtime.watching import Reader

if TYPE_CHECKING:
    import argparse

    from headrace.debug.local_cli import LocalCLIDebugWrapperSession
    from headrace.messages import protos


_numbers = itertools.count()
_steppers: dict[str, Stepper] = {}


class Stepper:
    """Stops a run before its operations and asks what to do.

    Args:
        cli: the command line's session, which finds what the run has written so far.

    Attributes:
        url: the name by which `RunOptions` refer to it.
    """

    def __init__(self, cli: LocalCLIDebugWrapperSession) -> None:
        self._cli = cli
        self.url = f"step://{next(_numbers)}"
        _steppers[self.url] = self
        self._steps = 1
        self._until: str | None = None
        self._done: dict[str, int] = {}
        self._plan: WatchedPlan | None = None
        self._next: Operation | None = None

    def close(self) -> None:
        """Forgets the stepper."""
        _steppers.pop(self.url, None)

    # ---- a watcher ----

    def begin(self, plan: WatchedPlan) -> None:
        """The run begins."""
        self._plan = plan

    def before(self, operation: Operation) -> None:
        """Asks before an operation, if one is to be asked."""
        self._steps -= 1
        if self._until is not None:
            if not re.fullmatch(self._until, operation.name):
                return
        elif self._steps > 0 or self._steps < -1:
            return
        self._until = None
        self._next = operation
        title = f"step: next is [{operation.type}] {operation.name}"
        if operation.creation_site:
            title += f"  ({operation.creation_site})"
        if self._terminal().talk(title=title) == EXPLICIT_USER_EXIT:
            # To the end without a further stop.
            self._steps = -2

    def tensor(self, tensor: Tensor, read: Reader) -> None:
        """A tensor has been made."""
        self._done[tensor.op.name] = self._done.get(tensor.op.name, 0) + (tensor.value_index == 0)

    def end(self) -> None:
        """The run is over."""

    # ---- its prompt ----

    def _terminal(self) -> Terminal:
        dump = self._cli.load_dump()
        terminal = Terminal(self._cli._settings, self._cli.ui_type)
        self._cli.analyzer(dump).register(terminal)
        arguments = Arguments("Run the next operation, or several.")
        arguments.add_argument("-t", "--times", type=int, default=1, help="how many")
        terminal.register("step", self._step, arguments, ["s"])
        arguments = Arguments("Go on until a node is next.")
        arguments.add_argument("target_name", help="name of the node (regular expression), or of one of its tensors")
        terminal.register("cont", self._continue, arguments, ["ct", "continue"])
        arguments = Arguments("List the nodes of the run and how often each has run so far.")
        arguments.add_argument("-n", "--node_name_filter", default="", help="regular expression for nodes' names")
        terminal.register("list_sorted_nodes", self._list, arguments, ["lsn"])
        arguments = Arguments("Go on to the end of the run.")
        terminal.register("run", self._finish, arguments, ["r", "finish"])
        assert self._plan is not None
        terminal.complete(["cont", "ct"], [operation.name for operation in self._plan.graph_operations])
        return terminal

    def _step(self, parsed: argparse.Namespace) -> Sequence[str]:
        if parsed.times < 1:
            raise CommandError(f"step -t takes a positive number, got {parsed.times}.")
        self._steps = parsed.times
        raise Leave(None)

    def _continue(self, parsed: argparse.Namespace) -> Sequence[str]:
        name = re.sub(r":\d+$", "", parsed.target_name)
        assert self._plan is not None
        if not any(re.fullmatch(name, operation.name) for operation in self._plan.graph_operations):
            raise CommandError(f'There is no node "{name}" in this run.')
        self._until = name
        raise Leave(None)

    def _finish(self, parsed: argparse.Namespace) -> Sequence[str]:
        raise Leave(EXPLICIT_USER_EXIT)

    def _list(self, parsed: argparse.Namespace) -> list[str]:
        assert self._plan is not None
        lines = []
        for operation in self._plan.graph_operations:
            if parsed.node_name_filter and not re.match(parsed.node_name_filter, operation.name):
                continue
            count = self._done.get(operation.name, 0)
            mark = "next" if operation is self._next else f"{count}x" if count else ""
            lines.append(f"{mark:>5}  [{operation.type}] {operation.name}")
        return [f"{len(lines)} node(s):", *lines]


def stepper_of(url: str, watches: Sequence[protos.DebugTensorWatch], global_step: int) -> Stepper | None:
    """The stepper of a URL, None if there is none; it stops at all operations, whatever is watched."""
    return _steppers.get(url)
