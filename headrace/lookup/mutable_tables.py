"""Tables whose keys and values come and go while the graph runs."""

from __future__ import annotations

import functools
import uuid
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.checkpoints.table_saveables import TableSaveable
from headrace.core.collections import GraphKeys
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import add_to_collection, name_scope
from headrace.core.eager import EagerTensor, executing_eagerly
from headrace.core.func_graph import note_resource
from headrace.core.operation import Operation
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.lookup.tables import HandleTable

if TYPE_CHECKING:
    from headrace.core.composite import SparseTensor
    from headrace.core.typing import DTypeLike, TensorLike


class _MutableTable(HandleTable):
    """A table that operations change."""

    _default_value: Tensor
    _value_dims: tuple[Any, ...] = ()

    def _create_in(self, name: str, checkpoint: bool) -> None:
        """Makes the table, and lets savers save it under its name."""
        self._table_name = name
        if executing_eagerly():
            # No graph gives it a name of its own.
            self._sharing: dict[str, Any] = {"shared_name": f"table_{uuid.uuid4()}"}
        else:
            # A table that is saved is told from others by its own name.
            self._sharing = {"use_node_name_sharing": True} if checkpoint else {}
        note_resource()
        self._handle = self._create_resource()
        if checkpoint:
            self._saveable = functools.partial(TableSaveable, self)
            if not executing_eagerly():
                add_to_collection(GraphKeys.SAVEABLE_OBJECTS, self._saveable(name))

    def _gather_saveables_for_checkpoint(self) -> dict[str, Any]:
        made = getattr(self, "_saveable", None)
        return {} if made is None else {"table": lambda name=self._table_name: made(name)}

    def _lookup_scope(self, what: str, name: str | None, *values: Any) -> name_scope:
        return name_scope(name, f"{self.name}_lookup_table_{what}", (self._handle, *values))

    def remove(self, keys: TensorLike, name: str | None = None) -> Operation:
        """The operation that forgets `keys`.

        Args:
            keys: a tensor of keys; those that are not there do not matter.
            name: a name for the operation.

        Raises:
            TypeError: for keys of another type.
        """
        self._check_keys(keys)
        with self._lookup_scope("remove", name, keys, self._default_value):
            return raw.LookupTableRemoveV2(self._handle, keys)

    def lookup(self, keys: TensorLike | SparseTensor, name: str | None = None) -> Tensor:
        """The values of `keys`, the default value for those that are not there.

        Args:
            keys: a tensor of keys.
            name: a name for the operation.

        Raises:
            TypeError: for keys of another type.
        """
        with self._lookup_scope("find", name, keys, self._default_value):
            keys = convert_to_tensor(keys, self._key_dtype, name="keys")
            return raw.LookupTableFindV2(self._handle, keys, self._default_value)

    def insert(self, keys: TensorLike, values: TensorLike, name: str | None = None) -> Operation:
        """The operation that adds keys, or gives them new values.

        Args:
            keys: a tensor of keys.
            values: their values.
            name: a name for the operation.

        Raises:
            TypeError: for other types.
        """
        with self._lookup_scope("insert", name, keys, values):
            keys = convert_to_tensor(keys, self._key_dtype, name="keys")
            values = convert_to_tensor(values, self._value_dtype, name="values")
            return raw.LookupTableInsertV2(self._handle, keys, values)

    def export(self, name: str | None = None) -> tuple[Tensor, Tensor]:
        """All keys and their values.

        Args:
            name: a name for the operation.
        """
        with self._lookup_scope("export_values", name):
            keys, values = raw.LookupTableExportV2(self._handle, Tkeys=self._key_dtype, Tvalues=self._value_dtype)
            return keys, values


class MutableHashTable(_MutableTable):
    """A table that operations change.

    Args:
        key_dtype, value_dtype: the types of keys and values.
        default_value: the value of keys that are not there; its shape is that of all values.
        name: a name for the operation.
        checkpoint: whether savers save the table.

    Example:
        >>> table = tf.contrib.lookup.MutableHashTable(tf.string, tf.int64, -1)
        >>> sess.run(table.insert(tf.constant(["a"]), tf.constant([7], tf.int64)))
        >>> sess.run(table.lookup(tf.constant(["a", "b"])))
        array([ 7, -1])
    """

    def __init__(
        self,
        key_dtype: DTypeLike,
        value_dtype: DTypeLike,
        default_value: TensorLike,
        name: str = "MutableHashTable",
        checkpoint: bool = True,
    ) -> None:
        super().__init__(key_dtype, value_dtype)
        self._default_value = convert_to_tensor(default_value, self._value_dtype)
        self._name = name
        self._create_in(name, checkpoint)

    def _create_resource(self) -> Tensor:
        options = {"key_dtype": self._key_dtype, "value_dtype": self._value_dtype, "name": self._table_name}
        if self._default_value.dims == ():
            return raw.MutableHashTableV2(**options, **self._sharing)
        return raw.MutableHashTableOfTensorsV2(value_shape=self._default_value.dims, **options, **self._sharing)


class MutableDenseHashTable(_MutableTable):
    """A table that operations change, with two keys set apart.

    Args:
        key_dtype, value_dtype: the types of keys and values.
        default_value: the value of keys that are not there; its shape is that of all values.
        empty_key, deleted_key: two keys that are never used; their shape is that of all keys.
        initial_num_buckets: a power of 2, of TensorFlow's layout in memory.
        name: a name for the operation.
        checkpoint: whether savers save the table.

    Example:
        >>> table = tf.contrib.lookup.MutableDenseHashTable(tf.int64, tf.int64, -1, empty_key=0, deleted_key=-1)
    """

    def __init__(
        self,
        key_dtype: DTypeLike,
        value_dtype: DTypeLike,
        default_value: TensorLike,
        empty_key: int | str | Sequence[int],
        deleted_key: int | str | Sequence[int],
        initial_num_buckets: int | None = None,
        name: str = "MutableDenseHashTable",
        checkpoint: bool = True,
    ) -> None:
        super().__init__(key_dtype, value_dtype)
        self._default_value = convert_to_tensor(default_value, self._value_dtype, name="default_value")
        self._keys_apart = {"empty_key": empty_key, "deleted_key": deleted_key}
        self._initial_num_buckets = initial_num_buckets
        self._create_in(name, checkpoint)

    def _create_resource(self) -> Tensor:
        # Each table has its own, in the graph it is made in.
        keys = [
            convert_to_tensor(key.numpy() if isinstance(key, EagerTensor) else key, self._key_dtype, name=name)
            for name, key in self._keys_apart.items()
        ]
        return raw.MutableDenseHashTableV2(
            *keys,
            value_dtype=self._value_dtype,
            value_shape=self._default_value.dims,
            initial_num_buckets=self._initial_num_buckets,
            name=self._table_name,
            **self._sharing,
        )

    def insert_or_assign(self, keys: TensorLike, values: TensorLike, name: str | None = None) -> Operation:
        """`insert` under its later name."""
        return self.insert(keys, values, name)

    def erase(self, keys: TensorLike, name: str | None = None) -> Operation:
        """`remove` under its later name."""
        return self.remove(keys, name)


# Its name in tf.lookup.
DenseHashTable = MutableDenseHashTable
