"""Functions frozen, shape functions of operations, loops over numbers, and other helpers by their internal names."""

import os
import tempfile

import numpy as np
import tensorflow as tf
from tensorflow.core.protobuf import control_flow_pb2
from tensorflow.python.feature_column import feature_column_v2, utils
from tensorflow.python.framework import common_shapes
from tensorflow.python.ops import clustering_ops, control_flow_ops, init_ops_v2, sparse_ops
from tensorflow.python.ops.parallel_for import control_flow_ops as parallel_for

results = {}
FOLDER = tempfile.mkdtemp()


def failure(function, *args, **kwargs):
    try:
        return function(*args, **kwargs)
    except Exception as error:
        return type(error).__name__


def shapes(function, op):
    try:
        return [str(shape) for shape in function(op)]
    except ValueError:
        return "ValueError"


# ---- shape functions ----
for dims in [[2, 3], None, [None, 3], []]:
    op = tf.identity(tf.placeholder(tf.float32, dims)).op
    results[f"unchanged {dims}"] = shapes(common_shapes.unchanged_shape, op)
    for rank in range(4):
        results[f"rank {rank} {dims}"] = [
            shapes(function(rank), op)
            for function in (
                common_shapes.unchanged_shape_with_rank,
                common_shapes.unchanged_shape_with_rank_at_least,
                common_shapes.unchanged_shape_with_rank_at_most,
            )
        ]
results["scalar"] = shapes(common_shapes.scalar_shape, op)
results["nothing"] = common_shapes.no_outputs(op)
for first, second, transposed in [([2, 3], [3, 4], False), ([3, 2], [3, None], True), (None, [3, 4], False)]:
    product = tf.matmul(tf.placeholder(tf.float32, first), tf.placeholder(tf.float32, second), transpose_a=transposed)
    if first is not None:
        results[f"matmul {first} {second}"] = shapes(common_shapes.matmul_shape, product.op)
for dims in [[1, 10, 11, 3], [None, None, 11, 3], None]:
    x = tf.placeholder(tf.float32, dims)
    filters = tf.placeholder(tf.float32, [3, 2, 3, 5])
    for stride, padding in [(1, "SAME"), (2, "VALID"), (3, "VALID")]:
        strides = [1, stride, stride, 1]
        results[f"windows {dims} {stride} {padding}"] = [
            shapes(common_shapes.conv2d_shape, tf.nn.conv2d(x, filters, strides, padding).op),
            shapes(
                common_shapes.depthwise_conv2d_native_shape,
                tf.nn.depthwise_conv2d_native(x, filters, strides, padding).op,
            ),
            shapes(common_shapes.avg_pool_shape, tf.nn.avg_pool(x, [1, 3, 2, 1], strides, padding).op),
            shapes(common_shapes.max_pool_shape, tf.nn.max_pool(x, [1, 3, 2, 1], strides, padding).op),
        ]
for case in [
    ((10, 11), (3, 2), (2, 2), b"SAME"),
    ((10, 11), (3, 2), (2, 2), b"VALID"),
    ((10, 11), (3, 2), (2, 2), "SAME"),
    ((10, None), (3, 2), (2, 1), b"VALID"),
    ((10, None), (None, 2), (2, 1), b"SAME"),
    ((2, 2), (3, 2), (1, 1), b"VALID"),
]:
    results[f"sizes {case}"] = failure(common_shapes.get_conv_output_size, *case)
results["sizes 2d"] = common_shapes.get2d_conv_output_size(10, 11, 3, 2, 1, 2, b"VALID")

# ---- loops over numbers ----
rows = tf.constant(np.arange(6.0).reshape(3, 2))
weights = tf.constant([1.0, 2.0])


def gradient_of(i):
    return tf.gradients(tf.reduce_sum(weights * weights * tf.cast(i, tf.float32)), weights)[0]


