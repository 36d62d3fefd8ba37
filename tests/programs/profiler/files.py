"""Reports of the profiler in files."""

import os
import tempfile

import tensorflow as tf

results = {}
path = os.path.join(tempfile.mkdtemp(), "report")
Builder = tf.profiler.ProfileOptionBuilder

x = tf.placeholder(tf.float32, [2, 6, 6, 3], name="x")
with tf.variable_scope("net"):
    h = tf.layers.conv2d(x, 4, 3, name="c1", activation=tf.nn.relu, kernel_initializer=tf.ones_initializer())
    y = tf.layers.dense(tf.layers.flatten(h), 5, name="fc", kernel_initializer=tf.zeros_initializer())


def written(command, builder):
    tf.profiler.profile(tf.get_default_graph(), cmd=command, options=builder.with_file_output(path).build())
    with open(path) as file:
        head, _, table = file.read().partition("Profile:\n")
    return [[line.split(":")[0] for line in head.split("\n")], table]


parameters = Builder.trainable_variables_parameter()
results["scopes"] = written("scope", Builder(parameters))
results["by name"] = written("scope", Builder(parameters).order_by("name").with_max_depth(2))
results["types"] = written("op", Builder(tf.profiler.ProfileOptionBuilder.float_operation()))
several = ["params", "occurrence", "float_ops", "input_shapes", "op_types"]
results["several"] = written("op", Builder().select(several).order_by("occurrence").with_min_occurrence(3))
results["several scopes"] = written("scope", Builder().select(several[:3]).with_max_depth(2).order_by("name"))
