"""Datasets written to files as they are read, for later passes and runs; and functions of the rows of tensors.

A snapshot is a folder. `snapshot.metadata`, which appears when all is written, is a TFRecord file of one message, whose fields
have TensorFlow's numbers where it has such: the run whose files these are (2), when it began, in microseconds (3), how the files
are compressed (4), and how many elements each of them holds (5, packed). The files are `RUN/00000000.snapshot` and so on,
TFRecords of TensorFlow's `SnapshotRecord`s: a `TensorProto` for each component of an element (field 1). `pending` holds the run
that is being written.

Snapshots are not exchanged with TensorFlow: that finds the folder of one by a hash of its own graph, and its records have no
checksums.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import time
import uuid
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from headrace.core import errors
from headrace.core.cases import body
from headrace.core.registry import op, raw
from headrace.files.checkpoint import atomic, wire
from headrace.files.checkpoint.wire import Damaged
from headrace.files.failures import failures_of
from headrace.files.records import TFRecordWriter, tf_record_iterator
from headrace.files.tensor_messages import read_tensor, tensor_parts
from headrace.kernels.data.base import BoundFunction, Dataset, Element, Iteration, Next, dataset_op, invalid, text
from headrace.kernels.data.case_inputs import INT64_SCALARS, numbers
from headrace.kernels.data.stored_forms import kernel_form
from headrace.kernels.data.stored_values import Components, earlier_format, is_pickle, start_of
from headrace.kernels.data.writing import Output, WritingPass

if TYPE_CHECKING:
    from headrace.core.dtypes import DType


_DONE = "snapshot.metadata"
_DONE_EARLIER = "snapshot.headrace"
_PENDING = "pending"
_RUN = re.compile(r"[0-9a-f]{16}")
_TENSOR = 1
_SMALLEST_SHARD = 1 << 20
# From here on records are not copied part by part.
_LARGE = 1 << 12


class Snapshot(Dataset):
    """The elements of its input, written to the files of a folder in the first pass and read from there ever after.

    Args:
        source: the dataset.
        read_from, write_to: the folder, as readers and writers see it.
        compression: of the files, "GZIP" or "".
        shard_size: how many bytes a file may have before another is begun.
        expiry: how many seconds after its begin a snapshot that nobody finished is begun anew.
        components: of the elements.
    """

    def __init__(
        self,
        source: Dataset,
        read_from: str,
        write_to: str,
        compression: str,
        shard_size: int,
        expiry: float,
        components: Components,
    ) -> None:
        super().__init__(source)
        self.read_from, self.write_to = read_from, write_to
        self.compression, self.shard_size, self.expiry = compression, shard_size, expiry
        self.components = components

    def start(self, iteration: Iteration) -> Next:
        if os.path.exists(os.path.join(self.read_from, _DONE)):
            return _Reading(self.read_from, self.components).next
        earlier = os.path.join(self.read_from, _DONE_EARLIER)
        if os.path.exists(earlier):
            raise earlier_format(earlier)
        run = self._claim()
        if run is None:
            # Another iterator writes it now.
            return self.inputs[0].start(iteration)
        output = _Output(self.write_to, run, self.compression, self.shard_size, self.components)
        writing = WritingPass(output, iteration)
        writing.upstream = self.inputs[0].start(iteration)
        return writing.next

    def _claim(self) -> str | None:
        """A run of its own for this pass, None if somebody else is at it."""
        pending = os.path.join(self.write_to, _PENDING)
        with failures_of(self.write_to):
            os.makedirs(self.write_to, exist_ok=True)
            with contextlib.suppress(FileNotFoundError):
                if time.time() - os.path.getmtime(pending) > self.expiry:
                    given_up = _pending_run(self.write_to)
                    os.remove(pending)
                    if given_up is not None:
                        shutil.rmtree(os.path.join(self.write_to, given_up), ignore_errors=True)
            try:
                descriptor = os.open(pending, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o644)
            except FileExistsError:
                return None
            run = uuid.uuid4().hex[:16]
            try:
                os.write(descriptor, run.encode())
            finally:
                os.close(descriptor)
        return run

    def cardinality(self) -> int:
        return self.inputs[0].cardinality()


def _pending_run(folder: str) -> str | None:
    """The run that is being written, None if there is none."""
    run = start_of(os.path.join(folder, _PENDING), 100).decode("ascii", "replace")
    return run if _RUN.fullmatch(run) else None


def _file_name(folder: str, run: str, number: int) -> str:
    return os.path.join(folder, run, f"{number:08d}.snapshot")


class _Output(Output):
    """A snapshot that is being written."""

    def __init__(self, folder: str, run: str, compression: str, shard_size: int, components: Components) -> None:
        super().__init__()
        self._folder, self._run, self._components = folder, run, components
        self._compression, self._shard_size = compression, shard_size
        self._began = int(time.time() * 1e6)
        self._counts: list[int] = []
        self._room = 0  # how many more bytes the last file takes
        self._writer: TFRecordWriter | None = None

    def _write(self, element: Element) -> None:
        components = self._components
        parts: list[Any] = []
        for i, dtype in enumerate(components.types):
            tensor = tensor_parts(dtype, components.stored(i, element[i]))
            parts += [wire.bytes_head(_TENSOR, sum(map(len, tensor))), *tensor]
        record = b"".join(parts)
        if self._writer is None or self._room <= 0:
            if self._is_lost():
                return
            self._end_file()
            self._writer = self._new_file()
        self._writer.write(record)
        self._counts[-1] += 1
        self._room -= len(record)

    def _new_file(self) -> TFRecordWriter:
        path = _file_name(self._folder, self._run, len(self._counts))
        with failures_of(path):
            os.makedirs(os.path.dirname(path), exist_ok=True)
        self._counts.append(0)
        self._room = self._shard_size
        return TFRecordWriter(path, self._compression)

    def _end_file(self) -> None:
        writer, self._writer = self._writer, None
        if writer is not None:
            writer.close()

    def _is_lost(self) -> bool:
        """Whether somebody else has begun anew, and taken these files away: it took too long."""
        if _pending_run(self._folder) == self._run:
            return False
        self._open = False
        self._discard()
        return True

    def _complete(self) -> None:
        if self._is_lost():
            return
        self._end_file()
        message = b"".join(
            [
                wire.bytes_field(2, self._run.encode()),
                wire.number_field(3, self._began),
                wire.bytes_field(4, self._compression.encode()),
                wire.bytes_field(5, b"".join(map(wire.varint, self._counts))),
            ]
        )
        done = os.path.join(self._folder, _DONE)
        temporary = atomic.temporary_name(done)
        with TFRecordWriter(temporary) as writer:
            writer.write(message)
        with failures_of(done):
            # Nobody waits for the disk: what a failure of power leaves has wrong checksums.
            os.replace(temporary, done)
            os.remove(os.path.join(self._folder, _PENDING))

    def _discard(self) -> None:
        writer, self._writer = self._writer, None
        if writer is not None:
            with contextlib.suppress(errors.OpError):
                writer.close()
        shutil.rmtree(os.path.join(self._folder, self._run), ignore_errors=True)
        if _pending_run(self._folder) == self._run:
            with contextlib.suppress(OSError):
                os.remove(os.path.join(self._folder, _PENDING))


class _Reading:
    """A pass over a complete snapshot."""

    def __init__(self, folder: str, components: Components) -> None:
        self._components = components
        self._path = os.path.join(folder, _DONE)
        self._records = self._all_records(folder)

    def _all_records(self, folder: str) -> Iterator[bytes]:
        run, compression, counts = _read_metadata(self._path)
        for number, count in enumerate(counts):
            self._path = _file_name(folder, run, number)
            found = 0
            for record in tf_record_iterator(self._path, compression):
                yield record
                found += 1
            if found != count:
                raise errors.DataLossError(None, None, f"{self._path}: it has {found} elements of {count}")

    def next(self) -> Element | None:
        record = next(self._records, None)
        if record is None:
            return None
        components, path = self._components, self._path
        message: bytes | memoryview = record if len(record) < _LARGE else memoryview(record)
        values: list[Any] = []
        try:
            for number, form, value in wire.fields(message):
                if number != _TENSOR or form != wire.BYTES or len(values) == len(components):
                    raise Damaged(f"more than the {len(components)} components of an element")
                dtype, array = read_tensor(value)
                components.check(len(values), dtype, array.shape, path)
                values.append(kernel_form(dtype, array))
        except Damaged as error:
            raise errors.DataLossError(None, None, f"{path}: a record that is no element: {error}") from None
        if len(values) != len(components):
            raise errors.DataLossError(
                None, None, f"{path}: an element of {len(values)} components where {len(components)} are expected"
            )
        return tuple(values)


def _read_metadata(path: str) -> tuple[str, str, list[int]]:
    """The run of a snapshot, the compression of its files, and how many elements each of them holds."""
    try:
        message = next(tf_record_iterator(path), b"")
    except errors.DataLossError:
        if is_pickle(path):
            raise earlier_format(path) from None
        raise
    found: dict[int, Any] = {}
    try:
        for number, form, value in wire.fields(message):
            if form == wire.BYTES:
                found[number] = value
        counts = wire.unpack_varints(found.get(5, b"")).tolist()
    except Damaged as error:
        raise errors.DataLossError(None, None, f"{path}: {error}") from None
    run, compression = (found.get(number, b"").decode("ascii", "replace") for number in (2, 4))
    # The name of a folder, and of none but one of these.
    if not _RUN.fullmatch(run) or compression not in ("", "GZIP"):
        raise errors.DataLossError(None, None, f"{path}: it is not what a finished snapshot has here")
    return run, compression, counts


snapshot_dataset = dataset_op(
    "SnapshotDataset",
    "input_dataset: variant, path: string, *, {}, compression='', reader_path_prefix='', writer_path_prefix='', "
    "shard_size_bytes=10737418240, pending_snapshot_expiry_seconds=86400, num_reader_threads=1, reader_buffer_size=1, "
    "num_writer_threads=1, writer_buffer_size=1 -> handle: variant",
)
snapshot_dataset.writes_files()


@snapshot_dataset.kernel
def snapshot_dataset_kernel(node):
    attrs = node.attrs
    compression = _string(attrs["compression"])
    if compression not in ("", "GZIP"):
        raise invalid("compression must be either '' or 'GZIP'.")
    if attrs["shard_size_bytes"] < _SMALLEST_SHARD:
        raise invalid("shard_size_bytes must be at least 1 MiB.")
    if attrs["pending_snapshot_expiry_seconds"] < 1:
        raise invalid("pending_snapshot_expiry_seconds must be at least 1 second.")
    components = Components(attrs["output_types"], attrs["output_shapes"])

    def make(source, path):
        folder = text(path)
        return Snapshot(
            source,
            _string(attrs["reader_path_prefix"]) + folder,
            _string(attrs["writer_path_prefix"]) + folder,
            compression,
            attrs["shard_size_bytes"],
            attrs["pending_snapshot_expiry_seconds"],
            components,
        )

    return make


snapshot_dataset.accepts(numbers(3), b"kept", files={"other": b""}, **INT64_SCALARS)
snapshot_dataset.rejects(
    *(numbers(3), b"kept"), compression="ZIP", files={"other": b""}, error=errors.InvalidArgumentError, **INT64_SCALARS
)


def _string(value: str) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


# ---- functions of rows ----

map_defun_op = op(
    "MapDefun",
    "arguments: *Targuments, captured_inputs: *Tcaptured, *, Targuments: list(type) >= 1, Tcaptured: list(type) = [], "
    "output_types: list(type) >= 1, output_shapes: list(shape) >= 1, f: func, max_intra_op_parallelism=1 -> output: "
    "*output_types",
)
map_defun_op.on_host("arguments", "captured_inputs", outputs=True)


@map_defun_op.shape
def map_defun_shape(op):
    rows = None
    for tensor in op.inputs[: len(op.attrs["Targuments"])]:
        if tensor.dims == ():
            raise ValueError("All inputs must have rank at least 1. Input 0 has a rank of 0")
        if tensor.dims is None or tensor.dims[0] is None:
            continue
        if rows not in (None, tensor.dims[0]):
            raise ValueError("All inputs must have the same dimension 0.")
        rows = tensor.dims[0]
    return [None if dims is None else (rows, *dims) for dims in op.attrs["output_shapes"]]


@map_defun_op.kernel
def map_defun_kernel(node):
    count, captured = len(node.attrs["Targuments"]), len(node.attrs["Tcaptured"])
    function = BoundFunction(node, "f", count, captured)
    types, shapes = node.attrs["output_types"], node.attrs["output_shapes"]

    def run(*values):
        call = function.with_captured(values[count:])
        sizes = {len(value) for value in values[:count]}
        if len(sizes) > 1:
            raise invalid("All inputs must have the same dimension 0.")
        rows = sizes.pop()
        results = [call(*[_row(value, i) for value in values[:count]]) for i in range(rows)]
        if not rows:
            return tuple(_empty(dtype, dims) for dtype, dims in zip(types, shapes, strict=True))
        return tuple(_stacked(parts) for parts in zip(*results, strict=True))

    return run


def _row(value: torch.Tensor, index: int) -> torch.Tensor:
    return value[index] if isinstance(value, torch.Tensor) else value[index, ...]


def _empty(dtype: DType, dims: Any) -> Any:
    if dims is None or None in dims:
        raise invalid("The shape of what a function makes of no rows is not known.")
    if dtype.name == "string":
        return np.empty((0, *dims), object)
    return torch.empty((0, *dims), dtype=dtype.torch)


def _stacked(parts: tuple[Any, ...]) -> torch.Tensor:
    first = parts[0]
    if any(part.shape != first.shape for part in parts):
        raise invalid(f"MapDefun outputs must have one shape, but are of shapes {tuple(first.shape)} and others.")
    return torch.stack(parts) if isinstance(first, torch.Tensor) else np.stack(parts)


_ROW = {"output_types": ["float32"], "output_shapes": [[2]]}
map_defun_op.accepts([[3, 2]], [], f=body(lambda x: raw.Neg(x), "float32"), **_ROW)
map_defun_op.accepts([[3, 2]], [[2]], f=body(lambda x, y: raw.Mul(x, y), "float32", "float32"), **_ROW)
map_defun_op.rejects([[]], [], f=body(lambda x: raw.Neg(x), "float32"), error=ValueError, **_ROW)
