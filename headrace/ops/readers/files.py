"""Whole files as operations: ReadFile, WriteFile, MatchingFiles."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import numpy as np

from headrace.core.cases import made
from headrace.core.errors import NotFoundError
from headrace.core.operation import Operation
from headrace.core.registry import op, raw
from headrace.core.tensor import Tensor
from headrace.files.failures import failures_of
from headrace.files.file_io import get_matching_files
from headrace.files.paths import as_path, local_path, open_binary
from headrace.kernels.host_values import boxed
from headrace.kernels.state.handles import invalid, shape_text

if TYPE_CHECKING:
    from headrace.core.typing import OpView, TensorLike


read_file_op = op("ReadFile", "filename: string -> contents: string")
# What a file holds is not known while planning.
read_file_op.stateful = True
write_file_op = op("WriteFile", "filename: string, contents: string ->", stateful=True).writes_files()
matching_files_op = op("MatchingFiles", "pattern: string -> filenames: string")
matching_files_op.stateful = True


def _scalar(op: OpView, index: int) -> None:
    dims = op.inputs[index].dims
    if dims:
        raise ValueError(f"Shape must be rank 0 but is rank {len(dims)}")


def _path(value: np.ndarray, what: str) -> str:
    name = boxed(value)
    if name.ndim:
        raise invalid(f"{what} tensor must be scalar, but had shape: {shape_text(name.shape)}")
    return as_path(name[()])


@read_file_op.shape
def read_file_shape(op):
    _scalar(op, 0)
    return [()]


@read_file_op.kernel
def read_file_kernel(node):
    def read(filename):
        path = _path(filename, "Input filename")
        with failures_of(path), open_binary(path, "rb") as file:
            return boxed(file.read())

    return read


@write_file_op.shape
def write_file_shape(op):
    _scalar(op, 0)
    _scalar(op, 1)
    return []


@write_file_op.kernel
def write_file_kernel(node):
    def write(filename, contents):
        path = _path(filename, "Input filename")
        data = boxed(contents)
        if data.ndim:
            raise invalid(f"Contents tensor must be scalar, but had shape: {shape_text(data.shape)}")
        with failures_of(path):
            folder = os.path.dirname(local_path(path) or "")
            if folder:
                os.makedirs(folder, exist_ok=True)
            with open_binary(path, "wb") as file:
                file.write(data[()])

    return write


@matching_files_op.shape
def matching_files_shape(op):
    dims = op.inputs[0].dims
    if dims is not None and len(dims) > 1:
        raise ValueError(f"Shape must be at most rank 1 but is rank {len(dims)}")
    return [(None,)]


@matching_files_op.kernel
def matching_files_kernel(node):
    def match(pattern):
        patterns = boxed(pattern)
        if patterns.ndim > 1:
            raise invalid(f"Input pattern tensor must be scalar or vector, but had shape: {shape_text(patterns.shape)}")
        names = sorted(
            os.fsencode(name) for item in patterns.reshape(-1).tolist() for name in get_matching_files(as_path(item))
        )
        return np.array(names, object)

    return match


read_file_op.accepts(b"in.txt", files={"in.txt": b"a\n\0b"})
read_file_op.rejects(b"in.txt", files={"other": b""}, error=NotFoundError)
read_file_op.rejects(np.array([b"in.txt"]), error=ValueError)
write_file_op.accepts(b"folder/out.txt", b"hello", after=[made("ReadFile", b"folder/out.txt")])
write_file_op.accepts(b"out.txt", b"new", files={"out.txt": b"earlier"}, after=[made("ReadFile", b"out.txt")])
_FILES = {"b.txt": b"", "a.txt": b"", "a.csv": b""}
matching_files_op.accepts(b"*.txt", files=_FILES).accepts(np.array([b"a.*", b"?.txt", b"z*"]), files=_FILES)


def read_file(filename: TensorLike, name: str | None = None) -> Tensor:
    """The contents of a file.

    Args:
        filename: string scalar tensor.
        name: a name for the operation.

    Returns:
        a string scalar.

    Raises:
        tf.errors.NotFoundError: when it runs, if there is no such file.

    Example:
        >>> image = tf.image.decode_png(tf.read_file("digit.png"))
    """
    return raw.ReadFile(filename, name=name)


def write_file(filename: TensorLike, contents: TensorLike, name: str | None = None) -> Operation:
    """Writes a file, and the folders it lies in.

    Args:
        filename: string scalar tensor.
        contents: string scalar tensor.
        name: a name for the operation.
    """
    return raw.WriteFile(filename, contents, name=name)


def matching_files(pattern: TensorLike, name: str | None = None) -> Tensor:
    """The names of the files that match a pattern with `*`, `?` and `[...]` in its last part, in order.

    Args:
        pattern: string scalar or vector tensor.
        name: a name for the operation.

    Returns:
        a string vector.
    """
    return raw.MatchingFiles(pattern, name=name)
