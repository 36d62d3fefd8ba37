"""Writers of event files that live in the session, or in eager execution: summaries are operations that write to them."""

from __future__ import annotations

import abc
import os
import weakref
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import (
    add_to_collection,
    control_dependencies,
    device,
    get_collection,
    name_scope,
)
from headrace.core.dtypes import string
from headrace.core.eager import EagerTensor, executing_eagerly
from headrace.core.framework_ops import inside_function, uid
from headrace.core.operation import Operation
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.ops.array.constant import constant
from headrace.ops.flow.grouping import no_op
from headrace.state.scoping import init_scope, name_from_scope_name
from headrace.summary.recording import state

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


_INITIALIZERS = "_SUMMARY_WRITER_V2"
_MAX_QUEUE, _FLUSH_MILLIS, _SUFFIX = 10, 120_000, ".v2"


class SummaryWriter(abc.ABC):
    """A writer of summaries, which is used by the summaries in its context."""

    @abc.abstractmethod
    def set_as_default(self) -> None:
        """Makes this the writer of all summaries that follow in this thread."""

    @abc.abstractmethod
    def as_default(self) -> AbstractContextManager[Any]:
        """Makes this the writer of the summaries in the block."""

    def init(self) -> Any:
        """An operation that opens the file."""
        raise NotImplementedError

    def flush(self) -> Any:
        """An operation that hands all events to the system."""
        raise NotImplementedError

    def close(self) -> Any:
        """An operation that closes the file."""
        raise NotImplementedError


class ResourceSummaryWriter(SummaryWriter):
    """A writer of event files in a graph, or in eager execution.

    Args:
        shared_name: the name of what it stands for; writers of one name write to one file.
        init_op_fn: makes the operation that opens the file, given the handle.
        name: a name for the handle's operation.
        v2: whether it is one of `tf.compat.v2.summary`: eagerly it ends when it is closed, and `init` gives one operation.
    """

    def __init__(
        self,
        shared_name: str,
        init_op_fn: Callable[[Tensor], Operation],
        name: str | None = None,
        v2: bool = False,
    ) -> None:
        self._resource = raw.SummaryWriter(shared_name=shared_name, name=name)
        self._init_op_fn = init_op_fn
        self._init_op = init_op_fn(self._resource)
        self._v2 = v2
        self._closed = False
        if not executing_eagerly():
            add_to_collection(_INITIALIZERS, self._init_op)
        elif v2:
            # Nobody else can name the file of this writer, so it ends with it.
            weakref.finalize(self, self._resource._value.close)

    def _has_ended(self) -> bool:
        return self._v2 and self._closed and executing_eagerly()

    def _check_open(self) -> None:
        if self._has_ended():
            raise RuntimeError("SummaryWriter is already closed")

    def set_as_default(self) -> None:
        """Makes this the writer of all summaries that follow in this thread.

        Raises:
            RuntimeError: if it is closed, eagerly.
        """
        self._check_open()
        state.writer = self

    @contextmanager
    def as_default(self) -> Iterator[ResourceSummaryWriter]:
        """Makes this the writer of the summaries in the block.

        Raises:
            RuntimeError: if it is closed, eagerly.
        """
        self._check_open()
        before, state.writer = state.writer, self
        try:
            yield self
            # Written when the block is left, eagerly and in functions; in a graph this adds the operation 1.15 adds too.
            self.flush()
        finally:
            state.writer = before

    def init(self) -> Operation:
        """An operation that opens the file.

        Raises:
            RuntimeError: if it is closed, eagerly.
        """
        if self._v2:
            self._check_open()
            return self._init_op
        return self._init_op_fn(self._resource)

    def flush(self) -> Operation | None:
        """An operation that hands all events to the system."""
        return None if self._has_ended() else flush(self)

    def close(self) -> Operation | None:
        """An operation that closes the file."""
        if self._has_ended():
            return None
        try:
            with control_dependencies([self.flush()]), device("cpu:0"):
                return raw.CloseSummaryWriter(self._resource)
        finally:
            self._closed = self._v2 and executing_eagerly()


class NoopSummaryWriter(SummaryWriter):
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


def create_noop_writer() -> NoopSummaryWriter:
    """A writer that writes nothing, for code that wants one."""
    return NoopSummaryWriter()


def _opening(
    logdir: TensorLike, max_queue: Tensor, flush_millis: TensorLike, filename_suffix: Tensor
) -> Callable[[Tensor], Operation]:
    return lambda writer: raw.CreateSummaryFileWriter(writer, logdir, max_queue, flush_millis, filename_suffix)


