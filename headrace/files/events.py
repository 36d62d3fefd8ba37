"""Event files: TFRecord files of Event messages, as TensorBoard reads them."""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Iterator
from typing import Any

from headrace.core.errors import DataLossError
from headrace.files import file_io
from headrace.files.paths import as_path
from headrace.files.records import TFRecordWriter, tf_record_iterator


class EventFile:
    """An event file being written; it is safe to use from several threads.

    Args:
        logdir: the directory, made if it is missing.
        flush_secs: how many seconds events may wait before they are flushed to the system, which happens when the next
            one comes.
        filename_suffix: put behind the file's name.
        max_queue: how many events may wait.
        stem: the beginning of the file's name.

    Attributes:
        path: where the file is.
    """

    def __init__(
        self,
        logdir: str,
        flush_secs: float = 120,
        filename_suffix: str = "",
        max_queue: int | None = None,
        stem: str = "events",
    ) -> None:
        folder = as_path(logdir)
        if not file_io.is_directory(folder):
            file_io.recursive_create_dir(folder)
        now = time.time()
        start = os.path.join(folder, f"{stem}.out.tfevents.{int(now):010d}.{socket.gethostname()}")
        path, number = start + filename_suffix, 0
        while file_io.file_exists(path):
            # A second writer within the same second must not write over what the first one wrote.
            number += 1
            path = f"{start}.{number}{filename_suffix}"
        self.path = path
        self._flush_secs = flush_secs
        self._max_queue = max_queue
        self._waiting = 0
        self._lock = threading.Lock()
        self._writer = TFRecordWriter(path)
        from tensorboard.compat.proto.event_pb2 import Event

        self._writer.write(Event(wall_time=now, file_version="brain.Event:2").SerializeToString())
        self._writer.flush()
        self._flushed = time.monotonic()

    def add(self, event: bytes) -> None:
        """Writes a serialized Event."""
        with self._lock:
            self._writer.write(event)
            self._waiting += 1
            now = time.monotonic()
            due = now - self._flushed >= self._flush_secs
            if due or (self._max_queue is not None and self._waiting > self._max_queue):
                self._writer.flush()
                self._flushed, self._waiting = now, 0

    def flush(self) -> None:
        """Hands all events to the system."""
        with self._lock:
            self._writer.flush()
            self._flushed, self._waiting = time.monotonic(), 0

    def close(self) -> None:
        """Writes what is left and closes the file."""
        with self._lock:
            self._writer.close()


def summary_iterator(path: str) -> Iterator[Any]:
    """The Event messages of an event file.

    Args:
        path: the file's path.

    Raises:
        NotFoundError: if there is none; DataLossError: if it is damaged, naming where.

    Example:
        >>> with tf.summary.FileWriter("logs") as writer:
        ...     writer.add_summary(tf.Summary(value=[tf.Summary.Value(tag="loss", simple_value=0.5)]), 1)
        >>> for event in tf.train.summary_iterator(tf.gfile.Glob("logs/*")[0]):
        ...     for value in event.summary.value:
        ...         print(event.step, value.tag, value.simple_value)
        1 loss 0.5
    """
    from google.protobuf.message import DecodeError
    from tensorboard.compat.proto.event_pb2 import Event

    for number, record in enumerate(tf_record_iterator(path)):
        try:
            yield Event.FromString(record)
        except DecodeError:
            raise DataLossError(None, None, f"record {number} is no Event (file: {path})") from None
