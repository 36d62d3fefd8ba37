"""The last step of planning: ordered nodes become one Python function, whose source can be read."""

from __future__ import annotations

import builtins
import itertools
import linecache
import weakref
from collections.abc import Mapping, Sequence, Set
from types import CodeType, FunctionType
from typing import TYPE_CHECKING

from headrace.core import errors
from headrace.plan.branches import Guard
from headrace.plan.graph import Reuse
from headrace.plan.ir import Node, Value
from headrace.plan.writer import Writer

if TYPE_CHECKING:
    from headrace.core.typing import Kernel

_numbers = itertools.count(1)


class Emitted:
    """A compiled plan function, its source, and the node each source line belongs to.

    Attributes:
        nodes: the nodes by the number that the observed rendering calls them with, those inside loops too.
    """

    def __init__(self, function: Kernel, source: str, filename: str, lines: dict[int, Node], nodes: list[Node]) -> None:
        self.function = function
        self.source = source
        self.filename = filename
        self.lines = lines
        self.nodes = nodes


def emit(
    nodes: Sequence[Node],
    feeds: Sequence[Value],
    fetches: Sequence[Value],
    copied: Set[Node],
    *,
    heavy: bool = False,
    observed: bool = False,
    partial: bool = False,
    watched: bool = False,
    reused: Mapping[Node, Reuse] | None = None,
    native: Mapping[Node, Node | None] | None = None,
    guard: Guard = (),
) -> Emitted:
    """Writes and compiles the function of a plan.

    Args:
        nodes: the nodes in the order they run.
        feeds: the values that become its parameters.
        fetches: the values it returns, as a tuple.
        copied: the nodes whose value must be copied.
        heavy: whether any node of the plan, of which these may be a part, uses all threads.
        observed: whether the function takes a first argument that it calls with each node's number before and after
            its call, then with the values it has made as well (None for those of no use): how steps are traced and
            limited in time, at no cost to the plain rendering.
        partial: whether this is a part of a plan: what it returns goes to other parts, references as they are, and None
            for what lies in a branch that was not taken.
        watched: whether the function is observed, and shows all values of all nodes, those of no use too: how debuggers
            see them. Outputs of a Switch that are not taken are None.
        reused: the nodes that compute in the memory of an input.
        native: for nodes that a native region computes the node that stands for it, None for those that need no line.
        guard: the branches in which the function is called.
    """
    writer = Writer(nodes, feeds, fetches, copied, reused or {}, heavy, observed or watched, partial, watched)
    writer.native, writer.guard = native or {}, guard
    source = writer.write()
    filename = f"<headrace plan {next(_numbers)}>"
    # Kernels in C that import a module when they are first called look for it in the globals of their caller.
    writer.constants["__builtins__"] = builtins
    function = FunctionType(_code_of(source).replace(co_filename=filename), writer.constants, "step")
    # Known to linecache, so that tracebacks and debuggers show the plan's own lines.
    linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
    # Sessions come and go: what they planned goes with them.
    weakref.finalize(function, linecache.cache.pop, filename, None).atexit = False
    return Emitted(function, source, filename, writer.line_nodes, writer.numbered)


# Compiled sources: the same ones come again in other sessions, and for each kind of eager operation. Compiling the plan of one
# op takes 130 microseconds on a core of an AMD EPYC, and its code a kilobyte.
_codes: dict[str, CodeType] = {}
_MAX_CODES = 2048


def _code_of(source: str) -> CodeType:
    """The code of the one function in `source`."""
    code = _codes.get(source)
    if code is None:
        try:
            module = compile(source, "<headrace plan>", "exec")
        except (RecursionError, MemoryError, SyntaxError) as error:
            raise errors.ResourceExhaustedError(
                None, None, f"The step is too large or too deeply nested for Python's compiler: {error}"
            ) from None
        code = next(item for item in module.co_consts if isinstance(item, CodeType))
        if len(_codes) >= _MAX_CODES:
            _codes.clear()
        _codes[source] = code
    return code
