"""Tables of numbers and a target in files of comma-separated values, and the two that come with the package."""

from __future__ import annotations

import collections
import csv
import os
from typing import Any

import numpy as np

from headrace.files.gfile import GFile

Dataset = collections.namedtuple("Dataset", ["data", "target"])
Datasets = collections.namedtuple("Datasets", ["train", "validation", "test"])

_FOLDER = os.path.join(os.path.dirname(__file__), "tables")


def table_path(name: str) -> str:
    """The path of a file that comes with the package."""
    return os.path.join(_FOLDER, name)


def load_csv_with_header(filename: str, target_dtype: Any, features_dtype: Any, target_column: int = -1) -> Dataset:
    """A table whose first line begins with the number of rows and of features.

    Args:
        filename: the file.
        target_dtype, features_dtype: NumPy types.
        target_column: the column of the target.

    Returns:
        `Dataset(data, target)`, arrays [rows, features] and [rows].
    """
    with GFile(filename) as file:
        lines = csv.reader(file)
        rows, features = (int(cell) for cell in next(lines)[:2])
        data = np.zeros((rows, features), features_dtype)
        target = np.zeros((rows,), target_dtype)
        for i, cells in enumerate(lines):
            target[i] = np.asarray(cells.pop(target_column), target_dtype)
            data[i] = np.asarray(cells, features_dtype)
    return Dataset(data, target)


def load_csv_without_header(filename: str, target_dtype: Any, features_dtype: Any, target_column: int = -1) -> Dataset:
    """A table of nothing but rows.

    Args:
        filename: the file.
        target_dtype, features_dtype: NumPy types.
        target_column: the column of the target.

    Returns:
        `Dataset(data, target)`, arrays [rows, features] and [rows].
    """
    targets, rows = [], []
    with GFile(filename) as file:
        for cells in csv.reader(file):
            targets.append(cells.pop(target_column))
            rows.append(np.asarray(cells, features_dtype))
    return Dataset(np.array(rows), np.array(targets, target_dtype))


def shrink_csv(filename: str, ratio: int) -> None:
    """Writes every `ratio`-th row of a file to one whose name has `_small` before the dot.

    Args:
        filename: the file.
        ratio: how many times smaller the new one is.
    """
    with GFile(filename.replace(".", "_small."), "w") as small, GFile(filename) as file:
        writer = csv.writer(small)
        for i, cells in enumerate(csv.reader(file)):
            if i % ratio == 0:
                writer.writerow(cells)


def load_iris(data_path: str | None = None) -> Dataset:
    """150 irises: the length and width of sepals and petals in centimetres, and the species as 0, 1 or 2.

    Args:
        data_path: another file of the same form.
    """
    return load_csv_with_header(data_path or table_path("iris.csv"), int, float)


def load_boston(data_path: str | None = None) -> Dataset:
    """506 towns around Boston: 13 figures of each, and the median price of a home in thousands of dollars.

    Args:
        data_path: another file of the same form.
    """
    return load_csv_with_header(data_path or table_path("boston_house_prices.csv"), float, float)
