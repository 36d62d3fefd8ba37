"""Data of pandas as arrays, and what there is of dask."""

from __future__ import annotations

import importlib.util
from typing import Any, NoReturn

# Whether the package is there; it is imported only by who hands its data over.
HAS_PANDAS = importlib.util.find_spec("pandas") is not None

_NUMBERS = "biuf"


def _is_frame(data: object) -> bool:
    return type(data).__module__.partition(".")[0] == "pandas" and hasattr(data, "columns")


def _is_series(data: object) -> bool:
    return type(data).__module__.partition(".")[0] == "pandas" and hasattr(data, "to_numpy")


def extract_pandas_data(data: Any) -> Any:
    """The numbers of a DataFrame as an array; other data as it is.

    Args:
        data: a DataFrame, or anything else.

    Raises:
        ValueError: if a column holds no numbers.

    Example:
        >>> tf.contrib.learn.extract_pandas_data(pd.DataFrame({"a": [1, 2], "b": [3.0, 4.0]}))
        array([[1., 3.],
               [2., 4.]])
    """
    if not _is_frame(data):
        return data
    wrong = [str(column) for column in data.columns if data[column].dtype.kind not in _NUMBERS]
    if wrong:
        raise ValueError(f"Data types for extracting pandas data must be int, float, or bool. Found: {wrong}")
    return data.to_numpy().astype("float")


def extract_pandas_matrix(data: Any) -> Any:
    """The values of a DataFrame as an array; other data as it is."""
    return data.to_numpy() if _is_frame(data) else data


def extract_pandas_labels(labels: Any) -> Any:
    """Labels of pandas as an array; others as they are.

    Args:
        labels: a Series, a DataFrame of one column, or anything else.

    Raises:
        ValueError: if there are several columns, or labels are no numbers.
    """
    if _is_frame(labels):
        if len(labels.columns) > 1:
            raise ValueError("Only one column for labels is allowed.")
        if any(labels[column].dtype.kind not in _NUMBERS for column in labels.columns):
            raise ValueError("Data types for labels must be int, float, or bool.")
        return labels.to_numpy()
    return labels.to_numpy() if _is_series(labels) else labels


def _no_dask(what: str) -> NoReturn:
    raise NotImplementedError(
        f"{what} reads data of dask, which is not supported: hand over NumPy arrays, such as its `compute()` returns."
    )


def extract_dask_data(data: Any) -> Any:
    """Data that is not of dask as it is.

    Raises:
        NotImplementedError: for data of dask.
    """
    if type(data).__module__.partition(".")[0] == "dask":
        _no_dask("extract_dask_data")
    return data


def extract_dask_labels(labels: Any) -> Any:
    """Labels that are not of dask as they are.

    Raises:
        NotImplementedError: for labels of dask.
    """
    if type(labels).__module__.partition(".")[0] == "dask":
        _no_dask("extract_dask_labels")
    return labels
