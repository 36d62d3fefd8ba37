"""Tests of datasets that read files, and what writes these."""

from __future__ import annotations

import gzip
import itertools
import os
import zlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from headrace.data.dataset import Dataset
from headrace.data.file_sources import make_batched_features_dataset
from headrace.data.readers import TFRecordDataset
from headrace.files.records import TFRecordWriter
from headrace.functions.parsing.features import FixedLenFeature, VarLenFeature
from headrace.messages import protos
from headrace.testing.data_tests.elements import DatasetTestBase
from headrace.testing.test_case import TestCase


def _written(test: TestCase, name: str, contents: bytes) -> str:
    path = os.path.join(test.get_temp_dir(), name)
    with open(path, "wb") as stream:
        stream.write(contents)
    return path


def _in_turns(iterators: list[Iterator[Any]], cycle_length: int) -> Iterator[Any]:
    """What several iterators give, `cycle_length` of them taking turns; one that ends makes room for the next."""
    waiting = list(iterators)
    open_ones: list[Iterator[Any] | None] = [waiting.pop(0) for _ in range(min(cycle_length, len(waiting)))]
    while any(iterator is not None for iterator in open_ones):
        for i, iterator in enumerate(open_ones):
            if iterator is None:
                continue
            try:
                yield next(iterator)
            except StopIteration:
                open_ones[i] = waiting.pop(0) if waiting else None


class FixedLengthRecordDatasetTestBase(DatasetTestBase):
    """Files of records of three bytes between headers and footers."""

    def setUp(self) -> None:
        """Sets the sizes."""
        super().setUp()
        self._num_files, self._num_records = 2, 7
        self._header_bytes, self._record_bytes, self._footer_bytes = 5, 3, 2

    def _record(self, f: int, r: int) -> bytes:
        return str(f * 2 + r).encode() * self._record_bytes

    def _createFiles(self) -> list[str]:
        names = []
        for i in range(self._num_files):
            records = b"".join(self._record(i, j) for j in range(self._num_records))
            contents = b"H" * self._header_bytes + records + b"F" * self._footer_bytes
            names.append(_written(self, f"fixed_length_record.{i}.txt", contents))
        return names


class TextLineDatasetTestBase(DatasetTestBase):
    """Files of lines."""

    def _lineText(self, f: int, l: int) -> bytes:  # noqa: E741 -- tests pass it by name
        return f"{f}: {l}".encode()

    def _createFiles(
        self, num_files: int, num_lines: int, crlf: bool = False, compression_type: str | None = None
    ) -> list[str]:
        end = b"\r\n" if crlf else b"\n"
        pack: dict[str | None, Any] = {None: bytes, "": bytes, "GZIP": gzip.compress, "ZLIB": zlib.compress}
        if compression_type not in pack:
            raise ValueError("Unsupported compression_type", compression_type)
        names = []
        for i in range(num_files):
            contents = end.join(self._lineText(i, j) for j in range(num_lines))
            # Only the first file ends with the end of a line.
            contents += end if i == 0 and num_lines else b""
            names.append(_written(self, f"text_line.{i}.txt", pack[compression_type](contents)))
        return names


class TFRecordDatasetTestBase(DatasetTestBase):
    """Two files of seven records."""

    def setUp(self) -> None:
        """Writes the files."""
        super().setUp()
        self._num_files, self._num_records = 2, 7
        self.test_filenames = self._createFiles()

    def _record(self, f: int, r: int) -> bytes:
        return f"Record {r} of file {f}".encode()

    def _createFiles(self) -> list[str]:
        names = []
        for i in range(self._num_files):
            names.append(os.path.join(self.get_temp_dir(), f"tf_record.{i}.txt"))
            with TFRecordWriter(names[-1]) as writer:
                for j in range(self._num_records):
                    writer.write(self._record(i, j))
        return names

    def _interleave(self, iterators: list[Iterator[Any]], cycle_length: int) -> Iterator[Any]:
        return _in_turns(iterators, cycle_length)

    def _numbers(self, file_indices: Sequence[int], cycle_length: int) -> Iterator[tuple[int, int]]:
        files = [iter([(f, r) for r in range(self._num_records)]) for f in file_indices]
        return itertools.chain(*files) if cycle_length == 1 else _in_turns(files, cycle_length)

    def _next_expected_batch(
        self,
        file_indices: Sequence[int],
        batch_size: int,
        num_epochs: int,
        cycle_length: int,
        drop_final_batch: bool,
        use_parser_fn: bool,
    ) -> Iterator[list[bytes]]:
        records: list[bytes] = []
        for _ in range(num_epochs):
            for f, r in self._numbers(file_indices, cycle_length):
                records.append(self._record(f, r)[1 if use_parser_fn else 0 :])
        for first in range(0, len(records), batch_size):
            part = records[first : first + batch_size]
            if len(part) == batch_size or not drop_final_batch:
                yield part

    def _verify_records(
        self,
        outputs: Callable[[], Any],
        batch_size: int,
        file_index: Any,
        num_epochs: int,
        interleave_cycle_length: int,
        drop_final_batch: bool,
        use_parser_fn: bool,
    ) -> None:
        for expected in self._next_expected_batch(
            _indices(file_index, self._num_files),
            batch_size,
            num_epochs,
            interleave_cycle_length,
            drop_final_batch,
            use_parser_fn,
        ):
            self.assertAllEqual(expected, self.evaluate(outputs()))


