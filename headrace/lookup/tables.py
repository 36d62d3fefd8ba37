"""Tables from keys to values."""

from __future__ import annotations

import functools
import importlib
import uuid
from collections import namedtuple
from collections.abc import Callable
from typing import Any

from headrace.core.collections import GraphKeys
from headrace.core.composite import SparseTensor
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import add_to_collection, get_collection, name_scope
from headrace.core.dtypes import as_dtype, int64, string
from headrace.core.eager import EagerTensor, executing_eagerly
from headrace.core.operation import Operation, Tensor
from headrace.core.registry import raw
from headrace.core.shapes import as_shape
from headrace.lookup.initializers import KeysAndValues, TableInitializerBase
from headrace.ops.flow.grouping import group, no_op


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

    def lookup(self, keys: Any, name: str | None = None) -> Any:
        """The values of `keys`."""
        raise NotImplementedError

    @property
    def _checkpoint_dependencies(self) -> list[tuple[str, Any]]:
        """What checkpoints and models of objects hold with the table: what fills it."""
        filled_by = getattr(self, "_initializer", None)
        return [] if filled_by is None else [("_initializer", filled_by)]

    def _create_resource(self) -> Any:
        """The handle of a new table like this one."""
        raise NotImplementedError

    def _initialize(self) -> Any:
        """The operation that fills the table; None where nothing does."""
        filled_by = getattr(self, "_initializer", None)
        return None if filled_by is None else filled_by.initialize(self)

    def _check_keys(self, keys: Any) -> None:
        if keys.dtype.base_dtype != self._key_dtype:
            raise TypeError(f"Signature mismatch. Keys must be dtype {self._key_dtype}, got {keys.dtype}.")


class _HandleTable(LookupInterface):
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


class InitializableLookupTableBase(_HandleTable):
    """A table that is filled once, by its initializer.

    Args:
        default_value: the value of keys that are not there.
        initializer: fills the table.
    """

    def __init__(self, default_value: Any, initializer: TableInitializerBase) -> None:
        super().__init__(initializer.key_dtype, initializer.value_dtype)
        self._default_value = convert_to_tensor(default_value, self._value_dtype)
        if self._default_value.dims != ():
            as_shape([]).merge_with(self._default_value.get_shape())
        self._initializer = initializer
        self._handle = self._create_resource()
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

    def __init__(self, initializer: TableInitializerBase, default_value: Any, name: str | None = None) -> None:
        self._name = name or "hash_table"
        self._shared = getattr(self, "_shared", None) or initializer._shared_name
        super().__init__(default_value, initializer)
        self._value_shape = self._default_value.get_shape()

    def _create_resource(self) -> Any:
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
        default_value: Any,
        shared_name: str | None = None,
        name: str | None = None,
    ) -> None:
        self._shared = shared_name or ""
        super().__init__(initializer, default_value, name)

    @property
    def init(self) -> Operation:
        """The operation that fills the table, under its older name."""
        return self.initializer


class HasherSpec(namedtuple("HasherSpec", ["hasher", "key"])):
    """How strings become bucket numbers."""

    __slots__ = ()


FastHashSpec = HasherSpec("fasthash", None)


class StrongHashSpec(HasherSpec):
    """Strings become bucket numbers by a hash under a key.

    Args:
        key: two integers.

    Raises:
        ValueError: for another key.
        TypeError: for a key not of integers.
    """

    __slots__ = ()

    def __new__(cls, key: Any) -> StrongHashSpec:
        if len(key) != 2:
            raise ValueError(f"key must have size 2, got {len(key)}.")
        if not isinstance(key[0], int) or not isinstance(key[1], int):
            raise TypeError("Invalid key %s. Must be unsigned integer values." % key)  # noqa: UP031 (any object)
        return super().__new__(cls, "stronghash", key)


def _buckets(spec: Any, keys: Any, count: int, name: str = "hash_bucket") -> Tensor:
    if spec.hasher == "fasthash":
        return raw.StringToHashBucketFast(keys, num_buckets=count, name=name)
    if spec.hasher == "stronghash":
        return raw.StringToHashBucketStrong(keys, num_buckets=count, key=list(spec.key), name=name)
    if spec.hasher == "legacy":
        return raw.StringToHashBucket(keys, num_buckets=count, name=name)
    raise ValueError(f"Unknown hasher {spec.hasher}")


