"""Checks that code runs in the scope and the mode that a strategy's method needs."""

from __future__ import annotations

from typing import Any

from headrace.state.replication import ThreadMode, current_mode, default_mode, has_strategy


def refuse_scope(strategy: Any, mode: ThreadMode) -> RuntimeError:
    """The error of being in no strategy's scope, or in another's."""
    if not has_strategy():
        return RuntimeError(f'Need to be inside "with strategy.scope()" for {strategy}')
    return RuntimeError(f"Mixing different tf.distribute.Strategy objects: {mode.strategy} is not {strategy}")


def require_cross_replica_or_default_context(extended: Any) -> None:
    """Checks that code is one for all replicas of a strategy, or in no scope at all.

    Args:
        extended: that of the strategy.

    Raises:
        RuntimeError: if it runs for one replica, or in another's scope.
    """
    mode = current_mode()
    cross_replica = mode.cross_replica_context
    if (cross_replica is not None and cross_replica.extended is extended) or mode is default_mode():
        return
    strategy = extended._container_strategy()
    if mode.strategy is not strategy:
        raise refuse_scope(strategy, mode)
    raise RuntimeError("Method requires being in cross-replica context, use get_replica_context().merge_call()")


def require_scope(strategy: Any) -> None:
    """Checks that a strategy is in force.

    Raises:
        RuntimeError: if it is not.
    """
    mode = current_mode()
    if mode.strategy is not strategy:
        raise refuse_scope(strategy, mode)
