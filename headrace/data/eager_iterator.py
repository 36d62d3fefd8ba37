"""Iterating over a dataset while executing eagerly."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.checkpoints.tracking import Trackable
from headrace.core.defaults import get_default_graph
from headrace.core.eager import EagerTensor, executing_eagerly
from headrace.core.errors import OutOfRangeError
from headrace.core.registry import raw
from headrace.data import structure
from headrace.data.iterator_saveable import IteratorSaveable
from headrace.kernels.data.places import begin_anew

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.data.dataset import DatasetV2


class EagerIterator(structure.Described, Trackable):
    """A Python iterator over the elements of a dataset.

    Args:
        dataset: a dataset.

    Raises:
        RuntimeError: in a graph, where `make_one_shot_iterator` makes an iterator.

    Example:
        >>> for x in tf.data.Dataset.range(2):
        ...     print(x.numpy())
        0
        1
    """

    def __init__(self, dataset: DatasetV2) -> None:
        if not executing_eagerly() and not get_default_graph().building_function:
            raise RuntimeError(
                f"{type(self).__name__} objects can only be used when eager execution is enabled, use "
                "tf.data.Dataset.make_initializable_iterator or tf.data.Dataset.make_one_shot_iterator for graph "
                "construction"
            )
        self._dataset = dataset
        self._element_spec = dataset.element_spec
        applied = dataset._applied_variant()
        self._described = structure.described(self._element_spec)
        self._resource = raw.AnonymousIterator(**self._described)
        if isinstance(applied, EagerTensor):
            # Each iteration draws the random numbers that the first drew.
            begin_anew(applied._value)
        raw.MakeIterator(applied, self._resource)

    def _gather_saveables_for_checkpoint(self) -> dict[str, Any]:
        """What a checkpoint keeps of it: how many elements it has given."""
        return {"ITERATOR": lambda name="": IteratorSaveable(self._resource, name)}

    def __iter__(self) -> EagerIterator:
        return self

    def __next__(self) -> Any:
        try:
            return self._next_internal()
        except OutOfRangeError:
            raise StopIteration from None

    next = __next__

    @property
    def _iterator_resource(self) -> Tensor:
        return self._resource

    def _next_internal(self) -> Any:
        made = raw.IteratorGetNextSync(self._resource, **self._described)
        return structure.from_tensors(self._element_spec, list(made))

    def get_next(self, name: str | None = None) -> Any:
        """The next element.

        Raises:
            OutOfRangeError: at the end.
        """
        del name
        return self._next_internal()
