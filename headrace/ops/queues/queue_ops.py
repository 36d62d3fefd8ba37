"""The ops that make queues, put into them and take from them, in both forms."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from headrace.core.cases import made, result
from headrace.core.dims import Dims
from headrace.core.dtypes import DType, dtype_text, int64
from headrace.core.errors import CancelledError, InvalidArgumentError, OutOfRangeError
from headrace.core.operation import Operation
from headrace.core.registry import KernelRule, OpDecl, op
from headrace.core.waiting import Attempt
from headrace.kernels.queues import state
from headrace.kernels.queues.elements import Element, component_checker, elements_of, kept
from headrace.kernels.queues.handles import both, declare_makers, declare_pair, shared_state
from headrace.kernels.random.streams import RandomStream
from headrace.kernels.state.handles import invalid, shape_text

if TYPE_CHECKING:
    from headrace.core.typing import NodeView


_COMMON = "shapes: list(shape) = [], capacity=-1, "
_NAMES = "container='', shared_name=''"
_SEEDS = "min_after_dequeue=0, seed=0, seed2=0, "
_TYPES = "component_types: list(type) >= 1"


fifo = declare_makers("FIFOQueue", "FIFOQueueV2", f"*, {_TYPES}, {_COMMON}{_NAMES} -> handle: HANDLE")
padding_fifo = declare_makers(
    "PaddingFIFOQueue", "PaddingFIFOQueueV2", f"*, {_TYPES}, {_COMMON}{_NAMES} -> handle: HANDLE"
)
random_shuffle = declare_makers(
    "RandomShuffleQueue", "RandomShuffleQueueV2", f"*, {_TYPES}, {_COMMON}{_SEEDS}{_NAMES} -> handle: HANDLE"
)
priority = declare_makers(
    "PriorityQueue",
    "PriorityQueueV2",
    f"*, component_types: list(type) = [], shapes: list(shape), capacity=-1, {_NAMES} -> handle: HANDLE",
)
for _by_ref, _by_resource in (fifo, padding_fifo, random_shuffle, priority):
    _by_ref.shape(lambda op: [(2,)])
    _by_resource.shape(lambda op: [()])


def _known_shapes(node: NodeView, types: Sequence[DType], shapes: Sequence[Dims]) -> list[Dims]:
    """The shapes of the components, one a type.

    Raises:
        InvalidArgumentError: if there are more or fewer, or one of them is not known.
    """
    for dims in node.attrs["shapes"]:
        if dims is not None and None in dims:
            raise invalid(f"Shape {shape_text(dims)} is not fully defined")
    return _as_many(types, shapes)


def _as_many(types: Sequence[DType], shapes: Sequence[Dims]) -> list[Dims]:
    if len(types) != len(shapes):
        raise invalid(
            f"Different number of component types.  Types: {_type_names(types)}, Shapes: {_shape_names(shapes)}"
        )
    return list(shapes)


def _fifo_queue(node: NodeView, name: str) -> state.Queue:
    attrs = node.attrs
    types = attrs["component_types"]
    shapes = _known_shapes(node, types, attrs["shapes"] or [None] * len(types))
    return state.Queue(name, types, shapes, attrs["capacity"])


def _padding_queue(node: NodeView, name: str) -> state.Queue:
    attrs = node.attrs
    types, shapes = attrs["component_types"], attrs["shapes"]
    if not shapes:
        raise invalid(f"Shapes must be provided for all components, but received {len(types)} dtypes and 0 shapes.")
    if None in shapes:
        raise invalid("shape <unknown> must have known rank.")
    return state.PaddingQueue(name, types, _as_many(types, shapes), attrs["capacity"])


def _priority_queue(node: NodeView, name: str) -> state.Queue:
    attrs = node.attrs
    types = [int64, *attrs["component_types"]]
    return state.PriorityQueue(name, types, _known_shapes(node, types, [(), *attrs["shapes"]]), attrs["capacity"])


def _words(seed: int, seed2: int) -> Iterator[int]:
    """The words of a seeded queue's stream, one after another."""
    stream = RandomStream(seed, seed2)
    while True:
        yield from stream.reserve(64).words(64).tolist()


