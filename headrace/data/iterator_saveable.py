"""The place of an iterator in its dataset, in checkpoints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.checkpoints.saveables import SaveableObject, SaveSpec
from headrace.core.defaults import get_default_graph
from headrace.core.eager import executing_eagerly
from headrace.core.registry import raw

if TYPE_CHECKING:
    from headrace.core.operation import Operation
    from headrace.core.shapes import TensorShape
    from headrace.core.tensor import Tensor


class IteratorSaveable(SaveableObject):
    """What `tf.train.Saver` needs to save an iterator: the number of elements it has given.

    Args:
        iterator_resource: the tensor that stands for the iterator.
        name: the name in the checkpoint, by default the tensor's with "-state".
    """

    def __init__(self, iterator_resource: Tensor, name: str | None = None) -> None:
        position = raw.IteratorPosition(iterator_resource, name="SerializeIterator")
        # Savers by name call it otherwise than checkpoints of objects do.
        ending = "-state" if name is None else "_STATE"
        if name is None:
            name = iterator_resource.name
        super().__init__(iterator_resource, [SaveSpec(position, "", name + ending)], name)

    def restore(self, restored_tensors: Any, restored_shapes: Sequence[TensorShape] | None) -> Operation | None:
        """The operation that makes the iterator go on where it was: it passes over what it had given."""
        del restored_shapes
        raw.IteratorSeek(self.op, restored_tensors[0], name="DeserializeIterator")
        return None if executing_eagerly() else get_default_graph().get_operations()[-1]
