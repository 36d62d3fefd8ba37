"""Tables from keys to values."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any

from headrace.core.collections import GraphKeys
from headrace.core.composite import SparseTensor
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import get_collection, name_scope
from headrace.core.eager import EagerTensor
from headrace.core.func_graph import note_resource
from headrace.core.operation import Operation
from headrace.core.registry import raw
from headrace.core.shapes import as_shape
from headrace.core.tensor import Tensor
from headrace.lookup.initializers import KeysAndValues, TableInitializerBase
from headrace.ops.flow.grouping import group, no_op
from headrace.state.scoping import init_scope, outside_of_bodies

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


class LookupInterface(KeysAndValues):
    """What all tables have.

    Args:
        key_dtype, value_dtype: the types of keys and values.
    """

    @property
    def name(self) -> str:
        """The table's name."""
        raise NotImplementedError

    def size(self, name: str | None = None) -> Tensor:
        """How many keys the table has: an int64 scalar."""
        raise NotImplementedError

    def lookup(self, keys: TensorLike | SparseTensor, name: str | None = None) -> Any:
        """The values of `keys`."""
        raise NotImplementedError

    @property
    def _checkpoint_dependencies(self) -> list[tuple[str, Any]]:
        """What checkpoints and models of objects hold with the table: what fills it."""
        filled_by = getattr(self, "_initializer", None)
        return [] if filled_by is None else [("_initializer", filled_by)]

    def _create_resource(self) -> Tensor:
        """The handle of a new table like this one."""
        raise NotImplementedError

    def _initialize(self) -> Operation | None:
        """The operation that fills the table; None where nothing does."""
        filled_by = getattr(self, "_initializer", None)
        return None if filled_by is None else filled_by.initialize(self)

    def _check_keys(self, keys: Any) -> None:
        if keys.dtype.base_dtype != self._key_dtype:
            raise TypeError(f"Signature mismatch. Keys must be dtype {self._key_dtype}, got {keys.dtype}.")


class HandleTable(LookupInterface):
    """A table behind a resource handle."""

    _handle: Tensor

    @property
    def resource_handle(self) -> Tensor:
        """The handle of the table."""
        return self._handle

    @property
    def name(self) -> str:
        """The table's name."""
        if isinstance(self._handle, EagerTensor):
            return f"table_{self._handle._id}"
        return self._handle.op.name.split("/")[-1]

    def size(self, name: str | None = None) -> Tensor:
        """How many keys the table has.

        Args:
            name: a name for the operation.

        Returns:
            an int64 scalar.
        """
        with name_scope(name, f"{self.name}_Size", [self._handle]):
            return raw.LookupTableSizeV2(self._handle)


class InitializableLookupTableBase(HandleTable):
    """A table that is filled once, by its initializer.

    Args:
        default_value: the value of keys that are not there.
        initializer: fills the table.
    """

    def __init__(self, default_value: TensorLike, initializer: TableInitializerBase) -> None:
        super().__init__(initializer.key_dtype, initializer.value_dtype)
        self._default_value = convert_to_tensor(default_value, self._value_dtype)
        if self._default_value.dims != ():
            as_shape([]).merge_with(self._default_value.get_shape())
        self._initializer = initializer
        note_resource()
        with init_scope():
            self._handle = self._create_resource()
        # A branch or a loop does not fill it; a function does, in each call, for the initializer may hold what it made.
        with outside_of_bodies():
            self._init_op = initializer.initialize(self)

    @property
    def initializer(self) -> Operation:
        """The operation that fills the table; `tf.tables_initializer` runs it too."""
        return self._init_op

    @property
    def default_value(self) -> Tensor:
        """The value of keys that are not there."""
        return self._default_value

    def lookup(self, keys: Any, name: str | None = None) -> Any:
        """The values of `keys`.

        Args:
            keys: a tensor of keys, or a SparseTensor of them.
            name: a name for the operation.

        Returns:
            the values: of the same kind and shape.

        Raises:
            TypeError: for keys of another type.
            FailedPreconditionError: at run time, if the table is not filled.
        """
        sparse = isinstance(keys, SparseTensor)
        items = keys.values if sparse else keys
        self._check_keys(convert_to_tensor(items) if not isinstance(items, Tensor) else items)
        with name_scope(name, f"{self.name}_Lookup", (self._handle, items, self._default_value)):
            values = raw.LookupTableFindV2(self._handle, items, self._default_value)
        values.set_shape(items.get_shape() if isinstance(items, Tensor) else None)
        return SparseTensor(keys.indices, values, keys.dense_shape) if sparse else values


class StaticHashTable(InitializableLookupTableBase):
    """A table that does not change once it is filled.

    Args:
        initializer: fills the table.
        default_value: the value of keys that are not there.
        name: a name for the operation.

    Example:
        >>> table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a"], [1]), -1)
        >>> ids = table.lookup(tf.constant(["a", "b"]))
        >>> sess.run(tf.tables_initializer())
        >>> sess.run(ids)
        array([ 1, -1], dtype=int32)
    """

    def __init__(self, initializer: TableInitializerBase, default_value: TensorLike, name: str | None = None) -> None:
        self._name = name or "hash_table"
        self._shared = getattr(self, "_shared", None) or initializer._shared_name
        super().__init__(default_value, initializer)
        self._value_shape = self._default_value.get_shape()

    def _create_resource(self) -> Tensor:
        return raw.HashTableV2(
            key_dtype=self._initializer.key_dtype,
            value_dtype=self._initializer.value_dtype,
            shared_name=self._shared or f"table_{uuid.uuid4()}",
            name=self._name,
        )

    def export(self, name: str | None = None) -> tuple[Tensor, Tensor]:
        """All keys and their values.

        Args:
            name: a name for the operation.

        Returns:
            two vectors.
        """
        with name_scope(name, f"{self.name}_Export", [self._handle]):
            keys, values = raw.LookupTableExportV2(self._handle, Tkeys=self._key_dtype, Tvalues=self._value_dtype)
        values.set_shape(as_shape([None]).concatenate(self._value_shape))
        return keys, values


class HashTable(StaticHashTable):
    """`StaticHashTable` as contrib had it, with a name to share it by.

    Args:
        initializer: fills the table.
        default_value: the value of keys that are not there.
        shared_name: tables of one name are one.
        name: a name for the operation.
    """

    def __init__(
        self,
        initializer: TableInitializerBase,
        default_value: TensorLike,
        shared_name: str | None = None,
        name: str | None = None,
    ) -> None:
        self._shared = shared_name or ""
        super().__init__(initializer, default_value, name)

    @property
    def init(self) -> Operation:
        """The operation that fills the table, under its older name."""
        return self.initializer


def tables_initializer(name: str = "init_all_tables") -> Operation:
    """The operation that fills all tables of the graph.

    Args:
        name: a name for the operation.

    Example:
        >>> sess.run(tf.tables_initializer())
    """
    makers = get_collection(GraphKeys.TABLE_INITIALIZERS)
    return group(*makers, name=name) if makers else no_op(name=name)
