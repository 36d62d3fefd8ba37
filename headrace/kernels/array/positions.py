"""Index vectors as positions among flattened axes."""

from __future__ import annotations

import math

import numpy as np
import torch

from headrace.kernels.array.arguments import invalid


def flat_positions(indices: torch.Tensor, dims: tuple[int, ...], what: str) -> torch.Tensor:
    """Index vectors over axes of sizes `dims` as positions in the flattened axes.

    Raises:
        InvalidArgumentError: naming the first vector that is out of bounds, as "indices[0] = [5] does not index into".
    """
    limits = torch.tensor(dims, dtype=torch.int64, device=indices.device)
    vectors = indices.reshape(-1, len(dims)).long()
    if vectors.numel() and indices.device.type == "cpu":
        bad = ((vectors < 0) | (vectors >= limits)).any(-1)
        if bool(bad.any()):
            first = int(bad.nonzero()[0, 0])
            where = np.unravel_index(first, tuple(indices.shape[:-1])) if indices.ndim > 1 else ()
            place = f"indices[{','.join(map(str, where))}]" if where else "indices"
            raise invalid(f"{place} = [{', '.join(map(str, vectors[first].tolist()))}] does not index into {what}")
    steps = [math.prod(dims[i + 1 :]) for i in range(len(dims))]
    if len(dims) == 1:
        return vectors[:, 0]
    return (vectors * torch.tensor(steps, dtype=torch.int64, device=indices.device)).sum(-1)
