"""Fusions: patterns of several nodes that fewer nodes compute, mostly one of an op of the planner's own.

Each is one file of `plan.fusions`, with the ops it makes, the pattern it finds, the op types without which there is none,
examples in which it finds it, and the devices whose kernels it serves. The list of passes names the files; one is imported
when the op types are there that its pattern looks for, which a table made of all files tells.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from headrace.core import slots
from headrace.core.registry import OpDecl
from headrace.plan.fusion_table import GROUPS
from headrace.plan.graph import PlanGraph, all_nodes
from headrace.plan.pipeline import Pass
from headrace.plan.rewriting import NEEDS, HasAll, Pattern, apply

CPU, GPU = "cpu", "cuda"
ANYWHERE = frozenset({CPU, GPU})

# The public API, and what a session fetches.
API = ModuleType
Fetches = Any
# Takes the API and a tensor for each given one.
Program = Callable[..., Fetches]


@dataclass(frozen=True)
class Given:
    """A tensor that a program of a fusion's example takes.

    Attributes:
        shape: its static shape; a size with a name is not known while planning, and one of all tensors that name it.
        dtype: its type.
        low: its least value.
        high: its largest.
        is_variable: whether it is a variable, which is compared after the step as well.
    """

    shape: tuple[int | str, ...]
    dtype: str = "float32"
    low: float = -2.0
    high: float = 2.0
    is_variable: bool = False


def tensor(*shape: int | str, dtype: str = "float32", low: float = -2.0, high: float = 2.0) -> Given:
    """A placeholder that is fed."""
    return Given(shape, dtype, low, high)


def variable(*shape: int, dtype: str = "float32", low: float = -2.0, high: float = 2.0) -> Given:
    """A variable with a value."""
    return Given(shape, dtype, low, high, is_variable=True)


@dataclass(frozen=True)
class Example:
    """A program in which a fusion finds its pattern.

    Attributes:
        program: the program.
        given: what it takes.
        makes: the op types that are made of it.
    """

    program: Program
    given: tuple[Given, ...]
    makes: frozenset[str]


class Fusion:
    """Nodes that one kernel computes instead of several.

    Args:
        purpose: what it is for, in one line.
        pattern: finds the nodes and puts others in their place.
        groups: groups of op types: where no op of one of the groups is there, the pattern is not looked for.
        makes: the ops of the planner's own among those others, which are declared in its file.
        devices: the devices where it serves: those that have kernels for the ops.

    Example:
        >>> from headrace.core.registry import op
        >>> from headrace.plan.ir import ADDITIONS
        >>> doubled_op = op("Doubled", "x: float -> y: float")
        >>> def fuse_sums(nodes, kept, values):  # a pattern that finds nothing yet
        ...     return nodes, {}
        >>> fusion = Fusion("the sum of a tensor and itself", fuse_sums, [ADDITIONS], makes=[doubled_op])
        >>> @fusion.example(tensor("batch", 4))
        ... def doubled(tf: API, x: Tensor) -> Fetches:
        ...     return x + x
    """

    def __init__(
        self,
        purpose: str,
        pattern: Pattern,
        groups: Iterable[Iterable[str]],
        makes: Sequence[OpDecl] = (),
        devices: Set[str] = ANYWHERE,
    ) -> None:
        self.purpose = purpose
        self.pattern = pattern
        self.groups = tuple(map(frozenset, groups))
        self.makes = tuple(makes)
        self.devices = frozenset(devices)
        self.examples: list[Example] = []
        for decl in makes:
            decl.fusion = self
            decl.no_case("Only plans have it: the examples of its fusion try it.")

    def example(self, *given: Given, makes: Sequence[str] | None = None) -> Callable[[Program], Program]:
        """Declares a program in which the fusion finds its pattern.

        Args:
            *given: what the program takes besides the public API.
            makes: the op types that are made of it; all of the fusion's, by default.
        """
        types = frozenset(decl.type for decl in self.makes) if makes is None else frozenset(makes)

        def add(program: Program) -> Program:
            self.examples.append(Example(program, given, types))
            return program

        return add


class FusionPass(Pass):
    """The pass of a fusion.

    Args:
        name: the name of its file, with spaces; the file is imported when there is something to look for.

    Raises:
        LookupError: if the table of fusions does not have it.
    """

    def __init__(self, name: str) -> None:
        looked_for = GROUPS.get(name)
        if looked_for is None:
            raise LookupError(f"There is no fusion {name!r}, or the table does not have it yet: run make index.")
        groups = tuple(frozenset(group.split()) for group in looked_for.split("|"))
        super().__init__(name, "", self._apply, needs=NEEDS, when=HasAll(groups))
        self._fusion: Fusion | None = None

    @property
    def fusion(self) -> Fusion:
        """The fusion that the file declares."""
        if self._fusion is None:
            self._fusion = slots.fusion(self.name.replace(" ", "_"))
        return self._fusion

    @property
    def purpose(self) -> str:
        """What it is for, in one line."""
        return self.fusion.purpose

    def _apply(self, graph: PlanGraph) -> None:
        fusion = self.fusion
        if any(node.device.type in fusion.devices for node in all_nodes(graph.nodes)):
            apply(fusion.pattern, graph)
