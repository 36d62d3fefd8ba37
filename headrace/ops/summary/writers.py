"""Writing summaries to event files while the graph runs."""

from __future__ import annotations

import itertools
import time
from typing import Any

import numpy as np

from headrace.core import errors
from headrace.core.cases import Made, made
from headrace.core.registry import OpDecl, op
from headrace.files.events import EventFile
from headrace.kernels.host_values import to_array
from headrace.kernels.summary.messages import (
    add_histogram,
    add_images,
    add_sounds,
    add_tensor,
    new_summary,
    single,
    text_of,
)


class SummaryWriterResource:
    """What a writer's handle stands for: an event file, once one was made for it."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.file: EventFile | None = None

    def make(self, logdir: str, max_queue: int, flush_millis: int, filename_suffix: str) -> None:
        """Opens the file, unless there is one already."""
        if self.file is None:
            self.file = EventFile(logdir, flush_millis / 1000, filename_suffix, max_queue)

    def opened(self) -> EventFile:
        """The file.

        Raises:
            NotFoundError: if it was not made, or is closed.
        """
        if self.file is None:
            raise errors.NotFoundError(
                None,
                None,
                f"Resource {self.name} (a summary writer) does not exist. Run the initializer op of the writer, or "
                "tf.contrib.summary.initialize(), before writing with it.",
            )
        return self.file

    def write(self, step: Any, **what: Any) -> None:
        """Writes an event."""
        from tensorboard.compat.proto.event_pb2 import Event

        event = Event(wall_time=time.time(), step=int(single(step, "step")), **what)
        self.opened().add(event.SerializeToString())

    def close(self) -> None:
        """Closes the file, if there is one."""
        file, self.file = self.file, None
        if file is not None:
            file.close()


summary_writer = op("SummaryWriter", "*, shared_name='', container='' -> writer: resource", stateful=True)


@summary_writer.shape
def summary_writer_shape(op):
    return [()]


@summary_writer.kernel
def summary_writer_kernel(node):
    name = node.attrs["shared_name"] or node.name
    runtime, key = node.runtime, ("SummaryWriter", node.attrs["container"], name)
    return lambda: runtime.object(key, lambda: SummaryWriterResource(name))


def _declare(op_type: str, signature: str, *host: str) -> OpDecl:
    decl = op(op_type, signature, stateful=True).on_host(*host)

    @decl.shape
    def written_shape(op):
        return []

    return decl


def _text(value: np.ndarray, what: str) -> str:
    return text_of(single(value, what))


create_summary_file_writer = _declare(
    "CreateSummaryFileWriter",
    "writer: resource, logdir: string, max_queue: int32, flush_millis: int32, filename_suffix: string ->",
    "logdir",
    "max_queue",
    "flush_millis",
    "filename_suffix",
)
create_summary_file_writer.writes_files()


@create_summary_file_writer.kernel
def create_summary_file_writer_kernel(node):
    def create(writer, logdir, max_queue, flush_millis, filename_suffix):
        writer.make(
            _text(logdir, "logdir"),
            int(single(max_queue, "max_queue")),
            int(single(flush_millis, "flush_millis")),
            _text(filename_suffix, "filename_suffix"),
        )

    return create


flush_summary_writer = _declare("FlushSummaryWriter", "writer: resource ->")


@flush_summary_writer.kernel
def flush_summary_writer_kernel(node):
    return lambda writer: writer.opened().flush()


close_summary_writer = _declare("CloseSummaryWriter", "writer: resource ->")


@close_summary_writer.kernel
def close_summary_writer_kernel(node):
    def close(writer):
        writer.opened()
        writer.close()

    return close


write_scalar_summary = _declare(
    "WriteScalarSummary",
    "writer: resource, step: int64, tag: string, value: T, *, T: realnumeric ->",
    "step",
    "tag",
    "value",
)


@write_scalar_summary.kernel
def write_scalar_summary_kernel(node):
    def write(writer, step, tag, value):
        summary = new_summary()
        summary.value.add(tag=_text(tag, "tag"), simple_value=float(single(value, "value")))
        writer.write(step, summary=summary)

    return write


write_histogram_summary = _declare(
    "WriteHistogramSummary",
    "writer: resource, step: int64, tag: string, values: T, *, T: realnumeric = float ->",
    "step",
    "tag",
    "values",
)


@write_histogram_summary.kernel
def write_histogram_summary_kernel(node):
    def write(writer, step, tag, values):
        summary = new_summary()
        add_histogram(summary, _text(tag, "tag"), to_array(values))
        writer.write(step, summary=summary)

    return write


write_image_summary = _declare(
    "WriteImageSummary",
    "writer: resource, step: int64, tag: string, tensor: T, bad_color: uint8, *, max_images: int >= 1 = 3, "
    "T: {uint8, float, half} = float ->",
    "step",
    "tag",
    "tensor",
    "bad_color",
)


@write_image_summary.kernel
def write_image_summary_kernel(node):
    limit = node.attrs["max_images"]

    def write(writer, step, tag, tensor, bad_color):
        summary = new_summary()
        add_images(summary, _text(tag, "tag"), to_array(tensor), limit, to_array(bad_color))
        writer.write(step, summary=summary)

    return write


write_audio_summary = _declare(
    "WriteAudioSummary",
    "writer: resource, step: int64, tag: string, tensor: float, sample_rate: float, *, max_outputs: int >= 1 = 3 ->",
    "step",
    "tag",
    "tensor",
    "sample_rate",
)


@write_audio_summary.kernel
def write_audio_summary_kernel(node):
    limit = node.attrs["max_outputs"]

    def write(writer, step, tag, tensor, sample_rate):
        summary = new_summary()
        rate = float(single(sample_rate, "sample_rate"))
        add_sounds(summary, _text(tag, "tag"), to_array(tensor), rate, limit)
        writer.write(step, summary=summary)

    return write


write_summary = _declare(
    "WriteSummary",
    "writer: resource, step: int64, tensor: T, tag: string, summary_metadata: string ->",
    "step",
    "tensor",
    "tag",
    "summary_metadata",
)


@write_summary.kernel
def write_summary_kernel(node):
    def write(writer, step, tensor, tag, metadata):
        summary = new_summary()
        add_tensor(summary, _text(tag, "tag"), to_array(tensor), single(metadata, "summary_metadata"), always=False)
        writer.write(step, summary=summary)

    return write


write_raw_proto_summary = _declare(
    "WriteRawProtoSummary", "writer: resource, step: int64, tensor: string ->", "step", "tensor"
)


@write_raw_proto_summary.kernel
def write_raw_proto_summary_kernel(node):
    def write(writer, step, tensor):
        from google.protobuf.message import DecodeError

        summary = new_summary()
        for index, text in enumerate(to_array(tensor).reshape(-1).tolist()):
            try:
                summary.MergeFromString(text)
            except DecodeError:
                raise errors.DataLossError(
                    None, None, f"Bad tf.compat.v1.Summary binary proto tensor string at index {index}"
                ) from None
        writer.write(step, summary=summary)

    return write


write_graph_summary = _declare(
    "WriteGraphSummary", "writer: resource, step: int64, tensor: string ->", "step", "tensor"
)


@write_graph_summary.kernel
def write_graph_summary_kernel(node):
    def write(writer, step, tensor):
        from google.protobuf.message import DecodeError
        from tensorboard.compat.proto.graph_pb2 import GraphDef

        graph_def = single(tensor, "tensor")
        try:
            GraphDef.FromString(graph_def)
        except DecodeError:
            raise errors.DataLossError(None, None, "Bad tf.GraphDef binary proto tensor string") from None
        writer.write(step, graph_def=graph_def)

    return write


import_event = _declare("ImportEvent", "writer: resource, event: string ->", "event")


@import_event.kernel
def import_event_kernel(node):
    return lambda writer, event: writer.opened().add(single(event, "event"))


_names = (f"writer {number}" for number in itertools.count())


def _create(name: str) -> tuple[Made, Made]:
    """A writer, and what makes its file."""
    writer = made("SummaryWriter", shared_name=name)
    return writer, made("CreateSummaryFileWriter", writer, b"logs", np.int32(10), np.int32(1000), b".end")


def _case(decl: OpDecl, *args: Any, opened: bool = True) -> None:
    """A case of a writer of its own: how long its file gets is compared, as events tell the time in eight bytes."""
    writer, created = _create(next(_names))
    files = made("Reshape", made("MatchingFiles", b"logs/*.end"), np.zeros(0, np.int32))
    length = made("StringLength", made("ReadFile", files))
    if opened:
        decl.accepts(writer, *args, before=[created], after=[made("CloseSummaryWriter", writer), length])
    else:
        decl.rejects(writer, *args, error=errors.NotFoundError)


_STEP = np.int64(3)
_MESSAGE = b"\x0a\x08\x0a\x01a\x15\x00\x00\x80?"
for _decl, _args in (
    (write_scalar_summary, (_STEP, b"s", np.float32(1.5))),
    (write_scalar_summary, (_STEP, b"s", np.int64(2))),
    (write_histogram_summary, (_STEP, b"h", np.array([1.5, -2.0], np.float32))),
    (write_audio_summary, (_STEP, b"a", np.array([[0.0], [0.5]], np.float32), np.float32(8000))),
    (write_summary, (_STEP, np.array([1.5], np.float32), b"t", b"\x0a\x03\x0a\x01p")),
    (write_raw_proto_summary, (_STEP, np.array([_MESSAGE, _MESSAGE], object))),
    (write_graph_summary, (_STEP, b"\x0a\x03\x0a\x01x")),
    (import_event, (b"\x10\x03\x2a" + bytes([len(_MESSAGE)]) + _MESSAGE,)),
    (flush_summary_writer, ()),
):
    _case(_decl, *_args)
    _case(_decl, *_args, opened=False)
_case(close_summary_writer, opened=False)
_writer, _created = _create("of images")
write_image_summary.accepts(
    _writer, _STEP, b"i", np.zeros([1, 2, 2, 1], np.float32), np.array([255, 0, 0, 255], np.uint8), before=[_created]
)
_writer, _created = _create("to close")
close_summary_writer.accepts(_writer, before=[_created])
_writer, _ = _create("to create")
create_summary_file_writer.accepts(
    _writer, b"logs", np.int32(10), np.int32(1000), b".end", after=[made("CloseSummaryWriter", _writer)]
)
summary_writer.accepts(varies="a handle")
