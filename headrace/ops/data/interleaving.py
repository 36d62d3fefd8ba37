"""Datasets that take the elements of several others in turns, one after the other or with all of them under way at once."""

from __future__ import annotations

import threading
import time
from collections import deque
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core import shutdown, spans
from headrace.core.errors import InvalidArgumentError
from headrace.devices import pool
from headrace.kernels.data.base import (
    BoundFunction,
    Dataset,
    Element,
    Iteration,
    Next,
    captured_count,
    dataset_of,
    dataset_op,
    integer,
    invalid,
    made_by,
)
from headrace.kernels.data.case_inputs import INT64_SCALARS, from_zero, numbers
from headrace.kernels.data.mapped import Call
from headrace.kernels.data.parallel_mapped import WORTH_A_THREAD, Failed

if TYPE_CHECKING:
    import torch

    from headrace.kernels.data.tables import Row


_AUTOTUNED = -1


class Interleaved(Dataset):
    """The elements of the datasets that a function makes of the input's elements, `cycle` of them in turns.

    Args:
        call: takes an element, returns a dataset.
        cycle: how many datasets take turns.
        block: how many elements each gives in its turn.
        opens_files: whether the datasets read files that the elements name.
    """

    def __init__(
        self, source: Dataset, call: Call, cycle: int = 1, block: int = 1, *, opens_files: bool = False
    ) -> None:
        super().__init__(source)
        self.opens_files = opens_files
        if cycle < 1:
            raise invalid("cycle_length must be greater than zero.")
        if block < 1:
            raise invalid("block_length must be greater than zero.")
        self.call, self.cycle, self.block = call, cycle, block

    def start(self, iteration: Iteration) -> Next:
        call, cycle, block = self.call, self.cycle, self.block
        upstream: Next | None = self.inputs[0].start(iteration)
        current: list[Next | None] = [None] * cycle
        place = given = opened = 0

        def next_element() -> Element | None:
            nonlocal upstream, place, given, opened
            while upstream is not None or opened:
                inner = current[place]
                if inner is not None:
                    element = inner()
                    if element is not None:
                        given += 1
                        if given == block:
                            given = 0
                            place = (place + 1) % cycle
                        return element
                    current[place] = None
                    opened -= 1
                elif upstream is not None:
                    element = upstream()
                    if element is None:
                        upstream = None
                    else:
                        current[place] = dataset_of(call(*element)[0]).start(iteration)
                        opened += 1
                    continue
                given = 0
                place = (place + 1) % cycle
            return None

        return next_element


class ParallelInterleaved(Interleaved):
    """As `Interleaved`, with the datasets under way at once.

    Threads fill a small buffer for each dataset whose elements take their time; the elements of others are made when
    they are asked for, which is quicker than handing them over.

    Args:
        calls: how many threads may be at work.
        buffer: how many elements of each dataset may be made ahead of time.
        staged: how many datasets may be opened before their turn comes.
        sloppy: whether a dataset that has nothing ready is passed over. Then threads make all elements, so that no
            dataset can hold up the others.
        keeps_block: whether a dataset that ends without a successor leaves the rest of its turn to the next one.
    """

    def __init__(
        self,
        source: Dataset,
        call: Call,
        cycle: int,
        block: int,
        calls: int,
        buffer: int,
        staged: int,
        sloppy: bool,
        keeps_block: bool,
        opens_files: bool = False,
    ) -> None:
        super().__init__(source, call, cycle, block, opens_files=opens_files)
        self.calls, self.buffer, self.staged, self.sloppy = calls, buffer, staged, sloppy
        self.keeps_block = keeps_block

    def make_sloppy(self) -> None:
        """Lets the order depend on what is ready."""
        self.sloppy = True

    def start(self, iteration: Iteration) -> Next:
        return _Cycle(self, self.inputs[0].start(iteration), iteration).next_element


class _Source:
    """A dataset under way.

    Attributes:
        element: what it is made of, until it is opened.
        following: its elements, once it is open.
        ready: elements made and not given yet.
        busy: whether a thread is at it.
        over: whether nothing follows what is ready.
        quick: whether its last element took less time than handing it over.
    """

    __slots__ = ("busy", "element", "following", "over", "quick", "ready")

    def __init__(self, element: Any) -> None:
        self.element = element
        self.following: Next | None = None
        self.ready: deque[Any] = deque()
        self.busy = self.over = self.quick = False
        if type(element) is Failed:
            self.ready.append(element)
            self.over = True


