"""Every reduction op: types, axes known and fed, empty inputs, gradients, the names of what is created, errors."""

import numpy as np
import tensorflow as tf

random = np.random.RandomState(5)
results = {}
REDUCE = ("sum", "mean", "prod", "max", "min", "euclidean_norm", "logsumexp", "variance", "std")


def reduction(name):
    return getattr(tf.math, "reduce_" + name)


def names(make):
    with tf.Graph().as_default() as graph:
        make()
        return [[o.name, o.type] for o in graph.get_operations()]


values = random.normal(size=[2, 3, 2])
sess = tf.Session()

types = {}
for dtype in ("float32", "float64", "float16", "int32", "int64", "int16", "int8", "uint8", "uint16", "complex64"):
    x = tf.constant((values * 3).astype(np.int8).astype(dtype))
    for name in ("sum", "mean", "prod", "max", "min", "euclidean_norm"):
        if name in ("max", "min") and dtype == "complex64":
            continue
        if name == "euclidean_norm" and dtype not in ("float32", "float64", "complex64"):
            continue
        y = reduction(name)(x, [0, 2])
        types[name + " " + dtype] = sess.run(y)
results["types"] = types
results["bfloat16"] = sess.run(tf.cast(tf.reduce_sum(tf.cast([1.0, 2.5], tf.bfloat16)), tf.float32))
results["wraps"] = sess.run(tf.reduce_sum(tf.constant([100, 100], tf.int8)))

x = tf.constant(values.astype(np.float32))
fed = tf.placeholder(tf.float32)
partly = tf.placeholder(tf.float32, [None, 3, None])
axes = tf.placeholder(tf.int32)
shapes, runs, slopes = {}, {}, {}
for name in REDUCE:
    f = reduction(name)
    for axis in (None, 1, -1, [0, 1], [], (0, 1, 2)):
        for keepdims in (False, True):
            for source in (x, fed, partly):
                y = f(source, axis, keepdims=keepdims)
                key = "%s %s %s %s" % (name, axis, keepdims, source.name)
                shapes[key] = str(y.get_shape())
                runs[key] = sess.run(y, {fed: values, partly: values})
                if name != "euclidean_norm" and (axis != [] or name in ("sum", "mean")):
                    slopes[key] = sess.run(tf.gradients(y, source)[0], {fed: values, partly: values})
    y = f(partly, axes, keepdims=True)
    shapes[name + " fed axes"] = [str(y.get_shape()), str(f(partly, axes).get_shape())]
    runs[name + " fed axes"] = [sess.run(y, {partly: values, axes: a}) for a in (0, [1], [-1, 0], [2, 1, 0])]
results["shapes"], results["runs"], results["gradients"] = shapes, runs, slopes

flags = tf.constant(values > 0.5)
for name in ("all", "any"):
    results[name] = [sess.run(reduction(name)(flags, a)) for a in (None, 0, [1, 2], [])]
    results[name + " of nothing"] = sess.run(reduction(name)(tf.zeros([0, 2], tf.bool), 0))
nothing = tf.zeros([2, 0, 3])
results["empty"] = {
    name: [sess.run(reduction(name)(nothing, a)) for a in (0, 1, None)]
    for name in ("sum", "mean", "prod", "max", "min", "logsumexp")
}
results["empty ints"] = [sess.run(f(tf.zeros([0], tf.int32))) for f in (tf.reduce_sum, tf.reduce_max, tf.reduce_prod)]
results["infinite"] = sess.run([tf.reduce_logsumexp([-np.inf, -np.inf]), tf.reduce_logsumexp([np.inf, 1.0])])
results["count"] = sess.run(
    [
        tf.count_nonzero(tf.constant([[0, 1], [2, 3]])),
        tf.count_nonzero(tf.constant([[0.0, 1.0]]), 1, keep_dims=True, dtype=tf.int32),
        tf.count_nonzero(tf.constant([True, False])),
        tf.count_nonzero(tf.constant(["", "a"])),
        tf.count_nonzero(input=[1, 2]),
    ]
)
tied = tf.constant([[1.0, 3.0, 3.0], [2.0, 2.0, 2.0]])
results["ties share"] = sess.run([tf.gradients(f(tied, 1), tied)[0] for f in (tf.reduce_max, tf.reduce_min)])
zeros = tf.constant([[0.0, 2.0, 3.0], [0.0, 0.0, 5.0]])
results["product with zeros"] = sess.run(tf.gradients(tf.reduce_prod(zeros, 1), zeros)[0])

