"""Fusions: patterns of several nodes that one op of the planner's own computes.

Each is one file of `plan.fusions`, with the ops it makes, the pattern it finds, examples in which it finds it, and the
devices whose kernels it serves. The list of passes names each by an op that it makes; the registry finds its file by
that op, when the op types are there that the pattern looks for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from headrace.core.registry import OpDecl
from headrace.plan.graph import PlanGraph, all_nodes
from headrace.plan.ir import declared
from headrace.plan.pipeline import Pass
from headrace.plan.rewriting import NEEDS, Pattern, apply, has_all

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
        makes: the ops of those others.
        devices: the devices where it serves: those that have kernels for the ops.

    Example:
        >>> from headrace.core.registry import op
        >>> doubled_op = op("Doubled", "x: float -> y: float")
        >>> def fuse_sums(nodes, kept, values):  # a pattern that finds nothing yet
        ...     return nodes, {}
        >>> fusion = Fusion("the sum of a tensor and itself", fuse_sums, makes=[doubled_op])
        >>> @fusion.example(tensor("batch", 4))
        ... def doubled(tf: API, x: Tensor) -> Fetches:
        ...     return x + x
    """

    def __init__(self, purpose: str, pattern: Pattern, makes: Sequence[OpDecl], devices: Set[str] = ANYWHERE) -> None:
        self.purpose = purpose
        self.pattern = pattern
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
    """The pass of a fusion, which is looked up when there is something to look for.

    Args:
        name: what the pass is called.
        op_type: an op that the fusion makes.
        *groups: groups of op types: it has nothing to do where no op of one of the groups is there.
    """

    def __init__(self, name: str, op_type: str, *groups: Set[str]) -> None:
        super().__init__(name, "", self._apply, needs=NEEDS, when=has_all(groups))
        self.op_type = op_type

    @property
    def fusion(self) -> Fusion:
        """The fusion, found by the op."""
        found = declared(self.op_type).fusion
        assert isinstance(found, Fusion)
        return found

    @property
    def purpose(self) -> str:
        """What it is for, in one line."""
        return self.fusion.purpose

    def _apply(self, graph: PlanGraph) -> None:
        fusion = self.fusion
        if any(node.device.type in fusion.devices for node in all_nodes(graph.nodes)):
            apply(fusion.pattern, graph)