def _shuffle_queue(node: NodeView, name: str) -> state.Queue:
    attrs = node.attrs
    seeds = (attrs["seed"], attrs["seed2"])
    least = attrs["min_after_dequeue"]
    if 0 <= attrs["capacity"] <= least:
        raise invalid(f"min_after_dequeue {least} must be < capacity {attrs['capacity']}")
    words = _words(*seeds) if any(seeds) else None
    types = attrs["component_types"]
    shapes = _known_shapes(node, types, attrs["shapes"] or [None] * len(types))
    return state.ShuffleQueue(name, types, shapes, attrs["capacity"], least, seeds, words)


def _bind(decls: tuple[OpDecl, OpDecl], make: Callable[[Any, str], state.Queue]) -> None:
    def rule(node: NodeView) -> list[state.Queue]:
        try:
            made: list[state.Queue] = []

            def first_use(name: str) -> state.Queue:
                made.append(make(node, name))
                return made[0]

            queue = shared_state(node, "queue", first_use)
            if not made and node.attrs["shared_name"]:
                _check_shared(node, queue, make(node, queue.name))
        except InvalidArgumentError as error:
            error.attach(node.origin)
            raise
        return [queue]

    for decl in decls:
        decl.binding(rule)


_bind(fifo, _fifo_queue)
_bind(padding_fifo, _padding_queue)
_bind(priority, _priority_queue)
_bind(random_shuffle, _shuffle_queue)


def _check_shared(node: NodeView, existing: state.Queue, requested: state.Queue) -> None:
    """Refuses an op that gives a queue of the session another meaning.

    Raises:
        InvalidArgumentError: saying what differs.
    """
    if type(existing) is not type(requested):
        raise invalid(f"Expected {existing.kind}, found {node.type}")

    def same(what: str, first: object, second: object) -> None:
        if first != second:
            verb = "was" if what == "capacity" else "were"
            raise invalid(f"Shared queue '{existing.name}' has {what} {first} but requested {what} {verb} {second}")

    same("capacity", existing.capacity, requested.capacity)
    if isinstance(existing, state.ShuffleQueue) and isinstance(requested, state.ShuffleQueue):
        same("min_after_dequeue", existing.reserve, requested.reserve)
        if any(requested.seeds):
            same("random seeds", existing.seeds, requested.seeds)
    same("component types", _type_names(existing.dtypes), _type_names(requested.dtypes))
    same("component shapes", _shape_names(existing.shapes), _shape_names(requested.shapes))


def _type_names(types: Sequence[DType]) -> str:
    return ", ".join(map(dtype_text, types))


def _shape_names(shapes: Sequence[Dims]) -> str:
    return f"[{', '.join(shape_text(dims) for dims in shapes if dims is not None)}]"


fake_queue = op("FakeQueue", "resource: resource -> handle: ref string", stateful=True)
fake_queue.shape(lambda op: [(2,)])
fake_queue.binding(lambda node: [node.inputs[0].bound])

# ---- putting in ----

_PUT = "handle: HANDLE, components: *Tcomponents, *, Tcomponents: list(type) >= 1, timeout_ms=-1 ->"
enqueue = declare_pair("QueueEnqueue", "QueueEnqueueV2", _PUT)
enqueue_many = declare_pair("QueueEnqueueMany", "QueueEnqueueManyV2", _PUT)
_TAKE = "*, component_types: list(type) >= 1, timeout_ms=-1 -> components: *component_types"
dequeue = declare_pair("QueueDequeue", "QueueDequeueV2", f"handle: HANDLE, {_TAKE}")
dequeue_many = declare_pair("QueueDequeueMany", "QueueDequeueManyV2", f"handle: HANDLE, n: int32, {_TAKE}")
dequeue_up_to = declare_pair("QueueDequeueUpTo", "QueueDequeueUpToV2", f"handle: HANDLE, n: int32, {_TAKE}")
close = declare_pair("QueueClose", "QueueCloseV2", "handle: HANDLE, *, cancel_pending_enqueues=False ->")
is_closed = declare_pair("QueueIsClosed", "QueueIsClosedV2", "handle: HANDLE -> is_closed: bool", no_gradient="neither")
size = declare_pair("QueueSize", "QueueSizeV2", "handle: HANDLE -> size: int32")

