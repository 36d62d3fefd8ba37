"""The transformations of datasets: methods that make one dataset of another."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from headrace.core.convert import convert_to_tensor
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.data import nest, structure
from headrace.data.arguments import check_predicate, int64, known_size
from headrace.data.dataset_base import DatasetBase, DatasetSpec
from headrace.data.element_functions import ElementFunction
from headrace.data.options import Options
from headrace.data.padding import padded
from headrace.data.seeds import get_seed
from headrace.data.stateful import reduced

if TYPE_CHECKING:
    from headrace.core.composite_types import CompositeTensor
    from headrace.core.typing import Nested, ShapeLike, TensorLike
    from headrace.data.dataset import Dataset


class Transformations(DatasetBase):
    """The methods of `tf.data.Dataset` that transform it."""

    # Whether a function of `map` that says there is nothing more fails instead of ending the dataset.
    _preserves_cardinality: ClassVar[bool]

    def _made(self, variant: Tensor, element_spec: object, *others: DatasetBase) -> Dataset:
        """The dataset that a tensor stands for, made of this one and others."""
        raise NotImplementedError

    def with_options(self, options: Options) -> Dataset:
        """The same dataset with options.

        Raises:
            ValueError: if an option is set already, to another value.
        """
        made = self._same(self._variant_tensor)
        made._own_options = options
        made.options()
        return made

    def apply(self, transformation_func: Callable[[Any], Dataset]) -> Dataset:
        """`transformation_func` of this dataset.

        Raises:
            TypeError: if that is no dataset.
        """
        made = transformation_func(self)
        if not isinstance(made, DatasetBase):
            raise TypeError(f"`transformation_func` must return a Dataset. Got {made}.")
        made._input_datasets = (
            [self, *made._input_datasets] if self not in made._input_datasets else made._input_datasets
        )
        return made

    def _same(self, variant: Tensor, *others: Dataset) -> Dataset:
        return self._made(variant, self.element_spec, *others)

    def concatenate(self, dataset: Dataset) -> Dataset:
        """The elements of this dataset, then those of another.

        Raises:
            TypeError: if their elements have other types, or for what is no dataset.
        """
        if not isinstance(dataset, DatasetBase):
            raise TypeError(f"`dataset_or_iterator` must be a Dataset or Iterator object, but got {type(dataset)}.")
        if self.output_types != dataset.output_types:
            raise TypeError(
                f"Two datasets to concatenate have different types {self.output_types} and {dataset.output_types}"
            )
        if self.output_classes != dataset.output_classes:
            raise TypeError(
                f"Two datasets to concatenate have different classes {self.output_classes} and {dataset.output_classes}"
            )
        spec = structure.most_general(self.element_spec, dataset.element_spec)
        variant = raw.ConcatenateDataset(self._variant_tensor, dataset._variant_tensor, **structure.described(spec))
        return self._made(variant, spec, dataset)

    def prefetch(self, buffer_size: int | Sequence[int] | None) -> Dataset:
        """The same elements, up to `buffer_size` of them made ahead of time (-1 for as many as suit)."""
        size = int64(-1 if buffer_size is None else buffer_size, "buffer_size")
        return self._same(raw.PrefetchDataset(self._variant_tensor, size, **self._flat_structure))

    def repeat(self, count: TensorLike | None = None) -> Dataset:
        """The elements again and again, `count` times; for ever if that is None or -1."""
        times = int64(-1 if count is None else count, "count")
        return self._same(raw.RepeatDataset(self._variant_tensor, times, **self._flat_structure))

    def shuffle(
        self, buffer_size: TensorLike, seed: int | Tensor | None = None, reshuffle_each_iteration: bool | None = None
    ) -> Dataset:
        """The elements in random order, each drawn from a buffer of the next `buffer_size`.

        Args:
            buffer_size: the size of the buffer.
            seed: an integer or int64 tensor.
            reshuffle_each_iteration: whether each pass has another order, True by default.
        """
        size = int64(buffer_size, "buffer_size")
        first, second = get_seed(seed)
        variant = raw.ShuffleDataset(
            self._variant_tensor,
            size,
            first,
            second,
            reshuffle_each_iteration=True if reshuffle_each_iteration is None else reshuffle_each_iteration,
            **self._flat_structure,
        )
        return self._same(variant)

    def cache(self, filename: TensorLike = "") -> Dataset:
        """The same elements, kept in memory, or in a file of this name, once all have been made."""
        path = convert_to_tensor(filename, dtype="string", name="filename")
        return self._same(raw.CacheDataset(self._variant_tensor, path, **self._flat_structure))

    def take(self, count: TensorLike) -> Dataset:
        """The first `count` elements; all if that is -1."""
        return self._same(raw.TakeDataset(self._variant_tensor, int64(count, "count"), **self._flat_structure))

    def skip(self, count: TensorLike) -> Dataset:
        """All but the first `count` elements; none if that is -1."""
        return self._same(raw.SkipDataset(self._variant_tensor, int64(count, "count"), **self._flat_structure))

    def shard(self, num_shards: TensorLike, index: TensorLike) -> Dataset:
        """Every `num_shards`-th element, from the one at `index` on."""
        count, place = int64(num_shards, "num_shards"), int64(index, "index")
        return self._same(raw.ShardDataset(self._variant_tensor, count, place, **self._flat_structure))

    def batch(self, batch_size: TensorLike, drop_remainder: TensorLike = False) -> Dataset:
        """`batch_size` elements at a time, as the rows of one.

        Args:
            batch_size: how many.
            drop_remainder: whether a last batch of fewer is left out.
        """
        size = int64(batch_size, "batch_size")
        drop = convert_to_tensor(drop_remainder, dtype="bool", name="drop_remainder")
        spec = structure.batched(self.element_spec, known_size(size, drop))
        variant = raw.BatchDatasetV2(self._variant_tensor, size, drop, **structure.described(spec))
        return self._made(variant, spec)

    def padded_batch(
        self,
        batch_size: TensorLike,
        padded_shapes: Nested[ShapeLike | Tensor],
        padding_values: Nested[TensorLike] | None = None,
        drop_remainder: TensorLike = False,
    ) -> Dataset:
        """`batch_size` elements at a time as the rows of one, each padded to a common shape.

        Args:
            batch_size: how many.
            padded_shapes: for each component the shape to pad to; None or -1 for the largest size of the batch.
            padding_values: for each component what to pad with; 0 and "" by default.
            drop_remainder: whether a last batch of fewer is left out.

        Raises:
            TypeError: for sparse components, or a padding value of another type.
            ValueError: if a padded shape does not suit its component.
        """
        return self._made(*padded(self, batch_size, padded_shapes, padding_values, drop_remainder))

    def map(
        self,
        map_func: Callable[..., Any],
        num_parallel_calls: TensorLike | None = None,
        num_threads: Any = None,
        output_buffer_size: Any = None,
    ) -> Dataset:
        """What `map_func` makes of each element.

        Args:
            map_func: takes an element (one that is a tuple as several arguments), returns one; traced once.
            num_parallel_calls: how many elements may be worked on at once; -1 for as many as suit.
            num_threads: the older name of `num_parallel_calls`.
            output_buffer_size: how many results may be made ahead of time, as `prefetch` would.
        """
        calls = num_parallel_calls if num_parallel_calls is not None else num_threads
        made = self._mapped_by(ElementFunction(map_func, "Dataset.map()", self.element_spec), calls)
        return made if output_buffer_size is None else made.prefetch(output_buffer_size)

    def _mapped_by(self, function: ElementFunction, calls: TensorLike | None) -> Dataset:
        spec = function.output_structure
        attrs = {
            "f": function.name,
            "preserve_cardinality": self._preserves_cardinality,
            **structure.described(spec),
        }
        if calls is None:
            variant = raw.MapDataset(self._variant_tensor, function.captured, **attrs)
        else:
            count = convert_to_tensor(calls, dtype="int32", name="num_parallel_calls")
            variant = raw.ParallelMapDataset(self._variant_tensor, function.captured, count, **attrs)
        return self._made(variant, spec)

    def flat_map(self, map_func: Callable[..., Any]) -> Dataset:
        """The elements of the datasets that `map_func` makes of the elements, one dataset after the other.

        Raises:
            TypeError: if `map_func` returns no dataset.
        """
        function, spec = self._dataset_function(map_func, "Dataset.flat_map()")
        variant = raw.FlatMapDataset(
            self._variant_tensor, function.captured, f=function.name, **structure.described(spec)
        )
        return self._made(variant, spec)

    def _dataset_function(self, map_func: Callable[..., Any], transformation: str) -> tuple[ElementFunction, Any]:
        function = ElementFunction(map_func, transformation, self.element_spec)
        if not isinstance(function.output_structure, DatasetSpec):
            raise TypeError(f"`map_func` must return a `Dataset` object. Got {type(function.output_structure)}")
        return function, function.output_structure.element_spec

    def interleave(
        self,
        map_func: Callable[..., Any],
        cycle_length: int = -1,
        block_length: TensorLike = 1,
        num_parallel_calls: TensorLike | None = None,
    ) -> Dataset:
        """The elements of the datasets that `map_func` makes of the elements, several datasets taking turns.

        Args:
            map_func: takes an element, returns a dataset.
            cycle_length: how many datasets take turns; -1 for as many as there are processors.
            block_length: how many elements each gives in its turn.
            num_parallel_calls: how many may be worked on at once.

        Raises:
            TypeError: if `map_func` returns no dataset.
        """
        if isinstance(cycle_length, int) and cycle_length == -1:
            cycle_length = os.cpu_count() or 1
        function, spec = self._dataset_function(map_func, "Dataset.interleave()")
        cycle, block = int64(cycle_length, "cycle_length"), int64(block_length, "block_length")
        arguments: list[Any] = [self._variant_tensor, function.captured, cycle, block]
        described = structure.described(spec)
        if num_parallel_calls is None:
            variant = raw.InterleaveDataset(*arguments, f=function.name, **described)
        else:
            calls = int64(num_parallel_calls, "num_parallel_calls")
            variant = raw.ParallelInterleaveDatasetV2(*arguments, calls, f=function.name, **described)
        return self._made(variant, spec)

    def filter(self, predicate: Callable[..., Any]) -> Dataset:
        """The elements for which `predicate`, a function to a bool scalar, is true.

        Raises:
            ValueError: if `predicate` returns anything else.
        """
        return self._filtered_by(ElementFunction(predicate, "Dataset.filter()", self.element_spec))

    def _filtered_by(self, function: ElementFunction) -> Dataset:
        check_predicate(function.output_structure)
        variant = raw.FilterDataset(
            self._variant_tensor, function.captured, predicate=function.name, **self._flat_structure
        )
        return self._same(variant)

    def window(
        self,
        size: TensorLike,
        shift: TensorLike | None = None,
        stride: TensorLike = 1,
        drop_remainder: TensorLike = False,
    ) -> Dataset:
        """Datasets of elements: windows over this one.

        Args:
            size: how many elements a window has.
            shift: how far the next window begins from this one, `size` by default.
            stride: how far apart the elements of a window are.
            drop_remainder: whether last windows of fewer elements are left out.
        """
        shift = size if shift is None else shift
        spec = nest.map_structure(DatasetSpec, self.element_spec)
        variant = raw.WindowDataset(
            self._variant_tensor,
            int64(size, "size"),
            int64(shift, "shift"),
            int64(stride, "stride"),
            convert_to_tensor(drop_remainder, dtype="bool", name="drop_remainder"),
            **structure.described(spec),
        )
        return self._made(variant, spec)

    def reduce(self, initial_state: Nested[TensorLike | CompositeTensor], reduce_func: Callable[..., Any]) -> Any:
        """The last state of a function that is called with a state and each element in turn.

        Args:
            initial_state: the state that the first call gets, a structure of tensors.
            reduce_func: takes the state and an element, returns the next state.

        Returns:
            the last state.

        Raises:
            TypeError: if `reduce_func` returns another structure or other types.
        """
        return reduced(self, initial_state, reduce_func)

    def unbatch(self) -> Dataset:
        """The rows of the elements, as elements."""
        spec = self.element_spec
        sizes = {shape.dims[0].value for shape in nest.flatten(self.output_shapes) if getattr(shape, "dims", None)}
        if len(sizes - {None}) > 1:
            raise ValueError("Cannot unbatch an input whose components have different batch sizes.")

        def normalize(*parts: Any) -> tuple[Tensor, ...]:
            element = parts if type(spec) is tuple else parts[0]
            return tuple(structure.to_batched_tensors(spec, element))

        dense = self.map(normalize)
        row = structure.row(spec)
        variant = raw.UnbatchDataset(dense._variant_tensor, **structure.described(row))
        return dense._made(variant, row)
