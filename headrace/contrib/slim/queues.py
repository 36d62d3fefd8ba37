"""Queue runners that run for a block of a program."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from headrace.core.collections import GraphKeys
from headrace.core.defaults import get_collection
from headrace.sessions.coordinator import Coordinator

if TYPE_CHECKING:
    from headrace.runtime.session import Session


_running = threading.Lock()


class NestedQueueRunnerError(Exception):
    """Queue runners are running already."""


@contextmanager
def QueueRunners(session: Session) -> Iterator[None]:
    """A block in which the queue runners of the graph run.

    Args:
        session: the session they run in.

    Raises:
        NestedQueueRunnerError: inside another such block.

    Example:
        >>> batch = tf.train.batch([image], batch_size=2)
        >>> with slim.queues.QueueRunners(sess):
        ...     images = sess.run(batch)
        >>> images.shape
        (2, 8, 8, 3)
    """
    if not _running.acquire(blocking=False):
        raise NestedQueueRunnerError("QueueRunners cannot be nested")
    try:
        coord = Coordinator()
        threads = []
        for runner in get_collection(GraphKeys.QUEUE_RUNNERS):
            threads.extend(runner.create_threads(session, coord=coord, daemon=True, start=True))
        try:
            yield
        finally:
            coord.request_stop()
            try:
                coord.join(threads, stop_grace_period_secs=120)
            except RuntimeError:
                # Threads that do not end by themselves end with the session.
                session.close()
    finally:
        _running.release()
