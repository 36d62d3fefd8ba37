"""What ops on batches of matrices share: their dimensions, and types that torch does not factorize."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch

from headrace.core.dims import Dims
from headrace.kernels.array.arguments import invalid

if TYPE_CHECKING:
    from headrace.core.typing import NodeView


def matrix_dims(dims: Dims) -> tuple[Dims, int | None, int | None]:
    """Batch dimensions, rows and columns.

    Raises:
        ValueError: for less than two dimensions.
    """
    if dims is None:
        return None, None, None
    if len(dims) < 2:
        raise ValueError(f"Shape must be at least rank 2 but is rank {len(dims)}")
    return dims[:-2], dims[-2], dims[-1]


def with_batch(batch: Dims, *inner: int | None) -> Dims:
    """The dimensions of batches of something."""
    return None if batch is None else (*batch, *inner)


def in_float(node: NodeView, run: Callable[..., Any]) -> Callable[..., Any]:
    """`run`, in float32 where the type is float16, for which torch has no factorizations."""
    if node.inputs[0].dtype.name != "float16":
        return run

    def widened(*values: Any) -> Any:
        result = run(*[v.float() if v.dtype is torch.float16 else v for v in values])
        return tuple(part.half() for part in result) if isinstance(result, tuple) else result.half()

    return widened


def refuse_unknown(result: torch.Tensor, matrix: torch.Tensor, text: str) -> torch.Tensor:
    """`result`, which elements of `matrix` that are not a number must not have spoilt: TensorFlow finds no pivot then."""
    if bool(torch.isnan(result).any()) and bool(torch.isnan(matrix).any()):
        raise invalid(text)
    return result