several = parallel_for.pfor(lambda i: (tf.gather(rows, i), None, {"i": [i]}), 3)
with tf.Session() as sess:
    results["for_loop"] = sess.run(parallel_for.for_loop(lambda i: tf.gather(rows, i) * 2, tf.float64, 3))
    results["for_loop, several"] = sess.run(
        parallel_for.for_loop(lambda i: (tf.gather(rows, i), i), [tf.float64, tf.int32], tf.constant(2))
    )
    results["for_loop, none"] = sess.run(parallel_for.for_loop(lambda i: tf.gather(rows, i), tf.float64, 0)).shape
    results["pfor"] = sess.run(parallel_for.pfor(lambda i: tf.gather(rows, i) * 2, 3))
    results["pfor, several"] = [sess.run(several[0]), several[1], sess.run(several[2]["i"][0])]
    results["pfor, constants"] = sess.run(parallel_for.pfor(lambda i: 1.0, 3))
    results["pfor, gradients"] = sess.run(parallel_for.pfor(gradient_of, 3))
    results["pfor, a few at a time"] = sess.run(parallel_for.pfor(lambda i: i * i, 5, parallel_iterations=2))
    done, values = parallel_for.pfor(lambda i: (tf.no_op(), i), 2)
    results["pfor, operations"] = [isinstance(done, tf.Operation), sess.run([done, values])]
    sparse = parallel_for.pfor(lambda i: tf.SparseTensor([[0, 0], [1, 1]], [1.0, 2.0], [2, 2]), 2)
    results["pfor, sparse"] = [part.tolist() for part in sess.run(sparse)]
results["one at a time"] = failure(parallel_for.pfor, lambda i: i, 3, parallel_iterations=1)
results["fewer"] = failure(parallel_for.pfor, lambda i: i, 3, parallel_iterations=-1)

# ---- branches and loops from messages ----
tf.cond(tf.placeholder_with_default(3.0, []) > 1.0, lambda: tf.constant(1), lambda: tf.constant(2))
tf.while_loop(lambda i: i < 3, lambda i: i + 1, [0])
message = control_flow_pb2.ControlFlowContextDef()
results["no context"] = failure(control_flow_ops.from_control_flow_context_def, message)
message.cond_ctxt.CopyFrom(tf.get_collection(tf.GraphKeys.COND_CONTEXT)[0].to_proto())
context = control_flow_ops.from_control_flow_context_def(message)
results["branch"] = [type(context).__name__, context.pred.name.rpartition("/")[2], context.branch]
message.while_ctxt.CopyFrom(tf.get_collection(tf.GraphKeys.WHILE_CONTEXT)[-1].to_proto())
results["loop"] = type(control_flow_ops.from_control_flow_context_def(message)).__name__

# ---- names of what is public ----
results["initializers"] = [
    type(made()).__name__ for made in (init_ops_v2.zero, init_ops_v2.one, init_ops_v2.uniform, init_ops_v2.normal)
]
results["clusters"] = [clustering_ops.KMEANS_PLUS_PLUS_INIT, clustering_ops.COSINE_DISTANCE, clustering_ops.RANDOM_INIT]
results["default"] = [
    failure(utils.check_default_value, shape, default, dtype, "k")
    for shape, default, dtype in [
        ((2,), 1, tf.float32),
        ((2,), [1, 2], tf.float32),
        ((2,), [1.5, 2.0], tf.int32),
        ((2,), [1.0, 2.0, 3.0], tf.float32),
        ((), 1, tf.int64),
    ]
]
results["numeric"] = [
    tf.feature_column.numeric_column("a", default_value=1).default_value,
    tf.feature_column.numeric_column("a", shape=2, default_value=np.array([1, 2])).default_value,
]
with tf.Session() as sess:
    steps = tf.SparseTensor([[0, 0], [0, 1], [2, 3]], [1, 2, 3], [4, 5])
    results["steps"] = sess.run(utils.sequence_length_from_sparse_tensor(steps, 2))
    results["serialized"] = sess.run(sparse_ops.serialize_many_sparse_v2(steps, name="s")).shape
vocabulary = os.path.join(FOLDER, "words.txt")
with open(vocabulary, "w") as file:
    file.write("a\nb\nc\n")
for module in (feature_column_v2, tf.compat.v2.feature_column):
    make = getattr(module, "categorical_column_with_vocabulary_file_v2", None) or (
        module.categorical_column_with_vocabulary_file
    )
    column = make("k", vocabulary, None, tf.string, None, 2)
    results[f"vocabulary {module is feature_column_v2}"] = [column.num_buckets, column.default_value, column.dtype.name]
shared = tf.compat.v2.feature_column.shared_embeddings(
    [tf.feature_column.categorical_column_with_identity(key, 3) for key in "ab"], dimension=2
)
results["shared"] = [column.name for column in shared]
results["feature columns"] = sorted(name for name in dir(tf.compat.v2.feature_column) if not name.startswith("_"))
