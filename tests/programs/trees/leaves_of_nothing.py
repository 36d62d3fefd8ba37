"""A split of a leaf that says nothing: the root forgets such a leaf, other nodes keep it."""

import numpy as np
import tensorflow as tf
from tensorflow.python.ops import gen_boosted_trees_ops as trees

results = {}
session = tf.Session()
handle = trees.boosted_trees_ensemble_resource_handle_op("", "ensemble")


def grow(nodes, left, right, mode=0):
    count = len(nodes)
    sides = [np.reshape(np.array(side, np.float32), [-1, 1]) for side in (left, right)]
    session.run(
        trees.boosted_trees_update_ensemble(
            handle,
            [0],
            [np.array(nodes, np.int32)],
            [np.ones(count, np.float32)],
            [np.zeros(count, np.int32)],
            [sides[0]],
            [sides[1]],
            3,
            1.0,
            pruning_mode=mode,
        )
    )


session.run(trees.boosted_trees_create_ensemble(handle, 0, b""))
grow([0], [0.0], [0.5])
results["root"] = session.run(list(trees.boosted_trees_serialize_ensemble(handle)))
grow([1, 2], [0.25, 0.0], [-0.25, 0.0])
results["leaves"] = session.run(list(trees.boosted_trees_serialize_ensemble(handle)))
