"""Reading series from arrays and files."""

from __future__ import annotations

import abc
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.contrib.timeseries.feature_keys import TrainEvalFeatures
from headrace.core.collections import GraphKeys
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import control_dependencies
from headrace.core.dtypes import float32, int64
from headrace.core.shapes import TensorShape
from headrace.estimator.inputs.feeding import enqueue_data
from headrace.functions.flow.cond import cond
from headrace.functions.flow.tensor_array import TensorArray
from headrace.functions.flow.while_loop import while_loop
from headrace.functions.parsing.example import parse_example
from headrace.functions.readers.readers import TextLineReader, TFRecordReader
from headrace.input_queues.producers import string_input_producer
from headrace.kernels.composing.arranging import identity, stack
from headrace.kernels.composing.filling import zeros
from headrace.kernels.composing.shapes import squeeze
from headrace.ops.array.constant import constant
from headrace.ops.array.shape import reshape
from headrace.ops.math.comparison import not_equal
from headrace.ops.parsing.csv import decode_csv
from headrace.state.updates import assign, count_up_to, is_variable_initialized
from headrace.state.variables import VariableV1

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import DTypeLike
    from headrace.functions.queues.queues import QueueBase

_TIMES, _VALUES = TrainEvalFeatures.TIMES, TrainEvalFeatures.VALUES
# How often files are opened one after the other without a record, until reading ends.
_EMPTY_EPOCHS = 1000
# How many records of arrays, and how often whole series, are kept ahead.
_RECORDS_AHEAD, _SERIES_AHEAD = 1000, 2


class TimeSeriesReader(abc.ABC):
    """Reads a series."""

    def check_dataset_size(self, minimum_dataset_size: int) -> None:
        """Raises if it is known that the series is too short.

        Args:
            minimum_dataset_size: how many records are needed.
        """
        del minimum_dataset_size  # Not known, as of files.

    @abc.abstractmethod
    def read(self) -> dict[str, Tensor]:
        """Some consecutive records, others each time they are computed; after the last comes the first.

        Returns:
            tensors [records, ...] by feature.
        """

    @abc.abstractmethod
    def read_full(self) -> dict[str, Tensor]:
        """All records.

        Returns:
            tensors [records, ...] by feature.
        """


def canonical_arrays(data: Mapping[str, Any], require_single_batch: bool) -> dict[str, np.ndarray]:
    """Series as arrays [series, window, ...], where they may lack the first dimension, and values the last.

    Args:
        data: arrays by feature; "times" and "values" are needed.
        require_single_batch: whether there may be only one series.

    Raises:
        ValueError: for missing features, or shapes that do not fit.
    """
    arrays = {key: np.asarray(value) for key, value in data.items()}
    if _TIMES not in arrays or _VALUES not in arrays:
        raise ValueError("times and values are required features.")
    times = arrays[_TIMES]
    for key, value in arrays.items():
        if value.shape[: times.ndim] != times.shape:
            raise ValueError(
                f"All features must have their shapes prefixed by the shape of the times feature. Got shape {value.shape} "
                f"for feature '{key}', but shape {times.shape} for '{_TIMES}'"
            )
    if times.ndim == 1:
        arrays = {key: value[None] for key, value in arrays.items()}
    elif times.ndim != 2:
        raise ValueError(f"times must have shape [series, window] or [window], got {times.shape}.")
    if arrays[_VALUES].ndim == 2:
        arrays[_VALUES] = arrays[_VALUES][..., None]
    elif arrays[_VALUES].ndim != 3:
        raise ValueError(f"values must have shape [series, window, features], got {arrays[_VALUES].shape}.")
    if require_single_batch and arrays[_TIMES].shape[0] != 1:
        raise ValueError("Got batch input, was expecting unbatched input.")
    return arrays


