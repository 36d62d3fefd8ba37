"""The classes that 1.15's own modules have for what each source and transformation makes.

Programs of its time name them where they write a transformation of their own, or pass arguments that a method lacks. Here
such a class makes the dataset that the method makes; what methods make is not of these classes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from headrace.core.convert import convert_to_tensor
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.core.type_specs import TensorSpec
from headrace.data import nest, structure
from headrace.data.arguments import int64
from headrace.data.dataset import Dataset, DatasetV2
from headrace.data.dataset_base import DatasetBase
from headrace.data.element_functions import ElementFunction
from headrace.data.mixing import directed

if TYPE_CHECKING:
    from headrace.core.type_specs import TypeSpec
    from headrace.core.typing import Nested, TensorLike


# ---- bases of classes of one's own: their subclasses say what `element_spec` is ----


class DatasetSource(DatasetV2):
    """A dataset that is made of no other.

    Args:
        variant_tensor: the tensor that stands for it.
    """

    def __init__(self, variant_tensor: Tensor) -> None:
        super().__init__(variant_tensor, None)


class UnaryDataset(DatasetV2):
    """A dataset that is made of one other.

    Args:
        input_dataset: the other.
        variant_tensor: the tensor that stands for it.
    """

    def __init__(self, input_dataset: DatasetV2, variant_tensor: Tensor) -> None:
        super().__init__(variant_tensor, None, [input_dataset])
        self._input_dataset = input_dataset


class UnaryUnchangedStructureDataset(UnaryDataset):
    """A dataset that is made of one other and has elements like its own; arguments of `UnaryDataset`."""

    @property
    def element_spec(self) -> Any:
        """The description of the elements."""
        return self._input_dataset.element_spec


class DatasetV1Adapter(Dataset):
    """A dataset of 2.x with the methods of 1.x.

    Args:
        dataset: the dataset.
    """

    def __init__(self, dataset: DatasetV2) -> None:
        super().__init__(dataset._variant_tensor, dataset.element_spec, [dataset])
        self._dataset = dataset


class VariantDataset(DatasetV2):
    """The dataset that a tensor stands for.

    Args:
        dataset_variant: the tensor.
        structure: the description of the elements.
    """

    def __init__(self, dataset_variant: Tensor, structure: Nested[TypeSpec]) -> None:
        super().__init__(dataset_variant, structure)


# ---- what methods make ----


class _Made(DatasetV2):
    """What a method of a dataset, or of the class, makes of the other arguments."""

    _method: ClassVar[str]
    _of_class = False

    def __init_subclass__(cls, method: str = "", of_class: bool = False) -> None:
        super().__init_subclass__()
        if method:
            cls._method, cls._of_class = method, of_class

    def __init__(self, *args: Any, **named: Any) -> None:
        if self._of_class:
            self._become(getattr(Dataset, self._method)(*args, **named))
        else:
            source = named.pop("input_dataset") if "input_dataset" in named else args[0]
            rest = args[1:] if args else ()
            self._become(getattr(source, self._method)(*rest, **named))

    def _become(self, made: DatasetBase) -> None:
        DatasetV2.__init__(self, made._variant_tensor, made.element_spec, made._inputs())
        self._own_options = made._own_options


class TensorDataset(_Made, method="from_tensors", of_class=True):
    """`Dataset.from_tensors`."""


class TensorSliceDataset(_Made, method="from_tensor_slices", of_class=True):
    """`Dataset.from_tensor_slices`."""


class RangeDataset(_Made, method="range", of_class=True):
    """`Dataset.range`."""


class ZipDataset(_Made, method="zip", of_class=True):
    """`Dataset.zip`."""


class SparseTensorSliceDataset(_Made, method="from_sparse_tensor_slices", of_class=True):
    """`Dataset.from_sparse_tensor_slices`."""


class RepeatDataset(_Made, method="repeat"):
    """`Dataset.repeat` of its first argument."""


class ShuffleDataset(_Made, method="shuffle"):
    """`Dataset.shuffle` of its first argument."""


class CacheDataset(_Made, method="cache"):
    """`Dataset.cache` of its first argument."""


class TakeDataset(_Made, method="take"):
    """`Dataset.take` of its first argument."""


class SkipDataset(_Made, method="skip"):
    """`Dataset.skip` of its first argument."""


class ShardDataset(_Made, method="shard"):
    """`Dataset.shard` of its first argument."""


class BatchDataset(_Made, method="batch"):
    """`Dataset.batch` of its first argument."""


class PaddedBatchDataset(_Made, method="padded_batch"):
    """`Dataset.padded_batch` of its first argument."""


class UnbatchDataset(_Made, method="unbatch"):
    """`Dataset.unbatch` of its first argument."""


class WindowDataset(_Made, method="window"):
    """`Dataset.window` of its first argument."""


class FilterDataset(_Made, method="filter"):
    """`Dataset.filter` of its first argument."""


class FlatMapDataset(_Made, method="flat_map"):
    """`Dataset.flat_map` of its first argument."""


class InterleaveDataset(_Made, method="interleave"):
    """`Dataset.interleave` of its first argument."""


class ParallelInterleaveDataset(_Made, method="interleave"):
    """`Dataset.interleave` of its first argument."""


class ConcatenateDataset(_Made):
    """`input_dataset.concatenate(dataset_to_concatenate)`."""

    def __init__(self, input_dataset: Dataset, dataset_to_concatenate: Dataset) -> None:
        self._become(input_dataset.concatenate(dataset_to_concatenate))


class OptionsDataset(_Made, method="with_options"):
    """`Dataset.with_options` of its first argument."""


class PrefetchDataset(_Made):
    """`input_dataset.prefetch(buffer_size)`; `slack_period` is kept in the graph for other runtimes."""

    def __init__(
        self, input_dataset: DatasetV2, buffer_size: TensorLike | None, slack_period: int | None = None
    ) -> None:
        size = int64(-1 if buffer_size is None else buffer_size, "buffer_size")
        variant = raw.PrefetchDataset(
            input_dataset._variant_tensor, size, slack_period=slack_period or 0, **input_dataset._flat_structure
        )
        DatasetV2.__init__(self, variant, input_dataset.element_spec, [input_dataset])


class MapDataset(DatasetV2):
    """`input_dataset.map(map_func)`.

    Args:
        input_dataset: gives the elements.
        map_func: takes an element, returns one.
        use_inter_op_parallelism: kept in the graph for other runtimes; here a function runs on one thread.
        preserve_cardinality: whether an end that the function reports is an error, instead of that of the dataset.
    """

    def __init__(
        self,
        input_dataset: DatasetV2,
        map_func: Callable[..., Any],
        use_inter_op_parallelism: bool = True,
        preserve_cardinality: bool = False,
    ) -> None:
        function = ElementFunction(map_func, "Dataset.map()", input_dataset.element_spec)
        spec = function.output_structure
        variant = self._mapped(
            [input_dataset._variant_tensor, function.captured],
            {
                "f": function.name,
                "use_inter_op_parallelism": use_inter_op_parallelism,
                "preserve_cardinality": preserve_cardinality,
                **structure.described(spec),
            },
        )
        super().__init__(variant, spec, [input_dataset])

    def _mapped(self, inputs: list[Any], attrs: dict[str, Any]) -> Tensor:
        return raw.MapDataset(*inputs, **attrs)


class ParallelMapDataset(MapDataset):
    """`input_dataset.map(map_func, num_parallel_calls)`; other arguments as those of `MapDataset`."""

    def __init__(
        self,
        input_dataset: DatasetV2,
        map_func: Callable[..., Any],
        num_parallel_calls: TensorLike,
        use_inter_op_parallelism: bool = True,
        preserve_cardinality: bool = False,
    ) -> None:
        self._calls = convert_to_tensor(num_parallel_calls, dtype="int32", name="num_parallel_calls")
        super().__init__(input_dataset, map_func, use_inter_op_parallelism, preserve_cardinality)

    def _mapped(self, inputs: list[Any], attrs: dict[str, Any]) -> Tensor:
        return raw.ParallelMapDataset(*inputs, self._calls, **attrs)


# ---- what no method makes ----


class GeneratorDataset(DatasetV2):
    """What a function gives again and again, until it says that there is nothing more.

    Args:
        init_args: what `init_func` takes.
        init_func: gives the state of a pass.
        next_func: takes that state, gives the next element.
        finalize_func: takes that state when the pass is over.
    """

    def __init__(
        self,
        init_args: object,
        init_func: Callable[..., Any],
        next_func: Callable[..., Any],
        finalize_func: Callable[..., Any],
    ) -> None:
        called = "Dataset.from_generator()"
        spec = structure.spec_of(init_args)
        begin = ElementFunction(init_func, called, spec)
        step = ElementFunction(next_func, called, begin.output_structure)
        finish = ElementFunction(finalize_func, called, begin.output_structure)
        variant = raw.GeneratorDataset(
            [*structure.to_tensors(spec, structure.normalized(init_args)), *begin.captured],
            step.captured,
            finish.captured,
            init_func=begin.name,
            next_func=step.name,
            finalize_func=finish.name,
            **structure.described(step.output_structure),
        )
        super().__init__(variant, step.output_structure)


class RebatchDataset(DatasetV2):
    """The parts of each batch, the first of which have as many rows as fit.

    Args:
        input_dataset: a dataset of batches.
        num_replicas: how many parts.

    Raises:
        ValueError: if a component has no dimensions.
    """

    def __init__(self, input_dataset: DatasetV2, num_replicas: int) -> None:
        def part(spec: TensorSpec) -> TensorSpec:
            if spec.shape.ndims is None:
                return TensorSpec(None, spec.dtype)
            if spec.shape.ndims == 0:
                raise ValueError("Input shape should have at least one dimension: the input dataset is not batched.")
            rows, *rest = spec.shape.as_list()
            whole = rows is not None and rows % num_replicas == 0
            return TensorSpec([rows // num_replicas if whole else None, *rest], spec.dtype)

        spec = nest.map_structure(part, input_dataset.element_spec)
        variant = raw.RebatchDataset(input_dataset._variant_tensor, num_replicas, **structure.described(spec))
        super().__init__(variant, spec, [input_dataset])


class AutoShardDataset(DatasetV2):
    """The part of a dataset that is for one of several workers: of its files, or else of its elements.

    Args:
        input_dataset: the dataset.
        num_workers: the number of workers.
        index: the number of the worker.
    """

    def __init__(self, input_dataset: DatasetV2, num_workers: int, index: int) -> None:
        spec = input_dataset._flat_structure
        variant = raw.AutoShardDataset(input_dataset._variant_tensor, num_workers, index, **spec)
        super().__init__(variant, input_dataset.element_spec, [input_dataset])


class DirectedInterleaveDataset(_Made):
    """The elements of datasets in the order that the numbers of another say.

    Args:
        selector_input: gives the number of the dataset that the next element is of.
        data_inputs: the datasets.

    Raises:
        TypeError: if their elements are of different types.
    """

    def __init__(self, selector_input: Dataset, data_inputs: Sequence[Dataset]) -> None:
        self._become(directed(selector_input, data_inputs))
