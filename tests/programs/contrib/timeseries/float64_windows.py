"""Windows of float64 values: the operations before the network's initializers, whose seeds count them."""

import tempfile

import numpy as np
import tensorflow as tf

results = {}
times = np.arange(36).reshape(3, 12)
values = np.sin(times / 3.0)[..., np.newaxis]


def windows():
    return {"times": tf.constant(times, tf.int64), "values": tf.constant(values, tf.float64)}, {}


class Watching(tf.train.SessionRunHook):
    def after_create_session(self, session, coord):
        names = [[op.type, op.name] for op in session.graph.get_operations()]
        first = next(i for i, (_, name) in enumerate(names) if "predicted_mean/kernel" in name)
        results["operations"] = names[:first]


series = tf.contrib.timeseries
for name, settings in (
    ("likelihood", dict(periodicities=7, loss=series.ARModel.NORMAL_LIKELIHOOD_LOSS)),
    ("squares", dict(periodicities=[7, 3], num_time_buckets=2, hidden_layer_sizes=[3], loss="squared_loss")),
):
    estimator = series.ARRegressor(
        input_window_size=8,
        output_window_size=4,
        num_features=1,
        config=tf.estimator.RunConfig(tempfile.mkdtemp(), tf_random_seed=3),
        **settings,
    )
    estimator.train(windows, steps=2, hooks=[Watching()] if name == "likelihood" else None)
    for variable in estimator.get_variable_names():
        results["%s/%s" % (name, variable)] = estimator.get_variable_value(variable)
