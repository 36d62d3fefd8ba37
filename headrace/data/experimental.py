"""`tf.data.experimental` and `tf.contrib.data`: transformations for `Dataset.apply`, and what takes a whole dataset."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import control_dependencies, get_default_graph
from headrace.core.eager import executing_eagerly
from headrace.core.registry import raw
from headrace.core.shapes import as_shape
from headrace.core.tensor import Tensor
from headrace.core.type_specs import SparseTensorSpec, TensorSpec
from headrace.data import nest, structure
from headrace.data.argument_tensors import optional_param_to_tensor
from headrace.data.arguments import check_predicate, int64, known_size
from headrace.data.dataset import Dataset, DatasetV2
from headrace.data.element_functions import ElementFunction
from headrace.data.grouping import group_by_reducer
from headrace.data.padding import shape_tensor
from headrace.data.seeds import get_seed
from headrace.functions.flow.assertion import Assert
from headrace.functions.flow.rank_checks import assert_rank
from headrace.functions.parsing.features import (
    ALL_KINDS,
    FeatureSpecs,
    SparseFeature,
    dense_defaults,
    feature_specs,
    merged_sparse_features,
    with_unknown_length,
)

if TYPE_CHECKING:
    from headrace.core.operation import Operation
    from headrace.core.shapes import TensorShape
    from headrace.core.typing import ShapeLike, TensorLike
    from headrace.data.grouping import Reducer
    from headrace.functions.parsing.features import FixedLenFeature, VarLenFeature


Transformation = Callable[[Dataset], Dataset]

AUTOTUNE = -1
INFINITE_CARDINALITY = -1
UNKNOWN_CARDINALITY = -2


def map_and_batch(
    map_func: Callable[..., Any],
    batch_size: TensorLike,
    num_parallel_batches: TensorLike | None = None,
    drop_remainder: TensorLike = False,
    num_parallel_calls: int | None = None,
) -> Transformation:
    """A transformation that maps and batches in one.

    Args:
        map_func: takes an element, returns one.
        batch_size: how many results make a batch.
        num_parallel_batches: how many batches may be worked on at once.
        drop_remainder: whether a last batch of fewer is left out.
        num_parallel_calls: how many elements may be worked on at once, instead.

    Raises:
        ValueError: if both numbers are given.
    """
    return _map_and_batch(map_func, batch_size, num_parallel_batches, drop_remainder, num_parallel_calls, False)


def map_and_batch_with_legacy_function(
    map_func: Callable[..., Any],
    batch_size: TensorLike,
    num_parallel_batches: TensorLike | None = None,
    drop_remainder: TensorLike = False,
    num_parallel_calls: int | None = None,
) -> Transformation:
    """`map_and_batch` of a function in which `tf.get_variable` gives the value of a resource variable.

    Args:
        map_func, batch_size, num_parallel_batches, drop_remainder, num_parallel_calls: as for `map_and_batch`.

    Raises:
        ValueError: if both numbers are given.
    """
    return _map_and_batch(map_func, batch_size, num_parallel_batches, drop_remainder, num_parallel_calls, True)


def _map_and_batch(
    map_func: Callable[..., Any],
    batch_size: TensorLike,
    num_parallel_batches: TensorLike | None,
    drop_remainder: TensorLike,
    num_parallel_calls: int | None,
    legacy: bool,
) -> Transformation:
    if num_parallel_batches is not None and num_parallel_calls is not None:
        raise ValueError("The `num_parallel_batches` and `num_parallel_calls` arguments are mutually exclusive.")

    def apply(dataset: Dataset) -> Dataset:
        function = ElementFunction(map_func, "tf.data.experimental.map_and_batch()", dataset.element_spec, legacy)
        size = int64(batch_size, "batch_size")
        if num_parallel_batches is not None:
            calls: Tensor = raw.Mul(size, int64(num_parallel_batches, "num_parallel_batches"))
        else:
            calls = int64(1 if num_parallel_calls is None else num_parallel_calls, "num_parallel_calls")
        drop = convert_to_tensor(drop_remainder, dtype="bool", name="drop_remainder")
        spec = structure.batched(function.output_structure, known_size(size, drop))
        variant = raw.MapAndBatchDataset(
            dataset._variant_tensor,
            function.captured,
            size,
            calls,
            drop,
            f=function.name,
            preserve_cardinality=True,
            **structure.described(spec),
        )
        return Dataset(variant, spec, [dataset])

    return apply


def shuffle_and_repeat(
    buffer_size: TensorLike, count: TensorLike | None = None, seed: int | None = None
) -> Transformation:
    """A transformation that shuffles and repeats in one: the buffer fills with the next pass while one ends.

    Args:
        buffer_size, seed: as for `Dataset.shuffle`.
        count: as for `Dataset.repeat`.
    """

    def apply(dataset: Dataset) -> Dataset:
        size = int64(buffer_size, "buffer_size")
        times = int64(-1 if count is None else count, "count")
        first, second = get_seed(seed)
        spec = dataset.element_spec
        variant = raw.ShuffleAndRepeatDataset(
            dataset._variant_tensor, size, first, second, times, **structure.described(spec)
        )
        return Dataset(variant, spec, [dataset])

    return apply


def parallel_interleave(
    map_func: Callable[..., Any],
    cycle_length: Any,
    block_length: Any = 1,
    sloppy: TensorLike = False,
    buffer_output_elements: Any = None,
    prefetch_input_elements: int | None = None,
) -> Transformation:
    """A transformation to the elements of the datasets that `map_func` makes, several taking turns.

    Args:
        map_func: takes an element, returns a dataset.
        cycle_length: how many datasets take turns.
        block_length: how many elements each gives in its turn.
        sloppy: whether the order may depend on which is ready first.
        buffer_output_elements: how many elements of each may be made ahead of time.
        prefetch_input_elements: how many datasets may be opened ahead of time.
    """

    def apply(dataset: Dataset) -> Dataset:
        function, spec = dataset._dataset_function(map_func, "tf.data.experimental.parallel_interleave()")
        variant = raw.ParallelInterleaveDataset(
            dataset._variant_tensor,
            function.captured,
            int64(cycle_length, "cycle_length"),
            int64(block_length, "block_length"),
            convert_to_tensor(sloppy, dtype="bool", name="sloppy"),
            optional_param_to_tensor("buffer_output_elements", buffer_output_elements, 2 * block_length),
            optional_param_to_tensor("prefetch_input_elements", prefetch_input_elements, 2 * cycle_length),
            f=function.name,
            **structure.described(spec),
        )
        return Dataset(variant, spec, [dataset])

    return apply


def sloppy_interleave(
    map_func: Callable[..., Any], cycle_length: TensorLike, block_length: TensorLike = 1
) -> Transformation:
    """`parallel_interleave` in an order that may depend on which is ready first."""
    return parallel_interleave(map_func, cycle_length, block_length, sloppy=True)


def enumerate_dataset(start: int = 0) -> Transformation:
    """A transformation to pairs of a number, counted from `start`, and an element."""
    return lambda dataset: dataset.enumerate(start)


def unbatch() -> Transformation:
    """A transformation to the rows of the elements."""
    return lambda dataset: dataset.unbatch()


def unique() -> Transformation:
    """A transformation that leaves out elements that have come before: int32, int64 or string tensors."""

    def apply(dataset: Dataset) -> Dataset:
        if not isinstance(dataset.element_spec, TensorSpec) or dataset.element_spec.dtype.name not in (
            *("int32", "int64", "string"),
        ):
            raise TypeError(
                "`tf.data.experimental.unique()` only supports inputs with a single `tf.int32`, `tf.int64`, or "
                "`tf.string` component."
            )
        return dataset._same(raw.UniqueDataset(dataset._variant_tensor, **dataset._flat_structure))

    return apply


def ignore_errors() -> Transformation:
    """A transformation that leaves out elements that could not be made."""
    return lambda dataset: dataset._same(raw.IgnoreErrorsDataset(dataset._variant_tensor, **dataset._flat_structure))


def take_while(predicate: Callable[..., Any]) -> Transformation:
    """A transformation to the elements before the first for which `predicate`, a function to a bool, is false."""

    def apply(dataset: Dataset) -> Dataset:
        function = ElementFunction(predicate, "tf.data.experimental.take_while()", dataset.element_spec)
        check_predicate(function.output_structure, "`predicate` must return a scalar boolean tensor.")
        variant = raw.TakeWhileDataset(
            dataset._variant_tensor, function.captured, predicate=function.name, **dataset._flat_structure
        )
        return dataset._same(variant)

    return apply


def dense_to_sparse_batch(batch_size: TensorLike, row_shape: Sequence[int | None]) -> Transformation:
    """A transformation that batches tensors of differing shapes as sparse tensors.

    Args:
        batch_size: how many elements make a batch.
        row_shape: the dense shape of a row; None or -1 for the largest of the batch.
    """

    def apply(dataset: Dataset) -> Dataset:
        leaf = dataset.element_spec
        if not isinstance(leaf, TensorSpec):
            raise TypeError(
                "DenseToSparseDataset requires an input whose elements have a single component, whereas the "
                f"input has {dataset.output_types!r}."
            )
        row = shape_tensor(row_shape, as_shape(None))
        spec = SparseTensorSpec(as_shape([None]).concatenate(row_shape), leaf.dtype)
        variant = raw.DenseToSparseBatchDataset(
            dataset._variant_tensor, int64(batch_size, "batch_size"), row, **structure.described(spec)
        )
        return Dataset(variant, spec, [dataset])

    return apply


def sliding_window_batch(
    window_size: TensorLike, stride: int | None = None, window_shift: int | None = None, window_stride: TensorLike = 1
) -> Transformation:
    """A transformation to windows of elements as the rows of one.

    Args:
        window_size: how many elements a window has.
        stride, window_shift: how far the next window begins from one (the older and the newer name); 1 by default.
        window_stride: how far apart the elements of a window are.

    Raises:
        ValueError: if both names are used.
    """
    if stride is not None and window_shift is not None:
        raise ValueError("Cannot specify both `stride` and `window_shift`")
    shift = stride if stride is not None else 1 if window_shift is None else window_shift

    def apply(dataset: Dataset) -> Dataset:
        spec = structure.batched(dataset.element_spec, None)
        variant = raw.SlidingWindowDataset(
            dataset._variant_tensor,
            int64(window_size, "window_size"),
            int64(shift, "window_shift"),
            int64(window_stride, "window_stride"),
            **structure.described(spec),
        )
        return Dataset(variant, spec, [dataset])

    return apply


def batch_and_drop_remainder(batch_size: int) -> Transformation:
    """`Dataset.batch` without a last batch of fewer elements."""
    return lambda dataset: dataset.batch(batch_size, drop_remainder=True)


def padded_batch_and_drop_remainder(
    batch_size: int, padded_shapes: Sequence[None], padding_values: Any = None
) -> Transformation:
    """`Dataset.padded_batch` without a last batch of fewer elements."""
    return lambda dataset: dataset.padded_batch(batch_size, padded_shapes, padding_values, drop_remainder=True)


def assert_element_shape(expected_shapes: ShapeLike) -> Transformation:
    """A transformation that gives the elements static shapes, which are checked when they are made.

    Args:
        expected_shapes: a structure of shapes.
    """

    def check(*element: Any) -> Tensor:
        parts = element if len(element) > 1 else element[0]
        return nest.map_structure(_with_shape, nest.map_structure_up_to(parts, as_shape, expected_shapes), parts)

    return lambda dataset: dataset.map(check)


def _with_shape(shape: TensorShape, tensor: Tensor) -> Tensor:
    if not tensor.shape.is_compatible_with(shape):
        raise ValueError(f"Shapes {tensor.shape} and {shape} are not compatible")
    if shape.ndims is None:
        return tensor
    checks = [assert_rank(tensor, shape.ndims)]
    sizes = shape.as_list()
    known = [i for i, size in enumerate(sizes) if size is not None]
    if known:
        expected = convert_to_tensor([sizes[i] for i in known], dtype="int32")
        found = raw.GatherV2(raw.Shape(tensor), known, 0)
        message = f"Wrong shape for {tensor.name} [expected] [actual]."
        same = raw.All(raw.Equal(expected, found), [0])
        checks.append(Assert(same, [message, expected, found]))
    with control_dependencies([check for check in checks if check is not None]):
        made: Tensor = raw.Identity(tensor)
    made.set_shape(shape)
    return made


def copy_to_device(target_device: str, source_device: str = "/cpu:0") -> Transformation:
    """A transformation to the same elements for use on another device.

    Args:
        target_device: where they are used: values move when an operation there takes them.
        source_device: where the dataset is; only the processor.

    Raises:
        NotImplementedError: for another source.
    """
    if "gpu" in str(source_device).lower():
        raise NotImplementedError("copy_to_device(source_device=...): datasets are on the processor; use '/cpu:0'.")
    del target_device
    return lambda dataset: dataset._same(dataset._variant_tensor)


def prefetch_to_device(device: str, buffer_size: Any = None) -> Transformation:
    """A transformation that makes elements ahead of time for use on a device.

    Args:
        device: where they are used: values move when an operation there takes them.
        buffer_size: how many; as many as suit by default.
    """
    del device
    return lambda dataset: dataset.prefetch(buffer_size)


def cardinality(dataset: Dataset) -> Tensor:
    """The number of elements, `INFINITE_CARDINALITY` or `UNKNOWN_CARDINALITY`, as an int64 scalar."""
    made: Tensor = raw.DatasetCardinality(dataset._variant_tensor)
    return made


def get_single_element(dataset: Dataset) -> Any:
    """The only element of a dataset; running it is an InvalidArgumentError if there is none, or more than one."""
    if not isinstance(dataset, DatasetV2):
        raise TypeError("`dataset` must be a `tf.data.Dataset` object.")
    spec = dataset.element_spec
    made = raw.DatasetToSingleElement(dataset._variant_tensor, **structure.described(spec))
    return structure.from_tensors(spec, list(made))


def reduce_dataset(dataset: Dataset, reducer: Reducer) -> Tensor:
    """All elements put together by a `Reducer`, into one."""
    if not isinstance(dataset, DatasetV2):
        raise TypeError("`dataset` must be a `tf.data.Dataset` object.")
    return get_single_element(dataset.apply(group_by_reducer(lambda *_: int64(0, "key"), reducer)))


def to_variant(dataset: Dataset) -> Tensor:
    """The variant tensor that stands for a dataset."""
    return dataset._variant_tensor


def from_variant(variant: Tensor, structure: Mapping[str, TensorSpec]) -> Dataset:
    """The dataset with elements described by `structure` that a variant tensor stands for."""
    return Dataset(variant, structure)


def parse_example_dataset(
    features: Mapping[str, FixedLenFeature | VarLenFeature], num_parallel_calls: int = 1
) -> Transformation:
    """A transformation that parses batches of serialized `Example`s.

    Args:
        features: names to `FixedLenFeature`, `VarLenFeature`, `SparseFeature`, as for `tf.parse_example`.
        num_parallel_calls: how many batches may be worked on at once.

    Raises:
        ValueError: without features.
    """
    if features is None:
        raise ValueError(f"Missing: features was {features}.")

    def apply(dataset: Dataset) -> Dataset:
        if not structure.are_compatible(dataset.element_spec, TensorSpec([None], "string")):
            raise TypeError("Input dataset should be a dataset of vectors of strings")

        specs = feature_specs(with_unknown_length(features), ALL_KINDS)
        spec = _parsed_spec(specs, as_shape(dataset.element_spec.shape))
        variant = raw.ParseExampleDataset(
            dataset._variant_tensor,
            num_parallel_calls,
            dense_defaults(specs),
            sparse_keys=specs.sparse_keys,
            dense_keys=specs.dense_keys,
            sparse_types=specs.sparse_types,
            dense_shapes=specs.dense_shapes,
            **structure.described(spec),
        )
        made = Dataset(variant, spec, [dataset])
        if not any(isinstance(feature, SparseFeature) for feature in features.values()):
            return made
        return made.map(lambda parsed: merged_sparse_features(features, parsed), num_parallel_calls)

    return apply


def _parsed_spec(specs: FeatureSpecs, batch: TensorShape) -> dict[str, Any]:
    """What is known of the elements that batches of Examples are parsed to; dense features come first."""
    spec: dict[str, Any] = {}
    for key, dtype, shape in zip(specs.dense_keys, specs.dense_types, specs.dense_shapes, strict=True):
        spec[key] = TensorSpec(batch.concatenate(shape), dtype)
    for key, dtype in zip(specs.sparse_keys, specs.sparse_types, strict=True):
        spec[key] = SparseTensorSpec(batch.concatenate([None]), dtype)
    return spec


class TFRecordWriter:
    """Writes a dataset of strings to a TFRecord file.

    Args:
        filename: a name, or a string tensor.
        compression_type: "", "ZLIB" or "GZIP".
    """

    def __init__(self, filename: TensorLike, compression_type: Any = None) -> None:
        self._filename = convert_to_tensor(filename, dtype="string", name="filename")
        self._compression = convert_to_tensor(compression_type or "", dtype="string", name="compression_type")

    def write(self, dataset: Dataset) -> Operation | None:
        """The operation that writes; run eagerly it has written, and None is returned.

        Raises:
            TypeError: if `dataset` is none, or one of other elements than strings.
        """
        if not isinstance(dataset, DatasetV2):
            raise TypeError("`dataset` must be a `tf.data.Dataset` object.")
        if not structure.are_compatible(dataset.element_spec, TensorSpec([], "string")):
            raise TypeError(
                f"`dataset` must produce scalar `DT_STRING` tensors whereas it produces shape "
                f"{dataset.output_shapes} and types {dataset.output_types}"
            )
        raw.DatasetToTFRecord(dataset._variant_tensor, self._filename, self._compression)
        return None if executing_eagerly() else get_default_graph().get_operations()[-1]
