"""Tables between words and their numbers, out of files or tensors, in one call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.core.constant_value import constant_value
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.dtypes import as_dtype, int64, string
from headrace.core.tensor import Tensor
from headrace.kernels import composing
from headrace.lookup.bucketed_tables import FastHashSpec, IdTableWithHashBuckets
from headrace.lookup.initializers import (
    KeyValueTensorInitializer,
    TextFileIdTableInitializer,
    TextFileIndex,
    TextFileStringTableInitializer,
)
from headrace.lookup.tables import HashTable

if TYPE_CHECKING:
    from headrace.core.typing import DTypeLike, TensorLike
    from headrace.lookup.bucketed_tables import HasherSpec
    from headrace.lookup.tables import LookupInterface


_WHOLE_LINE, _LINE_NUMBER = TextFileIndex.WHOLE_LINE, TextFileIndex.LINE_NUMBER


def _check_file(vocabulary_file: TensorLike | None, vocab_size: int | None) -> None:
    if vocabulary_file is None or (isinstance(vocabulary_file, str) and not vocabulary_file):
        raise ValueError("vocabulary_file must be specified and must not be empty.")
    if vocab_size is not None and vocab_size < 1:
        name = vocabulary_file
        if isinstance(name, Tensor):
            known = constant_value(name)
            name = name.name if known is None else known
        raise ValueError(f"vocab_size must be greater than 0, got {vocab_size}. vocabulary_file: {name}")


def _check_buckets(count: int, key_dtype: DTypeLike) -> None:
    if count < 0:
        raise ValueError(f"num_oov_buckets must be greater or equal than 0, got {count}.")
    if not as_dtype(key_dtype).is_integer and as_dtype(key_dtype) != string:
        raise TypeError("Only integer and string keys are supported.")


def index_table_from_file(
    vocabulary_file: str | TensorLike | None = None,
    num_oov_buckets: int = 0,
    vocab_size: int | None = None,
    default_value: int = -1,
    hasher_spec: HasherSpec = FastHashSpec,
    key_dtype: DTypeLike = string,
    name: str | None = None,
    key_column_index: int = _WHOLE_LINE,
    value_column_index: int = _LINE_NUMBER,
    delimiter: str = "\t",
) -> LookupInterface:
    """A table from words to their numbers, out of a file with a word a line.

    Args:
        vocabulary_file: the file.
        num_oov_buckets: how many buckets there are for other words, with numbers after the others.
        vocab_size: how many lines to read; all by default.
        default_value: the number of other words, where there are no buckets.
        hasher_spec: how words fall into buckets.
        key_dtype: the type of the words: string or an integer type.
        name: a name for the operation.
        key_column_index, value_column_index: the columns of words and numbers; see `TextFileInitializer`.
        delimiter: what stands between the columns.

    Returns:
        the table; `tf.tables_initializer` fills it.

    Raises:
        ValueError: without a file, or for negative counts.

    Example:
        >>> with open("words.txt", "w") as file:
        ...     for word in ("hello", "world"):
        ...         print(word, file=file)
        >>> table = tf.contrib.lookup.index_table_from_file("words.txt", num_oov_buckets=1)
        >>> ids = table.lookup(tf.constant(["world", "moon"]))
        >>> sess.run(tf.tables_initializer())
        >>> sess.run(ids)
        array([1, 2])
    """
    _check_file(vocabulary_file, vocab_size)
    _check_buckets(num_oov_buckets, key_dtype)
    with name_scope(name, "string_to_index"):
        with name_scope(None, "hash_table"):
            init = TextFileIdTableInitializer(
                vocabulary_file,
                key_column_index,
                value_column_index,
                vocab_size,
                delimiter,
                "table_init",
                int64 if as_dtype(key_dtype).is_integer else key_dtype,
            )
            table = HashTable(init, default_value, init._shared_name)
        if num_oov_buckets:
            return IdTableWithHashBuckets(table, num_oov_buckets, hasher_spec, key_dtype=key_dtype)
        return table


def index_table_from_tensor(
    vocabulary_list: TensorLike | None,
    num_oov_buckets: int = 0,
    default_value: int = -1,
    hasher_spec: HasherSpec = FastHashSpec,
    dtype: DTypeLike = string,
    name: str | None = None,
) -> Any:
    """A table from words to their places in a vector.

    Args:
        vocabulary_list: the words.
        num_oov_buckets: how many buckets there are for other words, with numbers after the others.
        default_value: the number of other words, where there are no buckets.
        hasher_spec: how words fall into buckets.
        dtype: the type of the words: string or an integer type.
        name: a name for the operation.

    Returns:
        the table; `tf.tables_initializer` fills it.

    Raises:
        ValueError: without words, for words of another type, or a negative count.

    Example:
        >>> ids = tf.contrib.lookup.index_table_from_tensor(["a", "b"]).lookup(tf.constant(["b"]))
    """
    if vocabulary_list is None:
        raise ValueError("vocabulary_list must be specified.")
    return _from_vocabulary(vocabulary_list, num_oov_buckets, default_value, hasher_spec, dtype, name)


def index_table_from_mapping(
    mapping: TensorLike | None,
    num_oov_buckets: int = 0,
    default_value: int = -1,
    hasher_spec: HasherSpec = FastHashSpec,
    dtype: DTypeLike = string,
    name: str | None = None,
) -> LookupInterface:
    """`index_table_from_tensor` as contrib had it, where the words are called `mapping`."""
    if mapping is None:
        raise ValueError("mapping must be specified.")
    return _from_vocabulary(mapping, num_oov_buckets, default_value, hasher_spec, dtype, name)


def _from_vocabulary(
    words: TensorLike,
    num_oov_buckets: int,
    default_value: int,
    hasher_spec: HasherSpec,
    dtype: DTypeLike,
    name: str | None,
) -> LookupInterface:
    _check_buckets(num_oov_buckets, dtype)
    with name_scope(name, "string_to_index"):
        keys = convert_to_tensor(words)
        key_dtype = as_dtype(dtype)
        if keys.dtype.is_integer != key_dtype.is_integer or (not key_dtype.is_integer and keys.dtype != key_dtype):
            raise ValueError(f"Expected {'integer' if key_dtype.is_integer else 'non-integer'}, got {keys.dtype}.")
        count = composing.size(keys)
        values = composing.cast(composing.range_(count), int64)
        with name_scope(None, "hash_table"):
            table_keys = composing.cast(keys, int64) if keys.dtype.is_integer else keys
            init = KeyValueTensorInitializer(table_keys, values, table_keys.dtype.base_dtype, int64, name="table_init")
            table = HashTable(init, default_value)
        if num_oov_buckets:
            return IdTableWithHashBuckets(table, num_oov_buckets, hasher_spec, key_dtype=key_dtype)
        return table


def index_to_string_table_from_file(
    vocabulary_file: str,
    vocab_size: int | None = None,
    default_value: TensorLike = "UNK",
    name: str | None = None,
    key_column_index: int = _LINE_NUMBER,
    value_column_index: int = _WHOLE_LINE,
    delimiter: str = "\t",
) -> HashTable:
    """A table from numbers to words, out of a file with a word a line.

    Args:
        vocabulary_file: the file.
        vocab_size: how many lines to read; all by default.
        default_value: the word of other numbers.
        name: a name for the operation.
        key_column_index, value_column_index: the columns of numbers and words; see `TextFileInitializer`.
        delimiter: what stands between the columns.

    Raises:
        ValueError: without a file, or for a size below 1.

    Example:
        >>> with open("words.txt", "w") as file:
        ...     for word in ("hello", "world"):
        ...         print(word, file=file)
        >>> table = tf.contrib.lookup.index_to_string_table_from_file("words.txt")
        >>> words = table.lookup(tf.constant([1, 5], tf.int64))
        >>> sess.run(tf.tables_initializer())
        >>> sess.run(words)
        array([b'world', b'UNK'], dtype=object)
    """
    _check_file(vocabulary_file, vocab_size)
    with name_scope(name, "index_to_string"):
        init = TextFileStringTableInitializer(
            vocabulary_file, key_column_index, value_column_index, vocab_size, delimiter, "table_init"
        )
        return HashTable(init, default_value, init._shared_name)


def index_to_string_table_from_tensor(
    vocabulary_list: TensorLike, default_value: TensorLike = "UNK", name: str | None = None
) -> HashTable:
    """A table from places in a vector to its words.

    Args:
        vocabulary_list: the words.
        default_value: the word of other numbers.
        name: a name for the operation.

    Raises:
        ValueError: without words.

    Example:
        >>> table = tf.contrib.lookup.index_to_string_table_from_tensor(["a", "b"])
        >>> words = table.lookup(tf.constant([1, 5], tf.int64))
        >>> sess.run(tf.tables_initializer())
        >>> sess.run(words)
        array([b'b', b'UNK'], dtype=object)
    """
    if vocabulary_list is None:
        raise ValueError("vocabulary_list must be specified.")
    with name_scope(name, "index_to_string"):
        words = convert_to_tensor(vocabulary_list, string)
        numbers = composing.cast(composing.range_(composing.size(words)), int64)
        init = KeyValueTensorInitializer(numbers, words, int64, string, name="table_init")
        return HashTable(init, default_value)


def index_to_string_table_from_mapping(
    mapping: TensorLike | None, default_value: TensorLike = "UNK", name: str | None = None
) -> HashTable:
    """`index_to_string_table_from_tensor` as contrib had it, where the words are called `mapping`."""
    if mapping is None:
        raise ValueError("mapping must be specified.")
    return index_to_string_table_from_tensor(mapping, default_value, name)


def string_to_index_table_from_file(
    vocabulary_file: str | None = None,
    num_oov_buckets: int = 0,
    vocab_size: int | None = None,
    default_value: int = -1,
    hasher_spec: HasherSpec = FastHashSpec,
    name: str | None = None,
) -> Any:
    """`index_table_from_file` for strings, under its older name."""
    return index_table_from_file(vocabulary_file, num_oov_buckets, vocab_size, default_value, hasher_spec, string, name)


def string_to_index_table_from_tensor(
    mapping: TensorLike,
    num_oov_buckets: int = 0,
    default_value: int = -1,
    hasher_spec: HasherSpec = FastHashSpec,
    name: str | None = None,
) -> Any:
    """`index_table_from_tensor` for strings, under its older name."""
    with name_scope(name, "string_to_index") as scope:
        return index_table_from_mapping(mapping, num_oov_buckets, default_value, hasher_spec, string, scope)


def string_to_index(
    tensor: TensorLike, mapping: TensorLike, default_value: int = -1, name: str | None = None
) -> Tensor:
    """The place in `mapping` of each string of `tensor`: a table and its use in one."""
    return index_table_from_mapping(mapping, default_value=default_value, name=name).lookup(tensor)


def index_to_string(
    tensor: TensorLike, mapping: TensorLike, default_value: TensorLike = "UNK", name: str | None = None
) -> Tensor:
    """The string of `mapping` at each place in `tensor`: a table and its use in one."""
    return index_to_string_table_from_mapping(mapping, default_value, name).lookup(tensor)
