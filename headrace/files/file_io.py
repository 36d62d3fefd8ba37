"""Functions of the file system by the names of TensorFlow's `file_io`; `tf.gfile` and `tf.io.gfile` spell them anew."""

from __future__ import annotations

import contextlib
import fnmatch
import os
import re
import shutil
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from headrace.core import errors
from headrace.files.checkpoint.atomic import replacing
from headrace.files.failures import failures_of
from headrace.files.gfile import GFile
from headrace.files.paths import as_path, local_path, remote

if TYPE_CHECKING:
    from pathlib import Path


FileIO = GFile


@dataclass(frozen=True)
class FileStatistics:
    """What `stat` says of a file: its length in bytes, when it was changed, whether it is a directory."""

    length: int
    mtime_nsec: int
    is_directory: bool


def file_exists(filename: str) -> bool:
    """Whether there is a file or directory of this name."""
    path = as_path(filename)
    local = local_path(path)
    if local is not None:
        return os.path.exists(local)
    system, inner = remote(path)
    with failures_of(path):
        return bool(system.exists(inner))


def is_directory(dirname: str) -> bool:
    """Whether the name is that of a directory."""
    path = as_path(dirname)
    local = local_path(path)
    if local is not None:
        return os.path.isdir(local)
    system, inner = remote(path)
    with failures_of(path):
        return bool(system.isdir(inner))


def stat(filename: str) -> FileStatistics:
    """Length, time of change and kind of a file.

    Raises:
        NotFoundError: if there is none.
    """
    path = as_path(filename)
    local = local_path(path)
    with failures_of(path):
        if local is not None:
            found = os.stat(local)
            return FileStatistics(found.st_size, found.st_mtime_ns, os.path.isdir(local))
        system, inner = remote(path)
        info = system.info(inner)
        if info["type"] == "directory":
            return FileStatistics(0, 0, True)
        with contextlib.suppress(NotImplementedError):
            changed = int(system.modified(inner).timestamp() * 1e9)
            return FileStatistics(info.get("size") or 0, changed, False)
        return FileStatistics(info.get("size") or 0, 0, False)


def delete_file(filename: str) -> None:
    """Deletes a file.

    Raises:
        NotFoundError: if there is none; FailedPreconditionError: if it is a directory.
    """
    path = as_path(filename)
    local = local_path(path)
    with failures_of(path):
        if local is not None:
            if os.path.isdir(local) and not os.path.islink(local):
                raise IsADirectoryError(21, "Is a directory")
            os.unlink(local)
        else:
            system, inner = remote(path)
            if system.isdir(inner):
                raise IsADirectoryError(21, "Is a directory")
            system.rm_file(inner)


def create_dir(dirname: str) -> None:
    """Makes a directory, whose parent must be there; nothing happens where it exists already, or has no name."""
    path = as_path(dirname)
    local = local_path(path)
    with failures_of(path):
        if local is None:
            system, inner = remote(path)
            if not system.exists(inner):
                system.mkdir(inner, create_parents=False)
        elif local and not os.path.exists(local):
            os.mkdir(local)


def recursive_create_dir(dirname: str) -> None:
    """Makes a directory and those above it that are missing; nothing happens where it has no name."""
    path = as_path(dirname)
    local = local_path(path)
    with failures_of(path):
        if local is None:
            system, inner = remote(path)
            system.makedirs(inner, exist_ok=True)
        elif local and not os.path.exists(local):
            os.makedirs(local, exist_ok=True)


def delete_recursively(dirname: str) -> None:
    """Deletes a directory with all that is in it.

    Raises:
        NotFoundError: if there is none; FailedPreconditionError: if it is no directory.
    """
    path = as_path(dirname)
    if not file_exists(path):
        raise errors.NotFoundError(None, None, f"{path} not found")
    local = local_path(path)
    with failures_of(path):
        if local is not None:
            if not os.path.isdir(local):
                raise NotADirectoryError(20, "Not a directory")
            shutil.rmtree(local)
        else:
            system, inner = remote(path)
            if not system.isdir(inner):
                raise NotADirectoryError(20, "Not a directory")
            system.rm(inner, recursive=True)


def list_directory(dirname: str) -> list[str]:
    """The names in a directory, in no order, without "." and "..".

    Raises:
        NotFoundError: if there is no such directory.
    """
    path = as_path(dirname)
    if not is_directory(path):
        raise errors.NotFoundError(None, None, f"Could not find directory {path}")
    local = local_path(path)
    with failures_of(path):
        if local is not None:
            return os.listdir(local)
        system, inner = remote(path)
        return [name.rstrip("/").rpartition("/")[2] for name in system.ls(inner, detail=False)]


def copy(oldpath: str, newpath: str, overwrite: bool = False) -> None:
    """Copies a file's contents.

    Raises:
        AlreadyExistsError: if there is a file at `newpath` and `overwrite` is False.
    """
    source, target = as_path(oldpath), as_path(newpath)
    _check_free(target, overwrite)
    if is_directory(source):
        raise errors.InvalidArgumentError(None, None, f"{target}; Invalid argument")
    with GFile(source, "rb") as read, GFile(target, "wb") as written:
        while True:
            chunk = read.read(1 << 20)
            written.write(chunk)
            if not chunk:
                break


