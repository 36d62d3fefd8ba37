# Made by tools/make_stubs.py.

from collections.abc import Callable, Mapping, Sequence
from headrace.core.convert import convert_to_tensor as convert_to_tensor
from headrace.core.defaults import control_dependencies as control_dependencies, get_default_graph as get_default_graph
from headrace.core.eager import executing_eagerly as executing_eagerly
from headrace.core.operation import Operation as Operation
from headrace.core.registry import raw as raw
from headrace.core.shapes import TensorShape as TensorShape, as_shape as as_shape
from headrace.core.tensor import Tensor as Tensor
from headrace.core.type_specs import SparseTensorSpec as SparseTensorSpec, TensorSpec as TensorSpec
from headrace.core.typing import ShapeLike as ShapeLike, TensorLike as TensorLike
from headrace.data import nest as nest, structure as structure
from headrace.data.argument_tensors import optional_param_to_tensor as optional_param_to_tensor
from headrace.data.arguments import check_predicate as check_predicate, int64 as int64, known_size as known_size
from headrace.data.dataset import Dataset as Dataset, DatasetV2 as DatasetV2
from headrace.data.element_functions import ElementFunction as ElementFunction
from headrace.data.grouping import Reducer as Reducer, group_by_reducer as group_by_reducer
from headrace.data.padding import shape_tensor as shape_tensor
from headrace.data.seeds import get_seed as get_seed
from headrace.functions.flow.assertion import Assert as Assert
from headrace.functions.flow.rank_checks import assert_rank as assert_rank
from headrace.functions.parsing.features import ALL_KINDS as ALL_KINDS, FeatureSpecs as FeatureSpecs, FixedLenFeature as FixedLenFeature, SparseFeature as SparseFeature, VarLenFeature as VarLenFeature, dense_defaults as dense_defaults, feature_specs as feature_specs, merged_sparse_features as merged_sparse_features, with_unknown_length as with_unknown_length
from typing import Any

Transformation = Callable[[Dataset], Dataset]
AUTOTUNE: int
INFINITE_CARDINALITY: int
UNKNOWN_CARDINALITY: int

def map_and_batch(map_func: Callable[..., Any], batch_size: TensorLike, num_parallel_batches: TensorLike | None = None, drop_remainder: TensorLike = False, num_parallel_calls: int | None = None) -> Transformation:
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
def map_and_batch_with_legacy_function(map_func: Callable[..., Any], batch_size: TensorLike, num_parallel_batches: TensorLike | None = None, drop_remainder: TensorLike = False, num_parallel_calls: int | None = None) -> Transformation:
    """`map_and_batch` of a function in which `tf.get_variable` gives the value of a resource variable.

    Args:
        map_func, batch_size, num_parallel_batches, drop_remainder, num_parallel_calls: as for `map_and_batch`.

    Raises:
        ValueError: if both numbers are given.
    """
def shuffle_and_repeat(buffer_size: TensorLike, count: TensorLike | None = None, seed: int | None = None) -> Transformation:
    """A transformation that shuffles and repeats in one: the buffer fills with the next pass while one ends.

    Args:
        buffer_size, seed: as for `Dataset.shuffle`.
        count: as for `Dataset.repeat`.
    """
def parallel_interleave(map_func: Callable[..., Any], cycle_length: Any, block_length: Any = 1, sloppy: TensorLike = False, buffer_output_elements: Any = None, prefetch_input_elements: int | None = None) -> Transformation:
    """A transformation to the elements of the datasets that `map_func` makes, several taking turns.

    Args:
        map_func: takes an element, returns a dataset.
        cycle_length: how many datasets take turns.
        block_length: how many elements each gives in its turn.
        sloppy: whether the order may depend on which is ready first.
        buffer_output_elements: how many elements of each may be made ahead of time.
        prefetch_input_elements: how many datasets may be opened ahead of time.
    """
def sloppy_interleave(map_func: Callable[..., Any], cycle_length: TensorLike, block_length: TensorLike = 1) -> Transformation:
    """`parallel_interleave` in an order that may depend on which is ready first."""
