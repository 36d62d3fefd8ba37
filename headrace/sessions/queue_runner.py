"""Threads that keep queues filled."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core import errors, spans
from headrace.core.collections import GraphKeys
from headrace.core.defaults import add_to_collection, get_collection, get_default_graph, get_default_session
from headrace.core.eager import executing_eagerly
from headrace.core.framework_ops import prepend_name_scope, register_proto_function, strip_name_scope
from headrace.messages.protos import QueueRunnerDef
from headrace.runtime.session_interface import SessionInterface
from headrace.sessions.coordinator import Coordinator
from headrace.util import tf_logging as logging

if TYPE_CHECKING:
    from headrace.core.operation import Operation
    from headrace.core.tensor import Tensor
    from headrace.core.typing import SessionLike


_SHORT_SWITCH_INTERVAL = 0.0005
_interval_lock = threading.Lock()
_running = 0
_default_switch_interval = 0.0


@contextlib.contextmanager
def _short_switch_interval() -> Iterator[None]:
    """A context in which Python's threads take shorter turns.

    A thread that computes keeps the interpreter for a whole turn while others want it. At Python's own 5 ms a training
    loop would wait that long for a producer at every operation that lets go of the interpreter.
    """
    global _running, _default_switch_interval
    with _interval_lock:
        if not _running:
            _default_switch_interval = sys.getswitchinterval()
            sys.setswitchinterval(min(_default_switch_interval, _SHORT_SWITCH_INTERVAL))
        _running += 1
    try:
        yield
    finally:
        with _interval_lock:
            _running -= 1
            if not _running:
                sys.setswitchinterval(_default_switch_interval)


class QueueRunner:
    """Runs operations that put elements into a queue, each in a thread of its own.

    When an operation finds its own source at an end, its thread ends; the last one closes the queue.

    Args:
        queue: the queue.
        enqueue_ops: the operations; one that is there several times has several threads.
        close_op: closes the queue, leaving what is on its way; `queue.close()` by default.
        cancel_op: closes the queue and ends waits; run when the coordinator stops.
        queue_closed_exception_types: a tuple of error types that mean the source's end.
        queue_runner_def: a `QueueRunnerDef` to restore, instead of the others.
        import_scope: a name scope under which its names are looked up.

    Raises:
        ValueError: if the queue or operations are missing, or given besides `queue_runner_def`.
        TypeError: if the exception types are not a tuple of `tf.errors`.

    Example:
        >>> queue = tf.FIFOQueue(100, tf.float32, shapes=[()])
        >>> runner = tf.train.QueueRunner(queue, [queue.enqueue(2.0)] * 4)
        >>> first, coord = queue.dequeue(), tf.train.Coordinator()
        >>> threads = runner.create_threads(sess, coord=coord, start=True)
        >>> sess.run(first)
        2.0
        >>> coord.request_stop()
        >>> coord.join(threads)
    """

    def __init__(
        self,
        queue: Any = None,
        enqueue_ops: Sequence[Any] | None = None,
        close_op: Operation | None = None,
        cancel_op: Operation | None = None,
        queue_closed_exception_types: tuple[type[BaseException], ...] | None = None,
        queue_runner_def: Any = None,
        import_scope: str | None = None,
    ) -> None:
        if executing_eagerly():
            raise RuntimeError(
                "QueueRunners are not supported when eager execution is enabled. Instead, please use tf.data to get data into "
                "your model."
            )
        if queue_runner_def is not None:
            if queue or enqueue_ops:
                raise ValueError("queue_runner_def and queue are mutually exclusive.")
            self._restore(queue_runner_def, import_scope)
        else:
            if not queue or not enqueue_ops:
                raise ValueError("Must provide queue and enqueue_ops.")
            if queue_closed_exception_types is not None and not (
                isinstance(queue_closed_exception_types, tuple)
                and queue_closed_exception_types
                and all(issubclass(kind, errors.OpError) for kind in queue_closed_exception_types)
            ):
                raise TypeError(
                    "queue_closed_exception_types, when provided, must be a tuple of tf.error types, but saw: "
                    f"{queue_closed_exception_types}"
                )
            self._queue = queue
            self._enqueue_ops = enqueue_ops
            self._close_op = queue.close() if close_op is None else close_op
            self._cancel_op = queue.close(cancel_pending_enqueues=True) if cancel_op is None else cancel_op
            self._closed_types = queue_closed_exception_types or (errors.OutOfRangeError,)
        self._lock = threading.Lock()
        self._runs_per_session: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()
        self._exceptions_raised: list[Exception] = []

    def _restore(self, message: Any, import_scope: str | None) -> None:
        graph = get_default_graph()

        def element(name: str) -> Operation:
            return graph.as_graph_element(prepend_name_scope(name, import_scope))

        self._queue = element(message.queue_name)
        self._enqueue_ops = [element(name) for name in message.enqueue_op_name]
        self._close_op = element(message.close_op_name)
        self._cancel_op = element(message.cancel_op_name)
        codes = message.queue_closed_exception_types
        self._closed_types = tuple(errors.exception_type_from_error_code(code) for code in codes) or (
            errors.OutOfRangeError,
        )

    @property
    def queue(self) -> Any:
        """The queue."""
        return self._queue

    @property
    def enqueue_ops(self) -> Sequence[Any]:
        """The operations that fill it."""
        return self._enqueue_ops

    @property
    def close_op(self) -> Any:
        """The operation that closes it."""
        return self._close_op

    @property
    def cancel_op(self) -> Any:
        """The operation that closes it and ends waits."""
        return self._cancel_op

    @property
    def queue_closed_exception_types(self) -> tuple[type[BaseException], ...]:
        """The types of errors that mean the source's end."""
        return self._closed_types

    @property
    def exceptions_raised(self) -> list[Exception]:
        """What threads without a coordinator have raised, other than ends of their sources."""
        return self._exceptions_raised

    @property
    def name(self) -> str:
        """The queue's name."""
        return self._queue.name

    def _step_of(self, sess: Any, enqueue_op: Operation | Tensor) -> Callable[[], Any]:
        """What puts one element in."""
        return sess.make_callable(enqueue_op)

    def _run(self, sess: SessionInterface, enqueue_op: Operation | Tensor, coord: Coordinator | None = None) -> None:
        """What a thread does: runs the operation until it ends, fails or is asked to stop."""
        counted = True
        try:
            enqueue = self._step_of(sess, enqueue_op)
            try:
                with _short_switch_interval():
                    if coord is None:
                        while True:
                            enqueue()
                    while not coord.should_stop():
                        start_time = time.perf_counter()
                        enqueue()
                        if spans.is_recording():
                            spans.record(_name_of(enqueue_op), start_time)
            except self._closed_types:
                with self._lock:
                    self._runs_per_session[sess] -= 1
                    counted = False
                    last = self._runs_per_session[sess] == 0
                if last:
                    _run_quietly(sess, self._close_op)
        except Exception as error:
            if coord is None:
                logging.error("Exception in QueueRunner: %s", error)
                with self._lock:
                    self._exceptions_raised.append(error)
                raise
            coord.request_stop(error)
        finally:
            if counted:
                with self._lock:
                    self._runs_per_session[sess] -= 1

    def _close_on_stop(self, sess: SessionLike, cancel_op: Operation, coord: Coordinator) -> None:
        coord.wait_for_stop()
        _run_quietly(sess, cancel_op)

    def create_threads(
        self, sess: SessionLike, coord: Coordinator | None = None, daemon: bool = False, start: bool = False
    ) -> list[threading.Thread]:
        """Makes the threads, one an operation, and with a coordinator one more that closes the queue when it stops.

        Args:
            sess: the session to run in.
            coord: a coordinator, which gets the threads' exceptions and their registration.
            daemon: whether the threads do not keep the program alive.
            start: whether to start them.

        Returns:
            the threads; none if threads of this runner already run in the session.
        """
        with self._lock:
            if self._runs_per_session.get(sess, 0) > 0:
                return []
            self._runs_per_session[sess] = len(self._enqueue_ops)
            self._exceptions_raised = []
        threads = [
            threading.Thread(target=self._run, args=(sess, op, coord), name=f"QueueRunnerThread-{self.name}-{op.name}")
            for op in self._enqueue_ops
        ]
        if coord is not None:
            closing = f"QueueRunnerThread-{self.name}-close_on_stop"
            threads.append(
                threading.Thread(target=self._close_on_stop, args=(sess, self._cancel_op, coord), name=closing)
            )
        for thread in threads:
            if coord is not None:
                coord.register_thread(thread)
            if daemon:
                thread.daemon = True
            if start:
                thread.start()
        return threads

    def to_proto(self, export_scope: str | None = None) -> Any:
        """The runner as a `QueueRunnerDef`; None if its queue is not in `export_scope`."""
        if export_scope is not None and not self.name.startswith(export_scope):
            return None
        return QueueRunnerDef(
            queue_name=strip_name_scope(self.name, export_scope),
            enqueue_op_name=[strip_name_scope(op.name, export_scope) for op in self._enqueue_ops],
            close_op_name=strip_name_scope(self._close_op.name, export_scope),
            cancel_op_name=strip_name_scope(self._cancel_op.name, export_scope),
            queue_closed_exception_types=[errors.error_code_from_exception_type(kind) for kind in self._closed_types],
        )

    @staticmethod
    def from_proto(queue_runner_def: Any, import_scope: str | None = None) -> QueueRunner:
        """The runner that `to_proto` described, in the default graph."""
        return QueueRunner(queue_runner_def=queue_runner_def, import_scope=import_scope)


