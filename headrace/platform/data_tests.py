"""The base classes of tests of datasets in 1.15's own modules, for tests written on them.

The names are 1.15's, underscores included, since tests call them.
"""

from __future__ import annotations

import gzip
import itertools
import os
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from headrace.core import errors
from headrace.core.collections import GraphKeys
from headrace.core.composite import SparseTensor, SparseTensorValue
from headrace.core.defaults import add_to_collection, get_collection
from headrace.core.graph import Graph
from headrace.core.nest import is_sequence as is_nested
from headrace.core.nest import map_structure
from headrace.core.operation import Tensor
from headrace.core.registry import raw
from headrace.data import nest, structure
from headrace.data.dataset import Dataset
from headrace.data.file_sources import make_batched_features_dataset
from headrace.data.options import Options
from headrace.data.readers import TFRecordDataset
from headrace.data.saving import make_saveable_from_iterator
from headrace.data.statistics import StatsAggregator
from headrace.files.records import TFRecordWriter
from headrace.interop import protos
from headrace.lookup.tables import tables_initializer
from headrace.ops.flow.tensor_array import TensorArray
from headrace.ops.parsing.features import FixedLenFeature, VarLenFeature
from headrace.ops.ragged.value import RaggedTensorValue
from headrace.platform.combinations import combine
from headrace.platform.test_case import TestCase
from headrace.state.collecting import global_variables_initializer
from headrace.train.checkpoint_state import latest_checkpoint
from headrace.train.meta_graphs import import_meta_graph
from headrace.train.saver import Saver


def default_test_combinations() -> list[Any]:
    """The ways in which 1.15 runs a test of datasets: with each API, eagerly and as a graph."""
    return combine(tf_api_version=[1, 2], mode=["eager", "graph"])


