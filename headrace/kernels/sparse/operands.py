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


def is_in_order(keys: torch.Tensor) -> bool:
    """Whether each number is greater than the one before it."""
    return bool((keys[1:] > keys[:-1]).all())


def union_of_rows(one: torch.Tensor, other: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """The places of two sparse tensors, and for each row of the joined matrices which of them it is.

    Where the rows of a matrix are not in order, or repeat, they are put together as TensorFlow does it: the two are merged as if
    they were in order, so that a row of both is one place only where the two are met at the same time.
    """
    rows = torch.cat((one, other))
    keys = row_keys(rows)[0]
    parts = keys.split([one.shape[0], other.shape[0]])
    if all(map(is_in_order, parts)):
        first, which = numbered(keys)
    else:
        first, which = _merged(*(part.tolist() for part in parts))
    return rows.index_select(0, first), which


def _merged(one: list[int], other: list[int]) -> tuple[torch.Tensor, torch.Tensor]:
    """Places of the rows of a merge in the joined list, and for each element of that which row it is."""
    first: list[int] = []
    of_one: list[int] = []
    of_other: list[int] = []
    while len(of_one) < len(one) or len(of_other) < len(other):
        i, j, row = len(of_one), len(of_other), len(first)
        takes_one = j == len(other) or (i < len(one) and one[i] <= other[j])
        takes_other = i == len(one) or (j < len(other) and other[j] <= one[i])
        first.append(i if takes_one else len(one) + j)
        if takes_one:
            of_one.append(row)
        if takes_other:
            of_other.append(row)
    return torch.tensor(first, dtype=torch.int64), torch.tensor(of_one + of_other, dtype=torch.int64)


def met(keys: list[int], union: list[int]) -> list[int]:
    """For each element of an operand that of a merge which it went into, -1 for one that was left out.

    Args:
        keys: the operand's rows as numbers.
        union: those of the merge, in its order.
    """
    found = [-1] * len(keys)
    at = 0
    for place, key in enumerate(union):
        while at < len(keys) and keys[at] < key:
            at += 1
        if at < len(keys) and keys[at] == key:
            found[at] = place
            at += 1
    return found
