"""Tensors of which a rank, a shape or a length is asked: refused while the graph is made where that is known, else in a step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.constant_value import constant_value
from headrace.core.defaults import control_dependencies
from headrace.core.operation import Operation
from headrace.core.tensor import Tensor
from headrace.functions.flow.assertion import Assert
from headrace.functions.math.reduction import reduce_all
from headrace.kernels.composing.arranging import identity
from headrace.kernels.composing.shapes import rank, shape, size
from headrace.ops.math.comparison import equal, not_equal
from headrace.ops.math.division import floormod
from headrace.ops.math.logical import logical_and
from headrace.ops.string.conversion import as_string
from headrace.ops.string.joining import string_join

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


def with_checks(checks: Sequence[Operation], value: Tensor, name: str | None = None) -> Tensor:
    """`value`, which a step takes only where the checks hold."""
    with control_dependencies(checks):
        return identity(value, name=name)


def multiple_of(value: Tensor, factor: TensorLike) -> Tensor:
    """`value`, which is checked to be a multiple of `factor` and not 0."""
    holds = logical_and(equal(floormod(value, factor), 0), not_equal(value, 0))
    start, end = f"Tensor {value.name} should be a multiple of: ", ". Consider setting pad=True."
    said = string_join([start, as_string(factor), ", but saw value: ", as_string(value), end])
    return with_checks([Assert(holds, [said])], value, "multiple_of_checked")


def of_rank(value: Tensor, expected: int | Tensor) -> Tensor:
    """`value`, whose rank is checked.

    Raises:
        ValueError: if it is known to be another.
    """
    holds = equal(expected, rank(value))
    said = string_join([f"Rank of tensor {value.name} should be: ", as_string(expected), ", shape received:"])
    checked = with_checks([Assert(holds, [said, shape(value)])], value, "rank_checked")
    known = constant_value(expected) if isinstance(expected, Tensor) else expected
    if known is not None:
        try:
            checked.set_shape(checked.shape.with_rank(int(known)))
        except ValueError as error:
            raise ValueError(f"Rank check failed for {value.name}: {error}") from None
    return checked


def of_shape(value: Tensor, expected: Any) -> Tensor:
    """`value`, whose shape is checked.

    Args:
        value: the tensor.
        expected: its sizes, ints or a vector.

    Raises:
        ValueError: if it is known to be another.
    """
    if isinstance(expected, Tensor):
        known = constant_value(expected)
        if known is not None:
            expected = [int(item) for item in known]
    value = of_rank(value, size(expected) if isinstance(expected, Tensor) else len(expected))
    holds = reduce_all(equal(expected, shape(value)))
    # A text for each size, as 1.x told it.
    start = f"Shape of tensor {value.name} should be: "
    said = [string_join([start, as_string(expected), ", shape received: ", as_string(shape(value))])]
    checked = with_checks([Assert(holds, said)], value, "shape_checked")
    if not isinstance(expected, Tensor):
        try:
            checked.set_shape(checked.shape.merge_with(expected))
        except ValueError as error:
            raise ValueError(f"Shape check failed for {value.name}: {error}") from None
    return checked


def of_sizes(value: Tensor, sizes: Sequence[Any], label: str) -> Tensor:
    """`value`, whose first dimensions are checked.

    Args:
        value: the tensor.
        sizes: ints and int32 scalars.
        label: what it is called.

    Raises:
        ValueError: if they are known to be others, or there are fewer.
    """
    dims = value.shape.as_list() if value.shape.ndims is not None else None
    if dims is not None:
        if len(dims) < len(sizes):
            raise ValueError(
                f"{label}: rank of input is {len(dims)}, less than the {len(sizes)} sizes that are checked"
            )
        merged = [dims[i] if isinstance(item, Tensor) else item for i, item in enumerate(sizes)]
        try:
            value.set_shape(value.shape.merge_with([*merged, *dims[len(sizes) :]]))
        except ValueError as error:
            raise ValueError(f"Dimensions check failed for {label}: {error}") from None
    checks = []
    for place, item in enumerate(sizes):
        holds = equal(item, shape(value)[place])
        start = f"Dimension {place} of tensor labeled {label} should be: "
        said = string_join([start, as_string(item), ", shape received: ", as_string(shape(value))])
        checks.append(Assert(holds, [said]))
    return with_checks(checks, value, f"dims_checked_{label}")
