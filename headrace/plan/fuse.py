"""The rewrites of patterns to single fused ops, in the order they are applied."""

from __future__ import annotations

import operator
from collections.abc import Callable

from headrace.plan.ir import Node, Value, regions
from headrace.plan.rewrites.bias import fuse_bias
from headrace.plan.rewrites.counts import fuse_counts
from headrace.plan.rewrites.lstm import fuse_lstm
from headrace.plan.rewrites.packed_convolutions import pack_convolutions
from headrace.plan.rewrites.partial_products import fuse_partial_products
from headrace.plan.rewrites.pooled_relus import fuse_pooled_relus, fuse_pooled_sums
from headrace.plan.rewrites.pooling import fuse_pooling
from headrace.plan.rewrites.products import fuse_products
from headrace.plan.rewrites.row_sums import fuse_row_sums
from headrace.plan.rewrites.unbroadcast import fuse_unbroadcast
from headrace.plan.rewrites.updates import fuse_updates

# Takes the nodes in topological order, those that must stay, and the fetched values; returns the new nodes and what
# stands for values that are no more.
Rewrite = Callable[[list[Node], set[Node], list[Value]], tuple[list[Node], dict[Value, Value]]]

REWRITES: tuple[Rewrite, ...] = (
    fuse_unbroadcast,
    fuse_counts,
    fuse_row_sums,
    pack_convolutions,
    fuse_bias,
    fuse_products,
    fuse_lstm,
    fuse_partial_products,
    fuse_pooled_relus,
    fuse_pooled_sums,
    fuse_pooling,
    fuse_updates,
)


def apply_rewrite(
    rewrite: Rewrite, nodes: list[Node], fetched: list[Value], keep: set[Node]
) -> tuple[list[Node], list[Value], bool]:
    """Applies one rewrite; returns the nodes and the fetched values after it, and whether it found its pattern."""
    inside = False
    for _, region in regions(nodes):
        region.nodes, results, found = apply_rewrite(rewrite, region.nodes, region.results, set(region.waits))
        region.take_results(results)
        inside = inside or found
    before = nodes
    nodes, replaced = rewrite(nodes, keep, fetched)
    changed = bool(replaced) or len(nodes) != len(before) or any(map(operator.is_not, nodes, before))
    if replaced:
        for node in nodes:
            inputs = node.inputs
            for i, value in enumerate(inputs):
                new = replaced.get(value)
                if new is not None:
                    inputs[i] = new
        fetched = [replaced.get(value, value) for value in fetched]
    return nodes, fetched, changed or inside
