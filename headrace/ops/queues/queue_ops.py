"""The ops that make queues, put into them and take from them, in both forms."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from typing import Any

import torch

from headrace.core.dtypes import int64
from headrace.core.errors import InvalidArgumentError
from headrace.core.registry import OpDecl, op
from headrace.core.shapes import Dims
from headrace.core.waiting import Attempt
from headrace.ops.queues import state
from headrace.ops.queues.elements import Element, component_checker, kept, rows_of
from headrace.ops.queues.handles import both, declare_pair, shared_state
from headrace.ops.state.common import invalid, shape_text

_COMMON = "shapes: list(shape) = [], capacity=-1, "
_NAMES = "container='', shared_name=''"
_SEEDS = "min_after_dequeue=0, seed=0, seed2=0, "
_TYPES = "component_types: list(type) >= 1"


def _declare_queue(op_type: str, attrs: str) -> tuple[OpDecl, OpDecl]:
    first = op(op_type, f"*, {attrs} -> handle: ref string", stateful=True)
    second = op(f"{op_type}V2", f"*, {attrs} -> handle: resource", stateful=True)
    first.shape(lambda op: [(2,)])
    second.shape(lambda op: [()])
    return first, second


fifo = _declare_queue("FIFOQueue", f"{_TYPES}, {_COMMON}{_NAMES}")
padding_fifo = _declare_queue("PaddingFIFOQueue", f"{_TYPES}, {_COMMON}{_NAMES}")
random_shuffle = _declare_queue("RandomShuffleQueue", f"{_TYPES}, {_COMMON}{_SEEDS}{_NAMES}")
priority = _declare_queue(
    "PriorityQueue", f"component_types: list(type) = [], shapes: list(shape), capacity=-1, {_NAMES}"
)


def _shapes(node: Any) -> list[Dims]:
    shapes = node.attrs["shapes"]
    types = node.attrs["component_types"]
    return list(shapes) if shapes else [None] * len(types)


def _plain(kind: type[state.Queue]) -> Callable[[Any, str], state.Queue]:
    return lambda node, name: kind(name, node.attrs["component_types"], _shapes(node), node.attrs["capacity"])


def _priority_queue(node: Any, name: str) -> state.Queue:
    attrs = node.attrs
    types = [int64, *attrs["component_types"]]
    shapes: list[Dims] = list(attrs["shapes"]) or [None] * len(attrs["component_types"])
    return state.PriorityQueue(name, types, [(), *shapes], attrs["capacity"])


def _words(seed: int, seed2: int) -> Iterator[int]:
    """The words of a seeded queue's stream, one after another."""
    stream = importlib.import_module("headrace.runtime.random_streams").RandomStream(seed, seed2)
    while True:
        yield from stream.reserve(64).words(64).tolist()


def _shuffle_queue(node: Any, name: str) -> state.Queue:
    attrs = node.attrs
    seeds = (attrs["seed"], attrs["seed2"])
    least = attrs["min_after_dequeue"]
    if 0 <= attrs["capacity"] <= least:
        raise invalid(f"min_after_dequeue {least} must be < capacity {attrs['capacity']}")
    words = _words(*seeds) if any(seeds) else None
    return state.ShuffleQueue(name, attrs["component_types"], _shapes(node), attrs["capacity"], least, seeds, words)


def _bind(decls: tuple[OpDecl, OpDecl], make: Callable[[Any, str], state.Queue]) -> None:
    def rule(node: Any) -> list[Any]:
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


_bind(fifo, _plain(state.Queue))
_bind(padding_fifo, _plain(state.PaddingQueue))
_bind(priority, _priority_queue)
_bind(random_shuffle, _shuffle_queue)


def _check_shared(node: Any, have: state.Queue, wanted: state.Queue) -> None:
    """Refuses an op that gives a queue of the session another meaning.

    Raises:
        InvalidArgumentError: saying what differs.
    """
    if type(have) is not type(wanted):
        raise invalid(f"Expected {have.kind}, found {node.type}")

    def same(what: str, first: Any, second: Any) -> None:
        if first != second:
            verb = "was" if what == "capacity" else "were"
            raise invalid(f"Shared queue '{have.name}' has {what} {first} but requested {what} {verb} {second}")

    same("capacity", have.capacity, wanted.capacity)
    if isinstance(have, state.ShuffleQueue) and isinstance(wanted, state.ShuffleQueue):
        same("min_after_dequeue", have.reserve, wanted.reserve)
        if any(wanted.seeds):
            same("random seeds", have.seeds, wanted.seeds)
    same("component types", _type_names(have), _type_names(wanted))
    same("component shapes", _shape_names(have), _shape_names(wanted))


def _type_names(queue: state.Queue) -> str:
    names = {"float32": "float", "float64": "double", "float16": "half"}
    return ", ".join(names.get(dtype.name, dtype.name) for dtype in queue.dtypes)


def _shape_names(queue: state.Queue) -> str:
    return f"[{', '.join(shape_text(dims) for dims in queue.shapes if dims is not None)}]"


fake_queue = op("FakeQueue", "resource: resource -> handle: ref string", stateful=True)
fake_queue.shape(lambda op: [(2,)])
fake_queue.binding(lambda node: [node.inputs[0].bound])

# ---- putting in ----

