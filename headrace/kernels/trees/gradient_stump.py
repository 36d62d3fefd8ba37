"""A small ensemble of `tf.contrib.boosted_trees` for the cases of ops."""

from __future__ import annotations

from headrace.messages import boosted_tree_protos


def serialized_gradient_stump() -> bytes:
    """A serialized ensemble of one finished tree with one split, at its root, and one that grows."""
    ensemble = boosted_tree_protos.DecisionTreeEnsembleConfig(tree_weights=[0.5, 1.0])
    nodes = ensemble.trees.add().nodes
    split = nodes.add().dense_float_binary_split
    split.threshold, split.left_id, split.right_id = 0.25, 1, 2
    nodes[0].node_metadata.gain = 2
    for value in (0.5, -1.5):
        nodes.add().leaf.vector.value.append(value)
    ensemble.trees.add().nodes.add().leaf.sparse_vector.SetInParent()
    ensemble.tree_metadata.add(num_tree_weight_updates=1, num_layers_grown=1, is_finalized=True)
    ensemble.tree_metadata.add(num_tree_weight_updates=1)
    growing = ensemble.growing_metadata
    growing.num_trees_attempted, growing.num_layers_attempted = 2, 2
    growing.used_handler_ids.append(1)
    serialized: bytes = ensemble.SerializeToString()
    return serialized
