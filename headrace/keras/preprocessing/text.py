"""Texts made ready for training: words as numbers."""

from __future__ import annotations

import hashlib
import json
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from headrace.util import tf_logging

_FILTERS = '!"#$%&()*+,-./:;<=>?@[\\]^_`{|}~\t\n'

Text = str | list[str]


def text_to_word_sequence(text: str, filters: str = _FILTERS, lower: bool = True, split: str = " ") -> list[str]:
    """The words of a text.

    Args:
        text: the text.
        filters: characters that stand between words.
        lower: whether all is put in lower case.
        split: what else stands between words.

    Example:
        >>> text_to_word_sequence("A dog, a cat.")
        ['a', 'dog', 'a', 'cat']
    """
    text = text.lower() if lower else text
    apart: dict[str, str | int | None] = dict.fromkeys(filters, split)
    words = text.translate(str.maketrans(apart)).split(split)
    return [word for word in words if word]


def one_hot(text: str, n: int, filters: str = _FILTERS, lower: bool = True, split: str = " ") -> list[int]:
    """The words of a text as numbers from 1 below `n`, by Python's `hash`: another process gives other ones.

    Args:
        text, filters, lower, split: as for `text_to_word_sequence`.
        n: how many numbers there are. Two words may have the same.
    """
    return hashing_trick(text, n, hash_function=hash, filters=filters, lower=lower, split=split)


def _md5(word: str) -> int:
    return int(hashlib.md5(word.encode(), usedforsecurity=False).hexdigest(), 16)


def hashing_trick(
    text: str,
    n: int,
    hash_function: Callable[[str], int] | str | None = None,
    filters: str = _FILTERS,
    lower: bool = True,
    split: str = " ",
) -> list[int]:
    """The words of a text as numbers from 1 below `n`.

    Args:
        text, filters, lower, split: as for `text_to_word_sequence`.
        n: how many numbers there are. Two words may have the same.
        hash_function: a function of a word, "md5", or None for Python's `hash`, which differs between processes.
    """
    function: Any = _md5 if hash_function == "md5" else hash if hash_function is None else hash_function
    return [int(function(word) % (n - 1) + 1) for word in text_to_word_sequence(text, filters, lower, split)]


