"""Reviews of films, and whether they praise them."""

from __future__ import annotations

from typing import Any

import numpy as np

from headrace.keras.datasets import word_numbers
from headrace.keras.datasets.pickled_arrays import read_npz
from headrace.keras.datasets.sources import Split, fetched
from headrace.keras.preprocessing.sequence import _remove_long_seq


def load_data(
    path: str = "imdb.npz",
    num_words: int | None = None,
    skip_top: int = 0,
    maxlen: int | None = None,
    seed: int = 113,
    start_char: int | None = 1,
    oov_char: int | None = 2,
    index_from: int = 3,
    **kwargs: Any,
) -> tuple[Split, Split]:
    """25,000 reviews to train with and 25,000 to test with (Maas et al., 2011), words numbered by how frequent they are.

    Args:
        path: where the file is kept, from `~/.keras/datasets`.
        num_words: words of this number and above are taken out.
        skip_top: words below this number are taken out.
        maxlen: reviews of this length and more are left out.
        seed: of the order of reviews.
        start_char: the number that each begins with, or None.
        oov_char: the number in the place of what is taken out, or None.
        index_from: what is added to the numbers of words.
        **kwargs: `nb_words`, an older name of `num_words`.

    Returns:
        `(x_train, y_train), (x_test, y_test)`: arrays of lists, and 1 for praise.

    Raises:
        ValueError: if no review is short enough.
        TypeError: for other arguments.
    """
    num_words = word_numbers.renamed(num_words, kwargs)
    checksum = "69664113be75683a8fe16e3ed0ab59fda8886cb3cd7ada244f7d9544e4676b9f"
    arrays = read_npz(fetched(path, "imdb.npz", checksum), "x_train", "y_train", "x_test", "y_test")
    np.random.seed(seed)
    x_train, y_train, x_test, y_test = (*_mixed(*arrays[:2]), *_mixed(*arrays[2:]))
    texts = word_numbers.marked(np.concatenate([x_train, x_test]), start_char, index_from)
    labels: Any = np.concatenate([y_train, y_test])
    if maxlen:
        texts, labels = _remove_long_seq(maxlen, texts, labels)
        if not texts:
            raise ValueError(
                f"After filtering for sequences shorter than maxlen={maxlen}, no sequence was kept. Increase maxlen."
            )
    texts = word_numbers.limited(texts, num_words, skip_top, oov_char)
    # What was left out is taken off the end, as Keras does.
    border = len(x_train)
    train = word_numbers.ragged(texts[:border]), np.array(labels[:border])
    return train, (word_numbers.ragged(texts[border:]), np.array(labels[border:]))


def _mixed(x: np.ndarray, y: np.ndarray) -> Split:
    order = np.arange(len(x))
    np.random.shuffle(order)
    return x[order], y[order]


def get_word_index(path: str = "imdb_word_index.json") -> dict[str, int]:
    """The numbers of words, before `index_from` is added.

    Args:
        path: where the file is kept, from `~/.keras/datasets`.
    """
    return word_numbers.word_index(path, "imdb_word_index.json", "bfafd718b763782e994055a2d397834f")