def _indices(given: Any, count: int) -> list[int]:
    if given is None:
        return list(range(count))
    return list(given) if isinstance(given, (list, tuple)) else [given]


class MakeBatchedFeaturesDatasetTestBase(DatasetTestBase):
    """Two files of seven Examples with the features file, record, keywords and label."""

    def setUp(self) -> None:
        """Writes the files."""
        super().setUp()
        self._num_files, self._num_records = 2, 7
        self.test_filenames = self._createFiles()

    def make_batch_feature(
        self,
        filenames: Any,
        num_epochs: int | None,
        batch_size: int,
        label_key: str | None = None,
        reader_num_threads: int = 1,
        parser_num_threads: int = 1,
        shuffle: bool = False,
        shuffle_seed: int | None = None,
        drop_final_batch: bool = False,
    ) -> Dataset:
        """The dataset of batches of the features in files."""
        self.filenames, self.num_epochs, self.batch_size = filenames, num_epochs, batch_size
        features = {
            "file": FixedLenFeature([], "int64"),
            "record": FixedLenFeature([], "int64"),
            "keywords": VarLenFeature("string"),
            "label": FixedLenFeature([], "string"),
        }
        return make_batched_features_dataset(
            filenames,
            batch_size,
            features,
            reader=TFRecordDataset,
            label_key=label_key,
            num_epochs=num_epochs,
            shuffle=shuffle,
            shuffle_seed=shuffle_seed,
            reader_num_threads=reader_num_threads,
            parser_num_threads=parser_num_threads,
            drop_final_batch=drop_final_batch,
        )

    def _record(self, f: int, r: int, l: str) -> bytes:  # noqa: E741 -- tests pass it by name
        example = protos.Example()
        feature = example.features.feature
        feature["file"].int64_list.value.append(f)
        feature["record"].int64_list.value.append(r)
        feature["keywords"].bytes_list.value.extend(self._get_keywords(f, r))
        feature["label"].bytes_list.value.append(l.encode())
        made: bytes = example.SerializeToString()
        return made

    def _get_keywords(self, f: int, r: int) -> list[bytes]:
        return [b"keyword%d" % i for i in range(1 + (f + r) % 2)]

    def _sum_keywords(self, num_files: int) -> int:
        return sum(len(self._get_keywords(i, j)) for i in range(num_files) for j in range(self._num_records))

    def _createFiles(self) -> list[str]:
        names = []
        for i in range(self._num_files):
            names.append(os.path.join(self.get_temp_dir(), f"tf_record.{i}.txt"))
            with TFRecordWriter(names[-1]) as writer:
                for j in range(self._num_records):
                    writer.write(self._record(i, j, "fake-label"))
        return names

    def _run_actual_batch(self, outputs: Callable[[], Any], label_key_provided: bool = False) -> list[Any]:
        got = self.evaluate(outputs())
        features, label = got if label_key_provided else (got, got["label"])
        keywords = features["keywords"]
        return [
            features["file"],
            keywords.indices,
            keywords.values,
            keywords.dense_shape,
            features["record"],
            label,
        ]

    def _next_actual_batch(self, label_key_provided: bool = False) -> list[Any]:
        return self._run_actual_batch(self.outputs, label_key_provided)  # type: ignore[attr-defined]  # the test sets it

    def _interleave(self, iterators: list[Iterator[Any]], cycle_length: int) -> Iterator[Any]:
        return _in_turns(iterators, cycle_length)

    def _next_expected_batch(
        self, file_indices: Sequence[int], batch_size: int, num_epochs: int, cycle_length: int = 1
    ) -> Iterator[list[Any]]:
        pairs: list[tuple[int, int]] = []
        for _ in range(num_epochs):
            files = [iter([(f, r) for r in range(self._num_records)]) for f in file_indices]
            pairs.extend(itertools.chain(*files) if cycle_length == 1 else _in_turns(files, cycle_length))
        for first in range(0, len(pairs), batch_size):
            part = pairs[first : first + batch_size]
            keywords = [self._get_keywords(f, r) for f, r in part]
            yield [
                [f for f, _ in part],
                [[row, i] for row, words in enumerate(keywords) for i in range(len(words))],
                [word for words in keywords for word in words],
                [len(part), max(map(len, keywords))],
                [r for _, r in part],
                [b"fake-label"] * len(part),
            ]

    def verify_records(
        self,
        batch_size: int,
        file_index: int | None = None,
        num_epochs: int = 1,
        label_key_provided: bool = False,
        interleave_cycle_length: int = 1,
    ) -> None:
        """Checks the batches that `self.outputs` gives."""
        indices = _indices(file_index, self._num_files)
        for expected in self._next_expected_batch(indices, batch_size, num_epochs, interleave_cycle_length):
            actual = self._next_actual_batch(label_key_provided=label_key_provided)
            for one, other in zip(expected, actual, strict=True):
                self.assertAllEqual(one, other)