class Tokenizer:
    """Numbers the words of texts, the most frequent ones first. 0 is no word.

    Args:
        num_words: words of this number and above are left out.
        filters, lower, split: as for `text_to_word_sequence`.
        char_level: whether each character is a word.
        oov_token: the word that stands for all that are not known; it gets the number 1.
        document_count: how many texts it has been fitted on.
        **kwargs: `nb_words`, an older name of `num_words`.

    Raises:
        TypeError: for other arguments.

    Example:
        >>> tokenizer = Tokenizer()
        >>> tokenizer.fit_on_texts(["a dog", "a cat"])
        >>> tokenizer.texts_to_sequences(["the cat"])
        [[3]]
    """

    def __init__(
        self,
        num_words: int | None = None,
        filters: str = _FILTERS,
        lower: bool = True,
        split: str = " ",
        char_level: bool = False,
        oov_token: str | None = None,
        document_count: int = 0,
        **kwargs: Any,
    ) -> None:
        if "nb_words" in kwargs:
            tf_logging.warning("The `nb_words` argument in `Tokenizer` has been renamed `num_words`.")
            num_words = kwargs.pop("nb_words")
        if kwargs:
            raise TypeError(f"Unrecognized keyword arguments: {kwargs}")
        self.word_counts: OrderedDict[str, int] = OrderedDict()
        self.word_docs: defaultdict[str, int] = defaultdict(int)
        self.index_docs: defaultdict[int, int] = defaultdict(int)
        self.word_index: dict[str, int] = {}
        self.index_word: dict[int, str] = {}
        self.filters = filters
        self.split = split
        self.lower = lower
        self.num_words = num_words
        self.document_count = document_count
        self.char_level = char_level
        self.oov_token = oov_token

    def _words(self, text: Text) -> Sequence[str]:
        if not self.char_level and not isinstance(text, list):
            return text_to_word_sequence(text, self.filters, self.lower, self.split)
        if not self.lower:
            return text
        return [word.lower() for word in text] if isinstance(text, list) else text.lower()

    def fit_on_texts(self, texts: Iterable[Text]) -> None:
        """Counts words and numbers them.

        Args:
            texts: texts, or lists of words.
        """
        for text in texts:
            self.document_count += 1
            counts = Counter(self._words(text))
            for word, count in counts.items():
                self.word_counts[word] = self.word_counts.get(word, 0) + count
                self.word_docs[word] += 1
        by_count = sorted(self.word_counts, key=self.word_counts.__getitem__, reverse=True)
        known = by_count if self.oov_token is None else [self.oov_token, *by_count]
        # Where the word for the unknown is in the texts as well, it has the number of its second place.
        self.word_index = {word: number for number, word in enumerate(known, 1)}
        self.index_word = {number: word for word, number in self.word_index.items()}
        for word, count in self.word_docs.items():
            self.index_docs[self.word_index[word]] = count

    def fit_on_sequences(self, sequences: Sequence[Iterable[int]]) -> None:
        """Counts numbers of words, for `sequences_to_matrix` where there have been no texts.

        Args:
            sequences: texts as numbers of words.
        """
        self.document_count += len(sequences)
        for numbers in sequences:
            for number in set(numbers):
                self.index_docs[number] += 1

    def texts_to_sequences(self, texts: Iterable[Text]) -> list[list[int]]:
        """Texts as lists of the numbers of their words; unknown words are left out where no word stands for them."""
        return list(self.texts_to_sequences_generator(texts))

    def texts_to_sequences_generator(self, texts: Iterable[Text]) -> Iterator[list[int]]:
        """`texts_to_sequences`, one by one."""
        unknown = self.word_index.get(self.oov_token) if self.oov_token is not None else None
        for text in texts:
            numbers = (self.word_index.get(word) for word in self._words(text))
            chosen = (number if number is not None and self._has(number) else unknown for number in numbers)
            yield [number for number in chosen if number is not None]

    def _has(self, number: int) -> bool:
        return not self.num_words or number < self.num_words

    def sequences_to_texts(self, sequences: Iterable[Iterable[int]]) -> list[str]:
        """Lists of numbers of words as texts, a blank between words."""
        return list(self.sequences_to_texts_generator(sequences))

    def sequences_to_texts_generator(self, sequences: Iterable[Iterable[int]]) -> Iterator[str]:
        """`sequences_to_texts`, one by one."""
        unknown = self.index_word[self.word_index[self.oov_token]] if self.oov_token in self.word_index else None
        for numbers in sequences:
            words = (self.index_word.get(number) if self._has(number) else None for number in numbers)
            chosen = (unknown if word is None else word for word in words)
            yield " ".join(word for word in chosen if word is not None)

    def texts_to_matrix(self, texts: Iterable[Text], mode: str = "binary") -> np.ndarray:
        """Texts as rows: for each word a number.

        Args:
            texts: the texts.
            mode: as for `sequences_to_matrix`.
        """
        return self.sequences_to_matrix(self.texts_to_sequences(texts), mode=mode)

    def sequences_to_matrix(self, sequences: Sequence[Sequence[int]], mode: str = "binary") -> np.ndarray:
        """Lists of numbers of words as rows: for each word a number.

        Args:
            sequences: the lists.
            mode: "binary" for whether the word is in it, "count" for how often, "freq" for how often of all its words,
                "tfidf" for more the rarer it is in other texts.

        Returns:
            an array [number of lists, number of words].

        Raises:
            ValueError: for another mode, or where it has not been fitted on texts.
        """
        if not self.num_words and not self.word_index:
            raise ValueError("Specify a dimension (`num_words` argument), or fit on some text data first.")
        if mode == "tfidf" and not self.document_count:
            raise ValueError("Fit the Tokenizer on some data before using tfidf mode.")
        if mode not in ("binary", "count", "freq", "tfidf") and any(sequences):
            raise ValueError(f"Unknown vectorization mode: {mode}")
        width = self.num_words or len(self.word_index) + 1
        rows = np.zeros((len(sequences), width))
        for i, numbers in enumerate(sequences):
            for number, count in Counter(numbers).items():
                if number < width:
                    rows[i, number] = self._weight(number, count, len(numbers), mode)
        return rows

    def _weight(self, number: int, count: int, words: int, mode: str) -> float:
        if mode == "binary":
            return 1
        if mode == "count":
            return count
        if mode == "freq":
            return count / words
        rarity = np.log(1 + self.document_count / (1 + self.index_docs.get(number, 0)))
        return float((1 + np.log(count)) * rarity)

    def get_config(self) -> dict[str, Any]:
        """What it was made of and has counted; the tables as JSON."""
        return {
            "num_words": self.num_words,
            "filters": self.filters,
            "lower": self.lower,
            "split": self.split,
            "char_level": self.char_level,
            "oov_token": self.oov_token,
            "document_count": self.document_count,
            "word_counts": json.dumps(self.word_counts),
            "word_docs": json.dumps(self.word_docs),
            "index_docs": json.dumps(self.index_docs),
            "index_word": json.dumps(self.index_word),
            "word_index": json.dumps(self.word_index),
        }

    def to_json(self, **kwargs: Any) -> str:
        """It as JSON; `tokenizer_from_json` reads that.

        Args:
            **kwargs: for `json.dumps`.
        """
        return json.dumps({"class_name": type(self).__name__, "config": self.get_config()}, **kwargs)


def tokenizer_from_json(json_string: str) -> Tokenizer:
    """The tokenizer that `Tokenizer.to_json` has written.

    Args:
        json_string: what it has written.
    """
    config = json.loads(json_string)["config"]
    tables = {
        name: json.loads(config.pop(name))
        for name in ("word_counts", "word_docs", "index_docs", "index_word", "word_index")
    }
    tokenizer = Tokenizer(**config)
    tokenizer.word_counts = tables["word_counts"]
    tokenizer.word_docs = tables["word_docs"]
    # JSON has texts for keys only.
    tokenizer.index_docs = defaultdict(int, {int(number): count for number, count in tables["index_docs"].items()})
    tokenizer.index_word = {int(number): word for number, word in tables["index_word"].items()}
    tokenizer.word_index = tables["word_index"]
    return tokenizer
