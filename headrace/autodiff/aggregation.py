"""Adding up the gradients that reach one tensor by several ways."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headrace.core.composite import IndexedSlices
from headrace.core.defaults import colocate_with, name_scope
from headrace.core.dims import is_fully_defined, merge_dims
from headrace.core.dtypes import int64
from headrace.core.operation import Operation
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.ops.math.add_n import accumulate_n, add_n

Gradient = Tensor | IndexedSlices


class AggregationMethod:
    """How gradients that reach one tensor by several ways are added up.

    ADD_N (the default) sums all of them in one op; EXPERIMENTAL_TREE adds them two by two; EXPERIMENTAL_ACCUMULATE_N uses
    AccumulateN where all shapes are known.
    """

    ADD_N = 0
    DEFAULT = ADD_N
    EXPERIMENTAL_TREE = 1
    EXPERIMENTAL_ACCUMULATE_N = 2


def aggregated(op: Operation, gradients: Sequence[Gradient], method: int | None) -> Gradient:
    """The sum of `gradients`, all of one output of `op`.

    Raises:
        ValueError: if `method` is not one of `AggregationMethod`.
        TypeError: if a gradient is neither a tensor nor an IndexedSlices.
    """
    if method is None:
        method = AggregationMethod.DEFAULT
    if method not in (0, 1, 2):
        raise ValueError(f"Invalid aggregation_method specified {method}.")
    if not all(isinstance(g, (Tensor, IndexedSlices)) for g in gradients):
        raise TypeError("gradients have to be either all Tensors or all IndexedSlices")
    if len(gradients) == 1:
        return gradients[0]
    if not all(isinstance(g, Tensor) for g in gradients):
        return added_slices(gradients)
    if method == AggregationMethod.ADD_N:
        # Summed where the first of them is made; each device's share first.
        by_device: dict[str, list[Any]] = {}
        for gradient in gradients:
            by_device.setdefault(gradient.device, []).append(gradient)
        parts = []
        for device in sorted(by_device):
            with colocate_with(by_device[device][0].op, ignore_existing=True):
                parts.append(add_n(by_device[device]))
        return add_n(parts)
    dims = None
    for gradient in gradients:
        dims = merge_dims(dims, gradient.dims)  # type: ignore[union-attr]  # all of them are tensors
    if method == AggregationMethod.EXPERIMENTAL_ACCUMULATE_N and len(gradients) > 2 and is_fully_defined(dims):
        return accumulate_n(gradients)
    with name_scope(op.name + "_gradient_sum"):
        total = gradients[0]
        for gradient in gradients[1:]:
            total = add_n([total, gradient])
        return total


def added_slices(gradients: Sequence[Gradient]) -> Gradient:
    """The sum of gradients of which some are rows only."""
    if any(isinstance(g, Tensor) for g in gradients):
        return add_n(gradients)
    slices: list[Any] = list(gradients)
    if any(s.indices.dtype == int64 for s in slices):
        slices = [
            s if s.indices.dtype == int64 else IndexedSlices(s.values, raw.Cast(s.indices, DstT=int64), s.dense_shape)
            for s in slices
        ]
    # One list of all slices: an index may occur more than once in it.
    return IndexedSlices(
        raw.ConcatV2([s.values for s in slices], 0, name="concat"),
        raw.ConcatV2([s.indices for s in slices], 0, name="concat"),
        slices[0].dense_shape,
    )