class _BucketedTable(LookupInterface):
    """Ids out of a table, and of buckets behind them for keys that the table does not have."""

    _table: Any
    _num_oov_buckets: int
    _table_name: str

    @property
    def name(self) -> str:
        """The table's name."""
        return self._table_name

    @property
    def resource_handle(self) -> Tensor | None:
        """The handle of the inner table, None where there is none."""
        return None if self._table is None else self._table.resource_handle

    @property
    def _initializer(self) -> Any:
        return getattr(self._table, "_initializer", None)

    def _create_resource(self) -> Any:
        return self._table._create_resource()

    @property
    def initializer(self) -> Operation:
        """The operation that fills the inner table."""
        if self._table is not None:
            return self._table.initializer
        with name_scope(None, "init"):
            return no_op()

    def size(self, name: str | None = None) -> Tensor:
        """How many ids there are: of keys and of buckets.

        Args:
            name: a name for the operation.
        """
        with name_scope(name, f"{self.name}_Size"):
            if self._table is None:
                return convert_to_tensor(self._num_oov_buckets, int64)
            return self._table.size() + self._num_oov_buckets

    def _id_of(self, keys: Any, hashed: Callable[[Tensor], Tensor], name: str | None) -> Any:
        sparse = isinstance(keys, SparseTensor)
        items = keys.values if sparse else keys
        wanted = None if self._table is None else self._table.key_dtype
        if wanted is not None and wanted.is_integer and items.dtype.base_dtype != wanted:
            items = raw.Cast(items, DstT=wanted)
        if self._num_oov_buckets == 0:
            ids = self._table.lookup(items, name=name)
        else:
            with name_scope(name, f"{self.name}_Lookup"):
                texts = items if items.dtype.base_dtype == string else raw.AsString(items)
                buckets = hashed(texts)
                if self._table is None:
                    ids = buckets
                else:
                    known = self._table.lookup(items)
                    buckets = raw.Add(buckets, self._table.size())
                    ids = raw.SelectV2(raw.NotEqual(known, self._table.default_value), known, buckets)
        return SparseTensor(keys.indices, ids, keys.dense_shape) if sparse else ids


class IdTableWithHashBuckets(_BucketedTable):
    """Ids out of a table; keys it does not have fall into buckets, whose ids come after the others.

    Args:
        table: a table from strings or integers to ids; None for buckets only.
        num_oov_buckets: how many buckets there are.
        hasher_spec: how keys fall into buckets.
        name: a name for the operation.
        key_dtype: the type of the keys, where `table` does not say so.

    Raises:
        ValueError: if there are no buckets and no table.
        TypeError: for types or a hasher that do not fit.
    """

    def __init__(
        self,
        table: Any,
        num_oov_buckets: int,
        hasher_spec: Any = FastHashSpec,
        name: str | None = None,
        key_dtype: Any = None,
    ) -> None:
        if name:
            name = name.rstrip("/")
        if table is not None:
            if key_dtype is None:
                key_dtype = table.key_dtype
            if as_dtype(table.key_dtype) not in (int64, string):
                raise TypeError(f"Invalid key_dtype, expected one of {[int64, string]}, received {key_dtype}.")
            if as_dtype(table.key_dtype).is_integer != as_dtype(key_dtype).is_integer:
                raise TypeError(
                    f"Invalid key dtype, expected {'integer' if as_dtype(table.key_dtype).is_integer else 'non-integer'} "
                    f"but got {key_dtype}."
                )
            if as_dtype(table.value_dtype) != int64:
                raise TypeError(f"Invalid value dtype, expected {int64} but got {table.value_dtype}.")
            self._table = table
            name = name or table.name
        else:
            if num_oov_buckets <= 0:
                raise ValueError("oov_buckets must be > 0 if no table is supplied.")
            key_dtype = string if key_dtype is None else key_dtype
            self._table = None
            name = name or "hash_bucket"
        if not as_dtype(key_dtype).is_integer and as_dtype(key_dtype) != string:
            raise TypeError(f"Invalid key_dtype, expected integer or string, got {key_dtype}.")
        self._num_oov_buckets = num_oov_buckets
        if not isinstance(hasher_spec, HasherSpec):
            raise TypeError(f"hasher_spec must be of type HasherSpec, got {hasher_spec}")
        self._hasher_spec = hasher_spec
        self._table_name = name.split("/")[-1]
        super().__init__(key_dtype, int64)

    @property
    def init(self) -> Operation:
        """The operation that fills the inner table, under its older name."""
        return self.initializer

    def lookup(self, keys: Any, name: str | None = None) -> Any:
        """The ids of `keys`.

        Args:
            keys: a tensor of keys, or a SparseTensor of them.
            name: a name for the operation.

        Returns:
            int64 ids: of the same kind and shape.

        Raises:
            TypeError: for keys of another type.
        """
        self._check_keys(keys)
        return self._id_of(keys, lambda texts: _buckets(self._hasher_spec, texts, self._num_oov_buckets), name)


