"""Files as `tf.gfile.GFile` has them."""

from __future__ import annotations

import os
import stat
from typing import Any

from headrace.core import errors
from headrace.files.failures import failures_of
from headrace.files.paths import as_path, local_path, open_binary, remote

_MODES = ("r", "w", "a", "r+", "w+", "a+")


class GFile:
    """A file of text or bytes.

    The file is opened when it is first read or written; reading and writing have a place each. Text is UTF-8; sizes
    and places count bytes.

    Args:
        name: the file's path, or a URL that fsspec knows.
        mode: "r", "w", "a", "r+", "w+" or "a+", with "b" for bytes.

    Raises:
        InvalidArgumentError: for any other mode.

    Example:
        >>> with tf.gfile.GFile("notes.txt", "w") as f:
        ...     f.write("first line\\n")
    """

    def __init__(self, name: Any, mode: str = "r") -> None:
        self._path = as_path(name)
        self._name = name
        self._mode = mode
        self._binary = "b" in mode
        self._plain = mode.replace("b", "")
        if self._plain not in _MODES:
            raise errors.InvalidArgumentError(None, None, "mode is not 'r' or 'w' or 'a' or 'r+' or 'w+' or 'a+'")
        self._reading: Any = None
        self._writing: Any = None

    @property
    def name(self) -> Any:
        """The name the file was opened by."""
        return self._name

    @property
    def mode(self) -> str:
        """The mode it was opened in."""
        return self._mode

    def _read_file(self) -> Any:
        if self._reading is None:
            if self._plain not in ("r", "r+", "w+", "a+"):
                raise errors.PermissionDeniedError(None, None, "File isn't open for reading")
            with failures_of(self._path):
                self._reading = open_binary(self._path, "rb")
        return self._reading

    def _write_file(self) -> Any:
        if self._writing is None:
            if self._plain == "r":
                raise errors.PermissionDeniedError(None, None, "File isn't open for writing")
            with failures_of(self._path):
                self._writing = open_binary(self._path, "ab" if self._plain in ("a", "a+") else "wb")
        return self._writing

    def _decoded(self, data: bytes) -> bytes | str:
        return data if self._binary else data.decode()

    def size(self) -> int:
        """The length in bytes of what is on the disk."""
        local = local_path(self._path)
        with failures_of(self._path):
            if local is not None:
                return os.stat(local).st_size
            system, inner = remote(self._path)
            return int(system.size(inner))

    def write(self, file_content: Any) -> None:
        """Appends text or bytes."""
        if isinstance(file_content, str):
            file_content = file_content.encode()
        file = self._write_file()
        if not isinstance(file_content, (bytes, bytearray, memoryview)):
            raise TypeError(f"Expected binary or unicode string, got {file_content!r}")
        with failures_of(self._path):
            file.write(file_content)

    def read(self, n: int = -1) -> Any:
        """The next `n` bytes, or all that is left; of a device, which may have no end, that is nothing."""
        file = self._read_file()
        if n < 0 and self._is_device():
            return self._decoded(b"")
        with failures_of(self._path):
            return self._decoded(file.read(n))

    def _is_device(self) -> bool:
        local = local_path(self._path)
        return local is not None and os.path.exists(local) and stat.S_ISCHR(os.stat(local).st_mode)

    def readline(self) -> Any:
        """The next line with its line break, without carriage returns; empty at the end."""
        file = self._read_file()
        with failures_of(self._path):
            return self._decoded(file.readline().replace(b"\r", b""))

    def readlines(self) -> list[Any]:
        """All lines that are left, as `readline` gives them."""
        return list(self)

    def seek(self, offset: int | None = None, whence: int = 0, position: int | None = None) -> None:
        """Moves the place of reading.

        Args:
            offset: by how many bytes.
            whence: 0 from the start, 1 from the present place, 2 from the end.
            position: the older name of `offset`.

        Raises:
            TypeError: without an offset; InvalidArgumentError, OutOfRangeError: for a place that is not in the file.
        """
        file = self._read_file()
        if offset is None and position is None:
            raise TypeError("seek(): offset argument required")
        offset = position if position is not None else offset
        assert offset is not None
        if whence not in (0, 1, 2):
            message = f"Invalid whence argument: {whence}. Valid values are 0, 1, or 2."
            raise errors.InvalidArgumentError(None, None, message)
        size = self.size()
        target = offset + (0, file.tell(), size)[whence]
        if target < 0:
            raise errors.InvalidArgumentError(None, None, f"Seeking to a negative position: {target}")
        if target > size:
            raise errors.OutOfRangeError(None, None, "reached end of file")
        file.seek(target)

    def tell(self) -> int:
        """The place of reading, or of writing in a file that is only written."""
        if self._plain in ("r", "r+", "w+", "a+"):
            return int(self._read_file().tell())
        return int(self._write_file().tell())

    def seekable(self) -> bool:
        """True."""
        return True

    def next(self) -> Any:
        """The next line, by Python 2's name."""
        return next(self)

    def flush(self) -> None:
        """Hands what was written to the system."""
        if self._writing is not None:
            with failures_of(self._path):
                self._writing.flush()

    def close(self) -> None:
        """Writes what is left and closes the file; it may be used again, from its beginning."""
        reading, writing, self._reading, self._writing = self._reading, self._writing, None, None
        with failures_of(self._path):
            if reading is not None:
                reading.close()
            if writing is not None:
                writing.close()

    def __iter__(self) -> GFile:
        return self

    def __next__(self) -> Any:
        line = self.readline()
        if not line:
            raise StopIteration
        return line

    def __enter__(self) -> GFile:
        return self

    def __exit__(self, *exception: Any) -> None:
        self.close()
