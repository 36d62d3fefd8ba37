"""Files fetched from the network where they are not there yet."""

from __future__ import annotations

import functools
import os
import random
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from typing import Any

# Connection timed out.
_RETRIABLE = {110}


def retry(
    initial_delay: float,
    max_delay: float,
    factor: float = 2.0,
    jitter: float = 0.25,
    is_retriable: Callable[[Exception], bool] | None = None,
) -> Callable[[Any], Any]:
    """A decorator of functions that are called again when they fail.

    Args:
        initial_delay: how many seconds to wait after the first time.
        max_delay: how many at most; the time after that is the last one.
        factor: by how much longer to wait each time, at least 1.
        jitter: by which part of it the time to wait varies at random, below 1.
        is_retriable: says of an error whether to try again. Without it every error is tried again, at once.

    Raises:
        ValueError: for a factor or jitter out of range.
    """
    if factor < 1:
        raise ValueError(f"factor must be >= 1; was {factor:f}")
    if jitter >= 1:
        raise ValueError(f"jitter must be < 1; was {jitter:f}")

    def delays() -> Iterator[float]:
        delay = initial_delay
        while delay <= max_delay:
            yield delay * random.uniform(1 - jitter, 1 + jitter)
            delay *= factor

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> int:
            for delay in delays():
                try:
                    return function(*args, **kwargs)
                except Exception as error:
                    if is_retriable is None:
                        continue
                    if not is_retriable(error):
                        raise
                    time.sleep(delay)
            return function(*args, **kwargs)

        return call

    return decorate


@retry(1.0, 16.0, is_retriable=lambda error: isinstance(error, OSError) and error.errno in _RETRIABLE)
def urlretrieve_with_retry(url: str, filename: str | None = None) -> Any:
    """`urllib.request.urlretrieve`, tried again when the connection times out."""
    return urllib.request.urlretrieve(url, filename)


def maybe_download(filename: str, work_directory: str, source_url: str) -> str:
    """The path of a file in a folder, fetched from `source_url` if it is not there.

    Raises:
        FileNotFoundError: if it is not there and cannot be fetched.
    """
    os.makedirs(work_directory, exist_ok=True)
    path = os.path.join(work_directory, filename)
    if not os.path.exists(path):
        part = f"{path}.part"
        try:
            urlretrieve_with_retry(source_url, part)
        except (urllib.error.URLError, OSError) as error:
            raise FileNotFoundError(
                f"{path} is not there, and {source_url} could not be fetched ({error}). Put the file there by hand."
            ) from error
        os.replace(part, path)
        print("Successfully downloaded", filename, os.path.getsize(path), "bytes.")
    return path
