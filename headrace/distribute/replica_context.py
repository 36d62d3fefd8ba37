"""What a function knows of the replica it runs for, and the device that variables are being updated on."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headrace.core import nest
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.distribute import device_names
from headrace.functions.flow.custom_gradient import custom_gradient
from headrace.state.modes import ReduceOp
from headrace.state.replication import (
    ThreadMode,
    cross_replica_mode,
    current_mode,
    pop_mode,
    push_mode,
    replica_mode,
)
from headrace.summary import recording

if TYPE_CHECKING:
    from typing_extensions import Self

    from headrace.core.typing import Nested


class _UpdateDevice(threading.local):
    current: str | None = None


_update_device = _UpdateDevice()


def get_update_device() -> str | None:
    """The device that variables are being updated on: inside `StrategyExtended.update` or `update_non_slot`; else None."""
    return _update_device.current


class UpdateContext:
    """A context in which variables of one device are updated.

    Args:
        device: the device.
    """

    def __init__(self, device: str | None) -> None:
        self._device = device
        self._outer: str | None = None

    def __enter__(self) -> None:
        self._outer = _update_device.current
        _update_device.current = self._device

    def __exit__(self, *exc: object) -> None:
        _update_device.current = self._outer


def require_replica_context(replica_ctx: ReplicaContext) -> None:
    """Checks that a replica calls.

    Args:
        replica_ctx: the context of the replica that is meant.

    Raises:
        RuntimeError: in cross-replica context, or for another replica.
    """
    mode = current_mode()
    if mode.replica_context is replica_ctx:
        return
    if mode.replica_context is None:
        raise RuntimeError("Need to be inside `call_for_each_replica()`")
    if mode.strategy is replica_ctx.strategy:
        raise RuntimeError("Mismatching ReplicaContext.")
    raise RuntimeError(
        f"Mixing different tf.distribute.Strategy objects: {mode.strategy} is not {replica_ctx.strategy}"
    )


class ReplicaContext:
    """What a function that `experimental_run_v2` calls for each replica knows of its replica.

    Args:
        strategy: the strategy.
        replica_id_in_sync_group: the number of the replica: a number or a tensor.

    Example:
        >>> strategy = tf.distribute.MirroredStrategy(["/cpu:0"])
        >>> def step():
        ...     return tf.distribute.get_replica_context().num_replicas_in_sync
        >>> strategy.experimental_run_v2(step)
        1
    """

    # The number among the replicas of this process, where it is another or a tensor whose value is not known.
    _replica_number: int | None = None

    def __init__(self, strategy: Any, replica_id_in_sync_group: Any) -> None:
        self._strategy = strategy
        self._mode: ThreadMode = replica_mode(self)
        self._replica_id_in_sync_group = replica_id_in_sync_group

    def __enter__(self) -> Self:
        push_mode(self._mode)
        self._recording_around, recording.state.recording_here = recording.state.recording_here, self._is_first
        return self

    def __exit__(self, *exc: object) -> None:
        recording.state.recording_here = self._recording_around
        pop_mode(self._mode)

    def _is_first(self) -> Any:
        """Whether this is the replica that records summaries."""
        return raw.Equal(self._replica_id_in_sync_group, 0)

    @property
    def num_replicas_in_sync(self) -> int:
        """The number of replicas whose gradients are put together."""
        return self._strategy.num_replicas_in_sync

    @property
    def replica_id_in_sync_group(self) -> Any:
        """The number of the replica, a tensor."""
        require_replica_context(self)
        return self._replica_id_in_sync_group

    @property
    def strategy(self) -> Any:
        """The strategy."""
        return self._strategy

    @property
    def devices(self) -> tuple[str, ...]:
        """The devices of the replica."""
        require_replica_context(self)
        return (device_names.current(),)

    def merge_call(self, merge_fn: Callable[..., Any], args: Any = (), kwargs: dict[str, Any] | None = None) -> Any:
        """Calls a function once for all replicas, in cross-replica context, when all of them have come here.

        Args:
            merge_fn: called as `merge_fn(strategy, *args, **kwargs)`, with the replicas' arguments as `PerReplica` values.
            args, kwargs: the arguments of this replica.

        Returns:
            of what `merge_fn` returned, the part of this replica.

        Raises:
            RuntimeError: in cross-replica context.

        Example:
            >>> def add(strategy, value):
            ...     return strategy.reduce(tf.distribute.ReduceOp.SUM, value, axis=None)
            >>> tf.distribute.get_replica_context().merge_call(add, args=(tf.constant(1.0),))
        """
        require_replica_context(self)
        return self._merge_call(merge_fn, args, {} if kwargs is None else kwargs)

    def _merge_call(self, merge_fn: Callable[..., Any], args: Any, kwargs: dict[str, Any]) -> Any:
        """The call of `merge_fn` where there is one replica."""
        mode = cross_replica_mode(self._strategy)
        push_mode(mode)
        try:
            return merge_fn(self._strategy, *args, **kwargs)
        finally:
            pop_mode(mode)

    def all_reduce(self, reduce_op: ReduceOp | str, value: Nested[Any]) -> Any:
        """The sum or the mean of a value over all replicas, which every replica gets.

        Args:
            reduce_op: a `tf.distribute.ReduceOp`; or its name, where no gradients are taken.
            value: a tensor, or a structure of tensors.

        Example:
            >>> def step():
            ...     context = tf.distribute.get_replica_context()
            ...     return context.all_reduce(tf.distribute.ReduceOp.SUM, tf.constant(2.0))
        """

        def reduce_all(strategy: Any, *flat: Any) -> Any:
            return strategy.extended.batch_reduce_to(reduce_op, [(item, destination_of(item)) for item in flat])

        flat = nest.flatten(value)
        if not isinstance(reduce_op, ReduceOp):
            # As in 1.15, of a reduction by its name no gradients are known.
            named = nest.pack_sequence_as(value, self.merge_call(reduce_all, args=flat))
            return nest.map_structure(raw.PreventGradient, named)

        @custom_gradient
        def reduced(*flat: Any) -> Any:
            # The gradient of a sum over replicas is the sum of their gradients; so of means.
            return self.merge_call(reduce_all, args=flat), lambda *grads: self.all_reduce(reduce_op, grads)

        found = reduced(*flat)
        return nest.pack_sequence_as(value, found if isinstance(found, (list, tuple)) else [found])


def destination_of(value: Any) -> Any:
    """Where the reduction of a value goes: to where the value is."""
    return value.device if isinstance(value, Tensor) else value


def reduction_of(reduce_op: ReduceOp | str) -> ReduceOp:
    """A reduction that may be given by its name."""
    return ReduceOp(reduce_op.upper()) if isinstance(reduce_op, str) else reduce_op
