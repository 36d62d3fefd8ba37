"""Texts as rows of ids: of their words, or of their bytes."""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.contrib.learn.pickled_data import Name
from headrace.contrib.learn.processor_files import PROCESSOR, TOKENIZER, read_processor, write_processor
from headrace.contrib.learn.vocabularies import CategoricalVocabulary
from headrace.files.gfile import GFile

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


# Capitals of an abbreviation, a capitalised part of a word in camel case, or a word.
TOKENIZER_RE = re.compile(r"[A-Z]{2,}(?![a-z])|[A-Z][a-z]+(?=[A-Z])|[\'\w\-]+")

Tokenizer = Callable[[Iterable[str]], Iterable[Iterable[Any]]]


def tokenizer(iterator: Iterable[str]) -> Iterator[list[str]]:
    """For each text the list of its words.

    Example:
        >>> list(tokenizer(["It's TensorFlow."]))
        [["It's", 'Tensor', 'Flow']]
    """
    for text in iterator:
        yield TOKENIZER_RE.findall(text)


class ByteProcessor:
    """Turns texts into rows of bytes, of one length.

    Args:
        max_document_length: that length; longer texts are cut, shorter ones end with zeros.
    """

    def __init__(self, max_document_length: int) -> None:
        self.max_document_length = max_document_length

    def fit(self, x: TensorLike) -> None:
        """Does nothing: there is nothing to learn."""

    def fit_transform(self, x: Iterable[str | bytes]) -> Iterator[np.ndarray]:
        """`transform`."""
        return self.transform(x)

    def transform(self, x: Iterable[str | bytes]) -> Iterator[np.ndarray]:
        """For each text, bytes or to be encoded as UTF-8, its bytes: uint8 [max_document_length]."""
        for text in x:
            data = text.encode() if isinstance(text, str) else text
            row = np.zeros(self.max_document_length, np.uint8)
            begin = np.frombuffer(data[: self.max_document_length], np.uint8)
            row[: len(begin)] = begin
            yield row

    def reverse(self, x: Iterable[np.ndarray]) -> Iterator[str]:
        """The texts of rows of bytes; what is no UTF-8 gives an empty one."""
        for row in x:
            data = np.trim_zeros(np.asarray(row).astype(np.uint8), trim="b").tobytes()
            try:
                yield data.decode()
            except UnicodeDecodeError:
                yield ""


class VocabularyProcessor:
    """Turns texts into rows of ids of their words, of one length.

    Args:
        max_document_length: that length; longer texts are cut, shorter ones end with zeros.
        min_frequency: words that occur as often or less get the id 0, if positive.
        vocabulary: a `CategoricalVocabulary` to begin with.
        tokenizer_fn: from an iterable of texts to their lists of words; `tokenizer` if not given.

    Example:
        >>> processor = VocabularyProcessor(4)
        >>> np.array(list(processor.fit_transform(["the cat sat", "the dog"])))
        array([[1, 2, 3, 0],
               [1, 4, 0, 0]])
    """

    def __init__(
        self,
        max_document_length: int,
        min_frequency: int = 0,
        vocabulary: CategoricalVocabulary | None = None,
        tokenizer_fn: Tokenizer | None = None,
    ) -> None:
        self.max_document_length = max_document_length
        self.min_frequency = min_frequency
        self.vocabulary_ = vocabulary or CategoricalVocabulary()
        self._tokenizer = tokenizer_fn or tokenizer

    def fit(self, raw_documents: Iterable[str], unused_y: Any = None) -> VocabularyProcessor:
        """Makes a vocabulary of the words of texts, and freezes it.

        Args:
            raw_documents: the texts.
            unused_y: not used; for places where labels are passed too.
        """
        for words in self._tokenizer(raw_documents):
            for word in words:
                self.vocabulary_.add(word)
        if self.min_frequency > 0:
            self.vocabulary_.trim(self.min_frequency)
        self.vocabulary_.freeze()
        return self

    def fit_transform(self, raw_documents: Iterable[str], unused_y: Any = None) -> Iterator[np.ndarray]:
        """`fit`, then `transform`, of the same texts."""
        return self.fit(raw_documents).transform(raw_documents)

    def transform(self, raw_documents: Iterable[str]) -> Iterator[np.ndarray]:
        """For each text the ids of its words: int64 [max_document_length]."""
        for words in self._tokenizer(raw_documents):
            row = np.zeros(self.max_document_length, np.int64)
            for index, word in zip(range(self.max_document_length), words, strict=False):
                row[index] = self.vocabulary_.get(word)
            yield row

    def reverse(self, documents: Iterable[Iterable[int]]) -> Iterator[str]:
        """The texts of rows of ids, words apart by spaces."""
        for row in documents:
            yield " ".join(self.vocabulary_.reverse(index) for index in row)

    def save(self, filename: str) -> None:
        """Writes the processor to a file, which TensorFlow reads too. Of a tokenizer it has the name only.

        Raises:
            pickle.PicklingError: if the vocabulary has more than texts, numbers and tuples of texts.
        """
        data = write_processor(self, {VocabularyProcessor: PROCESSOR, tokenizer: TOKENIZER})
        with GFile(filename, "wb") as file:
            file.write(data)

    @classmethod
    def restore(cls, filename: str, tokenizer_fn: Tokenizer | None = None) -> VocabularyProcessor:
        """The processor in a file that `save`, here or in TensorFlow, wrote.

        The file is read as data. A tokenizer of your own it only names, which is not looked up: it is to be given anew.

        Args:
            filename: the file.
            tokenizer_fn: the tokenizer, in the place of that of the file.

        Raises:
            pickle.UnpicklingError: if the file holds anything but such a processor, or one with another tokenizer.
        """
        with GFile(filename, "rb") as file:
            data = file.read()
        try:
            kind, attributes = read_processor(data, cls)
        except pickle.UnpicklingError as error:
            raise pickle.UnpicklingError(
                f"{filename} holds no VocabularyProcessor that can be read: {error}"
            ) from error
        if kind not in (PROCESSOR, Name(cls.__module__, cls.__qualname__)):
            raise pickle.UnpicklingError(
                f"{filename} refers to {kind}, which is not of such processors. If it is a class of your program, restore "
                "by it."
            )
        if tokenizer_fn is None and attributes["_tokenizer"] != TOKENIZER:
            raise pickle.UnpicklingError(
                f"{filename} refers to {attributes['_tokenizer']}, which is not of such processors. If it is your "
                "tokenizer, give it: VocabularyProcessor.restore(filename, tokenizer_fn=...)."
            )
        processor = object.__new__(VocabularyProcessor if kind == PROCESSOR else cls)
        vars(processor).update(attributes, _tokenizer=tokenizer_fn or tokenizer)
        return processor
