"""Datasets of files: the operations they make, which decide the seeds of what is made after them."""

import tensorflow as tf

results = {}
for name, make in [
    ("records", lambda: tf.data.TFRecordDataset(["a", "b"], buffer_size=100)),
    ("lines", lambda: tf.data.TextLineDataset("a")),
    ("fixed", lambda: tf.data.FixedLengthRecordDataset(["a"], 10, header_bytes=2)),
]:
    with tf.Graph().as_default() as graph:
        tf.set_random_seed(3)
        make()
        tf.random_uniform([2])
        results[name] = [[op.name, op.type] for op in graph.get_operations()]
        results[name + " seed"] = (
            graph.get_operations()[-1].graph.get_operation_by_name("random_uniform/RandomUniform").get_attr("seed2")
        )