best = {}
for dtype in ("float32", "float64", "int32", "int64", "uint8", "int8", "int16", "uint16", "float16"):
    table = tf.constant(np.array([[1, 5, 5], [7, 0, 7]]).astype(dtype))
    for axis in (0, 1, -1):
        best["%s %s" % (dtype, axis)] = sess.run([tf.argmax(table, axis), tf.argmin(table, axis, output_type=tf.int32)])
results["argmax"] = best
axis = tf.placeholder(tf.int32, [])
results["argmax fed"] = [sess.run(tf.argmax(fed, axis), {fed: values, axis: a}) for a in (0, 2, -2)]
results["argmax shapes"] = [
    str(t.get_shape())
    for t in (tf.argmax(x, 1), tf.argmin(partly, 1), tf.argmax(fed, 0), tf.argmax(partly, axis), tf.argmax(x))
]
results["old argmax"] = sess.run([tf.arg_max(tied, 1), tf.arg_min(tied, 0), tf.argmax(tied, dimension=1)])


def gradient_of(name, shape, axis, keepdims=False):
    def make():
        source = tf.placeholder(tf.float32, shape)
        tf.gradients(reduction(name)(source, axis, keepdims=keepdims), source)

    return make


results["created"] = {
    "all of them": names(lambda: [tf.reduce_sum(tf.ones([2]))]),
    "arrays": names(lambda: tf.reduce_mean(np.ones([2, 3], np.float32))),
    "unknown rank": names(lambda: tf.reduce_max(tf.placeholder(tf.float32))),
    "named": names(lambda: tf.reduce_logsumexp(tf.ones([2]), name="lse")),
    "variance": names(lambda: tf.math.reduce_std(tf.placeholder(tf.float32, [None, 2]), 0)),
    "count": names(lambda: tf.count_nonzero(tf.placeholder(tf.int32, [None]))),
    "sum full": names(gradient_of("sum", [2, 3], None)),
    "sum full, open": names(gradient_of("sum", [None, 3], None)),
    "sum known": names(gradient_of("sum", [2, 3], 1)),
    "sum open": names(gradient_of("sum", [None, 3], [0])),
    "sum no rank": names(gradient_of("sum", None, [0], True)),
    "mean": names(gradient_of("mean", [2, 3], -1)),
    "mean open": names(gradient_of("mean", [None, 3], 1)),
    "max": names(gradient_of("max", [None, 3], 1)),
    "min": names(gradient_of("min", [2, 3], None)),
    "prod": names(gradient_of("prod", [2, 3], 1)),
    "prod open": names(gradient_of("prod", [None, 3], 1)),
    "argmax": names(lambda: tf.argmax([1, 2])),
}


def two_sums():
    source = tf.placeholder(tf.float32, [2, 3])
    tf.gradients(tf.reduce_sum(source, 1) + tf.reduce_sum(source * 2.0, 1), source)


results["created"]["the shape is computed once"] = names(two_sums)


def fails(make, feed=None):
    try:
        sess.run(make(), feed)
    except Exception as error:
        return type(error).__name__
    return None


results["errors"] = [
    fails(lambda: tf.reduce_sum(x, 3)),
    fails(lambda: tf.reduce_sum(x, axis=0, reduction_indices=0)),
    fails(lambda: tf.reduce_sum(x, keepdims=True, keep_dims=True)),
    fails(lambda: tf.reduce_sum(partly, axes), {partly: values, axes: 3}),
    fails(lambda: tf.reduce_sum(partly, axes), {partly: values, axes: [0, 0]}),
    fails(lambda: tf.reduce_sum(tf.constant(["a"]))),
    fails(lambda: tf.reduce_all(tf.constant([1]))),
    fails(lambda: tf.argmax(x, 3)),
    fails(lambda: tf.argmax(tf.zeros([0]), 0)),
    fails(lambda: tf.argmax(fed, axis), {fed: values, axis: 5}),
]
