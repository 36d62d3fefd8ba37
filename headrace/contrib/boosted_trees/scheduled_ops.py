"""Ops on several resources of one kind, which run as one operation."""

from __future__ import annotations

import abc
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.defaults import device
from headrace.core.tensor import Tensor

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


class ScheduledOp(abc.ABC):
    """An op that is to run with others like it."""

    @abc.abstractmethod
    def batching_key(self) -> Hashable:
        """Ops of the same key run together."""

    @abc.abstractmethod
    def batch_runner_fn(self) -> Callable[[Sequence[Any], TensorLike], list[Any]]:
        """What runs a list of such ops, given a stamp too; returns a result for each."""


class ScheduledStampedResourceOp(ScheduledOp):
    """An op on one resource that takes a stamp, and that can as well be applied to a list of resources.

    Args:
        resource_handle: the resource.
        op: the function that applies it.
        **kwargs: its further arguments, of which it takes lists too.
    """

    def __init__(self, resource_handle: Tensor, op: Callable[..., Any], **kwargs: Any) -> None:
        self.resource_handle, self.op, self.args = resource_handle, op, kwargs

    def batching_key(self) -> Hashable:
        """The device of the resource, and the function."""
        return self.resource_handle.device, self.op

    def batch_runner_fn(self) -> Callable[[Sequence[Any], TensorLike], list[Any]]:
        """Applies the function once to all."""
        return _run_stamped


def _run_stamped(batch: Sequence[ScheduledStampedResourceOp], stamp: TensorLike) -> list[Any]:
    """Results for each of some ops of one key: a tuple of tensors, or the operation where it gives none."""
    first = batch[0]
    arguments = {name: [scheduled.args[name] for scheduled in batch] for name in first.args}
    handles = [scheduled.resource_handle for scheduled in batch]
    with device(first.resource_handle.device):
        found = first.op(handles, stamp, **arguments)
    if not isinstance(found, tuple):
        return [found] * len(batch)
    return list(zip(*found, strict=True))


def run_handler_scheduled_ops(
    per_handler_ops: Mapping[int, Iterable[ScheduledOp]], stamp: TensorLike, worker_device: str | None
) -> dict[int, list[Any]]:
    """Runs the ops that handlers have scheduled, those that are alike together.

    Args:
        per_handler_ops: the ops of each handler.
        stamp: the stamp of the round.
        worker_device: the device that results are wanted on.

    Returns:
        the results of each handler, in the order of its ops.
    """
    batches: dict[Hashable, list[tuple[int, int, ScheduledOp]]] = defaultdict(list)
    results: dict[int, list[Any]] = defaultdict(list)
    for handler in sorted(per_handler_ops):
        for place, scheduled in enumerate(per_handler_ops[handler]):
            batches[scheduled.batching_key()].append((handler, place, scheduled))
            results[handler].append(None)
    with device(worker_device):
        for batch in batches.values():
            run = batch[0][2].batch_runner_fn()
            for (handler, place, _), found in zip(batch, run([item[2] for item in batch], stamp), strict=True):
                results[handler][place] = found
    return results
