"""Copies of a model on several devices: shared variables, losses collected by scope, averaged gradients, averages."""

import re

import numpy as np
import tensorflow as tf

random = np.random.RandomState(3)
results = {}


def variable(name, shape, initializer, decay=None):
    with tf.device("/cpu:0"):
        made = tf.get_variable(name, shape, initializer=initializer, dtype=tf.float32)
    if decay is not None:
        tf.add_to_collection("losses", tf.multiply(tf.nn.l2_loss(made), decay, name="weight_loss"))
    return made


def inference(images):
    with tf.variable_scope("conv1") as scope:
        kernel = variable("weights", [3, 3, 2, 4], tf.truncated_normal_initializer(stddev=0.1), 0.0)
        biases = variable("biases", [4], tf.constant_initializer(0.0))
        conv = tf.nn.conv2d(images, kernel, [1, 1, 1, 1], padding="SAME")
        conv1 = tf.nn.relu(tf.nn.bias_add(conv, biases), name=scope.name)
    norm1 = tf.nn.lrn(conv1, 4, bias=1.0, alpha=0.001 / 9.0, beta=0.75, name="norm1")
    pool1 = tf.nn.max_pool(norm1, ksize=[1, 3, 3, 1], strides=[1, 2, 2, 1], padding="SAME", name="pool1")
    with tf.variable_scope("linear") as scope:
        flat = tf.reshape(pool1, [pool1.get_shape()[0].value, -1])
        weights = variable("weights", [flat.get_shape()[1].value, 3], tf.truncated_normal_initializer(stddev=0.1), 0.04)
        biases = variable("biases", [3], tf.constant_initializer(0.1))
        return tf.add(tf.matmul(flat, weights), biases, name=scope.name)


with tf.Graph().as_default() as graph, tf.device("/cpu:0"):
    tf.set_random_seed(4)
    global_step = tf.get_variable("global_step", [], initializer=tf.constant_initializer(0), trainable=False)
    rate = tf.train.exponential_decay(0.1, global_step, 3, 0.5, staircase=True)
    optimizer = tf.train.MomentumOptimizer(rate, 0.9)
    towers, losses = [], []
    with tf.variable_scope(tf.get_variable_scope()):
        for i in range(2):
            with tf.device("/gpu:%d" % i), tf.name_scope("tower_%d" % i) as scope:
                images = tf.constant(random.uniform(size=[3, 6, 6, 2]).astype(np.float32))
                labels = tf.constant(random.randint(0, 3, 3))
                cross_entropy = tf.nn.sparse_softmax_cross_entropy_with_logits(
                    labels=labels, logits=inference(images), name="cross_entropy"
                )
                tf.add_to_collection("losses", tf.reduce_mean(cross_entropy, name="mean"))
                collected = tf.get_collection("losses", scope)
                losses.append(tf.add_n(collected, name="total_loss"))
                results[scope] = [re.sub("tower_[0-9]*/", "", loss.op.name) for loss in collected]
                tf.get_variable_scope().reuse_variables()
                towers.append(optimizer.compute_gradients(losses[-1]))
    grads_and_vars = []
    for pairs in zip(*towers):
        stacked = tf.concat([tf.expand_dims(grad, 0) for grad, _ in pairs], 0)
        grads_and_vars.append((tf.reduce_mean(stacked, 0), pairs[0][1]))
    apply_gradients = optimizer.apply_gradients(grads_and_vars, global_step=global_step)
    averages = tf.train.ExponentialMovingAverage(0.9, global_step)
    train = tf.group(apply_gradients, averages.apply(tf.trainable_variables()))
    init = tf.global_variables_initializer()
    results["devices"] = [losses[1].device, grads_and_vars[0][0].device, grads_and_vars[0][1].device, train.device]
    results["to restore"] = sorted(averages.variables_to_restore())
    results["variables"] = [v.name for v in tf.global_variables()]

with tf.Session(graph=graph, config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    sess.run(init)
    results["losses"] = [sess.run([train, rate] + losses)[1:] for _ in range(8)]
    results["averages"] = [sess.run(averages.average(v)) for _, v in grads_and_vars]
