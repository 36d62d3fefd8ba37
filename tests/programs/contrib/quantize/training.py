"""Training with simulated quantisation: losses, ranges and weights, and the checkpoint in the graph for inference."""

import numpy as np
import tensorflow as tf

slim = tf.contrib.slim
quantize = tf.contrib.quantize
results = {}

rng = np.random.RandomState(3)
IMAGES = rng.rand(8, 8, 8, 2).astype(np.float32)
LABELS = rng.randint(0, 3, 8)


def spread(shape, dtype=None, partition_info=None):
    count = int(np.prod(shape))
    return tf.reshape(tf.cos(tf.range(count, dtype=tf.float32) * 1.7) * 0.4, shape)


def model(training, fused, scale=True):
    x = tf.constant(IMAGES)
    norm = {
        "normalizer_fn": slim.batch_norm,
        "normalizer_params": {"is_training": training, "fused": fused, "scale": scale, "decay": 0.8},
    }
    with slim.arg_scope([slim.conv2d, slim.fully_connected], weights_initializer=spread):
        net = slim.conv2d(x, 4, [3, 3], stride=2, activation_fn=tf.nn.relu6, scope="first", **norm)
        net = slim.separable_conv2d(net, None, [3, 3], 1, weights_initializer=spread, scope="depth", **norm)
        net = net + slim.conv2d(net, 4, [1, 1], scope="second", **norm)
        net = slim.flatten(net)
        net = slim.fully_connected(net, 6, scope="hidden")
        return slim.fully_connected(net, 3, activation_fn=None, scope="logits")


def trained(steps, fused=True, scale=True, **options):
    with tf.Graph().as_default(), tf.Session() as sess:
        loss = tf.losses.sparse_softmax_cross_entropy(LABELS, model(True, fused, scale))
        quantize.experimental_create_training_graph(**options)
        train = tf.train.GradientDescentOptimizer(0.05).minimize(loss)
        sess.run(tf.global_variables_initializer())
        losses = []
        for _ in range(steps):
            losses.append(sess.run(loss))
            sess.run(train)
            # The layers read the averages that their updates write in the same step, in any order.
            for variable in tf.global_variables():
                if "BatchNorm/moving" in variable.name:
                    variable.load(sess.run(variable) * 0.9 + 0.05, sess)
        values = {v.op.name: v for v in tf.global_variables()}
        return losses, sess.run(values)


def evaluated(values, fused=True, **options):
    with tf.Graph().as_default(), tf.Session() as sess:
        logits = model(False, fused)
        quantize.experimental_create_eval_graph(**options)
        for variable in tf.global_variables():
            variable.load(values[variable.op.name], sess)
        return sess.run(logits)


def summary(values):
    return {
        name: value if np.size(value) < 20 else [np.sum(value), np.sum(np.square(value))]
        for name, value in values.items()
    }


for name, steps, options in [
    ("fused", 3, {}),
    ("unfused", 3, {"fused": False}),
    ("unscaled", 3, {"scale": False}),
    ("delayed", 3, {"quant_delay": 2}),
    ("frozen", 3, {"freeze_bn_delay": 4}),
    ("symmetric", 3, {"symmetric": True}),
    ("few_bits", 1, {"weight_bits": 4, "activation_bits": 5}),
]:
    losses, values = trained(steps, **options)
    results[name] = [losses, summary(values)] if steps > 1 else losses
    if name == "fused":
        results["evaluated"] = evaluated(values)
        results["evaluated_unfused"] = evaluated(values, fused=False)
