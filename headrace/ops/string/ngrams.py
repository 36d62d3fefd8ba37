"""Runs of neighbouring strings, joined."""

from __future__ import annotations

import itertools

import numpy as np
import torch

from headrace.core.errors import InvalidArgumentError
from headrace.core.registry import op
from headrace.kernels.host_values import boxed

ngrams_op = op(
    "StringNGrams",
    "data: string, data_splits: Tsplits, *, separator: string, ngram_widths: list(int), left_pad: string, "
    "right_pad: string, pad_width: int, preserve_short_sequences: bool, Tsplits: index = int64 -> ngrams: string, "
    "ngrams_splits: Tsplits",
)


@ngrams_op.shape
def ngrams_shape(op):
    for tensor in op.inputs:
        if tensor.dims is not None and len(tensor.dims) != 1:
            raise ValueError(f"Shape must be rank 1 but is rank {len(tensor.dims)}")
    return [(None,), (None,) if op.inputs[1].dims is None else op.inputs[1].dims]


def _bytes(text: str | bytes) -> bytes:
    return text if isinstance(text, bytes) else text.encode()


@ngrams_op.kernel
def ngrams_kernel(node):
    attrs = node.attrs
    separator, left, right = (_bytes(attrs[key]) for key in ("separator", "left_pad", "right_pad"))
    widths, given_pad, preserve = attrs["ngram_widths"], attrs["pad_width"], attrs["preserve_short_sequences"]

    def padded(row: list[bytes], pad: int) -> list[bytes]:
        return [left] * pad + row + [right] * pad

    def of_row(row: list[bytes]) -> list[bytes]:
        made: list[bytes] = []
        for width in widths:
            # More would make n-grams of padding alone.
            pad = min(width - 1 if given_pad < 0 else given_pad, width - 1)
            tokens = padded(row, pad)
            made += [separator.join(tokens[i : i + width]) for i in range(len(tokens) - width + 1)]
        if not made and preserve and row:
            made.append(separator.join(padded(row, max(given_pad, 0))))
        return made

    def ngrams(data, splits):
        strings, bounds = boxed(data).tolist(), splits.tolist()
        for bound in bounds:
            if not 0 <= bound <= len(strings):
                raise InvalidArgumentError(None, None, f"Invalid split value {bound}, must be in [0,{len(strings)}]")
        rows = [of_row(strings[i:j]) for i, j in itertools.pairwise(bounds)]
        values = np.empty(sum(map(len, rows)), object)
        values[:] = [item for row in rows for item in row]
        ends = np.cumsum([0, *map(len, rows)]) if bounds else np.zeros(0, np.int64)
        return values, torch.from_numpy(ends).to(splits.dtype)

    return ngrams


_example = {"separator": " ", "left_pad": "<", "right_pad": ">", "preserve_short_sequences": False}
ngrams_op.on_host("data_splits", outputs=True).accepts(
    np.array([b"a", b"b", b"c"], object), np.array([0, 2, 3], np.int64), ngram_widths=[2], pad_width=1, **_example
)
ngrams_op.rejects(
    np.array([b"a"], object),
    np.array([0, 2], np.int64),
    ngram_widths=[2],
    pad_width=1,
    **_example,
    error=InvalidArgumentError,
    match="Invalid split",
)
