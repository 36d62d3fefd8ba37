"""The queues of a session: what is in them, and the attempts to put in and take out that cannot succeed yet."""

from __future__ import annotations

import heapq
import itertools
import random
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from headrace.core.dims import Dims
from headrace.core.dtypes import DType
from headrace.core.errors import CancelledError, OutOfRangeError
from headrace.core.waiting import Attempt, Waitable
from headrace.kernels.queues.elements import Element, batch_of, padded, stacked, values_of

_UNBOUNDED = 2**31 - 1


class Queue(Waitable):
    """A bounded store of elements; the classes below say in which order they leave it.

    Args:
        name: what errors call it.
        dtypes: the types of the components.
        shapes: their shapes, () where none were given.
        capacity: how many elements fit, negative for any number.
    """

    kind = "FIFOQueue"
    join: Callable[[Sequence[Any]], Any] = staticmethod(stacked)
    reserve = 0
    # Whether several elements are taken together only, for those taken one by one would be in another order.
    takes_together = False

    def __init__(self, name: str, dtypes: Sequence[DType], shapes: Sequence[Dims], capacity: int) -> None:
        super().__init__(2)
        self.name = name
        self.dtypes = list(dtypes)
        self.shapes = list(shapes)
        self.capacity = _UNBOUNDED if capacity < 0 else capacity
        self.closed = False
        self.items: Any = self._storage()
        self.putting, self.taking = self.lanes

    # ---- order ----

    def _storage(self) -> list[Any] | deque[Any]:
        return deque()

    def add(self, element: Element) -> None:
        """Puts an element in, under the lock."""
        self.items.append(element)

    def remove(self, count: int) -> list[Element]:
        """Takes out the next `count` elements, under the lock."""
        take = self.items.popleft
        return [take() for _ in range(count)]

    def put_back(self, elements: list[Element]) -> None:
        """Takes back elements that were removed and not used."""
        self.items.extendleft(reversed(elements))

    # ---- what can be done now ----

    def available(self) -> int:
        """How many elements may be taken."""
        return len(self.items) - (0 if self.closed else self.reserve)

    def size(self) -> int:
        """How many elements are in it."""
        return len(self.items)

    def exhausted(self, requested: int) -> OutOfRangeError:
        """The error of taking more than a closed queue has."""
        return OutOfRangeError(
            None,
            None,
            f"{self.kind} '{self.name}' is closed and has insufficient elements (requested {requested}, current size "
            f"{len(self.items)})",
        )

    def is_closed_error(self) -> CancelledError:
        """The error of putting into a closed queue."""
        return CancelledError(None, None, f"{self.kind} '{self.name}' is closed.")

    def put_now(self, element: Element) -> bool:
        """Puts an element in if that needs no waiting; whether it did.

        Raises:
            CancelledError: if the queue is closed.
        """
        with self.lock:
            if self.putting:
                return False
            if self.closed:
                raise self.is_closed_error()
            if len(self.items) >= self.capacity:
                return False
            self.add(element)
            if self.taking:
                self.advance_attempts()
        return True

    def take_now(self, count: int) -> list[Element] | None:
        """The next `count` elements if they are there; None if that needs waiting."""
        with self.lock:
            if self.taking or self.available() < count:
                return None
            elements = self.remove(count)
            if self.putting:
                self.advance_attempts()
        return elements

    def close_and_cancel(self) -> None:
        """Closes the queue; those that wait to put something in give up."""
        with self.lock:
            self.closed = True
            waiting = [attempt for attempt in self.putting if not attempt.done]
            self.putting.clear()
            for attempt in waiting:
                attempt.fail(CancelledError(None, None, attempt.cancelled))
            self.advance_attempts()

    def batch(self, elements: list[Element]) -> tuple[Any, ...]:
        """Elements as one batch a component."""
        return batch_of(elements, self.dtypes, self.shapes or [None] * len(self.dtypes), self.join)


class PaddingQueue(Queue):
    """First in, first out; elements of different sizes fill up to a batch."""

    kind = "PaddingFIFOQueue"
    join = staticmethod(padded)


class PriorityQueue(Queue):
    """The least first component first; among equals any."""

    kind = "PriorityQueue"
    takes_together = True

    def _storage(self) -> list[Any] | deque[Any]:
        self._numbers = itertools.count()
        return []

    def add(self, element: Element) -> None:
        element = values_of(element)
        heapq.heappush(self.items, (int(element[0]), next(self._numbers), element))

    def remove(self, count: int) -> list[Element]:
        return [heapq.heappop(self.items)[2] for _ in range(count)]

    def put_back(self, elements: list[Element]) -> None:
        for element in elements:
            self.add(element)


