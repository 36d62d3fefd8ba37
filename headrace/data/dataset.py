"""`tf.data.Dataset`: a description of a sequence of elements, made of other datasets by transformations."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable, Sequence
from typing import Any

from headrace.core.constant_value import constant_value
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import control_dependencies, name_scope
from headrace.core.eager import executing_eagerly
from headrace.core.operation import Tensor
from headrace.core.registry import raw
from headrace.data import nest, structure
from headrace.data.functions import ElementFunction
from headrace.data.options import Options

_MOST = 2**63 - 1


def int64(value: Any, name: str) -> Tensor:
    """A scalar argument of a dataset op as a tensor."""
    return convert_to_tensor(value, dtype="int64", name=name)


class Dataset(structure.Described):
    """A sequence of elements: tensors, sparse tensors and datasets, or tuples, named tuples and dicts of them.

    Make one with the static methods or a reader class, transform it with the others, and take elements from it with an
    iterator.

    Args:
        variant_tensor: the tensor that stands for it.
        element_spec: the description of its elements.
        inputs: the datasets it is made of.

    Example:
        >>> dataset = tf.data.Dataset.range(10).map(lambda x: x * 2).batch(5)
        >>> value = dataset.make_one_shot_iterator().get_next()
        >>> tf.Session().run(value)
        array([0, 2, 4, 6, 8])
    """

    def __init__(self, variant_tensor: Tensor, element_spec: Any, inputs: Sequence[Dataset] = ()) -> None:
        self._variant_tensor = variant_tensor
        self._element_spec = element_spec
        self._input_datasets = list(inputs)
        self._own_options: Options | None = None

    # ---- what it is ----

    @property
    def _type_spec(self) -> Any:
        return structure.DatasetSpec(self.element_spec)

    @property
    def _graph(self) -> Any:
        return self._variant_tensor.graph

    @property
    def _flat_structure(self) -> dict[str, Any]:
        return structure.described(self.element_spec)

    def _inputs(self) -> list[Dataset]:
        return self._input_datasets

    def _as_variant_tensor(self) -> Tensor:
        return self._variant_tensor

    def options(self) -> Options:
        """The options set on it and on what it is made of."""
        result = Options()
        for source in self._inputs():
            result = result.merge(source.options())
        return result if self._own_options is None else result.merge(self._own_options)

    def with_options(self, options: Options) -> Dataset:
        """The same dataset with options.

        Raises:
            ValueError: if an option is set already, to another value.
        """
        made = Dataset(self._variant_tensor, self.element_spec, [self])
        made._own_options = options
        made.options()
        return made

    def __repr__(self) -> str:
        shapes = nest.map_structure(str, self.output_shapes)
        types = nest.map_structure(repr, self.output_types)
        return f"<{self._shown_name} shapes: {shapes}, types: {types}>".replace("'", "")

    _shown_name = "DatasetV1Adapter"

    def __iter__(self) -> Any:
        if executing_eagerly():
            return importlib.import_module("headrace.data.eager_iterator").EagerIterator(self)
        raise RuntimeError("__iter__() is only supported inside of tf.function or when eager execution is enabled.")

    # ---- iterating ----

    def _applied(self) -> Dataset:
        """This dataset behind the ops that carry its options to the runtime."""
        options = self.options()
        spec = self._flat_structure
        variant = self._variant_tensor
        threading = options.experimental_threading
        if threading.max_intra_op_parallelism is not None:
            count = int64(threading.max_intra_op_parallelism, "max_intra_op_parallelism")
            variant = raw.ExperimentalMaxIntraOpParallelismDataset(variant, count, **spec)
        if threading.private_threadpool_size is not None:
            count = int64(threading.private_threadpool_size, "num_threads")
            variant = raw.ExperimentalPrivateThreadPoolDataset(variant, count, **spec)
        if options.experimental_stats.latency_all_edges:
            raise NotImplementedError(
                "StatsOptions.latency_all_edges is not supported; apply tf.data.experimental.latency_stats(tag) after each "
                "transformation that is to be measured."
            )
        optimizations = options._static_optimizations()
        if optimizations and _uses_references(variant):
            # 1.15 rewrites no pipeline that uses reference variables, which decides the order of a repeated shuffle.
            warnings.warn(
                "tf.data static optimizations are not compatible with tf.Variable. The following optimizations will be "
                f"disabled: {', '.join(optimizations)}. To enable optimizations, use resource variables instead by calling "
                "`tf.enable_resource_variables()` at the start of the program.",
                stacklevel=3,
            )
        elif optimizations:
            names = convert_to_tensor(optimizations, dtype="string", name="optimizations")
            variant = raw.OptimizeDataset(
                variant, names, optimization_configs=options._static_optimization_configs(), **spec
            )
        tuning = options.experimental_optimization
        if tuning.autotune is not False:
            variant = raw.ModelDataset(
                variant, algorithm=tuning.autotune_algorithm or 0, cpu_budget=tuning.autotune_cpu_budget or 0, **spec
            )
        stats = options.experimental_stats
        if stats.aggregator is not None:
            tag, prefix = convert_to_tensor(stats.prefix), convert_to_tensor(stats.counter_prefix)
            variant = raw.SetStatsAggregatorDataset(variant, stats.aggregator._resource, tag, prefix, **spec)
        return Dataset(variant, self.element_spec, [self])

    def make_one_shot_iterator(self) -> Any:
        """An iterator that needs no initializer and goes through the dataset once.

        Raises:
            ValueError: if the dataset depends on a placeholder or on state such as a variable.
        """
        if executing_eagerly():
            return importlib.import_module("headrace.data.eager_iterator").EagerIterator(self)
        return importlib.import_module("headrace.data.iterator").one_shot(self)

    def make_initializable_iterator(self, shared_name: str | None = None) -> Any:
        """An iterator whose `initializer` begins, or begins anew, to go through the dataset.

        Args:
            shared_name: a name under which several graphs' iterators of one session are the same.

        Raises:
            RuntimeError: while executing eagerly.
        """
        if executing_eagerly():
            raise RuntimeError("dataset.make_initializable_iterator is not supported when eager execution is enabled.")
        return importlib.import_module("headrace.data.iterator").initializable(self, shared_name)

    _make_one_shot_iterator = make_one_shot_iterator
    _make_initializable_iterator = make_initializable_iterator

    # ---- sources ----

    @staticmethod
    def from_tensors(tensors: Any) -> Dataset:
        """A dataset with one element.

        Args:
            tensors: the element.
        """
        element = structure.normalized(tensors)
        spec = structure.spec_of(element)
        flat = structure.to_tensors(spec, element)
        return Dataset(raw.TensorDataset(flat, output_shapes=structure.flat_dims(spec)), spec)

    @staticmethod
    def from_tensor_slices(tensors: Any) -> Dataset:
        """A dataset with the rows of tensors.

        Args:
            tensors: tensors, or a structure of them, with the same first dimension.

        Raises:
            ValueError: if a tensor is a scalar, or the first dimensions are known to differ.
        """
        element = structure.normalized(tensors)
        spec = structure.spec_of(element)
        flat = structure.to_batched_tensors(spec, element)
        row = structure.row(spec)
        rows = flat[0].shape.with_rank_at_least(1)[0]
        for tensor in flat[1:]:
            rows.assert_is_compatible_with(tensor.shape.with_rank_at_least(1)[0])
        return Dataset(raw.TensorSliceDataset(flat, output_shapes=structure.flat_dims(row)), row)

    @staticmethod
    def from_sparse_tensor_slices(sparse_tensor: Any) -> Dataset:
        """A dataset with the rows of a sparse tensor, as its three parts.

        Args:
            sparse_tensor: a `SparseTensor` in row-major order.

        Raises:
            TypeError: if it is none.
        """
        from headrace.core.composite import SparseTensor

        if not isinstance(sparse_tensor, SparseTensor):
            raise TypeError(f"`sparse_tensor` must be a `tf.SparseTensor` object. Was {sparse_tensor}.")
        rank = sparse_tensor.indices.shape.with_rank(2)[1] - 1
        from headrace.core.type_specs import TensorSpec

        spec = (
            TensorSpec([None, rank], "int64"),
            TensorSpec([None], sparse_tensor.dtype),
            TensorSpec([rank], "int64"),
        )
        parts = (sparse_tensor.indices, sparse_tensor.values, sparse_tensor.dense_shape)
        return Dataset(raw.SparseTensorSliceDataset(*parts), spec)

    @staticmethod
    def from_generator(
        generator: Callable[..., Any], output_types: Any, output_shapes: Any = None, args: Any = None
    ) -> Dataset:
        """A dataset with what a Python generator yields.

        Args:
            generator: called for each pass; what it returns is iterated over.
            output_types: the type of each component of an element.
            output_shapes: what is known of the shapes.
            args: tensors whose values the generator is called with.

        Raises:
            TypeError: if `generator` is not callable.
        """
        from headrace.data.generator import generated

        return generated(generator, output_types, output_shapes, args)

    @staticmethod
    def range(*args: Any) -> Dataset:
        """A dataset of integers: `range(stop)`, `range(start, stop)` or `range(start, stop, step)`.

        Raises:
            ValueError: for another number of arguments.
        """
        if not 1 <= len(args) <= 3:
            raise ValueError(f"Invalid arguments to RangeDataset: {args}")
        start, stop, step = (0, args[0], 1) if len(args) == 1 else (*args, 1)[:3]
        from headrace.core.type_specs import TensorSpec

        spec = TensorSpec([], "int64")
        variant = raw.RangeDataset(
            int64(start, "start"), int64(stop, "stop"), int64(step, "step"), **structure.described(spec)
        )
        return Dataset(variant, spec)

    @staticmethod
    def zip(datasets: Any) -> Dataset:
        """A dataset whose elements have the form of `datasets`, with an element of each, as long as all have one.

        Raises:
            TypeError: if a part is no dataset.
        """
        for part in nest.flatten(datasets):
            if not isinstance(part, Dataset):
                if isinstance(part, list):
                    raise TypeError(
                        "The argument to `Dataset.zip()` must be a nested structure of `Dataset` objects. Nested "
                        "structures do not support Python lists; please use a tuple instead."
                    )
                raise TypeError("The argument to `Dataset.zip()` must be a nested structure of `Dataset` objects.")
        parts = nest.flatten(datasets)
        spec = nest.pack_sequence_as(datasets, [part.element_spec for part in parts])
        variant = raw.ZipDataset([part._variant_tensor for part in parts], **structure.described(spec))
        return Dataset(variant, spec, parts)

    @staticmethod
    def list_files(file_pattern: Any, shuffle: bool | None = None, seed: Any = None) -> Dataset:
        """A dataset of the names of the files that match patterns.

        Args:
            file_pattern: a pattern, a list or a tensor of them.
            shuffle: whether the names come in random order, True by default.
            seed: the seed of that order.
        """
        from headrace.ops.flow.assertion import Assert
        from headrace.ops.math.binary import maximum
        from headrace.ops.math.comparison import greater
        from headrace.ops.string.joining import reduce_join

        with name_scope("list_files"):
            pattern = convert_to_tensor(file_pattern, dtype="string", name="file_pattern")
            found = raw.MatchingFiles(pattern)
            condition = greater(raw.Shape(found)[0], 0, name="match_not_empty")
            message = raw.Add("No files matched pattern: ", reduce_join(pattern, separator=", "), name="message")
            with control_dependencies([Assert(condition, [message], summarize=1, name="assert_not_empty")]):
                found = raw.Identity(found)
            dataset = Dataset.from_tensor_slices(found)
            if shuffle is None or shuffle:
                size = maximum(raw.Shape(found, out_type="int64")[0], 1)
                dataset = dataset.shuffle(size, seed=seed)
            return dataset

    # ---- transformations ----

    def apply(self, transformation_func: Callable[[Dataset], Dataset]) -> Dataset:
        """`transformation_func` of this dataset.

        Raises:
            TypeError: if that is no dataset.
        """
        made = transformation_func(self)
        if not isinstance(made, Dataset):
            raise TypeError(f"`transformation_func` must return a Dataset. Got {made}.")
        made._input_datasets = (
            [self, *made._input_datasets] if self not in made._input_datasets else made._input_datasets
        )
        return made

    def _same(self, variant: Tensor, *others: Dataset) -> Dataset:
        return Dataset(variant, self.element_spec, [self, *others])

    def concatenate(self, dataset: Dataset) -> Dataset:
        """The elements of this dataset, then those of another.

        Raises:
            TypeError: if their elements have other types, or for what is no dataset.
        """
        if not isinstance(dataset, Dataset):
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
        return Dataset(variant, spec, [self, dataset])

    def prefetch(self, buffer_size: Any) -> Dataset:
        """The same elements, up to `buffer_size` of them made ahead of time (-1 for as many as suit)."""
        size = int64(-1 if buffer_size is None else buffer_size, "buffer_size")
        return self._same(raw.PrefetchDataset(self._variant_tensor, size, **self._flat_structure))

    def repeat(self, count: Any = None) -> Dataset:
        """The elements again and again, `count` times; for ever if that is None or -1."""
        times = int64(-1 if count is None else count, "count")
        return self._same(raw.RepeatDataset(self._variant_tensor, times, **self._flat_structure))

    def enumerate(self, start: Any = 0) -> Dataset:
        """Pairs of a number, counted from `start`, and an element."""
        return Dataset.zip((Dataset.range(start, _MOST), self))

    def shuffle(self, buffer_size: Any, seed: Any = None, reshuffle_each_iteration: bool | None = None) -> Dataset:
        """The elements in random order, each drawn from a buffer of the next `buffer_size`.

        Args:
            buffer_size: the size of the buffer.
            seed: an integer or int64 tensor.
            reshuffle_each_iteration: whether each pass has another order, True by default.
        """
        from headrace.data.seeds import get_seed

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

    def cache(self, filename: Any = "") -> Dataset:
        """The same elements, kept in memory, or in a file of this name, once all have been made."""
        path = convert_to_tensor(filename, dtype="string", name="filename")
        return self._same(raw.CacheDataset(self._variant_tensor, path, **self._flat_structure))

    def take(self, count: Any) -> Dataset:
        """The first `count` elements; all if that is -1."""
        return self._same(raw.TakeDataset(self._variant_tensor, int64(count, "count"), **self._flat_structure))

    def skip(self, count: Any) -> Dataset:
        """All but the first `count` elements; none if that is -1."""
        return self._same(raw.SkipDataset(self._variant_tensor, int64(count, "count"), **self._flat_structure))

    def shard(self, num_shards: Any, index: Any) -> Dataset:
        """Every `num_shards`-th element, from the one at `index` on."""
        count, place = int64(num_shards, "num_shards"), int64(index, "index")
        return self._same(raw.ShardDataset(self._variant_tensor, count, place, **self._flat_structure))

    def batch(self, batch_size: Any, drop_remainder: Any = False) -> Dataset:
        """`batch_size` elements at a time, as the rows of one.

        Args:
            batch_size: how many.
            drop_remainder: whether a last batch of fewer is left out.
        """
        size = int64(batch_size, "batch_size")
        drop = convert_to_tensor(drop_remainder, dtype="bool", name="drop_remainder")
        spec = structure.batched(self.element_spec, known_size(size, drop))
        variant = raw.BatchDatasetV2(self._variant_tensor, size, drop, **structure.described(spec))
        return Dataset(variant, spec, [self])

    def padded_batch(
        self, batch_size: Any, padded_shapes: Any, padding_values: Any = None, drop_remainder: Any = False
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
        from headrace.data.padding import padded

        return padded(self, batch_size, padded_shapes, padding_values, drop_remainder)

    def map(
        self,
        map_func: Callable[..., Any],
        num_parallel_calls: Any = None,
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
        function = ElementFunction(map_func, "Dataset.map()", self.element_spec)
        spec = function.output_structure
        if calls is None:
            variant = raw.MapDataset(
                self._variant_tensor, function.captured, f=function.name, **structure.described(spec)
            )
        else:
            count = convert_to_tensor(calls, dtype="int32", name="num_parallel_calls")
            variant = raw.ParallelMapDataset(
                self._variant_tensor, function.captured, count, f=function.name, **structure.described(spec)
            )
        made = Dataset(variant, spec, [self])
        return made if output_buffer_size is None else made.prefetch(output_buffer_size)

    map_with_legacy_function = map

    def flat_map(self, map_func: Callable[..., Any]) -> Dataset:
        """The elements of the datasets that `map_func` makes of the elements, one dataset after the other.

        Raises:
            TypeError: if `map_func` returns no dataset.
        """
        function, spec = self._dataset_function(map_func, "Dataset.flat_map()")
        variant = raw.FlatMapDataset(
            self._variant_tensor, function.captured, f=function.name, **structure.described(spec)
        )
        return Dataset(variant, spec, [self])

    def _dataset_function(self, map_func: Callable[..., Any], transformation: str) -> tuple[ElementFunction, Any]:
        function = ElementFunction(map_func, transformation, self.element_spec)
        if not isinstance(function.output_structure, structure.DatasetSpec):
            raise TypeError(f"`map_func` must return a `Dataset` object. Got {type(function.output_structure)}")
        return function, function.output_structure.element_spec

    def interleave(
        self,
        map_func: Callable[..., Any],
        cycle_length: Any = -1,
        block_length: Any = 1,
        num_parallel_calls: Any = None,
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
        import os

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
        return Dataset(variant, spec, [self])

    def filter(self, predicate: Callable[..., Any]) -> Dataset:
        """The elements for which `predicate`, a function to a bool scalar, is true.

        Raises:
            ValueError: if `predicate` returns anything else.
        """
        function = ElementFunction(predicate, "Dataset.filter()", self.element_spec)
        check_predicate(function.output_structure)
        variant = raw.FilterDataset(
            self._variant_tensor, function.captured, predicate=function.name, **self._flat_structure
        )
        return self._same(variant)

    filter_with_legacy_function = filter

    def window(self, size: Any, shift: Any = None, stride: Any = 1, drop_remainder: Any = False) -> Dataset:
        """Datasets of elements: windows over this one.

        Args:
            size: how many elements a window has.
            shift: how far the next window begins from this one, `size` by default.
            stride: how far apart the elements of a window are.
            drop_remainder: whether last windows of fewer elements are left out.
        """
        shift = size if shift is None else shift
        spec = nest.map_structure(structure.DatasetSpec, self.element_spec)
        variant = raw.WindowDataset(
            self._variant_tensor,
            int64(size, "size"),
            int64(shift, "shift"),
            int64(stride, "stride"),
            convert_to_tensor(drop_remainder, dtype="bool", name="drop_remainder"),
            **structure.described(spec),
        )
        return Dataset(variant, spec, [self])

    def reduce(self, initial_state: Any, reduce_func: Callable[..., Any]) -> Any:
        """The elements put together into one.

        Args:
            initial_state: a structure of tensors.
            reduce_func: takes the state and an element, returns the next state.

        Returns:
            the last state.

        Raises:
            TypeError: if `reduce_func` returns another structure or other types.
        """
        from headrace.data.stateful import reduced

        return reduced(self, initial_state, reduce_func)

    def unbatch(self) -> Dataset:
        """The rows of the elements, as elements."""
        spec = self.element_spec
        sizes = {shape.dims[0].value for shape in nest.flatten(self.output_shapes) if getattr(shape, "dims", None)}
        if len(sizes - {None}) > 1:
            raise ValueError("Cannot unbatch an input whose components have different batch sizes.")

        def normalize(*parts: Any) -> Any:
            element = parts if type(spec) is tuple else parts[0]
            return tuple(structure.to_batched_tensors(spec, element))

        dense = self.map(normalize)
        row = structure.row(spec)
        variant = raw.ExperimentalUnbatchDataset(dense._variant_tensor, **structure.described(row))
        return Dataset(variant, row, [dense])


def _uses_references(variant: Tensor) -> bool:
    """Whether a dataset depends on a reference variable."""
    seen: set[Any] = set()
    if not variant._is_graph_tensor:
        return False
    pending = [variant.op]
    while pending:
        op = pending.pop()
        if op in seen:
            continue
        seen.add(op)
        for tensor in op.inputs:
            if tensor.dtype._is_ref_dtype:
                return True
            pending.append(tensor.op)
    return False


def known_size(size: Tensor, drop: Tensor) -> int | None:
    """The size of all batches where it is known."""
    dropped, count = constant_value(drop), constant_value(size)
    return int(count) if dropped is not None and bool(dropped) and count is not None else None


def check_predicate(spec: Any, message: str | None = None) -> None:
    """Checks that a predicate returns a bool scalar.

    Args:
        spec: the description of what it returns.
        message: what to say otherwise.

    Raises:
        ValueError: if it does not.
    """
    from headrace.core.type_specs import TensorSpec

    if not isinstance(spec, TensorSpec) or spec.dtype.name != "bool" or not spec.shape.is_compatible_with([]):
        raise ValueError(
            message or f"`predicate` return type must be convertible to a scalar boolean tensor. Was {spec}."
        )


def get_legacy_output_types(dataset_or_iterator: Any) -> Any:
    """The type of each component of the elements of a dataset or iterator."""
    return structure.legacy_types(dataset_or_iterator.element_spec)


def get_legacy_output_shapes(dataset_or_iterator: Any) -> Any:
    """What is known of the shape of each component of the elements of a dataset or iterator."""
    return structure.legacy_shapes(dataset_or_iterator.element_spec)


def get_legacy_output_classes(dataset_or_iterator: Any) -> Any:
    """The class of each component of the elements of a dataset or iterator."""
    return structure.legacy_classes(dataset_or_iterator.element_spec)


def get_structure(dataset_or_iterator: Any) -> Any:
    """The description of the elements of a dataset or iterator.

    Raises:
        TypeError: if it is neither.
    """
    try:
        return dataset_or_iterator.element_spec
    except AttributeError:
        raise TypeError(
            f"`dataset_or_iterator` must be a Dataset or Iterator object, but got {type(dataset_or_iterator)}."
        ) from None


def make_one_shot_iterator(dataset: Dataset) -> Any:
    """`dataset.make_one_shot_iterator()`."""
    return dataset.make_one_shot_iterator()


def make_initializable_iterator(dataset: Dataset, shared_name: str | None = None) -> Any:
    """`dataset.make_initializable_iterator(shared_name)`."""
    return dataset.make_initializable_iterator(shared_name)


# The names of the class in 1.15's own modules.
DatasetV1 = DatasetV2 = Dataset


def DatasetV1Adapter(dataset: Dataset) -> Dataset:
    """`dataset`: datasets are of one class here."""
    return dataset
