"""The ops that make readers and read with them, in both forms."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch

from headrace.core.errors import InvalidArgumentError
from headrace.core.registry import OpDecl, op
from headrace.core.shapes import Dims
from headrace.ops.host_values import boxed
from headrace.ops.queues.handles import both, declare_pair, shared_state
from headrace.ops.queues.state import Queue, Take
from headrace.ops.readers import state
from headrace.ops.state.common import invalid

_NAMES = "container='', shared_name=''"
_SIZES = "header_bytes=0, record_bytes: int, footer_bytes=0, hop_bytes=0, "


def _declare_reader(
    op_type: str,
    records: Callable[[Any], Callable[[bytes], Iterator[state.Record]]],
    attrs: str = _NAMES,
    second_attrs: str | None = None,
    resumes: bool = False,
    second: bool = True,
) -> None:
    """Declares a reader in its forms.

    Args:
        op_type: the first form's type.
        records: from the attributes to what makes records of work.
        attrs, second_attrs: the attributes of the forms.
        resumes: whether its state can be saved.
        second: whether there is a second form.
    """
    forms = [op(op_type, f"*, {attrs} -> reader_handle: ref string", stateful=True)]
    if second:
        signature = f"*, {second_attrs or attrs} -> reader_handle: resource"
        forms.append(op(f"{op_type}V2", signature, stateful=True))
    forms[0].not_differentiable()
    for decl in forms:

        @decl.binding
        def binding(node: Any) -> list[Any]:
            try:
                opened = records(node.attrs)
            except InvalidArgumentError as error:
                error.attach(node.origin)
                raise
            # Without a shared name readers go by the name of their op.
            return [shared_state(node, "reader", lambda _: state.Reader(op_type, node.name, opened, resumes))]

    forms[0].shape(lambda op: [(2,)])
    forms[-1].shape(lambda op: [()] if second else [(2,)])


def _fixed(attrs: dict[str, Any]) -> Callable[[bytes], Iterator[state.Record]]:
    names = ("header_bytes", "record_bytes", "footer_bytes", "hop_bytes")
    for name in names:
        if attrs[name] < 0:
            raise invalid(f"{name} must be >= 0 not {attrs[name]}")
    header, record, footer, hop = (attrs[name] for name in names)
    return state.fixed_length_records(header, record, footer, hop, attrs.get("encoding", ""))


_declare_reader(
    "TextLineReader", lambda attrs: state.line_records(attrs["skip_header_lines"]), f"skip_header_lines=0, {_NAMES}"
)
_declare_reader("FixedLengthRecordReader", _fixed, _SIZES + _NAMES, f"{_SIZES}{_NAMES}, encoding=''")
_declare_reader("WholeFileReader", lambda attrs: state.whole_file_records, resumes=True)
_declare_reader(
    "TFRecordReader", lambda attrs: state.example_records(attrs["compression_type"]), f"{_NAMES}, compression_type=''"
)
_declare_reader("IdentityReader", lambda attrs: state.identity_records, resumes=True)
_declare_reader("LMDBReader", lambda attrs: state.lmdb_records, second=False)


def _reading(op_type: str, more: str, outputs: str) -> tuple[OpDecl, OpDecl]:
    first = op(op_type, f"reader_handle: ref string, queue_handle: ref string{more} -> {outputs}")
    first.stateful = True
    second = op(f"{op_type}V2", f"reader_handle: resource, queue_handle: resource{more} -> {outputs}", stateful=True)
    for decl in (first, second):
        decl.waits().on_host(*(["num_records"] if more else []), outputs=True)
    return first.not_differentiable(), second


read = _reading("ReaderRead", "", "key: string, value: string")
read_up_to = _reading("ReaderReadUpTo", ", num_records: int64", "keys: string, values: string")
_HANDLE = "reader_handle"
num_records_produced = declare_pair("ReaderNumRecordsProduced", "", " -> records_produced: int64", _HANDLE)
num_work_units_completed = declare_pair("ReaderNumWorkUnitsCompleted", "", " -> units_completed: int64", _HANDLE)
serialize_state = declare_pair("ReaderSerializeState", "", " -> state: string", _HANDLE)
restore_state = declare_pair("ReaderRestoreState", ", state: string", " ->", _HANDLE)
reset = declare_pair("ReaderReset", "", " ->", _HANDLE)


@both("shape", *read)
def read_shape(op: Any) -> list[Dims]:
    return [(), ()]


@both("shape", *read_up_to)
def read_up_to_shape(op: Any) -> list[Dims]:
    return [(None,), (None,)]


@both("shape", *num_records_produced, *num_work_units_completed, *serialize_state)
def count_shape(op: Any) -> list[Dims]:
    return [()]


def _worker(node: Any) -> Callable[[Queue], Callable[[], bytes]]:
    """For a queue, what takes work from it."""
    wait = node.runtime.waits.wait

    def of(queue: Queue) -> Callable[[], bytes]:
        def take() -> bytes:
            elements = queue.take_now(1)
            if elements is None:
                elements = wait(queue.submit(Take(queue, 1, False, lambda taken: taken)))
            work = elements[0]
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
def read_kernel(node: Any) -> Callable[..., Any]:
    worker = _worker(node)

    def next_record(reader: state.Reader, queue: Queue) -> Any:
        key, value = reader.read(worker(queue))
        return boxed(key), boxed(value)

    return next_record


@both("kernel", *read_up_to)
def read_up_to_kernel(node: Any) -> Callable[..., Any]:
    worker = _worker(node)

    def next_records(reader: state.Reader, queue: Queue, count: torch.Tensor) -> Any:
        if int(count) <= 0:
            return np.empty(0, object), np.empty(0, object)
        keys, values = zip(*reader.read_up_to(int(count), worker(queue)), strict=True)
        return np.array(keys, object), np.array(values, object)

    return next_records


@both("kernel", *num_records_produced)
def num_records_produced_kernel(node: Any) -> Callable[..., Any]:
    return lambda reader: torch.tensor(reader.produced)


@both("kernel", *num_work_units_completed)
def num_work_units_completed_kernel(node: Any) -> Callable[..., Any]:
    return lambda reader: torch.tensor(reader.finished)


@both("kernel", *serialize_state)
def serialize_state_kernel(node: Any) -> Callable[..., Any]:
    return lambda reader: boxed(reader.serialize())


@both("kernel", *restore_state)
def restore_state_kernel(node: Any) -> Callable[..., Any]:
    def restore(reader: state.Reader, message: Any) -> None:
        message = boxed(message)
        if message.ndim:
            raise invalid("Reader state must be scalar, but had shape: " + str(list(message.shape)))
        reader.restore(message[()])

    return restore


@both("kernel", *reset)
def reset_kernel(node: Any) -> Callable[..., Any]:
    return lambda reader: reader.reset()
