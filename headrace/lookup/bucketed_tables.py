"""Tables that give what is no key of theirs one of a number of buckets."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.composite import SparseTensor
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.dtypes import as_dtype, int64, string
from headrace.core.operation import Operation
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.lookup.tables import HashTable, LookupInterface
from headrace.ops.flow.grouping import no_op

if TYPE_CHECKING:
    from headrace.core.typing import DTypeLike, TensorLike


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

    def __new__(cls, key: Sequence[float]) -> StrongHashSpec:
        if len(key) != 2:
            raise ValueError(f"key must have size 2, got {len(key)}.")
        if not isinstance(key[0], int) or not isinstance(key[1], int):
            raise TypeError("Invalid key %s. Must be unsigned integer values." % key)  # noqa: UP031 (any object)
        return super().__new__(cls, "stronghash", key)


def _buckets(spec: HasherSpec, keys: Tensor, count: int, name: str = "hash_bucket") -> Tensor:
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

    def _create_resource(self) -> Tensor:
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

    def _id_of(self, keys: Any, hashed: Callable[[Tensor], Tensor], name: str | None) -> SparseTensor | Tensor:
        sparse = isinstance(keys, SparseTensor)
        items = keys.values if sparse else keys
        key_dtype = None if self._table is None else self._table.key_dtype
        if key_dtype is not None and key_dtype.is_integer and items.dtype.base_dtype != key_dtype:
            items = raw.Cast(items, DstT=key_dtype)
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
        hasher_spec: HasherSpec = FastHashSpec,
        name: str | None = None,
        key_dtype: DTypeLike | None = None,
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

    def lookup(self, keys: TensorLike | SparseTensor, name: str | None = None) -> Any:
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

    def lookup(self, keys: TensorLike | SparseTensor, name: str | None = None) -> Any:
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