class _SharedState:
    """What the threads of one iteration share; they do not know who takes the elements."""

    def __init__(self, dataset: ParallelInterleaved, iteration: Iteration) -> None:
        self.call, self.size, self.limit = dataset.call, dataset.buffer, dataset.calls
        self.iteration = iteration
        self.changed = threading.Condition()
        self.running = 0
        # Whether the dataset opened last gave its first element quickly.
        self.opens_quickly = False
        iteration.wakes(self.changed)

    def make(self, source: _Source) -> Any:
        """The next element of `source`, None at its end, an error in the place of one."""
        start_time = time.perf_counter()
        opens = source.following is None
        item: Failed | Row | tuple[np.ndarray | torch.Tensor] | None
        try:
            if opens:
                source.following = dataset_of(self.call(*source.element)[0]).start(self.iteration)
                source.element = None
            item = source.following()  # type: ignore[misc]  # it has been opened above
        except BaseException as error:  # noqa: BLE001 -- it is raised where the element is asked for
            item = Failed(error)
            if source.following is None:
                source.over = True
        source.quick = time.perf_counter() - start_time < WORTH_A_THREAD
        if opens:
            self.opens_quickly = source.quick
        return item

    def fill(self, source: _Source) -> None:
        """Makes elements of `source` while there is room for them."""
        while True:
            start_time = time.perf_counter()
            item = self.make(source)
            if spans.is_recording():
                spans.record("ParallelInterleaveDataset", start_time)
            with self.changed:
                if item is None:
                    source.over = True
                else:
                    source.ready.append(item)
                full = len(source.ready) >= self.size
                done = source.over or full or self.iteration.closed or shutdown.in_progress
                if done:
                    source.busy = False
                    self.running -= 1
                self.changed.notify_all()
                if done:
                    return

    def begin(self, source: _Source) -> None:
        """Has a thread fill the buffer of `source` if one is needed and free; called with `changed` held."""
        if source.busy or source.over or self.running >= self.limit or len(source.ready) >= self.size:
            return
        source.busy = True
        self.running += 1
        pool.submit(lambda: self.fill(source))


class _Cycle:
    """Who is next: the side of the iteration that elements are taken from, by one thread at a time."""

    def __init__(self, dataset: ParallelInterleaved, upstream: Next, iteration: Iteration) -> None:
        self._shared = _SharedState(dataset, iteration)
        self._upstream: Next | None = upstream
        self._iteration = iteration
        self._block, self._sloppy, self._keeps_block = dataset.block, dataset.sloppy, dataset.keeps_block
        self._current: list[_Source | None] = [None] * dataset.cycle
        self._staged: deque[_Source] = deque()
        self._stage = dataset.staged
        self._place = self._given = 0
        self._begun = False

    def next_element(self) -> Element | None:
        """The next element, None at the end."""
        shared = self._shared
        if not self._begun:
            self._begun = True
            # All are opened at once: one may have to wait for another.
            for place in range(len(self._current)):
                self._current[place] = self._open()
            with shared.changed:
                self._begin_all()
            self._stage_more()
        while True:
            source = self._current[self._place]
            if source is None:
                if not any(self._current):
                    return None
                self._pass_on()
                continue
            with shared.changed:
                inline = source.quick and not (self._sloppy or source.ready or source.busy or source.over)
                if not (inline or source.ready or source.over):
                    self._begin_all()
                    found = self._any_ready() if self._sloppy else None
                    if found is None:
                        self._iteration.wait(shared.changed)
                        continue
                    source = found
            if inline:
                # Nobody is at it: the one who wants it makes it.
                item = shared.make(source)
                source.over = source.over or item is None
            elif source.ready:
                item = source.ready.popleft()
                if self._sloppy or not source.quick:
                    with shared.changed:
                        shared.begin(source)
            else:
                item = None
            if item is None:
                self._replace()
                continue
            self._count(source)
            if type(item) is Failed:
                raise item.error
            return item

    def _count(self, source: _Source) -> None:
        if source is not self._current[self._place]:
            # Taken out of its turn: a new one begins after it.
            self._place = self._current.index(source)
            self._given = 0
            return
        self._given += 1
        if self._given == self._block:
            self._given = 0
            self._pass_on()

    def _pass_on(self) -> None:
        self._place = (self._place + 1) % len(self._current)

    def _any_ready(self) -> _Source | None:
        """The first source from this place on that need not be waited for, with `changed` held."""
        count = len(self._current)
        for i in range(count):
            place = (self._place + i) % count
            source = self._current[place]
            if source is not None and (source.ready or source.over):
                if not source.ready:
                    # Its successor may be ready the next time.
                    self._place, self._given = place, 0
                return source
        return None

    def _replace(self) -> None:
        """Puts the next dataset in the place of one that has ended; the turn goes on."""
        successor = self._staged.popleft() if self._staged else self._open()
        if successor is not None and not successor.quick:
            with self._shared.changed:
                self._shared.begin(successor)
        self._current[self._place] = successor
        if successor is not None or not self._keeps_block:
            self._given = 0
        self._pass_on()
        self._stage_more()

    def _open(self) -> _Source | None:
        """The next dataset of the input, not yet under way."""
        if self._upstream is None:
            return None
        try:
            element = self._upstream()
        except BaseException as error:  # noqa: BLE001 -- it is raised where the element is asked for
            return _Source(Failed(error))
        if element is None:
            self._upstream = None
            return None
        source = _Source(element)
        source.quick = self._opens_inline()
        return source

    def _opens_inline(self) -> bool:
        return self._shared.opens_quickly and not self._sloppy

    def _begin_all(self) -> None:
        """Has threads at every dataset that wants one, those in turn first, with `changed` held."""
        shared = self._shared
        count = len(self._current)
        for i in range(count):
            source = self._current[(self._place + i) % count]
            if source is not None and (self._sloppy or not source.quick):
                shared.begin(source)

    def _stage_more(self) -> None:
        """Opens datasets whose turn has not come."""
        shared = self._shared
        while not self._opens_inline() and len(self._staged) < self._stage and shared.running < shared.limit:
            source = self._open()
            if source is None:
                return
            self._staged.append(source)
            with shared.changed:
                shared.begin(source)


