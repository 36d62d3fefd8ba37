"""Every initializer: its configuration, the operations it makes, the values it gives for a seed."""

import numpy as np
import tensorflow as tf

results = {}
inits = tf.initializers
MADE = [
    ("zeros", inits.zeros()),
    ("ones", inits.ones()),
    ("constant", inits.constant(3.0)),
    ("filled", inits.constant([1.0, 2.0, 3.0])),
    ("array", inits.constant(np.arange(12.0))),
    ("uniform", inits.random_uniform(-1, 1, seed=3)),
    ("normal", inits.random_normal(1.0, 2.0, seed=3)),
    ("truncated", inits.truncated_normal(stddev=0.1, seed=4)),
    ("unit", inits.uniform_unit_scaling(seed=1)),
    ("scaled", inits.variance_scaling(2.0, "fan_out", "uniform", seed=1)),
    ("untruncated", inits.variance_scaling(2.0, "fan_avg", "untruncated_normal", seed=1)),
    ("glorot_uniform", inits.glorot_uniform(seed=1)),
    ("glorot_normal", inits.glorot_normal(seed=2)),
    ("he_normal", inits.he_normal(seed=1)),
    ("he_uniform", inits.he_uniform(seed=1)),
    ("lecun_normal", inits.lecun_normal(seed=1)),
    ("lecun_uniform", inits.lecun_uniform(seed=1)),
    ("orthogonal", inits.orthogonal(gain=1.5, seed=1)),
    ("identity", inits.identity(gain=2.0)),
]
configs = results.setdefault("configs", {})
for name, made in MADE:
    config = made.get_config()
    config = {key: value.tolist() if hasattr(value, "tolist") else value for key, value in config.items()}
    again = type(made).from_config(made.get_config())
    configs[name] = [config, type(made).__name__, again.get_config().keys() == made.get_config().keys()]
    tf.get_variable(name, [4, 3], initializer=made)
layers = tf.contrib.layers
tf.get_variable("kernel", [3, 3, 2, 8], initializer=layers.xavier_initializer(seed=5))
tf.get_variable("kernel2", [3, 3, 2, 8], initializer=layers.xavier_initializer_conv2d(uniform=False, seed=5))
tf.get_variable("kernel3", [3, 3, 2, 8], initializer=layers.variance_scaling_initializer(seed=5))
tf.get_variable("kernel4", [3, 3, 2, 8], initializer=tf.glorot_normal_initializer(seed=5))
tf.get_variable("kernel5", [3, 3, 2, 8], initializer=tf.orthogonal_initializer(seed=3))
tf.get_variable("vector", [3], initializer=tf.uniform_unit_scaling_initializer(seed=5))
tf.get_variable("texts", [2], tf.string)
tf.get_variable("ints", [2], tf.int32)
tf.get_variable("bools", [2], tf.bool)
tf.get_variable("ints2", [3], tf.int32, initializer=tf.random_uniform_initializer(2, 20, seed=1))
tf.get_variable("double", [3], tf.float64, initializer=tf.random_normal_initializer(seed=1))
tf.get_variable(
    "parts",
    [6, 4],
    partitioner=tf.fixed_size_partitioner(2),
    initializer=tf.variance_scaling_initializer(seed=9, distribution="uniform"),
)
tf.get_variable("eye", [6, 4], partitioner=tf.fixed_size_partitioner(2), initializer=inits.identity())
tf.get_variable("by_name", [2, 2], initializer=tf.zeros_initializer)
tf.set_random_seed(7)
tf.get_variable("graph_seed", [5])
results["ops"] = [
    "%s %s %s" % (o.name, o.type, [t.name for t in o.inputs]) for o in tf.get_default_graph().get_operations()
]
refused = results.setdefault("refused", [])
for action in (
    lambda: tf.constant_initializer(np.arange(7.0))([2, 3]),
    lambda: tf.constant_initializer([1.0], verify_shape=True)([2]),
    lambda: tf.constant_initializer({}),
    lambda: tf.variance_scaling_initializer(scale=-1.0),
    lambda: tf.variance_scaling_initializer(mode="fan"),
    lambda: tf.variance_scaling_initializer(distribution="x"),
    lambda: tf.random_normal_initializer(dtype=tf.int32),
    lambda: inits.identity()([2]),
    lambda: layers.variance_scaling_initializer(mode="fan"),
):
    try:
        action()
        refused.append("nothing")
    except (ValueError, TypeError) as error:
        refused.append(type(error).__name__ + " " + str(error.args[0])[:12])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    results["values"] = {v.op.name: sess.run(v) for v in tf.global_variables()}
