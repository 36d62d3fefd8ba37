"""Operations planned to run eagerly, and what calls of them come to."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

from headrace.core.errors import OpError
from headrace.core.graph import Graph
from headrace.plan.plan import Plan


class Kernel:
    """A planned operation.

    Attributes:
        type: the operation's type.
        function: the plan's function.
        given: the positions of the inputs it takes; the others are part of it.
        takes_all: whether it takes all inputs.
        writes: the positions of variables it may write.
        returns_alias: whether a result is the memory of a variable.
    """

    __slots__ = ("function", "given", "plan", "returns_alias", "scratch", "takes_all", "type", "writes")

    def __init__(
        self, kind: str, plan: Plan, given: list[int], count: int, writes: tuple[int, ...], scratch: Graph
    ) -> None:
        self.plan = plan
        self.function = plan.function
        self.given = given
        self.takes_all = len(given) == count
        self.writes = writes
        self.returns_alias = any(node.decl.lends_state for node in plan.nodes) and any(plan.shared)
        self.scratch = scratch
        self.type = kind


def named(error: OpError, kind: str) -> OpError:
    """An error of an operation of type `kind`, with that type at the end of what it says."""
    mark = f"[Op:{kind}]"
    if not error._message.endswith("]") or "[Op:" not in error._message:
        error._message = f"{error._message} {mark}"
        error.args = (error._message,)
    if error._op is not None and error._op.type == kind:
        # There is no graph for it to be in, and where it was made is where it failed.
        error._op = None
        error._ran = False
    return error


class Call:
    """What a call of an op comes to, for tensors of given types and shapes.

    Attributes:
        kernel: the planned operation.
        attrs: its attributes.
        types: the element types of its outputs.
        fixed: for each input the tensor it always is, None for those that are given; None if all are given as they are.
        pack: makes the result of the outputs; None if there is none.
        is_pure: whether the kernel takes all inputs and neither writes variables nor gives their memory away.
        is_plain: whether it is pure, takes tensors as they are given and gives one.
        is_read: whether it is what reads a variable, and nothing more.
        dims: the shape of its only result, where that is always the same.
    """

    __slots__ = ("attrs", "dims", "fixed", "is_plain", "is_pure", "is_read", "kernel", "pack", "types")

    def __init__(
        self,
        kernel: Kernel,
        attrs: dict[str, Any],
        types: Sequence[Any],
        fixed: list[Any] | None,
        pack: Callable[[list[Any]], Any] | None,
        is_single: bool,
    ) -> None:
        self.kernel = kernel
        self.attrs = attrs
        self.types = types
        self.fixed = fixed
        self.pack = pack
        self.is_pure = kernel.takes_all and not kernel.writes and not kernel.returns_alias
        self.is_plain = self.is_pure and is_single and fixed is None and kernel.type != "ReadVariableOp"
        # Type and shape are checked by the first call.
        self.is_read = kernel.type == "ReadVariableOp"
        dims = kernel.plan.graph.fetches[0].dims if self.is_plain else None
        self.dims = dims if dims is not None and None not in dims else None


class Latest(threading.local):
    """What the operation that ran last came to."""

    def __init__(self) -> None:
        self.made: Any = None


class Recording(threading.local):
    """What records the operations of a thread."""

    def __init__(self) -> None:
        self.tapes: list[Any] = []
