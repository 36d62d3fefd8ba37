"""Model functions that make something of the labels in every mode, as those of before 1.0 did."""

import numpy as np
import tensorflow as tf

results = {"seen": {}}


def model_fn(features, labels, mode):
    results["seen"][mode] = [labels.op.type, labels.dtype.name, labels.shape.as_list()]
    targets = tf.one_hot(labels, 3, 1.0, 0.0)
    logits = tf.contrib.layers.fully_connected(
        tf.to_float(features), 3, activation_fn=None, weights_initializer=tf.constant_initializer(0.25)
    )
    loss = tf.losses.softmax_cross_entropy(targets, logits)
    train_op = tf.contrib.layers.optimize_loss(loss, tf.train.get_global_step(), optimizer="SGD", learning_rate=0.1)
    return {"class": tf.argmax(logits, 1), "logits": logits}, loss, train_op


x = np.random.RandomState(0).rand(12, 4).astype(np.float32)
y = np.arange(12) % 3
estimator = tf.contrib.learn.Estimator(model_fn, config=tf.contrib.learn.RunConfig(tf_random_seed=1))
estimator.fit(x, y, steps=5, batch_size=12)
results["evaluated"] = float(estimator.evaluate(x, y, steps=1, batch_size=12)["loss"])
results["predicted"] = [each["logits"] for each in estimator.predict(x, as_iterable=True)]
