"""`tf.data.Dataset`: a description of a sequence of elements, made of other datasets by transformations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from headrace.core.composite import SparseTensor
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import control_dependencies, get_default_graph, name_scope
from headrace.core.eager import executing_eagerly
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.core.type_specs import TensorSpec
from headrace.data import nest, structure
from headrace.data.arguments import int64
from headrace.data.dataset_base import DatasetBase, DatasetSpec
from headrace.data.eager_iterator import EagerIterator
from headrace.data.element_functions import ElementFunction
from headrace.data.generator import generator_passes
from headrace.data.iterator import initializable, one_shot
from headrace.data.transformations import Transformations
from headrace.functions.flow.assertion import Assert
from headrace.ops.math.binary import maximum
from headrace.ops.math.comparison import greater
from headrace.ops.string.joining import reduce_join

if TYPE_CHECKING:
    from headrace.core.typing import DTypeLike, Nested, ShapeLike, TensorLike
    from headrace.data.iterator import Iterator


_INT64_MAX = 2**63 - 1


class DatasetV2(Transformations):
    """What datasets of both versions are: the sources and transformations of `tf.compat.v2.data.Dataset`.

    Args:
        variant_tensor: the tensor that stands for it.
        element_spec: the description of its elements.
        inputs: the datasets it is made of.

    Example:
        >>> with tf.Graph().as_default():
        ...     dataset = tf.compat.v2.data.Dataset.range(3).batch(2)
    """

    # The class of what is made of it. That of 2.x lacks no more than the iterators and the legacy functions.
    _kind: ClassVar[type[Dataset]]
    _preserves_cardinality = True

    def _made(self, variant: Tensor, element_spec: object, *others: DatasetBase) -> Dataset:
        return self._kind(variant, element_spec, [self, *others])

    # ---- iterating ----

    def __iter__(self) -> EagerIterator:
        if executing_eagerly() or get_default_graph().building_function:
            return EagerIterator(self)
        raise RuntimeError("__iter__() is only supported inside of tf.function or when eager execution is enabled.")

    def _make_one_shot_iterator(self) -> Any:
        return EagerIterator(self) if executing_eagerly() else one_shot(self)

    def _make_initializable_iterator(self, shared_name: str | None = None) -> Iterator:
        if executing_eagerly():
            raise RuntimeError("dataset.make_initializable_iterator is not supported when eager execution is enabled.")
        return initializable(self, shared_name)

    # ---- sources ----

    @classmethod
    def from_tensors(cls, tensors: object) -> Dataset:
        """A dataset with one element.

        Args:
            tensors: the element.
        """
        element = structure.normalized(tensors)
        spec = structure.spec_of(element)
        flat = structure.to_tensors(spec, element)
        return cls._kind(raw.TensorDataset(flat, output_shapes=structure.flat_dims(spec)), spec)

    @classmethod
    def from_tensor_slices(cls, tensors: object) -> Dataset:
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
        return cls._kind(raw.TensorSliceDataset(flat, output_shapes=structure.flat_dims(row)), row)

    @classmethod
    def from_generator(
        cls,
        generator: Callable[..., Any],
        output_types: Nested[DTypeLike],
        output_shapes: Nested[ShapeLike] | None = None,
        args: Sequence[TensorLike] | None = None,
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
        one_pass = generator_passes(generator, output_types, output_shapes, args)
        return cls.from_tensors(0).flat_map(lambda dummy: cls._kind(*one_pass(dummy)))

    @classmethod
    def range(cls, *args: Any) -> Dataset:
        """A dataset of integers: `range(stop)`, `range(start, stop)` or `range(start, stop, step)`.

        Raises:
            ValueError: for another number of arguments.
        """
        if not 1 <= len(args) <= 3:
            raise ValueError(f"Invalid arguments to RangeDataset: {args}")
        start, stop, step = (0, args[0], 1) if len(args) == 1 else (*args, 1)[:3]
        spec = TensorSpec([], "int64")
        variant = raw.RangeDataset(
            int64(start, "start"), int64(stop, "stop"), int64(step, "step"), **structure.described(spec)
        )
        return cls._kind(variant, spec)

    @classmethod
    def zip(cls, datasets: Any) -> Dataset:
        """A dataset whose elements have the form of `datasets`, with an element of each, as long as all have one.

        Raises:
            TypeError: if a part is no dataset.
        """
        for part in nest.flatten(datasets):
            if not isinstance(part, DatasetBase):
                if isinstance(part, list):
                    raise TypeError(
                        "The argument to `Dataset.zip()` must be a nested structure of `Dataset` objects. Nested "
                        "structures do not support Python lists; please use a tuple instead."
                    )
                raise TypeError("The argument to `Dataset.zip()` must be a nested structure of `Dataset` objects.")
        parts = nest.flatten(datasets)
        spec = nest.pack_sequence_as(datasets, [part.element_spec for part in parts])
        variant = raw.ZipDataset([part._variant_tensor for part in parts], **structure.described(spec))
        return cls._kind(variant, spec, parts)

    @classmethod
    def list_files(cls, file_pattern: TensorLike, shuffle: bool | None = None, seed: int | None = None) -> Dataset:
        """A dataset of the names of the files that match patterns.

        Args:
            file_pattern: a pattern, a list or a tensor of them.
            shuffle: whether the names come in random order, True by default.
            seed: the seed of that order.
        """
        with name_scope("list_files"):
            pattern = convert_to_tensor(file_pattern, dtype="string", name="file_pattern")
            found = raw.MatchingFiles(pattern)
            condition = greater(raw.Shape(found)[0], 0, name="match_not_empty")
            message = raw.Add("No files matched pattern: ", reduce_join(pattern, separator=", "), name="message")
            with control_dependencies([Assert(condition, [message], summarize=1, name="assert_not_empty")]):
                found = raw.Identity(found)
            dataset = cls.from_tensor_slices(found)
            if shuffle is None or shuffle:
                size = maximum(raw.Shape(found, out_type="int64")[0], 1)
                dataset = dataset.shuffle(size, seed=seed)
            return dataset

    def enumerate(self, start: Any = 0) -> Dataset:
        """Pairs of a number, counted from `start`, and an element."""
        return self._kind.zip((self._kind.range(start, _INT64_MAX), self))


@DatasetSpec.describes
class Dataset(DatasetV2):
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

    _preserves_cardinality = False

    # ---- what only 1.x has ----

    def make_one_shot_iterator(self) -> Any:
        """An iterator that needs no initializer and goes through the dataset once.

        Raises:
            ValueError: if the dataset depends on a placeholder or on state such as a variable.
        """
        return self._make_one_shot_iterator()

    def make_initializable_iterator(self, shared_name: str | None = None) -> Iterator:
        """An iterator whose `initializer` begins, or begins anew, to go through the dataset.

        Args:
            shared_name: a name under which several graphs' iterators of one session are the same.

        Raises:
            RuntimeError: while executing eagerly.
        """
        return self._make_initializable_iterator(shared_name)

    def map_with_legacy_function(
        self, map_func: Callable[..., Any], num_parallel_calls: TensorLike | None = None
    ) -> Dataset:
        """`map` of a function in which `tf.get_variable` gives the value of a resource variable, not the variable."""
        return self._mapped_by(
            ElementFunction(map_func, "Dataset.map()", self.element_spec, legacy=True), num_parallel_calls
        )

    def filter_with_legacy_function(self, predicate: Callable[..., Any]) -> Dataset:
        """`filter` by a function in which `tf.get_variable` gives the value of a resource variable."""
        return self._filtered_by(ElementFunction(predicate, "Dataset.filter()", self.element_spec, legacy=True))

    @staticmethod
    def from_sparse_tensor_slices(sparse_tensor: SparseTensor | Sequence[int]) -> Dataset:
        """A dataset with the rows of a sparse tensor, as its three parts.

        Args:
            sparse_tensor: a `SparseTensor` in row-major order.

        Raises:
            TypeError: if it is none.
        """
        if not isinstance(sparse_tensor, SparseTensor):
            raise TypeError(f"`sparse_tensor` must be a `tf.SparseTensor` object. Was {sparse_tensor}.")
        rank = sparse_tensor.indices.shape.with_rank(2)[1] - 1
        spec = (
            TensorSpec([None, rank], "int64"),
            TensorSpec([None], sparse_tensor.dtype),
            TensorSpec([rank], "int64"),
        )
        parts = (sparse_tensor.indices, sparse_tensor.values, sparse_tensor.dense_shape)
        return Dataset(raw.SparseTensorSliceDataset(*parts), spec)


Dataset._kind = Dataset
DatasetV2._kind = DatasetV2  # type: ignore[assignment]  # see there


def make_one_shot_iterator(dataset: DatasetV2) -> Any:
    """`dataset.make_one_shot_iterator()`, of datasets of 2.x too."""
    return dataset._make_one_shot_iterator()


def make_initializable_iterator(dataset: DatasetV2, shared_name: str | None = None) -> Iterator:
    """`dataset.make_initializable_iterator(shared_name)`, of datasets of 2.x too."""
    return dataset._make_initializable_iterator(shared_name)
