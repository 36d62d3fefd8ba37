"""The ops that make readers and read with them, in both forms."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from headrace.core.cases import made, result
from headrace.core.dims import Dims
from headrace.core.errors import InvalidArgumentError, OutOfRangeError
from headrace.core.operation import Operation
from headrace.core.registry import OpDecl, op
from headrace.kernels.host_values import boxed
from headrace.kernels.queues.handles import both, declare_makers, declare_pair, shared_state
from headrace.kernels.queues.state import Queue, first_values
from headrace.kernels.readers import state
from headrace.kernels.readers.case_inputs import LMDB
from headrace.kernels.state.handles import invalid

if TYPE_CHECKING:
    from headrace.core.typing import NodeView


_NAMES = "container='', shared_name=''"
_SIZES = "header_bytes=0, record_bytes: int, footer_bytes=0, hop_bytes=0, "

text_line = declare_makers(
    "TextLineReader", "TextLineReaderV2", f"*, skip_header_lines=0, {_NAMES} -> reader_handle: HANDLE"
)
fixed_length = (
    op("FixedLengthRecordReader", f"*, {_SIZES}{_NAMES} -> reader_handle: ref string", stateful=True),
    op("FixedLengthRecordReaderV2", f"*, {_SIZES}{_NAMES}, encoding='' -> reader_handle: resource", stateful=True),
)
whole_file = declare_makers("WholeFileReader", "WholeFileReaderV2", f"*, {_NAMES} -> reader_handle: HANDLE")
tf_record = declare_makers(
    "TFRecordReader", "TFRecordReaderV2", f"*, {_NAMES}, compression_type='' -> reader_handle: HANDLE"
)
identity = declare_makers("IdentityReader", "IdentityReaderV2", f"*, {_NAMES} -> reader_handle: HANDLE")
lmdb = op("LMDBReader", f"*, {_NAMES} -> reader_handle: ref string", stateful=True)
for _by_ref in (text_line[0], fixed_length[0], whole_file[0], tf_record[0], identity[0], lmdb):
    _by_ref.not_differentiable()
    _by_ref.shape(lambda op: [(2,)])
for _by_resource in (text_line[1], fixed_length[1], whole_file[1], tf_record[1], identity[1]):
    _by_resource.shape(lambda op: [()])


def _bind(
    kind: str,
    forms: Iterable[OpDecl],
    records: Callable[[dict[str, Any]], Callable[[bytes], Iterator[state.Record]]],
    resumes: bool = False,
) -> None:
    """Declares what the forms of a reader make.

    Args:
        kind: what errors call the reader.
        forms: the ops that make it.
        records: from the attributes to what makes records of work.
        resumes: whether its state can be saved.
    """

    def rule(node: NodeView) -> list[state.Reader]:
        try:
            opened = records(node.attrs)
        except InvalidArgumentError as error:
            error.attach(node.origin)
            raise
        # Without a shared name readers go by the name of their op.
        return [shared_state(node, "reader", lambda _: state.Reader(kind, node.name, opened, resumes))]

    for decl in forms:
        decl.binding(rule)


def _fixed(attrs: dict[str, Any]) -> Callable[[bytes], Iterator[state.Record]]:
    names = ("header_bytes", "record_bytes", "footer_bytes", "hop_bytes")
    for name in names:
        if attrs[name] < 0:
            raise invalid(f"{name} must be >= 0 not {attrs[name]}")
    header, record, footer, hop = (attrs[name] for name in names)
    return state.fixed_length_records(header, record, footer, hop, attrs.get("encoding", ""))


_bind("TextLineReader", text_line, lambda attrs: state.line_records(attrs["skip_header_lines"]))
_bind("FixedLengthRecordReader", fixed_length, _fixed)
_bind("WholeFileReader", whole_file, lambda attrs: state.whole_file_records, resumes=True)
_bind("TFRecordReader", tf_record, lambda attrs: state.example_records(attrs["compression_type"]))
_bind("IdentityReader", identity, lambda attrs: state.identity_records, resumes=True)
_bind("LMDBReader", [lmdb], lambda attrs: state.lmdb_records)

read = declare_pair(
    "ReaderRead", "ReaderReadV2", "reader_handle: HANDLE, queue_handle: HANDLE -> key: string, value: string"
)
read_up_to = declare_pair(
    "ReaderReadUpTo",
    "ReaderReadUpToV2",
    "reader_handle: HANDLE, queue_handle: HANDLE, num_records: int64 -> keys: string, values: string",
)
for _decl in read:
    _decl.waits().on_host(outputs=True)
for _decl in read_up_to:
    _decl.waits().on_host("num_records", outputs=True)
num_records_produced = declare_pair(
    "ReaderNumRecordsProduced", "ReaderNumRecordsProducedV2", "reader_handle: HANDLE -> records_produced: int64"
)
num_work_units_completed = declare_pair(
    "ReaderNumWorkUnitsCompleted", "ReaderNumWorkUnitsCompletedV2", "reader_handle: HANDLE -> units_completed: int64"
)
serialize_state = declare_pair(
    "ReaderSerializeState", "ReaderSerializeStateV2", "reader_handle: HANDLE -> state: string"
)
restore_state = declare_pair("ReaderRestoreState", "ReaderRestoreStateV2", "reader_handle: HANDLE, state: string ->")
reset = declare_pair("ReaderReset", "ReaderResetV2", "reader_handle: HANDLE ->")


@both("shape", *read)
def read_shape(op: Operation) -> list[Dims]:
    return [(), ()]


@both("shape", *read_up_to)
def read_up_to_shape(op: Operation) -> list[Dims]:
    return [(None,), (None,)]


@both("shape", *num_records_produced, *num_work_units_completed, *serialize_state)
def count_shape(op: Operation) -> list[Dims]:
    return [()]


def _worker(node: NodeView) -> Callable[[Queue], Callable[[], bytes]]:
    """For a queue, what takes work from it."""
    wait = node.runtime.waits.wait

    def of(queue: Queue) -> Callable[[], bytes]:
        def take() -> bytes:
            work = first_values(queue, wait)
            if len(work) != 1:
                raise invalid("Expected single component queue")
            if not isinstance(work[0], np.ndarray):
                raise invalid("Expected queue with single string component")
            if work[0].size != 1:
                raise invalid("Expected to dequeue a one-element string tensor")
            name: bytes = work[0].item()
            return name

        return take

    return of


@both("kernel", *read)
def read_kernel(node: NodeView) -> Callable[..., Any]:
    worker = _worker(node)

    def next_record(reader: state.Reader, queue: Queue) -> tuple[np.ndarray, np.ndarray]:
        key, value = reader.read(worker(queue))
        return boxed(key), boxed(value)

    return next_record


@both("kernel", *read_up_to)
def read_up_to_kernel(node: NodeView) -> Callable[..., Any]:
    worker = _worker(node)

    def next_records(reader: state.Reader, queue: Queue, count: torch.Tensor) -> tuple[np.ndarray, np.ndarray]:
        if int(count) <= 0:
            return np.empty(0, object), np.empty(0, object)
        keys, values = zip(*reader.read_up_to(int(count), worker(queue)), strict=True)
        return np.array(keys, object), np.array(values, object)

    return next_records


@both("kernel", *num_records_produced)
def num_records_produced_kernel(node: NodeView) -> Callable[..., Any]:
    return lambda reader: torch.tensor(reader.produced)


@both("kernel", *num_work_units_completed)
def num_work_units_completed_kernel(node: NodeView) -> Callable[..., Any]:
    return lambda reader: torch.tensor(reader.finished)


@both("kernel", *serialize_state)
def serialize_state_kernel(node: NodeView) -> Callable[..., Any]:
    return lambda reader: boxed(reader.serialize())


@both("kernel", *restore_state)
def restore_state_kernel(node: NodeView) -> Callable[..., Any]:
    def restore(reader: state.Reader, message: Any) -> None:
        message = boxed(message)
        if message.ndim:
            raise invalid("Reader state must be scalar, but had shape: " + str(list(message.shape)))
        reader.restore(message[()])

    return restore


@both("kernel", *reset)
def reset_kernel(node: NodeView) -> Callable[..., Any]:
    return lambda reader: reader.reset()


# ---- examples ----

_LINES = {"in.txt": b"title\nfirst\nsecond\n"}


def _declare_maker_cases(form: int, version: str) -> None:
    """The cases of what makes readers in one of its forms, whose types end with `version`."""
    queue = made("FIFOQueue" + version, component_types=["string"], shapes=[[]])
    put = made("QueueEnqueue" + version, queue, [b"in.txt"])
    step = made("ReaderRead" + version, result, queue)

    def used(name: str, times: int) -> dict[str, Any]:
        return {"shared_name": name, "before": [put], "after": [step] * times}

    text_line[form].accepts(skip_header_lines=1, files=_LINES, **used("lines", 2))
    frame = {"header_bytes": 2, "record_bytes": 3, "footer_bytes": 1}
    why = ("1.15's kernel asks for an encoding, which it has not", None)[form]
    fixed_length[form].accepts(files={"in.txt": b"__abcdef_"}, differs=why, **frame, **used("records", 2))
    fixed_length[form].accepts(files={"in.txt": b"__abcdef_"}, hop_bytes=1, differs=why, **frame, **used("hops", 3))
    fixed_length[form].rejects(record_bytes=-1, error=InvalidArgumentError)
    whole_file[form].accepts(files={"in.txt": b"a\nb"}, **used("files", 1))
    identity[form].accepts(**used("names", 1))
    records = made("TensorSliceDataset", [np.array([b"one", b"two"])], output_shapes=[[]])
    written = made("DatasetToTFRecord", records, b"in.txt", b"GZIP")
    kept = used("examples", 2)
    tf_record[form].accepts(compression_type="GZIP", **{**kept, "before": [written, put]})


def _declare_cases(form: int, version: str) -> None:
    """The cases of what is done with readers in one of its forms."""
    queue = made("FIFOQueue" + version, component_types=["string"], shapes=[[]])
    put, shut = made("QueueEnqueue" + version, queue, [b"in.txt"]), made("QueueClose" + version, queue)
    lines, whole = made("TextLineReader" + version), made("IdentityReader" + version)
    step, whole_step = made("ReaderRead" + version, lines, queue), made("ReaderRead" + version, whole, queue)
    counts = [made(f"Reader{what}{version}", lines) for what in ("NumRecordsProduced", "NumWorkUnitsCompleted")]
    ready = {"before": [put], "files": _LINES}
    all_read = {"before": [put, shut, made("ReaderReadUpTo" + version, lines, queue, np.int64(9))], "files": _LINES}
    read[form].accepts(lines, queue, after=[step, *counts], **ready)
    read[form].rejects(lines, queue, before=[shut], error=OutOfRangeError)
    numbers = made("FIFOQueue" + version, component_types=["int32"])
    number = made("QueueEnqueue" + version, numbers, [np.int32(1)])
    read[form].rejects(lines, numbers, before=[number], error=InvalidArgumentError)
    read_up_to[form].accepts(lines, queue, np.int64(2), after=counts, **ready)
    read_up_to[form].accepts(lines, queue, np.int64(9), before=[put, shut], files=_LINES, after=counts)
    num_records_produced[form].accepts(lines).accepts(lines, **all_read)
    num_work_units_completed[form].accepts(lines).accepts(lines, **all_read)
    serialize_state[form].accepts(whole, before=[put, whole_step])
    state_of = made("ReaderSerializeState" + version, whole)
    restore_state[form].accepts(whole, state_of, before=[put, whole_step], after=[counts[0]])
    restore_state[form].rejects(whole, b"no state", error=InvalidArgumentError)
    reset[form].accepts(lines, after=counts, **all_read)


for _form, _version in enumerate(("", "V2")):
    _declare_maker_cases(_form, _version)
    _declare_cases(_form, _version)
_NAMES_QUEUE = made("FIFOQueue", component_types=["string"])
_PAIR = made("ReaderRead", result, _NAMES_QUEUE)
lmdb.accepts(
    shared_name="kept",
    files={"in.mdb": LMDB},
    before=[made("QueueEnqueue", _NAMES_QUEUE, [b"in.mdb"])],
    after=[_PAIR, _PAIR],
)
