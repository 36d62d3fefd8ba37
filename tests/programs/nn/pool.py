"""Pools of images, sequences and volumes, and their gradients: ties, paddings, types, static shapes, names."""

import numpy as np
import tensorflow as tf

random = np.random.RandomState(7)
results = {}
sess = tf.Session()


def numbers(*shape):
    # Few different values, so that there are many ties.
    return random.randint(-4, 5, size=shape).astype(np.float32)


def attempt(make):
    try:
        made = make()
        return str(made.get_shape())
    except (TypeError, ValueError) as error:
        return type(error).__name__ + ": " + str(error).split(" for '")[0]


images = numbers(2, 7, 8, 3)
cases = [
    ((2, 2), (2, 2), "SAME"),
    ((2, 2), (2, 2), "VALID"),
    ((3, 3), (2, 2), "SAME"),
    ((2, 3), (1, 1), "SAME"),
    ((2, 2), (1, 2), "SAME"),
    ((1, 1), (2, 3), "SAME"),
    ((3, 2), (1, 3), "VALID"),
    ((5, 4), (1, 1), "SAME"),
    ((2, 2), (3, 4), "SAME"),
]
for window, strides, padding in cases:
    ksize, steps = (1,) + window + (1,), (1,) + strides + (1,)
    x = tf.constant(images)
    for name, function in (("max", tf.nn.max_pool), ("avg", tf.nn.avg_pool)):
        y = function(x, ksize, steps, padding)
        g = tf.constant(numbers(*y.get_shape().as_list()))
        (dx,) = tf.gradients(y, x, g)
        second = tf.gradients(dx, g, tf.constant(numbers(2, 7, 8, 3)))
        key = "%s %s %s %s" % (name, window, strides, padding)
        results[key] = [str(y.get_shape()), str(dx.get_shape())] + sess.run([y, dx] + second)
    y, places = tf.nn.max_pool_with_argmax(x, ksize, steps, padding)
    key = "argmax %s %s %s" % (window, strides, padding)
    results[key] = sess.run([y, places] + tf.gradients(y * y, x))
batchwise = tf.nn.max_pool_with_argmax(x, [1, 2, 2, 1], [1, 2, 2, 1], "SAME", include_batch_in_index=True)
results["argmax over the batch"] = sess.run([batchwise[1]] + tf.gradients(batchwise[0], x))

# Shapes that only the step knows.
fed = tf.placeholder(tf.float32)
for name, function in (("max", tf.nn.max_pool), ("avg", tf.nn.avg_pool)):
    for ksize, stride in ((2, 2), (3, 2), (2, 1)):
        y = function(fed, ksize, stride, "SAME")
        results["%s fed %d %d" % (name, ksize, stride)] = [str(y.get_shape())] + sess.run(
            [y] + tf.gradients(y * y, fed), {fed: images}
        )
batch = tf.placeholder(tf.float32, [None, 7, 8, 3])
y = tf.nn.max_pool(batch, 2, 2, "SAME")
results["batch"] = [sess.run([y] + tf.gradients(y * y, batch), {batch: images[:n]}) for n in (0, 1, 2)]

for dtype in (tf.float16, tf.float64, tf.int32, tf.int64, tf.uint8, tf.int8, tf.int16, tf.uint16):
    x = tf.constant(np.abs(images).astype(dtype.as_numpy_dtype))
    results["max " + dtype.name] = sess.run(tf.nn.max_pool(x, 2, 2, "SAME"))
    if dtype.is_floating:
        results["avg " + dtype.name] = sess.run(tf.nn.avg_pool(x, 2, 2, "SAME"))
results["over channels"] = sess.run(tf.nn.max_pool(numbers(1, 3, 3, 4), [1, 1, 1, 2], [1, 1, 1, 2], "SAME"))

