"""Barriers: elements by key whose components come one by one, and which can be taken when they are whole."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from headrace.core.cases import Made, made, result
from headrace.core.dims import Dims, merge_dims
from headrace.core.dtypes import DType, int64, string
from headrace.core.errors import CancelledError, InvalidArgumentError, OutOfRangeError
from headrace.core.registry import op
from headrace.core.waiting import Attempt
from headrace.kernels.host_values import boxed
from headrace.kernels.queues.elements import fits, rows_of
from headrace.kernels.queues.handles import shared_state
from headrace.kernels.queues.state import PriorityQueue, Take
from headrace.kernels.ranks import check_rank
from headrace.kernels.state.handles import invalid, shape_text

if TYPE_CHECKING:
    from headrace.core.typing import NodeView, OpView


_MISSING: Any = object()
_FIRST_INDEX = -(2**63)


def _shown(key: bytes) -> str:
    return key.decode("utf-8", "backslashreplace")


class Barrier(PriorityQueue):
    """The whole elements as a queue, in the order in which their first components came, and the others beside it.

    Args:
        name: what errors call it.
        dtypes: the types of an element's components.
        shapes: their shapes, None where they are not known.
    """

    kind = "Barrier"

    def __init__(self, name: str, dtypes: Sequence[DType], shapes: Sequence[Dims]) -> None:
        super().__init__(name, [int64, string, *dtypes], [(), (), *shapes], -1)
        self.incomplete: dict[bytes, tuple[int, list[Any]]] = {}
        self.closing = False
        self._cancelled = False
        self._next_index = _FIRST_INDEX

    def insert(self, component: int, keys: Sequence[bytes], values: Sequence[Any]) -> None:
        """Sets one component of the elements of some keys; what is whole then can be taken.

        Raises:
            CancelledError: if the barrier is closed and a key is new, or it was closed with what was on its way.
            InvalidArgumentError: if a key has the component already.
        """
        with self.lock:
            if self._cancelled:
                raise self.is_closed_error()
            for key in keys if self.closing else ():
                if key not in self.incomplete:
                    raise CancelledError(
                        None,
                        None,
                        f"Barrier {self.name} is closed, but attempted to insert a brand new key: {_shown(key)}. Number of "
                        f"incomplete keys: {len(self.incomplete)}.",
                    )
            count = len(self.dtypes) - 2
            index = self._next_index
            # One after the other: a key whose element is whole by then begins another one.
            for key, value in zip(keys, values, strict=True):
                number, parts = self.incomplete.setdefault(key, (index, [_MISSING] * count))
                if parts[component] is not _MISSING:
                    raise invalid(
                        f"Key {_shown(key)} already has a value for component {component} in barrier {self.name}"
                    )
                if number == index:
                    self._next_index = index + 1
                parts[component] = value
                if all(part is not _MISSING for part in parts):
                    del self.incomplete[key]
                    self.add((torch.tensor(number), boxed(key), *parts))
            self._end_if_last()
            self.advance_attempts()

    def close(self, cancel: bool) -> None:
        """Lets no new keys in; with `cancel` no further components either.

        Raises:
            CancelledError: if it is closed already.
        """
        with self.lock:
            if self.closing:
                raise CancelledError(None, None, f"Barrier '{self.name}' is already closed.")
            self.closing = True
            if cancel:
                self._cancelled = True
                self.incomplete.clear()
            self._end_if_last()
            self.advance_attempts()

    def _end_if_last(self) -> None:
        if self.closing and not self.incomplete:
            self.closed = True

    def exhausted(self, requested: int) -> OutOfRangeError:
        return OutOfRangeError(
            None,
            None,
            f"Barrier '{self.name}' is closed and has insufficient elements (requested {requested}, total size "
            f"{len(self.items)})",
        )

    def is_closed_error(self) -> CancelledError:
        return CancelledError(
            None, None, f"Barrier {self.name} is closed.  Number of incomplete keys: {len(self.incomplete)}."
        )


class TakeWhole(Take):
    """Whole elements on their way out, all at once."""

    __slots__ = ()

    state: Barrier

    def advance(self) -> bool:
        barrier = self.state
        ready, requested = len(barrier.items), self.count
        if barrier.closing:
            if self.partial:
                requested = min(requested, ready)
            if ready + len(barrier.incomplete) < max(requested, 1):
                self.fail(barrier.exhausted(requested))
                return True
        if ready < requested or (not requested and self.count):
            return False
        self.finish(barrier.remove(requested))
        return True


barrier_op = op(
    "Barrier",
    "*, component_types: list(type) >= 1, shapes: list(shape) = [], capacity=-1, container='', shared_name='' "
    "-> handle: ref string",
    stateful=True,
)
barrier_op.shape(lambda op: [(2,)])


@barrier_op.binding
def bind_barrier(node: NodeView) -> list[Any]:
    types, shapes = node.attrs["component_types"], node.attrs["shapes"]
    if len(shapes) != len(types):
        raise invalid("All of the component shapes must be specified").attach(node.origin)
    for dims in shapes:
        if dims is not None and None in dims:
            raise invalid(f"Shape {shape_text(dims)} is not fully defined").attach(node.origin)
    if node.attrs["capacity"] != -1:
        error = invalid(
            f"Barrier only accepts capacity=-1.  Feed the inputs to your Barrier through a queue to enforce a "
            f"limited capacity: got {node.attrs['capacity']}"
        )
        error.attach(node.origin)
        raise error
    barrier = shared_state(node, "barrier", lambda name: Barrier(name, types, shapes))
    if barrier.dtypes[2:] != list(types):
        error = invalid(
            f"Shared barrier '{barrier.name}' has component types "
            f"{', '.join(dtype.name for dtype in barrier.dtypes[2:])} but requested component types were "
            f"{', '.join(dtype.name for dtype in types)}"
        )
        error.attach(node.origin)
        raise error
    return [barrier]


insert_many_op = op("BarrierInsertMany", "handle: ref string, keys: string, values: T, *, component_index: int ->")
take_many_op = op(
    "BarrierTakeMany",
    "handle: ref string, num_elements: int32, *, component_types: list(type) >= 1, allow_small_batch=False, "
    "wait_for_incomplete=False, timeout_ms=-1 -> indices: int64, keys: string, values: *component_types",
)
close_op = op("BarrierClose", "handle: ref string, *, cancel_pending_enqueues=False ->")
ready_size_op = op("BarrierReadySize", "handle: ref string -> size: int32")
incomplete_size_op = op("BarrierIncompleteSize", "handle: ref string -> size: int32")
for _decl in (insert_many_op, take_many_op, close_op, ready_size_op, incomplete_size_op):
    # Two equal ones are two, though TensorFlow does not call them stateful.
    _decl.stateful = True
insert_many_op.on_host("keys", "values")
take_many_op.on_host("num_elements", outputs=True).waits()
close_op.waits().shape(lambda op: [])
for _decl in (ready_size_op, incomplete_size_op):
    _decl.on_host(outputs=True).shape(lambda op: [()])


@insert_many_op.shape
def insert_many_shape(op: OpView) -> list[Any]:
    keys, values = op.inputs[1].dims, op.inputs[2].dims
    check_rank(keys, (1, 1))
    check_rank(values, (1, None))
    merge_dims(keys, None if values is None else values[:1])
    return []


@insert_many_op.kernel
def insert_many_kernel(node: NodeView) -> Callable[..., Any]:
    component = node.attrs["component_index"]
    dtype = node.inputs[2].dtype.base_dtype

    def insert(barrier: Barrier, keys: np.ndarray, values: np.ndarray | torch.Tensor) -> None:
        count = len(barrier.dtypes) - 2
        if not 0 <= component < count:
            raise invalid(f"The component ID is out of range {component} > num_components (= {count})")
        expected = barrier.dtypes[component + 2]
        if dtype is not expected:
            raise invalid(f"Component {component} of barrier {barrier.name} is {expected.name}, got {dtype.name}")
        names = boxed(keys).reshape(-1).tolist()
        shape = tuple(np.shape(values) if isinstance(values, bytes) else values.shape)
        if not shape or shape[0] != len(names):
            raise invalid(f"Expected as many values as keys: {len(names)} keys, values {shape_text(shape)}")
        dims = barrier.shapes[component + 2]
        if names and dims is not None and not fits(shape[1:], dims):
            raise invalid(
                f"Shape mismatch in tuple component {component + 2}. Expected {shape_text(dims)}, got "
                f"{shape_text(shape[1:])}"
            )
        barrier.insert(component, names, rows_of(values))

    return insert


@take_many_op.shape
def take_many_shape(op: OpView) -> list[Dims]:
    count = op.constant(1)
    dim = None if count is None or op.attrs["allow_small_batch"] else int(count)
    return [(dim,), (dim,)] + [None] * (len(op.outputs) - 2)


@take_many_op.kernel
def take_many_kernel(node: NodeView) -> Callable[..., Any]:
    attrs = node.attrs
    if attrs["timeout_ms"] != -1:
        raise invalid("Timeout not supported yet.")
    wait = node.runtime.waits.wait
    types = list(attrs["component_types"])

    def start(barrier: Barrier, count: torch.Tensor) -> Attempt:
        requested = int(count)
        if requested < 0:
            raise invalid(f"num_elements must be >= 0, got {requested}")
        if barrier.dtypes[2:] != types:
            raise invalid(
                f"Barrier {barrier.name} has the component types {[dtype.name for dtype in barrier.dtypes[2:]]}, "
                f"not {[dtype.name for dtype in types]}"
            )
        return barrier.submit(TakeWhole(barrier, requested, attrs["allow_small_batch"], barrier.batch))

    def take(barrier: Barrier, count: torch.Tensor) -> tuple[np.ndarray | torch.Tensor, ...]:
        return wait(start(barrier, count))

    take.start = start  # type: ignore[attr-defined]  # functions may have attributes; the planner asks for this one
    return take


@close_op.kernel
def close_kernel(node: NodeView) -> Callable[..., Any]:
    cancel = node.attrs["cancel_pending_enqueues"]
    return lambda barrier: barrier.close(cancel)


@ready_size_op.kernel
def ready_size_kernel(node: NodeView) -> Callable[..., Any]:
    return lambda barrier: torch.tensor(barrier.size(), dtype=torch.int32)


@incomplete_size_op.kernel
def incomplete_size_kernel(node: NodeView) -> Callable[..., Any]:
    return lambda barrier: torch.tensor(len(barrier.incomplete), dtype=torch.int32)


_KIND = {"component_types": ["float32", "string"], "shapes": [[2], []]}
_BARRIER = made("Barrier", **_KIND)
_KEYS = np.array([b"a", b"b"])


def _insert(barrier: Made, keys: Any, values: Any, component: int) -> Made:
    return made("BarrierInsertMany", barrier, keys, values, component_index=component)


_FIRST = _insert(_BARRIER, _KEYS, [2, 2], 0)
_SECOND = _insert(_BARRIER, _KEYS[1:], np.array([b"y"]), 1)
_SIZES = [made("BarrierReadySize", _BARRIER), made("BarrierIncompleteSize", _BARRIER)]
_TYPES = {"component_types": ["float32", "string"]}
barrier_op.accepts(
    shared_name="kept", after=[_insert(result, _KEYS, [2, 2], 0), made("BarrierReadySize", result)], **_KIND
)
barrier_op.rejects(capacity=3, error=InvalidArgumentError, **_KIND)
barrier_op.rejects(component_types=["float32"], error=InvalidArgumentError)
barrier_op.rejects(component_types=["float32"], shapes=[[None]], error=InvalidArgumentError)
insert_many_op.accepts(_BARRIER, _KEYS, [2, 2], component_index=0, after=_SIZES)
insert_many_op.accepts(_BARRIER, _KEYS, np.array([b"x", b"y"]), component_index=1, before=[_FIRST], after=_SIZES)
insert_many_op.rejects(_BARRIER, _KEYS, [2, 2], component_index=0, before=[_FIRST], error=InvalidArgumentError)
insert_many_op.rejects(_BARRIER, _KEYS, [2, 2], component_index=2, error=InvalidArgumentError)
take_many_op.accepts(_BARRIER, np.int32(1), before=[_FIRST, _SECOND], after=_SIZES, **_TYPES)
_CLOSED = made("BarrierClose", _BARRIER)
take_many_op.accepts(_BARRIER, np.int32(3), before=[_FIRST, _SECOND, _CLOSED], allow_small_batch=True, **_TYPES)
take_many_op.rejects(_BARRIER, np.int32(1), before=[_CLOSED], error=OutOfRangeError, **_TYPES)
close_op.accepts(_BARRIER, before=[_FIRST], after=[_SECOND, *_SIZES])
close_op.rejects(_BARRIER, before=[_CLOSED], error=CancelledError)
ready_size_op.accepts(_BARRIER, before=[_FIRST, _SECOND])
incomplete_size_op.accepts(_BARRIER, before=[_FIRST, _SECOND])
