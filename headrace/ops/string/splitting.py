"""Strings cut into parts, as sparse tensors with a row for each string."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from headrace.core.errors import InvalidArgumentError
from headrace.core.registry import op
from headrace.kernels.host_values import boxed
from headrace.native.direct import direct_call, directly

split_op = op(
    "StringSplit",
    "input: string, delimiter: string, *, skip_empty=True -> indices: int64, values: string, shape: int64",
)
split_v2_op = op(
    "StringSplitV2",
    "input: string, sep: string, *, maxsplit=-1 -> indices: int64, values: string, shape: int64",
)


split_op.on_host(outputs=True)
split_v2_op.on_host(outputs=True)


@split_op.shape
@split_v2_op.shape
def split_shape(op):
    for tensor, rank in zip(op.inputs, (1, 0), strict=True):
        if tensor.dims is not None and len(tensor.dims) != rank:
            raise ValueError(f"Shape must be rank {rank} but is rank {len(tensor.dims)}")
    return [(None, 2), (None,), (2,)]


def _sparse(rows: list[list[bytes]]) -> tuple[Any, Any, Any]:
    if len(rows) == 1:
        # A line of a text at a time is the usual thing in input pipelines.
        total = len(rows[0])
        values = np.empty(total, object)
        values[:] = rows[0]
        indices = np.zeros((total, 2), np.int64)
        indices[:, 1] = np.arange(total)
        return torch.from_numpy(indices), values, torch.from_numpy(np.array((1, total), np.int64))
    counts = np.fromiter(map(len, rows), np.int64, len(rows))
    total = int(counts.sum())
    values = np.empty(total, object)
    values[:] = list(itertools.chain.from_iterable(rows))
    indices = np.empty((total, 2), np.int64)
    indices[:, 0] = np.repeat(np.arange(len(rows)), counts)
    indices[:, 1] = np.arange(total) - np.repeat(np.cumsum(counts) - counts, counts)
    return torch.from_numpy(indices), values, torch.tensor([len(rows), int(counts.max(initial=0))])


def _strings(text: np.ndarray) -> list[bytes]:
    array = boxed(text)
    if array.ndim != 1:
        raise InvalidArgumentError(None, None, f"input must be a vector, got shape: {list(array.shape)}")
    return array.tolist()


def _separator(text: np.ndarray) -> Any:
    array = boxed(text)
    if array.ndim:
        raise InvalidArgumentError(None, None, f"delimiter must be a scalar, got shape: {list(array.shape)}")
    return array[()]


@split_op.kernel
def split_kernel(node):
    skip = node.attrs["skip_empty"]

    # Each byte of the delimiter separates.
    def split(text, delimiter):
        return _sparse(list(map(_at_any(_separator(delimiter), skip), _strings(text))))

    return directly("split_rows", split, skip, False)


def _at_any(delimiters: bytes, skip_empty: bool) -> Callable[[bytes], list[bytes]]:
    first = delimiters[:1]
    # All delimiters become the first one.
    table = bytes(delimiters[0] if c in delimiters else c for c in range(256)) if len(delimiters) > 1 else None

    def split(text: bytes) -> list[bytes]:
        if not first or not text:
            return [text[i : i + 1] for i in range(len(text))]
        parts = (text if table is None else text.translate(table)).split(first)
        return [part for part in parts if part] if skip_empty and b"" in parts else parts

    return split


# Of bytes, as Python has it.
_WHITESPACE = b" \t\n\v\f\r"


def _at_whitespace(text: bytes, most: int) -> list[bytes]:
    """What `bytes.split` gives, but for what TensorFlow has differently: without splits the text is as it was, and
    after the last one there is a rest, an empty one too."""
    if most == 0:
        return [text]
    parts = text.split(None, most)
    return [*parts, b""] if len(parts) == most else parts


@split_v2_op.kernel
def split_v2_kernel(node):
    most = node.attrs["maxsplit"]
    by_runner = direct_call("split_rows")

    def split(text, separator):
        # Without a separator whitespace separates, however much of it there is.
        mark = _separator(separator) or None
        if mark is None and most >= 0:
            return _sparse([_at_whitespace(item, most) for item in _strings(text)])
        if by_runner is not None and most < 0 and (mark is None or len(mark) == 1):
            made = by_runner(text, mark or _WHITESPACE, mark is None, mark is not None)
            if made is not None:
                return made
        return _sparse([item.split(mark, most) for item in _strings(text)])

    return split


split_op.not_differentiable()
split_op.accepts(np.array([b"a b", b""], object), b" ").rejects(b"a b", b" ", error=ValueError)
split_v2_op.accepts(np.array([b"a<>b", b""], object), b"<>", maxsplit=1)
