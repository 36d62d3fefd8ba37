"""The operations that the random functions make, with their names, inputs, seeds and static shapes."""

import numpy as np
import tensorflow as tf

results = {}


def fed(dtype, shape):
    return tf.placeholder(dtype, shape)


makers = {
    "uniform": lambda: tf.random_uniform([2, 3], -1.0, 2.0),
    "uniform int": lambda: tf.random_uniform((2, 3), maxval=5, dtype=tf.int32, name="u"),
    "uniform, shape unknown": lambda: tf.random_uniform(fed(tf.int32, [None])),
    "uniform, shape of": lambda: tf.random_uniform(tf.shape(fed(tf.float32, [None, 2]))),
    "uniform, shape packed": lambda: tf.random_uniform([tf.shape(fed(tf.float32, [None]))[0], 4]),
    "uniform, dimensions": lambda: tf.random_uniform(fed(tf.float32, [2, 3]).get_shape()),
    "normal": lambda: tf.random_normal([2]),
    "truncated": lambda: tf.truncated_normal([2], stddev=0.1, seed=4),
    "shuffle": lambda: tf.random_shuffle(np.arange(4)),
    "crop": lambda: tf.random_crop(np.zeros([4, 5, 3], np.float32), [2, 2, 3]),
    "crop, size unknown": lambda: tf.random_crop(fed(tf.float32, [None, None, 3]), [2, 2, 3], seed=3),
    "multinomial": lambda: tf.multinomial([[1.0, 2.0]], 3),
    "categorical": lambda: tf.random.categorical(tf.log([[1.0, 2.0]]), 3, dtype=tf.int32),
    "gamma": lambda: tf.random_gamma([3], [1.0, 2.0], beta=2.0),
    "poisson": lambda: tf.random_poisson([1.0, 2.0], [3]),
    "stateless uniform": lambda: tf.random.stateless_uniform([3], [1, 2], minval=1.0),
    "stateless uniform int": lambda: tf.random.stateless_uniform([3], [1, 2], 1, 9, tf.int32),
    "stateless normal": lambda: tf.random.stateless_normal([3], [1, 2]),
    "stateless truncated": lambda: tf.random.stateless_truncated_normal([3], [1, 2]),
    "stateless multinomial": lambda: tf.random.stateless_multinomial([[1.0, 2.0]], 3, [1, 2]),
    "stateless categorical": lambda: tf.random.stateless_categorical([[1.0, 2.0]], 3, [1, 2]),
}
for kind, make in makers.items():
    with tf.Graph().as_default() as graph:
        tf.set_random_seed(7)
        made = make()
        results[kind] = [
            [op.name, op.type, [t.name for t in op.inputs], [c.name for c in op.control_inputs]]
            for op in graph.get_operations()
        ]
        results[kind + ", seeds"] = [
            [op.get_attr("seed"), op.get_attr("seed2")] for op in graph.get_operations() if "seed2" in op.node_def.attr
        ]
        results[kind + ", static"] = [made.name, str(made.get_shape()), made.dtype.name]
