"""Ops that TensorFlow 2 has and 1.15 has not, as far as SavedModels of TensorFlow 2 often hold them."""

from __future__ import annotations

import string
from typing import Any

import numpy as np
import torch

from headrace.core import errors
from headrace.core.dtypes import float32, uint8, uint16
from headrace.core.registry import op, raw
from headrace.core.shapes import Dims
from headrace.ops.host_values import to_tensor
from headrace.ops.image.decode import _data
from headrace.ops.image.decode_bmp import bmp_pixels
from headrace.ops.image.decode_gif import gif_frames
from headrace.ops.image.decode_jpeg import jpeg_pixels
from headrace.ops.image.decode_png import png_pixels


def _invalid(message: str) -> errors.InvalidArgumentError:
    return errors.InvalidArgumentError(None, None, message)


# ---- Einsum ----

einsum_op = op("Einsum", "inputs: N * T, *, equation: string, N: int >= 1, T: type -> output: T")


def _labels(equation: str, ranks: list[int | None]) -> tuple[list[list[str]], list[str]]:
    """The label of each axis of inputs and output; those an ellipsis stands for are numbers.

    Raises:
        ValueError: if the equation does not fit, or an ellipsis stands for an unknown number of axes.
    """
    left, arrow, right = equation.replace(" ", "").partition("->")
    parts = left.split(",")
    if not arrow or len(parts) != len(ranks):
        raise ValueError(f"Expected {len(ranks)} terms and an arrow in the equation {equation!r}")
    most = 0
    inputs = []
    for part, rank in zip(parts, ranks, strict=True):
        before, dots, after = part.partition("...")
        if not set(before + after) <= set(string.ascii_letters):
            raise ValueError(f"{part!r} of the equation {equation!r} is no list of letters")
        count = 0
        if dots:
            if rank is None:
                raise ValueError(f"the rank of an input of {equation!r} is not known")
            count = rank - len(before) - len(after)
        if rank is not None and rank != len(before) + count + len(after):
            raise ValueError(f"an input of rank {rank} does not fit {part!r} of the equation {equation!r}")
        most = max(most, count)
        inputs.append((before, count, after, dots))
    named = [[*b, *[str(most - n + i) for i in range(n)], *a] for b, n, a, _ in inputs]
    before, dots, after = right.partition("...")
    return named, [*before, *([str(i) for i in range(most)] if dots else []), *after]


@einsum_op.shape
def einsum_shape(op):
    if "->" not in op.attrs["equation"]:
        raise ValueError(f"Expecting exactly one '->' in einsum equation: {op.attrs['equation']}")
    dims = [tensor.dims for tensor in op.inputs]
    if any(d is None for d in dims):
        return [None]
    inputs, output = _labels(op.attrs["equation"], [len(d) for d in dims])
    sizes: dict[str, Any] = {}
    for labels, known in zip(inputs, dims, strict=True):
        for label, size in zip(labels, known, strict=True):
            if sizes.get(label) in (None, 1):
                sizes[label] = size
    return [tuple(sizes.get(label) for label in output)]


@einsum_op.kernel
def einsum_kernel(node):
    equation = node.attrs["equation"].replace(" ", "")
    return lambda *values: torch.einsum(equation, *values)


@einsum_op.gradient
def einsum_gradient(op, grad):
    inputs, output = _labels(op.attrs["equation"], [None if t.dims is None else len(t.dims) for t in op.inputs])
    letters: dict[str, str] = {}
    spare = [letter for letter in string.ascii_letters if not any(letter in term for term in (*inputs, output))]

    def term(labels: list[str]) -> str:
        return "".join(label if label.isalpha() else letters.setdefault(label, spare.pop()) for label in labels)

    found = []
    for i, labels in enumerate(inputs):
        others = [(raw.Conj(t) if t.dtype.is_complex else t, inputs[j]) for j, t in enumerate(op.inputs) if j != i]
        known = set(output).union(*[other for _, other in others])
        if len(set(labels)) < len(labels) or not set(labels) <= known or any(label.isdigit() for label in labels):
            raise LookupError(
                f"No gradient defined for operation '{op.name}' (op type: Einsum): the axes of its input {i} in "
                f"{op.attrs['equation']!r} are not those of the others."
            )
        equation = ",".join([term(output), *[term(other) for _, other in others]]) + "->" + term(labels)
        found.append(raw.Einsum([grad, *[value for value, _ in others]], equation=equation))
    return found


# ---- DecodeImage ----

decode_image_op = op(
    "DecodeImage",
    "contents: string, *, channels=0, dtype: {uint8, uint16, float} = uint8, expand_animations=True -> image: dtype",
)
decode_image_op.not_differentiable()


@decode_image_op.shape
def decode_image_shape(op):
    if op.attrs["expand_animations"]:
        return [None]
    return [(None, None, op.attrs["channels"] or None)]


@decode_image_op.kernel
def decode_image_kernel(node):
    channels, dtype = node.attrs["channels"], node.attrs["dtype"]
    animated = node.attrs["expand_animations"]
    if channels not in (0, 1, 3, 4):
        raise _invalid(f"channels must be 0, 1, 3, or 4, got {channels}")

    def pixels(data: bytes) -> np.ndarray:
        if data[:3] == b"\xff\xd8\xff":
            return jpeg_pixels(data, channels)
        if data[:4] == b"\x89PNG":
            return png_pixels(data, channels, dtype is not uint8)
        if data[:3] == b"GIF":
            if channels not in (0, 3):
                raise _invalid(f"channels must be 0 or 3 for GIF, got {channels}")
            frames = gif_frames(data)
            return frames if animated else frames[0]
        if data[:2] == b"BM":
            return bmp_pixels(data, channels)
        raise _invalid("Unknown image file format. One of JPEG, PNG, GIF, BMP required.")

    def decode(contents):
        found = pixels(_data(contents))
        if dtype is float32:
            found = found.astype(np.float32) / np.float32(255 if found.dtype == np.uint8 else 65535)
        elif dtype is uint16 and found.dtype == np.uint8:
            found = found.astype(np.uint16) * np.uint16(256)
        return to_tensor(np.ascontiguousarray(found))

    return decode


# ---- DenseBincount ----

dense_bincount_op = op(
    "DenseBincount",
    "input: Tidx, size: Tidx, weights: T, *, Tidx: index, T: {int32, int64, float, double}, binary_output=False -> output: T",
)
dense_bincount_op.on_host("size").not_differentiable()


@dense_bincount_op.shape
def dense_bincount_shape(op):
    dims: Dims = op.inputs[0].dims
    return [None if dims is None else (*dims[:-1], None)]


@dense_bincount_op.kernel
def dense_bincount_kernel(node):
    binary, dtype = node.attrs["binary_output"], node.attrs["T"].torch

    def count(values, size, weights):
        size = int(size)
        if size < 0:
            raise _invalid(f"size ({size}) must be non-negative")
        if values.numel() and int(values.min()) < 0:
            raise _invalid("Input arr must be non-negative!")
        rows = values.reshape(-1, values.shape[-1]) if values.ndim > 1 else values.reshape(1, -1)
        bins = torch.zeros((rows.shape[0], size), dtype=dtype)
        kept = rows < size
        places = (torch.arange(rows.shape[0])[:, None] * size + rows)[kept]
        if binary:
            bins.view(-1)[places] = 1
        else:
            added = weights.reshape(rows.shape)[kept] if weights.numel() else torch.ones_like(places, dtype=dtype)
            bins.view(-1).index_add_(0, places, added)
        return bins if values.ndim > 1 else bins[0]

    return count
