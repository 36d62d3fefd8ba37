"""The op behind iterators for several devices: the elements of one dataset, dealt out to shards in turn."""

from __future__ import annotations

import itertools
import threading
from collections import deque
from typing import Any

import numpy as np
import torch

from headrace.core import errors
from headrace.core.cases import Made, made, result
from headrace.core.registry import op
from headrace.kernels.data.base import (
    ELEMENTS,
    Dataset,
    Element,
    Iteration,
    Next,
    dataset_op,
    integer,
    invalid,
)
from headrace.kernels.data.case_inputs import INT64_SCALARS, numbers
from headrace.kernels.data.handles import Handles
from headrace.kernels.data.places import iterate
from headrace.kernels.queues.handles import shared_state

_numbers = itertools.count(1)


class MultiDeviceIterator:
    """The elements of one dataset for several shards: the first for the first one, and so on, in turn.

    Args:
        shards: how many.
    """

    is_resource = False

    def __init__(self, shards: int) -> None:
        self.shards = shards
        self.incarnation = 0
        self._lock = threading.Lock()
        self._next: Next | None = None
        self._iteration = Iteration()
        self._waiting: list[deque[Any]] = []
        self._next_shard = 0
        self.handle = f"headrace-multi-device-iterator-{next(_numbers)}".encode()

    def begin(self, dataset: Dataset) -> int:
        """Begins anew; returns the number of this incarnation."""
        with self._lock:
            self._iteration.close()
            self._iteration = Iteration()
            self._next = iterate(dataset, self._iteration)
            self._waiting = [deque() for _ in range(self.shards)]
            self._next_shard = 0
            self.incarnation += 1
            return self.incarnation

    def next(self, shard: int, incarnation: int) -> Element | None:
        """The next element of a shard, None at the end.

        Raises:
            FailedPreconditionError: before the first begin. InvalidArgumentError: for an incarnation that is over, or a
                shard that there is not.
        """
        with self._lock:
            if self._next is None:
                raise errors.FailedPreconditionError(None, None, "Multi device iterator has not been initialized.")
            if incarnation != self.incarnation:
                raise invalid(f"Invalid incarnation id. Provided: {incarnation}; Expected: {self.incarnation}")
            if not 0 <= shard < self.shards:
                raise invalid(f"Shard number {shard} is not one of {self.shards}.")
            waiting = self._waiting[shard]
            while not waiting:
                try:
                    item: Any = self._next()
                except Exception as error:  # noqa: BLE001 -- it is raised where the element is asked for
                    item = error
                if item is None:
                    return None
                self._waiting[self._next_shard].append(item)
                self._next_shard = (self._next_shard + 1) % self.shards
            item = waiting.popleft()
            if isinstance(item, Exception):
                raise item
            return item

    def __del__(self) -> None:
        self._iteration.close()


multi_device_iterator_op = op(
    "MultiDeviceIterator",
    f"*, devices: list(string) >= 1, shared_name: string, container: string, {ELEMENTS} -> handle: resource",
    stateful=True,
)
multi_device_iterator_op.shape(lambda op: [()])


@multi_device_iterator_op.binding
def multi_device_iterator_binding(node):
    shards = len(node.attrs["devices"])
    return [shared_state(node, "multi_device_iterator", lambda _: MultiDeviceIterator(shards))]


init_op = op(
    "MultiDeviceIteratorInit",
    "dataset: variant, multi_device_iterator: resource, max_buffer_size: int64 -> incarnation_id: int64",
    stateful=True,
)
init_op.on_host("max_buffer_size", outputs=True).shape(lambda op: [()])


@init_op.kernel
def init_kernel(node):
    # Elements for other shards wait for as long as they must: the size of their buffers says nothing here.
    return lambda dataset, iterator, size: torch.tensor(iterator.begin(dataset), dtype=torch.int64)


