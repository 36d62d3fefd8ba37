"""Transformations that put elements together by a key or a length."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import control_dependencies, name_scope
from headrace.core.registry import raw
from headrace.core.shapes import as_shape
from headrace.core.type_specs import TensorSpec
from headrace.data import nest, structure
from headrace.data.arguments import int64
from headrace.data.dataset import Dataset
from headrace.data.dataset_base import DatasetSpec
from headrace.data.element_functions import ElementFunction
from headrace.data.stateful import traced_with_state
from headrace.functions.flow.checks import assert_less
from headrace.functions.math.reduction import reduce_min
from headrace.ops.array.constant import constant
from headrace.ops.array.where import where

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import TensorLike


Transformation = Callable[[Dataset], Dataset]


def _key_function(
    key_func: Callable[..., Any], transformation: str, dataset: Dataset, converts: bool
) -> ElementFunction:
    def as_int64(*element: Any) -> Tensor:
        return convert_to_tensor(key_func(*element), dtype="int64")

    made = ElementFunction(as_int64 if converts else key_func, transformation, dataset.element_spec)
    if not structure.are_compatible(made.output_structure, TensorSpec([], "int64")):
        raise ValueError(f"`key_func` must return a single tf.int64 tensor. Got {made.output_structure}.")
    return made


def group_by_window(
    key_func: Callable[..., Any],
    reduce_func: Callable[..., Any],
    window_size: TensorLike | None = None,
    window_size_func: Callable[..., Any] | None = None,
) -> Transformation:
    """A transformation that gathers elements with one key and makes a dataset of each group.

    Args:
        key_func: takes an element, returns its key, an int64 scalar.
        reduce_func: takes a key and a dataset with up to `window_size` elements, returns a dataset.
        window_size: how many elements make a group.
        window_size_func: takes a key, returns how many; instead of `window_size`.

    Raises:
        ValueError: if not exactly one of the two sizes is given.
    """
    if (window_size is None) == (window_size_func is None):
        raise ValueError("Must pass either window_size or window_size_func.")
    if window_size is not None:

        def sized(_: Tensor) -> Tensor:
            return int64(window_size, "window_size")

        window_size_func = sized
    size_func = window_size_func
    assert size_func is not None

    def apply(dataset: Dataset) -> Dataset:
        transformation = "tf.data.experimental.group_by_window()"
        key = _key_function(key_func, transformation, dataset, converts=True)
        scalar = TensorSpec([], "int64")
        nested = DatasetSpec(dataset.element_spec)
        reduce = ElementFunction(reduce_func, transformation, (scalar, nested))
        if not isinstance(reduce.output_structure, DatasetSpec):
            raise TypeError("`reduce_func` must return a `Dataset` object.")

        def as_int64(value: Tensor) -> Tensor:
            return convert_to_tensor(size_func(value), dtype="int64")

        size = ElementFunction(as_int64, transformation, scalar)
        if not size.output_structure.is_compatible_with(scalar):
            raise ValueError(
                f"`window_size_func` must return a single tf.int64 scalar tensor. Got {size.output_structure}."
            )
        spec = reduce.output_structure.element_spec
        variant = raw.GroupByWindowDataset(
            dataset._variant_tensor,
            key.captured,
            reduce.captured,
            size.captured,
            key_func=key.name,
            reduce_func=reduce.name,
            window_size_func=size.name,
            **structure.described(spec),
        )
        return Dataset(variant, spec, [dataset])

    return apply


class Reducer:
    """Three functions that reduce a group of elements.

    Args:
        init_func: takes a key, returns the first state.
        reduce_func: takes a state and an element, returns the next state.
        finalize_func: takes the last state, returns the result.
    """

    def __init__(
        self, init_func: Callable[..., Any], reduce_func: Callable[..., Any], finalize_func: Callable[..., Any]
    ) -> None:
        self._functions = init_func, reduce_func, finalize_func

    @property
    def init_func(self) -> Callable[..., Any]:
        """Takes a key, returns the first state."""
        return self._functions[0]

    @property
    def reduce_func(self) -> Callable[..., Any]:
        """Takes a state and an element, returns the next state."""
        return self._functions[1]

    @property
    def finalize_func(self) -> Callable[..., Any]:
        """Takes the last state, returns the result."""
        return self._functions[2]


def group_by_reducer(key_func: Callable[..., Any], reducer: Reducer) -> Transformation:
    """A transformation to what reducing all elements with one key gives, in the order of the keys.

    Args:
        key_func: takes an element, returns its key, an int64 scalar.
        reducer: how to reduce.
    """

    def apply(dataset: Dataset) -> Dataset:
        transformation = "tf.data.experimental.group_by_reducer()"
        key = _key_function(key_func, transformation, dataset, converts=False)
        begin = ElementFunction(reducer.init_func, transformation, TensorSpec([], "int64"))
        reduce, state = traced_with_state(
            reducer.reduce_func, transformation, begin.output_structure, dataset, lambda spec: spec
        )
        finish = ElementFunction(reducer.finalize_func, transformation, state)
        spec = finish.output_structure
        variant = raw.ExperimentalGroupByReducerDataset(
            dataset._variant_tensor,
            key.captured,
            begin.captured,
            reduce.captured,
            finish.captured,
            key_func=key.name,
            init_func=begin.name,
            reduce_func=reduce.name,
            finalize_func=finish.name,
            **structure.described(spec),
        )
        return Dataset(variant, spec, [dataset])

    return apply


def bucket_by_sequence_length(
    element_length_func: Callable[..., Any],
    bucket_boundaries: Sequence[int],
    bucket_batch_sizes: Sequence[int],
    padded_shapes: Any = None,
    padding_values: TensorLike | None = None,
    pad_to_bucket_boundary: bool = False,
    no_padding: bool = False,
    drop_remainder: bool = False,
) -> Transformation:
    """A transformation that batches elements of similar length.

    Args:
        element_length_func: takes an element, returns its length, an int32 scalar.
        bucket_boundaries: the lengths at which the next bucket begins.
        bucket_batch_sizes: the batch size of each bucket, one more than boundaries.
        padded_shapes, padding_values: as for `Dataset.padded_batch`; the shapes of the elements by default.
        pad_to_bucket_boundary: whether unknown sizes are padded to the longest of the bucket rather than of the batch.
        no_padding: whether elements are batched as they are.
        drop_remainder: whether last batches of fewer elements are left out.

    Raises:
        ValueError: if the numbers of boundaries and sizes do not fit.
    """
    if len(bucket_batch_sizes) != len(bucket_boundaries) + 1:
        raise ValueError("len(bucket_batch_sizes) must equal len(bucket_boundaries) + 1")
    with name_scope("bucket_by_seq_length"):
        batch_sizes = constant(list(bucket_batch_sizes), dtype="int64")

    def bucket(*element: Any) -> Tensor:
        length = element_length_func(*element)
        least = [np.iinfo(np.int32).min, *bucket_boundaries]
        most = [*bucket_boundaries, np.iinfo(np.int32).max]
        return reduce_min(where(raw.LogicalAnd(raw.LessEqual(least, length), raw.Less(length, most))))

    def window_size(key: Tensor) -> Tensor:
        return batch_sizes[key]

    def batch(key: Tensor, group: Dataset) -> Dataset:
        size = window_size(key)
        if no_padding:
            return group.batch(size, drop_remainder=drop_remainder)
        filler = None
        if pad_to_bucket_boundary:
            check = assert_less(
                key,
                constant(len(bucket_batch_sizes) - 1, dtype="int64"),
                message="When pad_to_bucket_boundary=True, elements must have length < max(bucket_boundaries).",
            )
            with control_dependencies([check]):
                filler = constant(list(bucket_boundaries), dtype="int64")[key] - 1
        shapes = padded_shapes or group.output_shapes
        filled = [
            [filler if size is None else size for size in as_shape(shape).as_list()] for shape in nest.flatten(shapes)
        ]
        return group.padded_batch(size, nest.pack_sequence_as(shapes, filled), padding_values, drop_remainder)

    return lambda dataset: dataset.apply(group_by_window(bucket, batch, window_size_func=window_size))
