"""Tables from keys to tensors of any shape, and to structures of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.core import nest, nest_paths
from headrace.core.convert import convert_to_tensor
from headrace.kernels.composing.arranging import concat
from headrace.kernels.composing.shapes import shape
from headrace.lookup.mutable_tables import MutableDenseHashTable
from headrace.ops.array.shape import reshape
from headrace.ops.flow.grouping import group

if TYPE_CHECKING:
    from headrace.core.operation import Operation
    from headrace.core.tensor import Tensor
    from headrace.core.typing import DTypeLike, TensorLike


class TensorValuedMutableDenseHashTable(MutableDenseHashTable):
    """A table from keys to tensors of one shape, which `MutableDenseHashTable` allows for vectors only.

    Args:
        key_dtype, value_dtype: the types of keys and values.
        default_value: the value of keys that are not there; its shape is that of all.
        *args, **kwargs: as of `MutableDenseHashTable`.
    """

    def __init__(
        self, key_dtype: DTypeLike, value_dtype: DTypeLike, default_value: TensorLike, *args: Any, **kwargs: Any
    ) -> None:
        default = convert_to_tensor(default_value, dtype=value_dtype)
        self._sizes, self._known = shape(default), default.shape
        super().__init__(key_dtype, value_dtype, reshape(default, [-1]), *args, **kwargs)

    def insert(self, keys: TensorLike, values: TensorLike, name: str | None = None) -> Operation:
        """The operation that associates keys with values.

        Args:
            keys: [count].
            values: [count, ...].
            name: a name for the operation.
        """
        keys = convert_to_tensor(keys, dtype=self.key_dtype)
        flat = reshape(values, concat([shape(keys), [-1]], 0))
        return super().insert(keys, flat, name)

    def lookup(self, keys: Any, name: str | None = None) -> Tensor:
        """The values of keys.

        Args:
            keys: [count].
            name: a name for the operation.

        Returns:
            [count, ...].
        """
        keys = convert_to_tensor(keys, dtype=self.key_dtype)
        found = reshape(super().lookup(keys, name), concat([shape(keys), self._sizes], 0))
        found.set_shape(keys.shape.concatenate(self._known))
        return found


class TupleOfTensorsLookup:
    """A table from keys to nested structures of tensors: a table for each tensor.

    Args:
        key_dtype: the type of keys.
        default_values: a nested structure of tensors, for keys that are not there.
        empty_key: a key that is never used.
        deleted_key: another one, or None where nothing is removed.
        name: what the tables' names start with.
        checkpoint: whether the tables are saved.
    """

    def __init__(
        self,
        key_dtype: DTypeLike,
        default_values: Sequence[Any],
        empty_key: TensorLike,
        deleted_key: TensorLike,
        name: str,
        checkpoint: bool = True,
    ) -> None:
        defaults = [convert_to_tensor(value) for value in nest.flatten(default_values)]
        tables = [
            TensorValuedMutableDenseHashTable(
                key_dtype,
                value.dtype,
                value,
                empty_key=empty_key,
                deleted_key=deleted_key,
                name=f"{name}_{i}",
                checkpoint=checkpoint,
            )
            for i, value in enumerate(defaults)
        ]
        self._tables = nest.pack_sequence_as(default_values, tables)
        self._flat = tables

    def lookup(self, keys: TensorLike) -> Any:
        """The structures of values of keys.

        Args:
            keys: [count].
        """
        return nest.pack_sequence_as(self._tables, [table.lookup(keys) for table in self._flat])

    def insert(self, keys: TensorLike, values: Any) -> Operation:
        """The operation that associates keys with structures of values.

        Args:
            keys: [count].
            values: a structure as the defaults are, of tensors [count, ...].

        Raises:
            ValueError: for another structure.
        """
        # A value may itself be a list of numbers, so the structure is only compared down to the tables.
        parts = nest_paths.flatten_up_to(self._tables, values)
        return group(*(table.insert(keys, part) for table, part in zip(self._flat, parts, strict=True)))