sequences, volumes = numbers(2, 9, 3), numbers(1, 5, 4, 6, 2)
with tf.Graph().as_default() as graph:
    made = [
        tf.nn.max_pool1d(sequences, 2, 2, "SAME"),
        tf.nn.avg_pool1d(sequences, 3, 1, "VALID"),
        tf.nn.max_pool2d(images, 3, 2, "SAME"),
        tf.nn.max_pool3d(volumes, 2, 2, "SAME"),
        tf.nn.avg_pool3d(volumes, [1, 2, 2, 2, 1], [1, 2, 2, 2, 1], "SAME"),
        tf.nn.max_pool_v2(tf.constant(images), 2, 2, "VALID"),
        tf.nn.avg_pool_v2(tf.constant(sequences), 2, 2, "VALID"),
        tf.nn.pool(images, [2, 2], "MAX", "SAME"),
        tf.nn.pool(images, [2, 3], "AVG", "VALID", strides=[1, 2]),
        tf.nn.pool(images, [2, 2], "MAX", "VALID", dilation_rate=[2, 3]),
        tf.nn.pool(sequences, [2], "AVG", "SAME"),
        tf.nn.pool(sequences, [3], "MAX", "VALID", dilation_rate=[2]),
        tf.nn.pool(volumes, [2, 2, 2], "MAX", "SAME"),
    ]
    results["functions"] = tf.Session().run(made)
    results["shapes of functions"] = [str(y.get_shape()) for y in made]
    results["names of functions"] = ["%s: %s" % (op.name, op.type) for op in graph.get_operations()]

for name, function in (("max", tf.nn.max_pool3d), ("avg", tf.nn.avg_pool3d)):
    for window, stride, padding in ((2, 2, "SAME"), (2, 1, "SAME"), (3, 2, "SAME"), (2, 2, "VALID")):
        x = tf.constant(volumes)
        y = function(x, [1, window, window, window, 1], [1, stride, stride, stride, 1], padding)
        g = tf.constant(numbers(*y.get_shape().as_list()))
        (dx,) = tf.gradients(y, x, g)
        second = tf.gradients(dx, g, tf.constant(numbers(*volumes.shape))) if name == "avg" else []
        results["%s 3d %s %s %s" % (name, window, stride, padding)] = sess.run([y, dx] + second)

ksize = tf.placeholder(tf.int32, [4])
x = tf.constant(images)
dynamic = tf.raw_ops.MaxPoolV2(input=x, ksize=ksize, strides=[1, 2, 2, 1], padding="SAME")
results["windows fed"] = sess.run([dynamic] + tf.gradients(dynamic, x), {ksize: [1, 2, 3, 1]})

P = tf.placeholder
f = tf.float32
results["errors"] = [
    attempt(lambda: tf.nn.max_pool(P(f, [1, 3, 3, 3]), [1, 5, 5, 1], [1, 1, 1, 1], "VALID")),
    attempt(lambda: tf.nn.max_pool(P(f, [1, 3, 4]), [1, 1, 1, 2], [1, 1, 1, 2], "VALID")),
    attempt(lambda: tf.nn.max_pool(P(f, [1, 3, 3, 4]), [1, 2, 2, 1], [1, 2, 2], "VALID")),
    attempt(lambda: tf.nn.max_pool(P(f, [1, 3, 3, 4]), [1, 0, 2, 1], [1, 2, 2, 1], "VALID")),
    attempt(lambda: tf.nn.max_pool(P(f, [1, 3, 3, 4]), [1, 2, 2, 1], [1, 0, 2, 1], "VALID")),
    attempt(lambda: tf.nn.avg_pool(P(f, [1, 3, 3, 4]), [1, 4, 1, 1], [1, 1, 1, 1], "VALID")),
    attempt(lambda: tf.nn.pool(images, [2, 2], "MIN", "SAME")),
    attempt(lambda: tf.nn.pool(images, [2, 2], "MAX", "SAME", dilation_rate=[2, 2])),
    attempt(lambda: tf.nn.pool(images, [2, 2], "MAX", "SAME", strides=[3, 3])),
]
results["inferred"] = [
    attempt(lambda: tf.nn.max_pool(P(f, [None, None, 3, 3]), [1, 2, 2, 1], [1, 2, 2, 1], "SAME")),
    attempt(lambda: tf.nn.avg_pool(P(f), [1, 2, 2, 1], [1, 2, 2, 1], "SAME")),
    attempt(lambda: tf.nn.max_pool3d(P(f, [1, None, 3, 3, 4]), [1, 2, 2, 2, 1], [1, 2, 2, 2, 1], "VALID")),
]

tf.reset_default_graph()
x = P(f, [None, 8, 8, 3], "x")
first = tf.gradients(tf.nn.max_pool(x, 2, 2, "SAME"), x)
tf.gradients(tf.nn.avg_pool(x, 2, 2, "SAME"), x)
results["names"] = ["%s: %s" % (op.name, op.type) for op in tf.get_default_graph().get_operations()]
