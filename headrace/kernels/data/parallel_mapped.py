"""Functions that run on several elements at once.

A thread works only while there is something to call and room for the result, so a forgotten iterator leaves no thread behind.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from headrace.core import shutdown, spans
from headrace.core.errors import OutOfRangeError
from headrace.kernels.data.base import BoundFunction, Dataset, Element, Iteration, Next, invalid
from headrace.kernels.data.mapped import Mapped

# A call that takes less than this, in seconds, is not worth handing to another thread: that takes 65 microseconds on an AMD
# EPYC until the result is waited for.
WORTH_A_THREAD = 2e-4
# After how many such calls one after the other threads take them over: a busy machine makes some of any function slow,
# though hardly several in a row by so much.
_SLOW_CALLS = 24
_MUCH_SLOWER = 10
_MUCH_SLOWER_CALLS = 3
# What `num_parallel_calls=-1` stands for; nothing is tuned while it runs.
_AUTOTUNED_CALLS = 4


class Timed(Protocol):
    """What remembers how long the calls of a function take: a `BoundFunction`, or what stands for one."""

    slow_calls: int
    much_slower_calls: int
    is_slow: bool
    runs_python: bool


class Failed:
    """An error in the place of an element."""

    __slots__ = ("error",)

    def __init__(self, error: BaseException) -> None:
        self.error = error


class _Call:
    """One call of the function: of `element` by some thread, or with its `result` already there."""

    __slots__ = ("done", "element", "result")

    def __init__(self, element: Element = (), result: Any = None) -> None:
        self.element = element
        self.result = result
        self.done = result is not None


class _Calls:
    """The calls of one iteration over a `ParallelMapped`, and the threads at work on them."""

    def __init__(self, dataset: ParallelMapped, iteration: Iteration) -> None:
        self._upstream = dataset.inputs[0].start(iteration)
        self._call, self._function, self._sloppy = dataset.call, dataset.function, dataset.sloppy
        self._most = dataset.calls
        # Calls that wait for each other, as Python's may, or are to overtake each other must run at once from the start.
        self._tries_in_place = not (dataset.sloppy or dataset.function.runs_python)
        self._iteration = iteration
        self._under_way: deque[_Call] = deque()  # in the order of the input
        self._waiting: deque[_Call] = deque()  # those of them that no thread has begun
        self._threads = 0
        self._changed = threading.Condition()
        self._over = False
        iteration.wakes(self._changed)

    def next_element(self) -> Element | None:
        """The next element, by a call in place while calls take no time worth a thread."""
        function = self._function
        if self._tries_in_place and not function.is_slow:
            element = self._upstream()
            if element is None:
                return None
            begun = time.perf_counter()
            try:
                result = self._call(*element)
            except OutOfRangeError:
                # A function that may end the dataset has done so.
                return None
            _note_duration(function, time.perf_counter() - begun)
            return result
        # Twice as many as run, so that a thread that is done need not wait for this one to find its next call.
        while not self._over and len(self._under_way) < 2 * self._most and self._submit():
            pass
        if not self._under_way:
            return None
        with self._changed:
            while (task := self._first_done()) is None:
                self._iteration.wait(self._changed)
            self._under_way.remove(task)
        if not self._over:
            self._submit()
        if type(task.result) is not Failed:
            return task.result
        if task.element and isinstance(task.result.error, OutOfRangeError):
            return None
        raise task.result.error

    def _submit(self) -> bool:
        """Hands the next element of the input to the threads; whether there was one."""
        try:
            element = self._upstream()
        except BaseException as error:  # noqa: BLE001 -- it is raised where the element is asked for
            self._under_way.append(_Call(result=Failed(error)))
            return True
        if element is None:
            self._over = True
            return False
        task = _Call(element)
        with self._changed:
            self._under_way.append(task)
            self._waiting.append(task)
            if self._threads == self._most:
                return True
            self._threads += 1
        self._iteration.submit(self._work)
        return True

    def _first_done(self) -> _Call | None:
        under_way = self._under_way
        if not self._sloppy:
            return under_way[0] if under_way[0].done else None
        return next((task for task in under_way if task.done), None)

    def _work(self) -> None:
        """What a thread does: calls as long as any wait."""
        while True:
            with self._changed:
                if not self._waiting or self._iteration.closed or shutdown.in_progress:
                    self._threads -= 1
                    return
                task = self._waiting.popleft()
            began = time.perf_counter()
            try:
                task.result = self._call(*task.element)
            except BaseException as error:  # noqa: BLE001 -- it is raised where the element is asked for
                task.result = Failed(error)
            if spans.is_recording():
                spans.record("ParallelMapDataset", began)
            with self._changed:
                task.done = True
                if self._sloppy or task is self._under_way[0]:
                    self._changed.notify_all()
            # What it refers to must not wait for the next one.
            del task


def _note_duration(function: Timed, seconds: float) -> None:
    """Learns from a call in place whether those to come are worth threads."""
    if seconds < WORTH_A_THREAD:
        function.slow_calls = function.much_slower_calls = 0
        return
    function.slow_calls += 1
    function.much_slower_calls = function.much_slower_calls + 1 if seconds >= _MUCH_SLOWER * WORTH_A_THREAD else 0
    function.is_slow = function.slow_calls >= _SLOW_CALLS or function.much_slower_calls >= _MUCH_SLOWER_CALLS


class ParallelMapped(Mapped):
    """What a function makes of each element, by up to `calls` threads where a call takes its time.

    Args:
        calls: how many threads may be at work.
        function: that which is called; it remembers between iterations how long its calls take.
        sloppy: whether elements are given as they are done rather than in the order of the input.
    """

    def __init__(
        self,
        source: Dataset,
        call: Callable[..., Element],
        calls: int,
        function: Timed,
        of_batches: Callable[[], Any] | None = None,
        sloppy: bool = False,
    ) -> None:
        super().__init__(source, call, of_batches)
        self.calls = calls
        self.function = function
        self.sloppy = sloppy

    def make_sloppy(self) -> None:
        self.sloppy = True

    def start(self, iteration: Iteration) -> Next:
        return _Calls(self, iteration).next_element


def mapped(
    source: Dataset, function: BoundFunction, captured: Sequence[Any], calls: int, sloppy: bool = False
) -> Dataset:
    """A mapped dataset, by several threads if `calls` is above 1 or -1 (as many as suit).

    Raises:
        InvalidArgumentError: if `calls` is 0 or below -1.
    """
    call = function.with_captured(captured)

    def of_batches() -> Callable[..., Element] | None:
        return function.of_batches(captured)

    return called(source, call, calls, function, of_batches, sloppy)


def called(
    source: Dataset,
    call: Callable[..., Element],
    calls: int,
    timed: Timed,
    of_batches: Callable[[], Any] | None = None,
    sloppy: bool = False,
) -> Dataset:
    """What `call` makes of each element, by several threads if `calls` is above 1 or -1 (as many as suit).

    Raises:
        InvalidArgumentError: if `calls` is 0 or below -1.
    """
    if calls == -1:
        calls = _AUTOTUNED_CALLS
    if calls < 1:
        raise invalid("num_parallel_calls must be greater than zero.")
    if calls == 1:
        return Mapped(source, call, of_batches)
    return ParallelMapped(source, call, calls, timed, of_batches, sloppy)