# ---- the ops ----

interleave_dataset = dataset_op(
    "InterleaveDataset",
    "input_dataset: variant, other_arguments: *Targuments, cycle_length: int64, block_length: int64, *, f: func, "
    "Targuments: list(type) >= 0, {} -> handle: variant",
)
parallel_interleave_v2_dataset = dataset_op(
    "ParallelInterleaveDatasetV2",
    "input_dataset: variant, other_arguments: *Targuments, cycle_length: int64, block_length: int64, "
    "num_parallel_calls: int64, *, f: func, Targuments: list(type) >= 0, {}, sloppy=False -> handle: variant",
)
_PARALLEL_INTERLEAVE = (
    "input_dataset: variant, other_arguments: *Targuments, cycle_length: int64, block_length: int64, sloppy: bool, "
    "buffer_output_elements: int64, prefetch_input_elements: int64, *, f: func, Targuments: list(type) >= 0, {} -> "
    "handle: variant"
)
parallel_interleave_dataset = dataset_op("ParallelInterleaveDataset", _PARALLEL_INTERLEAVE)
experimental_parallel_interleave_dataset = dataset_op("ExperimentalParallelInterleaveDataset", _PARALLEL_INTERLEAVE)


@interleave_dataset.kernel
def interleave_dataset_kernel(node):
    count = captured_count(node)
    function = BoundFunction(node, "f", 1, count)

    def make(source, *values):
        cycle, block = map(integer, values[count:])
        call = function.with_captured(values[:count])
        return Interleaved(source, call, cycle, block, opens_files=function.reads_files)

    return make


@parallel_interleave_v2_dataset.kernel
def parallel_interleave_v2_dataset_kernel(node):
    count = captured_count(node)
    function = BoundFunction(node, "f", 1, count)
    sloppy = node.attrs["sloppy"]

    def make(source, *values):
        cycle, block, calls = map(integer, values[count:])
        if calls == _AUTOTUNED:
            calls = cycle
        if calls < 1:
            raise invalid("num_parallel_calls must be greater than zero.")
        if 1 <= cycle < calls:
            raise invalid("num_parallel_calls must less than or equal to cycle_length.")
        call = function.with_captured(values[:count])
        opens = function.reads_files
        return ParallelInterleaved(source, call, cycle, block, calls, block, cycle, sloppy, False, opens)

    return make


@made_by(parallel_interleave_dataset, experimental_parallel_interleave_dataset)
def parallel_interleave_dataset_kernel(node):
    count = captured_count(node)
    function = BoundFunction(node, "f", 1, count)

    def make(source, *values):
        cycle, block, sloppy, buffer, staged = map(integer, values[count:])
        for name, value in (("cycle_length", cycle), ("block_length", block)):
            if value < 1:
                raise invalid(f"`{name}` must be > 0")
        if buffer < 1:
            raise invalid("`buffer_output_elements` must be > 0")
        if staged < 0:
            raise invalid("`prefetch_input_elements` must be >= 0")
        call = function.with_captured(values[:count])
        opens = function.reads_files
        return ParallelInterleaved(
            source, call, cycle, block, cycle + staged, buffer, staged, bool(sloppy), True, opens
        )

    return make


_ARGUMENTS: tuple[Any, ...] = numbers(4), [], np.int64(2), np.int64(2)
interleave_dataset.accepts(*_ARGUMENTS, f=from_zero(), **INT64_SCALARS)
interleave_dataset.rejects(
    numbers(4), [], np.int64(0), np.int64(1), f=from_zero(), error=InvalidArgumentError, **INT64_SCALARS
)
parallel_interleave_v2_dataset.accepts(*_ARGUMENTS, np.int64(2), f=from_zero(), **INT64_SCALARS)
parallel_interleave_v2_dataset.rejects(
    *_ARGUMENTS, np.int64(3), f=from_zero(), error=InvalidArgumentError, **INT64_SCALARS
)
for _decl in (parallel_interleave_dataset, experimental_parallel_interleave_dataset):
    _decl.accepts(*_ARGUMENTS, np.bool_(False), np.int64(1), np.int64(1), f=from_zero(), **INT64_SCALARS)
    _decl.rejects(
        *(*_ARGUMENTS, np.bool_(False), np.int64(0), np.int64(1)),
        f=from_zero(),
        error=InvalidArgumentError,
        **INT64_SCALARS,
    )
