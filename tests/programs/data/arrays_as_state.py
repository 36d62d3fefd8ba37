"""TensorArrays that functions of elements carry, branch over and return: a write leaves the array that it came from as it was."""

import tensorflow as tf
from tensorflow.python.data.experimental.ops import scan_ops

results = {}
D = tf.data.Dataset


def empty(name=None):
    return tf.TensorArray(size=0, element_shape=[], dtype=tf.int64, dynamic_size=True, name=name)


def elements(dataset):
    iterator = tf.data.make_initializable_iterator(dataset)
    element, found = iterator.get_next(), []
    with tf.Session() as sess:
        for _ in range(2):
            sess.run(iterator.initializer)
            try:
                while True:
                    found.append(sess.run(element).tolist())
            except tf.errors.OutOfRangeError:
                found.append("end")
    return found


def show(name, make):
    with tf.Graph().as_default():
        results[name] = make()


def before_the_write(array, x):
    return array.write(array.size(), x), array.stack()


def reset_by_a_branch(array, x):
    written = array.write(array.size(), x)
    return tf.cond(tf.equal(x % 3, 0), empty, lambda: written), written.stack()


def filled_by_a_loop(array, x):
    def body(i, inner):
        return i + 1, inner.write(inner.size(), i * x)

    array = tf.while_loop(lambda i, _: i < 2, body, [tf.constant(0, tf.int64), array])[1]
    return array, array.stack()


def scanned(function):
    return lambda: elements(D.range(5).apply(scan_ops.scan(empty().write(0, -1), function)))


show("the array before a write", scanned(before_the_write))
show("a branch that begins anew", scanned(reset_by_a_branch))
show("a loop that writes", scanned(filled_by_a_loop))
show(
    "of a map", lambda: elements(D.range(3).map(lambda x: empty().write(0, x).write(1, x + 1)).map(lambda a: a.stack()))
)
show("from outside", lambda: elements(D.from_tensors(empty().write(0, 5).write(1, 6)).map(lambda a: a.read(1))))
show("map_fn", lambda: elements(D.range(3).map(lambda x: tf.map_fn(lambda y: y * x, tf.range(4, dtype=tf.int64)))))


def reduced():
    array = D.range(1, 5).reduce(empty(), lambda array, x: array.write(array.size(), x))
    with tf.Session() as sess:
        return sess.run(array.stack()).tolist(), sess.run(array.read(2)), isinstance(array, tf.TensorArray)


show("reduce", reduced)


def refused():
    outside = empty()

    def function(array, x):
        written = array.write(array.size(), x)
        return tf.cond(tf.equal(x, 0), lambda: outside, lambda: written), written.stack()

    try:
        D.range(2).apply(scan_ops.scan(empty().write(0, -1), tf.autograph.experimental.do_not_convert(function)))
    except NotImplementedError as error:
        return type(error).__name__, "construct a new TensorArray inside the function" in str(error)
    return "none"


show("captured by a branch", refused)
