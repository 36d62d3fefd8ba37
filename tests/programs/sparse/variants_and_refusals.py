"""Sparse tensors as variants, stacked and sliced, and what is refused of segments, rows and dense tensors."""

import numpy as np
import tensorflow as tf
from tensorflow.python.ops import gen_sparse_ops, list_ops, sparse_ops

results = {}


def sparse(more=0):
    return tf.SparseTensor([[0, 1], [1, 0]], [1 + more, 2 + more], [2, 2])


def packed(more=0):
    return tf.serialize_sparse(sparse(more), out_type=tf.variant)


def unpacked(serialized):
    return sparse_ops.deserialize_sparse(serialized, dtype=tf.int32)


def any_shape(value):
    return tf.placeholder_with_default(np.array(value), None)


def ints(value):
    return tf.placeholder_with_default(np.array(value, np.int32), None)


many = tf.serialize_many_sparse(sparse(), out_type=tf.variant)
serialized = {
    "stacked": tf.stack([packed(), packed(3)]),
    "nested": tf.stack([tf.stack([packed()] * 2), tf.stack([packed(3)] * 2)]),
    "reshaped": tf.reshape(tf.stack([packed()] * 4), [2, 2, 3]),
    "row": many[1],
    "gathered": tf.gather(many, [1, 1, 0]),
}
rows = tf.constant(np.arange(40, dtype=np.float32).reshape(10, 4))
refused = {
    "split axis": lambda: tf.sparse.split(sp_input=sparse(), num_split=2, axis=5),
    "dense values": lambda: tf.sparse_to_dense(ints([1, 3]), [5], ints([[5], [3]]), -1),
    "grad of rows": lambda: gen_sparse_ops.sparse_fill_empty_rows_grad(
        any_shape([0, 1]), any_shape([[0.0, 1.0], [1.0, 2.0]])
    ),
    "map of rows": lambda: gen_sparse_ops.sparse_fill_empty_rows_grad(any_shape([[0, 1]]), any_shape([0.0, 1.0])),
    "one part": lambda: tf.dynamic_partition(5, ints(99), 2),
    "parts": lambda: tf.dynamic_partition(ints([1, 2]), ints([0, 99]), 2),
    "element": lambda: tf.contrib.nn.nth_element(ints([[1, 2]]), ints(2)),
    "element below": lambda: tf.contrib.nn.nth_element(ints([[1, 2]]), ints(-7)),
    "elements": lambda: tf.contrib.nn.nth_element(ints([1, 2]), ints([0])),
    "diagonal": lambda: tf.matrix_diag(any_shape(1.0)),
    "new diagonal": lambda: tf.matrix_set_diag(any_shape([[0.0]]), any_shape(0.0)),
    "static diagonal": lambda: tf.matrix_set_diag([[0.0]], 0.0),
    "rank of transform": lambda: tf.signal.rfft(1.0),
    "rank of length": lambda: tf.signal.rfft(np.ones(8, np.float32), fft_length=[[8]]),
    "length": lambda: tf.signal.rfft(np.ones(8, np.float32), fft_length=[2, 2]),
}
for ids in (
    [0, 0, 0, 0, 0, 0, 0, 0, 0, -1],
    [0, 1, 2, 0, 0, 0, 0, 0, 0, 0],
    [-1] + [0] * 9,
    [0, 2, 1] + [4] * 7,
    [0, 1, 2] + [1] * 7,
):
    refused["segments %s" % ids] = lambda ids=ids: tf.math.segment_sum(rows, ints(ids))
for ids in ([0, 0, 0, -1], [-1, 0, 1, 2], [0, 1, 0, 1], [0, 1, 2, 0]):
    refused["picked %s" % ids] = lambda ids=ids: tf.sparse.segment_sum(rows, ints([8, 3, 0, 9]), ints(ids))
    refused["numbered %s" % ids] = lambda ids=ids: tf.sparse.segment_sum(
        rows, ints([8, 3, 0, 9]), ints(ids), num_segments=4
    )
for ids in ([0, 1, 2, -1], [0, 1, 1, 4]):
    refused["gradient %s" % ids] = lambda ids=ids: tf.raw_ops.SparseSegmentMeanGrad(
        grad=tf.ones([3, 4]), indices=ints([8, 3, 0, 9]), segment_ids=ints(ids), output_dim0=10
    )

with tf.Session() as sess:
    for name, value in serialized.items():
        found = sess.run(unpacked(value))
        results[name] = [found.indices, found.values, found.dense_shape]
    lists = list_ops.tensor_list_from_tensor([1.0, 2.0], [])
    back = [
        list_ops.tensor_list_stack(t, tf.float32)
        for t in (tf.stack([lists, lists])[1], tf.zeros_like(lists), tf.add_n([lists, lists]))
    ]
    results["lists"] = sess.run(back)
    for name, make in refused.items():
        try:
            sess.run(make())
            results[name] = None
        except Exception as e:
            results[name] = [type(e).__name__, str(e).split("\n")[0].split(" [[")[0].split(" for '")[0].strip()]
    results["nothing"] = [
        sess.run(tf.signal.rfft(np.zeros((0, 8), np.float32))).shape,
        sess.run(tf.signal.irfft(np.zeros((2, 0), np.complex64))).shape,
    ]