class ShuffleQueue(Queue):
    """Elements in random order, never fewer than `reserve` left to choose from while it is open.

    Args:
        reserve: how many must stay.
        words: the random numbers of a seeded queue, 32 bits each; None for others.
    """

    kind = "RandomShuffleQueue"

    def __init__(
        self,
        name: str,
        dtypes: Sequence[DType],
        shapes: Sequence[Dims],
        capacity: int,
        reserve: int,
        seeds: tuple[int, int],
        words: Iterator[int] | None,
    ) -> None:
        super().__init__(name, dtypes, shapes, capacity)
        self.reserve = reserve
        self.seeds = seeds
        self._words = words

    def _storage(self) -> list[Any]:
        return []

    def remove(self, count: int) -> list[Element]:
        items, words = self.items, self._words
        taken = []
        for _ in range(count):
            size = len(items)
            index = int(random.random() * size) if words is None else next(words) % size
            last = items.pop()
            if index < size - 1:
                last, items[index] = items[index], last
            taken.append(last)
        return taken

    def put_back(self, elements: list[Element]) -> None:
        self.items.extend(elements)


class Put(Attempt):
    """Elements on their way in."""

    __slots__ = ("elements", "placed")

    cancelled = "Enqueue operation was cancelled"
    state: Queue

    def __init__(self, queue: Queue, elements: Sequence[Element]) -> None:
        super().__init__(queue, queue.putting)
        self.elements = elements
        self.placed = 0

    def advance(self) -> bool:
        queue = self.state
        # Putting nothing in needs no open queue.
        if queue.closed and self.elements:
            self.fail(queue.is_closed_error())
            return True
        room = min(queue.capacity - len(queue.items), len(self.elements) - self.placed)
        if room > 0:
            for element in self.elements[self.placed : self.placed + room]:
                queue.add(element)
            self.placed += room
        if self.placed == len(self.elements):
            self.finish(())
        return room > 0


class Take(Attempt):
    """Elements on their way out, gathered as they come.

    Args:
        queue: where from.
        count: how many.
        partial: whether fewer will do when the queue is closed.
        deliver: from the elements to the result.
    """

    __slots__ = ("count", "deliver", "partial", "taken")

    cancelled = "Dequeue operation was cancelled"
    state: Queue

    def __init__(self, queue: Queue, count: int, partial: bool, deliver: Callable[[list[Element]], Any]) -> None:
        super().__init__(queue, queue.taking)
        self.count = count
        self.partial = partial
        self.deliver = deliver
        self.taken: list[Element] = []

    def advance(self) -> bool:
        queue = self.state
        remaining = self.count - len(self.taken)
        if queue.closed and len(queue.items) < remaining:
            if self.partial and not queue.takes_together and (self.taken or queue.items):
                self.taken += queue.remove(len(queue.items))
                self.finish(self.taken)
            else:
                error = queue.exhausted(remaining)
                self.undo()
                self.fail(error)
            return True
        count = min(queue.available(), remaining)
        if queue.takes_together and count < remaining:
            return False
        if count > 0:
            self.taken += queue.remove(count)
        if len(self.taken) == self.count:
            self.finish(self.taken)
        return count > 0

    def undo(self) -> None:
        if self.taken:
            self.state.put_back(self.taken)
            self.taken = []

    def value(self) -> Any:
        return self.deliver(super().value())


def take_first(queue: Queue) -> Take:
    """What waits for the values of the next element."""
    return Take(queue, 1, False, lambda elements: values_of(elements[0]))


def first_values(queue: Queue, wait: Callable[[Attempt], Any]) -> Element:
    """The values of the next element, which is waited for with `wait`."""
    elements = queue.take_now(1)
    values: Element = wait(queue.submit(take_first(queue))) if elements is None else values_of(elements[0])
    return values


class Close(Attempt):
    """Closing once all that wait to put something in have done so."""

    __slots__ = ()

    state: Queue

    def __init__(self, queue: Queue) -> None:
        super().__init__(queue, queue.putting)

    def advance(self) -> bool:
        queue = self.state
        if queue.closed:
            self.fail(CancelledError(None, None, f"Queue '{queue.name}' is already closed."))
        else:
            queue.closed = True
            self.finish()
        return True
