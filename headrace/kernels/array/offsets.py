"""Where tensors begin in what they are joined to."""

from __future__ import annotations

from typing import Any

import torch

from headrace.kernels.array.arguments import invalid, shape_text


def offsets_of(axis: int | torch.Tensor, *shapes: Any) -> list[Any]:
    """Where each of tensors of those shapes begins when they are joined: int32 vectors.

    Raises:
        InvalidArgumentError: if they do not fit.
    """
    first = shapes[0].tolist()
    axis = int(axis)
    if not -len(first) <= axis < len(first):
        raise invalid(f"Concat dim is out of range: {axis} vs. {len(first)}")
    axis %= len(first)
    begin = 0
    result: list[Any] = []
    for i, given in enumerate(shapes):
        if given.ndim != 1:
            raise invalid(f"input {i} should be a vector, but got shape {shape_text(given.shape)}")
        sizes = given.tolist()
        if len(sizes) != len(first):
            raise invalid(f"input {i} should contain {len(first)} elements, but got {len(sizes)}")
        if any(a != b for k, (a, b) in enumerate(zip(sizes, first)) if k != axis):
            raise invalid(
                f"All dimensions except {axis} must match. Input {i} has shape [{' '.join(map(str, sizes))}] and "
                f"doesn't match input 0 with shape [{' '.join(map(str, first))}]."
            )
        offset = [0] * len(first)
        offset[axis] = begin
        begin += sizes[axis]
        result.append(torch.tensor(offset, dtype=torch.int32))
    return result