class DatasetTestBase(TestCase):
    """Checks of what datasets give."""

    def assert_op_cancelled(self, op: Any) -> None:
        """Checks that running an operation is a CancelledError."""
        with self.assertRaises(errors.CancelledError):
            self.evaluate(op)

    def assertValuesEqual(self, expected: Any, actual: Any) -> None:
        """Checks that two values, sparse ones by their parts, are equal."""
        if isinstance(expected, (SparseTensor, SparseTensorValue)):
            for part in ("indices", "values", "dense_shape"):
                self.assertAllEqual(getattr(expected, part), getattr(actual, part))
        else:
            self.assertAllEqual(expected, actual)

    def getNext(
        self, dataset: Dataset, requires_initialization: bool = False, shared_name: str | None = None
    ) -> Callable[[], Any]:
        """A function whose result is evaluated for the next element; TensorArrays are stacked.

        Args:
            dataset: the dataset.
            requires_initialization: whether it needs an iterator that is initialized.
            shared_name: the name of that.
        """
        if requires_initialization:
            iterator = dataset.make_initializable_iterator(shared_name)
            self.evaluate(iterator.initializer)
        else:
            iterator = dataset.make_one_shot_iterator()
        element = iterator.get_next()
        if isinstance(element, TensorArray):
            element = element.stack()
        return lambda: element

    def _compareOutputToExpected(
        self, result_values: Sequence[Any], expected_values: Sequence[Any], assert_items_equal: bool
    ) -> None:
        if assert_items_equal:
            self.assertCountEqual(result_values, expected_values)
            return
        for result, expected in zip(result_values, expected_values, strict=True):
            nest.assert_same_structure(result, expected)
            for one, other in zip(nest.flatten(result), nest.flatten(expected), strict=True):
                self.assertValuesEqual(other, one)

    def assertDatasetProduces(
        self,
        dataset: Dataset,
        expected_output: Sequence[Any] | None = None,
        expected_shapes: Any = None,
        expected_error: tuple[Any, Any] | None = None,
        requires_initialization: bool = False,
        num_test_iterations: int = 1,
        assert_items_equal: bool = False,
        expected_error_iter: int = 1,
    ) -> None:
        """Checks the elements of a dataset, or the error it ends with.

        Args:
            dataset: the dataset.
            expected_output: its elements.
            expected_shapes: its `output_shapes`.
            expected_error: the class of the error, and a pattern or a function of it.
            requires_initialization: whether it needs an iterator that is initialized.
            num_test_iterations: how often to go through it.
            assert_items_equal: whether the order is of no importance.
            expected_error_iter: at which element the error comes.
        """
        self.assertTrue(
            (expected_error is None) != (expected_output is None),
            "Exactly one of expected_output or expected error should be provided.",
        )
        if expected_error is not None:
            with self.assertRaisesWithPredicateMatch(*expected_error):
                following = self.getNext(dataset, requires_initialization=requires_initialization)
                for _ in range(expected_error_iter):
                    self.evaluate(following())
            return
        assert expected_output is not None
        if expected_shapes:
            self.assertEqual(expected_shapes, dataset.output_shapes)
        self.assertGreater(num_test_iterations, 0)
        for _ in range(num_test_iterations):
            following = self.getNext(dataset, requires_initialization=requires_initialization)
            found = [self.evaluate(following()) for _ in expected_output]
            self._compareOutputToExpected(found, expected_output, assert_items_equal)
            self._assert_ended(following)
            self._assert_ended(following)

    def _assert_ended(self, following: Callable[[], Any]) -> None:
        with self.assertRaises(errors.OutOfRangeError):
            self.evaluate(following())

    def assertDatasetsEqual(self, dataset1: Dataset, dataset2: Dataset) -> None:
        """Checks that two datasets have the same elements."""
        self.assertTrue(structure.are_compatible(dataset1.element_spec, dataset2.element_spec))
        types = nest.flatten(dataset1.output_types)
        first, second = self.getNext(dataset1), self.getNext(dataset2)
        while True:
            try:
                one = self.evaluate(first())
            except errors.OutOfRangeError:
                self._assert_ended(second)
                return
            other = self.evaluate(second())
            for a, b, dtype in zip(nest.flatten(one), nest.flatten(other), types, strict=True):
                if isinstance(a, (SparseTensorValue, RaggedTensorValue)) or dtype.name == "string":
                    self.assertValuesEqual(a, b)
                else:
                    self.assertAllClose(a, b)

    def assertDatasetsRaiseSameError(
        self, dataset1: Dataset, dataset2: Dataset, exception_class: type[Exception], replacements: Any = None
    ) -> None:
        """Checks that the first elements of two datasets are the same error.

        Args:
            replacements: triples (old, new, count) to replace in the message of the first.
        """
        first, second = self.getNext(dataset1), self.getNext(dataset2)
        with self.assertRaises(exception_class) as caught:
            self.evaluate(first())
        message = getattr(caught.exception, "message", str(caught.exception))
        for old, new, count in replacements or []:
            message = message.replace(old, new, count)
        with self.assertRaisesRegex(exception_class, re.escape(message)):
            self.evaluate(second())

    def structuredDataset(self, dataset_structure: Any, shape: Any = None, dtype: Any = "int64") -> Dataset:
        """A dataset with one element of zeros: None in the structure is a tensor, a sequence a tuple."""
        if dataset_structure is None:
            return Dataset.from_tensors(raw.Fill(np.array(shape or [], np.int32), _zero(dtype)))
        return Dataset.zip(tuple(self.structuredDataset(part, shape, dtype) for part in dataset_structure))

    def structuredElement(self, element_structure: Any, shape: Any = None, dtype: Any = "int64") -> Any:
        """Zeros: None in the structure is a tensor, a sequence a tuple."""
        if element_structure is None:
            return raw.Fill(np.array(shape or [], np.int32), _zero(dtype))
        return tuple(self.structuredElement(part, shape, dtype) for part in element_structure)


def _zero(dtype: Any) -> Any:
    from headrace.core.convert import convert_to_tensor
    from headrace.core.dtypes import as_dtype

    return convert_to_tensor("" if as_dtype(dtype).name == "string" else 0, dtype=dtype)


# ---- iterators in checkpoints ----


def remove_variants(get_next_op: Any) -> Any:
    """An element without its variants, which sessions do not give."""
    return map_structure(
        lambda part: () if isinstance(part, Tensor) and part.dtype.name == "variant" else part, get_next_op
    )


