"""Queue runners whose operations are fed."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core import errors
from headrace.sessions.queue_runner import QueueRunner

if TYPE_CHECKING:
    from headrace.core.operation import Operation
    from headrace.core.tensor import Tensor
    from headrace.core.typing import SessionLike
    from headrace.functions.queues.queues import QueueBase
    from headrace.runtime.session_interface import SessionInterface
    from headrace.sessions.coordinator import Coordinator


class FeedingQueueRunner(QueueRunner):
    """A `tf.train.QueueRunner` each of whose operations is fed with what a function gives, anew every time.

    Args:
        queue, enqueue_ops, close_op, cancel_op, queue_closed_exception_types: as for `tf.train.QueueRunner`;
            cancellation ends a source as well.
        feed_fns: for each operation a function without arguments that returns a feed dict, or None.

    Raises:
        ValueError: if there are not as many functions as operations.

    Example:
        >>> queue, value, numbers = tf.FIFOQueue(10, tf.float32), tf.placeholder(tf.float32, []), iter(range(100))
        >>> put = queue.enqueue(value)
        >>> runner = tf.contrib.training.FeedingQueueRunner(queue, [put], feed_fns=[lambda: {value: next(numbers)}])
    """

    def __init__(
        self,
        queue: QueueBase | None = None,
        enqueue_ops: Sequence[Any] | None = None,
        close_op: Any = None,
        cancel_op: Any = None,
        feed_fns: Sequence[Callable[[], Any] | None] | None = None,
        queue_closed_exception_types: Any = None,
    ) -> None:
        types = queue_closed_exception_types or (errors.OutOfRangeError, errors.CancelledError)
        super().__init__(queue, enqueue_ops, close_op, cancel_op, queue_closed_exception_types=types)
        given = enqueue_ops or ()
        if feed_fns is not None and len(feed_fns) != len(given):
            raise ValueError("If feed_fns is not None, it must have the same length as enqueue_ops.")
        self._feed_fns = [None] * len(given) if feed_fns is None else list(feed_fns)
        # For each operation the functions that no thread has taken yet.
        self._waiting: dict[Any, deque[Callable[[], Any] | None]] = defaultdict(deque)

    def create_threads(
        self, sess: SessionLike, coord: Coordinator | None = None, daemon: bool = False, start: bool = False
    ) -> list[Any]:
        """As of `tf.train.QueueRunner`."""
        with self._lock:
            for op, feed_fn in zip(self._enqueue_ops, self._feed_fns, strict=True):
                self._waiting[op].append(feed_fn)
        return super().create_threads(sess, coord, daemon, start)

    def _step_of(self, sess: SessionInterface, enqueue_op: Operation | Tensor) -> Callable[[], Any]:
        with self._lock:
            feed_fn = self._waiting[enqueue_op].popleft()
        if feed_fn is None:
            return super()._step_of(sess, enqueue_op)
        return lambda: sess.run(enqueue_op, feed_dict=feed_fn())

    def to_proto(self, export_scope: str | None = None) -> Any:
        """Refused: functions have no place in a message."""
        raise NotImplementedError("FeedingQueueRunner does not support serialization to proto.")
