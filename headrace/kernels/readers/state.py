"""The readers of a session: the work they are at, and how each makes records of it."""

from __future__ import annotations

import itertools
import threading
import zlib
from collections.abc import Callable, Iterator
from typing import Any

from headrace.core.errors import InternalError, UnimplementedError
from headrace.core.waiting import holding
from headrace.files.checkpoint.wire import Damaged, read_varint, varint
from headrace.files.failures import failures_of
from headrace.files.inflating import inflated
from headrace.files.lmdb import lmdb_pairs
from headrace.files.paths import as_path, open_binary
from headrace.files.records import tf_record_iterator
from headrace.kernels.state.handles import invalid

Record = tuple[bytes, bytes]
_BUFFER = 1 << 18
_MISSING: Any = object()


class Reader:
    """Takes work from a queue, such as a file's name, and gives its records one after another.

    Args:
        name: what errors call it.
        open_work: from the work to its records, (key, value) pairs.
        resumes: whether its state can be saved: it has one record for each work.
    """

    def __init__(
        self, kind: str, name: str, open_work: Callable[[bytes], Iterator[Record]], resumes: bool = False
    ) -> None:
        self.kind = kind
        self.name = name
        self._open = open_work
        self._resumes = resumes
        self._lock = threading.Lock()
        self._reset()

    def _reset(self) -> None:
        self._records: Iterator[Record] | None = None
        self._work = b""
        self.started = 0
        self.finished = 0
        self.produced = 0

    def _next(self, take_work: Callable[[], bytes]) -> Record:
        """The next record, under the lock."""
        while True:
            if self._records is None:
                self._work = take_work()
                self.started += 1
                self._records = self._open(self._work)
            try:
                record = next(self._records, None)
            except BaseException:
                self._records = None
                raise
            if record is not None:
                self.produced += 1
                if self._resumes:
                    self._end()
                return record
            self._end()

    def _end(self) -> None:
        self._records = None
        self.finished = self.started

    def read(self, take_work: Callable[[], bytes]) -> Record:
        """The next record; takes work, and waits for it, where none is at hand.

        Args:
            take_work: takes an element from the queue.
        """
        with holding(self._lock):
            return self._next(take_work)

    def read_up_to(self, count: int, take_work: Callable[[], bytes]) -> list[Record]:
        """The next records, at least one and at most `count`, no further than to the end of some work."""
        with holding(self._lock):
            records = [self._next(take_work)]
            if self._records is not None:
                records += itertools.islice(self._records, count - 1)
                self.produced += len(records) - 1
                if len(records) < count:
                    self._end()
            return records

    def reset(self) -> None:
        """Forgets the work."""
        with holding(self._lock):
            self._reset()

    def serialize(self) -> bytes:
        """The state as a ReaderBaseState message.

        Raises:
            UnimplementedError: if the reader may be in the middle of some work.
        """
        if not self._resumes:
            raise UnimplementedError(None, None, "Reader SerializeState")
        with holding(self._lock):
            numbers = (self.started, self.finished, self.produced)
            head = b"".join(bytes([8 * i]) + varint(number) for i, number in enumerate(numbers, 1) if number)
            return head + (b"\x22" + varint(len(self._work)) + self._work if self._work else b"")

    def restore(self, message: bytes) -> None:
        """Takes over a state that `serialize` gave; forgets its own if that fails.

        Raises:
            UnimplementedError: as `serialize`.
            InvalidArgumentError: if it is none.
        """
        with holding(self._lock):
            self._reset()
        if not self._resumes:
            raise UnimplementedError(None, None, "Reader RestoreState")
        fields = _parsed(message)
        started, finished, produced, work = fields if fields is not None else (-1, 0, 0, b"")
        if fields is None:
            shown = "".join(chr(c) if 32 <= c < 127 else f"\\{c:03o}" for c in message)
            raise invalid(f"Could not parse state for {self.kind} '{self.name}': {shown}")
        if min(started, finished, produced) < 0 or started < finished:
            raise invalid(f"Unexpected value when restoring in {self.kind} '{self.name}'")
        with holding(self._lock):
            self.started, self.finished, self.produced, self._work = started, finished, produced, work
            self._records = self._open(work) if started > finished else None


def _parsed(message: bytes) -> tuple[int, int, int, bytes] | None:
    """The fields of a ReaderBaseState message, or None."""
    numbers, work, at = [0, 0, 0, 0], b"", 0

    try:
        while at < len(message):
            tag = message[at]
            at += 1
            if tag in (8, 16, 24):
                numbers[tag // 8], at = read_varint(message, at)
            elif tag == 34:
                length, at = read_varint(message, at)
                work, at = message[at : at + length], at + length
                if len(work) < length:
                    return None
            else:
                return None
    except Damaged:
        return None
    return numbers[1], numbers[2], numbers[3], work


def identity_records(work: bytes) -> Iterator[Record]:
    """The work itself."""
    yield work, work


def whole_file_records(work: bytes) -> Iterator[Record]:
    """The contents of the file."""
    path = as_path(work)
    with failures_of(path), open_binary(path, "rb") as file:
        contents = file.read()
    yield work, contents


def line_records(skipped: int) -> Callable[[bytes], Iterator[Record]]:
    """The lines of a file, without their ends, but for the first `skipped`."""

    def records(work: bytes) -> Iterator[Record]:
        path = as_path(work)
        prefix = work + b":"
        with failures_of(path), open_binary(path, "rb") as file:
            for number, line in enumerate(file, 1):
                if number <= skipped:
                    continue
                line = line.removesuffix(b"\n")
                if b"\r" in line:
                    line = line.replace(b"\r", b"")
                yield prefix + b"%d" % number, line

    return records


def fixed_length_records(
    header: int, record: int, footer: int, hop: int, encoding: str
) -> Callable[[bytes], Iterator[Record]]:
    """Records of `record` bytes between a header and a footer, each `hop` bytes after the one before."""
    hop = hop or record

    def records(work: bytes) -> Iterator[Record]:
        path = as_path(work)
        with failures_of(path), open_binary(path, "rb") as file:
            data = file.read()
        if encoding in ("ZLIB", "GZIP"):
            try:
                data = inflated(data, 31 if encoding == "GZIP" else 15, f"{path}: what it decompresses to", whole=True)
            except zlib.error as error:
                raise InternalError(None, None, f"{path}: {error}") from None
        end = len(data) - footer
        for number in itertools.count():
            start = header + number * hop
            if start + record > end:
                return
            yield work + b":%d" % number, data[start : start + record]

    return records


def example_records(compression: str) -> Callable[[bytes], Iterator[Record]]:
    """The records of a TFRecord file."""

    def records(work: bytes) -> Iterator[Record]:
        at = 0
        for data in tf_record_iterator(as_path(work), compression or None):
            yield work + b":%d" % at, data
            # Length and data, each with a checksum.
            at += 16 + len(data)

    return records


def lmdb_records(work: bytes) -> Iterator[Record]:
    """The pairs of an LMDB database, in the order of their keys."""
    return lmdb_pairs(as_path(work))
