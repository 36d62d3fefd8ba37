"""Seeded random ops give TensorFlow's own numbers, run after run, and begin anew in another session."""

import numpy as np
import tensorflow as tf

results = {}
size = tf.placeholder(tf.int32, [None])
logits = np.log([[0.1, 0.2, 0.7], [0.5, 0.25, 0.25]]).astype(np.float32)

tf.set_random_seed(42)
draws = [
    ("uniform", tf.random_uniform([2, 3])),
    ("uniform, op seed", tf.random_uniform([5], -1.0, 3.0, seed=7)),
    ("uniform float64", tf.random_uniform([3], dtype=tf.float64)),
    ("uniform float16", tf.random_uniform([3], dtype=tf.float16)),
    ("uniform int32", tf.random_uniform([6], -3, 12, tf.int32)),
    ("uniform int64", tf.random_uniform([3], 5, 10**12, tf.int64)),
    ("uniform, shape fed", tf.random_uniform(size)),
    ("uniform, empty", tf.random_uniform([0, 2])),
    ("uniform, scalar", tf.random_uniform([])),
    ("normal", tf.random_normal([4], 1.0, 0.5)),
    ("normal float64", tf.random_normal([2, 2], dtype=tf.float64)),
    ("normal, mean by column", tf.random_normal([2, 3], mean=[0.0, 10.0, 20.0])),
    ("truncated", tf.truncated_normal([7])),
    ("truncated, deviation", tf.truncated_normal([3], stddev=0.1, seed=5)),
    ("truncated float64", tf.truncated_normal([5], dtype=tf.float64)),
    ("shuffle", tf.random_shuffle(tf.range(8))),
    ("shuffle rows", tf.random_shuffle(np.arange(6).reshape(3, 2))),
    ("shuffle strings", tf.random_shuffle(tf.constant(["a", "b", "c", "d"]))),
    ("multinomial", tf.multinomial(logits, 6)),
    ("categorical int32", tf.random.categorical(logits, 4, dtype=tf.int32)),
    ("gamma", tf.random_gamma([3], [0.5, 2.0, 30.0])),
    ("gamma, rates", tf.random_gamma([2], [1.0, 2.0], beta=[[3.0], [4.0]], dtype=tf.float64)),
    ("poisson", tf.random_poisson([0.5, 8.0, 40.0], [4])),
    ("poisson int32", tf.random_poisson([3.0], [2], dtype=tf.int32)),
    ("crop", tf.random_crop(np.arange(20).reshape(4, 5), [2, 3])),
    ("crop, op seed", tf.random_crop(np.arange(20).reshape(4, 5), [4, 2], seed=1)),
]
stateless = [
    ("stateless uniform", tf.random.stateless_uniform([5], [1, 2])),
    ("stateless uniform int", tf.random.stateless_uniform([5], [1, 2], 0, 100, tf.int32)),
    ("stateless normal", tf.random.stateless_normal([5], [3, -4])),
    ("stateless truncated", tf.random.stateless_truncated_normal([5], [0, 0], dtype=tf.float64)),
    ("stateless classes", tf.random.stateless_categorical(logits, 5, [7, 8])),
]
feeds = {size: [2, 2]}
for name, tensor in draws:
    with tf.Session() as sess:
        results[name] = [sess.run(tensor, feeds) for _ in range(3)]
    with tf.Session() as sess:
        results[name + ", a new session"] = sess.run(tensor, feeds)
    results[name + ", static"] = [str(tensor.get_shape()), tensor.dtype.name]
with tf.Session() as sess:
    for name, tensor in stateless:
        results[name] = [sess.run(tensor), sess.run(tensor)]
        results[name + ", static"] = [str(tensor.get_shape()), tensor.dtype.name]
    results["different ops, different numbers"] = bool(
        np.all(sess.run(tf.random_uniform([3])) != sess.run(tf.random_uniform([3])))
    )
results["seeds"] = [list(tf.get_seed(5)), list(tf.get_seed(2**31)), tf.get_seed(None)[0]]

with tf.Graph().as_default():
    results["seeds, no graph seed"] = [list(tf.get_seed(5)), list(tf.get_seed(None))]
    tf.set_random_seed(0)
    results["seeds, all zero"] = list(tf.get_seed(0))

with tf.Graph().as_default():
    only_op = tf.random_uniform([3], seed=12)
    unseeded = tf.random_uniform([50])
    integers = tf.random_uniform([50], 3, 6, tf.int32)
    with tf.Session() as sess:
        results["op seed alone"] = [sess.run(only_op), sess.run(only_op)]
        a, b = sess.run(unseeded), sess.run(unseeded)
        results["unseeded"] = [bool((a != b).any()), bool((a >= 0).all() and (a < 1).all())]
        results["unseeded integers"] = sorted(set(sess.run(integers).tolist()))
        results["unseeded truncated"] = bool((abs(sess.run(tf.truncated_normal([500]))) < 2).all())
        results["unseeded shuffle"] = sorted(sess.run(tf.random_shuffle(tf.range(9))).tolist())
        classes = sess.run(tf.multinomial([[0.0, -1e9, 0.0]], 200))
        results["unseeded classes"] = sorted(set(classes.ravel().tolist()))
        results["unseeded gamma"] = bool((sess.run(tf.random_gamma([9], 2.0)) > 0).all())
        results["unseeded poisson"] = str(sess.run(tf.random_poisson([1.0, 2.0], [3])).shape)


def message_kind(make, feeds=None):
    try:
        tensor = make()
        with tf.Session() as sess:
            sess.run(tensor, feeds)
    except (ValueError, TypeError, tf.errors.OpError) as error:
        return type(error).__name__
    return "no error"


results["no maximum for integers"] = message_kind(lambda: tf.random_uniform([2], dtype=tf.int32))
results["type"] = message_kind(lambda: tf.random_uniform([2], dtype=tf.int8))
results["empty range"] = message_kind(lambda: tf.random_uniform([2], 5, 5, tf.int32))
results["shape a matrix"] = message_kind(lambda: tf.random_normal([[2]]))
results["crop too large"] = message_kind(lambda: tf.random_crop(tf.placeholder_with_default([1, 2], [None]), [3]))
results["logits a vector"] = message_kind(lambda: tf.multinomial([1.0, 2.0], 3))
results["three seeds"] = message_kind(lambda: tf.random.stateless_uniform([3], [1, 2, 3]))

alpha = tf.constant([0.3, 1.0, 4.0, 40.0])
beta = tf.constant([1.0, 2.0, 3.0, 4.0])
sample = tf.random_gamma([2], alpha, beta, seed=3)
with tf.Session() as sess:
    results["gamma gradient"] = sess.run(tf.gradients(sample, [alpha, beta]))
results["no gradient"] = [str(g) for g in tf.gradients(tf.random_uniform([2], seed=1), [beta])]
