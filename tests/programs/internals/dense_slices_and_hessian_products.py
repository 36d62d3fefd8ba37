"""What programs take from TensorFlow's own modules: slices of dense gradients, Hessian products, bare variables."""

import os
import tempfile

import numpy as np
import tensorflow as tf
from tensorflow.python.framework import dtypes, ops
from tensorflow.python.lib.io import file_io
from tensorflow.python.ops import embedding_ops, gradients_impl, math_ops, nn_impl, state_ops

results = {}

with tf.Graph().as_default(), tf.Session() as sess:
    slices = math_ops._as_indexed_slices(tf.constant([[1.0], [2.0]]))
    x = tf.constant([1.0, 2.0])
    products = gradients_impl._hessian_vector_product(tf.reduce_sum(x * x * x), [x], [tf.constant([1.0, -1.0])])
    tables = [tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.constant([[5.0, 6.0]])]
    sums = embedding_ops._embedding_lookup_and_transform(
        tables, [[0, 1], [2, 0]], transform_fn=lambda rows: tf.reduce_sum(rows, 1, keepdims=True)
    )
    logits, _ = nn_impl._compute_sampled_logits(
        tf.ones([5, 3]),
        tf.zeros([5]),
        tf.constant([[1], [2]]),
        tf.ones([2, 3]),
        2,
        5,
        sampled_values=(tf.constant([0, 1], tf.int64), tf.constant([[0.5], [0.5]]), tf.constant([0.2, 0.3])),
        subtract_log_q=False,
    )
    variable = state_ops.variable_op([2], dtypes.float32, name="bare")
    start = state_ops.init_variable(variable, tf.ones_initializer())
    results["values"] = [np.asarray(v) for v in sess.run([slices.indices, products[0], sums, logits, start])]
    results["names"] = [op.name for op in tf.get_default_graph().get_operations()]
    results["input types"] = [t.name for t in start.op._input_types]

with tf.Graph().as_default() as graph:
    op = ops.Operation(ops._NodeDef("NoOp", "mine"), graph, [], [])
    results["by hand"] = [op.name, op.type, graph.get_operation_by_name("mine") is op]
    try:
        ops.Operation(ops._NodeDef("NoOp", "-no"), graph, [], [])
    except ValueError as e:
        results["bad name"] = str(e)
    total = tf.add(1, 2)
    try:
        total.op._update_input(5, total)
    except tf.errors.OutOfRangeError as e:
        results["no such input"] = e.message

folder = tempfile.mkdtemp()
one, two = os.path.join(folder, "one"), os.path.join(folder, "two")
file_io.write_string_to_file(one, "hello")
file_io.write_string_to_file(two, "hellp")
results["files"] = [file_io.filecmp(one, one), file_io.filecmp(one, two), file_io.file_crc32(one, block_size=2)]
