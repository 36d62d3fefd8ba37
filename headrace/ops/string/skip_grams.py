"""Pairs of a token and one near it (Mikolov et al., arXiv:1301.3781, section 3.2)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from headrace.core.registry import op
from headrace.kernels.array.arguments import invalid, is_text, rank_is, require_scalar
from headrace.kernels.random.sampling import host_generator, is_seeded, stream_of

if TYPE_CHECKING:
    from headrace.core.typing import NodeView, OpView


skip_grams_op = op(
    "SkipGramGenerateCandidates",
    "input_tensor: T, min_skips: int32, max_skips: int32, start: int32, limit: int32, emit_self_as_target: bool, "
    "*, T: type, seed=0, seed2=0 -> tokens: T, labels: T",
    stateful=True,
)
skip_grams_op.not_differentiable()
skip_grams_op.on_host(*(arg.name for arg in skip_grams_op.signature.inputs), outputs=True)


@skip_grams_op.shape
def skip_grams_shape(op: OpView) -> list[Any]:
    rank_is(op.inputs[0].dims, 1)
    for index in range(1, 6):
        require_scalar(op, index)
    return [(None,), (None,)]


@skip_grams_op.kernel
def skip_grams_kernel(node: NodeView) -> Callable[..., Any]:
    texts, stream = is_text(node.inputs[0]), stream_of(node) if is_seeded(node) else None

    def widths(count: int, low: int, high: int) -> np.ndarray:
        if low == high:
            return np.full(count, low)
        if stream is None:
            return host_generator().integers(low, high + 1, count)
        # A word of the stream for each token; four of them are a block.
        words = stream.reserve(count // 4 + 1).words((count + 3) // 4)[:count]
        return low + (words % np.uint32(high - low + 1)).astype(np.int64)

    def pairs(
        tokens: np.ndarray | torch.Tensor,
        low: torch.Tensor,
        high: torch.Tensor,
        start: torch.Tensor,
        limit: torch.Tensor,
        with_self: torch.Tensor,
    ) -> tuple[np.ndarray | torch.Tensor, np.ndarray | torch.Tensor]:
        low, high, start, limit = int(low), int(high), int(start), int(limit)
        tokens = np.asarray(tokens)
        if tokens.ndim != 1:
            raise invalid(f"input_tensor must be a vector, got {tokens.ndim} dimensions")
        if low < 0 or high < 0:
            raise invalid("Both min_skips and max_skips must be >= 0.")
        if low > high:
            raise invalid("min_skips must be <= max_skips.")
        if start < 0:
            raise invalid(f"start must be >= 0, got {start}.")
        start = min(start, len(tokens))
        end = len(tokens) if limit < 0 else min(start + limit, len(tokens))
        at, near = [], []
        for i, width in zip(range(start, end), widths(end - start, low, high), strict=True):
            for j in range(max(start, i - int(width)), min(end, i + int(width) + 1)):
                if bool(with_self) or i != j:
                    at.append(i)
                    near.append(j)
        chosen = tokens[np.asarray(at, np.int64)], tokens[np.asarray(near, np.int64)]
        return chosen if texts else tuple(torch.from_numpy(np.ascontiguousarray(part)) for part in chosen)

    return pairs


skip_grams_op.accepts(np.arange(5), 1, 1, 0, -1, False)
