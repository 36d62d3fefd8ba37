"""The seeds of datasets as tensors."""

from __future__ import annotations

from headrace.core import random_seed
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.ops.array.constant import constant


def get_seed(seed: int | Tensor | None) -> tuple[Tensor, Tensor]:
    """The two seeds of a dataset op.

    Args:
        seed: an integer, an int64 scalar tensor or None.

    Returns:
        two int64 scalars, both 0 if nothing is seeded; the op then chooses its seeds.
    """
    first, numbered = random_seed.get_seed(0 if isinstance(seed, Tensor) else seed)
    second = seed if isinstance(seed, Tensor) else numbered
    first_tensor = (
        constant(0, dtype="int64", name="seed")
        if first is None
        else convert_to_tensor(first, dtype="int64", name="seed")
    )
    if second is None:
        return first_tensor, constant(0, dtype="int64", name="seed2")
    with name_scope("seed2") as scope:
        given = convert_to_tensor(second, dtype="int64")
        zeros = raw.LogicalAnd(raw.Equal(first_tensor, 0), raw.Equal(given, 0))
        return first_tensor, raw.Select(zeros, constant(2**31 - 1, dtype="int64"), given, name=scope)
