"""What fills a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.checkpoints.tracked_resources import TrackableAsset
from headrace.core.collections import GraphKeys
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import add_to_collection, name_scope
from headrace.core.dtypes import as_dtype, int64, string
from headrace.core.eager import EagerTensor
from headrace.core.operation import Operation
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.state.scoping import outside_of_bodies

if TYPE_CHECKING:
    from headrace.core.dtypes import DType
    from headrace.core.typing import DTypeLike, TensorLike
    from headrace.lookup.tables import LookupInterface


class TextFileIndex:
    """What of a line of a text file is meant, besides the number of a column."""

    WHOLE_LINE = -2
    LINE_NUMBER = -1


class KeysAndValues:
    """What maps keys of one type to values of another.

    Args:
        key_dtype, value_dtype: the types of keys and values.
    """

    def __init__(self, key_dtype: DTypeLike, value_dtype: DTypeLike) -> None:
        self._key_dtype, self._value_dtype = as_dtype(key_dtype), as_dtype(value_dtype)

    @property
    def key_dtype(self) -> DType:
        """The type of the keys."""
        return self._key_dtype

    @property
    def value_dtype(self) -> DType:
        """The type of the values."""
        return self._value_dtype


class TableInitializerBase(KeysAndValues):
    """What fills a table.

    Args:
        key_dtype, value_dtype: the types of keys and values.
    """

    def initialize(self, table: LookupInterface) -> Operation:
        """The operation that fills `table`."""
        raise NotImplementedError

    @property
    def _checkpoint_dependencies(self) -> list[tuple[str, Any]]:
        """What models of objects hold with it: the files it reads."""
        return []

    @property
    def _shared_name(self) -> str:
        """The name under which all tables that are filled alike are one; "" to share none."""
        return ""


def check_table_dtypes(table: LookupInterface, key_dtype: DTypeLike, value_dtype: DTypeLike) -> None:
    """Complains where a table has other types.

    Raises:
        TypeError: naming both types.
    """
    if as_dtype(key_dtype) != table.key_dtype:
        raise TypeError(f"Invalid key dtype, expected {table.key_dtype} but got {key_dtype}.")
    if as_dtype(value_dtype) != table.value_dtype:
        raise TypeError(f"Invalid value dtype, expected {table.value_dtype} but got {value_dtype}.")


class KeyValueTensorInitializer(TableInitializerBase):
    """Fills a table with given keys and values.

    Args:
        keys, values: vectors of one length, or what converts to them.
        key_dtype, value_dtype: their types, where they are no tensors.
        name: a name for the operation.

    Example:
        >>> tf.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2])
    """

    def __init__(
        self,
        keys: TensorLike,
        values: TensorLike,
        key_dtype: DTypeLike | None = None,
        value_dtype: DTypeLike | None = None,
        name: str | None = None,
    ) -> None:
        with outside_of_bodies():
            self._keys = convert_to_tensor(keys, key_dtype, name="keys")
            self._values = convert_to_tensor(values, value_dtype, name="values")
        self._name = name if name is not None else "key_value_init"
        super().__init__(self._keys.dtype, self._values.dtype)

    def initialize(self, table: Any) -> Operation:
        """The operation that fills `table`.

        Raises:
            TypeError: for a table of other types.
        """
        check_table_dtypes(table, self._keys.dtype, self._values.dtype)
        with name_scope(self._name, values=(table.resource_handle, self._keys, self._values)):
            made = raw.LookupTableImportV2(table.resource_handle, self._keys, self._values)
        add_to_collection(GraphKeys.TABLE_INITIALIZERS, made)
        return made


class TextFileInitializer(TableInitializerBase):
    """Fills a table out of a text file.

    Args:
        filename: the file; a `TrackableAsset` travels with models that the table is saved in, and so does another file.
        key_dtype, value_dtype: the types of keys and values.
        key_index, value_index: the number of the column with the keys and of that with the values, or
            `TextFileIndex.WHOLE_LINE` or `TextFileIndex.LINE_NUMBER`.
        vocab_size: how many lines to read; all by default.
        delimiter: what stands between the columns.
        name: a name for the operation.

    Raises:
        ValueError: for columns that cannot have such a type, or twice the same.

    Example:
        >>> tf.lookup.TextFileInitializer("words.txt", tf.string, tf.lookup.TextFileIndex.WHOLE_LINE,
        ...                               tf.int64, tf.lookup.TextFileIndex.LINE_NUMBER)
    """

    def __init__(
        self,
        filename: Any,
        key_dtype: DTypeLike,
        key_index: int,
        value_dtype: DTypeLike,
        value_index: int,
        vocab_size: int | None = None,
        delimiter: str = "\t",
        name: str | None = None,
    ) -> None:
        if not hasattr(filename, "asset_path") and not isinstance(filename, Tensor) and not filename:
            raise ValueError(f"Filename required for {name}.")
        key_dtype, value_dtype = as_dtype(key_dtype), as_dtype(value_dtype)
        _check_index("Key", key_index, key_dtype)
        _check_index("Value", value_index, value_dtype)
        if vocab_size is not None and vocab_size <= 0:
            raise ValueError(f"Invalid vocab_size {vocab_size}.")
        self._asset = filename if hasattr(filename, "asset_path") else None
        filename = filename if self._asset is None else self._asset.asset_path
        self._given_name = filename
        # Made here, outside of the scope of the operation that reads the file.
        self._filename = convert_to_tensor(filename, string, name="asset_path")
        self._key_index, self._value_index = key_index, value_index
        self._vocab_size = vocab_size
        self._delimiter = delimiter
        self._name = name
        super().__init__(key_dtype, value_dtype)

    def initialize(self, table: Any) -> Operation:
        """The operation that fills `table`.

        Raises:
            TypeError: for a table of other types.
        """
        check_table_dtypes(table, self.key_dtype, self.value_dtype)
        name = self._name if self._name is not None else "text_file_init"
        with name_scope(name, values=(table.resource_handle,)):
            made = raw.InitializeTableFromTextFileV2(
                table.resource_handle,
                self._filename,
                key_index=self._key_index,
                value_index=self._value_index,
                vocab_size=-1 if self._vocab_size is None else self._vocab_size,
                delimiter=self._delimiter,
            )
        add_to_collection(GraphKeys.TABLE_INITIALIZERS, made)
        # A file named by a constant travels with an exported model.
        if not isinstance(self._filename, EagerTensor) and self._filename.op.type == "Const":
            add_to_collection(GraphKeys.ASSET_FILEPATHS, self._filename)
        return made

    @property
    def _checkpoint_dependencies(self) -> list[tuple[str, Any]]:
        if self._asset is None:
            self._asset = TrackableAsset(self._filename)
        return [("_filename", self._asset)]

    @property
    def _shared_name(self) -> str:
        given = self._given_name
        if isinstance(given, EagerTensor):
            given = given.numpy().decode()
        name = given.name if isinstance(given, Tensor) else given
        size = "" if self._vocab_size is None else f"_{self._vocab_size}"
        return f"hash_table_{name}{size}_{self._key_index}_{self._value_index}"


def _check_index(what: str, index: int, dtype: DType) -> None:
    if index < -2:
        raise ValueError(f"Invalid {what.lower()} index {index}.")
    if index == TextFileIndex.LINE_NUMBER and dtype != int64:
        raise ValueError(f"Signature mismatch. {what}s must be dtype {int64}, got {dtype}.")
    if index == TextFileIndex.WHOLE_LINE and dtype != string and (what != "Key" or not dtype.is_integer):
        expected = "integer or string" if what == "Key" else f"dtype {string}"
        raise ValueError(f"Signature mismatch. {what}s must be {expected}, got {dtype}.")


class TextFileIdTableInitializer(TextFileInitializer):
    """Fills a table from strings to line numbers: `TextFileInitializer` for that use."""

    def __init__(
        self,
        filename: Any,
        key_column_index: int = TextFileIndex.WHOLE_LINE,
        value_column_index: int = TextFileIndex.LINE_NUMBER,
        vocab_size: int | None = None,
        delimiter: str = "\t",
        name: str | None = "text_file_id_table_init",
        key_dtype: DTypeLike = string,
    ) -> None:
        super().__init__(filename, key_dtype, key_column_index, int64, value_column_index, vocab_size, delimiter, name)


class TextFileStringTableInitializer(TextFileInitializer):
    """Fills a table from line numbers to strings: `TextFileInitializer` for that use."""

    def __init__(
        self,
        filename: str,
        key_column_index: int = TextFileIndex.LINE_NUMBER,
        value_column_index: int = TextFileIndex.WHOLE_LINE,
        vocab_size: int | None = None,
        delimiter: str = "\t",
        name: str | None = "text_file_string_table_init",
    ) -> None:
        super().__init__(filename, int64, key_column_index, string, value_column_index, vocab_size, delimiter, name)
