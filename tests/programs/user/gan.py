"""Two players with their own variables, optimizers and steps; reuse by scope; convolutions there and back."""

import numpy as np
import tensorflow as tf

tf.set_random_seed(21)
random = np.random.RandomState(3)
results = {}
BATCH = 4


def linear(x, size, scope):
    with tf.variable_scope(scope):
        matrix = tf.get_variable(
            "Matrix", [x.get_shape().as_list()[1], size], tf.float32, tf.random_normal_initializer(stddev=0.1)
        )
        return tf.matmul(x, matrix) + tf.get_variable("bias", [size], initializer=tf.constant_initializer(0.0))


def generator(z):
    with tf.variable_scope("generator"):
        h = tf.nn.relu(tf.reshape(linear(z, 4 * 4 * 6, "g_h0"), [-1, 4, 4, 6]))
        w = tf.get_variable("g_w", [5, 5, 1, 6], initializer=tf.random_normal_initializer(stddev=0.1))
        up = tf.nn.conv2d_transpose(h, w, output_shape=[BATCH, 8, 8, 1], strides=[1, 2, 2, 1])
        return tf.nn.tanh(tf.nn.bias_add(up, tf.get_variable("g_b", [1], initializer=tf.zeros_initializer())))


def discriminator(image, reuse=False):
    with tf.variable_scope("discriminator") as scope:
        if reuse:
            scope.reuse_variables()
        w = tf.get_variable("d_w", [5, 5, 1, 4], initializer=tf.truncated_normal_initializer(stddev=0.1))
        h = tf.nn.conv2d(image, w, strides=[1, 2, 2, 1], padding="SAME")
        mean, variance = tf.nn.moments(h, [0, 1, 2])
        h = tf.nn.batch_norm_with_global_normalization(
            h, mean, variance, tf.zeros([4]), tf.ones([4]), 1e-5, scale_after_normalization=True
        )
        h = tf.maximum(h, 0.2 * h)
        return linear(tf.reshape(h, [BATCH, -1]), 1, "d_h1")


images = tf.placeholder(tf.float32, [BATCH, 8, 8, 1], name="images")
z = tf.placeholder(tf.float32, [None, 5], name="z")
fake = generator(z)
real_logits, fake_logits = discriminator(images), discriminator(fake, reuse=True)


def cross_entropy(logits, label):
    losses = tf.nn.sigmoid_cross_entropy_with_logits(logits=logits, labels=tf.fill(tf.shape(logits), label))
    return tf.reduce_mean(losses)


d_loss = cross_entropy(real_logits, 0.9) + cross_entropy(fake_logits, 0.0)
g_loss = cross_entropy(fake_logits, 1.0)
of_d = [v for v in tf.trainable_variables() if "d_" in v.name]
of_g = [v for v in tf.trainable_variables() if "g_" in v.name]
d_train = tf.train.AdamOptimizer(0.002, beta1=0.5).minimize(d_loss, var_list=of_d)
g_step = tf.Variable(0, trainable=False, name="g_step")
g_rate = tf.train.exponential_decay(0.01, g_step, 4, 0.9, staircase=True)
g_train = tf.train.GradientDescentOptimizer(g_rate).minimize(g_loss, global_step=g_step, var_list=of_g)
# The gradient penalty of Gulrajani et al. (arXiv:1704.00028).
between = images + 0.3 * (fake - images)
slopes = tf.sqrt(tf.reduce_sum(tf.square(tf.gradients(discriminator(between, True), [between])[0]), [1, 2, 3]))
penalty = tf.reduce_mean((slopes - 1.0) ** 2)
of_penalty = tf.gradients(penalty, of_d[0])[0]

results["variables"] = [(v.name, str(v.get_shape())) for v in tf.global_variables()]
results["shapes"] = [str(t.get_shape()) for t in (fake, real_logits, slopes, of_penalty)]
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    steps = []
    for _ in range(6):
        feed = {images: random.uniform(-1, 1, [BATCH, 8, 8, 1]), z: random.uniform(-1, 1, [BATCH, 5])}
        sess.run(d_train, feed)
        sess.run(g_train, {z: feed[z]})
        steps.append(sess.run([d_loss, g_loss, penalty, g_rate], feed))
    results["losses"] = steps
    results["penalty gradient"] = sess.run(of_penalty, feed)
    results["step"] = sess.run(g_step)
