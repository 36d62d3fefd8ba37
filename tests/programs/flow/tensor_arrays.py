"""TensorArray, map_fn, scan, foldl and foldr: values, gradients, operations and errors."""

import numpy as np
import tensorflow as tf

results = {}


def run(make, feeds=None):
    with tf.Graph().as_default():
        fetches = make()
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            return sess.run(fetches)


def refusal(make):
    with tf.Graph().as_default():
        try:
            fetches = make()
            with tf.Session() as sess:
                sess.run(fetches)
        except (ValueError, TypeError, tf.errors.OpError) as error:
            return type(error).__name__
    return "accepted"


def written_and_stacked():
    x = tf.constant([1.0, 2.0])
    array = tf.TensorArray(tf.float32, size=3)
    array = array.write(0, x).write(2, x * 3.0).write(1, x * x)
    y = array.stack()
    return [y, array.size()] + tf.gradients(y * tf.constant([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]]), x)


def read_several_times():
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    array = tf.TensorArray(tf.float32, size=2, clear_after_read=False).unstack(x)
    y = array.read(0) * array.read(1) + array.read(0)
    return [y] + tf.gradients(y, x)


def gathered():
    x = tf.constant(np.arange(8.0).reshape(4, 2))
    array = tf.TensorArray(tf.float64, size=4).unstack(x)
    y = array.gather([3, 1])
    return [y] + tf.gradients(y * y, x)


def scattered():
    x = tf.constant([[1.0], [2.0]])
    array = tf.TensorArray(tf.float32, size=3, element_shape=[1]).scatter([2, 0], x)
    y = array.stack()
    return [y] + tf.gradients(y * y, x)


def split_and_concat():
    x = tf.constant(np.arange(10.0).reshape(5, 2))
    array = tf.TensorArray(tf.float64, size=3, infer_shape=False).split(x, [1, 3, 1])
    y = array.concat()
    z = array.concat() if False else y
    return [z] + tf.gradients(z * z, x)


def grows():
    array = tf.TensorArray(tf.int32, size=0, dynamic_size=True)

    def body(i, array):
        return i + 1, array.write(i, i * i)

    _, array = tf.while_loop(lambda i, a: i < 5, body, [0, array])
    return [array.stack(), array.size()]


def of_strings():
    array = tf.TensorArray(tf.string, size=2).write(0, "a").write(1, tf.string_join(["b", "c"]))
    return [array.stack()]


def unwritten_with_known_shape():
    return [tf.TensorArray(tf.float32, size=2, element_shape=[3]).write(1, [1.0, 2.0, 3.0]).stack()]


def empty_with_known_shape():
    return [tf.TensorArray(tf.float32, size=0, element_shape=[3]).stack()]


def in_cond():
    x = tf.constant([1.0, 2.0])
    array = tf.TensorArray(tf.float32, size=2, element_shape=[2])
    array = tf.cond(x[0] > 0.0, lambda: array.write(0, x).write(1, x), lambda: array.write(0, -x).write(1, x))
    y = array.stack()
    return [y] + tf.gradients(y, x)


def mapped():
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    y = tf.map_fn(lambda row: row * tf.reduce_sum(row), x)
    return [y] + tf.gradients(y, x)


def mapped_structure():
    a, b = tf.constant([1, 2, 3]), tf.constant([1.0, 0.5, 0.25])
    doubled, total = tf.map_fn(
        lambda e: (e[0] * 2, tf.cast(e[0], tf.float32) + e[1]), (a, b), dtype=(tf.int32, tf.float32)
    )
    return [doubled, total] + tf.gradients(total, b)


def mapped_to_other_type():
    return [tf.map_fn(lambda i: tf.cast(i, tf.float32) * 0.5, tf.range(4), dtype=tf.float32)]


def mapped_with_variable():
    x = tf.constant([[1.0], [2.0]])

    def function(row):
        with tf.variable_scope("inner", reuse=tf.AUTO_REUSE):
            w = tf.get_variable("w", shape=[1], initializer=tf.constant_initializer(3.0))
        return row * w

    y = tf.map_fn(function, x)
    return [y] + tf.gradients(y, tf.trainable_variables())


def scanned():
    x = tf.constant([1.0, 2.0, 3.0])
    y = tf.scan(lambda a, e: a * 0.5 + e, x)
    return [y] + tf.gradients(y, x)


