"""Capsules routed by agreement, with a decoder."""

import numpy as np
import tensorflow as tf

tf.set_random_seed(2)
rng = np.random.RandomState(0)
B = 8
x = tf.placeholder(tf.float32, [B, 20, 20, 1])
y = tf.placeholder(tf.int32, [B])
Y = tf.one_hot(y, 4)


def squash(v):
    n = tf.reduce_sum(tf.square(v), -2, keepdims=True)
    return n / (1 + n) / tf.sqrt(n + 1e-09) * v


c1 = tf.contrib.layers.conv2d(x, 16, kernel_size=9, stride=1, padding="VALID")
pc = tf.contrib.layers.conv2d(c1, 16, 5, 2, padding="VALID", activation_fn=tf.nn.relu)
caps = squash(tf.reshape(pc, (B, -1, 8, 1)))
N = caps.shape[1].value
inp = tf.reshape(caps, (B, N, 1, 8, 1))
W = tf.get_variable("Weight", shape=(1, N, 4 * 16, 8, 1), initializer=tf.random_normal_initializer(stddev=0.01))
bias = tf.get_variable("bias", shape=(1, 1, 4, 16, 1))
u = tf.reshape(tf.reduce_sum(W * tf.tile(inp, [1, 1, 64, 1, 1]), axis=3, keepdims=True), [-1, N, 4, 16, 1])
us = tf.stop_gradient(u, name="stop_gradient")
b = tf.constant(np.zeros([B, N, 4, 1, 1], dtype=np.float32))
for r in range(3):
    with tf.variable_scope("iter_" + str(r)):
        c = tf.nn.softmax(b, axis=2)
        if r == 2:
            v = squash(tf.reduce_sum(tf.multiply(c, u), axis=1, keepdims=True) + bias)
        else:
            v = squash(tf.reduce_sum(tf.multiply(c, us), axis=1, keepdims=True) + bias)
            b += tf.reduce_sum(us * tf.tile(v, [1, N, 1, 1, 1]), axis=3, keepdims=True)
v = tf.squeeze(v, axis=1)
vl = tf.sqrt(tf.reduce_sum(tf.square(v), axis=2, keepdims=True) + 1e-09)
masked = tf.multiply(tf.squeeze(v), tf.reshape(Y, (-1, 4, 1)))
dec = tf.contrib.layers.fully_connected(tf.reshape(masked, (B, -1)), 64)
dec = tf.contrib.layers.fully_connected(dec, 400, activation_fn=tf.sigmoid)
ml = tf.square(tf.maximum(0.0, 0.9 - vl))
mr = tf.square(tf.maximum(0.0, vl - 0.1))
ml, mr = (tf.reshape(ml, (B, -1)), tf.reshape(mr, (B, -1)))
loss = tf.reduce_mean(tf.reduce_sum(Y * ml + 0.5 * (1 - Y) * mr, axis=1)) + 0.0005 * 400 * tf.reduce_mean(
    tf.square(dec - tf.reshape(x, (B, -1)))
)
op = tf.train.AdamOptimizer().minimize(loss)
X = rng.rand(B, 20, 20, 1)
L = rng.randint(0, 4, B)
results = {"losses": [], "trainable": [v.name for v in tf.trainable_variables()]}
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(4):
        results["losses"].append(sess.run([loss, vl, op], {x: X, y: L})[:2])
