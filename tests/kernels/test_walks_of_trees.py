"""Examples come to the leaves that a tree's splits lead to: by masks, in the native runner, and step by step."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from headrace.kernels.trees.traversal import FeatureTable, PackedTree
from headrace.messages import protos
from headrace.native import loading


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


def followed(nodes, at, features):
    """The leaf below a node that an example with these features comes to."""
    while nodes[at].HasField("bucketized_split"):
        split = nodes[at].bucketized_split
        at = split.right_id if features[split.feature_id] > split.threshold else split.left_id
    return at


@pytest.mark.parametrize("without_runner", [False, True])
@pytest.mark.parametrize("rows", [1, 200])
@pytest.mark.parametrize("depth", [1, 4, 9])
def test_examples_come_to_their_leaves(rows, depth, without_runner, monkeypatch):
    if without_runner:
        monkeypatch.setattr(loading, "why_not", lambda: "a test wants the walk in Python")
    state = np.random.RandomState(depth)
    values = state.randint(0, 8, (rows, 6)).astype(np.int32)
    table = FeatureTable([torch.from_numpy(column.copy()) for column in values.T])
    nodes = grown(depth, state)
    tree = PackedTree(nodes, 1)
    expected = [followed(nodes, 0, row) for row in values]
    assert table.leaves(tree).tolist() == expected
    assert table.walk(tree, torch.zeros(rows, dtype=torch.int64)).tolist() == expected
    assert tree.masks.leaves(table.above, rows).tolist() == expected
    begun = state.randint(0, len(nodes), rows)
    on = [followed(nodes, at, row) for at, row in zip(begun, values)]
    assert table.walk(tree, torch.from_numpy(begun)).tolist() == on
    some = np.flatnonzero(state.rand(rows) < 0.5)
    walked = table.walk(tree, torch.from_numpy(begun[some]), torch.from_numpy(some))
    assert walked.tolist() == [on[row] for row in some]


@pytest.mark.parametrize("without_runner", [False, True])
@pytest.mark.parametrize("has_missing", [False, True])
def test_what_all_trees_say_is_added(without_runner, has_missing, monkeypatch):
    if without_runner:
        monkeypatch.setattr(loading, "why_not", lambda: "a test wants the sums in Python")
    state = np.random.RandomState(5)
    values = state.randint(-1 if has_missing else 0, 8, (700, 6)).astype(np.int32)
    table = FeatureTable([torch.from_numpy(column.copy()) for column in values.T])
    forest = [grown(depth, state) for depth in (3, 1, 6)]
    weights = [0.25, 1.0, 0.7]
    total = torch.full((700, 1), 2.0)
    leaves = table.add_all([PackedTree(nodes, 1) for nodes in forest], weights, total)
    ends = [[followed(nodes, 0, row) for nodes in forest] for row in values]
    said = [sum(w * forest[i][at].leaf.scalar for i, (w, at) in enumerate(zip(weights, way))) for way in ends]
    np.testing.assert_allclose(total[:, 0], 2 + np.array(said), rtol=1e-6)
    assert leaves.tolist() == [way[-1] for way in ends]


def test_few_splits_of_many_rows_pay():
    state = np.random.RandomState(0)
    assert PackedTree(grown(3, state), 1).masks.pay_for(10_000)
    assert not PackedTree(grown(17, state), 1).masks.pay_for(10_000)
