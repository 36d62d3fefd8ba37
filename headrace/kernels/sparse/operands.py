"""Two sparse tensors of one shape: checked, and their places put together."""

from __future__ import annotations

from typing import Any

import torch

from headrace.kernels.array.arguments import invalid, shape_text
from headrace.kernels.sparse.indices import numbered, row_keys


def check_operands(a: tuple[Any, Any, Any], b: tuple[Any, Any, Any]) -> None:
    """Checks that two sparse tensors, each its three parts, have one shape.

    Raises:
        InvalidArgumentError: if not, or if the parts of one do not fit each other.
    """
    for parts, rank, kind in ((0, 2, "matrices"), (1, 1, "vectors"), (2, 1, "vectors")):
        for operand in (a, b):
            if operand[parts].ndim != rank:
                what = ("indices", "values", "shapes")[parts]
                raise invalid(f"Input {what} should be {kind} but received shape {shape_text(operand[parts].shape)}")
    if any(operand[0].shape[0] != operand[1].shape[0] for operand in (a, b)):
        raise invalid(
            f"Expected {a[0].shape[0]} and {b[0].shape[0]} non-empty input values, got {a[1].shape[0]} and {b[1].shape[0]}"
        )
    shapes = [operand[2].tolist() for operand in (a, b)]
    if len(shapes[0]) != len(shapes[1]):
        both = " and ".join(" ".join(map(str, sizes)) for sizes in shapes)
        raise invalid(f"Operands do not have the same ranks; got shapes: {both}")
    for i, (one, other) in enumerate(zip(*shapes)):
        if one != other:
            raise invalid(f"Operands' shapes do not match: got {one} and {other} for dimension {i}")
    for operand in (a, b):
        if operand[0].shape[1] != len(shapes[0]):
            raise invalid(f"Index vectors of a tensor of rank {len(shapes[0])} have {operand[0].shape[1]} elements.")


def union_of_rows(*matrices: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """The different rows of all matrices in order, and for each row of the joined matrices which of them it is."""
    rows = torch.cat(matrices)
    first, which = numbered(row_keys(rows)[0])
    return rows.index_select(0, first), which
