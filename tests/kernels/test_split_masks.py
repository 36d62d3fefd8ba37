"""Walks of trees by masks come to the leaves that walks step by step come to."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from headrace.kernels.trees.traversal import FeatureTable, PackedTree
from headrace.messages import protos


def grown(depth, state):
    nodes = [protos.Node()]

    def grow(at, left):
        node = nodes[at]
        if at and (not left or state.rand() < 0.2):
            node.leaf.scalar = state.rand()
            return
        below = len(nodes)
        nodes.extend([protos.Node(), protos.Node()])
        split = node.bucketized_split
        split.feature_id, split.threshold = state.randint(6), state.randint(8)
        split.left_id, split.right_id, split.default_direction = below, below + 1, 1
        grow(below, left - 1)
        grow(below + 1, left - 1)

    grow(0, depth)
    return nodes


@pytest.mark.parametrize("rows", [1, 200])
@pytest.mark.parametrize("depth", [1, 4, 9])
def test_masks_come_to_the_same_leaves(rows, depth):
    state = np.random.RandomState(depth)
    table = FeatureTable([torch.from_numpy(state.randint(0, 8, rows).astype(np.int32)) for _ in range(6)])
    tree = PackedTree(grown(depth, state), 1)
    walked = table.walk(tree, torch.zeros(rows, dtype=torch.int64))
    assert tree.masks.leaves(table.above, rows).tolist() == walked.tolist()
    assert table.leaves(tree).tolist() == walked.tolist()


def test_few_splits_of_many_rows_pay():
    state = np.random.RandomState(0)
    assert PackedTree(grown(3, state), 1).masks.pay_for(10_000)
    assert not PackedTree(grown(17, state), 1).masks.pay_for(10_000)
