"""Ids of words and of other categories, given as they are met."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from typing import Any

import numpy as np


class CategoricalVocabulary:
    """Ids of categories, in the order in which they are met; 0 is that of what is not known.

    Args:
        unknown_token: what stands for unknown categories.
        support_reverse: whether categories can be asked for by id.

    Example:
        >>> vocabulary = CategoricalVocabulary()
        >>> vocabulary.get("cat"), vocabulary.get("dog"), vocabulary.get("cat")
        (1, 2, 1)
    """

    # Programs read `_mapping`, and files of pickled vocabularies hold these attributes.
    def __init__(self, unknown_token: str | None = "<UNK>", support_reverse: bool = True) -> None:
        self._unknown_token = unknown_token
        self._support_reverse = support_reverse
        self._mapping: dict[Hashable, int] = {}
        self._reverse_mapping: list[Any] = []
        self._freq: dict[Hashable, int] = {}
        self._freeze = False
        self._number([])

    def _number(self, categories: Iterable[Hashable]) -> None:
        self._mapping = {category: index for index, category in enumerate([self._unknown_token, *categories])}
        if self._support_reverse:
            self._reverse_mapping = list(self._mapping)

    def __len__(self) -> int:
        return len(self._mapping)

    def freeze(self, freeze: bool = True) -> None:
        """Ends, or with False begins again, that new categories get ids; those of a frozen vocabulary get 0."""
        self._freeze = freeze

    def get(self, category: Hashable) -> int:
        """The id of a category, a new one if it has none yet and the vocabulary is not frozen."""
        index = self._mapping.get(category)
        if index is not None:
            return index
        if self._freeze:
            return 0
        index = self._mapping[category] = len(self._mapping)
        if self._support_reverse:
            self._reverse_mapping.append(category)
        return index

    def add(self, category: Hashable, count: int = 1) -> None:
        """Counts a category `count` times more."""
        if self.get(category) > 0:
            self._freq[category] = self._freq.get(category, 0) + count

    def trim(self, min_frequency: int, max_frequency: int = -1) -> None:
        """Drops rare categories, and frequent ones; gives those kept new ids, the most frequent first.

        Args:
            min_frequency: what is counted as often or less is dropped.
            max_frequency: what is counted as often or more is dropped, if positive.
        """
        # Equally frequent ones are in their own order, strings after numbers.
        by_name = sorted(self._freq.items(), key=lambda item: (isinstance(item[0], str), item[0]))
        by_count = sorted(by_name, key=lambda item: -item[1])
        self._freq = {
            category: count for category, count in by_count if count > min_frequency and not 0 < max_frequency <= count
        }
        self._number(self._freq)

    def reverse(self, class_id: int) -> Any:
        """The category of an id.

        Raises:
            ValueError: for a vocabulary made with `support_reverse=False`.
        """
        if not self._support_reverse:
            raise ValueError(
                "This vocabulary was made with support_reverse=False: it does not know what ids stand for."
            )
        return self._reverse_mapping[class_id]


class CategoricalProcessor:
    """Turns rows of categories into rows of ids, with a vocabulary for each column.

    Args:
        min_frequency: what is counted as often or less gets the id 0, if positive.
        share: whether all columns have the same vocabulary.
        vocabularies: the vocabularies of the columns, if they are there already.

    Example:
        >>> processor = CategoricalProcessor()
        >>> list(processor.fit_transform([["red", "round"], ["blue", "round"]]))
        [array([1, 1]), array([2, 1])]
    """

    def __init__(
        self,
        min_frequency: int = 0,
        share: bool = False,
        vocabularies: list[CategoricalVocabulary] | None = None,
    ) -> None:
        self.min_frequency = min_frequency
        self.share = share
        self.vocabularies_ = vocabularies

    def _columns(self) -> list[CategoricalVocabulary]:
        if self.vocabularies_ is None:
            raise ValueError("CategoricalProcessor has no vocabularies yet: call fit or fit_transform first.")
        return self.vocabularies_

    def freeze(self, freeze: bool = True) -> None:
        """Freezes all vocabularies, or with False lets them grow again."""
        for vocabulary in self._columns():
            vocabulary.freeze(freeze)

    def fit(self, x: Iterable[Any], unused_y: Any = None) -> CategoricalProcessor:
        """Makes vocabularies of the categories in `x`, and freezes them.

        Args:
            x: a matrix, or an iterable of rows. NaNs are left out.
            unused_y: not used; for places where labels are passed too.
        """
        for row in _rows(x):
            if self.vocabularies_ is None:
                shared = CategoricalVocabulary()
                self.vocabularies_ = [shared if self.share else CategoricalVocabulary() for _ in row]
            for vocabulary, value in zip(self.vocabularies_, row, strict=False):
                if not _is_nan(value):
                    vocabulary.add(value)
        if self.min_frequency > 0:
            for vocabulary in self._columns():
                vocabulary.trim(self.min_frequency)
        self.freeze()
        return self

    def fit_transform(self, x: Iterable[Any], unused_y: Any = None) -> Iterator[np.ndarray]:
        """`fit`, then `transform`, of the same rows."""
        return self.fit(x).transform(x)

    def transform(self, x: Iterable[Any]) -> Iterator[np.ndarray]:
        """For each row of `x` the ids of its categories, int64; those of unknown ones and of NaN are 0."""
        self.freeze()
        for row in _rows(x):
            pairs = zip(self._columns(), row, strict=False)
            yield np.array([0 if _is_nan(value) else column.get(value) for column, value in pairs], np.int64)


def _rows(x: Any) -> Iterable[Any]:
    """The rows of a matrix, of a table of pandas or of an iterable."""
    return x.to_numpy() if hasattr(x, "to_numpy") else x


def _is_nan(value: float | str | np.generic) -> bool:
    return isinstance(value, float) and value != value
