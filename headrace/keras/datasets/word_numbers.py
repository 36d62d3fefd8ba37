"""Texts as numbers of words: what the data sets of texts have in common."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from headrace.keras.datasets.sources import fetched
from headrace.util import tf_logging


def word_index(path: str, name: str, checksum: str) -> dict[str, int]:
    """The numbers of words.

    Args:
        path: where the file is kept, from `~/.keras/datasets`.
        name: its name where it comes from.
        checksum: its checksum.
    """
    with open(fetched(path, name, checksum), encoding="utf-8") as file:
        return json.load(file)


def renamed(num_words: int | None, kwargs: dict[str, Any]) -> int | None:
    """`num_words`, also under its older name.

    Raises:
        TypeError: for other arguments.
    """
    if "nb_words" in kwargs:
        tf_logging.warning("The `nb_words` argument in `load_data` has been renamed `num_words`.")
        num_words = kwargs.pop("nb_words")
    if kwargs:
        raise TypeError(f"Unrecognized keyword arguments: {kwargs}")
    return num_words


def marked(texts: Iterable[Sequence[int]], start_char: int | None, index_from: int) -> list[list[int]]:
    """Texts whose words are numbered from `index_from`, with what marks the beginning."""
    first = [] if start_char is None else [start_char]
    return [first + [word + index_from for word in text] for text in texts]


def limited(texts: list[list[int]], num_words: int | None, skip_top: int, oov_char: int | None) -> list[list[int]]:
    """Texts without the rarest and the most frequent words.

    Args:
        texts: the texts.
        num_words: words of this number and above are taken out; without it, the one of the highest number.
        skip_top: words below this number are taken out.
        oov_char: what stands in their place, or None.
    """
    end = num_words or max(map(max, texts))
    if oov_char is None:
        return [[word for word in text if skip_top <= word < end] for text in texts]
    return [[word if skip_top <= word < end else oov_char for word in text] for text in texts]


def ragged(texts: list[list[int]]) -> np.ndarray:
    """An array of lists."""
    array = np.empty(len(texts), dtype=object)
    for i, text in enumerate(texts):
        array[i] = text
    return array
