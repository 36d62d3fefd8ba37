"""Data that comes batch by batch: sequences, and what makes their batches ahead of time."""

from __future__ import annotations

import queue
import random
import threading
from abc import abstractmethod
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Future
from typing import Any, Generic, Protocol, TypeVar

from headrace.keras.utils.worker_pool import WorkerPool

Batch = TypeVar("Batch")


class Sequence:
    """Batches that can be asked for by number, so that several workers may make them and each comes once an epoch.

    A subclass defines `__getitem__`, which gives a batch, and `__len__`, how many there are. `on_epoch_end` may change
    what the next epoch gets.

    Example:
        >>> class Pictures(tf.keras.utils.Sequence):
        ...     def __init__(self, paths, labels):
        ...         self.paths, self.labels = paths, labels
        ...     def __len__(self):
        ...         return len(self.paths) // 32
        ...     def __getitem__(self, i):
        ...         rows = slice(32 * i, 32 * i + 32)
        ...         return np.array([read(path) for path in self.paths[rows]]), self.labels[rows]
    """

    @abstractmethod
    def __getitem__(self, index: int) -> Any:
        """The batch of this number."""
        raise NotImplementedError(f"{type(self).__name__} has to define __getitem__.")

    @abstractmethod
    def __len__(self) -> int:
        """How many batches there are."""
        raise NotImplementedError(f"{type(self).__name__} has to define __len__.")

    def on_epoch_end(self) -> None:
        """Called after each epoch."""

    def __iter__(self) -> Iterator[Any]:
        """The batches of one epoch."""
        for i in range(len(self)):
            yield self[i]


class _Sized(Protocol):
    def __len__(self) -> int: ...

    def __getitem__(self, index: int, /) -> Any: ...

    def on_epoch_end(self) -> None: ...


def iter_sequence_infinite(seq: Any) -> Iterator[Any]:
    """The batches of a sequence, from the beginning again after the last one."""
    while True:
        yield from seq


def is_generator_or_sequence(x: object) -> bool:
    """Whether something is an iterator, a generator or a `Sequence`, and no array, tensor or structure of them."""
    if isinstance(x, (list, tuple, dict, str, bytes)) or hasattr(x, "shape"):
        return False
    return isinstance(x, Sequence) or (hasattr(x, "__next__") and hasattr(x, "__iter__"))


class _End:
    """What ends a queue."""


_END = _End()


class SequenceEnqueuer(Generic[Batch]):
    """Makes batches ahead of time, in other threads or processes.

    Args:
        sequence: where they come from.
        use_multiprocessing: whether processes make them.

    Example:
        >>> class Pictures(tf.keras.utils.Sequence):
        ...     def __len__(self):
        ...         return 3
        ...     def __getitem__(self, i):
        ...         return np.full([2, 8], i)
        >>> enqueuer = tf.keras.utils.OrderedEnqueuer(Pictures())
        >>> enqueuer.start(workers=2, max_queue_size=10)
        >>> next(enqueuer.get()).shape
        (2, 8)
        >>> enqueuer.stop()
    """

    def __init__(self, sequence: Any, use_multiprocessing: bool = False) -> None:
        self.sequence = sequence
        self.use_multiprocessing = use_multiprocessing
        self.workers = 0
        self.queue: queue.Queue[Future[Any] | _End] = queue.Queue()
        self.run_thread: threading.Thread | None = None
        self.stop_signal: threading.Event | None = None
        self._pool: WorkerPool | None = None

    def is_running(self) -> bool:
        """Whether batches are made."""
        return self.stop_signal is not None and not self.stop_signal.is_set()

    def start(self, workers: int = 1, max_queue_size: int = 10) -> None:
        """Begins to make batches.

        Args:
            workers: how many threads or processes make them.
            max_queue_size: how many are made ahead of time at most.
        """
        self.workers = max(1, workers)
        self.queue = queue.Queue(max_queue_size)
        self.stop_signal = threading.Event()
        self.run_thread = threading.Thread(target=self._run_to_end, name="batches", daemon=True)
        self.run_thread.start()

    def stop(self, timeout: float | None = None) -> None:
        """Ends the workers; batches that are waiting are dropped.

        Args:
            timeout: how many seconds to wait for it at most.
        """
        if self.stop_signal is None:
            return
        self.stop_signal.set()
        with self.queue.mutex:
            self.queue.queue.clear()
            self.queue.unfinished_tasks = 0
            self.queue.not_full.notify_all()
            self.queue.all_tasks_done.notify_all()
        if self._pool is not None:
            self._pool.close()
        if self.run_thread is not None and self.run_thread is not threading.current_thread():
            self.run_thread.join(timeout)

    def get(self) -> Iterator[Batch]:
        """The batches, one by one."""
        raise NotImplementedError(f"{type(self).__name__} has to define get.")

    def _run(self) -> None:
        """Hands out the work, until `stop_signal` is set."""
        raise NotImplementedError(f"{type(self).__name__} has to define _run.")

    def _run_to_end(self) -> None:
        try:
            self._run()
        except Exception as error:  # noqa: BLE001 -- whatever the program's sequence raises is raised where batches are taken
            failed: Future[Any] = Future()
            failed.set_exception(error)
            self._put_at_once(failed)
        finally:
            self._put_at_once(_END)

    def _put_at_once(self, item: Future[Any] | _End) -> None:
        # However full it is: nobody may be there any more who makes room.
        with self.queue.mutex:
            self.queue.queue.append(item)
            self.queue.unfinished_tasks += 1
            self.queue.not_empty.notify()

    def _stopped(self) -> bool:
        return not self.is_running()

    def _new_pool(self, function: Callable[..., Any], seed: int | None = None) -> WorkerPool:
        if self._pool is not None:
            self._pool.close()
        self._pool = WorkerPool(self.workers, function, processes=self.use_multiprocessing, seed=seed)
        if self._stopped():
            self._pool.close()
        return self._pool

    def _futures(self) -> Iterator[Future[Any]]:
        """What waits in the queue, until it ends."""
        while not isinstance(item := self.queue.get(), _End):
            # One may have been put after `stop` has emptied the queue.
            if self._stopped():
                return
            yield item
            with self.queue.all_tasks_done:
                self.queue.unfinished_tasks = max(0, self.queue.unfinished_tasks - 1)
                self.queue.all_tasks_done.notify_all()


