"""A table of numbers by strings that saves itself: what tests of savers use as an object with a `SaveableObject`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.checkpoints.saveables import SaveableObject, SaveSpec
from headrace.core.collections import GraphKeys
from headrace.core.defaults import add_to_collection
from headrace.core.dtypes import float32, string
from headrace.core.eager import executing_eagerly
from headrace.core.registry import raw

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


class CheckpointedOp:
    """A table from strings to numbers, saved as two tensors, `NAME-keys` and `NAME-values`.

    Args:
        name: the table's name.
        table_ref: the handle of an existing table.
    """

    def __init__(self, name: str, table_ref: Any = None) -> None:
        if table_ref is None:
            table_ref = raw.MutableHashTableV2(key_dtype=string, value_dtype=float32, name=name)
        self.table_ref = table_ref
        self._name = name
        if not executing_eagerly():
            self._saveable = self.CustomSaveable(self, name)
            add_to_collection(GraphKeys.SAVEABLE_OBJECTS, self._saveable)

    @property
    def name(self) -> str:
        """The table's name."""
        return self._name

    @property
    def saveable(self) -> SaveableObject:
        """What a saver writes and reads of it."""
        return self.CustomSaveable(self, self._name) if executing_eagerly() else self._saveable

    def insert(self, keys: TensorLike, values: TensorLike) -> Any:
        """Sets the numbers of some strings."""
        return raw.LookupTableInsertV2(self.table_ref, keys, values)

    def lookup(self, keys: TensorLike, default: TensorLike) -> Any:
        """The numbers of some strings, or `default`."""
        return raw.LookupTableFindV2(self.table_ref, keys, default)

    def keys(self) -> Any:
        """The strings."""
        return self._export()[0]

    def values(self) -> Any:
        """The numbers, in the order of `keys`."""
        return self._export()[1]

    def _export(self) -> Any:
        return raw.LookupTableExportV2(self.table_ref, Tkeys=string, Tvalues=float32)

    class CustomSaveable(SaveableObject):
        """The table as two tensors of a checkpoint."""

        def __init__(self, table: CheckpointedOp, name: str) -> None:
            keys, values = table._export()
            super().__init__(table, [SaveSpec(keys, "", name + "-keys"), SaveSpec(values, "", name + "-values")], name)

        def restore(self, restored_tensors: Any, restored_shapes: Any) -> Any:
            """Puts what was read into the table."""
            return raw.LookupTableImportV2(self.op.table_ref, restored_tensors[0], restored_tensors[1])
