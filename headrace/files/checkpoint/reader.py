"""Checkpoints of either format, by name: what is in them, and the values."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from headrace.core.dtypes import DType, as_dtype
from headrace.core.errors import NotFoundError, UnimplementedError
from headrace.files.checkpoint import slices
from headrace.files.checkpoint.bundle import BundleReader, index_name
from headrace.files.checkpoint.slice_table import SliceTables
from headrace.files.paths import as_path, local_path

if TYPE_CHECKING:
    from pathlib import Path


def local_prefix(path: bytes | str | Path) -> str:
    """The path of a checkpoint on the local disk.

    Raises:
        UnimplementedError: for a URL of another file system.
    """
    text = as_path(path)
    local = local_path(text)
    if local is None:
        raise UnimplementedError(
            None, None, f"Checkpoints are read and written on the local disk only, got {text}; use tf.gfile.Copy."
        )
    return local


class CheckpointReader:
    """Reads the tensors of a checkpoint.

    Args:
        prefix: its path: a prefix for the V2 format, a file or a pattern of files for V1.

    Raises:
        NotFoundError: if there is none.
        DataLossError: naming file and byte, here or when a tensor is read, if a file is damaged.

    Example:
        >>> path = saver.save(sess, "./model.ckpt")
        >>> reader = tf.train.NewCheckpointReader(path)
        >>> reader.get_tensor("w").shape
        (3, 2)
    """

    def __init__(self, prefix: str | Path) -> None:
        local = local_prefix(prefix)
        self._source: Any = BundleReader(local) if os.path.exists(index_name(local)) else SliceTables(local)

    def has_tensor(self, tensor_str: str) -> bool:
        """Whether there is a tensor of this name."""
        name = as_path(tensor_str)
        # The empty key is the header, which TensorFlow takes for a tensor here.
        return not name or self._source.entry(name) is not None

    def get_tensor(self, tensor_str: Any) -> Any:
        """The value of a tensor, as an array; a scalar as NumPy's, a string as bytes.

        Raises:
            NotFoundError: if there is none of this name.
        """
        name = as_path(tensor_str)
        entry = self._source.entry(name)
        if entry is None:
            raise NotFoundError(None, None, f"Key {name} not found in checkpoint")
        value = self._source.tensor(name, entry)
        if value.dtype.names:
            # The numbers by which a quantized type is kept.
            value = value.view(value.dtype[0])
        return value if value.ndim else value[()]

    def _described(self) -> list[tuple[str, DType, slices.Dims]]:
        names = self._source.names()
        entries = [(name, self._source.entry(name)) for name in names]
        return [(name, entry.dtype, entry.dims) for name, entry in entries if entry is not None]

    def get_variable_to_shape_map(self) -> dict[str, list[int]]:
        """The shape of every tensor, by name."""
        return {name: list(dims) for name, _, dims in self._described()}

    def get_variable_to_dtype_map(self) -> dict[str, DType]:
        """The type of every tensor, by name."""
        return {name: as_dtype(dtype) for name, dtype, _ in self._described()}

    def debug_string(self) -> bytes:
        """A line for every tensor: its name, type and shape."""
        lines = [f"{name} ({type_name(dtype)}) {slices.bracketed(dims)}\n" for name, dtype, dims in self._described()]
        return "".join(lines).encode("utf-8", "surrogateescape")


_WIRE_NAMES = {"float32": "FLOAT", "float64": "DOUBLE", "float16": "HALF"}


def type_name(dtype: DType) -> str:
    """The name of a type in messages, "DT_FLOAT"."""
    return f"DT_{_WIRE_NAMES.get(dtype.name, dtype.name.upper())}"


def NewCheckpointReader(filepattern: str) -> CheckpointReader:
    """Opens a checkpoint.

    Args:
        filepattern: its path.

    Raises:
        NotFoundError: if there is none.
    """
    return CheckpointReader(filepattern)