for _decl in (*enqueue, *enqueue_many):
    _decl.on_host("components").waits()
    _decl.shape(lambda op: [])
for _decl in (*dequeue, *dequeue_many, *dequeue_up_to, *close):
    _decl.on_host(outputs=True).waits()
for _decl in (*dequeue_many, *dequeue_up_to):
    _decl.on_host("n", outputs=True)
for _decl in close:
    _decl.shape(lambda op: [])
for _decl in (*is_closed, *size):
    _decl.on_host(outputs=True).shape(lambda op: [()])


def _refuse_timeout(node: NodeView) -> None:
    if node.attrs["timeout_ms"] != -1:
        raise invalid("Timeout not supported yet.")


def _known_queue(node: NodeView) -> state.Queue | None:
    """The queue where it is known while planning: not where an index chooses one of a list."""
    bound = node.inputs[0].bound
    return bound if isinstance(bound, state.Queue) else None


def _putter(node: NodeView, many: bool) -> Callable[[state.Queue], Callable[[Element], None] | None]:
    """For a queue, what checks the components that `node` puts in."""
    dims = [value.dims for value in node.inputs[1:]]
    types = [value.dtype.base_dtype for value in node.inputs[1:]]

    def checker(queue: state.Queue) -> Callable[[Element], None] | None:
        if len(types) != len(queue.dtypes):
            raise invalid(f"Wrong number of components in tuple. Expected {len(queue.dtypes)}, got {len(types)}")
        for i, (have, expected) in enumerate(zip(types, queue.dtypes, strict=True)):
            if have is not expected:
                raise invalid(f"Type mismatch in tuple component {i}. Expected {expected.name}, got {have.name}")
        return component_checker(dims, queue.shapes, many)

    return checker


@both("kernel", *enqueue)
def enqueue_kernel(node: NodeView) -> Callable[..., Any]:
    _refuse_timeout(node)
    wait = node.runtime.waits.wait
    checker = _putter(node, False)
    known = _known_queue(node)
    check = checker(known) if known is not None else None
    tensors = all(value.dtype.base_dtype.name != "string" for value in node.inputs[1:])

    def element(queue: state.Queue, values: Element) -> Element:
        checked = check if known is not None else checker(queue)
        if checked is not None:
            checked(values)
        if tensors:
            return tuple([value.clone() for value in values])
        return tuple([kept(value) for value in values])

    def start(queue: state.Queue, *values: Any) -> Attempt:
        return queue.submit(state.Put(queue, [element(queue, values)]))

    def put(queue: state.Queue, *values: Any) -> None:
        made = element(queue, values)
        if not queue.put_now(made):
            wait(queue.submit(state.Put(queue, [made])))

    put.start = start  # type: ignore[attr-defined]  # `plan.waiting` calls it
    return put


@both("kernel", *enqueue_many)
def enqueue_many_kernel(node: NodeView) -> Callable[..., Any]:
    _refuse_timeout(node)
    wait = node.runtime.waits.wait
    checker = _putter(node, True)

    def start(queue: state.Queue, *values: Any) -> Attempt:
        check = checker(queue)
        if check is not None:
            check(values)
        return queue.submit(state.Put(queue, elements_of(values)))

    def put(queue: state.Queue, *values: Any) -> None:
        wait(start(queue, *values))

    put.start = start  # type: ignore[attr-defined]  # `plan.waiting` calls it
    return put


# ---- taking out ----


def _check_types(node: NodeView, queue: state.Queue) -> None:
    expected = node.attrs["component_types"]
    if list(expected) != queue.dtypes:
        have = ", ".join(dtype.name for dtype in queue.dtypes)
        raise invalid(
            f"Expected the component types {', '.join(dtype.name for dtype in expected)} but queue '{queue.name}' has {have}"
        )


