"""Data of each kind that `fit` takes as datasets of batches: what 1.15's newer loops stand on.

1.15 publishes none of these names; programs reach them by `tensorflow.python.keras.engine.data_adapter`.
"""

from __future__ import annotations

import abc
import inspect
import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from headrace.core import nest
from headrace.core.composite import SparseTensor
from headrace.core.convert import convert_to_tensor
from headrace.core.dtypes import as_dtype
from headrace.core.shapes import TensorShape
from headrace.core.tensor import Tensor
from headrace.data.dataset import Dataset
from headrace.data.dataset_base import DatasetBase
from headrace.functions.ragged.tensor import RaggedTensor
from headrace.keras.engine.training_input_checks import is_composite
from headrace.keras.utils import data_utils
from headrace.ops.array.gather import gather


class DataAdapter(abc.ABC):
    """Data as a dataset of batches.

    Args:
        x: the inputs, or all of the data.
        y: the targets, for data that comes in arrays or tensors.
        **kwargs: what a kind of adapter has no use for.
    """

    _dataset: DatasetBase
    _size: int | None = None
    _batch_size: int | None = None
    _partial: int = 0

    @staticmethod
    @abc.abstractmethod
    def can_handle(x: Any, y: Any = None) -> bool:
        """Whether data is of the kind of this adapter."""

    @abc.abstractmethod
    def __init__(self, x: Any, y: Any = None, **kwargs: Any) -> None:
        if not self.can_handle(x, y):
            raise ValueError(f"{type(self)} Cannot handle input {x}")

    def get_dataset(self) -> DatasetBase:
        """The dataset: its elements are tuples of inputs, targets and weights of samples."""
        return self._dataset

    def get_size(self) -> int | None:
        """The number of batches; None where it is not known."""
        return self._size

    def batch_size(self) -> int | None:
        """The number of samples of a batch; None where it is not known."""
        return self._batch_size

    def has_partial_batch(self) -> bool:
        """Whether the last batch is smaller than the others."""
        return bool(self._partial)

    def partial_batch_size(self) -> int | None:
        """The size of the last batch, if that is smaller."""
        return self._partial or None

    def should_recreate_iterator(self, steps_per_epoch: int | None) -> bool:
        """Whether each epoch of so many steps begins with a new iterator."""
        return self.get_size() is not None or steps_per_epoch is None

    def _count(self, samples: int, batch_size: int | None, steps: int | None) -> int:
        """Notes how many batches of which size samples make; the size is returned."""
        size = batch_size or (-(-samples // steps) if steps else 0)
        if not size:
            raise ValueError("`batch_size` or `steps` is required for `Tensor` or `NumPy` input data.")
        self._size, self._batch_size, self._partial = -(-samples // size), size, samples % size
        return size


class TensorLikeDataAdapter(DataAdapter):
    """Arrays and dense tensors.

    Args:
        x, y, sample_weights: arrays or tensors, or structures of them.
        batch_size: the size of batches.
        epochs: how often the samples come.
        steps: the number of batches, where no size is given.
        shuffle: whether each epoch has another order; "batch" shuffles batches as wholes.
        **kwargs: what other adapters take.
    """

    @staticmethod
    def can_handle(x: Any, y: Any = None) -> bool:
        """Whether all are arrays or dense tensors."""
        return _all_are((Tensor, np.ndarray), x, y)

    def __init__(
        self,
        x: Any,
        y: Any = None,
        sample_weights: Any = None,
        batch_size: int | None = None,
        epochs: int = 1,
        steps: int | None = None,
        shuffle: bool | str = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(x, y, **kwargs)
        data = _together(_process_numpy_inputs(x), _process_numpy_inputs(y), _process_numpy_inputs(sample_weights))
        samples = int(nest.flatten(data)[0].shape[0])
        size = self._count(samples, batch_size, steps)

        def epoch(_: Tensor) -> Dataset:
            order = Dataset.range(samples)
            if shuffle and shuffle != "batch":
                order = order.shuffle(samples)
            whole = order.batch(min(size, samples), drop_remainder=not samples % size or size > samples)
            return whole.shuffle(-(-samples // size)) if shuffle == "batch" else whole

        rows = Dataset.range(epochs).flat_map(epoch)
        self._dataset = rows.map(lambda taken: nest.map_structure(lambda tensor: gather(tensor, taken), data))

    def should_recreate_iterator(self, _: int | None) -> bool:
        """No: the dataset has all epochs."""
        return False


class CompositeTensorDataAdapter(DataAdapter):
    """Tensors of which some are sparse or ragged: arguments as of `TensorLikeDataAdapter`."""

    @staticmethod
    def can_handle(x: Any, y: Any = None) -> bool:
        """Whether some of the tensors are sparse or ragged, and the others dense ones or arrays."""
        flat = [*nest.flatten(x), *([] if y is None else nest.flatten(y))]
        known = (Tensor, np.ndarray, SparseTensor, RaggedTensor)
        return any(map(is_composite, flat)) and all(isinstance(value, known) for value in flat)

    def __init__(
        self,
        x: Any,
        y: Any = None,
        sample_weights: Any = None,
        batch_size: int | None = None,
        steps: int | None = None,
        shuffle: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(x, y, **kwargs)
        dataset: Any = Dataset.from_tensor_slices(_together(x, y, sample_weights))
        samples = int(nest.flatten(x)[0].shape[0])
        size = self._count(samples, batch_size, steps)
        if shuffle:
            dataset = dataset.shuffle(samples)
        self._dataset = dataset.batch(size, drop_remainder=not self._partial)


class ListsOfScalarsDataAdapter(DataAdapter):
    """Lists of numbers, and lists of these: arguments as of `TensorLikeDataAdapter`."""

    @staticmethod
    def can_handle(x: Any, y: Any = None) -> bool:
        """Whether data is lists of numbers or strings."""
        scalars = ListsOfScalarsDataAdapter._is_list_of_scalars
        return scalars(x) and (y is None or scalars(y))

    @staticmethod
    def _is_list_of_scalars(inp: Any) -> bool:
        if isinstance(inp, (int, float, str, bytes, bytearray)):
            return True
        return isinstance(inp, (list, tuple)) and ListsOfScalarsDataAdapter._is_list_of_scalars(inp[0])

    def __init__(
        self,
        x: Any,
        y: Any = None,
        sample_weights: Any = None,
        batch_size: int | None = None,
        shuffle: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(x, y, **kwargs)
        x, y, sample_weights = (None if is_none_or_empty(part) else np.array(part) for part in (x, y, sample_weights))
        inner = TensorLikeDataAdapter(x, y, sample_weights, batch_size=batch_size, shuffle=shuffle)
        self._dataset = inner.get_dataset()
        self._size, self._batch_size = inner.get_size(), inner.batch_size()
        self._partial = inner.partial_batch_size() or 0


class DatasetAdapter(DataAdapter):
    """Datasets, which are taken as they are.

    Raises:
        ValueError: if `y` or `sample_weights` are given beside the dataset.
    """

    @staticmethod
    def can_handle(x: Any, y: Any = None) -> bool:
        """Whether data is a dataset."""
        return isinstance(x, DatasetBase)

    def __init__(self, x: Any, y: Any = None, sample_weights: Any = None, **kwargs: Any) -> None:
        super().__init__(x, y, **kwargs)
        _refuse(y, sample_weights, "dataset")
        self._dataset = x


class GeneratorDataAdapter(DataAdapter):
    """Generators of batches.

    Args:
        x: the generator; its first batch tells types and shapes.
        y, sample_weights: nothing.
        workers, use_multiprocessing, max_queue_size: how batches are made ahead.
        **kwargs: what other adapters take.

    Raises:
        ValueError: if `y` or `sample_weights` are given beside the generator.
    """

    @staticmethod
    def can_handle(x: Any, y: Any = None) -> bool:
        """Whether data is a generator."""
        return inspect.isgenerator(x)

    def __init__(
        self,
        x: Any,
        y: Any = None,
        sample_weights: Any = None,
        workers: int = 1,
        use_multiprocessing: bool = False,
        max_queue_size: int = 10,
        **kwargs: Any,
    ) -> None:
        super().__init__(x, y, **kwargs)
        _refuse(y, sample_weights, "python generator")
        first = _as_element(next(x))
        self._batch_size = int(np.shape(nest.flatten(first)[0])[0])
        whole = itertools.chain([first], x)

        def batches() -> Iterator[Any]:
            if workers > 0:
                queue: Any = data_utils.GeneratorEnqueuer(whole, use_multiprocessing=use_multiprocessing)
                queue.start(workers=workers, max_queue_size=max_queue_size)
                return queue.get()
            return whole

        self._dataset = _from_batches(batches, first)


class KerasSequenceAdapter(DataAdapter):
    """Sequences of batches.

    Args:
        x: the sequence; its first batch tells types and shapes.
        y, sample_weights: nothing.
        shuffle: whether batches come in another order each time.
        workers, use_multiprocessing, max_queue_size: how batches are made ahead.
        **kwargs: what other adapters take.

    Raises:
        ValueError: if `y` or `sample_weights` are given beside the sequence.
    """

    @staticmethod
    def can_handle(x: Any, y: Any = None) -> bool:
        """Whether data is a `Sequence`."""
        return isinstance(x, data_utils.Sequence)

    def __init__(
        self,
        x: Any,
        y: Any = None,
        sample_weights: Any = None,
        shuffle: bool = False,
        workers: int = 1,
        use_multiprocessing: bool = False,
        max_queue_size: int = 10,
        **kwargs: Any,
    ) -> None:
        super().__init__(x, y, **kwargs)
        _refuse(y, sample_weights, "`keras.utils.Sequence`")
        first = _as_element(x[0])
        self._size, self._batch_size = len(x), int(np.shape(nest.flatten(first)[0])[0])

        def batches() -> Iterator[Any]:
            if workers > 0:
                queue: Any = data_utils.OrderedEnqueuer(x, use_multiprocessing=use_multiprocessing, shuffle=shuffle)
                queue.start(workers=workers, max_queue_size=max_queue_size)
                return queue.get()
            order = np.random.permutation(len(x)) if shuffle else range(len(x))
            return (x[i] for i in itertools.cycle(order))

        self._dataset = _from_batches(batches, first)


ALL_ADAPTER_CLS: list[type[DataAdapter]] = [
    ListsOfScalarsDataAdapter,
    TensorLikeDataAdapter,
    DatasetAdapter,
    GeneratorDataAdapter,
    KerasSequenceAdapter,
    CompositeTensorDataAdapter,
]


def select_data_adapter(x: Any, y: Any) -> type[DataAdapter]:
    """The class of the adapter for some data.

    Raises:
        ValueError: if there is none, or several.
    """
    found = [kind for kind in ALL_ADAPTER_CLS if kind.can_handle(x, y)]
    if not found:
        raise ValueError(f"Failed to find data adapter that can handle input: {_type_name(x)}, {_type_name(y)}")
    if len(found) > 1:
        raise RuntimeError(
            f"Data adapters should be mutually exclusive for handling inputs. Found multiple adapters {found} to handle "
            f"input: {_type_name(x)}, {_type_name(y)}"
        )
    return found[0]


def is_none_or_empty(inputs: Any) -> bool:
    """Whether nothing is given: None, or a structure with nothing in it."""
    return inputs is None or not nest.flatten(inputs)


def _type_name(x: Any) -> str:
    """What kind of data something is, with what is in it."""
    if isinstance(x, dict):
        keys, values = {_type_name(key) for key in x}, {_type_name(value) for value in x.values()}
        return f"({type(x)} containing {_listed(keys)} keys and {_listed(values)} values)"
    if isinstance(x, (list, tuple)):
        return f"({type(x)} containing values of types {_listed({_type_name(value) for value in x})})"
    return str(type(x))


def _listed(names: set[str]) -> str:
    return "{" + ", ".join(f'"{name}"' for name in sorted(names)) + "}"


def _all_are(kinds: tuple[type, ...], x: Any, y: Any) -> bool:
    flat = [*nest.flatten(x), *([] if y is None else nest.flatten(y))]
    return all(isinstance(value, kinds) and not is_composite(value) for value in flat)


def _process_numpy_inputs(inputs: Any) -> Any:
    """Data with its arrays as tensors, flat; a single one by itself, None for nothing."""
    if is_none_or_empty(inputs):
        return None
    flat = [
        convert_to_tensor(value) if isinstance(value, (np.ndarray, np.generic)) else value
        for value in nest.flatten(inputs)
    ]
    return flat[0] if len(flat) == 1 else flat


def _together(x: Any, y: Any, sample_weights: Any) -> tuple[Any, ...]:
    """Inputs, targets and weights as an element of a dataset, without what is not given."""
    given = (x,) if y is None else (x, y) if is_none_or_empty(sample_weights) else (x, y, sample_weights)
    return tuple(tuple(part) if isinstance(part, list) else part for part in given)


def _refuse(y: Any, sample_weights: Any, kind: str) -> None:
    for name, given in (("y", y), ("sample_weight", sample_weights)):
        if not is_none_or_empty(given):
            raise ValueError(f"`{name}` argument is not supported when using {kind} as input.")


def _as_element(batch: Any) -> Any:
    """What a generator gave, as an element of a dataset: lists, which would become tensors, are tuples."""
    if isinstance(batch, (list, tuple)):
        return tuple(_as_element(part) for part in batch)
    if isinstance(batch, dict):
        return {key: _as_element(part) for key, part in batch.items()}
    return batch


def _from_batches(batches: Callable[[], Iterator[Any]], first: Any) -> DatasetBase:
    """A dataset of the batches of an iterator that are like the first."""

    def elements() -> Iterator[Any]:
        return (_as_element(batch) for batch in batches())

    types = nest.map_structure(lambda value: as_dtype(np.asarray(value).dtype), first)
    shapes = nest.map_structure(lambda value: TensorShape(np.shape(value)), first)
    return Dataset.from_generator(elements, types, output_shapes=shapes)
