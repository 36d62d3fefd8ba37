"""A small ensemble for the cases of ops."""

from __future__ import annotations

from headrace.messages import protos


def serialized_stump() -> bytes:
    """A serialized ensemble of one tree with one split, at its root."""
    ensemble = protos.TreeEnsemble(tree_weights=[1.0])
    nodes = ensemble.trees.add().nodes
    nodes.add().bucketized_split.CopyFrom(protos.BucketizedSplit(feature_id=0, threshold=1, left_id=1, right_id=2))
    nodes[0].metadata.gain = 2
    nodes[0].metadata.original_leaf.scalar = 0.25
    for value in (0.5, -1.5):
        nodes.add().leaf.scalar = value
    ensemble.tree_metadata.add(num_layers_grown=1, is_finalized=True)
    ensemble.growing_metadata.CopyFrom(protos.GrowingMetadata(num_trees_attempted=1, num_layers_attempted=1))
    serialized: bytes = ensemble.SerializeToString()
    return serialized