@both("kernel", *dequeue)
def dequeue_kernel(node: NodeView) -> Callable[..., Any]:
    _refuse_timeout(node)
    wait = node.runtime.waits.wait
    known = _known_queue(node)
    if known is not None:
        _check_types(node, known)

    def start(queue: state.Queue) -> Attempt:
        return queue.submit(state.take_first(queue))

    def take(queue: state.Queue) -> Element:
        if known is None:
            _check_types(node, queue)
        return state.first_values(queue, wait)

    take.start = start  # type: ignore[attr-defined]  # `plan.waiting` calls it
    return take


def _batch_kernel(partial: bool) -> KernelRule:
    called = "DequeueUpToOp" if partial else "DequeueManyOp"

    def rule(node: NodeView) -> Callable[..., Any]:
        _refuse_timeout(node)
        wait = node.runtime.waits.wait

        def prepared(queue: state.Queue, n: torch.Tensor) -> int:
            if n.dim():
                raise invalid("n must be a scalar, got a tensor of shape " + shape_text(n.shape))
            count = int(n)
            if count < 0:
                raise invalid(f"{called} requested {count} < 0 elements")
            _check_types(node, queue)
            if not _batches(queue):
                raise invalid(
                    f"{queue.kind}'s DequeueMany and DequeueUpTo require the components to have specified shapes."
                )
            return count

        def attempt(queue: state.Queue, count: int) -> Attempt:
            if count == 0:
                made = state.Take(queue, 0, partial, queue.batch)
                made.finish([])
                return made
            return queue.submit(state.Take(queue, count, partial, queue.batch))

        def start(queue: state.Queue, n: torch.Tensor) -> Attempt:
            return attempt(queue, prepared(queue, n))

        def take(queue: state.Queue, n: torch.Tensor) -> tuple[torch.Tensor | np.ndarray, ...]:
            count = prepared(queue, n)
            elements = queue.take_now(count) if count else None
            if elements is not None:
                return queue.batch(elements)
            return wait(attempt(queue, count))

        take.start = start  # type: ignore[attr-defined]  # `plan.waiting` calls it
        return take

    return rule


def _batches(queue: state.Queue) -> bool:
    """Whether the elements of a queue can be joined to a batch."""
    return all(dims is not None for dims in queue.shapes)


both("kernel", *dequeue_many)(_batch_kernel(False))
both("kernel", *dequeue_up_to)(_batch_kernel(True))


@both("shape", *dequeue_many)
def dequeue_many_shape(op: Operation) -> list[Dims]:
    n = op.constant(1)
    if n is not None and int(n) < 0:
        raise ValueError(f"Input 'n' must be >= 0, but is {int(n)}")
    return [None] * len(op.outputs)


# ---- the rest ----


@both("kernel", *close)
def close_kernel(node: NodeView) -> Callable[..., Any]:
    wait = node.runtime.waits.wait
    cancels = node.attrs["cancel_pending_enqueues"]

    def start(queue: state.Queue) -> Attempt:
        if cancels:
            queue.close_and_cancel()
            done = state.Close(queue)
            done.finish()
            return done
        return queue.submit(state.Close(queue))

    def shut(queue: state.Queue) -> None:
        wait(start(queue))

    shut.start = start  # type: ignore[attr-defined]  # `plan.waiting` calls it
    return shut


@both("kernel", *is_closed)
def is_closed_kernel(node: NodeView) -> Callable[..., Any]:
    return lambda queue: torch.tensor(queue.closed)


@both("kernel", *size)
def size_kernel(node: NodeView) -> Callable[..., Any]:
    return lambda queue: torch.tensor(queue.size(), dtype=torch.int32)


# ---- examples ----


