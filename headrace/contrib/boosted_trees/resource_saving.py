"""What savers save of the resources of boosted trees: some tensors of each, in one go."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from headrace.checkpoints.saveables import SaveableObject, SaveSpec
from headrace.core.defaults import control_dependencies

if TYPE_CHECKING:
    from headrace.core.operation import Operation
    from headrace.core.shapes import TensorShape
    from headrace.core.tensor import Tensor


class ResourceSaveable(SaveableObject):
    """A resource that is saved as tensors.

    Args:
        handle: its handle.
        create_op: what makes it, which restoring waits for.
        parts: the tensors, by their names in the checkpoint.
        name: what it is called among what is saved.
        restored: makes the operation that takes the tensors back.
    """

    def __init__(
        self,
        handle: Tensor,
        create_op: Operation,
        parts: dict[str, Tensor],
        name: str,
        restored: Callable[[Sequence[Tensor]], Operation],
    ) -> None:
        super().__init__(handle, [SaveSpec(tensor, "", saved_as) for saved_as, tensor in parts.items()], name)
        self._create_op, self._restored = create_op, restored

    def restore(
        self, restored_tensors: Sequence[Tensor], unused_restored_shapes: Sequence[TensorShape] | None
    ) -> Operation:
        """The operation that gives the resource what was saved."""
        with control_dependencies([self._create_op]):
            return self._restored(restored_tensors)