def scanned_from():
    x = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    start = tf.constant([10.0, 20.0])
    y = tf.scan(lambda a, e: a * e, x, initializer=start)
    return [y] + tf.gradients(y, [x, start])


def scanned_backwards():
    x = tf.constant([1.0, 2.0, 4.0])
    y = tf.scan(lambda a, e: a - e, x, reverse=True)
    z = tf.scan(lambda a, e: (a[0] + e, a[1] * e), x, initializer=(0.0, 1.0), reverse=True)
    return [y, z[0], z[1]]


def fibonacci():
    return [tf.scan(lambda a, _: (a[1], a[0] + a[1]), tf.range(8), initializer=(0, 1))[0]]


def folded():
    x = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    left = tf.foldl(lambda a, e: a * 0.5 - e, x)
    right = tf.foldr(lambda a, e: a * 0.5 - e, x)
    start = tf.foldl(lambda a, e: a + tf.reduce_sum(e), x, initializer=tf.constant(100.0))
    return [left, right, start] + tf.gradients(left + right, x)


def folded_pairs():
    elements = (tf.constant([1, 2, 3]), tf.constant([4, 5, 6]))
    return list(tf.foldr(lambda a, e: (a[0] + e[0], a[1] * e[1]), elements, initializer=(0, 1)))


def two_gradients():
    x = tf.constant([1.0, 2.0, 3.0])
    y = tf.map_fn(lambda e: e * e * e, x)
    return tf.gradients(y, x) + tf.gradients(y * 2.0, x)


programs = [
    written_and_stacked,
    read_several_times,
    gathered,
    scattered,
    split_and_concat,
    grows,
    of_strings,
    unwritten_with_known_shape,
    empty_with_known_shape,
    in_cond,
    mapped,
    mapped_structure,
    mapped_to_other_type,
    mapped_with_variable,
    scanned,
    scanned_from,
    scanned_backwards,
    fibonacci,
    folded,
    folded_pairs,
    two_gradients,
]
for make in programs:
    results[make.__name__] = list(run(make))

for make in (written_and_stacked, mapped, scanned_from, folded):
    with tf.Graph().as_default() as graph:
        made = make()
        results["ops of " + make.__name__] = [[op.name, op.type] for op in graph.get_operations()]
        results["shapes of " + make.__name__] = [str(t.shape) for t in made]


def new(**options):
    options.setdefault("size", 2)
    return tf.TensorArray(tf.float32, **options)


def split_needs_lengths():
    return new(infer_shape=False).split(tf.ones([3, 1]), [1, 1]).concat()


def read_twice():
    array = new().unstack([1.0, 2.0])
    first = array.read(0)
    with tf.control_dependencies([first]):
        return array.identity().read(0)


for name, make in [
    ("write past the end", lambda: new().write(2, 1.0).flow),
    ("write twice", lambda: new().write(0, 1.0).write(0, 2.0).flow),
    ("read past the end", lambda: new().unstack([1.0, 2.0]).read(2)),
    ("read unwritten", lambda: new(infer_shape=False).read(1)),
    ("read twice", read_twice),
    ("stack of unequal shapes", lambda: new(infer_shape=False).write(0, [1.0]).write(1, [1.0, 2.0]).stack()),
    ("unequal shapes", lambda: new().write(0, [1.0]).write(1, [1.0, 2.0]).stack()),
    ("wrong type", lambda: new().write(0, tf.constant(1)).flow),
    ("empty of unknown shape", lambda: new(size=0).stack()),
    ("split lengths", split_needs_lengths),
    ("no size", lambda: tf.TensorArray(tf.float32)),
    ("map over a scalar", lambda: tf.map_fn(lambda e: e, tf.constant(1.0))),
    ("map without function", lambda: tf.map_fn(3, tf.constant([1.0]))),
    ("map to another structure", lambda: tf.map_fn(lambda e: (e, e), tf.constant([1.0]))),
    ("scan to another structure", lambda: tf.scan(lambda a, e: (a, e), tf.constant([1.0]))),
    ("map to another type", lambda: tf.map_fn(lambda e: tf.cast(e, tf.int32), tf.constant([1.0]))),
]:
    results["refused " + name] = refusal(make)