def _name_of(fetch: Any) -> str:
    return str(getattr(fetch, "name", fetch))


def _run_quietly(sess: SessionLike, op: Operation) -> None:
    """Runs an operation that closes a queue: it may be closed already, and so may the session."""
    try:
        sess.run(op)
    except Exception as error:  # noqa: BLE001 (whatever it is, the queue is past use)
        logging.vlog(1, "Ignored exception: %s", error)


def add_queue_runner(qr: QueueRunner, collection: str = GraphKeys.QUEUE_RUNNERS) -> None:
    """Adds a runner to those that `start_queue_runners` starts.

    Args:
        qr: the runner.
        collection: the collection to add it to.
    """
    add_to_collection(collection, qr)


def start_queue_runners(
    sess: str | SessionInterface | None = None,
    coord: Coordinator | None = None,
    daemon: bool = True,
    start: bool = True,
    collection: str = GraphKeys.QUEUE_RUNNERS,
) -> list[threading.Thread]:
    """Makes and starts the threads of all runners of the graph.

    Args:
        sess: the session to run in, the default one by default.
        coord: a coordinator for them.
        daemon: whether the threads do not keep the program alive.
        start: whether to start them.
        collection: the collection of runners.

    Returns:
        the threads.

    Raises:
        ValueError: if there is no session.
        TypeError: if `sess` is not one.
        RuntimeError: while executing eagerly.

    Example:
        >>> coord = tf.train.Coordinator()
        >>> threads = tf.train.start_queue_runners(sess=sess, coord=coord)
        >>> # run steps
        >>> coord.request_stop()
        >>> coord.join(threads)
    """
    if executing_eagerly():
        raise RuntimeError("tf.train.start_queue_runners: there are no queues while executing eagerly; use tf.data.")
    if sess is None:
        sess = get_default_session()
        if sess is None:
            raise ValueError(
                "Cannot start queue runners: No default session is registered. Use `with sess.as_default()` or pass an "
                "explicit session to tf.start_queue_runners(sess=sess)"
            )
    if not isinstance(sess, SessionInterface):
        if type(sess).__name__ in ("MonitoredSession", "SingularMonitoredSession"):
            # They start the runners themselves.
            return []
        raise TypeError(f"sess must be a `tf.Session` object. Given class: {type(sess)}")
    with sess.graph.as_default():
        runners = get_collection(collection)
        if not runners:
            logging.warning(
                "`tf.train.start_queue_runners()` was called when no queue runners were defined. You can safely remove the "
                "call to this deprecated function."
            )
        return [
            thread
            for runner in runners
            for thread in runner.create_threads(sess, coord=coord, daemon=daemon, start=start)
        ]


register_proto_function(
    GraphKeys.QUEUE_RUNNERS,
    proto_type=QueueRunnerDef,
    to_proto=QueueRunner.to_proto,
    from_proto=QueueRunner.from_proto,
)
