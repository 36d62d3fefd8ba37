"""The writers of `tf.contrib.summary`, which of them is in use, and whether summaries are recorded."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from headrace.core.defaults import (
    add_to_collection,
    control_dependencies,
    device,
    get_collection,
    get_default_session,
)
from headrace.core.eager import executing_eagerly
from headrace.core.graph import Graph
from headrace.core.operation import Operation, Tensor
from headrace.core.registry import raw
from headrace.train.steps import get_or_create_global_step

_INITIALIZERS = "_SUMMARY_WRITER_V2"


class _State(threading.local):
    writer: Any = None
    recording: Any = None


_state = _State()


def current_writer() -> Any:
    """The writer in use in this thread, or None."""
    return _state.writer


class SummaryWriter:
    """A writer of event files in a graph.

    Args:
        shared_name: the name of what it stands for; writers of one name write to one file.
        make: makes the operation that opens the file, given the handle.
        name: a name for the handle's operation.
    """

    def __init__(self, shared_name: str, make: Callable[[Tensor], Operation], name: str | None = None) -> None:
        self._resource = raw.SummaryWriter(shared_name=shared_name, name=name)
        self._make = make
        self._init_op = make(self._resource)
        if not executing_eagerly():
            add_to_collection(_INITIALIZERS, self._init_op)

    def set_as_default(self) -> None:
        """Makes this the writer of all summaries that follow in this thread."""
        _state.writer = self

    @contextmanager
    def as_default(self) -> Iterator[SummaryWriter]:
        """Makes this the writer of the summaries in the block."""
        before, _state.writer = _state.writer, self
        try:
            yield self
            # Written when the block is left, eagerly; in a graph this adds the operation that 1.15 adds too.
            self.flush()
        finally:
            _state.writer = before

    def init(self) -> Operation:
        """An operation that opens the file."""
        return self._make(self._resource)

    def flush(self) -> Operation:
        """An operation that hands all events to the system."""
        return raw.FlushSummaryWriter(self._resource)

    def close(self) -> Operation:
        """An operation that closes the file."""
        with control_dependencies([self.flush()]), device("cpu:0"):
            return raw.CloseSummaryWriter(self._resource)


class NoopSummaryWriter:
    """A writer that writes nothing."""

    def set_as_default(self) -> None:
        """Nothing."""

    @contextmanager
    def as_default(self) -> Iterator[None]:
        """Nothing."""
        yield

    def init(self) -> None:
        """Nothing."""

    def flush(self) -> None:
        """Nothing."""

    def close(self) -> None:
        """Nothing."""


def create_file_writer(
    logdir: Any,
    max_queue: Any = None,
    flush_millis: Any = None,
    filename_suffix: Any = None,
    name: str | None = None,
) -> Any:
    """A writer of an event file.

    Args:
        logdir: the directory; None for a writer that writes nothing.
        max_queue: how many events may wait; 10 by default.
        flush_millis: how long they may wait; two minutes by default.
        filename_suffix: put behind the file's name; ".v2" by default.
        name: the name under which writers share a file; made of `logdir` by default.

    Returns:
        a `SummaryWriter`.

    Example:
        >>> writer = tf.contrib.summary.create_file_writer("/tmp/logs")
        >>> with writer.as_default(), tf.contrib.summary.always_record_summaries():
        ...     tf.contrib.summary.scalar("loss", loss)
    """
    if logdir is None:
        return NoopSummaryWriter()
    logdir = str(logdir)

    def make(writer: Tensor) -> Operation:
        return raw.CreateSummaryFileWriter(
            writer,
            logdir,
            10 if max_queue is None else max_queue,
            120_000 if flush_millis is None else flush_millis,
            ".v2" if filename_suffix is None else filename_suffix,
        )

    with device("cpu:0"):
        return SummaryWriter(f"logdir:{logdir}" if name is None else name, make)


def create_db_writer(
    db_uri: Any,
    experiment_name: Any = None,
    run_name: Any = None,
    user_name: Any = None,
    name: str | None = None,
) -> Any:
    """Not here: a writer to a SQLite database, which TensorBoard stopped reading with 2.0.

    Raises:
        NotImplementedError: always.
    """
    raise NotImplementedError(
        f"tf.contrib.summary.create_db_writer({db_uri!r}) (op CreateSummaryDbWriter): TensorBoard no longer reads "
        "databases; use tf.contrib.summary.create_file_writer."
    )


def create_summary_file_writer(*args: Any, **kwargs: Any) -> Any:
    """The older name of `create_file_writer`."""
    return create_file_writer(*args, **kwargs)


def summary_writer_initializer_op() -> list[Operation]:
    """The operations that open the files of the default graph's writers."""
    return get_collection(_INITIALIZERS)


def initialize(graph: Any = None, session: Any = None) -> None:
    """Opens the files of the writers, and writes a graph to that in use.

    Args:
        graph: a `Graph` or `GraphDef` to write.
        session: the session; the default one if None.

    Raises:
        RuntimeError: if no writer is in use; ValueError: if there is no session.
    """
    from headrace.contrib.summary.functions import write_graph
    from headrace.core.dtypes import string
    from headrace.ops.array.constant import placeholder

    if executing_eagerly():
        # Writers open their files when they are made.
        return
    if _state.writer is None:
        raise RuntimeError("No default tf.contrib.summary.SummaryWriter found")
    session = get_default_session() if session is None else session
    if session is None:
        raise ValueError("session must be passed if no default session exists")
    session.run(summary_writer_initializer_op())
    if graph is not None:
        shown = graph.as_graph_def(add_shapes=True) if isinstance(graph, Graph) else graph
        fed = placeholder(string)
        session.run(write_graph(fed, 0), feed_dict={fed: shown.SerializeToString()})


def flush(writer: Any = None, name: str | None = None) -> Operation | None:
    """An operation that hands the events of a writer to the system, of that in use by default."""
    writer = _state.writer if writer is None else writer
    if writer is None or isinstance(writer, NoopSummaryWriter):
        return raw.NoOp()
    handle = writer._resource if isinstance(writer, SummaryWriter) else writer
    with device("cpu:0"):
        return raw.FlushSummaryWriter(handle, name=name)


def recording() -> Any:
    """Whether summaries are recorded: a bool, or a bool tensor."""
    value = _state.recording() if callable(_state.recording) else _state.recording
    return False if value is None else value


def should_record_summaries() -> Tensor:
    """Whether summaries are recorded, as a bool tensor."""
    return raw.LogicalAnd(True, recording())


@contextmanager
def record_if(condition: Any) -> Iterator[None]:
    """Records the summaries in the block only if a condition, a bool or bool tensor or what returns one, is true."""
    before, _state.recording = _state.recording, condition
    try:
        yield
    finally:
        _state.recording = before


def record_summaries_every_n_global_steps(n: int, global_step: Any = None) -> AbstractContextManager[None]:
    """Records the summaries in the block when the global step is a multiple of `n`.

    Args:
        n: every how many steps.
        global_step: the step; that of the graph by default.
    """
    step = get_or_create_global_step() if global_step is None else global_step
    with device("cpu:0"):
        return record_if(raw.Equal(step % n, 0))


def always_record_summaries() -> AbstractContextManager[None]:
    """Records the summaries in the block."""
    return record_if(True)


def never_record_summaries() -> AbstractContextManager[None]:
    """Does not record the summaries in the block."""
    return record_if(False)


def eval_dir(model_dir: str, name: str | None = None) -> str:
    """The directory for the events of an evaluation, beside those of training."""
    return os.path.join(model_dir, "eval" if not name else f"eval_{name}")
