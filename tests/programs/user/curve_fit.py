"""Least squares by Adam: the three coefficients of a parabola from noiseless samples, new ones each step."""

import numpy as np
import tensorflow as tf

tf.set_random_seed(7)
x = tf.placeholder(tf.float32)
y = tf.placeholder(tf.float32)
w = tf.get_variable("w", shape=[3, 1])
features = tf.stack([tf.square(x), x, tf.ones_like(x)], 1)
fitted = tf.squeeze(tf.matmul(features, w), 1)
loss = tf.nn.l2_loss(fitted - y) + 0.1 * tf.nn.l2_loss(w)
train = tf.train.AdamOptimizer(0.1).minimize(loss)

random = np.random.RandomState(11)


def samples():
    xs = random.uniform(-10.0, 10.0, size=100)
    return xs, 5 * np.square(xs) + 3


with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    first = sess.run(w)
    losses = []
    for _ in range(1000):
        xs, ys = samples()
        losses.append(sess.run([train, loss], {x: xs, y: ys})[1])
    found = sess.run(w)

results = {
    "shapes": [str(v.get_shape()) for v in (x, features, fitted, loss)],
    "initial weights": first,
    "early losses": np.array(losses[:20]),
    "weights": found,
    "square, slope and offset are near 5, 0 and 3": bool(np.all(np.abs(found[:, 0] - [5, 0, 3]) < 0.6)),
}
