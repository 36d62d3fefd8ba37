"""News, and what they are about."""

from __future__ import annotations

from typing import Any

import numpy as np

from headrace.keras.datasets import word_numbers
from headrace.keras.datasets.pickled_arrays import read_npz
from headrace.keras.datasets.sources import Split, fetched
from headrace.keras.preprocessing.sequence import _remove_long_seq


def load_data(
    path: str = "reuters.npz",
    num_words: int | None = None,
    skip_top: int = 0,
    maxlen: int | None = None,
    test_split: float = 0.2,
    seed: int = 113,
    start_char: int | None = 1,
    oov_char: int | None = 2,
    index_from: int = 3,
    **kwargs: Any,
) -> tuple[Split, Split]:
    """11,228 reports of Reuters about 46 subjects, words numbered by how frequent they are.

    Args:
        path: where the file is kept, from `~/.keras/datasets`.
        num_words: words of this number and above are taken out.
        skip_top: words below this number are taken out.
        maxlen: reports of this length and more are left out.
        test_split: the part that is to test with.
        seed: of the order of reports.
        start_char: the number that each begins with, or None.
        oov_char: the number in the place of what is taken out, or None.
        index_from: what is added to the numbers of words.
        **kwargs: `nb_words`, an older name of `num_words`.

    Returns:
        `(x_train, y_train), (x_test, y_test)`: arrays of lists, and subjects.

    Raises:
        TypeError: for other arguments.
    """
    num_words = word_numbers.renamed(num_words, kwargs)
    checksum = "d6586e694ee56d7a4e65172e12b3e987c03096cb01eab99753921ef915959916"
    x, y = read_npz(fetched(path, "reuters.npz", checksum), "x", "y")
    order = np.arange(len(x))
    np.random.seed(seed)
    np.random.shuffle(order)
    texts = word_numbers.marked(x[order], start_char, index_from)
    labels: Any = y[order]
    if maxlen:
        texts, labels = _remove_long_seq(maxlen, texts, labels)
    texts = word_numbers.limited(texts, num_words, skip_top, oov_char)
    border = int(len(texts) * (1 - test_split))
    train = word_numbers.ragged(texts[:border]), np.array(labels[:border])
    return train, (word_numbers.ragged(texts[border:]), np.array(labels[border:]))


def get_word_index(path: str = "reuters_word_index.json") -> dict[str, int]:
    """The numbers of words, before `index_from` is added.

    Args:
        path: where the file is kept, from `~/.keras/datasets`.
    """
    return word_numbers.word_index(path, "reuters_word_index.json", "4d44cc38712099c9e383dc6e5f11a921")
