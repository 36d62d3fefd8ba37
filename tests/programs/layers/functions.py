"""tf.layers: values, names of operations and variables, collections, and training steps with UPDATE_OPS."""

import numpy as np
import tensorflow as tf

results = {}
R = np.random.RandomState(7)


def describe(outputs, inputs, feed, train=True):
    """Everything there is to compare about what the default graph has."""
    graph = tf.get_default_graph()
    found = {
        "ops": [op.name + ":" + op.type for op in graph.get_operations()],
        "variables": [[v.name, v.shape.as_list()] for v in tf.global_variables()],
        "trainable": [v.name for v in tf.trainable_variables()],
        "updates": [u.name for u in tf.get_collection(tf.GraphKeys.UPDATE_OPS)],
        "losses": [u.name for u in tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)],
        "outputs": [[o.name, str(o.shape)] for o in outputs],
    }
    loss = tf.add_n([tf.reduce_mean(tf.square(o)) for o in outputs])
    r = np.random.RandomState(3)
    with tf.Session() as sess:
        for v in tf.global_variables():
            v.load(r.uniform(0.1, 0.9, v.shape.as_list()).astype(np.float32), sess)
        found["values"] = sess.run(outputs, feed)
        if train:
            with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
                step = tf.train.GradientDescentOptimizer(0.01).minimize(loss)
            for _ in range(3):
                sess.run(step, feed)
            found["after"] = [[float(v.sum()), float(abs(v).sum())] for v in sess.run(tf.global_variables())]
            found["loss"] = sess.run(loss, feed)
    tf.reset_default_graph()
    return found


def l2(v):
    return 0.01 * tf.reduce_sum(v * v)


x = tf.placeholder(tf.float32, [None, 5], name="x")
a = tf.layers.dense(x, 4, activation=tf.nn.relu, kernel_regularizer=l2, bias_regularizer=l2)
b = tf.layers.dense(a, 3, use_bias=False, name="named")
c = tf.layers.dense(a, 3, use_bias=False, name="named", reuse=True)
with tf.variable_scope("outer"):
    d = tf.layers.dense(b, 2, activity_regularizer=l2)
e = tf.layers.dense(tf.reshape(x, [-1, 1, 5]), 3)
f = tf.layers.flatten(e)
results["dense"] = describe([a, b, c, d, e, f], x, {x: R.randn(6, 5)})

x = tf.placeholder(tf.float32, [2, 9, 8, 3], name="x")
y = tf.layers.conv2d(x, 4, 3, padding="same", activation=tf.nn.relu, kernel_regularizer=l2)
z = tf.layers.conv2d(y, 5, (3, 2), strides=(2, 1))
w = tf.layers.conv2d(y, 3, 3, dilation_rate=2, use_bias=False)
t = tf.layers.conv2d_transpose(z, 3, 3, strides=2, padding="same")
u = tf.layers.conv2d_transpose(z, 2, (4, 3), strides=(2, 1), padding="valid")
s = tf.layers.separable_conv2d(y, 6, 3, depth_multiplier=2, padding="same")
p = tf.layers.max_pooling2d(y, 2, 2)
q = tf.layers.average_pooling2d(y, (3, 2), (2, 1), padding="same")
results["conv2d"] = describe([y, z, w, t, u, s, p, q], x, {x: R.randn(2, 9, 8, 3)})

x = tf.placeholder(tf.float32, [None, 12, 3], name="x")
y = tf.layers.conv1d(x, 4, 3, padding="same")
z = tf.layers.conv1d(y, 2, 3, dilation_rate=2)
s = tf.layers.separable_conv1d(x, 5, 3, padding="valid")
p = tf.layers.max_pooling1d(y, 2, 2)
q = tf.layers.average_pooling1d(y, 3, 1, padding="same")
results["conv1d"] = describe([y, z, s, p, q], x, {x: R.randn(2, 12, 3)})

x = tf.placeholder(tf.float32, [None, 6, 7, 5, 2], name="x")
y = tf.layers.conv3d(x, 3, 3, padding="same")
z = tf.layers.conv3d_transpose(y, 2, 3, strides=2, padding="same")
p = tf.layers.max_pooling3d(y, 2, 2)
q = tf.layers.average_pooling3d(y, 2, 1)
results["conv3d"] = describe([y, z, p, q], x, {x: R.randn(1, 6, 7, 5, 2)})

