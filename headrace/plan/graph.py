"""The graph under planning: what the passes change, one after the other, until it can be emitted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from headrace.plan.ir import Node, Region, Value, regions

if TYPE_CHECKING:
    from headrace.core.typing import Kernel, Runtime
    from headrace.plan.collect import Collected


class Reuse(NamedTuple):
    """How a node computes in the memory of an input.

    Attributes:
        input: the index of that input.
        kernel: what runs instead of the node's kernel.
    """

    input: int
    kernel: Kernel


class PlanGraph:
    """What one step does, from the operations of the program to what can be emitted.

    Args:
        collected: the part of the program's graph that takes part.
        runtime: the session's state.
        batch: the size to assume for unknown dimensions where one has to be assumed.

    Attributes:
        operations: how many operations it was made of.
        nodes: the nodes that run.
        feeds: the values that are given, in the order of the plan's parameters.
        fetches: the values that are returned.
        targets: the nodes that run though nothing may depend on them.
        keep: nodes that must stay the nodes they are: the targets, and updates whose variable is fetched after them.
        held: values that patterns leave to the nodes that compute them, of each loop and, by None, of the plan.
        shown: values that are made though nothing may take them, for debuggers.
        dead: the nodes of branches that are never taken.
        more_to_fold: whether there is something since the last round of simplifying that another round may fold.
        heavy: whether any node is to use all threads.
        copied: the nodes whose value is copied, lest a later write to a variable changes it.
        waits: of each node the waits before it, as bits; None where one function in one thread will do.
        reused: the nodes that compute in the memory of an input.
        meets_arrays: whether what is fed may come as NumPy arrays, and what is fetched leave so.
        native: for nodes that a native region computes the node that stands for it, None for reads that regions do.
        array_feeds: the fed values that regions alone take: they come as NumPy arrays.
    """

    def __init__(self, collected: Collected, runtime: Runtime, batch: int = 1, meets_arrays: bool = False) -> None:
        self.operations = len(collected.nodes)
        self._nodes = collected.nodes
        self._op_types: frozenset[str] | None = None
        self.feeds = collected.feeds
        self.fetches = [value for value in collected.fetches if value is not None]
        self.targets = collected.targets
        self.keep = set(collected.targets)
        self.runtime = runtime
        self.batch = batch
        self.held: dict[Region | None, list[Value]] = {}
        self.shown: list[Value] = []
        self.dead: set[Node] = set()
        self.more_to_fold = False
        self.heavy = False
        self.copied: set[Node] = set()
        self.waits: dict[Node, int] | None = None
        self.reused: dict[Node, Reuse] = {}
        self.meets_arrays = meets_arrays
        self.native: dict[Node, Node | None] = {}
        self.array_feeds: set[Value] = set()

    @property
    def nodes(self) -> list[Node]:
        """The nodes that run, each after what it needs where passes say nothing else."""
        return self._nodes

    @nodes.setter
    def nodes(self, nodes: list[Node]) -> None:
        self._nodes = nodes
        self._op_types = None

    def op_types(self) -> frozenset[str]:
        """The op types of the nodes, those inside loops too."""
        if self._op_types is None:
            self._op_types = frozenset(_op_types(self._nodes))
        return self._op_types

    def replace(self, nodes: list[Node], replaced: dict[Value, Value]) -> None:
        """Takes other nodes, and for fetched values that are no more those that stand for them."""
        self.nodes = nodes
        if replaced:
            self.fetches = [replaced.get(value, value) for value in self.fetches]


def _op_types(nodes: Iterable[Node]) -> set[str]:
    types = {node.decl.type for node in nodes}
    for _, region in regions(nodes):
        types |= _op_types(region.nodes)
    return types


def all_nodes(nodes: Sequence[Node]) -> Iterable[Node]:
    """The nodes and those inside loops."""
    for node in nodes:
        yield node
        if node.region is not None:
            yield from all_nodes(node.region.nodes)
