"""Concrete functions that are attributes of saved objects, and functions that use what is not saved with them."""

import os
import tempfile

import tensorflow as tf
from tensorflow.python.training.tracking.tracking import AutoTrackable

tf.enable_eager_execution()
saved_model = tf.compat.v2.saved_model
results = {}
scalar = tf.TensorSpec([], tf.float32)


def loaded(item, times=1):
    for _ in range(times):
        path = os.path.join(tempfile.mkdtemp(), "saved")
        saved_model.save(item, path)
        item = saved_model.load(path)
    return item


def outcome(function):
    try:
        return function().numpy()
    except (AssertionError, TypeError, ValueError, tf.errors.OpError) as error:
        return type(error).__name__


root = AutoTrackable()
root.minus = tf.function(lambda x, y: x - y).get_concrete_function(scalar, scalar)
three, one = tf.constant(3.0), tf.constant(1.0)
for times in (1, 2):
    minus = loaded(root, times).minus
    results["calls", times] = [
        outcome(call)
        for call in (
            lambda: minus(three, one),
            lambda: minus(three, y=one),
            lambda: minus(x=three, y=one),
            lambda: minus(y=three, x=one),
            lambda: minus(three),
            lambda: minus(x=one, z=one),
            lambda: minus(x=3.0, y=1.0),
            lambda: minus(tf.constant(3), tf.constant(1)),
        )
    ]
    results["takes", times] = [tensor.dtype.name for tensor in minus.inputs]
results = {str(key): value for key, value in results.items()}

root = AutoTrackable()
table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2]), -1)
root.look_up = tf.function(lambda x: table.lookup(x), input_signature=[tf.TensorSpec([None], tf.string)])
results["a table that is not saved"] = outcome(lambda: loaded(root))
