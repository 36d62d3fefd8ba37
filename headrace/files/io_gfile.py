"""The functions of `tf.io.gfile`: those of `file_io` with their later names and arguments."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from headrace.core import errors
from headrace.files import file_io
from headrace.files.file_io import FileStatistics


def copy(src: Any, dst: Any, overwrite: bool = False) -> None:
    """`copy` of `tf.io.gfile`."""
    file_io.copy(src, dst, overwrite)


def exists(path: str) -> bool:
    """Whether there is a file or directory at `path`."""
    return file_io.file_exists(path)


def glob(pattern: str | Sequence[str]) -> list[str]:
    """`get_matching_files` of `tf.io.gfile`."""
    return file_io.get_matching_files(pattern)


def isdir(path: str) -> bool:
    """Whether `path` is a directory."""
    return file_io.is_directory(path)


def listdir(path: str) -> list[str]:
    """The names in the directory `path`."""
    return file_io.list_directory(path)


def makedirs(path: Any) -> None:
    """Makes the directory `path` and those above it that are missing."""
    file_io.recursive_create_dir(path)


def mkdir(path: Any) -> None:
    """Makes the directory `path`."""
    file_io.create_dir(path)


def remove(path: Any) -> None:
    """Deletes the file `path`."""
    file_io.delete_file(path)


def rename(src: str, dst: str, overwrite: bool = False) -> None:
    """`rename` of `tf.io.gfile`."""
    file_io.rename(src, dst, overwrite)


def rmtree(path: Any) -> None:
    """Deletes the directory `path` with all that is in it."""
    file_io.delete_recursively(path)


def stat(path: str) -> FileStatistics:
    """Length, time of change and kind of the file `path`."""
    return file_io.stat(path)


def walk(
    top: str, topdown: bool = True, onerror: Callable[[errors.OpError], Any] | None = None
) -> Iterator[tuple[str, list[str], list[str]]]:
    """`walk` of `tf.io.gfile`, which hands what fails to `onerror`."""
    return file_io.walk_with(top, topdown, onerror)
