"""Writing summaries, graphs and run metadata to event files."""

from __future__ import annotations

import threading
import time
import warnings
from typing import TYPE_CHECKING, Any

from headrace.core.attributes import check_attribute
from headrace.core.defaults import get_default_graph
from headrace.core.dtypes import string
from headrace.core.eager import executing_eagerly
from headrace.core.graph import Graph
from headrace.core.registry import raw
from headrace.files.events import EventFile
from headrace.interop.meta_graph import create_meta_graph_def
from headrace.messages import protos
from headrace.ops.array.constant import placeholder
from headrace.summary.plugin_asset import write_plugin_assets
from headrace.util import tf_logging

if TYPE_CHECKING:
    from collections.abc import Callable

    from headrace.core.typing import IntLike, SessionLike


class EventFileWriter:
    """Writes `Event` messages to an event file in a folder, which is made anew when it is opened again.

    Args:
        logdir: the folder, made where it is missing.
        max_queue: after how many events they are written.
        flush_secs: after how many seconds.
        filename_suffix: what the file's name ends in.
    """

    def __init__(
        self, logdir: str, max_queue: int = 10, flush_secs: float = 120, filename_suffix: str | None = None
    ) -> None:
        # As text, whatever it is, as programs give paths and flags without a value.
        self._logdir = logdir = logdir if isinstance(logdir, (str, bytes)) else str(logdir)
        self._make = lambda: EventFile(logdir, flush_secs, filename_suffix or "", max_queue)
        self._file = self._make()
        self._closed = False

    def get_logdir(self) -> Any:
        """The folder."""
        return self._logdir

    def reopen(self) -> None:
        """Begins another file if this one has been closed."""
        if self._closed:
            self._file = self._make()
            self._closed = False

    def add_event(self, event: protos.Event) -> None:
        """Writes an event; nothing once closed."""
        if not self._closed:
            self._file.add(event.SerializeToString())

    def flush(self) -> None:
        """Brings what was written to the file."""
        self._file.flush()

    def close(self) -> None:
        """Writes what is left and ends the file."""
        self._file.close()
        self._closed = True


class _InSession:
    """Events through the writer ops of a session, which share the file with all summaries written in the graph."""

    def __init__(
        self, session: SessionLike, logdir: Any, max_queue: int, flush_secs: float, filename_suffix: str | None
    ) -> None:
        self._session = session
        graph: Graph = session.graph
        with graph.as_default(), graph.name_scope("filewriter"):
            writer = raw.SummaryWriter(shared_name=f"logdir:{logdir}")
            self._init = raw.CreateSummaryFileWriter(
                writer, logdir, max_queue, flush_secs * 1000, filename_suffix or ""
            )
            self._event = placeholder(string, [])
            self._add = raw.ImportEvent(writer, self._event)
            self._flush = raw.FlushSummaryWriter(writer)
            self._close = raw.CloseSummaryWriter(writer)
        session.run(self._init)

    def reopen(self) -> None:
        self._session.run(self._init)

    def add_event(self, event: protos.Event) -> None:
        self._session.run(self._add, {self._event: event.SerializeToString()})

    def flush(self) -> None:
        self._session.run(self._flush)

    def close(self) -> None:
        self._session.run(self._close)