def enumerate_dataset(start: int = 0) -> Transformation:
    """A transformation to pairs of a number, counted from `start`, and an element."""
def unbatch() -> Transformation:
    """A transformation to the rows of the elements."""
def unique() -> Transformation:
    """A transformation that leaves out elements that have come before: int32, int64 or string tensors."""
def ignore_errors() -> Transformation:
    """A transformation that leaves out elements that could not be made."""
def take_while(predicate: Callable[..., Any]) -> Transformation:
    """A transformation to the elements before the first for which `predicate`, a function to a bool, is false."""
def dense_to_sparse_batch(batch_size: TensorLike, row_shape: Sequence[int | None]) -> Transformation:
    """A transformation that batches tensors of differing shapes as sparse tensors.

    Args:
        batch_size: how many elements make a batch.
        row_shape: the dense shape of a row; None or -1 for the largest of the batch.
    """
def sliding_window_batch(window_size: TensorLike, stride: int | None = None, window_shift: int | None = None, window_stride: TensorLike = 1) -> Transformation:
    """A transformation to windows of elements as the rows of one.

    Args:
        window_size: how many elements a window has.
        stride, window_shift: how far the next window begins from one (the older and the newer name); 1 by default.
        window_stride: how far apart the elements of a window are.

    Raises:
        ValueError: if both names are used.
    """
def batch_and_drop_remainder(batch_size: int) -> Transformation:
    """`Dataset.batch` without a last batch of fewer elements."""
def padded_batch_and_drop_remainder(batch_size: int, padded_shapes: Sequence[None], padding_values: Any = None) -> Transformation:
    """`Dataset.padded_batch` without a last batch of fewer elements."""
def assert_element_shape(expected_shapes: ShapeLike) -> Transformation:
    """A transformation that gives the elements static shapes, which are checked when they are made.

    Args:
        expected_shapes: a structure of shapes.
    """
def copy_to_device(target_device: str, source_device: str = '/cpu:0') -> Transformation:
    """A transformation to the same elements for use on another device.

    Args:
        target_device: where they are used: values move when an operation there takes them.
        source_device: where the dataset is; only the processor.

    Raises:
        NotImplementedError: for another source.
    """
def prefetch_to_device(device: str, buffer_size: Any = None) -> Transformation:
    """A transformation that makes elements ahead of time for use on a device.

    Args:
        device: where they are used: values move when an operation there takes them.
        buffer_size: how many; as many as suit by default.
    """
def cardinality(dataset: Dataset) -> Tensor:
    """The number of elements, `INFINITE_CARDINALITY` or `UNKNOWN_CARDINALITY`, as an int64 scalar."""
def get_single_element(dataset: Dataset) -> Any:
    """The only element of a dataset; running it is an InvalidArgumentError if there is none, or more than one."""
def reduce_dataset(dataset: Dataset, reducer: Reducer) -> Tensor:
    """All elements put together by a `Reducer`, into one."""
def to_variant(dataset: Dataset) -> Tensor:
    """The variant tensor that stands for a dataset."""
def from_variant(variant: Tensor, structure: Mapping[str, TensorSpec]) -> Dataset:
    """The dataset with elements described by `structure` that a variant tensor stands for."""
def parse_example_dataset(features: Mapping[str, FixedLenFeature | VarLenFeature], num_parallel_calls: int = 1) -> Transformation:
    """A transformation that parses batches of serialized `Example`s.

    Args:
        features: names to `FixedLenFeature`, `VarLenFeature`, `SparseFeature`, as for `tf.parse_example`.
        num_parallel_calls: how many batches may be worked on at once.

    Raises:
        ValueError: without features.
    """

class TFRecordWriter:
    '''Writes a dataset of strings to a TFRecord file.

    Args:
        filename: a name, or a string tensor.
        compression_type: "", "ZLIB" or "GZIP".
    '''
    def __init__(self, filename: TensorLike, compression_type: Any = None) -> None: ...
    def write(self, dataset: Dataset) -> Operation | None:
        """The operation that writes; run eagerly it has written, and None is returned.

        Raises:
            TypeError: if `dataset` is none, or one of other elements than strings.
        """
