"""tf.switch_case, tf.grad_pass_through, tf.recompute_grad, and sparse tensors packed."""

import tensorflow as tf

results = {}


def outcome(make, shape=True):
    with tf.Graph().as_default(), tf.Session() as sess:
        try:
            made = make()
            value = sess.run(made)
            return [list(value) if isinstance(value, tf.SparseTensorValue) else value]
        except (ValueError, TypeError, tf.errors.OpError) as error:
            return type(error).__name__


def ten():
    return tf.constant(10)


def eleven():
    return tf.constant(11)


def twelve():
    return tf.constant(12)


def floats():
    return tf.SparseTensor([[0, 0], [0, 2], [2, 1]], [1.0, 2.0, 3.0], [3, 4])


def words():
    return tf.SparseTensor([[0, 0], [0, 2], [2, 1]], ["a", "b", "c"], [3, 4])


def passing():
    with tf.variable_scope("", use_resource=True):
        x = tf.constant([1.3, 2.6])
        y = tf.grad_pass_through(tf.round)(x)
        return [y, tf.gradients(y * 3, x)[0]]


def gradient_of_branch(index):
    x = tf.constant(3.0)
    y = tf.switch_case(tf.constant(index), [lambda: x * x, lambda: x * 5.0])
    return tf.gradients(y, x)[0]


cases = {
    "float index": lambda: tf.switch_case(tf.constant(1.0), [ten]),
    "python index": lambda: tf.switch_case(1, [ten]),
    "gap": lambda: tf.switch_case(tf.constant(1), {1: ten, 3: eleven}),
    "none": lambda: tf.switch_case(tf.constant(0), {}),
    "not callable": lambda: tf.switch_case(tf.constant(0), [3]),
    "pairs": lambda: tf.switch_case(tf.constant(1), [(0, ten), (1, eleven)]),
    "tuple": lambda: tf.switch_case(
        tf.constant(0), [lambda: (ten(), tf.constant(2.0)), lambda: (ten(), tf.constant(4.0))]
    ),
    "gradients": lambda: [gradient_of_branch(0), gradient_of_branch(1)],
    "pass through": passing,
    "packed": lambda: tf.serialize_sparse(floats()),
    "unpacked": lambda: tf.deserialize_many_sparse(tf.serialize_many_sparse(floats()), tf.float32),
    "unpacked words": lambda: tf.io.deserialize_many_sparse(tf.serialize_many_sparse(words()), tf.string, rank=2),
    "unpacked rank": lambda: tf.deserialize_many_sparse(
        tf.stack([tf.serialize_sparse(floats())] * 2), tf.float32, rank=3
    ),
    "unpacked type": lambda: tf.deserialize_many_sparse(tf.stack([tf.serialize_sparse(floats())] * 2), tf.int32),
    "packed dense": lambda: tf.serialize_sparse(tf.constant(1)),
}
for index in (0, 1, 2, 5, -1):
    cases["list %d" % index] = lambda index=index: tf.switch_case(tf.constant(index), [ten, eleven], default=twelve)
    cases["dict %d" % index] = lambda index=index: tf.switch_case(tf.constant(index), {1: ten, 0: eleven})
for name in sorted(cases):
    results[name] = outcome(cases[name])
