"""The operations that shape, size, rank and a sum make of lists of tensors whose shapes are not known."""

import numpy as np
import tensorflow as tf

results = {}
for name, function in (("shape", tf.shape), ("size", tf.size), ("rank", tf.rank), ("sum", tf.reduce_sum)):
    with tf.Graph().as_default() as graph:
        part = tf.placeholder("float32")
        taken = function([part, part])
        results[name] = [[operation.name, operation.type] for operation in graph.get_operations()]
        with tf.Session() as session:
            results["%s: value" % name] = session.run(taken, {part: np.ones([2, 3], np.float32)})
