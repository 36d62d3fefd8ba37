"""The rewrites of patterns to single fused ops, in the order they are applied."""

from __future__ import annotations

import operator
from collections.abc import Callable

from headrace.plan.ir import Node, Value, regions
from headrace.plan.rewrites.averages import SUBTRACTIONS, separate_averages
from headrace.plan.rewrites.bias import fuse_bias
from headrace.plan.rewrites.buckets import HASHES, fuse_buckets
from headrace.plan.rewrites.counts import fuse_counts
from headrace.plan.rewrites.dropout import fuse_dropout
from headrace.plan.rewrites.joined_gradients import fuse_joined_gradients
from headrace.plan.rewrites.logistic_losses import fuse_logistic_losses
from headrace.plan.rewrites.loop_shapes import fuse_loop_shapes
from headrace.plan.rewrites.lstm import fuse_lstm
from headrace.plan.rewrites.packed_convolutions import pack_convolutions
from headrace.plan.rewrites.partial_products import fuse_partial_products
from headrace.plan.rewrites.pieces import fuse_pieces
from headrace.plan.rewrites.pooled_relus import fuse_pooled_relus, fuse_pooled_sums
from headrace.plan.rewrites.pooling import fuse_pooling
from headrace.plan.rewrites.products import fuse_products
from headrace.plan.rewrites.row_sums import fuse_row_sums
from headrace.plan.rewrites.shape_arithmetic import fuse_sizes
from headrace.plan.rewrites.shared_images import share_images
from headrace.plan.rewrites.sparse_gradients import fuse_sparse_gradients
from headrace.plan.rewrites.sparse_shapes import drop_sparse_reshapes
from headrace.plan.rewrites.unbroadcast import fuse_unbroadcast
from headrace.plan.rewrites.updates import UPDATES, fuse_updates

# Takes the nodes in topological order, those that must stay, and the fetched values; returns the new nodes and what
# stands for values that are no more.
Rewrite = Callable[[list[Node], set[Node], list[Value]], tuple[list[Node], dict[Value, Value]]]

# Each with groups of op types: it has nothing to do where no op of one of the groups is there.
_PRODUCTS = frozenset({"MatMul", "Conv2D", "Conv3D", "DepthwiseConv2dNative"})
REWRITES: tuple[tuple[Rewrite, tuple[frozenset[str], ...]], ...] = (
    (fuse_loop_shapes, (frozenset({"StackV2", "Stack"}), frozenset({"BroadcastGradientArgs"}))),
    (fuse_unbroadcast, (frozenset({"BroadcastGradientArgs"}),)),
    (fuse_counts, (frozenset({"Tile", "RealDiv", "Fill"}), frozenset({"Shape", "Prod"}))),
    (fuse_sparse_gradients, (frozenset({"Size", "UnsortedSegmentSum"}),)),
    (fuse_pieces, (frozenset({"ConcatOffset"}),)),
    (fuse_logistic_losses, (frozenset({"Log1p"}), frozenset({"Exp"}), frozenset({"Select"}))),
    (fuse_joined_gradients, (frozenset({"AddN"}), frozenset({"Pad", "StridedSliceGrad"}))),
    (fuse_dropout, (frozenset({"RandomUniform"}), frozenset({"GreaterEqual"}), frozenset({"Cast"}))),
    (fuse_row_sums, (frozenset({"Add", "AddV2"}), frozenset({"Unpack", "StridedSlice"}))),
    (pack_convolutions, (_PRODUCTS,)),
    (share_images, (frozenset({"_PackedConv2D"}),)),
    (fuse_bias, (_PRODUCTS, frozenset({"Add", "AddV2", "BiasAdd"}))),
    (fuse_products, (frozenset({"AddN"}),)),
    (fuse_lstm, (frozenset({"Split", "ConcatV2"}), frozenset({"Sigmoid", "SigmoidGrad"}))),
    (fuse_partial_products, (frozenset({"MatMul"}),)),
    (fuse_pooled_relus, (frozenset({"MaxPool"}),)),
    (fuse_pooled_sums, (frozenset({"MaxPoolGrad"}),)),
    (fuse_pooling, (frozenset({"MaxPoolGrad"}),)),
    (fuse_buckets, (HASHES, frozenset({"SelectV2"}), frozenset({"NotEqual"}))),
    (fuse_sizes, (frozenset({"Shape", "Size", "Slice", "StridedSlice"}),)),
    (drop_sparse_reshapes, (frozenset({"SparseReshape"}),)),
    (fuse_updates, (frozenset(UPDATES),)),
    (separate_averages, (SUBTRACTIONS,)),
)


def apply_rewrites(
    nodes: list[Node], fetched: list[Value], keep: set[Node], after: Callable[[list[Node], list[Value]], list[Node]]
) -> tuple[list[Node], list[Value]]:
    """Applies all rewrites.

    Args:
        nodes: the nodes in topological order.
        fetched: the values that are wanted.
        keep: nodes that must stay.
        after: called with the nodes and fetched values when a rewrite has found its pattern; returns the nodes left.
    """
    types = _types(nodes)
    for rewrite, groups in REWRITES:
        if any(types.isdisjoint(group) for group in groups):
            continue
        nodes, fetched, changed = apply_rewrite(rewrite, nodes, fetched, keep)
        if changed:
            nodes = after(nodes, fetched)
            types = _types(nodes)
    return nodes, fetched


def _types(nodes: list[Node]) -> set[str]:
    """The op types of the nodes, those inside loops too."""
    types = {node.decl.type for node in nodes}
    for _, region in regions(nodes):
        types |= _types(region.nodes)
    return types


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
