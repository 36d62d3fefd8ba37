"""Passes over the graph under planning: what one is, and how a list of them is run and watched."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence, Set
from enum import Enum

from headrace.plan.graph import PlanGraph


class Property(Enum):
    """What holds of a graph after some passes and until others: `invariants` says how each is verified."""

    LOOPS_RAISED = "loops raised"
    DEVICES_ASSIGNED = "devices assigned"
    BOUND = "constants and variables bound"
    GUARDS_SET = "guards set"
    TOPOLOGICAL = "in topological order"
    PLACED = "values where they are needed"
    SCHEDULED = "in the order they run"
    WAITS_FOUND = "waits found"
    COPIES_FOUND = "copies found"
    REGIONS_FOUND = "native regions found"


class Pass:
    """One step of planning.

    Args:
        name: what dumps and tests call it.
        purpose: what it is for, in one line.
        function: does it, on the graph itself.
        needs: what must hold of the graph before it.
        ensures: what holds after it.
        ends: what need not hold any more.
        when: whether there is anything for it to do; always, by default.
        optimized: whether the plans have it that steps run by.
        watched: whether the plans have it that debuggers look into, which show each operation as the program made it.
    """

    def __init__(
        self,
        name: str,
        purpose: str,
        function: Callable[[PlanGraph], None],
        *,
        needs: Set[Property] = frozenset(),
        ensures: Set[Property] = frozenset(),
        ends: Set[Property] = frozenset(),
        when: Callable[[PlanGraph], bool] | None = None,
        optimized: bool = True,
        watched: bool = False,
    ) -> None:
        self.name = name
        self._purpose = purpose
        self.run = function
        self.needs, self.ensures, self.ends = frozenset(needs), frozenset(ensures), frozenset(ends)
        self.when = when
        self.optimized, self.watched = optimized, watched

    @property
    def purpose(self) -> str:
        """What it is for, in one line."""
        return self._purpose

    def __repr__(self) -> str:
        return f"<pass {self.name}>"


# Called with a graph before its first pass, and with the graph and the pass after each.
Observer = Callable[[PlanGraph, "Pass | None"], None]
_observers: list[Observer] = []
_left_out: set[str] = set()


def run_passes(passes: Sequence[Pass], graph: PlanGraph) -> None:
    """Runs passes one after the other."""
    observers, left_out = _observers, _left_out
    for observer in observers:
        observer(graph, None)
    for each in passes:
        when = each.when
        if (when is None or when(graph)) and not (left_out and each.name in left_out):
            each.run(graph)
            for observer in observers:
                observer(graph, each)


@contextlib.contextmanager
def observed(observer: Observer) -> Iterator[None]:
    """Inside, `observer` sees every graph that is planned: before the first pass and after each."""
    _observers.append(observer)
    try:
        yield
    finally:
        _observers.remove(observer)


@contextlib.contextmanager
def without(*names: str) -> Iterator[None]:
    """Inside, plans are made without the passes of these names, which no other pass may need.

    Example:
        >>> x = tf.placeholder(tf.float32, [None, 2])
        >>> y = tf.matmul(x, tf.ones([2, 3])) + tf.ones([3])
        >>> with without("bias"):
        ...     plan = tf.Session().plan_for(y, [x])
        >>> [node.type for node in plan.nodes]
        ['MatMul', 'AddV2']
    """
    before = set(_left_out)
    _left_out.update(names)
    try:
        yield
    finally:
        _left_out.clear()
        _left_out.update(before)
