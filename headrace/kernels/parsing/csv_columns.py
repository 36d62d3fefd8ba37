"""Columns of comma-separated values: texts to numbers, with defaults for those that are missing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from headrace.kernels.string.numbers import NoNumber, numbers_of

if TYPE_CHECKING:
    from headrace.core.dtypes import DType


_C_NAMES = {"float32": "float", "float64": "double", "int32": "int32", "int64": "int64"}


class BadField(ValueError):
    """A field that is missing or of another type; `text` says so, with `{record}` for a blank and its record's number."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text


def column_reader(dtype: DType, index: int, na_value: bytes) -> Callable[[Sequence[bytes], np.ndarray], np.ndarray]:
    """What reads a column of fields with its default."""
    is_text = dtype.name == "string"
    numbers = None if is_text else numbers_of(np.dtype(dtype.as_numpy_dtype))

    def read(texts: Sequence[bytes], default: np.ndarray) -> np.ndarray:
        missing: list[int] = []
        if b"" in texts or na_value in texts:
            missing = [i for i, text in enumerate(texts) if not text or text == na_value]
        if missing and not default.size:
            raise BadField(f"Field {index} is required but missing in record{{record}}!")
        if numbers is None:
            values = np.empty(len(texts), object)
            values[:] = texts
        else:
            if missing:
                texts = list(texts)
                for i in missing:
                    texts[i] = b"0"
            try:
                values = numbers(texts)
            except NoNumber as error:
                shown = error.text.decode("utf-8", "backslashreplace").replace("{", "{{").replace("}", "}}")
                raise BadField(
                    f"Field {index} in record{{record}} is not a valid {_C_NAMES[dtype.name]}: {shown}"
                ) from None
        if missing:
            values[missing] = default.reshape(-1)[0]
        return values

    return read