def rename(oldname: str, newname: str, overwrite: bool = False) -> None:
    """Gives a file or directory another name.

    Raises:
        AlreadyExistsError: if there is a file of the new name and `overwrite` is False.
    """
    source, target = as_path(oldname), as_path(newname)
    _check_free(target, overwrite)
    here, there = local_path(source), local_path(target)
    with failures_of(source):
        if here is not None and there is not None:
            os.replace(here, there)
            return
        if here is not None or there is not None:
            raise errors.UnimplementedError(None, None, f"Renaming {source} to {target} not implemented")
        system, inner = remote(source)
        goal = remote(target)[1]
        folder = system.isdir(inner)
        if folder:
            # Not every file system moves a directory in which there is nothing.
            system.makedirs(goal, exist_ok=True)
        for name in system.find(inner) if folder else [inner]:
            moved = goal + name[len(system._strip_protocol(inner)) :] if folder else goal
            system.mv(name, moved)
        if folder and system.exists(inner):
            system.rm(inner, recursive=True)


def _check_free(target: str, overwrite: bool) -> None:
    if not overwrite and file_exists(target):
        raise errors.AlreadyExistsError(None, None, "file already exists")


def get_matching_files(filename: str | Sequence[str]) -> list[str]:
    """The files whose paths match a pattern, or one of several.

    Args:
        filename: a pattern or a list of them; `*` and `?` stand for characters other than "/", `[ab]` and `[!ab]` for
            one of a set.

    Raises:
        NotFoundError: if the directory that stands before the first wildcard does not exist.

    Example:
        >>> for i in range(2):
        ...     open(f"train-{i}.tfrecord", "w").close()
        >>> sorted(tf.gfile.Glob("train-*.tfrecord"))
        ['./train-0.tfrecord', './train-1.tfrecord']
    """
    patterns = [filename] if isinstance(filename, (str, os.PathLike)) else filename
    return [found for pattern in patterns for found in _matching(as_path(pattern))]


def escaped(path: str) -> str:
    """The pattern that only `path` itself matches, for what is no pattern whatever characters it has.

    Example:
        >>> escaped("runs[1]/model*")
        'runs\\\\[1]/model\\\\*'
    """
    return re.sub(r"([*?\[\\])", r"\\\1", path)


_MAX_NAME_LENGTH = 4096


def _matching(pattern: str) -> list[str]:
    if "/" not in pattern:
        pattern = f"./{pattern}"
    fixed = re.split(r"[*?\[\\]", pattern, maxsplit=1)[0]
    folder = fixed.rpartition("/")[0] or ("/" if fixed.startswith("/") else "")
    parts = pattern[len(folder) :].lstrip("/").split("/")
    local = local_path(folder or ".")
    with failures_of(folder or "."):
        if local is not None:
            os.stat(local)
    if max(map(len, parts)) > _MAX_NAME_LENGTH:
        # No file system has such names, and to compile the pattern would take minutes.
        return []
    found = [folder]
    for depth, part in enumerate(parts):
        # POSIX takes a backslash for "the next character as it stands".
        match = re.compile(fnmatch.translate(re.sub(r"\\(.)", r"[\1]", part))).match
        below: list[str] = []
        for base in found:
            try:
                names = list_directory(base or ".")
            except errors.NotFoundError:
                continue
            prefix = base if not base or base.endswith("/") else f"{base}/"
            below += [prefix + name for name in names if match(name)]
        found = below if depth == len(parts) - 1 else [path for path in below if is_directory(path)]
    return found


def walk(top: str, in_order: bool = True) -> Iterator[tuple[str, list[str], list[str]]]:
    """All directories below one: (path, names of directories in it, names of files in it).

    Args:
        top: where to begin; nothing comes where it is no directory.
        in_order: whether a directory comes before those in it.
    """
    return walk_with(top, in_order, None)


def walk_with(
    top: str, in_order: bool, onerror: Callable[[errors.OpError], Any] | None
) -> Iterator[tuple[str, list[str], list[str]]]:
    """`walk` that hands what fails to `onerror`."""
    top = as_path(top)
    try:
        names = list_directory(top)
    except errors.NotFoundError as error:
        if onerror is not None:
            onerror(error)
        return
    folders: list[str] = []
    files: list[str] = []
    for name in names:
        (folders if is_directory(os.path.join(top, name)) else files).append(name)
    if in_order:
        yield top, folders, files
    for name in folders:
        yield from walk_with(os.path.join(top, name), in_order, onerror)
    if not in_order:
        yield top, folders, files


def read_file_to_string(filename: str, binary_mode: bool = False) -> Any:
    """A file's contents, as bytes if `binary_mode`, else as text."""
    with GFile(filename, "rb" if binary_mode else "r") as file:
        return file.read()


def write_string_to_file(filename: str, file_content: Any) -> None:
    """Writes text or bytes to a file."""
    with GFile(filename, "w") as file:
        file.write(file_content)


def atomic_write_string_to_file(filename: str | Path, contents: bytes | str, overwrite: bool = True) -> None:
    """Writes a file such that others see it whole or not at all."""
    path = as_path(filename)
    local = local_path(path)
    if local is None:
        write_string_to_file(path, contents)
        return
    data = contents.encode() if isinstance(contents, str) else bytes(contents)
    with replacing(local, overwrite) as file:
        file.write(data)


def filecmp(filename_a: str | bytes, filename_b: str | bytes) -> bool:
    """Whether two files have the same contents.

    Args:
        filename_a, filename_b: the paths.

    Raises:
        errors.OpError: if one cannot be read.
    """
    with GFile(filename_a, "rb") as a, GFile(filename_b, "rb") as b:
        return bool(a.size() == b.size() and file_crc32(filename_a) == file_crc32(filename_b))


def file_crc32(filename: str | bytes, block_size: int = 2**24) -> str:
    """The CRC-32 of a file's contents, as Python writes a hexadecimal number.

    Args:
        filename: the path.
        block_size: how many bytes to read at a time.

    Raises:
        errors.OpError: if it cannot be read.
    """
    crc = 0
    with GFile(filename, "rb") as file:
        while block := file.read(block_size):
            crc = zlib.crc32(block, crc)
    return hex(crc & 0xFFFFFFFF)
