"""Where a path leads: to the local disk, or by its URL scheme to a file system that fsspec knows."""

from __future__ import annotations

import io
import os
import re
from typing import Any

from headrace.core import errors

_SCHEME = re.compile(r"([a-zA-Z][a-zA-Z0-9+.-]*)://(.*)", re.DOTALL)


# Of the file systems that fsspec brings, those that are asked for files and do nothing else; a program may register more.
_STORES = frozenset(
    {
        *(
            "abfs",
            "abfss",
            "adl",
            "az",
            "ftp",
            "gcs",
            "gs",
            "hdfs",
            "http",
            "https",
            "memory",
            "oci",
            "oss",
            "s3",
            "s3a",
        ),
        *("sftp", "smb", "ssh", "webhdfs"),
    }
)


def as_path(value: Any) -> str:
    """A path as text.

    Raises:
        TypeError: if it is neither text, bytes nor a path object.
    """
    if isinstance(value, (str, bytes, os.PathLike)):
        return os.fsdecode(value)
    raise TypeError(f"Expected binary or unicode string, got {value!r}")


def local_path(path: str) -> str | None:
    """The path on the local disk, or None for a URL of another file system."""
    match = _SCHEME.match(path)
    if match is None:
        return path
    return match[2] if match[1] == "file" else None


def remote(path: str) -> tuple[Any, str]:
    """The fsspec file system of a URL, and the path in it.

    Raises:
        UnimplementedError: if nothing installed knows the scheme, or it is none of a store of files.
    """
    scheme = path.partition("://")[0]
    try:
        import fsspec
        from fsspec.registry import known_implementations

        if scheme in known_implementations and scheme not in _STORES:
            raise ValueError("it is none of a store of files")
        # Without the chains that fsspec makes of "::": names come from graphs and `checkpoint` files, and some file
        # systems write copies of what they read, or evaluate it.
        kind = fsspec.get_filesystem_class(scheme)
        system, inner = kind(**kind._get_kwargs_from_urls(path)), kind._strip_protocol(path)
    except (ImportError, ValueError) as error:
        raise errors.UnimplementedError(
            None, None, f"File system scheme '{scheme}' not implemented (file: '{path}'): {error}"
        ) from None
    return system, inner


def open_binary(path: str, mode: str) -> Any:
    """A binary file object of a local path or URL; OSError as `open` raises it."""
    local = local_path(path)
    if local is not None:
        return open(local, mode)
    system, inner = remote(path)
    file = system.open(inner, mode)
    if mode == "rb" and isinstance(file, io.BytesIO):
        # A file in memory is one object for all who open it: each reads at a place of its own.
        return io.BytesIO(file.getvalue())
    return file
