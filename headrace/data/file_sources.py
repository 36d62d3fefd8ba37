"""Datasets of batches from files of comma-separated values and of serialized Examples."""

from __future__ import annotations

import collections
import csv
import gzip
import zlib
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.convert import convert_n_to_tensor, convert_to_tensor
from headrace.core.dtypes import as_dtype
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.core.type_specs import TensorSpec
from headrace.data import structure
from headrace.data.arguments import int64
from headrace.data.dataset import Dataset, make_one_shot_iterator
from headrace.data.dataset_classes import MapDataset
from headrace.data.experimental import ignore_errors as without_errors
from headrace.data.experimental import parallel_interleave, parse_example_dataset, shuffle_and_repeat
from headrace.data.options import Options
from headrace.data.readers import TFRecordDataset
from headrace.files.file_io import get_matching_files
from headrace.files.gfile import GFile
from headrace.functions.readers.readers import ReaderBase
from headrace.ops.array.constant import constant

if TYPE_CHECKING:
    from headrace.core.dtypes import DType
    from headrace.core.typing import TensorLike


_CSV_TYPES = ("float32", "float64", "int32", "int64", "string")
_BUFFER = 4 * 1024 * 1024
_AUTOTUNE = -1


class CsvDataset(Dataset):
    """The records of files of comma-separated values, a scalar for each field.

    Args:
        filenames: names, or a string tensor.
        record_defaults: for each column a type (the field must be there) or a tensor with the value for missing fields.
        compression_type: "", "ZLIB" or "GZIP".
        buffer_size: how many bytes are read at a time.
        header: whether the first line of each file is left out.
        field_delim: what separates fields.
        use_quote_delim: whether quotation marks group what they enclose.
        na_value: a text that means that the field is missing.
        select_cols: the increasing numbers of the columns to read; all by default.
    """

    def __init__(
        self,
        filenames: TensorLike,
        record_defaults: Sequence[Any],
        compression_type: str | None = None,
        buffer_size: int | None = None,
        header: TensorLike = False,
        field_delim: TensorLike = ",",
        use_quote_delim: TensorLike = True,
        na_value: TensorLike = "",
        select_cols: Sequence[int] | None = None,
    ) -> None:
        names = convert_to_tensor(filenames, dtype="string", name="filenames")
        compression = convert_to_tensor(compression_type or "", dtype="string", name="compression_type")
        defaults = convert_n_to_tensor(
            [constant([], dtype=x) if _is_csv_type(x) else x for x in record_defaults], name="record_defaults"
        )
        spec = tuple(TensorSpec([], default.dtype) for default in defaults)
        variant = raw.CSVDataset(
            names,
            compression,
            int64(_BUFFER if buffer_size is None else buffer_size, "buffer_size"),
            convert_to_tensor(header, dtype="bool", name="header"),
            convert_to_tensor(field_delim, dtype="string", name="field_delim"),
            convert_to_tensor(use_quote_delim, dtype="bool", name="use_quote_delim"),
            convert_to_tensor(na_value, dtype="string", name="na_value"),
            convert_to_tensor([] if select_cols is None else select_cols, dtype="int64", name="select_cols"),
            defaults,
            output_shapes=structure.flat_dims(spec),
        )
        super().__init__(variant, spec)


def _is_csv_type(value: DType | Tensor | Sequence[int | str]) -> bool:
    if isinstance(value, (Tensor, list, tuple, np.ndarray)):
        return False
    try:
        return as_dtype(value).name in _CSV_TYPES
    except TypeError:
        return False


def _shuffled_and_repeated(
    dataset: Dataset, num_epochs: Any, shuffle: bool, shuffle_buffer_size: TensorLike, shuffle_seed: Any
) -> Dataset:
    if num_epochs != 1 and shuffle:
        return dataset.apply(shuffle_and_repeat(shuffle_buffer_size, num_epochs, shuffle_seed))
    if shuffle:
        return dataset.shuffle(shuffle_buffer_size, shuffle_seed)
    return dataset if num_epochs == 1 else dataset.repeat(num_epochs)


