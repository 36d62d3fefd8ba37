"""What hooks that end training early add to a graph."""

import tempfile

import tensorflow as tf

results = {}


def model_fn(features, labels, mode):
    return None


config = tf.estimator.RunConfig(tempfile.mkdtemp())
estimator = tf.estimator.Estimator(model_fn, config=config)
with tf.Graph().as_default() as graph:
    tf.train.create_global_step()
    for hook in (
        tf.estimator.experimental.make_early_stopping_hook(estimator, lambda: True, None, 3),
        tf.estimator.experimental.stop_if_no_decrease_hook(
            estimator, "loss", 10, run_every_secs=None, run_every_steps=5
        ),
    ):
        hook.begin()
        results[type(hook).__name__ + str(len(results))] = [[op.type, op.name] for op in graph.get_operations()]
    results["variables"] = [[variable.name, str(variable.dtype)] for variable in tf.global_variables()]
    results["collections"] = sorted(str(key) for key in graph.get_all_collection_keys())
