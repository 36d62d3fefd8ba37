"""`tf.data.Iterator`: what goes through datasets, one element each time it is run."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.checkpoints.tracking import Trackable
from headrace.core import random_seed
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import add_to_collection, colocate_with, device, get_default_graph, name_scope
from headrace.core.dtypes import as_dtype
from headrace.core.func_graph import FuncGraph, finish
from headrace.core.graph_functions import Function
from headrace.core.operation import Operation
from headrace.core.registry import raw
from headrace.core.shapes import as_shape
from headrace.core.tensor import Tensor
from headrace.data import nest, structure
from headrace.data.dataset_base import DatasetBase
from headrace.data.iterator_saveable import IteratorSaveable

if TYPE_CHECKING:
    from headrace.core.dtypes import DType
    from headrace.core.shapes import TensorShape
    from headrace.core.type_specs import TensorSpec
    from headrace.core.typing import TensorLike


# 1.15's names of the number of calls of get_next that is likely a mistake, and of what is said then.
GET_NEXT_CALL_WARNING_THRESHOLD = 32
GET_NEXT_CALL_WARNING_MESSAGE = (
    "An unusually high number of `Iterator.get_next()` calls was detected. This often indicates that `Iterator.get_next()` "
    "is being called inside a training loop, which will cause gradual slowdown and eventual resource exhaustion."
)
# The collection of all iterators of a graph.
GLOBAL_ITERATORS = "iterators"


class Iterator(structure.Described, Trackable):
    """An iterator over elements of one description.

    Args:
        iterator_resource: the tensor that stands for it.
        initializer: the operation that begins it, None where there is no need or no one dataset.
        output_types, output_shapes, output_classes: of the elements.

    Example:
        >>> training, validation = tf.data.Dataset.range(3), tf.data.Dataset.range(100, 103)
        >>> iterator = tf.data.Iterator.from_structure(training.output_types, training.output_shapes)
        >>> element = iterator.get_next()
        >>> sess.run(iterator.make_initializer(training))
        >>> sess.run(element)
        0
        >>> sess.run(iterator.make_initializer(validation))
        >>> sess.run(element)
        100
    """

    def __init__(
        self,
        iterator_resource: TensorLike,
        initializer: Operation | None,
        output_types: object,
        output_shapes: object,
        output_classes: object,
    ) -> None:
        self._iterator_resource = iterator_resource
        self._initializer = initializer
        if (output_types is None) or (output_shapes is None) or (output_classes is None):
            raise ValueError(
                "If `structure` is not specified, all of `output_types`, `output_shapes`, and "
                "`output_classes` must be specified."
            )
        self._element_spec = structure.from_legacy(output_types, output_shapes, output_classes)
        self._string_handle = raw.IteratorToStringHandle(iterator_resource)
        self._get_next_call_count = 0
        self._lock = threading.Lock()
        add_to_collection(GLOBAL_ITERATORS, iterator_resource)

    # ---- without a dataset ----

    def _gather_saveables_for_checkpoint(self) -> dict[str, Any]:
        """What a checkpoint keeps of it: how many elements it has given."""
        resource: Any = self._iterator_resource
        return {"ITERATOR": lambda name="": IteratorSaveable(resource, name)}

    @staticmethod
    def from_structure(
        output_types: DType | Sequence[DType],
        output_shapes: TensorShape | Sequence[TensorShape] | None = None,
        shared_name: str | None = None,
        output_classes: Any = None,
    ) -> Iterator:
        """An iterator that `make_initializer` binds to one dataset after another.

        Args:
            output_types: the type of each component of an element.
            output_shapes: what is known of the shapes; nothing by default.
            shared_name: a name under which iterators of one session are the same.
            output_classes: the class of each component, `tf.Tensor` by default.

        Raises:
            TypeError: if the structures differ.
        """
        spec = _described(output_types, output_shapes, output_classes)
        with device("/cpu:0"):
            resource = raw.IteratorV2(container="", shared_name=shared_name or "", **structure.described(spec))
        return _made(resource, None, spec)

    @staticmethod
    def from_string_handle(
        string_handle: TensorLike,
        output_types: DType,
        output_shapes: TensorShape | Sequence[Any] | None = None,
        output_classes: Any = None,
    ) -> Iterator:
        """An iterator that is whichever one the string tensor names when it runs.

        Args:
            string_handle: a string scalar, often a placeholder: the value of some iterator's `string_handle()`.
            output_types, output_shapes, output_classes: of the elements.
        """
        spec = _described(output_types, output_shapes, output_classes)
        handle = convert_to_tensor(string_handle, dtype="string")
        with device("/cpu:0"):
            resource = raw.IteratorFromStringHandleV2(handle, **structure.described(spec))
        return _made(resource, None, spec)

    # ---- using it ----

    @property
    def initializer(self) -> Operation:
        """The operation that begins, or begins anew, to go through the dataset.

        Raises:
            ValueError: if the iterator needs none, or was made without a dataset.
        """
        if self._initializer is None:
            raise ValueError("Iterator does not have an initializer.")
        return self._initializer

    def make_initializer(self, dataset: DatasetBase, name: str | None = None) -> Operation:
        """An operation that makes this iterator go through `dataset`.

        Raises:
            TypeError: if the elements of `dataset` are not as this iterator's.
        """
        with name_scope(name, "make_initializer") as scope:
            for what, mine, theirs in (
                ("types", self.output_types, dataset.output_types),
                ("classes", self.output_classes, dataset.output_classes),
            ):
                nest.assert_same_structure(mine, theirs)
                if nest.flatten(mine) != nest.flatten(theirs):
                    raise TypeError(f"Expected output {what} {mine!r} but got dataset with output {what} {theirs!r}.")
            for mine, theirs in zip(nest.flatten(self.output_shapes), nest.flatten(dataset.output_shapes), strict=True):
                if not mine.is_compatible_with(theirs):
                    raise TypeError(
                        f"Expected output shapes compatible with {self.output_shapes!r} but got dataset with output "
                        f"shapes {dataset.output_shapes!r}."
                    )
            with colocate_with(self._iterator_resource):
                raw.MakeIterator(dataset._variant_tensor, self._iterator_resource, name=scope)
                return get_default_graph().get_operations()[-1]

    def get_next(self, name: str | None = None) -> Any:
        """The next element: each run of it takes one. At the end it is an OutOfRangeError.

        Call this once and use what it returns; each call adds operations to the graph.
        """
        with self._lock:
            self._get_next_call_count += 1
            if self._get_next_call_count > GET_NEXT_CALL_WARNING_THRESHOLD:
                warnings.warn(GET_NEXT_CALL_WARNING_MESSAGE, stacklevel=2)
        spec = self._element_spec
        tensors = raw.IteratorGetNext(self._iterator_resource, name=name, **structure.described(spec))
        return structure.from_tensors(spec, list(tensors))

    def string_handle(self, name: str | None = None) -> Tensor:
        """A string scalar that names this iterator within a session."""
        if name is None:
            return self._string_handle
        made: Tensor = raw.IteratorToStringHandle(self._iterator_resource, name=name)
        return made


def _made(resource: Tensor, initializer: Operation | None, spec: object) -> Iterator:
    return Iterator(
        resource,
        initializer,
        structure.legacy_types(spec),
        structure.legacy_shapes(spec),
        structure.legacy_classes(spec),
    )


def _described(
    types: DType | Sequence[DType], shapes: TensorShape | Sequence[TensorShape] | None, classes: Any
) -> TensorSpec:
    types = nest.map_structure(_as_type, types)
    if shapes is None:
        shapes = nest.map_structure(lambda _: as_shape(None), types)
    else:
        shapes = nest.map_structure_up_to(types, lambda s: s if hasattr(s, "value_type") else as_shape(s), shapes)
    if classes is None:
        classes = nest.map_structure(lambda _: Tensor, types)
    return structure.from_legacy(types, shapes, classes)


def _as_type(value: DType) -> DType:
    return value if hasattr(value, "value_type") else as_dtype(value)


def _other_graph(dataset: DatasetBase) -> str | None:
    """What is to be said of a dataset that is not of the default graph."""
    graph = get_default_graph()
    if dataset._graph is graph:
        return None
    return (
        f"The graph ({graph}) of the iterator is different from the graph ({dataset._graph}) the dataset: {dataset} "
        "was created in. If you are using the Estimator API, make sure that no part of the dataset returned by the "
        "`input_fn` function is defined outside the `input_fn` function. Please ensure that all datasets in the "
        "pipeline are created in the same graph as the iterator."
    )


def initializable(dataset: DatasetBase, shared_name: str | None) -> Iterator:
    """`Dataset.make_initializable_iterator`."""
    other = _other_graph(dataset)
    if other is not None:
        raise ValueError(other)
    applied = dataset._applied_variant()
    spec = dataset.element_spec
    resource = raw.IteratorV2(container="", shared_name=shared_name or "", **structure.described(spec))
    with colocate_with(resource):
        raw.MakeIterator(applied, resource)
        initializer = get_default_graph().get_operations()[-1]
    return _made(resource, initializer, spec)


def _dataset_ops(tensor: Tensor) -> set[Operation]:
    """The operations that make a dataset and those it is made of."""
    found: set[Operation] = set()
    pending = [tensor.op]
    while pending:
        op = pending.pop()
        if op in found:
            continue
        found.add(op)
        pending.extend(t.op for t in op.inputs if t.dtype.name == "variant")
    return found


def one_shot(dataset: DatasetBase) -> Iterator:
    """`Dataset.make_one_shot_iterator`."""
    other = _other_graph(dataset)
    if other is not None:
        # What makes it is copied, so it works all the same.
        warnings.warn(other, stacklevel=4)
    outer = get_default_graph()
    graph_seed, op_seed = random_seed.get_seed(None)
    graph = FuncGraph("_make_dataset", None, True, _dataset_ops(dataset._variant_tensor))
    if graph_seed is None or op_seed is None:
        graph.seed = None
    else:
        graph.seed = (graph_seed + 87654321 * op_seed) % (2**63 - 1)
    try:
        with graph.as_default():
            finish(graph, dataset._applied_variant())
    except ValueError as error:
        if "Cannot capture a stateful node" not in str(error):
            raise
        raise ValueError(
            "Failed to create a one-shot iterator for a dataset. `Dataset.make_one_shot_iterator()` does not support "
            "datasets that capture stateful objects, such as a `Variable` or `LookupTable`. In these cases, use "
            f"`Dataset.make_initializable_iterator()`. (Original error: {error})"
        ) from None
    function = Function(None, graph, base="_make_dataset")
    function.add_to_graph(outer)
    spec = dataset.element_spec
    resource = raw.OneShotIterator(dataset_factory=function.name, **structure.described(spec))
    return _made(resource, None, spec)
