"""A hash table in several parts, so that they can be on several machines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from headrace.core.defaults import name_scope
from headrace.core.dtypes import as_dtype, int32
from headrace.core.operation import Operation
from headrace.core.registry import raw
from headrace.core.shapes import as_shape
from headrace.core.tensor import Tensor
from headrace.kernels.composing import cast
from headrace.kernels.composing import shape as shape_of
from headrace.kernels.composing.arithmetic import range as range_
from headrace.lookup.mutable_tables import MutableDenseHashTable
from headrace.ops.array.dynamic import dynamic_partition, dynamic_stitch
from headrace.ops.array.slice import slice as slice_
from headrace.ops.flow.grouping import group
from headrace.ops.math.add_n import add_n

if TYPE_CHECKING:
    from headrace.core.typing import DTypeLike, TensorLike


class ShardedMutableDenseHashTable:
    """Several `MutableDenseHashTable`s as one; a key is in the one that it is the remainder of.

    Args:
        key_dtype, value_dtype, default_value, empty_key, deleted_key, checkpoint, name: as of `MutableDenseHashTable`.
        num_shards: how many tables.

    Attributes:
        table_shards: the tables.
        name: its name scope.
    """

    def __init__(
        self,
        key_dtype: DTypeLike,
        value_dtype: DTypeLike,
        default_value: TensorLike,
        empty_key: Sequence[int],
        deleted_key: Sequence[int],
        num_shards: int = 1,
        checkpoint: bool = True,
        name: str = "ShardedMutableHashTable",
    ) -> None:
        self._key_dtype = as_dtype(key_dtype)
        with name_scope(name, "sharded_mutable_hash_table") as scope:
            self.name = scope
            self.table_shards = [
                MutableDenseHashTable(
                    key_dtype=key_dtype,
                    value_dtype=value_dtype,
                    default_value=default_value,
                    empty_key=empty_key,
                    deleted_key=deleted_key,
                    checkpoint=checkpoint,
                    name=f"{name}-{number + 1}-of-{num_shards}",
                )
                for number in range(num_shards)
            ]
        self._value_shape = self.table_shards[0]._default_value.get_shape()

    def size(self, name: str | None = None) -> Tensor:
        """How many keys there are."""
        with name_scope(name, "sharded_mutable_hash_table_size"):
            return add_n([shard.size() for shard in self.table_shards])

    def _shard_of(self, keys: Tensor) -> Tensor:
        if keys.dims is not None and len(keys.dims) > 1:
            # Of a key of several numbers the first one tells.
            keys = raw.Reshape(slice_(keys, [0, 0], [-1, 1]), [-1])
        return cast(raw.FloorMod(raw.Abs(keys), len(self.table_shards)), int32)

    def _check(self, keys: Tensor) -> None:
        shape = keys.get_shape()
        if shape.ndims not in (1, 2):
            raise ValueError(f"Expected a vector or matrix for keys, got {shape}.")

    def lookup(self, keys: Tensor, name: str | None = None) -> Tensor:
        """The values of keys.

        Args:
            keys: a vector, or a matrix whose rows are keys.
            name: a name for the operations.

        Raises:
            TypeError: if the keys are of another type; ValueError: if they are not known to be of this rank.
        """
        if keys.dtype.base_dtype != self._key_dtype:
            raise TypeError(f"Signature mismatch. Keys must be dtype {self._key_dtype}, got {keys.dtype}.")
        self._check(keys)
        count = len(self.table_shards)
        if count == 1:
            return self.table_shards[0].lookup(keys, name=name)
        shards = self._shard_of(keys)
        parts = dynamic_partition(keys, shards, count)
        found = [shard.lookup(part, name=name) for shard, part in zip(self.table_shards, parts, strict=True)]
        number = keys.dims[0] if keys.dims else None
        positions = range_(shape_of(keys)[0] if number is None else number)
        values = dynamic_stitch(dynamic_partition(positions, shards, count), found)
        values.set_shape(as_shape([number]).concatenate(self._value_shape))
        return values

    def insert(self, keys: Tensor, values: Tensor, name: str | None = None) -> Operation:
        """An operation that sets the values of keys; arguments and errors as of `lookup`."""
        self._check(keys)
        count = len(self.table_shards)
        if count == 1:
            return self.table_shards[0].insert(keys, values, name=name)
        shards = self._shard_of(keys)
        parts = zip(dynamic_partition(keys, shards, count), dynamic_partition(values, shards, count), strict=True)
        return group(*[shard.insert(*part, name=name) for shard, part in zip(self.table_shards, parts, strict=True)])

    def export_sharded(self, name: str | None = None) -> tuple[list[Tensor], list[Tensor]]:
        """All keys, and their values, a tensor for each part of the table."""
        parts = [shard.export(name=name) for shard in self.table_shards]
        return [keys for keys, _ in parts], [values for _, values in parts]
