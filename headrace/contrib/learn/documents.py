"""Texts as rows of ids: of their words, or of their bytes."""

from __future__ import annotations

import pickle
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from io import BytesIO
from pathlib import Path
from types import FunctionType
from typing import Any, ClassVar

import numpy as np

from headrace.contrib.learn.vocabularies import CategoricalVocabulary
from headrace.files.gfile import GFile

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

    def fit(self, x: Any) -> None:
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
        """Writes the processor to a file, which TensorFlow reads too."""
        stream = BytesIO()
        _Pickler(stream, protocol=2).dump(self)
        with GFile(filename, "wb") as file:
            file.write(stream.getvalue())

    @classmethod
    def restore(cls, filename: str) -> VocabularyProcessor:
        """The processor in a file that `save`, here or in TensorFlow, wrote.

        Raises:
            pickle.UnpicklingError: if the file refers to what is neither of such processors nor of the program.
        """
        with GFile(filename, "rb") as file:
            return _Unpickler(BytesIO(file.read()), encoding="utf-8").load()  # type: ignore[no-any-return]


# Where TensorFlow keeps what these files refer to.
_SOURCE_TREE = "tensorflow.contrib.learn.python.learn.preprocessing"
_IN_SOURCE_TREE: dict[Any, tuple[str, str]] = {
    CategoricalVocabulary: (f"{_SOURCE_TREE}.categorical_vocabulary", "CategoricalVocabulary"),
    VocabularyProcessor: (f"{_SOURCE_TREE}.text", "VocabularyProcessor"),
    tokenizer: (f"{_SOURCE_TREE}.text", "tokenizer"),
}
_BUILTINS = {"dict": dict, "int": int, "list": list, "object": object, "set": set, "str": str}


class _Pickler(pickle._Pickler):
    """Writes our classes under TensorFlow's names. The pickler in C offers no place for that."""

    def save_global(self, obj: Any, name: str | None = None) -> None:
        place = _IN_SOURCE_TREE.get(obj)
        if place is None:
            super().save_global(obj, name)  # type: ignore[misc]
            return
        self.write(pickle.GLOBAL + f"{place[0]}\n{place[1]}\n".encode())  # type: ignore[attr-defined]
        self.memoize(obj)  # type: ignore[attr-defined]

    dispatch: ClassVar[dict[type, Any]] = dict(pickle._Pickler.dispatch)  # type: ignore[attr-defined]
    dispatch[FunctionType] = save_global


class _Unpickler(pickle.Unpickler):
    """Reads vocabularies and processors, and tokenizers of the program that reads them; runs nothing else."""

    def find_class(self, module: str, name: str) -> Any:
        place = (module.replace("tensorflow_core.", "tensorflow.", 1), name)
        for ours, theirs in _IN_SOURCE_TREE.items():
            if place == theirs:
                return ours
        if place == ("collections", "defaultdict"):
            return defaultdict
        if module in ("builtins", "__builtin__", "copy_reg", "copyreg") and name in _BUILTINS:
            return _BUILTINS[name]
        if place in (("copy_reg", "_reconstructor"), ("copyreg", "_reconstructor")) or _is_of_program(module):
            return super().find_class(module, name)
        raise pickle.UnpicklingError(
            f"The file of a VocabularyProcessor refers to {module}.{name}, which is not of such processors. If it is "
            "your tokenizer, import its module, from the folder of your program, before restoring."
        )


def _is_of_program(module: str) -> bool:
    """Whether a module is the program that runs, or one beside it that it has imported."""
    if module == "__main__":
        return True
    found = sys.modules.get(module)
    file = getattr(found, "__file__", None)
    folder = Path(sys.path[0] or ".").resolve()
    return file is not None and folder in Path(file).resolve().parents and "site-packages" not in file