class NumpyReader(TimeSeriesReader):
    """Reads a series from arrays.

    Args:
        data: arrays by feature: "times" [window], "values" [window] or [window, features], and exogenous features; or all
            of them with a first dimension of 1.
        read_num_records_hint: how many records are read at a time.

    Raises:
        ValueError: for missing features, shapes that do not fit, or several series.

    Example:
        >>> reader = tf.contrib.timeseries.NumpyReader({"times": np.arange(4), "values": np.arange(4.0)})
        >>> reader.read_full()["values"].shape.as_list()
        [4, 1]
    """

    def __init__(self, data: Mapping[str, Any], read_num_records_hint: int = 4096) -> None:
        self._features = canonical_arrays(data, require_single_batch=True)
        self._hint = read_num_records_hint

    def check_dataset_size(self, minimum_dataset_size: int) -> None:
        """Raises if the series is too short.

        Args:
            minimum_dataset_size: how many records are needed.

        Raises:
            ValueError: if there are fewer.
        """
        count = self._features[_TIMES].shape[1]
        if count < minimum_dataset_size:
            raise ValueError(
                f"A TimeSeriesInputFn is configured to create windows of size {minimum_dataset_size}, but only {count} "
                "records were available in the dataset. Either decrease the window size or provide more records."
            )

    def read(self) -> dict[str, Tensor]:
        """Some consecutive records, as tensors by feature."""
        records = {key: value[0] for key, value in self._features.items()}
        return self._dequeue(records, _RECORDS_AHEAD, self._hint)

    def read_full(self) -> dict[str, Tensor]:
        """All records, as tensors by feature."""
        rows = self._dequeue(self._features, _SERIES_AHEAD, 1)
        return {key: squeeze(value, axis=0) for key, value in rows.items()}

    @staticmethod
    def _dequeue(arrays: Mapping[str, np.ndarray], capacity: int, count: int) -> dict[str, Tensor]:
        """So many rows of arrays at a time, one after the other and from the start again."""
        ordered = dict(sorted(arrays.items()))
        # Many rows are put in at a time, which takes much less time and does not change their order.
        queue = enqueue_data(ordered, capacity, enqueue_size=max(1, capacity // 4))
        taken: Any = queue.dequeue_many(count)
        return dict(zip(ordered, taken[1:], strict=True))


class ReaderBaseTimeSeriesParser(TimeSeriesReader):
    """Reads a series from the records of files.

    Args:
        filenames: names of files, in the order of the series.
        read_num_records_hint: how many records are read at a time.
    """

    def __init__(self, filenames: str | Sequence[str], read_num_records_hint: int = 4096) -> None:
        self._filenames = filenames if isinstance(filenames, str) else list(filenames)
        self._hint = read_num_records_hint

    @abc.abstractmethod
    def _get_reader(self) -> Any:
        """A reader of records, such as `tf.TextLineReader`."""

    @abc.abstractmethod
    def _process_records(self, lines: Tensor) -> dict[str, Tensor]:
        """The features of records, a string tensor [records]."""

    def _get_filename_queue(self, epoch_limit: int) -> tuple[QueueBase, VariableV1]:
        """A queue of file names again and again, which closes after so many epochs in which nothing resets the counter.

        Args:
            epoch_limit: how many.

        Returns:
            the queue and the counter, a local variable.
        """
        counter = VariableV1(
            constant(0, dtype=int64),
            name="epoch_limiter",
            trainable=False,
            collections=[GraphKeys.LOCAL_VARIABLES],
        )
        names = reshape(convert_to_tensor(self._filenames), [-1])
        # Threads of queue runners may come before the initializer.
        counted = cond(
            is_variable_initialized(counter),
            lambda: count_up_to(counter, epoch_limit),
            lambda: constant(0, dtype=int64),
        )
        with control_dependencies([counted]):
            names = identity(names)
        return string_input_producer(names, shuffle=False, capacity=1), counter

    def read(self) -> dict[str, Tensor]:
        """Some consecutive records, as tensors by feature."""
        queue, counter = self._get_filename_queue(_EMPTY_EPOCHS)
        reader = self._get_reader()
        with control_dependencies([assign(counter, 0)]):
            _, records = reader.read_up_to(queue, self._hint)
        return self._process_records(records)

    def read_full(self) -> dict[str, Tensor]:
        """All records, as tensors by feature."""
        reader = self._get_reader()
        queue, counter = self._get_filename_queue(_EMPTY_EPOCHS)
        with control_dependencies([assign(counter, 0)]):
            first_key, first_record = reader.read_up_to(queue, 1)

        def step(key: Tensor, record: Tensor, i: Tensor, records: TensorArray) -> tuple[Any, ...]:
            following_key, following = reader.read_up_to(queue, 1)
            return following_key, following, i + 1, records.write(i, record)

        # The files come round: all have been read when the first record is there again.
        none_yet = constant([""])
        _, _, _, records = while_loop(
            lambda key, record, i, records: not_equal(squeeze(key), squeeze(first_key)),
            step,
            [none_yet, first_record, 0, TensorArray("string", size=0, dynamic_size=True)],
            shape_invariants=[TensorShape([None]), TensorShape([None]), TensorShape([]), TensorShape(None)],
            parallel_iterations=1,
        )
        lines = records.concat()
        with control_dependencies([lines]):
            reset = reader.reset()
        with control_dependencies([reset]):
            lines = identity(lines)
        return self._process_records(lines)


class CSVReader(ReaderBaseTimeSeriesParser):
    """Reads a series from files of comma-separated values.

    Args:
        filenames: names of files, in the order of the series.
        column_names: the feature of each column; several columns may be of one, other than the times.
        column_dtypes: the types of columns; by default times are int64, and all else is float32.
        skip_header_lines: how many lines at the start of each file are no records.
        read_num_records_hint: how many records are read at a time.

    Raises:
        ValueError: if there are no times or no values, or another number of types than of columns.

    Example:
        >>> with open("series.csv", "w") as file:
        ...     _ = file.write("1,2.0\\n2,3.5\\n")
        >>> tf.contrib.timeseries.CSVReader(["series.csv"]).read_full()["times"].dtype
        tf.int64
    """

    def __init__(
        self,
        filenames: str | Sequence[str],
        column_names: Sequence[str] = (_TIMES, _VALUES),
        column_dtypes: Sequence[DTypeLike] | None = None,
        skip_header_lines: int | None = None,
        read_num_records_hint: int = 4096,
    ) -> None:
        for name in (_TIMES, _VALUES):
            if name not in column_names:
                raise ValueError(f"'{name}' is a required column.")
        # As in 1.15: what is missing of columns whose types are given, and of times, is zero or an empty string; other
        # values have to be there.
        required = [] if column_dtypes is not None else [name != _TIMES for name in column_names]
        if column_dtypes is None:
            column_dtypes = [int64 if name == _TIMES else float32 for name in column_names]
        elif len(column_dtypes) != len(column_names):
            raise ValueError(
                "If specified, the length of column_dtypes must match the length of column_names (got "
                f"column_dtypes={column_dtypes} and column_names={column_names})."
            )
        super().__init__(filenames, read_num_records_hint)
        self._names, self._dtypes, self._skip = column_names, column_dtypes, skip_header_lines
        self._required = required or [False] * len(column_names)

    def _get_reader(self) -> TextLineReader:
        return TextLineReader(skip_header_lines=self._skip)

    def _process_records(self, lines: Tensor) -> dict[str, Tensor]:
        kinds = zip(self._required, self._dtypes, strict=True)
        defaults: list[Any] = [[] if required else [zeros([], dtype=kind)] for required, kind in kinds]
        columns = decode_csv(lines, record_defaults=defaults)
        of_feature: dict[str, list[Tensor]] = {}
        for name, column in zip(self._names, columns, strict=True):
            of_feature.setdefault(name, []).append(column)
        features = {name: stack(found, axis=1) for name, found in of_feature.items() if name != _TIMES}
        return {_TIMES: of_feature[_TIMES][-1], **features}


class TFExampleReader(ReaderBaseTimeSeriesParser):
    """Reads a series from TFRecord files of `tf.train.Example`, one a time.

    Args:
        filenames: names of files, in the order of the series.
        features: `FixedLenFeature` by feature; "times" and "values" are needed.

    Raises:
        ValueError: if times or values are missing.
    """

    def __init__(self, filenames: str | Sequence[str], features: Mapping[str, Any]) -> None:
        for required in (_TIMES, _VALUES):
            if required not in features:
                raise ValueError(f"'{required}' is a required column.")
        super().__init__(filenames)
        self._features = dict(features)

    def _get_reader(self) -> TFRecordReader:
        return TFRecordReader()

    def _process_records(self, lines: Tensor) -> dict[str, Tensor]:
        return dict(parse_example(lines, features=self._features))
