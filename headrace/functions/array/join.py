"""Tensors stacked while each is made."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.kernels.composing.shapes import expand_dims

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


def parallel_stack(values: Sequence[TensorLike], name: str = "parallel_stack") -> Tensor:
    """Tensors of one fully known shape as the slices of a tensor with one more axis in front."""
    with name_scope(name):
        first = convert_to_tensor(values[0])
        dims = None if first.dims is None else (len(values), *first.dims)
        return raw.ParallelConcat([expand_dims(value, 0) for value in values], shape=dims)