x = tf.placeholder(tf.float32, [None, 4, 5, 3], name="x")
results["batch_norm_fused"] = describe(
    [tf.layers.batch_normalization(x, training=True), tf.layers.batch_normalization(x)], x, {x: R.randn(4, 4, 5, 3)}
)

x = tf.placeholder(tf.float32, [None, 6], name="x")
results["batch_norm_plain"] = describe(
    [
        tf.layers.batch_normalization(x, training=True, momentum=0.9, gamma_regularizer=l2),
        tf.layers.batch_normalization(x, scale=False),
    ],
    x,
    {x: R.randn(4, 6)},
)

for value in (True, False):
    x = tf.placeholder(tf.float32, [None, 4, 5, 3], name="x")
    is_training = tf.placeholder(tf.bool, [], name="is_training")
    y = tf.layers.batch_normalization(x, training=is_training, momentum=0.8)
    z = tf.layers.batch_normalization(tf.reduce_mean(y, [1, 2]), training=is_training, center=False)
    w = tf.layers.dropout(z, 0.0, training=is_training)
    results["batch_norm_switched_%s" % value] = describe([y, z, w], x, {x: R.randn(4, 4, 5, 3), is_training: value})

x = tf.placeholder(tf.float32, [6, 4, 5, 3], name="x")
y = tf.layers.batch_normalization(
    x, training=True, renorm=True, renorm_clipping={"rmax": 3.0, "rmin": 0.3, "dmax": 5.0}
)
results["batch_norm_renorm"] = describe([y], x, {x: R.randn(6, 4, 5, 3)})

x = tf.placeholder(tf.float32, [6, 4, 5, 3], name="x")
y = tf.layers.batch_normalization(x, training=True, virtual_batch_size=2)
z = tf.layers.batch_normalization(x, axis=[1, 3], training=True)
w = tf.layers.batch_normalization(x, axis=1, training=True, fused=False)
results["batch_norm_axes"] = describe([y, z, w], x, {x: R.randn(6, 4, 5, 3)})

x = tf.placeholder(tf.float32, [6, 3], name="x")
y = tf.layers.batch_normalization(
    x, training=True, adjustment=lambda shape: (tf.fill([shape[0], 1], 1.5), tf.fill([shape[0], 1], 0.25))
)
results["batch_norm_adjusted"] = describe([y], x, {x: R.randn(6, 3)})


def error(function):
    try:
        function()
    except (AttributeError, TypeError, ValueError) as e:
        return type(e).__name__
    return "none"


x = tf.placeholder(tf.float32, [None, None], name="x")
image = tf.placeholder(tf.float32, [None, 4, 4, 3], name="image")
results["errors"] = [
    error(lambda: tf.layers.dense(x, 3)),
    error(lambda: tf.layers.dense(tf.zeros([3]), 3)),
    error(lambda: tf.layers.dense(tf.zeros([3, 2], tf.int32), 3)),
    error(lambda: tf.layers.conv2d(x, 3, 3)),
    error(lambda: tf.layers.conv2d(image, 3, (3, 3, 3))),
    error(lambda: tf.layers.conv2d(image, 3, 3, padding="causal")),
    error(lambda: tf.layers.conv2d(image, 3, 3, data_format="NHWC")),
    error(lambda: tf.layers.conv2d(image, 3, 2, strides=2, dilation_rate=2)),
    error(lambda: tf.layers.max_pooling2d(image, 2, None)),
    error(lambda: tf.layers.batch_normalization(image, axis=7)),
    error(lambda: tf.layers.batch_normalization(image, axis="3")),
    error(lambda: tf.layers.batch_normalization(image, renorm=True, renorm_clipping={"x": 1})),
    error(lambda: tf.layers.dense(image, 3, name="again") is tf.layers.dense(image, 3, name="again")),
    error(lambda: tf.layers.dense(image, 4, name="again", reuse=True)),
    error(lambda: tf.layers.dense(image, 4, name="missing", reuse=True)),
    error(lambda: tf.layers.dense(image)),
]
