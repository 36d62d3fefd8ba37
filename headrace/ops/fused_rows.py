"""Rows that were looked up, on their way back: ops only the planner makes, for plans and never for graphs."""

from __future__ import annotations

from headrace.core.registry import op
from headrace.ops.array.common import invalid
from headrace.ops.array.shape import reshaped
from headrace.ops.array.unique import numbered_by_first
from headrace.ops.math.segment import combined, in_wider

flat = op("_Flat", "x: T, *, T: type -> output: T").aliases()


@flat.kernel
def flat_kernel(node):
    return lambda x: x.reshape(-1)


rows_for = op("_RowsFor", "x: T, counted: U, *, shape: shape, T: type, U: type -> output: T").aliases()


@rows_for.kernel
def rows_for_kernel(node):
    """`x` as rows of `shape`, one for each element of `counted`."""
    shape = node.attrs["shape"]

    def rows(x, counted):
        sizes = (counted.numel(), *shape)
        return x if x.shape == sizes else reshaped(x, sizes)

    return rows


sum_of_repeated = op("_SumOfRepeated", "data: T, indices: I, *, T: type, I: index -> output: T, different: I")
sum_of_repeated.not_differentiable()


@sum_of_repeated.kernel
def sum_of_repeated_kernel(node):
    """The rows of `data` that have the same index summed, and the different indices in the order they come."""
    total = in_wider(node, lambda data, places, count: combined("Sum", data, places, count))

    def summed(data, indices):
        if indices.dim() != 1:
            raise invalid("unique expects a 1D vector.")
        if data.shape[:1] != indices.shape:
            raise invalid(
                f"data.shape = {list(data.shape)} does not start with segment_ids.shape = {list(indices.shape)}"
            )
        different, places = numbered_by_first(indices)
        return total(data, places, different.shape[0]), different

    return summed