get_next_op = op(
    "MultiDeviceIteratorGetNextFromShard",
    f"multi_device_iterator: resource, shard_num: int32, incarnation_id: int64, *, {ELEMENTS} -> components: *output_types",
    stateful=True,
)
get_next_op.aliases().on_host("shard_num", "incarnation_id", outputs=True)
get_next_op.shape(lambda op: list(op.attrs["output_shapes"]))


@get_next_op.kernel
def get_next_kernel(node):
    def get_next(iterator, shard, incarnation):
        element = iterator.next(integer(shard), integer(incarnation))
        if element is None:
            raise errors.OutOfRangeError(None, None, "End of sequence")
        return element

    return get_next


to_string_op = op(
    "MultiDeviceIteratorToStringHandle", "multi_device_iterator: resource -> string_handle: string", stateful=True
)
to_string_op.on_host(outputs=True).shape(lambda op: [()])
to_string_op.kernel(lambda node: Handles(node, "multi-device iterator").issue)

from_string_op = op(
    "MultiDeviceIteratorFromStringHandle",
    "string_handle: string, *, output_types: list(type) = [], output_shapes: list(shape) = [] -> "
    "multi_device_iterator: resource",
    stateful=True,
)
from_string_op.on_host("string_handle", outputs=True).shape(lambda op: [()])


from_string_op.kernel(lambda node: Handles(node, "multi-device iterator").find)


class Shard(Dataset):
    """The elements of one shard."""

    def __init__(self, iterator: MultiDeviceIterator, number: int, incarnation: int) -> None:
        super().__init__()
        self.iterator, self.number, self.incarnation = iterator, number, incarnation

    def start(self, iteration: Iteration) -> Next:
        iterator, number, incarnation = self.iterator, self.number, self.incarnation
        return lambda: iterator.next(number, incarnation)


shard_dataset = dataset_op(
    "MultiDeviceShardDataset",
    "multi_device_iterator: resource, incarnation_id: int64, *, shard_num: int, {} -> handle: variant",
    stateful=True,
).own("the elements of one of several devices")


@shard_dataset.kernel
def shard_dataset_kernel(node):
    number = node.attrs["shard_num"]
    return lambda iterator, incarnation: Shard(iterator, number, integer(incarnation))


_NAMED = {"shared_name": "dealer", "container": "", **INT64_SCALARS}
_ITERATOR = made("MultiDeviceIterator", devices=["/cpu:0", "/cpu:1"], **_NAMED)
_INITIALIZED = made("MultiDeviceIteratorInit", numbers(3), _ITERATOR, np.int64(1))


def _of_shard(iterator: Made, number: int, initialized: Made = _INITIALIZED) -> Made:
    return made("MultiDeviceIteratorGetNextFromShard", iterator, np.int32(number), initialized, **INT64_SCALARS)


_begun_here = made("MultiDeviceIteratorInit", numbers(1), result, np.int64(1))
multi_device_iterator_op.accepts(
    devices=["/cpu:0", "/cpu:1"], after=[_of_shard(result, i, _begun_here) for i in (0, 1)], **_NAMED
)
init_op.accepts(numbers(3), _ITERATOR, np.int64(1), after=[_of_shard(_ITERATOR, i, result) for i in (1, 0)])
get_next_op.accepts(_ITERATOR, np.int32(1), _INITIALIZED, **INT64_SCALARS)
get_next_op.rejects(
    *(_ITERATOR, np.int32(0), np.int64(-1)), before=[_INITIALIZED], error=errors.InvalidArgumentError, **INT64_SCALARS
)
to_string_op.accepts(_ITERATOR, varies="it is the name of a resource")
from_string_op.accepts(
    made("MultiDeviceIteratorToStringHandle", _ITERATOR), after=[_of_shard(result, 0)], **INT64_SCALARS
)
shard_dataset.accepts(_ITERATOR, _INITIALIZED, shard_num=1, gives=1, **INT64_SCALARS)
