"""RecordInput: batches of records of many TFRecord files, in random order, epoch after epoch."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np

from headrace.core.cases import made
from headrace.core.errors import NotFoundError
from headrace.core.registry import op
from headrace.core.waiting import holding
from headrace.files.file_io import get_matching_files
from headrace.files.records import tf_record_iterator
from headrace.kernels.state.handles import invalid

record_input_op = op(
    "RecordInput",
    "*, file_pattern: string, file_random_seed=301, file_shuffle_shift_ratio=0.0, file_buffer_size=10000, "
    "file_parallelism=16, batch_size=32, compression_type='' -> records: string",
    stateful=True,
)
record_input_op.on_host(outputs=True)


class _Records:
    """What the operation of one session has still to give."""

    def __init__(self, attrs: dict[str, Any]) -> None:
        self._pattern = attrs["file_pattern"]
        self._shift_ratio = attrs["file_shuffle_shift_ratio"]
        self._capacity = attrs["file_buffer_size"]
        self._parallelism = attrs["file_parallelism"]
        self._compression = attrs["compression_type"] or None
        self._random = random.Random(attrs["file_random_seed"])
        self._lock = threading.Lock()
        self._records = self._all_epochs()

    def take(self, count: int) -> list[bytes]:
        """The next `count` records."""
        with holding(self._lock):
            try:
                return [next(self._records) for _ in range(count)]
            except BaseException:
                # What has ended by an error begins anew.
                self._records = self._all_epochs()
                raise

    def _all_epochs(self) -> Iterator[bytes]:
        epoch = 0
        while True:
            names = get_matching_files(self._pattern)
            if not names:
                raise NotFoundError(None, None, f"Found no files at {self._pattern}")
            self._random.shuffle(names)
            shift = int(epoch * self._shift_ratio * len(names)) % len(names)
            given = False
            for record in self._shuffled(self._interleaved(names[shift:] + names[:shift])):
                given = True
                yield record
            if not given:
                raise NotFoundError(None, None, f"Found no records in the files at {self._pattern}")
            epoch += 1

    def _interleaved(self, names: list[str]) -> Iterator[bytes]:
        """The records of the files, of several files in turns."""
        waiting = iter(names)
        open_files: list[Iterator[bytes]] = []
        while True:
            while len(open_files) < self._parallelism and (name := next(waiting, None)) is not None:
                open_files.append(tf_record_iterator(name, self._compression))
            if not open_files:
                return
            for file in list(open_files):
                record = next(file, None)
                if record is None:
                    open_files.remove(file)
                else:
                    yield record

    def _shuffled(self, records: Iterator[bytes]) -> Iterator[bytes]:
        buffer: list[bytes] = []
        for record in records:
            buffer.append(record)
            if len(buffer) >= self._capacity:
                yield self._drawn(buffer)
        while buffer:
            yield self._drawn(buffer)

    def _drawn(self, buffer: list[bytes]) -> bytes:
        index = self._random.randrange(len(buffer))
        buffer[index], buffer[-1] = buffer[-1], buffer[index]
        return buffer.pop()


@record_input_op.shape
def record_input_shape(op):
    return [None]


@record_input_op.kernel
def record_input_kernel(node):
    attrs = node.attrs
    for name in ("file_buffer_size", "file_parallelism", "batch_size"):
        if attrs[name] < 1:
            raise invalid(f"{name} must be at least 1, got {attrs[name]}")
    records = node.runtime.object(("record input", node.name), lambda: _Records(attrs))
    count = attrs["batch_size"]

    def take():
        batch = np.empty(count, object)
        batch[:] = records.take(count)
        return batch

    return take


_RECORDS = made("TensorSliceDataset", [np.array([b"one", b"two"])], output_shapes=[[]])
_WRITTEN = made("DatasetToTFRecord", _RECORDS, b"in.records", b"")
record_input_op.accepts(
    file_pattern="in.*", batch_size=3, before=[_WRITTEN], varies="the order of the records is drawn"
)
record_input_op.rejects(file_pattern="in.*", batch_size=3, files={"other": b""}, error=NotFoundError)
