"""Sequences made ready for training: padded, cut into windows, paired."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.keras.utils import data_utils

if TYPE_CHECKING:
    from headrace.core.typing import ArrayLike, DTypeLike

# Euler's constant, in the approximation of harmonic numbers below.
_GAMMA = 0.577


def pad_sequences(
    sequences: Sequence[Sequence[Any]],
    maxlen: int | None = None,
    dtype: DTypeLike = "int32",
    padding: str = "pre",
    truncating: str = "pre",
    value: float | str = 0.0,
) -> np.ndarray:
    """Sequences of one length as rows of an array.

    Args:
        sequences: lists of numbers, or of arrays of one shape.
        maxlen: the length; without it that of the longest.
        dtype: NumPy's type of the result; `object` for texts of several lengths.
        padding: "pre" or "post": on which side of a short one `value` is added.
        truncating: "pre" or "post": from which side of a long one is cut.
        value: what is added.

    Returns:
        an array [number of sequences, maxlen, ...].

    Raises:
        ValueError: for something else than sequences, and shapes that differ.

    Example:
        >>> pad_sequences([[1], [2, 3]])
        array([[0, 1], [2, 3]], dtype=int32)
    """
    if not hasattr(sequences, "__len__"):
        raise ValueError(f"`sequences` must be iterable: got {sequences!r}.")
    for one in sequences:
        if not hasattr(one, "__len__"):
            raise ValueError(f"`sequences` must be a list of iterables. Found non-iterable: {one}")
    if padding not in ("pre", "post"):
        raise ValueError(f'Padding type "{padding}" not understood')
    if truncating not in ("pre", "post"):
        raise ValueError(f'Truncating type "{truncating}" not understood')
    if maxlen is None and not len(sequences):
        raise ValueError("pad_sequences: without sequences there is no longest one: give `maxlen`.")
    length = max(len(one) for one in sequences) if maxlen is None else maxlen
    shape = next((np.asarray(one).shape[1:] for one in sequences if len(one)), ())
    numpy_type = np.dtype(dtype)  # type: ignore[arg-type]  # NumPy says what it does not know
    if isinstance(value, str) and numpy_type.kind != "O" and not np.issubdtype(numpy_type, np.str_):
        raise ValueError(
            f"`dtype` {dtype} is not compatible with `value`'s type: {type(value)}\n"
            "You should set `dtype=object` for variable length strings."
        )
    rows = np.full((len(sequences), length, *shape), value, numpy_type)
    for i, one in enumerate(sequences):
        # A slice [-0:] would be all of it.
        kept = one[max(0, len(one) - length) :] if truncating == "pre" else one[:length]
        if not len(kept):
            continue
        values = np.asarray(kept, numpy_type)
        if values.shape[1:] != shape:
            raise ValueError(
                f"Shape of sample {values.shape[1:]} of sequence at position {i} is different from expected shape {shape}"
            )
        place = slice(length - len(values), length) if padding == "pre" else slice(len(values))
        rows[i, place] = values
    return rows


def make_sampling_table(size: int, sampling_factor: float = 1e-05) -> np.ndarray:
    """How likely each word is kept, so that frequent ones do not prevail; for `skipgrams`.

    Words are numbered by how frequent they are, most frequent first, and frequencies are taken to follow Zipf's law.
    The formula is word2vec's (Mikolov et al., "Distributed Representations of Words and Phrases", 2013).

    Args:
        size: how many words there are.
        sampling_factor: the smaller, the fewer frequent words are kept.

    Returns:
        an array [size] of probabilities.
    """
    rank = np.arange(size)
    rank[0] = 1
    inverse_frequency = rank * (np.log(rank) + _GAMMA) + 0.5 - 1.0 / (12.0 * rank)
    kept = sampling_factor * inverse_frequency
    return np.minimum(1.0, kept / np.sqrt(kept))


def skipgrams(
    sequence: Sequence[int],
    vocabulary_size: int,
    window_size: int = 4,
    negative_samples: float = 1.0,
    shuffle: bool = True,
    categorical: bool = False,
    sampling_table: ArrayLike | None = None,
    seed: int | None = None,
) -> tuple[list[list[int]], list[Any]]:
    """Pairs of words that are near each other in a text, and pairs that need not be.

    Args:
        sequence: a text as numbers of words. The word 0 is none.
        vocabulary_size: how many words there are, with 0.
        window_size: how far from each other "near" is.
        negative_samples: how many pairs by chance come on each pair of near words.
        shuffle: whether they come in an order by chance.
        categorical: whether labels are `[0, 1]` and `[1, 0]` instead of 1 and 0.
        sampling_table: how likely each word is taken, see `make_sampling_table`.
        seed: of the order.

    Returns:
        `(pairs, labels)`; the label says whether the two are near.
    """
    couples: list[list[int]] = []
    for i, word in enumerate(sequence):
        if not word:
            continue
        if sampling_table is not None and sampling_table[word] < random.random():  # type: ignore[index, operator]  # an array
            continue
        for j in range(max(0, i - window_size), min(len(sequence), i + window_size + 1)):
            if j != i and sequence[j]:
                couples.append([word, sequence[j]])
    labels: list[Any] = [[0, 1] if categorical else 1] * len(couples)
    if negative_samples > 0:
        count = int(len(labels) * negative_samples)
        words = [couple[0] for couple in couples]
        random.shuffle(words)
        couples += [[words[i % len(words)], random.randint(1, vocabulary_size - 1)] for i in range(count)]
        labels += [[1, 0] if categorical else 0] * count
    if shuffle:
        seed = random.randint(0, 10**7) if seed is None else seed
        for values in (couples, labels):
            random.seed(seed)
            random.shuffle(values)
    return couples, labels


def _remove_long_seq(maxlen: int, seq: Sequence[Any], label: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    """The sequences that are shorter than `maxlen`, and their labels."""
    kept = [(one, its) for one, its in zip(seq, label, strict=True) if len(one) < maxlen]
    return [one for one, _ in kept], [its for _, its in kept]


class TimeseriesGenerator(data_utils.Sequence):
    """Windows of a series, batch by batch, each with the target that follows it.

    Args:
        data: what is known at each time, [times, ...].
        targets: what is to be predicted at each time.
        length: how many times a window has.
        sampling_rate: every how many of them are in it.
        stride: how many times lie between two windows.
        start_index, end_index: the first and the last time that is used.
        shuffle: whether windows come by chance.
        reverse: whether each window is turned around.
        batch_size: how many windows are in a batch.

    Raises:
        ValueError: if there are not as many targets as times, or too few for a window.

    Example:
        >>> batches = TimeseriesGenerator(np.arange(10), np.arange(10), length=3, batch_size=2)
        >>> batches[0]
        (array([[0, 1, 2], [1, 2, 3]]), array([3, 4]))
    """

    def __init__(
        self,
        data: Any,
        targets: Any,
        length: int,
        sampling_rate: int = 1,
        stride: int = 1,
        start_index: int = 0,
        end_index: int | None = None,
        shuffle: bool = False,
        reverse: bool = False,
        batch_size: int = 128,
    ) -> None:
        if len(data) != len(targets):
            raise ValueError(
                f"Data and targets have to be of same length. Data length is {len(data)} while target length is "
                f"{len(targets)}"
            )
        self.data = data
        self.targets = targets
        self.length = length
        self.sampling_rate = sampling_rate
        self.stride = stride
        self.start_index = start_index + length
        self.end_index = len(data) - 1 if end_index is None else end_index
        self.shuffle = shuffle
        self.reverse = reverse
        self.batch_size = batch_size
        if self.start_index > self.end_index:
            raise ValueError(
                f"`start_index+length={self.start_index} > end_index={self.end_index}` is disallowed, as no part of the "
                "sequence would be left to be used as current step."
            )

    def __len__(self) -> int:
        every = self.batch_size * self.stride
        return (self.end_index - self.start_index + every) // every

    def __getitem__(self, index: int) -> tuple[np.ndarray, np.ndarray]:
        if self.shuffle:
            rows = np.random.randint(self.start_index, self.end_index + 1, size=self.batch_size)
        else:
            first = self.start_index + self.batch_size * self.stride * index
            rows = np.arange(first, min(first + self.batch_size * self.stride, self.end_index + 1), self.stride)
        samples = np.array([self.data[row - self.length : row : self.sampling_rate] for row in rows])
        targets = np.array([self.targets[row] for row in rows])
        return (samples[:, ::-1, ...] if self.reverse else samples), targets

    def get_config(self) -> dict[str, Any]:
        """What it was made of; data and targets as JSON.

        Raises:
            TypeError: if they cannot be that.
        """
        return {
            "data": _as_json(self.data, "Data"),
            "targets": _as_json(self.targets, "Targets"),
            "length": self.length,
            "sampling_rate": self.sampling_rate,
            "stride": self.stride,
            "start_index": self.start_index,
            "end_index": self.end_index,
            "shuffle": self.shuffle,
            "reverse": self.reverse,
            "batch_size": self.batch_size,
        }

    def to_json(self, **kwargs: Any) -> str:
        """It as JSON; `timeseries_generator_from_json` reads that.

        Args:
            **kwargs: for `json.dumps`.
        """
        return json.dumps({"class_name": type(self).__name__, "config": self.get_config()}, **kwargs)


def _as_json(values: Any, what: str) -> str:
    plain = values.tolist() if isinstance(values, np.ndarray) else values
    try:
        return json.dumps(plain)
    except TypeError as error:
        raise TypeError(f"{what} not JSON Serializable: {values!r}") from error


def timeseries_generator_from_json(json_string: str) -> TimeseriesGenerator:
    """The generator that `TimeseriesGenerator.to_json` has written.

    Args:
        json_string: what it has written.
    """
    config = json.loads(json_string)["config"]
    data, targets = json.loads(config.pop("data")), json.loads(config.pop("targets"))
    # What is stored is the first time that a window ends at.
    config["start_index"] -= config["length"]
    return TimeseriesGenerator(np.asarray(data), np.asarray(targets), **config)
