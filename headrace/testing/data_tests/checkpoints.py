"""Tests of iterators in checkpoints."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.checkpoints.checkpoint_state import latest_checkpoint
from headrace.checkpoints.meta_graphs import import_meta_graph
from headrace.checkpoints.saver import Saver
from headrace.core import errors
from headrace.core.collections import GraphKeys
from headrace.core.composite import SparseTensor, SparseTensorValue
from headrace.core.defaults import add_to_collection, get_collection
from headrace.core.graph import Graph
from headrace.core.nest import is_sequence as is_nested
from headrace.core.nest import map_structure
from headrace.core.tensor import Tensor
from headrace.data import nest
from headrace.data.dataset import Dataset, make_initializable_iterator
from headrace.data.options import Options
from headrace.data.saving import make_saveable_from_iterator
from headrace.functions.ragged.value import RaggedTensorValue
from headrace.lookup.tables import tables_initializer
from headrace.state.collecting import global_variables_initializer
from headrace.testing.test_case import TestCase

if TYPE_CHECKING:
    from headrace.core.dtypes import DType
    from headrace.core.operation import Operation
    from headrace.core.typing import SessionLike, TensorLike
    from headrace.runtime.session import Session


def remove_variants(get_next_op: TensorLike) -> Tensor:
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
        self, ds_fn: Callable[..., Any], num_outputs: int, sparse_tensors: bool = False, verify_exhausted: bool = True
    ) -> None:
        """Saves before the first element."""
        self.verify_run_with_breaks(ds_fn, [0], num_outputs, sparse_tensors, verify_exhausted)

    def verify_fully_used_iterator(
        self, ds_fn: Callable[..., Any], num_outputs: int, sparse_tensors: bool = False
    ) -> None:
        """Saves after the last element."""
        self.verify_run_with_breaks(ds_fn, [num_outputs], num_outputs, sparse_tensors)

    def verify_exhausted_iterator(
        self, ds_fn: Callable[..., Any], num_outputs: int, sparse_tensors: bool = False
    ) -> None:
        """Saves after the end."""
        self.gen_outputs(ds_fn, [], num_outputs, sparse_tensors=sparse_tensors)
        rest = self.gen_outputs(ds_fn, [], 0, ckpt_saved=True, sparse_tensors=sparse_tensors)
        self.assertEqual(rest, [])

    def verify_multiple_breaks(
        self,
        ds_fn: Callable[..., Any],
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
        ds_fn: Callable[..., Any],
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
        self,
        ds_fn: Callable[..., Any],
        num_outputs: int,
        error: Any,
        break_point: int | None = None,
        sparse_tensors: bool = False,
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
        ds_fn: Callable[..., Any],
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
        ds_fn: Callable[..., Any],
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

    def does_not_match(self, expected: TensorLike, actual: Any) -> None:
        """Checks that two structures differ."""
        with self.assertRaises(AssertionError):
            self.match(expected, actual)

    def gen_break_points(self, num_outputs: int, num_samples: int = 10) -> np.ndarray:
        """Places that are spread evenly, the begin and the end among them."""
        return np.linspace(0, num_outputs, num_samples, dtype=int)

    def _build_graph(self, ds_fn: Callable[..., Any], sparse_tensors: bool = False) -> tuple[Any, Any, Saver]:
        iterator = make_initializable_iterator(ds_fn())
        add_to_collection(GraphKeys.SAVEABLE_OBJECTS, make_saveable_from_iterator(iterator))
        element = iterator.get_next()
        if sparse_tensors:
            element = SparseTensor(*element)
        self._add_iterator_ops_to_collection(iterator.initializer, element, ds_fn, sparse_tensors)
        return iterator.initializer, element, Saver(allow_empty=True)

    def _add_iterator_ops_to_collection(
        self, init_op: Operation, get_next: Tensor, ds_fn: Callable[..., Any], sparse_tensors: bool = False
    ) -> None:
        add_to_collection("iterator_ops", init_op)
        for part in nest.flatten(get_next):
            parts = (part.indices, part.values, part.dense_shape) if isinstance(part, SparseTensor) else (part,)
            for tensor in parts:
                add_to_collection("iterator_ops", tensor)

    def _get_iterator_ops_from_collection(
        self, ds_fn: Callable[..., Any], sparse_tensors: bool = False
    ) -> tuple[Any, Any]:
        begin, *tensors = get_collection("iterator_ops")
        if sparse_tensors:
            return begin, SparseTensor(*tensors)
        rest = iter(tensors)
        parts = [
            SparseTensor(next(rest), next(rest), next(rest)) if kind is SparseTensor else next(rest)
            for kind in nest.flatten(self._get_output_classes(ds_fn))
        ]
        return begin, nest.pack_sequence_as(self._get_output_types(ds_fn), parts)

    def _get_output_types(self, ds_fn: Callable[..., Any]) -> DType:
        with Graph().as_default():
            return ds_fn().output_types

    def _get_output_shapes(self, ds_fn: Callable[..., Any]) -> Any:
        with Graph().as_default():
            return ds_fn().output_shapes

    def _get_output_classes(self, ds_fn: Callable[..., Any]) -> type:
        with Graph().as_default():
            return ds_fn().output_classes

    def _ckpt_path(self) -> str:
        return os.path.join(self.get_temp_dir(), "iterator")

    def _latest_ckpt(self) -> str | None:
        return latest_checkpoint(self.get_temp_dir())

    def _save(self, sess: Session, saver: Saver) -> None:
        saver.save(sess, self._ckpt_path())

    def _restore(self, saver: Saver, sess: Session) -> None:
        sess.run(tables_initializer())
        saver.restore(sess, self._latest_ckpt())

    def _initialize(self, init_op: Operation, sess: SessionLike) -> None:
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