class OrderedEnqueuer(SequenceEnqueuer[Batch]):
    """Makes the batches of a `Sequence` ahead of time, epoch after epoch, and gives them in their order.

    Args:
        sequence: a `Sequence`.
        use_multiprocessing: whether processes make them.
        shuffle: whether each epoch has an order of its own.
    """

    def __init__(self, sequence: _Sized, use_multiprocessing: bool = False, shuffle: bool = False) -> None:
        super().__init__(sequence, use_multiprocessing)
        self.shuffle = shuffle

    def _run(self) -> None:
        order = list(range(len(self.sequence)))
        pool = None
        while not self._stopped():
            if self.shuffle:
                random.shuffle(order)
            # Processes have a copy of the sequence, which is no longer as it is after an epoch.
            if pool is None or self.use_multiprocessing:
                pool = self._new_pool(self.sequence.__getitem__)
            for index in order:
                if self._stopped():
                    return
                self.queue.put(pool.submit(index))
            self._wait_queue()
            if self._stopped():
                return
            self.sequence.on_epoch_end()

    def _wait_queue(self) -> None:
        """Waits until all batches have been taken."""
        with self.queue.all_tasks_done:
            while self.queue.unfinished_tasks and not self._stopped():
                self.queue.all_tasks_done.wait()

    def get(self) -> Iterator[Batch]:
        """The batches, without an end.

        Raises:
            Exception: what the sequence has raised, in whichever worker; the workers are stopped first.
        """
        try:
            for future in self._futures():
                batch = future.result()
                if batch is not None:
                    yield batch
        except CancelledError:
            return
        except Exception:
            self.stop()
            raise


class GeneratorEnqueuer(SequenceEnqueuer[Batch]):
    """Takes batches from a generator ahead of time.

    Threads take turns at the generator, which has to allow that where there are several. Processes have a copy each, so
    the same batches come from each of them.

    Args:
        sequence: a generator, or an iterator.
        use_multiprocessing: whether processes make them.
        random_seed: the seed of NumPy's generator in the first process; in the next ones it is one more each.
    """

    def __init__(
        self, sequence: Iterator[Batch], use_multiprocessing: bool = False, random_seed: int | None = None
    ) -> None:
        super().__init__(sequence, use_multiprocessing)
        self.random_seed = random_seed
        self._exhausted = False

    def _run(self) -> None:
        self._exhausted = False
        pool = self._new_pool(self.sequence.__next__, self.random_seed)
        while not (self._exhausted or self._stopped()):
            self.queue.put(pool.submit())

    def get(self) -> Iterator[Batch]:
        """The batches, until the generator ends.

        Raises:
            RuntimeError: if several threads are in a generator that does not allow it.
            Exception: what the generator has raised; the workers are stopped first.
        """
        try:
            for future in self._futures():
                if isinstance(future.exception(), StopIteration):
                    # Others of several workers may have got a batch after this one was asked for.
                    self._exhausted = True
                    continue
                batch = future.result()
                if batch is not None:
                    yield batch
            self.stop()
        except CancelledError:
            return
        except Exception as error:
            self.stop()
            if "generator already executing" in str(error):
                raise RuntimeError(
                    "Your generator is NOT thread-safe. Keras requires a thread-safe generator when "
                    "`use_multiprocessing=False, workers > 1`. "
                ) from error
            raise
