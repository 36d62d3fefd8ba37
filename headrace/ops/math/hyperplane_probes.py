"""Locality-sensitive hashing by hyperplanes: which buckets to look into, the likeliest first.

M. Charikar, "Similarity estimation techniques from rounding algorithms", STOC 2002; the order: Lv, Josephson, Wang,
Charikar and Li, "Multi-probe LSH: efficient indexing for high-dimensional similarity search", VLDB 2007.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from headrace.core.errors import InternalError
from headrace.core.registry import op, raw
from headrace.kernels.array.arguments import invalid

if TYPE_CHECKING:
    from headrace.core.typing import NodeView, OpView, TensorLike


_MAX_HYPERPLANES = 30

probes_op = op(
    "HyperplaneLSHProbes",
    "point_hyperplane_product: CoordinateType, num_tables: int32, num_hyperplanes_per_table: int32, num_probes: int32, "
    "*, CoordinateType: {float, double} -> probes: int32, table_ids: int32",
)
probes_op.not_differentiable()
probes_op.on_host(*(arg.name for arg in probes_op.signature.inputs), outputs=True)
probes_op.accepts([2, 6], 2, 3, 5)


@probes_op.shape
def probes_shape(op: OpView) -> list[Any]:
    dims, count = op.inputs[0].dims, op.constant(3)
    points = dims[0] if dims is not None and len(dims) == 2 else None
    return [(points, None if count is None or np.ndim(count) else int(count))] * 2


def _scalar(value: torch.Tensor, name: str) -> int:
    if np.ndim(value):
        raise invalid(f"Need a scalar {name} tensor, got {np.ndim(value)} dimensions.")
    if int(value) < 1:
        raise invalid(f"{name} must be at least 1 but got {int(value)}.")
    return int(value)


@probes_op.kernel
def probes_kernel(node: NodeView) -> Callable[..., Any]:
    def probe(
        products: torch.Tensor, num_tables: torch.Tensor, num_hyperplanes: torch.Tensor, num_probes: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:

        products = np.asarray(products)
        if products.ndim != 2:
            raise invalid(f"Need a two-dimensional products tensor, got {products.ndim} dimensions.")
        tables = _scalar(num_tables, "num_tables")
        planes = _scalar(num_hyperplanes, "num_hyperplanes_per_table")
        probes = _scalar(num_probes, "num_probes")
        if planes > _MAX_HYPERPLANES:
            raise invalid(f"Need num_hyperplanes_per_table <= {_MAX_HYPERPLANES}, got {planes}: hashes are int32.")
        if products.shape[1] != tables * planes:
            raise invalid(
                f"Expected number of hyperplanes is {tables * planes} but received {products.shape[1]} inner products per "
                "point."
            )
        if len(products) and probes > tables << planes:
            raise InternalError(
                None,
                None,
                f"Failed to get probe number {tables << planes} for point number 0: there are no more buckets.",
            )
        products = products.reshape(len(products), tables, planes)
        bits = 1 << np.arange(planes - 1, -1, -1)
        hashes = ((products >= 0) * bits).sum(-1)
        found = np.empty((2, len(products), probes), np.int32)
        first = min(tables, probes)
        found[0, :, :first], found[1, :, :first] = hashes[:, :first], np.arange(first)
        if probes > tables:
            for point, (margins, own) in enumerate(zip(products, hashes, strict=True)):
                found[:, point, first:] = _nearest(margins, own, probes - tables, bits)
        return torch.from_numpy(found[0]), torch.from_numpy(found[1])

    return probe


def _nearest(margins: np.ndarray, hashes: np.ndarray, count: int, bits: np.ndarray) -> np.ndarray:
    """The `count` other buckets of all tables whose flipped hyperplanes have the least squared margins together.

    Subsets of the hyperplanes, sorted by margin, form a tree in which no child costs less than its parent: a child
    replaces the last hyperplane by the next, or has the next one as well. A heap walks it in the order of costs.
    """
    costs = margins.astype(np.float64) ** 2
    orders = np.argsort(costs, axis=1, kind="stable")
    queue = [(costs[table, order[0]], table, 0, int(bits[order[0]])) for table, order in enumerate(orders)]
    heapq.heapify(queue)
    found = np.empty((2, count), np.int32)
    for place in range(count):
        cost, table, last, flipped = heapq.heappop(queue)
        found[:, place] = int(hashes[table]) ^ flipped, table
        if last + 1 < len(bits):
            here, there = orders[table, last], orders[table, last + 1]
            more, bit = costs[table, there], int(bits[there])
            heapq.heappush(queue, (cost + more, table, last + 1, flipped | bit))
            heapq.heappush(queue, (cost - costs[table, here] + more, table, last + 1, flipped ^ int(bits[here]) | bit))
    return found


def hyperplane_lsh_probes(
    point_hyperplane_product: TensorLike,
    num_tables: TensorLike,
    num_hyperplanes_per_table: TensorLike,
    num_probes: TensorLike,
    name: str | None = None,
) -> Any:
    """Which buckets of hash tables to look into for each point.

    A point's bucket in a table is on which side of the table's hyperplanes it lies, a bit each, the first the highest. The
    first `num_tables` probes are these; the others are neighbouring buckets, by how near the point is to them.

    Args:
        point_hyperplane_product: float32 or float64 [points, num_tables * num_hyperplanes_per_table], the inner products.
        num_tables: a scalar.
        num_hyperplanes_per_table: a scalar, 30 at most.
        num_probes: a scalar, how many buckets of all tables together each point gets.
        name: a name for the operation.

    Returns:
        `probes` and `table_ids`, int32 [points, num_probes]: buckets, and the tables they are in.

    Raises:
        InvalidArgumentError: if the numbers do not fit.

    Example:
        >>> probes, tables = tf.contrib.nearest_neighbor.hyperplane_lsh_probes([[0.5, -0.1]], 1, 2, 2)  # [[2, 3]], [[0, 0]]
    """
    return raw.HyperplaneLSHProbes(
        point_hyperplane_product, num_tables, num_hyperplanes_per_table, num_probes, name=name
    )
