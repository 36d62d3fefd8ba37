"""Layers that are not told whether they train go by a placeholder of the graph, False unless it is fed."""

import numpy as np
import tensorflow as tf

results = {}

rows = tf.placeholder(tf.float32, [4, 3], name="rows")
images = tf.placeholder(tf.float32, [2, 3, 3, 2], name="images")
normal = tf.layers.batch_normalization(rows, training=None, momentum=0.5, name="rows_norm")
fused = tf.layers.batch_normalization(images, training=None, momentum=0.5, name="images_norm")
kept = tf.layers.dropout(rows, 0.5, training=None, seed=3, name="kept")
plain = tf.layers.batch_normalization(rows, name="plain")
updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
results["updates"] = [update.name for update in updates]
results["ops"] = [op.name for op in tf.get_default_graph().get_operations() if "Initializer" not in op.name]

phase = tf.get_default_graph().get_tensor_by_name("keras_learning_phase:0")
results["phase"] = [str(phase.dtype), str(phase.shape), phase.op.type]
values = np.arange(12, dtype=np.float32).reshape(4, 3) ** 1.5
pictures = np.cos(np.arange(36, dtype=np.float32)).reshape(2, 3, 3, 2)
averages = [v for v in tf.global_variables() if "moving" in v.name]
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for training in (False, True, False):
        feed = {rows: values, images: pictures, phase: training}
        key = "%d" % len(results)
        results[key + " rows"], results[key + " images"] = sess.run([normal, fused], feed)
        results[key + " plain"] = sess.run(plain, feed)
        results[key + " zeros"] = bool((sess.run(kept, feed) == 0).sum() > 1)
        sess.run(updates, feed)
        results[key + " averages"] = sess.run(averages)
    results["not fed"] = sess.run(normal, {rows: values})

with tf.Graph().as_default(), tf.name_scope("outer"):
    first = tf.layers.dropout(tf.ones([2]), training=None)
    with tf.control_dependencies([first]):
        tf.cond(tf.constant(True), lambda: tf.layers.dropout(first, training=None), lambda: first)
    results["scoped"] = [op.name for op in tf.get_default_graph().get_operations()]
