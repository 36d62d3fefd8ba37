"""Sparse sequences as numbers of their time steps, and back."""

import tensorflow as tf
from tensorflow.contrib.training.python.training import sequence_queueing_state_saver

results = {}
with tf.Graph().as_default():
    rows = tf.SparseTensor([[0, 0], [1, 1], [3, 2]], ["a", "b", "c"], [4, 3])
    given = {"sparse": rows, "dense": tf.zeros([4])}
    stored, keys, storing = sequence_queueing_state_saver._deconstruct_sparse_tensor_seq(given, shared_name="rows")
    results["stored"] = [keys, [op.type for op in storing], stored["dense"] is given["dense"]]
    batch = {"sparse": tf.reshape(stored["sparse"], [2, 2])}
    sequence_queueing_state_saver._reconstruct_sparse_tensor_seq(batch, keys, storing, batch_size=2, num_unroll=2)
    with tf.Session() as sess:
        results["restored"] = list(sess.run(batch["sparse"]))
    results["nothing sparse"] = sequence_queueing_state_saver._deconstruct_sparse_tensor_seq({"x": 1})[1:]