class FileWriter:
    """Writes summaries and graphs to an event file that TensorBoard reads.

    Events are written in order, without a thread of their own, and flushed to the system when `flush_secs` have passed,
    on `flush` and on `close`.

    Args:
        logdir: the directory of the file.
        graph: a graph to show.
        max_queue: how many events may wait in memory.
        flush_secs: how many seconds events may wait.
        graph_def: a GraphDef to show, as before 1.0.
        filename_suffix: put behind the file's name.
        session: a session through whose writer ops to write, so that the file is shared with `tf.contrib.summary`.

    Raises:
        ValueError: if both a graph and a GraphDef are given.

    Example:
        >>> summary = tf.summary.scalar("loss", loss)
        >>> with tf.summary.FileWriter("logs", tf.get_default_graph()) as writer:
        ...     for step in range(10):
        ...         writer.add_summary(sess.run(summary), step)
    """

    def __init__(
        self,
        logdir: str,
        graph: Graph | None = None,
        max_queue: int = 10,
        flush_secs: float = 120,
        graph_def: protos.GraphDef | None = None,
        filename_suffix: str | None = None,
        session: SessionLike | None = None,
    ) -> None:
        if executing_eagerly():
            raise RuntimeError(
                "tf.summary.FileWriter is not compatible with eager execution. Use tf.contrib.summary instead."
            )
        self._logdir = logdir
        self._closed = False
        self._tags_of_metadata: set[str] = set()
        self._plugins_described: set[tuple[str, str]] = set()
        if session is not None:
            self.event_writer: Any = _InSession(session, logdir, max_queue, flush_secs, filename_suffix)
        else:
            self.event_writer = EventFileWriter(logdir, max_queue, flush_secs, filename_suffix)
        # A GraphDef in the place of the graph is how it was called before 1.0.
        if isinstance(graph, Graph) and graph_def is None:
            # A message of a large graph takes a second: it is made once for both events.
            shown = self._add_graph(graph, None)
            self.add_meta_graph(create_meta_graph_def(graph_def=shown, graph=graph))
        elif graph is not None or graph_def is not None:
            self.add_graph(graph=graph, graph_def=graph_def)

    def get_logdir(self) -> str:
        """The directory the file is in."""
        return self._logdir

    def add_event(self, event: protos.Event) -> None:
        """Writes an `Event` as it is; a closed writer warns and writes nothing."""
        if self._closed:
            self._warn_of_closed()
            return
        self.event_writer.add_event(event)

    @staticmethod
    def _warn_of_closed() -> None:
        warnings.warn("This FileWriter is closed: nothing is written until `reopen` is called.", stacklevel=3)

    def _write(self, event: protos.Event, step: IntLike | None) -> None:
        event.wall_time = time.time()
        if step is not None:
            event.step = int(step)
        self.add_event(event)

    def add_summary(self, summary: bytes | protos.Summary, global_step: IntLike | None = None) -> None:
        """Writes a summary.

        Args:
            summary: a `Summary` message, or one serialized, as running a summary operation gives it.
            global_step: the step it belongs to.

        Raises:
            AttributeError: if it is neither.
        """
        message = protos.Summary()
        if not isinstance(summary, bytes):
            kind = "a Summary message or one serialized, as running a summary gives it"
            check_attribute("FileWriter.add_summary: summary", summary, "value", kind)
        if isinstance(summary, bytes):
            message.ParseFromString(summary)
        else:
            message.CopyFrom(summary)
        for value in message.value:
            if value.HasField("metadata"):
                # What a plugin says of its data is written with the first summary of a tag only.
                key = (value.metadata.plugin_data.plugin_name, value.tag)
                if key in self._plugins_described:
                    value.ClearField("metadata")
                self._plugins_described.add(key)
        self._write(protos.Event(summary=message), global_step)

    def add_graph(self, graph: Any, global_step: Any = None, graph_def: Any = None) -> None:
        """Writes a graph, with the shapes of its tensors.

        Args:
            graph: a `Graph`; a GraphDef too, as before 1.0.
            global_step: the step it belongs to.
            graph_def: a GraphDef instead of the graph.

        Raises:
            ValueError: if both are given, or neither; TypeError: if it is something else.
        """
        if graph is not None and graph_def is not None:
            raise ValueError("Please pass only graph, or graph_def (deprecated), but not both.")
        if isinstance(graph, Graph) or isinstance(graph_def, Graph):
            self._add_graph(graph if isinstance(graph, Graph) else graph_def, global_step)
        elif isinstance(graph, protos.GraphDef) or isinstance(graph_def, protos.GraphDef):
            shown = graph if isinstance(graph, protos.GraphDef) else graph_def
            tf_logging.warn("Passing a `GraphDef` to the SummaryWriter is deprecated. Pass a `Graph` object instead, such as "
                            "`sess.graph`.")  # fmt: skip
            self._write(protos.Event(graph_def=shown.SerializeToString()), global_step)
        else:
            raise TypeError("The passed graph must be an instance of `Graph` or the deprecated `GraphDef`")

    def _add_graph(self, graph: Graph, global_step: IntLike | None) -> protos.GraphDef:
        """Writes a graph, and returns the message that was."""
        shown = graph.as_graph_def(add_shapes=True)
        write_plugin_assets(graph, self._logdir)
        self._write(protos.Event(graph_def=shown.SerializeToString()), global_step)
        return shown

    def add_meta_graph(self, meta_graph_def: int | protos.MetaGraphDef, global_step: int | None = None) -> None:
        """Writes a `MetaGraphDef`.

        Raises:
            TypeError: if it is something else.
        """
        if not isinstance(meta_graph_def, protos.MetaGraphDef):
            raise TypeError(f"meta_graph_def must be type MetaGraphDef, saw type: {type(meta_graph_def)}")
        self._write(protos.Event(meta_graph_def=meta_graph_def.SerializeToString()), global_step)

    def add_run_metadata(self, run_metadata: protos.RunMetadata, tag: str, global_step: int | None = None) -> None:
        """Writes what a run said of itself.

        Args:
            run_metadata: a `RunMetadata`.
            tag: its name, which must not have been used before.
            global_step: the step it belongs to.

        Raises:
            ValueError: if the tag was used before.

        Example:
            >>> writer, metadata = tf.summary.FileWriter("logs"), tf.RunMetadata()
            >>> options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
            >>> value = sess.run(loss, options=options, run_metadata=metadata)
            >>> writer.add_run_metadata(metadata, "step 100", 100)
        """
        if tag in self._tags_of_metadata:
            raise ValueError("The provided tag was already used for this event type")
        self._tags_of_metadata.add(tag)
        tagged = protos.TaggedRunMetadata(tag=tag, run_metadata=run_metadata.SerializeToString())
        self._write(protos.Event(tagged_run_metadata=tagged), global_step)

    def add_session_log(self, session_log: protos.SessionLog, global_step: IntLike | None = None) -> None:
        """Writes a `SessionLog`, such as that training began."""
        self._write(protos.Event(session_log=session_log), global_step)

    def flush(self) -> None:
        """Hands all events to the system; a closed writer warns."""
        if self._closed:
            self._warn_of_closed()
        else:
            self.event_writer.flush()

    def close(self) -> None:
        """Writes what is left and closes the file; use it when training ends."""
        if not self._closed:
            self.event_writer.close()
            self._closed = True

    def reopen(self) -> None:
        """Begins another file after `close`; nothing while the writer is open."""
        if self._closed:
            self.event_writer.reopen()
            self._closed = False

    def __enter__(self) -> FileWriter:
        return self

    def __exit__(self, *exception: Any) -> None:
        self.close()


class FileWriterCache:
    """One `FileWriter` a directory, for all who ask."""

    _writers: dict[str, FileWriter] = {}  # noqa: RUF012 (shared on purpose)
    _lock = threading.RLock()
    # What makes them where tests look at what is written.
    stand_in: Callable[..., Any] | None = None

    @staticmethod
    def clear() -> None:
        """Closes all writers and forgets them."""
        with FileWriterCache._lock:
            for writer in FileWriterCache._writers.values():
                writer.close()
            FileWriterCache._writers = {}

    @staticmethod
    def get(logdir: str) -> FileWriter:
        """The writer of a directory, made at its first use."""
        with FileWriterCache._lock:
            found = FileWriterCache._writers.get(logdir)
            if found is None:
                made_by = FileWriterCache.stand_in or FileWriter
                found = FileWriterCache._writers[logdir] = made_by(logdir, graph=get_default_graph())
            return found