def _declare_maker_cases(form: int, version: str) -> None:
    """The cases of what makes queues in one of its forms, whose types end with `version`."""
    take, take_two = "QueueDequeue" + version, "QueueDequeueMany" + version
    one = {"component_types": ["float32"]}
    put = made("QueueEnqueue" + version, result, [[2]])
    sized = {"shapes": [[2]], "shared_name": "pairs", **one}
    fifo[form].accepts(after=[put, made("QueueSize" + version, result), made(take, result, **one)], **sized)
    fifo[form].rejects(component_types=["float32"], shapes=[[2], []], error=InvalidArgumentError)
    rows = [made("QueueEnqueue" + version, result, [[size]]) for size in (1, 3)]
    ragged = {"shapes": [[None]], "shared_name": "rows", **one}
    padding_fifo[form].accepts(after=[*rows, made(take_two, result, np.int32(2), **one)], **ragged)
    padding_fifo[form].rejects(component_types=["float32"], error=InvalidArgumentError)
    put_four = made("QueueEnqueueMany" + version, result, [np.arange(4)])
    drawn = [made(take, result, component_types=["int64"]) for _ in range(4)]
    seeded = {"component_types": ["int64"], "shapes": [[]], "seed": 1, "seed2": 2}
    random_shuffle[form].accepts(after=[put_four, *drawn], shared_name="drawn", **seeded)
    random_shuffle[form].rejects(component_types=["int64"], shapes=[[None]], error=InvalidArgumentError)
    random_shuffle[form].rejects(capacity=2, min_after_dequeue=2, error=InvalidArgumentError, **seeded)
    put_keyed = made("QueueEnqueueMany" + version, result, [np.array([3, 1]), np.array([b"three", b"one"])])
    in_order = made(take_two, result, np.int32(2), component_types=["int64", "string"])
    priority[form].rejects(component_types=["string"], shapes=[], error=InvalidArgumentError)
    priority[form].accepts(component_types=["string"], shapes=[[]], shared_name="keyed", after=[put_keyed, in_order])


def _declare_cases(form: int, version: str) -> None:
    """The cases of what is done with queues in one of its forms."""
    one = {"component_types": ["float32"]}
    queue = made("FIFOQueue" + version, shapes=[[2]], capacity=5, **one)
    unshaped = made("FIFOQueue" + version, **one)
    put_three = made("QueueEnqueueMany" + version, queue, [[3, 2]])
    shut = made("QueueClose" + version, queue)
    count, taken = made("QueueSize" + version, queue), made("QueueDequeue" + version, queue, **one)
    enqueue[form].accepts(queue, [[2]], after=[count, taken])
    enqueue[form].rejects(queue, [[3]], error=InvalidArgumentError)
    enqueue[form].rejects(queue, [[2], [2]], error=InvalidArgumentError)
    enqueue[form].rejects(queue, [[2]], before=[shut], error=CancelledError)
    enqueue_many[form].accepts(queue, [[3, 2]], after=[count, taken])
    enqueue_many[form].accepts(queue, [[0, 2]], after=[count])
    dequeue[form].accepts(queue, before=[put_three], after=[count], **one)
    dequeue[form].rejects(queue, component_types=["int32"], error=InvalidArgumentError)
    dequeue[form].rejects(queue, before=[shut], error=OutOfRangeError, **one)
    dequeue_many[form].accepts(queue, np.int32(2), before=[put_three], after=[count], **one)
    dequeue_many[form].rejects(queue, np.int32(4), before=[put_three, shut], error=OutOfRangeError, **one)
    dequeue_many[form].rejects(unshaped, np.int32(2), error=InvalidArgumentError, **one)
    dequeue_up_to[form].accepts(queue, np.int32(4), before=[put_three, shut], after=[count], **one)
    dequeue_up_to[form].rejects(queue, np.int32(-1), error=InvalidArgumentError, **one)
    close[form].accepts(queue, before=[put_three], after=[made("QueueIsClosed" + version, queue), taken])
    close[form].accepts(queue, cancel_pending_enqueues=True, after=[made("QueueIsClosed" + version, queue)])
    is_closed[form].accepts(queue).accepts(queue, before=[shut])
    size[form].accepts(queue).accepts(queue, before=[put_three])


for _form, _version in enumerate(("", "V2")):
    _declare_maker_cases(_form, _version)
    _declare_cases(_form, _version)
fake_queue.accepts(
    made("FIFOQueueV2", component_types=["float32"]), varies="it is a name", after=[made("QueueSize", result)]
)
