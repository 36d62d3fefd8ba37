"""Products of which only some entries are wanted, as factorizations of sparse matrices take them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from headrace.core.registry import op
from headrace.kernels.array.arguments import invalid

if TYPE_CHECKING:
    from headrace.core.typing import NodeView


masked_matmul_op = op(
    "MaskedMatmul",
    "a: float, b: float, mask_indices: int64, transpose_a: bool, transpose_b: bool -> prod_values: float",
)
partial_sides_op = op(
    "WALSComputePartialLhsAndRhs",
    "factors: float, factor_weights: float, unobserved_weights: float, input_weights: float, input_indices: int64, "
    "input_values: float, entry_weights: float, input_block_size: int64, input_is_transpose: bool "
    "-> partial_lhs: float, partial_rhs: float",
)
masked_matmul_op.on_host("transpose_a", "transpose_b")
partial_sides_op.on_host("input_block_size", "input_is_transpose")


def _require_rank(value: torch.Tensor, name: str, rank: int) -> None:
    if value.ndim != rank:
        raise invalid(f"Input {name} should be a {('scalar', 'vector', 'matrix')[rank]}.")


def _pairs(indices: torch.Tensor, name: str, message: str) -> tuple[Any, Any]:
    _require_rank(indices, name, 2)
    if indices.shape[1] != 2:
        raise invalid(message)
    return indices[:, 0], indices[:, 1]


def _require_below(indices: torch.Tensor, limit: int, what: str) -> None:
    if indices.numel() and not 0 <= int(indices.min()) <= int(indices.max()) < limit:
        raise invalid(f"The {what} are from {int(indices.min())} to {int(indices.max())}, expected [0, {limit}).")


@masked_matmul_op.kernel
def masked_matmul_kernel(node: NodeView) -> Callable[..., Any]:
    def multiply(
        a: torch.Tensor, b: torch.Tensor, places: torch.Tensor, transpose_a: torch.Tensor, transpose_b: torch.Tensor
    ) -> Any:
        _require_rank(a, "a", 2)
        _require_rank(b, "b", 2)
        _require_rank(transpose_a, "transpose_a", 0)
        _require_rank(transpose_b, "transpose_b", 0)
        rows, columns = _pairs(
            places,
            "mask_indices",
            "mask_indices should be a matrix of shape [nnz 2], where nnz is the number of non-zero elements.",
        )
        left = a.T if transpose_a else a
        right = b if transpose_b else b.T
        if left.shape[1] != right.shape[1]:
            shapes = (f"[{x.shape[0]},{x.shape[1]}]" for x in (a, b))
            first, second = shapes
            raise invalid(f"Matrix shapes are incompatible: a has shape {first}, while b has shape {second}.")
        _require_below(rows, len(left), "rows of mask_indices")
        _require_below(columns, len(right), "columns of mask_indices")
        return torch.linalg.vecdot(left[rows], right[columns])

    return multiply


masked_matmul_op.accepts([3, 2], [2, 4], np.array([[0, 1], [2, 3]]), np.bool_(False), np.bool_(False))


@partial_sides_op.kernel
def partial_sides_kernel(node: NodeView) -> Callable[..., Any]:
    def compute(
        factors: torch.Tensor,
        factor_weights: torch.Tensor,
        unobserved: torch.Tensor,
        input_weights: torch.Tensor,
        places: torch.Tensor,
        values: torch.Tensor,
        entry_weights: torch.Tensor,
        block_size: torch.Tensor,
        transposed: torch.Tensor,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        _require_rank(factors, "factors", 2)
        _require_rank(factor_weights, "factor_weights", 1)
        _require_rank(unobserved, "unobserved_weights", 0)
        _require_rank(input_weights, "input_weights", 1)
        rows, columns = _pairs(places, "input_indices", "Input input_indices should have shape (?, 2).")
        _require_rank(values, "input_values", 1)
        _require_rank(entry_weights, "entry_weights", 1)
        _require_rank(block_size, "input_block_size", 0)
        _require_rank(transposed, "input_is_transpose", 0)
        if len(values) != len(places):
            raise invalid("Input input_values should have the same length as input_indices.")
        by_entry = len(entry_weights) > 0
        if by_entry == (len(input_weights) > 0 and len(factor_weights) > 0) or (
            by_entry and (len(input_weights) or len(factor_weights))
        ):
            raise invalid(
                "To specify the weights for observed entries, either (1) entry_weights must be set or (2) input_weights "
                "and factor_weights must be set, but not both."
            )
        if transposed:
            rows, columns = columns, rows
        count, width = int(block_size), factors.shape[1]
        _require_below(rows, count, "rows of input_indices")
        _require_below(columns, len(factors), "columns of input_indices")
        if by_entry:
            _require_length(entry_weights, len(places), "entry_weights")
            weights = entry_weights
        else:
            _require_length(input_weights, count, "input_weights")
            _require_length(factor_weights, len(factors), "factor_weights")
            weights = input_weights[rows] * factor_weights[columns]
        taken = factors[columns]
        right = taken.new_zeros(count, width).index_add_(0, rows, taken * (values * (weights + unobserved))[:, None])
        # Row by row, so that no more than one product a row of the block is kept.
        left = taken.new_zeros(count, width, width)
        order = torch.argsort(rows, stable=True)
        sizes = torch.bincount(rows, minlength=count).tolist()
        for row, (some, heavy) in enumerate(
            zip(taken[order].split(sizes), (taken * weights[:, None])[order].split(sizes), strict=True)
        ):
            torch.matmul(heavy.T, some, out=left[row])
        return left, right

    return compute


def _require_length(value: torch.Tensor, length: int, name: str) -> None:
    if len(value) != length:
        raise invalid(f"Input {name} has {len(value)} elements, expected {length}.")


partial_sides_op.accepts(
    [3, 2], [3], np.float32(0.1), [2], np.array([[0, 1], [1, 2]]), [2], [0], np.int64(2), np.bool_(False)
)
