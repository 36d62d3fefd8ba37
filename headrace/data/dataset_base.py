"""What a dataset is to iterators and transformations: the tensor that stands for it, its elements and its options."""

from __future__ import annotations

import functools
import warnings
import weakref
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from headrace.checkpoints.tracking import Trackable
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import get_default_graph
from headrace.core.registry import raw
from headrace.core.shapes import TensorShape, as_shape
from headrace.core.tensor import Tensor
from headrace.core.type_specs import BatchableTypeSpec, TensorSpec
from headrace.data import nest, structure
from headrace.data.arguments import int64
from headrace.data.earlier_graphs import variant_here
from headrace.data.leaves import LeafSpec
from headrace.data.options import Options
from headrace.data.remaking import VariantTracker
from headrace.state.dependencies import TrackableReference

if TYPE_CHECKING:
    from headrace.core.graph import Graph
    from headrace.core.typing import ShapeLike


_Kind = TypeVar("_Kind", bound="DatasetBase")


class DatasetBase(structure.Described, Trackable):
    """A sequence of elements, without the ways to make and transform it, which `Dataset` has.

    Args:
        variant_tensor: the tensor that stands for it.
        element_spec: the description of its elements.
        inputs: the datasets it is made of.
    """

    # Whether it may be used in other graphs than its own, as before 1.13.
    _is_portable = False

    def __init__(self, variant_tensor: Tensor, element_spec: object, inputs: Sequence[DatasetBase] = ()) -> None:
        self._made_variant = variant_tensor
        self._copied_variants: weakref.WeakKeyDictionary[Graph, Tensor] = weakref.WeakKeyDictionary()
        self._element_spec = element_spec
        self._input_datasets = list(inputs)
        self._own_options: Options | None = None

    @property
    def _variant_tensor(self) -> Tensor:
        made = self._made_variant
        if not made._is_graph_tensor or made.graph is get_default_graph() or not self._may_move():
            return made
        return variant_here(made, self._copied_variants)

    @functools.cached_property
    def _variant_tracker(self) -> VariantTracker:
        return VariantTracker(self)

    @property
    def _checkpoint_dependencies(self) -> list[TrackableReference]:
        return [TrackableReference("_variant_tracker", self._variant_tracker)]

    def _may_move(self) -> bool:
        return self._is_portable or any(each._may_move() for each in self._inputs())

    @property
    def _type_spec(self) -> DatasetSpec:
        return DatasetSpec(self.element_spec)

    @property
    def _graph(self) -> Graph:
        return self._variant_tensor.graph

    @property
    def _flat_structure(self) -> dict[str, Any]:
        return structure.described(self.element_spec)

    def _inputs(self) -> list[DatasetBase]:
        return self._input_datasets

    def _as_variant_tensor(self) -> Tensor:
        return self._variant_tensor

    def options(self) -> Options:
        """The options set on it and on what it is made of."""
        result = Options()
        for source in self._inputs():
            result = result.merge(source.options())
        return result if self._own_options is None else result.merge(self._own_options)

    def __repr__(self) -> str:
        shapes = nest.map_structure(str, self.output_shapes)
        types = nest.map_structure(repr, self.output_types)
        return f"<{self._shown_name} shapes: {shapes}, types: {types}>".replace("'", "")

    _shown_name = "DatasetV1Adapter"

    def _applied_variant(self) -> Tensor:
        """The tensor that stands for it behind the ops that carry its options to the runtime."""
        options = self.options()
        spec = self._flat_structure
        variant = self._variant_tensor
        threading = options.experimental_threading
        if threading.max_intra_op_parallelism is not None:
            count = int64(threading.max_intra_op_parallelism, "max_intra_op_parallelism")
            variant = raw.MaxIntraOpParallelismDataset(variant, count, **spec)
        if threading.private_threadpool_size is not None:
            count = int64(threading.private_threadpool_size, "num_threads")
            variant = raw.PrivateThreadPoolDataset(variant, count, **spec)
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
        return variant


class DatasetSpec(LeafSpec, BatchableTypeSpec):
    """The description of a dataset that is a component of an element.

    Args:
        element_spec: of the elements of that dataset.
        dataset_shape: the shape of a tensor of datasets; () for one.
    """

    _described: type[DatasetBase]

    @classmethod
    def describes(cls, kind: type[_Kind]) -> type[_Kind]:
        """A class decorator: datasets that come out of elements are of this class."""
        cls._described = kind
        return kind

    def __init__(
        self,
        element_spec: BatchableTypeSpec | Sequence[TensorSpec] | Mapping[str, TensorSpec],
        dataset_shape: ShapeLike = (),
    ) -> None:
        self._element_spec = element_spec
        self._dataset_shape = as_shape(dataset_shape)

    @classmethod
    def from_value(cls, value: Any) -> DatasetSpec:
        """The description of a dataset."""
        return cls(value.element_spec)

    @property
    def element_spec(self) -> Any:
        """The description of the elements."""
        return self._element_spec

    @property
    def shape(self) -> TensorShape:
        """The shape of the tensor of datasets."""
        return self._dataset_shape

    @property
    def value_type(self) -> type:
        """`tf.data.Dataset`."""
        return self._described

    def _serialize(self) -> tuple[Any, ...]:
        return self._element_spec, self._dataset_shape

    @property
    def _component_specs(self) -> TensorSpec:
        return TensorSpec(self.shape, "variant")

    def _to_components(self, value: Any) -> Tensor:
        made: Tensor = value if self.shape.ndims else value._variant_tensor
        return made

    def _from_components(self, components: Tensor) -> Any:
        if self.shape.ndims:
            return components
        made = self._described(components, self.element_spec)
        made._shown_name = "_VariantDataset"
        return made

    def _to_batched_tensor_list(self, value: Any) -> list[Tensor]:
        if not self.shape.ndims:
            raise ValueError("Unbatching a dataset is only supported for rank >= 1")
        return self._to_tensor_list(value)

    def _batch(self, size: int | None) -> DatasetSpec:
        return DatasetSpec(self.element_spec, as_shape([size]).concatenate(self.shape))

    def _unbatch(self) -> DatasetSpec:
        if self.shape.ndims == 0:
            raise ValueError("Unbatching a dataset is only supported for rank >= 1")
        return DatasetSpec(self.element_spec, self.shape if self.shape.ndims is None else self.shape[1:])


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
