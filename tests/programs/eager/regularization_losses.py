"""Eagerly, regularizers of variables leave the losses of first values; layers keep theirs to themselves."""

import tensorflow as tf

tf.enable_eager_execution()
results = {}
half_of_squares = tf.contrib.layers.l2_regularizer(1.0)


def collected():
    return [loss.numpy() for loss in tf.losses.get_regularization_losses()]


tf.get_variable("alone", [2], initializer=tf.ones_initializer(), regularizer=half_of_squares)
results["a variable"] = collected()
with tf.contrib.eager.EagerVariableStore().as_default():
    for _ in range(2):
        with tf.variable_scope("scope", reuse=tf.AUTO_REUSE, regularizer=half_of_squares):
            weights = tf.get_variable("weights", [3], initializer=tf.ones_initializer())
    results["one that is shared"] = collected()
    tf.get_variable("none", [3], initializer=tf.ones_initializer(), regularizer=lambda variable: None)
    results["a regularizer without a loss"] = collected()
weights.assign(weights * 2.0)
results["after an assignment"] = [*collected(), tf.losses.get_regularization_loss().numpy()]
tf.layers.dense(tf.ones([1, 2]), 2, kernel_regularizer=half_of_squares)
tf.contrib.layers.fully_connected(tf.ones([1, 2]), 2, weights_regularizer=half_of_squares)
results["layers"] = collected()
tf.contrib.layers.apply_regularization(half_of_squares, [tf.ones([4])])
results["applied"] = collected()
