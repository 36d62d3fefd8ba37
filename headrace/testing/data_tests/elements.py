"""Tests of the elements of datasets."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core import errors
from headrace.core.composite import SparseTensor, SparseTensorValue
from headrace.core.convert import convert_to_tensor
from headrace.core.dtypes import as_dtype
from headrace.core.registry import raw
from headrace.data import nest, structure
from headrace.data.dataset import Dataset, make_one_shot_iterator
from headrace.functions.flow.tensor_array import TensorArray
from headrace.functions.ragged.value import RaggedTensorValue
from headrace.testing.combinations import combine
from headrace.testing.test_case import TestCase

if TYPE_CHECKING:
    from headrace.core.typing import DTypeLike, IntLike, ShapeLike, TensorLike


def default_test_combinations() -> list[Any]:
    """The ways in which 1.15 runs a test of datasets: with each API, eagerly and as a graph."""
    return combine(tf_api_version=[1, 2], mode=["eager", "graph"])


class DatasetTestBase(TestCase):
    """Checks of what datasets give."""

    def assert_op_cancelled(self, op: Any) -> None:
        """Checks that running an operation is a CancelledError."""
        with self.assertRaises(errors.CancelledError):
            self.evaluate(op)

    def assertValuesEqual(self, expected: TensorLike, actual: IntLike | bytes) -> None:
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
            iterator = make_one_shot_iterator(dataset)
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

    def structuredDataset(
        self, dataset_structure: Any, shape: ShapeLike | None = None, dtype: DTypeLike = "int64"
    ) -> Dataset:
        """A dataset with one element of zeros: None in the structure is a tensor, a sequence a tuple."""
        if dataset_structure is None:
            return Dataset.from_tensors(raw.Fill(np.array(shape or [], np.int32), _zero(dtype)))
        return Dataset.zip(tuple(self.structuredDataset(part, shape, dtype) for part in dataset_structure))

    def structuredElement(
        self, element_structure: Any, shape: ShapeLike | None = None, dtype: DTypeLike = "int64"
    ) -> Any:
        """Zeros: None in the structure is a tensor, a sequence a tuple."""
        if element_structure is None:
            return raw.Fill(np.array(shape or [], np.int32), _zero(dtype))
        return tuple(self.structuredElement(part, shape, dtype) for part in element_structure)


def _zero(dtype: DTypeLike) -> Any:
    return convert_to_tensor("" if as_dtype(dtype).name == "string" else 0, dtype=dtype)
