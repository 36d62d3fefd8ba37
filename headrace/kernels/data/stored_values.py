"""Components of elements as files hold them, and as kernels have them."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence

import numpy as np
import torch

from headrace.core import errors
from headrace.core.dims import Dims, compatible_dims
from headrace.core.dtypes import DType, as_dtype, dtype_text
from headrace.kernels.data.stored_forms import stored_tensor, stored_variants
from headrace.kernels.host_values import boxed

_PICKLE_PROTOCOLS = range(2, 9)


class Components:
    """The types and shapes of a dataset's components, which stored tensors are made of and held against.

    Args:
        types, dims: as the dataset op declares them.
    """

    def __init__(self, types: Sequence[DType], dims: Sequence[Dims]) -> None:
        self.types = [dtype.base_dtype for dtype in types]
        self.dims = list(dims)

    def __len__(self) -> int:
        return len(self.types)

    def stored(self, index: int, value: object) -> np.ndarray:
        """The value of a component in its stored form.

        Raises:
            InternalError: if it is of another type than declared, or a variant that is not kept in files.
        """
        dtype = self.types[index]
        if isinstance(value, torch.Tensor):
            if value.dtype is not dtype.torch:
                raise _other_type(index, as_dtype(value.dtype), dtype, "")
            return stored_tensor(value)
        array = boxed(value)
        if dtype.name == "variant":
            return stored_variants(array)
        return array

    def check(self, index: int, dtype: DType, dims: Sequence[int], path: str) -> None:
        """Holds what is stored in the file `path` for a component against what is declared.

        Raises:
            InternalError: if it is of another type. InvalidArgumentError: if it has another shape.
        """
        if dtype is not self.types[index]:
            raise _other_type(index, dtype, self.types[index], f": {path} was written by another pipeline")
        if not compatible_dims(tuple(dims), self.dims[index]):
            raise errors.InvalidArgumentError(
                None,
                None,
                f"Component {index} has the shape {list(dims)} in {path}, where {list(self.dims[index] or ())} is expected: it "
                "was written by another pipeline. Delete it, and it is made anew.",
            )


def _other_type(index: int, found: DType, declared: DType, more: str) -> errors.InternalError:
    return errors.InternalError(
        None,
        None,
        f"Output {index} of type {dtype_text(found)} does not match declared output type {dtype_text(declared)}{more}",
    )


def earlier_format(path: str) -> errors.DataLossError:
    """The error of a file that an earlier version has written."""
    return errors.DataLossError(
        None,
        None,
        f"{path} was written by an earlier version of Headrace, as a pickle. It is not read, because reading a pickle can run "
        "code. Delete it, and it is made anew.",
    )


def is_pickle(path: str) -> bool:
    """Whether a file begins as pickles do."""
    start = start_of(path, 2)
    return len(start) == 2 and start[0] == 0x80 and start[1] in _PICKLE_PROTOCOLS


def start_of(path: str, size: int) -> bytes:
    """The first bytes of a file, none if there is no such file; opening what is no file may wait for somebody."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            return b""
        with open(path, "rb") as file:
            return file.read(size)
    except OSError:
        return b""
