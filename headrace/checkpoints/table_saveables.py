"""How savers save a lookup table: its keys and its values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.checkpoints.saveables import SaveableObject, SaveSpec
from headrace.core.defaults import colocate_with, name_scope
from headrace.core.operation import Operation
from headrace.core.registry import raw
from headrace.core.tensor import Tensor

if TYPE_CHECKING:
    from headrace.core.shapes import TensorShape


class TableSaveable(SaveableObject):
    """A mutable lookup table.

    Args:
        table: the table.
        name: the name it is saved under; keys and values have their own below it.
    """

    def __init__(self, table: Any, name: str) -> None:
        keys, values = table.export()
        specs = [SaveSpec(keys, "", f"{name}-keys"), SaveSpec(values, "", f"{name}-values")]
        super().__init__(table, specs, name)

    def restore(self, restored_tensors: Sequence[Tensor], restored_shapes: Sequence[TensorShape] | None) -> Operation:
        """The operation that gives the table the saved keys and values, and no others."""
        keys, values = restored_tensors
        # In the functions of a SavedModel it has no name, and no scope may begin as that of 1.15 would.
        scope = f"{self.name}_table_restore" if self.name else "table_restore"
        with name_scope(None, scope), colocate_with(self.op.resource_handle):
            return raw.LookupTableImportV2(self.op.resource_handle, keys, values)
