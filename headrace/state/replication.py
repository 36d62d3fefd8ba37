"""Which distribution strategy is in force, and for which of its replicas code runs: a stack for each thread and graph.

Optimizers, metrics and layers ask here; what a strategy is, the room `distribute` says. Code runs in one of three modes:
in no strategy's scope, in *cross-replica context* (inside a scope: there is one program for all replicas), or in *replica
context* (inside a function that each replica calls).
"""

from __future__ import annotations

import threading
import weakref
from typing import Any

from headrace.core import slots
from headrace.core.defaults import get_default_graph
from headrace.core.func_graph import FuncGraph
from headrace.core.graph import Graph
from headrace.state.modes import ReduceOp


class ThreadMode:
    """What is in force in a thread.

    Args:
        strategy: the strategy.
        cross_replica_context: the strategy in cross-replica context, None in replica context.
        replica_context: the `ReplicaContext`, None in cross-replica context.
    """

    __slots__ = ("cross_replica_context", "replica_context", "strategy")

    def __init__(self, strategy: Any, cross_replica_context: Any, replica_context: Any) -> None:
        self.strategy = strategy
        self.cross_replica_context = cross_replica_context
        self.replica_context = replica_context


def cross_replica_mode(strategy: Any) -> ThreadMode:
    """The mode of code that is one for all replicas of a strategy."""
    return ThreadMode(strategy, strategy, None)


def replica_mode(replica_context: Any) -> ThreadMode:
    """The mode of code that runs for one replica."""
    return ThreadMode(replica_context.strategy, None, replica_context)


class _Modes(threading.local):
    def __init__(self) -> None:
        self.of_graph: weakref.WeakKeyDictionary[Graph, list[ThreadMode]] = weakref.WeakKeyDictionary()


_modes = _Modes()
_default: ThreadMode | None = None


def default_mode() -> ThreadMode:
    """The mode outside of all strategies: one replica of the default strategy."""
    global _default
    if _default is None:
        _default = replica_mode(slots.default_strategy().replica_context)
    return _default


def _root() -> Graph:
    """The graph around all functions that are being traced, whose modes are those of the functions too."""
    graph = get_default_graph()
    while isinstance(graph, FuncGraph):
        graph = graph.outer_graph
    return graph


def _pushed() -> ThreadMode | None:
    if not _modes.of_graph:
        return None
    stack = _modes.of_graph.get(_root())
    return stack[-1] if stack else None


def current_mode() -> ThreadMode:
    """The mode in force for this thread and the default graph."""
    return _pushed() or default_mode()


def push_mode(mode: ThreadMode) -> None:
    """Begins a mode in the default graph."""
    _modes.of_graph.setdefault(_root(), []).append(mode)


def pop_mode(mode: ThreadMode | None = None) -> None:
    """Ends the mode that was begun last in the default graph.

    Args:
        mode: which it has to be; None for any.

    Raises:
        RuntimeError: if that is another one.
    """
    graph = _root()
    stack = _modes.of_graph.get(graph)
    if not stack or (mode is not None and stack[-1] is not mode):
        raise RuntimeError("Exiting a tf.distribute context without proper nesting: it is not the innermost one.")
    stack.pop()
    if not stack:
        del _modes.of_graph[graph]


def has_strategy() -> bool:
    """Whether a strategy other than the default one is in force.

    Example:
        >>> tf.distribute.has_strategy()
        False
        >>> with tf.distribute.MirroredStrategy(["/cpu:0"]).scope():
        ...     tf.distribute.has_strategy()
        True
    """
    mode = _pushed()
    return mode is not None and mode.strategy is not default_mode().strategy


def get_strategy() -> Any:
    """The strategy in force; the default one outside of all scopes.

    Example:
        >>> tf.distribute.get_strategy().num_replicas_in_sync
        1
    """
    return current_mode().strategy


def get_replica_context() -> Any:
    """The `ReplicaContext` of the replica that calls; None in cross-replica context.

    Example:
        >>> tf.distribute.get_replica_context().num_replicas_in_sync
        1
    """
    return current_mode().replica_context


def get_cross_replica_context() -> Any:
    """The strategy if called in cross-replica context, else None."""
    return current_mode().cross_replica_context


def in_cross_replica_context() -> bool:
    """Whether code is one for all replicas: inside a scope, and in no function that replicas call.

    Example:
        >>> with tf.distribute.MirroredStrategy(["/cpu:0"]).scope():
        ...     tf.distribute.in_cross_replica_context()
        True
    """
    return current_mode().cross_replica_context is not None


def get_strategy_and_replica_context() -> tuple[Any, Any]:
    """The strategy in force and the replica context, None in cross-replica context."""
    mode = current_mode()
    return mode.strategy, mode.replica_context


_global_scopes: weakref.WeakKeyDictionary[Graph, Any] = weakref.WeakKeyDictionary()


def experimental_set_strategy(strategy: Any) -> None:
    """Opens the scope of a strategy for all that follows, in the place of the one that was set before.

    Args:
        strategy: the strategy, None for none.

    Raises:
        RuntimeError: inside a scope of a strategy.

    Example:
        >>> tf.distribute.experimental_set_strategy(tf.distribute.OneDeviceStrategy("/cpu:0"))
        >>> tf.distribute.has_strategy()
        True
        >>> tf.distribute.experimental_set_strategy(None)
    """
    graph = get_default_graph()
    before = _global_scopes.pop(graph, None)
    if before is not None:
        before.__exit__(None, None, None)
    if has_strategy():
        raise RuntimeError("Must not be called inside a `tf.distribute.Strategy` scope.")
    if strategy is not None:
        scope = strategy.scope()
        scope.__enter__()
        _global_scopes[graph] = scope


def get_loss_reduction() -> ReduceOp:
    """How the losses of replicas become one: a mean if an estimator asks for it and losses are means; else a sum.

    Example:
        >>> tf.distribute.get_loss_reduction() is tf.distribute.ReduceOp.SUM
        True
    """
    if not get_strategy()._scale_loss_for_estimator_enabled():
        return ReduceOp.SUM
    last = getattr(get_default_graph(), "_last_loss_reduction", None)
    return ReduceOp.SUM if last in ("weighted_sum", "sum") else ReduceOp.MEAN


def scaled_for_replicas(loss: Any) -> Any:
    """A loss that is a mean over the batch of a replica, as its part of the mean over those of all; others as they are."""
    graph = get_default_graph()
    graph._is_loss_scaled_by_optimizer = False  # type: ignore[attr-defined]  # 1.x keeps it on the graph, for estimators
    if not has_strategy() or get_loss_reduction() != ReduceOp.MEAN:
        return loss
    replicas = get_strategy().num_replicas_in_sync
    if replicas == 1:
        return loss
    graph._is_loss_scaled_by_optimizer = True  # type: ignore[attr-defined]  # as above
    return loss * (1.0 / replicas)