def _mapped(dataset: Dataset, function: Callable[..., Any]) -> Dataset:
    made = MapDataset(dataset, function, use_inter_op_parallelism=False)
    return Dataset(made._variant_tensor, made.element_spec, [dataset])


def _in_turns(dataset: Dataset, of: Callable[[Any], Dataset], parallel: int, sloppy: bool) -> Dataset:
    if parallel == _AUTOTUNE:
        options = Options()
        options.experimental_deterministic = not sloppy
        return dataset.interleave(of, num_parallel_calls=parallel).with_options(options)
    return dataset.apply(parallel_interleave(of, cycle_length=parallel, sloppy=sloppy))


def _file_names(file_pattern: str, shuffle: bool) -> list[str]:
    if isinstance(file_pattern, list):
        if not file_pattern:
            raise ValueError("File pattern is empty.")
        names = [name for pattern in file_pattern for name in get_matching_files(pattern)]
    else:
        names = list(get_matching_files(file_pattern))
    if not names:
        raise ValueError(f"No files match {file_pattern}.")
    return names if shuffle else sorted(names)


class _Probe:
    """Reads the beginnings of files while the graph is built, to find names and types of columns."""

    def __init__(self, names: list[str], delimiter: str, quoted: bool, compression: Any) -> None:
        self.names = names
        self.keywords: dict[str, Any] = {
            "delimiter": delimiter,
            "quoting": csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE,
        }
        if compression == "ZLIB":
            raise ValueError(f"compression_type ({compression}) is not supported for probing columns")
        if compression not in (None, "", "GZIP"):
            raise ValueError(f"compression_type ({compression}) is not supported")
        self._zipped = compression == "GZIP"

    def rows(self, name: str) -> Iterator[list[str]]:
        try:
            with gzip.open(name, "rt") if self._zipped else GFile(name, "r") as stream:
                yield from csv.reader(stream, **self.keywords)
        except (UnicodeDecodeError, csv.Error, EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise ValueError(f"{name} cannot be read as lines of CSV: {error}") from error

    def header(self) -> list[str]:
        found: list[str] | None = None
        for name in self.names:
            row = next(self.rows(name), None)
            if row is None:
                raise ValueError(f"Received StopIteration when reading the header line of {name}.  Empty file?")
            if found is not None and row != found:
                raise ValueError("Files have different column names in the header row.")
            found = row
        assert found is not None
        return found

    def defaults(self, count: int, na_value: str, header: bool, most: int | None, columns: Sequence[int]) -> list[Any]:
        types: list[str | None] = [None] * len(columns)
        seen = 0
        for name in self.names:
            for number, row in enumerate(self.rows(name)):
                if header and number == 0:
                    continue
                if most is not None and seen >= most:
                    break
                seen += 1
                if len(row) != count:
                    raise ValueError("Problem inferring types: CSV row has different number of fields than expected.")
                for j, column in enumerate(columns):
                    types[j] = _least_type(row[column], na_value, types[j])
        return [constant(["" if (t or "string") == "string" else 0], dtype=t or "string") for t in types]


_ORDER = ("int32", "int64", "float32", "float64", "string")


def _least_type(text: str, na_value: str, before: str | None) -> str | None:
    if text in ("", na_value):
        return before
    first = 0 if before is None else _ORDER.index(before)
    return next(name for name in _ORDER[first:] if _holds(name, text))


def _holds(name: str, text: str) -> bool:
    if name == "string":
        return True
    try:
        if name.startswith("int"):
            bits = 31 if name == "int32" else 63
            return -(2**bits) <= int(text) < 2**bits
        with np.errstate(over="ignore"):
            return bool(np.dtype(name).type(text) < np.inf)
    except (ValueError, OverflowError):
        return False


def _column_numbers(select_columns: Sequence[Any], names: Sequence[str]) -> list[int]:
    numbers = []
    for column in select_columns:
        if isinstance(column, int):
            if column < 0 or column >= len(names):
                raise ValueError(f"Column index {column} specified in select_columns out of valid range.")
            numbers.append(column)
        elif column in names:
            numbers.append(list(names).index(column))
        else:
            raise ValueError(f"Value '{column}' specified in select_columns not a valid column index or name.")
    if len(set(numbers)) != len(numbers):
        raise ValueError("select_columns contains duplicate columns")
    return sorted(numbers)


def make_csv_dataset(
    file_pattern: str,
    batch_size: int,
    column_names: Sequence[str] | None = None,
    column_defaults: Sequence[Any] | None = None,
    label_name: str | None = None,
    select_columns: Sequence[Any] | None = None,
    field_delim: str = ",",
    use_quote_delim: bool = True,
    na_value: str = "",
    header: bool = True,
    num_epochs: int | None = None,
    shuffle: bool = True,
    shuffle_buffer_size: TensorLike = 10000,
    shuffle_seed: Any = None,
    prefetch_buffer_size: Any = None,
    num_parallel_reads: Any = None,
    sloppy: bool = False,
    num_rows_for_inference: int | None = 100,
    compression_type: Any = None,
    ignore_errors: bool = False,
) -> Dataset:
    """A dataset of batches of named columns from files of comma-separated values.

    Args:
        file_pattern: a pattern or list of patterns of file names.
        batch_size: how many records make a batch.
        column_names: of the files; from their first lines by default.
        column_defaults: for each column a type or a default; found in the first records by default.
        label_name: a column that is given apart.
        select_columns: names or numbers of the columns to read.
        field_delim, use_quote_delim, na_value, header, compression_type: as for `CsvDataset`.
        num_epochs: how often to go through the files, for ever by default.
        shuffle, shuffle_buffer_size, shuffle_seed: whether and how files and records are shuffled.
        prefetch_buffer_size: how many batches are made ahead of time.
        num_parallel_reads: from how many files records come in turns, 1 by default.
        sloppy: whether the order may depend on which is ready first.
        num_rows_for_inference: how many records to look at for the types.
        ignore_errors: whether wrong records are left out.

    Returns:
        a dataset of dicts, or of pairs of a dict and the label.

    Raises:
        ValueError: if no file matches or the columns do not fit each other.
    """
    names = _file_names(file_pattern, shuffle=False)
    dataset = Dataset.from_tensor_slices(names)
    if shuffle:
        dataset = dataset.shuffle(len(names), shuffle_seed)
    if column_names is None or column_defaults is None:
        probe = _Probe(names, field_delim, use_quote_delim, compression_type)
    if column_names is None and not header:
        raise ValueError("Cannot infer column names without a header line.")
    column_names = _distinct(probe.header() if column_names is None else column_names)
    columns = None if select_columns is None else _column_numbers(select_columns, column_names)
    if column_defaults is None:
        chosen = range(len(column_names)) if columns is None else columns
        column_defaults = probe.defaults(len(column_names), na_value, header, num_rows_for_inference, chosen)
    keys, defaults = _read_names(column_names, columns, label_name, len(column_defaults)), _typed(column_defaults)

    def of(name: Tensor) -> Dataset:
        made: Dataset = CsvDataset(
            name,
            record_defaults=defaults,
            field_delim=field_delim,
            use_quote_delim=use_quote_delim,
            na_value=na_value,
            select_cols=columns,
            header=header,
            compression_type=compression_type,
        )
        return made.apply(without_errors()) if ignore_errors else made

    dataset = _in_turns(dataset, of, 1 if num_parallel_reads is None else num_parallel_reads, sloppy)
    dataset = _shuffled_and_repeated(dataset, num_epochs, shuffle, shuffle_buffer_size, shuffle_seed)
    dataset = dataset.batch(batch_size, drop_remainder=num_epochs is None)
    ahead = _AUTOTUNE if prefetch_buffer_size is None else prefetch_buffer_size
    return _mapped(dataset, _named_columns(keys, label_name)).prefetch(ahead)


def _distinct(names: Sequence[str]) -> Sequence[str]:
    if len(names) != len(set(names)):
        raise ValueError("Cannot have duplicate column names.")
    return names


def _typed(defaults: Sequence[Any]) -> list[Any]:
    """Defaults with constants for types, made outside of the function that reads a file, which captures them."""
    return [constant([], dtype=x) if _is_csv_type(x) else x for x in defaults]


def _read_names(
    names: Sequence[str], columns: Sequence[int] | None, label_name: str | None, defaults: int
) -> Sequence[str]:
    """The names of the columns that are read, of which there are as many as defaults."""
    if columns is not None and defaults != len(columns):
        raise ValueError("If specified, column_defaults and select_columns must have same length.")
    if columns is not None and len(names) > len(columns):
        names = [names[i] for i in columns]
    if label_name is not None and label_name not in names:
        raise ValueError("`label_name` provided must be one of the columns.")
    return names


def _named_columns(keys: Sequence[str], label_name: str | None) -> Callable[..., Any]:
    """From the values of columns to a dict, and the label apart from it if there is one."""

    def named(*values: Any) -> Any:
        # Too few defaults are an error that each record names.
        features = collections.OrderedDict(zip(keys, values, strict=False))
        if label_name is None:
            return features
        label = features.pop(label_name)
        return features, label

    return named


def make_batched_features_dataset(
    file_pattern: str,
    batch_size: int,
    features: dict[str, Any],
    reader: type = TFRecordDataset,
    label_key: str | None = None,
    reader_args: Sequence[Any] | None = None,
    num_epochs: int | None = None,
    shuffle: bool = True,
    shuffle_buffer_size: TensorLike = 10000,
    shuffle_seed: Any = None,
    prefetch_buffer_size: Any = None,
    reader_num_threads: Any = None,
    parser_num_threads: Any = None,
    sloppy_ordering: bool = False,
    drop_final_batch: bool = False,
) -> Dataset:
    """A dataset of batches of parsed features from files of serialized Examples.

    Args:
        file_pattern: a pattern or list of patterns of file names.
        batch_size: how many Examples make a batch.
        features: names to features, as for `tf.parse_example`.
        reader: takes a file name and `reader_args`, returns a dataset of Examples.
        label_key: a feature that is given apart.
        reader_args: further arguments of `reader`.
        num_epochs: how often to go through the files, for ever by default.
        shuffle, shuffle_buffer_size, shuffle_seed: whether and how files and Examples are shuffled.
        prefetch_buffer_size: how many batches are made ahead of time.
        reader_num_threads: from how many files Examples come in turns, 1 by default.
        parser_num_threads: how many batches may be parsed at once, 2 by default.
        sloppy_ordering: whether the order may depend on which is ready first.
        drop_final_batch: whether a last batch of fewer is left out.

    Returns:
        a dataset of dicts, or of pairs of a dict and the label.

    Raises:
        TypeError: if `reader` is a `tf.ReaderBase` class; ValueError: if the label is none of the features.
    """
    dataset = Dataset.list_files(file_pattern, shuffle=shuffle, seed=shuffle_seed)
    if ReaderBase in getattr(reader, "__mro__", ()):
        raise TypeError(
            "The `reader` argument must return a `Dataset` object. `tf.ReaderBase` subclasses are not supported. For "
            "example, pass `tf.data.TFRecordDataset` instead of `tf.TFRecordReader`."
        )
    arguments = list(reader_args or ())
    threads = 1 if reader_num_threads is None else reader_num_threads
    dataset = _in_turns(dataset, lambda name: reader(name, *arguments), threads, sloppy_ordering)
    text = as_dtype("string")
    if dataset.output_types == (text, text):
        dataset = _mapped(dataset, lambda _, value: value)
    dataset = _shuffled_and_repeated(dataset, num_epochs, shuffle, shuffle_buffer_size, shuffle_seed)
    dataset = dataset.batch(batch_size, drop_remainder=drop_final_batch or num_epochs is None)
    dataset = dataset.apply(parse_example_dataset(features, 2 if parser_num_threads is None else parser_num_threads))
    if label_key:
        if label_key not in features:
            raise ValueError(f"The `label_key` provided ({label_key!r}) must be one of the `features` keys.")

        def split(parsed: dict[str, Any]) -> Any:
            rest = dict(parsed)
            label = rest.pop(label_key)
            return rest, label

        dataset = dataset.map(split)
    return dataset.prefetch(_AUTOTUNE if prefetch_buffer_size is None else prefetch_buffer_size)


def make_tf_record_dataset(
    file_pattern: str,
    batch_size: Any,
    parser_fn: Any = None,
    num_epochs: int | None = None,
    shuffle: bool = True,
    shuffle_buffer_size: Any = None,
    shuffle_seed: Any = None,
    prefetch_buffer_size: Any = -1,
    num_parallel_reads: Any = None,
    num_parallel_parser_calls: Any = None,
    drop_final_batch: bool = False,
) -> Dataset:
    """A dataset of batches of the records of TFRecord files.

    Args:
        file_pattern: a pattern or list of patterns of file names.
        batch_size: how many records make a batch.
        parser_fn: what is done to each record, nothing by default.
        num_epochs: how often to go through the files, for ever by default.
        shuffle, shuffle_buffer_size, shuffle_seed: whether and how files and records are shuffled, with a buffer of 10,000
            by default.
        prefetch_buffer_size: how many batches are made ahead of time; 0 for none.
        num_parallel_reads: from how many files records come in turns, 24 by default.
        num_parallel_parser_calls: how many records may be parsed at once, `batch_size` by default.
        drop_final_batch: whether a last batch of fewer is left out.
    """
    files = Dataset.list_files(file_pattern, shuffle=shuffle, seed=shuffle_seed)
    dataset: Dataset = TFRecordDataset(
        files, num_parallel_reads=24 if num_parallel_reads is None else num_parallel_reads
    )
    buffer = 10000 if shuffle_buffer_size is None else shuffle_buffer_size
    dataset = _shuffled_and_repeated(dataset, num_epochs, shuffle, buffer, shuffle_seed)
    if parser_fn is not None:
        calls = batch_size if num_parallel_parser_calls is None else num_parallel_parser_calls
        dataset = dataset.map(parser_fn, num_parallel_calls=calls)
    dataset = dataset.batch(batch_size, drop_remainder=drop_final_batch or num_epochs is None)
    ahead = _AUTOTUNE if prefetch_buffer_size is None else prefetch_buffer_size
    return dataset if isinstance(ahead, int) and ahead == 0 else dataset.prefetch(ahead)


def read_batch_features(
    file_pattern: str,
    batch_size: Any,
    features: dict[str, Any],
    reader: Any = TFRecordDataset,
    reader_args: Sequence[Any] | None = None,
    randomize_input: bool = True,
    num_epochs: int | None = None,
    capacity: TensorLike = 10000,
) -> Any:
    """The next batch of `make_batched_features_dataset`, as tensors.

    Args:
        file_pattern, batch_size, features, reader, reader_args, num_epochs: as there.
        randomize_input: whether Examples are shuffled.
        capacity: the size of the buffer they are drawn from.
    """
    dataset = make_batched_features_dataset(
        file_pattern,
        batch_size,
        features,
        reader=reader,
        reader_args=reader_args,
        shuffle=randomize_input,
        num_epochs=num_epochs,
        shuffle_buffer_size=capacity,
    )
    return make_one_shot_iterator(dataset).get_next()
