"""Iterators in checkpoints: how far they have come, so that training goes on where it stopped."""

from __future__ import annotations

from typing import Any

from headrace.core.defaults import get_default_graph
from headrace.core.registry import raw
from headrace.train.saveables import SaveableObject, SaveSpec


class IteratorSaveable(SaveableObject):
    """What `tf.train.Saver` needs to save an iterator: the number of elements it has given.

    Args:
        iterator_resource: the tensor that stands for the iterator.
    """

    def __init__(self, iterator_resource: Any) -> None:
        position = raw._IteratorPosition(iterator_resource, name="SerializeIterator")
        name = iterator_resource.name
        super().__init__(iterator_resource, [SaveSpec(position, "", name + "-state")], name)

    def restore(self, restored_tensors: Any, restored_shapes: Any) -> Any:
        """The operation that makes the iterator go on where it was: it passes over what it had given."""
        del restored_shapes
        raw._IteratorSeek(self.op, restored_tensors[0], name="DeserializeIterator")
        return get_default_graph().get_operations()[-1]


def make_saveable_from_iterator(iterator: Any) -> IteratorSaveable:
    """What to add to `tf.GraphKeys.SAVEABLE_OBJECTS` so that checkpoints keep the place of an iterator.

    After restoring, the iterator goes through its dataset anew up to that place, so the dataset must give the same
    elements again: its shuffles must be seeded.

    Args:
        iterator: a `tf.data.Iterator`, initialized before the checkpoint is restored.
    """
    return IteratorSaveable(iterator._iterator_resource)
