"""The pass that rewrites patterns of ops to single fused ones."""

from __future__ import annotations

from headrace.plan.ir import Node, Value
from headrace.plan.rewrites.bias import fuse_bias
from headrace.plan.rewrites.pooling import fuse_pooling
from headrace.plan.rewrites.row_sums import fuse_row_sums
from headrace.plan.rewrites.unbroadcast import fuse_unbroadcast
from headrace.plan.rewrites.updates import fuse_updates

_REWRITES = (fuse_unbroadcast, fuse_row_sums, fuse_bias, fuse_pooling, fuse_updates)


def fuse(nodes: list[Node], fetched: list[Value], keep: set[Node]) -> tuple[list[Node], list[Value]]:
    """Applies every rewrite in turn.

    A rewrite takes the nodes in topological order, those that must stay, and the fetched values; it returns the new nodes
    and what stands for values that are no more.
    """
    for rewrite in _REWRITES:
        nodes, replaced = rewrite(nodes, keep, fetched)
        if replaced:
            for node in nodes:
                inputs = node.inputs
                for i, value in enumerate(inputs):
                    new = replaced.get(value)
                    if new is not None:
                        inputs[i] = new
            fetched = [replaced.get(value, value) for value in fetched]
    return nodes, fetched