_PUT = (", components: *Tcomponents", ", *, Tcomponents: list(type) >= 1, timeout_ms=-1 ->")
enqueue = declare_pair("QueueEnqueue", *_PUT)
enqueue_many = declare_pair("QueueEnqueueMany", *_PUT)
_TAKE = ", *, component_types: list(type) >= 1, timeout_ms=-1 -> components: *component_types"
dequeue = declare_pair("QueueDequeue", "", _TAKE)
dequeue_many = declare_pair("QueueDequeueMany", ", n: int32", _TAKE)
dequeue_up_to = declare_pair("QueueDequeueUpTo", ", n: int32", _TAKE)
close = declare_pair("QueueClose", "", ", *, cancel_pending_enqueues=False ->")
is_closed = declare_pair("QueueIsClosed", "", " -> is_closed: bool", no_gradient="neither")
size = declare_pair("QueueSize", "", " -> size: int32")

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


def _refuse_timeout(node: Any) -> None:
    if node.attrs["timeout_ms"] != -1:
        raise invalid("Timeout not supported yet.")


def _known_queue(node: Any) -> state.Queue | None:
    """The queue where it is known while planning: not where an index chooses one of a list."""
    bound = node.inputs[0].bound
    return bound if isinstance(bound, state.Queue) else None


def _putter(node: Any, many: bool) -> Callable[[state.Queue], Callable[[Element], None] | None]:
    """For a queue, what checks the components that `node` puts in."""
    dims = [value.dims for value in node.inputs[1:]]
    types = [value.dtype.base_dtype for value in node.inputs[1:]]

    def checker(queue: state.Queue) -> Callable[[Element], None] | None:
        if len(types) != len(queue.dtypes):
            raise invalid(f"Wrong number of components in tuple. Expected {len(queue.dtypes)}, got {len(types)}")
        for i, (have, wanted) in enumerate(zip(types, queue.dtypes, strict=True)):
            if have is not wanted:
                raise invalid(f"Type mismatch in tuple component {i}. Expected {wanted.name}, got {have.name}")
        return component_checker(dims, queue.shapes, many)

    return checker


@both("kernel", *enqueue)
def enqueue_kernel(node: Any) -> Callable[..., Any]:
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

    put.start = start  # type: ignore[attr-defined]
    return put


@both("kernel", *enqueue_many)
def enqueue_many_kernel(node: Any) -> Callable[..., Any]:
    _refuse_timeout(node)
    wait = node.runtime.waits.wait
    checker = _putter(node, True)

    def start(queue: state.Queue, *values: Any) -> Attempt:
        check = checker(queue)
        if check is not None:
            check(values)
        elements = list(zip(*[rows_of(value) for value in values], strict=True))
        return queue.submit(state.Put(queue, elements))

    def put(queue: state.Queue, *values: Any) -> None:
        wait(start(queue, *values))

    put.start = start  # type: ignore[attr-defined]
    return put


# ---- taking out ----


def _check_types(node: Any, queue: state.Queue) -> None:
    wanted = node.attrs["component_types"]
    if list(wanted) != queue.dtypes:
        have = ", ".join(dtype.name for dtype in queue.dtypes)
        raise invalid(
            f"Expected the component types {', '.join(dtype.name for dtype in wanted)} but queue '{queue.name}' has {have}"
        )


def _first(elements: list[Element]) -> Element:
    return elements[0]


@both("kernel", *dequeue)
def dequeue_kernel(node: Any) -> Callable[..., Any]:
    _refuse_timeout(node)
    wait = node.runtime.waits.wait
    known = _known_queue(node)
    if known is not None:
        _check_types(node, known)

    def start(queue: state.Queue) -> Attempt:
        return queue.submit(state.Take(queue, 1, False, _first))

    def take(queue: state.Queue) -> Element:
        if known is None:
            _check_types(node, queue)
        elements = queue.take_now(1)
        if elements is not None:
            return elements[0]
        return wait(start(queue))  # type: ignore[no-any-return]

    take.start = start  # type: ignore[attr-defined]
    return take


def _batch_kernel(partial: bool) -> Callable[[Any], Callable[..., Any]]:
    called = "DequeueUpToOp" if partial else "DequeueManyOp"

    def rule(node: Any) -> Callable[..., Any]:
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

        def take(queue: state.Queue, n: torch.Tensor) -> Any:
            count = prepared(queue, n)
            elements = queue.take_now(count) if count else None
            if elements is not None:
                return queue.batch(elements)
            return wait(attempt(queue, count))

        take.start = start  # type: ignore[attr-defined]
        return take

    return rule


def _batches(queue: state.Queue) -> bool:
    """Whether the elements of a queue can be joined to a batch."""
    return all(dims is not None for dims in queue.shapes)


both("kernel", *dequeue_many)(_batch_kernel(False))
both("kernel", *dequeue_up_to)(_batch_kernel(True))


@both("shape", *dequeue_many)
def dequeue_many_shape(op: Any) -> list[Dims]:
    n = op.constant(1)
    if n is not None and int(n) < 0:
        raise ValueError(f"Input 'n' must be >= 0, but is {int(n)}")
    return [None] * len(op.outputs)


# ---- the rest ----


@both("kernel", *close)
def close_kernel(node: Any) -> Callable[..., Any]:
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

    shut.start = start  # type: ignore[attr-defined]
    return shut


@both("kernel", *is_closed)
def is_closed_kernel(node: Any) -> Callable[..., Any]:
    return lambda queue: torch.tensor(queue.closed)


@both("kernel", *size)
def size_kernel(node: Any) -> Callable[..., Any]:
    return lambda queue: torch.tensor(queue.size(), dtype=torch.int32)