class DatasetSerializationTestBase(TestCase):
    """Checks that iterators go on after being saved and restored, each time in a new graph and session."""

    def tearDown(self) -> None:
        """Removes the checkpoint."""
        self._delete_ckpt()
        super().tearDown()

    def run_core_tests(self, ds_fn: Callable[[], Dataset], num_outputs: int, sparse_tensors: bool = False) -> None:
        """Saves and restores an iterator that has not begun, has ended, has come to some places, and begins anew.

        Args:
            ds_fn: makes the dataset.
            num_outputs: how many elements it has.
            sparse_tensors: whether elements are sparse tensors in parts.
        """
        options = Options()
        options.experimental_optimization.apply_default_optimizations = False

        def plain() -> Dataset:
            return ds_fn().with_options(options)

        for verify in (
            self.verify_unused_iterator,
            self.verify_fully_used_iterator,
            self.verify_exhausted_iterator,
            self.verify_multiple_breaks,
            self.verify_reset_restored_iterator,
        ):
            verify(plain, num_outputs, sparse_tensors=sparse_tensors)

    def verify_unused_iterator(
        self, ds_fn: Any, num_outputs: int, sparse_tensors: bool = False, verify_exhausted: bool = True
    ) -> None:
        """Saves before the first element."""
        self.verify_run_with_breaks(ds_fn, [0], num_outputs, sparse_tensors, verify_exhausted)

    def verify_fully_used_iterator(self, ds_fn: Any, num_outputs: int, sparse_tensors: bool = False) -> None:
        """Saves after the last element."""
        self.verify_run_with_breaks(ds_fn, [num_outputs], num_outputs, sparse_tensors)

    def verify_exhausted_iterator(self, ds_fn: Any, num_outputs: int, sparse_tensors: bool = False) -> None:
        """Saves after the end."""
        self.gen_outputs(ds_fn, [], num_outputs, sparse_tensors=sparse_tensors)
        rest = self.gen_outputs(ds_fn, [], 0, ckpt_saved=True, sparse_tensors=sparse_tensors)
        self.assertEqual(rest, [])

    def verify_multiple_breaks(
        self,
        ds_fn: Any,
        num_outputs: int,
        num_breaks: int = 10,
        sparse_tensors: bool = False,
        verify_exhausted: bool = True,
    ) -> None:
        """Saves at places that are spread evenly."""
        places = self.gen_break_points(num_outputs, num_breaks)
        self.verify_run_with_breaks(ds_fn, places, num_outputs, sparse_tensors, verify_exhausted)

    def verify_reset_restored_iterator(
        self,
        ds_fn: Any,
        num_outputs: int,
        break_point: int | None = None,
        sparse_tensors: bool = False,
        verify_exhausted: bool = True,
    ) -> None:
        """Begins anew what was restored."""
        expected = self.gen_outputs(
            ds_fn, [], num_outputs, sparse_tensors=sparse_tensors, verify_exhausted=verify_exhausted
        )
        place = break_point or num_outputs // 2
        self.gen_outputs(ds_fn, [], place, sparse_tensors=sparse_tensors, verify_exhausted=False)
        with Graph().as_default() as graph:
            saver = self._import_meta_graph()
            begin, following = self._get_iterator_ops_from_collection(ds_fn, sparse_tensors)
            following = remove_variants(following)
            with self.session(graph=graph) as session:
                self._initialize(begin, session)
                self._restore(saver, session)
                self._initialize(begin, session)
                actual = [session.run(following) for _ in range(num_outputs)]
                if verify_exhausted:
                    with self.assertRaises(errors.OutOfRangeError):
                        session.run(following)
        self.match(expected, actual)

    def verify_error_on_save(
        self, ds_fn: Any, num_outputs: int, error: Any, break_point: int | None = None, sparse_tensors: bool = False
    ) -> None:
        """Checks that an iterator cannot be saved."""
        with Graph().as_default() as graph:
            begin, following, saver = self._build_graph(ds_fn, sparse_tensors)
            following = remove_variants(following)
            with self.session(graph=graph) as session:
                self._initialize(begin, session)
                for _ in range(break_point or num_outputs // 2):
                    session.run(following)
                with self.assertRaises(error):
                    self._save(session, saver)

    def verify_run_with_breaks(
        self,
        ds_fn: Any,
        break_points: Iterable[int],
        num_outputs: int,
        sparse_tensors: bool = False,
        verify_exhausted: bool = True,
    ) -> None:
        """Checks that the elements are the same with and without being saved and restored at places."""
        settings = {"sparse_tensors": sparse_tensors, "verify_exhausted": verify_exhausted}
        expected = self.gen_outputs(ds_fn, [], num_outputs, **settings)
        actual = self.gen_outputs(ds_fn, list(break_points), num_outputs, **settings)
        self.match(expected, actual)

    def gen_outputs(
        self,
        ds_fn: Any,
        break_points: Sequence[int],
        num_outputs: int,
        ckpt_saved: bool = False,
        sparse_tensors: bool = False,
        verify_exhausted: bool = True,
        save_checkpoint_at_end: bool = True,
    ) -> list[Any]:
        """The elements of a dataset, saved at places and restored in a new graph and session.

        Args:
            ds_fn: makes the dataset.
            break_points: after how many elements.
            num_outputs: how many elements.
            ckpt_saved: whether there is a checkpoint already.
            sparse_tensors: whether elements are sparse tensors in parts.
            verify_exhausted: whether the end must follow.
            save_checkpoint_at_end: whether the last place is saved too.
        """
        found: list[Any] = []
        for first, last in itertools.pairwise([0, *break_points, num_outputs]):
            at_end = last == num_outputs and len(found) + last - first == num_outputs
            with Graph().as_default() as graph:
                if ckpt_saved:
                    saver = self._import_meta_graph()
                    begin, following = self._get_iterator_ops_from_collection(ds_fn, sparse_tensors)
                else:
                    begin, following, saver = self._build_graph(ds_fn, sparse_tensors)
                following = remove_variants(following)
                with self.session(graph=graph) as session:
                    self._initialize(begin, session)
                    if ckpt_saved:
                        self._restore(saver, session)
                    found.extend(session.run(following) for _ in range(last - first))
                    if at_end and verify_exhausted:
                        with self.assertRaises(errors.OutOfRangeError):
                            session.run(following)
                    if save_checkpoint_at_end or not at_end:
                        self._save(session, saver)
                        ckpt_saved = True
        return found

    def match(self, expected: Any, actual: Any) -> None:
        """Checks that two structures of values are of the same types, shapes and values."""
        expected, actual = (value.tolist() if isinstance(value, np.ndarray) else value for value in (expected, actual))
        self.assertEqual(type(expected), type(actual))
        if isinstance(expected, dict):
            self.assertEqual(sorted(expected), sorted(actual))
            for key in expected:
                self.match(expected[key], actual[key])
        elif isinstance(expected, RaggedTensorValue):
            self.match((expected.values, expected.row_splits), (actual.values, actual.row_splits))
        elif is_nested(expected) or isinstance(expected, SparseTensorValue):
            self.assertEqual(len(expected), len(actual))
            for one, other in zip(expected, actual, strict=True):
                self.match(one, other)
        else:
            self.assertEqual(expected, actual)

    def does_not_match(self, expected: Any, actual: Any) -> None:
        """Checks that two structures differ."""
        with self.assertRaises(AssertionError):
            self.match(expected, actual)

    def gen_break_points(self, num_outputs: int, num_samples: int = 10) -> Any:
        """Places that are spread evenly, the begin and the end among them."""
        return np.linspace(0, num_outputs, num_samples, dtype=int)

    def _build_graph(self, ds_fn: Any, sparse_tensors: bool = False) -> tuple[Any, Any, Saver]:
        iterator = ds_fn().make_initializable_iterator()
        add_to_collection(GraphKeys.SAVEABLE_OBJECTS, make_saveable_from_iterator(iterator))
        element = iterator.get_next()
        if sparse_tensors:
            element = SparseTensor(*element)
        self._add_iterator_ops_to_collection(iterator.initializer, element, ds_fn, sparse_tensors)
        return iterator.initializer, element, Saver(allow_empty=True)

    def _add_iterator_ops_to_collection(
        self, init_op: Any, get_next: Any, ds_fn: Any, sparse_tensors: bool = False
    ) -> None:
        add_to_collection("iterator_ops", init_op)
        for part in nest.flatten(get_next):
            parts = (part.indices, part.values, part.dense_shape) if isinstance(part, SparseTensor) else (part,)
            for tensor in parts:
                add_to_collection("iterator_ops", tensor)

    def _get_iterator_ops_from_collection(self, ds_fn: Any, sparse_tensors: bool = False) -> tuple[Any, Any]:
        begin, *tensors = get_collection("iterator_ops")
        if sparse_tensors:
            return begin, SparseTensor(*tensors)
        rest = iter(tensors)
        parts = [
            SparseTensor(next(rest), next(rest), next(rest)) if kind is SparseTensor else next(rest)
            for kind in nest.flatten(self._get_output_classes(ds_fn))
        ]
        return begin, nest.pack_sequence_as(self._get_output_types(ds_fn), parts)

    def _get_output_types(self, ds_fn: Any) -> Any:
        with Graph().as_default():
            return ds_fn().output_types

    def _get_output_shapes(self, ds_fn: Any) -> Any:
        with Graph().as_default():
            return ds_fn().output_shapes

    def _get_output_classes(self, ds_fn: Any) -> Any:
        with Graph().as_default():
            return ds_fn().output_classes

    def _ckpt_path(self) -> str:
        return os.path.join(self.get_temp_dir(), "iterator")

    def _latest_ckpt(self) -> str | None:
        return latest_checkpoint(self.get_temp_dir())

    def _save(self, sess: Any, saver: Saver) -> None:
        saver.save(sess, self._ckpt_path())

    def _restore(self, saver: Saver, sess: Any) -> None:
        sess.run(tables_initializer())
        saver.restore(sess, self._latest_ckpt())

    def _initialize(self, init_op: Any, sess: Any) -> None:
        sess.run(global_variables_initializer())
        sess.run(tables_initializer())
        sess.run(init_op)

    def _import_meta_graph(self) -> Any:
        return import_meta_graph(self._ckpt_path() + ".meta")

    def _delete_ckpt(self) -> None:
        folder, prefix = os.path.split(self._ckpt_path())
        for name in os.listdir(folder):
            if name.startswith(prefix):
                os.remove(os.path.join(folder, name))


# ---- files ----


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
        return self._run_actual_batch(self.outputs, label_key_provided)  # type: ignore[attr-defined]

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


# ---- measurements ----


class StatsDatasetTestBase(DatasetTestBase):
    """Checks of the summaries of measurements."""

    def datasetExperimentalStats(
        self, dataset: Dataset, aggregator: StatsAggregator, prefix: str = "", counter_prefix: str = ""
    ) -> Dataset:
        """`dataset`, measured by an aggregator."""
        options = Options()
        stats = options.experimental_stats
        stats.aggregator, stats.prefix, stats.counter_prefix = aggregator, prefix, counter_prefix
        stats.latency_all_edges = False
        return dataset.with_options(options)

    def regexForNodeName(self, op_name: str, stats_type: str = "") -> str:
        """The pattern of the name of a dataset's measurement."""
        return rf"{op_name}/_\d+" + (f"::{stats_type}" if stats_type else "")

    def getHandle(self, aggregator: StatsAggregator) -> Any:
        """The summary so far."""
        return self.evaluate(aggregator.get_summary())

    def _tagged(self, summary: bytes, tag: str) -> Any:
        message = protos.Summary.FromString(summary)
        for value in message.value:
            if re.match(tag, value.tag):
                return value
        self.fail(f"Expected tag {tag!r} not found in summary {message!r}")

    def assertStatisticsContains(self, handle: bytes, tag: str, num_events: int = -1, offset: int = 0) -> None:
        """Checks that something was measured under a name."""
        self._tagged(handle, tag)

    def assertStatisticsHasCount(
        self, handle: bytes, tag: str, count: float, num_events: int = -1, greater_than: bool = False, offset: int = 0
    ) -> None:
        """Checks how often it was, at least if `greater_than`."""
        number = self._tagged(handle, tag).histo.num
        (self.assertGreaterEqual if greater_than else self.assertEqual)(number, count)

    def assertStatisticsHasSum(
        self, handle: bytes, tag: str, expected_value: float, num_events: int = -1, offset: int = 0
    ) -> None:
        """Checks the sum of what was measured."""
        self.assertEqual(expected_value, self._tagged(handle, tag).histo.sum)

    def assertStatisticsHasScalarValue(
        self, handle: bytes, tag: str, expected_value: float, num_events: int = -1, offset: int = 0
    ) -> None:
        """Checks a counter."""
        self.assertEqual(expected_value, self._tagged(handle, tag).simple_value)

    def assertStatisticsHasRange(
        self, handle: bytes, tag: str, min_value: float, max_value: float, num_events: int = -1, offset: int = 0
    ) -> None:
        """Checks between which values all measurements lie."""
        histogram = self._tagged(handle, tag).histo
        self.assertLessEqual(min_value, histogram.min)
        self.assertGreaterEqual(max_value, histogram.max)