__all__ = ['AUTOTUNE', 'CheckpointInputPipelineHook', 'Counter', 'CsvDataset', 'DatasetStructure', 'DistributeOptions', 'INFINITE_CARDINALITY', 'MapVectorizationOptions', 'OptimizationOptions', 'Optional', 'OptionalStructure', 'RaggedTensorStructure', 'RandomDataset', 'Reducer', 'SparseTensorStructure', 'SqlDataset', 'StatsAggregator', 'StatsOptions', 'Structure', 'TFRecordWriter', 'TensorArrayStructure', 'TensorStructure', 'ThreadingOptions', 'UNKNOWN_CARDINALITY', 'bucket_by_sequence_length', 'bytes_produced_stats', 'cardinality', 'choose_from_datasets', 'copy_to_device', 'dense_to_sparse_batch', 'enumerate_dataset', 'from_variant', 'get_next_as_optional', 'get_single_element', 'get_structure', 'group_by_reducer', 'group_by_window', 'ignore_errors', 'latency_stats', 'make_batched_features_dataset', 'make_csv_dataset', 'make_saveable_from_iterator', 'map_and_batch', 'map_and_batch_with_legacy_function', 'parallel_interleave', 'parse_example_dataset', 'prefetch_to_device', 'rejection_resample', 'sample_from_datasets', 'scan', 'shuffle_and_repeat', 'take_while', 'to_variant', 'unbatch', 'unique']
from headrace.data.saving import CheckpointInputPipelineHook as CheckpointInputPipelineHook
from headrace.data.sources import Counter as Counter
from headrace.data.file_sources import CsvDataset as CsvDataset
from headrace.data.dataset import DatasetSpec as DatasetStructure
from headrace.data.options import DistributeOptions as DistributeOptions
from headrace.data.options import MapVectorizationOptions as MapVectorizationOptions
from headrace.data.options import OptimizationOptions as OptimizationOptions
from headrace.data.optional import Optional as Optional
from headrace.data.optional import OptionalSpec as OptionalStructure
from headrace.data.structure_util import RaggedTensorStructure as RaggedTensorStructure
from headrace.data.sources import RandomDataset as RandomDataset
from headrace.data.grouping import Reducer as Reducer
from headrace.data.structure_util import SparseTensorStructure as SparseTensorStructure
from headrace.data.sources import SqlDataset as SqlDataset
from headrace.data.stats_aggregator import StatsAggregator as StatsAggregator
from headrace.data.options import StatsOptions as StatsOptions
from headrace.core.type_specs import TypeSpec as Structure
from headrace.data.structure_util import TensorArrayStructure as TensorArrayStructure
from headrace.data.structure_util import TensorStructure as TensorStructure
from headrace.data.options import ThreadingOptions as ThreadingOptions
from headrace.data.grouping import bucket_by_sequence_length as bucket_by_sequence_length
from headrace.data.statistics import bytes_produced_stats as bytes_produced_stats
from headrace.data.mixing import choose_from_datasets as choose_from_datasets
from headrace.data.optional import get_next_as_optional as get_next_as_optional
from headrace.data.structure import get_structure as get_structure
from headrace.data.grouping import group_by_reducer as group_by_reducer
from headrace.data.grouping import group_by_window as group_by_window
from headrace.data.statistics import latency_stats as latency_stats
from headrace.data.file_sources import make_batched_features_dataset as make_batched_features_dataset
from headrace.data.file_sources import make_csv_dataset as make_csv_dataset
from headrace.data.saving import make_saveable_from_iterator as make_saveable_from_iterator
from headrace.data.resampling import rejection_resample as rejection_resample
from headrace.data.mixing import sample_from_datasets as sample_from_datasets
from headrace.data.scanning import scan as scan