def create_file_writer(
    logdir: str,
    max_queue: Any = None,
    flush_millis: int | None = None,
    filename_suffix: Any = None,
    name: str | None = None,
) -> SummaryWriter:
    """A writer of an event file, as `tf.contrib.summary` has it.

    Args:
        logdir: the directory; None for a writer that writes nothing.
        max_queue: how many events may wait; 10 by default.
        flush_millis: how long they may wait; two minutes by default.
        filename_suffix: put behind the file's name; ".v2" by default.
        name: the name under which writers share a file; made of `logdir` by default.

    Example:
        >>> writer = tf.contrib.summary.create_file_writer("/tmp/logs")
        >>> with writer.as_default(), tf.contrib.summary.always_record_summaries():
        ...     tf.contrib.summary.scalar("loss", loss)
    """
    if logdir is None:
        return NoopSummaryWriter()
    logdir = str(logdir)
    with device("cpu:0"):
        settings = _with_defaults(max_queue, flush_millis, filename_suffix)
        shared_name = f"logdir:{logdir}" if name is None else name
        return ResourceSummaryWriter(shared_name, _opening(logdir, *settings))


def create_file_writer_v2(
    logdir: TensorLike,
    max_queue: Any = None,
    flush_millis: Any = None,
    filename_suffix: Any = None,
    name: str | None = None,
) -> SummaryWriter:
    """A writer of an event file, as `tf.compat.v2.summary` has it: no two writers share a file.

    Args:
        logdir: the directory.
        max_queue: how many events may wait; 10 by default.
        flush_millis: how long they may wait; two minutes by default.
        filename_suffix: put behind the file's name, after numbers that tell writers apart; ".v2" by default.
        name: a name for the operations.

    Raises:
        ValueError: if `logdir` is None, or eagerly for an argument that is a tensor of a graph.

    Example:
        >>> writer = tf.compat.v2.summary.create_file_writer("/tmp/logs")
        >>> with writer.as_default():
        ...     tf.compat.v2.summary.scalar("loss", 0.5, step=1)
    """
    if logdir is None:
        raise ValueError("logdir cannot be None")
    in_function = inside_function()
    with name_scope(name, "create_file_writer") as scope, device("cpu:0"), init_scope():
        if executing_eagerly():
            given = {
                "logdir": logdir,
                "max_queue": max_queue,
                "flush_millis": flush_millis,
                "filename_suffix": filename_suffix,
            }
            _check_values(in_function, given)
        logdir = convert_to_tensor(logdir, string)
        max_queue, flush_millis, filename_suffix = _with_defaults(max_queue, flush_millis, filename_suffix)
        filename_suffix = raw.Add(constant(f".{os.getpid()}.{uid()}"), filename_suffix, name="add")
        shared_name = f"eager_resource_{uid()}" if executing_eagerly() else name_from_scope_name(scope)
        opening = _opening(logdir, max_queue, flush_millis, filename_suffix)
        return ResourceSummaryWriter(shared_name, opening, name=name, v2=True)


def _with_defaults(max_queue: Any, flush_millis: int | None, filename_suffix: Any) -> tuple[Any, Any, Any]:
    return (
        constant(_MAX_QUEUE) if max_queue is None else max_queue,
        constant(_FLUSH_MILLIS) if flush_millis is None else flush_millis,
        constant(_SUFFIX) if filename_suffix is None else filename_suffix,
    )


def _check_values(in_function: bool, given: dict[str, Any]) -> None:
    for name, value in given.items():
        if isinstance(value, Tensor) and not isinstance(value, EagerTensor):
            called = "to eagerly executed create_file_writer()"
            if in_function:
                called = "to create_file_writer() inside an @tf.function: the writer is made eagerly, outside of it"
            raise ValueError(f'Invalid graph Tensor argument "{name}={value}" {called}.')


def flush(writer: ResourceSummaryWriter | Tensor | None = None, name: str | None = None) -> Operation:
    """An operation that hands the events of a writer to the system.

    Args:
        writer: a `SummaryWriter` or its handle; that in use by default.
        name: a name for the operation.
    """
    writer = state.writer if writer is None else writer
    if writer is None:
        return no_op()
    handle = writer._resource if isinstance(writer, ResourceSummaryWriter) else writer
    with device("cpu:0"):
        return raw.FlushSummaryWriter(handle, name=name)


def summary_writer_initializer_op() -> list[Operation]:
    """The operations that open the files of the default graph's writers.

    Raises:
        RuntimeError: eagerly, where writers open their files when they are made.
    """
    if executing_eagerly():
        raise RuntimeError("tf.contrib.summary.summary_writer_initializer_op is only supported in graph mode.")
    return get_collection(_INITIALIZERS)
