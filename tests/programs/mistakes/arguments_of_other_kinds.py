"""What operations say of arguments that are no tensors, no lists or no types."""

import numpy as np
import tensorflow as tf
from tensorflow.python.ops import gen_array_ops, gen_math_ops, gen_nn_ops

results = {}


def said(make):
    try:
        made = make()
    except Exception as error:
        return [type(error).__name__, str(error)]
    return ["made", made.dtype.name]


one = [[1.0]]
ragged = [[1], [1, 2]]
CASES = {
    "add": lambda: tf.add(1.0, None),
    "add first": lambda: tf.add(None, 1.0),
    "plus": lambda: tf.constant(1) + None,
    "equal": lambda: tf.equal(1, None),
    "matmul": lambda: tf.matmul(one, None),
    "identity": lambda: tf.identity(None),
    "reshape": lambda: gen_array_ops.reshape([1], None),
    "relu": lambda: gen_nn_ops.relu(None),
    "relu of None": lambda: gen_nn_ops.relu([None]),
    "relu ragged": lambda: gen_nn_ops.relu(ragged),
    "product ragged": lambda: gen_math_ops.mat_mul(one, ragged),
    "expand": lambda: gen_array_ops.expand_dims([1], None),
    "gather": lambda: tf.gather(None, [1]),
    "one_hot": lambda: tf.one_hot(None, 3),
    "assign": lambda: tf.assign(tf.Variable(1.0, name="v"), None),
    "add_n": lambda: gen_math_ops.add_n(3),
    "add_n of None": lambda: tf.add_n([1.0, None]),
    "concat": lambda: gen_array_ops.concat_v2(3, 0),
    "pack": lambda: gen_array_ops.pack(3),
    "strides": lambda: gen_nn_ops.conv2d([[one]], [[one]], 3, "SAME"),
    "ksize": lambda: gen_nn_ops.max_pool([[one]], 2, [1, 1, 1, 1], "SAME"),
    "placeholder": lambda: tf.placeholder(None),
    "dtype": lambda: gen_array_ops.placeholder(None),
    "bitcast": lambda: gen_array_ops.bitcast(1.0, None),
    "text": lambda: tf.add(1.0, "a"),
    "type": lambda: tf.add(1.0, tf.constant(1)),
    "large": lambda: tf.constant(2**63),
}
for name in sorted(CASES):
    results[name] = said(CASES[name])
with tf.Session() as sess:
    results["values"] = sess.run([tf.constant(2**63) > 1, tf.cast(tf.constant(2**40), tf.float64)])
    results["unsigned"] = str(sess.run(tf.constant(np.array([2**63], np.uint64))))
