"""Arrays and iterators as batches that are fed: placeholders, and what fills them step by step."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.contrib.learn.pandas_data import HAS_PANDAS, extract_pandas_data, extract_pandas_labels
from headrace.core.dtypes import as_dtype, string
from headrace.ops.array.constant import placeholder

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor

HAS_DASK = False

_Shape = list[int]


def setup_train_data_feeder(
    x: Any,
    y: Any,
    n_classes: int | dict[str, int] | None,
    batch_size: int | None = None,
    shuffle: bool = True,
    epochs: int | None = None,
) -> DataFeeder:
    """What feeds batches of data, by the kind of the data.

    Args:
        x: an array, pandas data, a dict of arrays, or an iterator of examples.
        y: labels of the same kind, or None.
        n_classes: how many classes labels are of; each becomes a row of zeros and a one. None for labels as they are.
        batch_size: how many examples a batch has; by default all.
        shuffle: whether they come in random order; iterators do not.
        epochs: how often the data is gone through, None for ever.

    Returns:
        a `DataFeeder` or a `StreamingDataFeeder`.

    Raises:
        ValueError: if only one of the two is an iterator.
    """
    if HAS_PANDAS:
        x, y = extract_pandas_data(x), None if y is None else extract_pandas_labels(y)
    if is_iterable(x):
        if y is not None and not is_iterable(y):
            raise ValueError("Both x and y should be iterators for streaming learning to work.")
        return StreamingDataFeeder(x, y, n_classes, batch_size)
    return DataFeeder(x, y, n_classes, batch_size, shuffle=shuffle, epochs=epochs)


def is_iterable(x: object) -> bool:
    """Whether data is handed out one by one."""
    return hasattr(x, "__next__")


def setup_predict_data_feeder(x: Any, batch_size: int | None = None) -> list[Any]:
    """The data as a list of batches.

    Args:
        x: an array, pandas data, or an iterator of examples.
        batch_size: how many examples a batch has; by default all.
    """
    if HAS_PANDAS:
        x = extract_pandas_data(x)
    if is_iterable(x):
        return list(_batches_of(x, batch_size))
    rows = np.asarray(x)
    if rows.ndim == 1:
        rows = rows.reshape(-1, 1)
    if batch_size is None:
        return [rows]
    return [rows[i : i + batch_size] for i in range(0, math.ceil(len(rows) / batch_size) * batch_size, batch_size)]


def _batches_of(x: Iterator[Any], batch_size: int | None) -> Iterator[np.ndarray]:
    while rows := list(itertools.islice(x, batch_size)):
        yield np.asarray(rows)


def setup_processor_data_feeder(x: Any) -> Any:
    """The data as something to go through: pandas data as its matrix, all else as it is."""
    return extract_pandas_data(x) if HAS_PANDAS else x


def _checked(array: Any) -> Any:
    """An array whose numbers are of a kind that graphs know."""
    if hasattr(array, "dtype"):
        return array if len(array.shape) else np.reshape(array, [-1])
    return np.asarray(array)


def check_array(array: Any, dtype: Any) -> np.ndarray:
    """An array of a type.

    Args:
        array: an array or a list of numbers.
        dtype: the type of NumPy's.

    Returns:
        `array` itself where it is of that type.
    """
    return array if getattr(array, "dtype", None) == dtype else np.array(array, dtype=dtype, order=None, copy=None)


def _shapes(shape: tuple[int, ...], batch_size: int) -> _Shape:
    """The shape of a batch of rows."""
    return [batch_size, *shape[1:]]


def _label_shapes(shape: tuple[int, ...], n_classes: int | None, batch_size: int) -> _Shape:
    """The shape of a batch of labels: a column is a vector, and of classes each is a row."""
    rest = list(shape[1:])
    if rest and rest[0] == 1:
        rest = rest[1:]
    return [batch_size, *rest, n_classes] if n_classes is not None and n_classes > 1 else [batch_size, *rest]


def _for_each(values: Any, function: Callable[..., Any], *others: Any) -> Any:
    """A function of each value of a dict, or of a single value, with what belongs to it."""
    if isinstance(values, dict):
        return {key: function(values[key], *(o[key] if isinstance(o, dict) else o for o in others)) for key in values}
    return function(values, *others)


class DataFeeder:
    """Batches of arrays.

    Args:
        x, y, n_classes, batch_size, shuffle, epochs: see `setup_train_data_feeder`.
        random_state: a `numpy.random.RandomState`; a fixed one by default.

    Example:
        >>> feeder = DataFeeder(np.eye(4), np.arange(4), None, batch_size=2)
        >>> features, labels = feeder.input_builder()
        >>> sess.run(features, feeder.get_feed_dict_fn()())
    """

    def __init__(
        self,
        x: Any,
        y: Any,
        n_classes: Any,
        batch_size: int | None = None,
        shuffle: bool = True,
        random_state: np.random.RandomState | None = None,
        epochs: int | None = None,
    ) -> None:
        self._x = _for_each(x, _checked)
        # A vector is a column of features.
        self._x = _for_each(self._x, lambda a: a.reshape(-1, 1) if len(a.shape) == 1 else a)
        self._y = None if y is None else _for_each(y, _checked)
        self.n_classes = n_classes
        self.max_epochs = epochs
        first = next(iter(self._x.values())) if isinstance(self._x, dict) else self._x
        self._length = first.shape[0]
        self._batch_size: int = batch_size or self._length
        self._shuffle = shuffle
        self.random_state = np.random.RandomState(42) if random_state is None else random_state
        self.input_shape = _for_each(self._x, lambda a: _shapes(a.shape, self._batch_size))
        self.output_shape = None
        self._input_dtype = _for_each(self._x, lambda a: a.dtype)
        self._output_dtype: Any = np.float32
        if self._y is not None:
            counts = n_classes if isinstance(n_classes, dict) else _for_each(self._y, lambda _: n_classes)
            self.output_shape = _for_each(self._y, lambda a, n: _label_shapes(a.shape, n, self._batch_size), counts)
            self._output_dtype = _for_each(self._y, lambda a: a.dtype)
        self.indices = self._order()
        self.offset = self.epoch = 0
        self._epoch_placeholder: Tensor | None = None
        self._input_placeholder: Any = None
        self._output_placeholder: Any = None

    @property
    def x(self) -> Any:
        """The features."""
        return self._x

    @property
    def y(self) -> Any:
        """The labels."""
        return self._y

    @property
    def shuffle(self) -> bool:
        """Whether examples come in random order."""
        return self._shuffle

    @property
    def input_dtype(self) -> Any:
        """The type of the features, or a dict of types."""
        return self._input_dtype

    @property
    def output_dtype(self) -> Any:
        """The type of the labels, or a dict of types."""
        return self._output_dtype

    @property
    def batch_size(self) -> int:
        """How many examples a batch has at most."""
        return self._batch_size

    def _order(self) -> Any:
        return self.random_state.permutation(self._length) if self._shuffle else np.arange(self._length)

    def make_epoch_variable(self) -> Tensor:
        """A placeholder for the number of the epoch, which is fed from then on."""
        self._epoch_placeholder = placeholder("int32", [1], name="epoch")
        return self._epoch_placeholder

    def input_builder(self) -> tuple[Any, Any]:
        """Makes the placeholders.

        Returns:
            (features, labels): a placeholder each, or dicts of them; labels may be None.
        """

        def made(shape: Any, dtype: Any, prefix: str) -> Any:
            if shape is None:
                return None
            if isinstance(shape, dict):
                return {key: _placeholder(shape[key], dtype[key], f"{prefix}_{key}") for key in shape}
            return _placeholder(shape, dtype, prefix)

        self._input_placeholder = made(self.input_shape, self._input_dtype, "input")
        self._output_placeholder = made(self.output_shape, self._output_dtype, "output")
        return self._input_placeholder, self._output_placeholder

    def set_placeholders(self, input_placeholder: Any, output_placeholder: Any) -> None:
        """Takes others in the place of those of `input_builder`.

        Args:
            input_placeholder, output_placeholder: placeholders, or dicts of them.
        """
        self._input_placeholder, self._output_placeholder = input_placeholder, output_placeholder

    def get_feed_params(self) -> dict[str, int]:
        """Where it stands: `epoch`, `offset` and `batch_size`."""
        return {"epoch": self.epoch, "offset": self.offset, "batch_size": self._batch_size}

    def get_feed_dict_fn(self) -> Callable[[], dict[Any, Any]]:
        """A function that returns what to feed for the next batch, and raises StopIteration after the last epoch."""
        return self._feed

    def _feed(self) -> dict[Any, Any]:
        if self.max_epochs is not None and self.epoch + 1 > self.max_epochs:
            raise StopIteration
        if self._input_placeholder is None:
            raise ValueError("There are no placeholders yet: call input_builder first.")
        feed: dict[Any, Any] = {}
        if self._epoch_placeholder is not None:
            feed[self._epoch_placeholder.name] = [self.epoch]
        rows = self.indices[self.offset : min(self._length, self.offset + self._batch_size)]
        _fill(feed, self._input_placeholder, self._x, lambda a, _: a[rows])
        if self._output_placeholder is not None:
            _fill(feed, self._output_placeholder, self._y, lambda a, key: _labels(a[rows], self._classes(key)))
        self.offset += self._batch_size
        if self.offset >= self._length:
            self.indices = self._order()
            self.offset, self.epoch = 0, self.epoch + 1
        return feed

    def _classes(self, key: str | None) -> int | None:
        return self.n_classes.get(key) if isinstance(self.n_classes, Mapping) else self.n_classes


def _placeholder(shape: _Shape, dtype: Any, name: str) -> Tensor:
    kind = string if np.dtype(dtype).kind in "SUO" else as_dtype(dtype)
    return placeholder(kind, [None, *shape[1:]], name=name)


def _fill(feed: dict[Any, Any], placeholders: Any, values: Any, taken: Callable[[Any, str | None], Any]) -> None:
    if isinstance(placeholders, dict):
        feed.update({placeholders[key].name: taken(values[key], key) for key in placeholders})
    else:
        feed[placeholders.name] = taken(values, None)


def _labels(labels: Any, n_classes: int | None) -> Any:
    """Labels as `_label_shapes` says they are."""
    if len(labels.shape) > 1 and labels.shape[1] == 1:
        labels = labels.reshape(labels.shape[0], *labels.shape[2:])
    if n_classes is None or n_classes <= 1:
        return labels
    return np.eye(n_classes, dtype=labels.dtype)[labels.astype(np.int64)]


class StreamingDataFeeder(DataFeeder):
    """Batches of what iterators hand out: examples, or dicts of them; once and in their order.

    Args:
        x: an iterator of arrays, or of dicts of them.
        y: an iterator of labels, or None.
        n_classes, batch_size: see `setup_train_data_feeder`.
    """

    def __init__(self, x: Iterator[Any], y: Iterator[Any] | None, n_classes: Any, batch_size: int | None) -> None:
        if batch_size is None:
            raise ValueError("A batch_size is needed for data that is handed out one by one.")
        first, rest = _peeked(x)
        label, labels = (None, None) if y is None else _peeked(y)
        whole = _for_each(first, lambda a: np.asarray(a)[None])
        targets = None if label is None else _for_each(label, lambda a: np.asarray(a)[None])
        super().__init__(whole, targets, n_classes, None, shuffle=False)
        self._rest, self._label_rest = rest, labels
        self._batch_size = batch_size
        self.input_shape = _for_each(whole, lambda a: _shapes(a.shape, batch_size))
        if targets is not None:
            counts = n_classes if isinstance(n_classes, dict) else _for_each(targets, lambda _: n_classes)
            self.output_shape = _for_each(targets, lambda a, n: _label_shapes(a.shape, n, batch_size), counts)
        self._stopped = False

    def get_feed_params(self) -> dict[str, int]:
        """How many examples a batch has: `batch_size`."""
        return {"batch_size": self._batch_size}

    def _feed(self) -> dict[Any, Any]:
        if self._stopped:
            raise StopIteration
        feed: dict[Any, Any] = {}
        rows = list(itertools.islice(self._rest, self._batch_size))
        labels = None if self._label_rest is None else list(itertools.islice(self._label_rest, len(rows)))
        self._stopped = len(rows) < self._batch_size
        if not rows:
            raise StopIteration
        _fill(feed, self._input_placeholder, _stacked(rows), lambda a, _: a)
        if labels is not None:
            _fill(feed, self._output_placeholder, _stacked(labels), lambda a, key: _labels(a, self._classes(key)))
        return feed


def _stacked(rows: list[Any]) -> Any:
    if isinstance(rows[0], dict):
        return {key: np.asarray([row[key] for row in rows]) for key in rows[0]}
    return np.asarray(rows)


def _peeked(items: Iterable[Any]) -> tuple[Any, Iterator[Any]]:
    iterator = iter(items)
    first = next(iterator)
    return first, itertools.chain([first], iterator)
