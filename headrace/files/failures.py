"""What the operating system says about files, as TensorFlow's errors."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager

from headrace.core import errors

_CLASSES: dict[int, type[errors.OpError]] = {
    errno.ENOENT: errors.NotFoundError,
    errno.EEXIST: errors.AlreadyExistsError,
    errno.EACCES: errors.PermissionDeniedError,
    errno.EPERM: errors.PermissionDeniedError,
    errno.EROFS: errors.PermissionDeniedError,
    errno.ENOTDIR: errors.FailedPreconditionError,
    errno.EISDIR: errors.FailedPreconditionError,
    errno.ENOTEMPTY: errors.FailedPreconditionError,
    errno.EINVAL: errors.InvalidArgumentError,
    errno.ENAMETOOLONG: errors.InvalidArgumentError,
    errno.ENOSPC: errors.ResourceExhaustedError,
    errno.EMFILE: errors.ResourceExhaustedError,
    errno.EDQUOT: errors.ResourceExhaustedError,
    errno.EFBIG: errors.OutOfRangeError,
}


def file_error(error: OSError, path: str) -> errors.OpError:
    """The error of TensorFlow's for one of the system's, `path; No such file or directory`."""
    number = error.errno
    if number is None:
        # Remote file systems often leave the number out of the classes that stand for one.
        for kind, named in ((FileNotFoundError, errno.ENOENT), (FileExistsError, errno.EEXIST),
                            (PermissionError, errno.EACCES), (IsADirectoryError, errno.EISDIR),
                            (NotADirectoryError, errno.ENOTDIR)):  # fmt: skip
            if isinstance(error, kind):
                number = named
    if number is None:
        return errors.UnknownError(None, None, f"{path}; {error}")
    made = _CLASSES.get(number, errors.UnknownError)
    return made(None, None, f"{path}; {os.strerror(number)}")  # type: ignore[call-arg]  # these classes have their code


@contextmanager
def failures_of(path: str) -> Iterator[None]:
    """Turns what the system raises about `path` into TensorFlow's errors.

    Example:
        >>> with failures_of("/nowhere"):
        ...     open("/nowhere").close()
        Traceback (most recent call last):
        headrace.core.errors.NotFoundError: /nowhere; No such file or directory
    """
    try:
        yield
    except OSError as error:
        raise file_error(error, path) from None
