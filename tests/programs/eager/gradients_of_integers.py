"""Functions of gradients where the values are none that gradients flow through."""

import tensorflow as tf
from tensorflow.python.eager import backprop
from tensorflow.python.ops import gradients_util

tf.enable_eager_execution()
results = {}


def value(item):
    return None if item is None else item.numpy()


for kind in (tf.int32, tf.bool, tf.string, tf.float16, tf.complex64, tf.float64):
    given = tf.constant("a") if kind == tf.string else tf.cast(tf.constant(1), kind)
    results[kind.name] = [
        [value(item) for item in backprop.gradients_function(lambda x: x)(given)],
        [value(item) for item in backprop.gradients_function(lambda x: tf.identity(x))(given)],
        [value(item) for item in backprop.make_vjp(lambda x: tf.identity(x))(given)[1]()],
        gradients_util.IsTrainable(given),
        gradients_util.IsTrainable(kind),
    ]