class StaticVocabularyTable(_BucketedTable):
    """Ids of a vocabulary; words it does not have fall into buckets, whose ids come after the others.

    Args:
        initializer: fills the vocabulary, from strings or int64 to int64; None for buckets only.
        num_oov_buckets: how many buckets there are, at least 1.
        lookup_key_dtype: the type of keys that are looked up, where it is not the vocabulary's.
        name: a name for the operation.

    Raises:
        ValueError: if there are no buckets.
        TypeError: for types that do not fit.

    Example:
        >>> table = tf.lookup.StaticVocabularyTable(tf.lookup.TextFileInitializer(
        ...     "words.txt", tf.string, tf.lookup.TextFileIndex.WHOLE_LINE,
        ...     tf.int64, tf.lookup.TextFileIndex.LINE_NUMBER), num_oov_buckets=2)
    """

    def __init__(
        self, initializer: Any, num_oov_buckets: int, lookup_key_dtype: Any = None, name: str | None = None
    ) -> None:
        if num_oov_buckets <= 0:
            raise ValueError("oov_buckets must be > 0.")
        if initializer is not None:
            if as_dtype(initializer.key_dtype) not in (int64, string):
                raise TypeError(
                    f"Invalid key_dtype, expected one of {[int64, string]}, received {initializer.key_dtype}."
                )
            key_dtype = initializer.key_dtype if lookup_key_dtype is None else as_dtype(lookup_key_dtype)
            if initializer.key_dtype.is_integer != key_dtype.is_integer:
                kind = "integer" if initializer.key_dtype.is_integer else "non-integer"
                raise TypeError(f"Invalid key dtype, expected {kind} but got {key_dtype}.")
            if as_dtype(initializer.value_dtype) != int64:
                raise TypeError(f"Invalid value dtype, expected {int64} but got {initializer.value_dtype}.")
            self._table = HashTable(initializer, -1, initializer._shared_name, name)
            name = self._table.name
        else:
            key_dtype = as_dtype(lookup_key_dtype or string)
            self._table = None
            name = name or "hash_bucket"
        if not key_dtype.is_integer and key_dtype != string:
            raise TypeError(f"Invalid key_dtype, expected integer or string, got {key_dtype}.")
        self._num_oov_buckets = num_oov_buckets
        self._table_name = name.split("/")[-1]
        super().__init__(key_dtype, int64)

    def lookup(self, keys: Any, name: str | None = None) -> Any:
        """The ids of `keys`.

        Args:
            keys: a tensor of keys, or a SparseTensor of them.
            name: a name for the operation.

        Returns:
            int64 ids: of the same kind and shape.

        Raises:
            TypeError: for keys of another type.
        """
        self._check_keys(keys)
        return self._id_of(keys, lambda texts: _buckets(FastHashSpec, texts, self._num_oov_buckets), name)


class _MutableTable(_HandleTable):
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
        self._handle = self._create_resource()
        if checkpoint:
            self._saveable = functools.partial(_saveable_class(), self)
            if not executing_eagerly():
                add_to_collection(GraphKeys.SAVEABLE_OBJECTS, self._saveable(name))

    def _gather_saveables_for_checkpoint(self) -> dict[str, Any]:
        made = getattr(self, "_saveable", None)
        return {} if made is None else {"table": lambda name=self._table_name: made(name)}

    def _lookup_scope(self, what: str, name: str | None, *values: Any) -> Any:
        return name_scope(name, f"{self.name}_lookup_table_{what}", (self._handle, *values))

    def remove(self, keys: Any, name: str | None = None) -> Operation:
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

    def lookup(self, keys: Any, name: str | None = None) -> Tensor:
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

    def insert(self, keys: Any, values: Any, name: str | None = None) -> Operation:
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
        key_dtype: Any,
        value_dtype: Any,
        default_value: Any,
        name: str = "MutableHashTable",
        checkpoint: bool = True,
    ) -> None:
        super().__init__(key_dtype, value_dtype)
        self._default_value = convert_to_tensor(default_value, self._value_dtype)
        self._name = name
        self._create_in(name, checkpoint)

    def _create_resource(self) -> Any:
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
        key_dtype: Any,
        value_dtype: Any,
        default_value: Any,
        empty_key: Any,
        deleted_key: Any,
        initial_num_buckets: int | None = None,
        name: str = "MutableDenseHashTable",
        checkpoint: bool = True,
    ) -> None:
        super().__init__(key_dtype, value_dtype)
        self._default_value = convert_to_tensor(default_value, self._value_dtype, name="default_value")
        self._keys_apart = {"empty_key": empty_key, "deleted_key": deleted_key}
        self._initial_num_buckets = initial_num_buckets
        self._create_in(name, checkpoint)

    def _create_resource(self) -> Any:
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

    def insert_or_assign(self, keys: Any, values: Any, name: str | None = None) -> Operation:
        """`insert` under its later name."""
        return self.insert(keys, values, name)

    def erase(self, keys: Any, name: str | None = None) -> Operation:
        """`remove` under its later name."""
        return self.remove(keys, name)


def _saveable_class() -> Any:
    # Savers belong to a room beside this one, which not every program with tables needs.
    return importlib.import_module("headrace.train.table_saveables").TableSaveable


# Its name in tf.lookup.
DenseHashTable = MutableDenseHashTable


def tables_initializer(name: str = "init_all_tables") -> Operation:
    """The operation that fills all tables of the graph.

    Args:
        name: a name for the operation.

    Example:
        >>> sess.run(tf.tables_initializer())
    """
    makers = get_collection(GraphKeys.TABLE_INITIALIZERS)
    return group(*makers, name=name) if makers else no_op(name=name)
