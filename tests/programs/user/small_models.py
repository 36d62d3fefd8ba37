"""Small models of many kinds, each trained for a few steps: what they print must be what TensorFlow printed."""

import math

import numpy as np
import tensorflow as tf

random = np.random.RandomState(7)
results = {}


def train(name, op, fetches, feed=None, steps=15):
    with tf.Session() as sess:
        sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        results[name] = [sess.run([op] + fetches, feed)[1:] for _ in range(steps)][:: max(steps // 5, 1)]


def start(seed=13):
    tf.reset_default_graph()
    tf.set_random_seed(seed)


start()
inputs, labels = tf.placeholder(tf.int32, [16]), tf.placeholder(tf.int32, [16, 1])
embeddings = tf.Variable(tf.random_uniform([50, 8], -1.0, 1.0))
embedded = tf.nn.embedding_lookup(embeddings, inputs)
nce_weights = tf.Variable(tf.truncated_normal([50, 8], stddev=1.0 / math.sqrt(8)))
nce_biases = tf.Variable(tf.zeros([50]))
loss = tf.reduce_mean(tf.nn.nce_loss(nce_weights, nce_biases, labels, embedded, 6, 50))
sampled = tf.reduce_mean(tf.nn.sampled_softmax_loss(nce_weights, nce_biases, labels, embedded, 6, 50))
ops = [tf.train.GradientDescentOptimizer(1.0).minimize(loss), tf.train.AdagradOptimizer(0.3).minimize(sampled)]
words = random.randint(0, 50, 16)
train("word vectors", ops[0], [loss], {inputs: words, labels: words[::-1, None]})
train("word vectors, softmax", ops[1], [sampled], {inputs: words, labels: words[::-1, None]})

start()
users, items, rates = tf.placeholder(tf.int32, [None]), tf.placeholder(tf.int32, [None]), tf.placeholder(tf.float32)
user_table, item_table = tf.get_variable("users", [20, 4]), tf.get_variable("items", [30, 4])
bias = tf.get_variable("bias", [20])
user, item = tf.nn.embedding_lookup(user_table, users), tf.gather(item_table, items)
predicted = tf.reduce_sum(tf.multiply(user, item), 1) + tf.nn.embedding_lookup(bias, users)
cost = tf.nn.l2_loss(predicted - rates) + 0.05 * tf.add(tf.nn.l2_loss(user), tf.nn.l2_loss(item))
feed = {users: random.randint(0, 20, 40), items: random.randint(0, 30, 40), rates: random.uniform(1, 5, 40)}
for optimizer in [
    tf.train.FtrlOptimizer(0.05),
    tf.train.AdamOptimizer(0.02),
    tf.train.RMSPropOptimizer(0.01, momentum=0.5),
    tf.train.MomentumOptimizer(0.01, 0.9),
    tf.train.AdadeltaOptimizer(0.5),
    tf.train.ProximalAdagradOptimizer(0.05, l1_regularization_strength=0.01),
]:
    train("factors, " + optimizer.get_name(), optimizer.minimize(cost), [cost], feed)

start()
data = random.uniform(size=[10, 12]).astype(np.float32)
x = tf.placeholder(tf.float32, [None, 12])
w = tf.get_variable("w", [12, 6], initializer=tf.glorot_uniform_initializer())
hidden = tf.nn.softplus(tf.matmul(x, w))
mean, log_variance = tf.split(hidden, 2, 1)
code = mean + tf.exp(0.5 * log_variance) * tf.random_normal(tf.shape(mean))
decoded = tf.nn.sigmoid(tf.matmul(code, tf.get_variable("back", [3, 12])))
likelihood = tf.reduce_sum(x * tf.log(1e-10 + decoded) + (1 - x) * tf.log(1e-10 + 1 - decoded), 1)
divergence = -0.5 * tf.reduce_sum(1 + log_variance - tf.square(mean) - tf.exp(log_variance), 1)
loss = tf.reduce_mean(divergence - likelihood)
train("variational autoencoder", tf.train.AdamOptimizer(0.01).minimize(loss), [loss], {x: data})

start()
points = np.concatenate([random.normal(size=[20, 2]) + shift for shift in (-3, 0, 3)]).astype(np.float32)
centres = tf.Variable(tf.slice(tf.random_shuffle(points, seed=3), [0, 0], [3, -1]))
distance = tf.reduce_sum(tf.squared_difference(tf.expand_dims(points, 0), tf.expand_dims(centres, 1)), 2)
nearest = tf.argmin(distance, 0)
means = [tf.reduce_mean(tf.gather(points, tf.where(tf.equal(nearest, c))[:, 0]), 0) for c in range(3)]
train("k-means", centres.assign(tf.stack(means)), [tf.reduce_sum(tf.reduce_min(distance, 0))])

start()
at = tf.constant(np.linspace(0, 5, 8).reshape(-1, 1))
seen = tf.sin(at)
scale, noise = tf.Variable(0.0, dtype=tf.float64), tf.Variable(-2.0, dtype=tf.float64)
kernel = tf.exp(-0.5 * (at - tf.transpose(at)) ** 2 / tf.exp(2 * scale))
factor = tf.cholesky(kernel + tf.exp(noise) * tf.eye(8, dtype=tf.float64))
whitened = tf.matrix_triangular_solve(factor, seen)
loss = 0.5 * tf.reduce_sum(whitened**2) + tf.reduce_sum(tf.log(tf.diag_part(factor)))
train("gaussian process", tf.train.AdamOptimizer(0.1).minimize(loss), [loss, scale, noise])

start()
visible = (random.uniform(size=[20, 9]) > 0.6).astype(np.float32)
w = tf.Variable(tf.random_normal([9, 5], 0, 0.1))
v = tf.placeholder(tf.float32, [None, 9])
h = tf.nn.sigmoid(tf.matmul(v, w))
drawn = tf.nn.relu(tf.sign(h - tf.random_uniform(tf.shape(h))))
again = tf.nn.sigmoid(tf.matmul(drawn, tf.transpose(w)))
change = tf.matmul(tf.transpose(v), h) - tf.matmul(tf.transpose(again), tf.nn.sigmoid(tf.matmul(again, w)))
train("boltzmann machine", w.assign_add(0.05 * change), [tf.reduce_mean(tf.square(v - again))], {v: visible})

start()
target = random.uniform(size=[1, 8, 8, 3]).astype(np.float32)
filters = tf.constant(random.normal(size=[3, 3, 3, 4]).astype(np.float32) * 0.3)


def gram(image):
    features = tf.reshape(tf.nn.relu(tf.nn.conv2d(image, filters, [1, 1, 1, 1], "SAME")), [-1, 4])
    return tf.matmul(features, features, transpose_a=True) / 64.0


image = tf.Variable(tf.random_normal([1, 8, 8, 3]) * 0.2)
smoothness = tf.nn.l2_loss(image[:, 1:] - image[:, :-1]) + tf.nn.l2_loss(image[:, :, 1:] - image[:, :, :-1])
loss = tf.reduce_sum((gram(image) - gram(target)) ** 2) + 0.01 * smoothness
train("style", tf.train.AdamOptimizer(0.1).minimize(loss), [loss, tf.norm(image)])
