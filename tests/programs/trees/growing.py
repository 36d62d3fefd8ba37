"""An ensemble of trees, op by op: a bias, layers of splits, pruning after them, predictions from where examples were."""

import numpy as np
import tensorflow as tf
from tensorflow.python.ops import gen_boosted_trees_ops as trees

results = {}
session = tf.Session()
handle = trees.boosted_trees_ensemble_resource_handle_op("", "ensemble")
features = [np.array([0, 1, 2, 3], np.int32), np.array([3, 0, 2, 1], np.int32)]
nowhere = np.zeros(4, np.int32), np.full(4, -1, np.int32)


def keep(when):
    results["%s: serialized" % when] = session.run(list(trees.boosted_trees_serialize_ensemble(handle)))
    results["%s: states" % when] = session.run(list(trees.boosted_trees_get_ensemble_states(handle)))
    results["%s: predictions" % when] = session.run(trees.boosted_trees_predict(handle, features, 1))


def grow(nodes, gains, thresholds, left, right, ids=(0,), mode=0, depth=2):
    def listed(values, dtype):
        return [np.array(value, dtype) for value in values]

    sides = [[np.reshape(np.array(value, np.float32), [-1, 1]) for value in side] for side in (left, right)]
    session.run(
        trees.boosted_trees_update_ensemble(
            handle,
            list(ids),
            listed(nodes, np.int32),
            listed(gains, np.float32),
            listed(thresholds, np.int32),
            sides[0],
            sides[1],
            depth,
            0.5,
            pruning_mode=mode,
        )
    )


def walk(where):
    return session.run(list(trees.boosted_trees_training_predict(handle, where[0], where[1], features, 1)))


session.run(trees.boosted_trees_create_ensemble(handle, 3, b""))
keep("empty")
results["empty: walk"] = walk(nowhere)
for mean in (1.0, 0.1, 0.001):
    moved = trees.boosted_trees_center_bias(handle, [[mean]], [[2.0]], 0.0, 0.0)
    results["bias %s" % mean] = session.run(moved)
keep("bias")
grow([[0], [0]], [[1.5], [1.0]], [[1], [2]], [[0.3], [0.4]], [[-0.4], [0.2]], ids=(0, 1))
keep("first layer")
places = walk(nowhere)
results["first layer: walk"] = places
grow([[1, 2]], [[-1.5, 0.0]], [[1, 0]], [[0.3, 0.1]], [[-0.4, 0.2]], mode=1)
keep("second layer")
results["second layer: walk"] = walk(places[1:])
results["paths"] = session.run(trees.boosted_trees_example_debug_outputs(handle, features, 1))
grow([[]], [[]], [[]], [[]], [[]])
keep("no split")
# Of equal gains that of the feature with the lower number wins.
grow([[0], [0]], [[1.0], [1.0]], [[1], [0]], [[0.3], [0.5]], [[-0.4], [0.1]], ids=(1, 0), mode=2)
keep("third layer")
places = walk(nowhere)
grow([[1, 2], []], [[-1.0, 2.0], []], [[1, 1], []], [[0.3, 0.7], []], [[-0.4, 0.6], []], ids=(0, 1), mode=2)
keep("pruned")
results["pruned: walk"] = walk(places[1:])
grow([[0]], [[-1.0]], [[1]], [[0.3]], [[0.7]], mode=2, depth=1)
keep("pruned to the root")
grow([[0]], [[-1.0]], [[1]], [[0.3]], [[0.7]], mode=0, depth=1)
keep("kept")

# However small the first bias is, it has to be moved further.
handle = trees.boosted_trees_ensemble_resource_handle_op(container="", shared_name="small")
session.run(trees.boosted_trees_create_ensemble(handle, 0, b""))
for mean in (0.0001, 0.0002, 0.0000001):
    moved = trees.boosted_trees_center_bias(handle, [[mean]], [[2.0]], 0.0, 9.0)
    results["small bias %s" % mean] = session.run(moved)
keep("small bias")
