"""`gather_nd` of ragged tensors by vectors, and the types of the gradients of gathered rows."""

import tensorflow as tf

results = {}
two = tf.ragged.constant([[1, 2, 3], [], [4]])
three = tf.ragged.constant([[[1, 2], [3]], [], [[4, 5, 6], [], [7]]])
with tf.Session() as sess:
    for name, params in (("two", two), ("three", three)):
        for indices in ([2], [1], [2, 0], [[2]], [[2], [0]], [[[2]]]):
            found = tf.gather_nd(params, indices)
            value = sess.run(found)
            value = value.to_list() if isinstance(found, tf.RaggedTensor) else value
            results[f"{name} {indices}"] = [str(found.shape), value]
    for kind in (tf.int32, tf.int64):
        values = tf.constant([1.0, 2.0, 3.0, 4.0])
        rows = tf.RaggedTensor.from_row_splits(values, tf.constant([0, 2, 2, 4], kind))
        slices = tf.gradients(tf.gather(rows, [2, 0, 2]).values ** 2, values)[0]
        results[f"gradient {kind.name}"] = [
            slices.indices.dtype.name,
            sess.run(slices.indices),
            sess.run(slices.values),
        ]
