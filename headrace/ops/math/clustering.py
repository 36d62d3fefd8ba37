"""Clusters of points: what k-means begins with, and the centers nearest to points.

Arthur and Vassilvitskii, "k-means++: the advantages of careful seeding", SODA 2007; Bachem, Lucic, Hassani and Krause,
"Approximate k-means++ in sublinear time", AAAI 2016. Squared distances are |x|² - 2 x·c + |c|².
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from headrace.core.errors import InvalidArgumentError
from headrace.core.registry import op
from headrace.devices.large_products import product_with_turned
from headrace.devices.parallel_for import parallel_blocks
from headrace.kernels.array.arguments import invalid
from headrace.kernels.random.philox import Philox
from headrace.native.direct import direct_call

if TYPE_CHECKING:
    from headrace.core.typing import NodeView, OpView


_UINT64 = 2**64
# So many draws of rows that were chosen before mean that rounding errors are all that is left to draw by.
_PATIENCE = 100_000
# So many distances are computed at a time: they stay in the cache until the least of them are found.
_AT_A_TIME = 2**17
# From so many products on threads share the runner's work.
_FOR_THREADS = 2**20

nearest_neighbors_op = op(
    "NearestNeighbors",
    "points: float, centers: float, k: int64 -> nearest_center_indices: int64, nearest_center_distances: float",
)
kmeans_plus_plus_op = op(
    "KmeansPlusPlusInitialization",
    "points: float, num_to_sample: int64, seed: int64, num_retries_per_sample: int64 -> samples: float",
)
kmc2_chain_op = op("KMC2ChainInitialization", "distances: float, seed: int64 -> index: int64")

nearest_neighbors_op.on_host("k")
kmeans_plus_plus_op.on_host("points", "num_to_sample", "seed", "num_retries_per_sample", outputs=True)
kmc2_chain_op.on_host("distances", "seed", outputs=True)


class _Draws:
    """Numbers of a Philox stream, one after another, of all kinds."""

    def __init__(self, seed: int) -> None:
        self._place = Philox(seed % _UINT64, 0)
        self._words: list[int] = []

    def _word(self) -> int:
        if not self._words:
            self._words = self._place.words(16)[::-1].tolist()
            self._place = self._place.skip(16)
        return self._words.pop()

    def fraction(self) -> np.float32:
        """A number of [0, 1), of the 23 lowest bits of a word."""
        return np.float32((self._word() & 0x7FFFFF) * 2.0**-23)

    def below(self, limit: int) -> int:
        """An integer of [0, limit), each as likely as another."""
        excess = _UINT64 % limit
        while True:
            word = self._word() | self._word() << 32
            if word < _UINT64 - excess:
                return word % limit


def _require_matrix(value: np.ndarray | torch.Tensor, name: str) -> None:
    if value.ndim != 2:
        raise invalid(f"Input {name} should be a matrix.")


def _scalar(value: torch.Tensor, name: str) -> int:
    if value.ndim != 0:
        raise invalid(f"Input {name} should be a scalar.")
    return int(value)


def _half_lengths(centers: torch.Tensor) -> torch.Tensor:
    return 0.5 * (centers * centers).sum(1)


def _nearest_of_block(
    block: torch.Tensor, centers: torch.Tensor, product: Callable[[torch.Tensor, torch.Tensor], torch.Tensor]
) -> tuple[torch.Tensor, torch.Tensor]:
    """The nearest centers, as floats, and how far they are.

    The least of a column of distances is found several times as fast as that of a row.
    """
    count = len(centers)
    # The first center counts most, so that it wins among equals. Numbers that float32 holds exactly, since it compares
    # and multiplies them several times as fast as other types.
    places = torch.arange(count, 0, -1, dtype=block.dtype, device=block.device).unsqueeze(1)
    halves = product(-centers, block).add_(_half_lengths(centers).unsqueeze(1))
    least = halves.amin(0)
    # Where a distance is NaN none is the least, and the remainder is 0.
    first = count - halves.eq_(least).mul_(places).amax(0)
    return first.remainder_(count), least.mul_(2.0).add_((block * block).sum(1))


@nearest_neighbors_op.kernel
def nearest_neighbors_kernel(node: NodeView) -> Callable[..., Any]:
    product = product_with_turned(node)
    asked = direct_call("nearest_centers")

    def nearest(points: torch.Tensor, centers: torch.Tensor, k: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        _require_matrix(points, "points")
        _require_matrix(centers, "centers")
        neighbors = _scalar(k, "k")
        if neighbors < 0:
            raise invalid(f"Expected k >= 0, got {neighbors}.")
        if points.shape[0] and not points.shape[1]:
            raise invalid("Expected points.cols() > 0.")
        if points.shape[1] != centers.shape[1]:
            raise invalid(f"Expected point_dimensions == center_dimensions: {points.shape[1]} vs {centers.shape[1]}.")
        if neighbors == 1 and len(centers):
            return nearest_one(points, centers)
        # Half the squared distances, without the lengths of the points. Stable, so that of two centers at one distance
        # the first comes first.
        halves = torch.addmm(_half_lengths(centers), points, centers.T, alpha=-1.0)
        values, indices = halves.sort(dim=1, stable=True)
        values, indices = values[:, :neighbors], indices[:, :neighbors]
        distances = 2.0 * values + (points * points).sum(1, keepdim=True)
        return indices.contiguous(), distances

    def nearest_one(points: torch.Tensor, centers: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        count, rows = points.shape[0], max(1, _AT_A_TIME // centers.shape[0])
        if points.device.type != "cpu":
            first, least = _nearest_of_block(points, centers, product)
            return first.to(torch.int64).unsqueeze(1), least.unsqueeze(1)
        indices, distances = points.new_empty([count, 1], dtype=torch.int64), points.new_empty([count, 1])
        if asked is not None:
            threads = torch.get_num_threads() if points.numel() * len(centers) >= _FOR_THREADS else 1
            if asked(points, centers, indices, distances, threads) is not None:
                return indices, distances

        def some(begin: int, end: int) -> None:
            found = _nearest_of_block(points[begin:end], centers, product)
            indices[begin:end, 0], distances[begin:end, 0] = found

        if count <= rows:
            some(0, count)
        else:
            parallel_blocks(some, count, rows)
        return indices, distances

    return nearest


nearest_neighbors_op.accepts([4, 3], [2, 3], np.int64(1))
nearest_neighbors_op.rejects([4, 3], [2, 2], np.int64(1), error=InvalidArgumentError, match="point_dimensions")


@kmeans_plus_plus_op.kernel
def kmeans_plus_plus_kernel(node: NodeView) -> Callable[..., Any]:
    def sample(
        points: torch.Tensor, num_to_sample: torch.Tensor, seed: torch.Tensor, retries: torch.Tensor
    ) -> torch.Tensor:
        rows = np.asarray(points)
        _require_matrix(rows, "points")
        count = _scalar(num_to_sample, "num_to_sample")
        draws = _Draws(_scalar(seed, "seed"))
        tries = _scalar(retries, "num_retries_per_sample")
        if not len(rows):
            raise invalid("Expected points.rows() > 0.")
        if count <= 0:
            raise invalid("Expected num_to_sample > 0.")
        if count > len(rows):
            raise invalid(f"Expected num_to_sample <= points.rows(). {count} vs {len(rows)}.")
        if tries < 0:
            tries = 2 + int(math.log(count))
        return torch.from_numpy(rows[_kmeans_plus_plus(rows, count, draws, tries)])

    return sample


def _kmeans_plus_plus(points: np.ndarray, count: int, draws: _Draws, retries: int) -> list[int]:
    """`count` different rows, each the best of a few that are drawn in proportion to their squared distance.

    Arthur and Vassilvitskii, whose greedy variant draws several for each center.
    """
    halves = np.float32(0.5) * np.einsum("ij,ij->i", points, points)

    def nearer(row: int, least: np.ndarray) -> np.ndarray:
        return np.minimum(least, halves - points @ points[row] + halves[row])

    def draw(sums: np.ndarray) -> int:
        if not chosen:
            return draws.below(len(points))
        for _ in range(_PATIENCE):
            row = int(np.searchsorted(sums, draws.fraction() * sums[-1], side="right"))
            if row not in chosen:
                return min(row, len(points) - 1)
        return next(i for i in range(len(points)) if i not in chosen)

    chosen: list[int] = []
    least = np.full(len(points), np.inf, np.float32)
    while len(chosen) < count:
        sums = np.cumsum(least, dtype=np.float32)
        if not sums[-1] > 0:
            # All that is left lies on points that were chosen: any other will do.
            return chosen + [i for i in range(len(points)) if i not in chosen][: count - len(chosen)]
        best: tuple[float, int, Any] = (math.inf, 0, least)
        for _ in range(1 + retries):
            row = draw(sums)
            new = nearer(row, least)
            total = float(new.sum())
            if total < best[0]:
                best = (total, row, new)
        chosen.append(best[1])
        least = best[2]
    return chosen


kmeans_plus_plus_op.accepts(np.eye(4, dtype=np.float32), np.int64(2), np.int64(1), np.int64(2))


@kmc2_chain_op.shape
def kmc2_chain_shape(op: OpView) -> list[Any]:
    return [()]


@kmc2_chain_op.kernel
def kmc2_chain_kernel(node: NodeView) -> Callable[..., Any]:
    def walk(distances: torch.Tensor, seed: torch.Tensor) -> torch.Tensor:
        if distances.ndim != 1:
            raise invalid("Input distances should be a vector.")
        candidates = np.asarray(distances)
        if not len(candidates):
            raise invalid("Expected distances_tensor.size() > 0.")
        draws = _Draws(_scalar(seed, "seed"))
        at = 0
        for i in range(1, len(candidates)):
            if candidates[i] > draws.fraction() * candidates[at]:
                at = i
        return torch.tensor(at, dtype=torch.int64)

    return walk


kmc2_chain_op.accepts(np.ones(5, np.float32), np.int64(1))
