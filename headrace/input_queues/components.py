"""The arguments of functions that batch, as components of a queue."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.convert import convert_to_tensor
from headrace.core.shapes import TensorShape
from headrace.core.tensor import Tensor

if TYPE_CHECKING:
    from headrace.core.composite import SparseTensor
    from headrace.core.typing import TensorLike


def as_tensor_list(tensors: Sequence[SparseTensor | Tensor] | Mapping[str, Tensor]) -> list[Any]:
    """Tensors as a list, those of a dictionary in the order of its keys."""
    if isinstance(tensors, Mapping):
        return [tensors[key] for key in sorted(tensors, key=str)]
    return list(tensors)


def tensor_lists_of(tensors_list: Any) -> list[list[Any]]:
    """Several sets of tensors as lists.

    Raises:
        ValueError: if there are none, or dictionaries of different keys; TypeError: if only some are dictionaries.
    """
    if not tensors_list:
        raise ValueError("Expected at least one set of tensors")
    if isinstance(tensors_list[0], Mapping):
        keys = set(tensors_list[0])
        if any(set(tensors.keys()) != keys for tensors in tensors_list[1:]):
            raise ValueError("All dictionaries in tensors_list must have the same keys")
    elif any(isinstance(tensors, Mapping) for tensors in tensors_list):
        raise TypeError("values must be a sequence.")
    return [as_tensor_list(tensors) for tensors in tensors_list]


def as_given(given: Any, tensors: Any) -> Any:
    """The batches in the structure of what was given."""
    if isinstance(given, Mapping):
        batches = [tensors] if len(given) == 1 else tensors
        return dict(zip(sorted(given, key=str), batches, strict=True))
    return tensors


def checked_keep_input(keep_input: TensorLike, enqueue_many: bool) -> Tensor:
    """`keep_input` as a tensor.

    Raises:
        ValueError: if its rank does not fit.
    """
    keep = convert_to_tensor(keep_input)
    rank = keep.shape.ndims
    if rank is None:
        raise ValueError("`keep_input` dimensions must be known at graph construction.")
    if not enqueue_many and rank == 1:
        raise ValueError("`keep_input` cannot be a vector when `enqueue_many=False`.")
    if rank > 1:
        raise ValueError("`keep_input` must be 0 or 1 dimensions.")
    return keep


def component_types(tensor_lists: Sequence[Sequence[Tensor]]) -> list[Any]:
    """The types that all lists have.

    Raises:
        TypeError: if they differ.
    """
    types = [tensor.dtype for tensor in tensor_lists[0]]
    for tensors in tensor_lists[1:]:
        others = [tensor.dtype for tensor in tensors]
        if others != types:
            raise TypeError(
                f"Expected types to be consistent: {', '.join(t.name for t in types)} vs. "
                f"{', '.join(t.name for t in others)}."
            )
    return types


def component_shapes(
    tensor_lists: Sequence[Sequence[Tensor]], shapes: Sequence[Sequence[int]] | None, enqueue_many: bool
) -> Any:
    """The shapes of the queue's components: those given, or what the tensors say.

    Raises:
        ValueError: if a rank is unknown.
    """
    if shapes is not None:
        return shapes
    for tensors in tensor_lists:
        for tensor in tensors:
            if tensor.shape.ndims is None:
                raise ValueError(f"Cannot infer Tensor's rank: {tensor}")
    found = []
    # As many columns as the shortest list has.
    for column in zip(*tensor_lists, strict=False):
        column_shapes = [TensorShape(tensor.shape) for tensor in column]
        if enqueue_many:
            column_shapes = [item.with_rank_at_least(1)[1:] for item in column_shapes]
        for item in column_shapes[1:]:
            column_shapes[0].merge_with(item)
        found.append(column_shapes[0].as_list())
    return found
