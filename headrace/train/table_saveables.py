"""How savers save a lookup table: its keys and its values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headrace.core.operation import Operation, Tensor
from headrace.core.registry import raw
from headrace.train.saveables import SaveableObject, SaveSpec


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

    def restore(self, restored_tensors: Sequence[Tensor], restored_shapes: Any) -> Operation:
        """The operation that gives the table the saved keys and values, and no others."""
        keys, values = restored_tensors
        return raw.LookupTableImportV2(self.op.resource_handle, keys, values)
