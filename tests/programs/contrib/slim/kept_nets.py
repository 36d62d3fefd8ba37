"""Networks as people kept them beside slim (LeNet, CifarNet, MobileNet): names, and a few steps of training."""

import numpy as np
import tensorflow as tf
import tensorflow.contrib.slim as slim

results = {}


def lenet(images, classes, is_training, scope="LeNet"):
    end_points = {}
    with tf.variable_scope(scope, "LeNet", [images]):
        net = end_points["conv1"] = slim.conv2d(images, 8, [5, 5], scope="conv1")
        net = end_points["pool1"] = slim.max_pool2d(net, [2, 2], 2, scope="pool1")
        net = end_points["conv2"] = slim.conv2d(net, 16, [5, 5], scope="conv2")
        net = slim.flatten(slim.max_pool2d(net, [2, 2], 2, scope="pool2"))
        net = end_points["fc3"] = slim.fully_connected(net, 32, scope="fc3")
        net = slim.dropout(net, 1.0, is_training=is_training, scope="dropout3")
        logits = end_points["Logits"] = slim.fully_connected(net, classes, activation_fn=None, scope="fc4")
        end_points["Predictions"] = slim.softmax(logits, scope="Predictions")
    return logits, end_points


def lenet_arg_scope(weight_decay=0.01):
    with slim.arg_scope(
        [slim.conv2d, slim.fully_connected],
        weights_regularizer=slim.l2_regularizer(weight_decay),
        weights_initializer=tf.truncated_normal_initializer(stddev=0.1),
        activation_fn=tf.nn.relu,
    ) as scope:
        return scope


def cifarnet(images, classes, is_training, scope="CifarNet"):
    with tf.variable_scope(scope, "CifarNet", [images]):
        net = slim.conv2d(images, 8, [5, 5], scope="conv1")
        net = tf.nn.lrn(
            slim.max_pool2d(net, [2, 2], 2, scope="pool1"), 4, bias=1.0, alpha=0.001 / 9.0, beta=0.75, name="norm1"
        )
        net = slim.conv2d(net, 8, [5, 5], scope="conv2")
        net = slim.max_pool2d(
            tf.nn.lrn(net, 4, bias=1.0, alpha=0.001 / 9.0, beta=0.75, name="norm2"), [2, 2], 2, scope="pool2"
        )
        net = slim.fully_connected(slim.flatten(net), 24, scope="fc3")
        logits = slim.fully_connected(
            net,
            classes,
            biases_initializer=tf.zeros_initializer(),
            weights_regularizer=None,
            activation_fn=None,
            scope="logits",
        )
    return logits, {"Logits": logits}


def cifarnet_arg_scope(weight_decay=0.004):
    start = tf.truncated_normal_initializer(stddev=5e-2)
    decay = slim.l2_regularizer(weight_decay)
    with slim.arg_scope([slim.conv2d], weights_initializer=start, activation_fn=tf.nn.relu):  # noqa: SIM117
        with slim.arg_scope(
            [slim.fully_connected], biases_initializer=tf.constant_initializer(0.1), weights_regularizer=decay
        ) as scope:
            return scope


def mobilenet(images, classes, is_training, scope="MobilenetV1", multiplier=0.25):
    def depth(size):
        return max(int(size * multiplier), 4)

    end_points = {}
    with tf.variable_scope(scope, "MobilenetV1", [images]):  # noqa: SIM117  as such files nest them
        with slim.arg_scope([slim.batch_norm, slim.dropout], is_training=is_training):
            with slim.arg_scope([slim.conv2d, slim.separable_conv2d], padding="SAME"):
                net = slim.conv2d(images, depth(32), [3, 3], stride=2, normalizer_fn=slim.batch_norm, scope="Conv2d_0")
                for i, (size, stride) in enumerate([(64, 1), (128, 2), (128, 1), (256, 2)], 1):
                    net = slim.separable_conv2d(
                        net,
                        None,
                        [3, 3],
                        depth_multiplier=1,
                        stride=stride,
                        rate=1,
                        normalizer_fn=slim.batch_norm,
                        scope="Conv2d_%d_depthwise" % i,
                    )
                    net = end_points["Conv2d_%d" % i] = slim.conv2d(
                        net,
                        depth(size),
                        [1, 1],
                        stride=1,
                        normalizer_fn=slim.batch_norm,
                        scope="Conv2d_%d_pointwise" % i,
                    )
            with tf.variable_scope("Logits"):
                net = slim.avg_pool2d(net, net.shape.as_list()[1:3], padding="VALID", scope="AvgPool_1a")
                net = slim.dropout(net, keep_prob=1.0, scope="Dropout_1b")
                net = slim.conv2d(net, classes, [1, 1], activation_fn=None, normalizer_fn=None, scope="Conv2d_1c_1x1")
                logits = tf.squeeze(net, [1, 2], name="SpatialSqueeze")
    return logits, end_points


def mobilenet_arg_scope(is_training=True, weight_decay=0.00004, stddev=0.09):
    batch_norm = {"is_training": is_training, "center": True, "scale": True, "decay": 0.9, "epsilon": 0.001}
    regularizer = tf.contrib.layers.l2_regularizer(weight_decay)
    common = {"weights_initializer": tf.truncated_normal_initializer(stddev=stddev), "activation_fn": tf.nn.relu6}
    common["normalizer_fn"] = slim.batch_norm
    # As such files nest them.
    with slim.arg_scope([slim.conv2d, slim.separable_conv2d], **common):  # noqa: SIM117
        with slim.arg_scope([slim.batch_norm], **batch_norm):
            with slim.arg_scope([slim.conv2d], weights_regularizer=regularizer):
                with slim.arg_scope([slim.separable_conv2d], weights_regularizer=None) as scope:
                    return scope


def train(name, network, scope, size, channels, optimizer):
    random = np.random.RandomState(3)
    with tf.Graph().as_default():
        images = tf.placeholder(tf.float32, [8, size, size, channels])
        labels = tf.placeholder(tf.int32, [8])
        with slim.arg_scope(scope):
            logits, end_points = network(images, 5, is_training=True)
        slim.losses.softmax_cross_entropy(logits, slim.one_hot_encoding(labels, 5), label_smoothing=0.1)
        total = slim.losses.get_total_loss()
        train_op = slim.learning.create_train_op(total, optimizer, clip_gradient_norm=4.0, summarize_gradients=True)
        with slim.arg_scope(scope), tf.variable_scope(tf.get_variable_scope(), reuse=True):
            evaluated, _ = network(images, 5, is_training=False)
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            for v in slim.get_model_variables():
                shape = v.shape.as_list()
                if v.op.name.endswith(("weights", "depthwise_weights")):
                    v.load(
                        (random.standard_normal(shape) * np.sqrt(2.0 / np.prod(shape[:-1]))).astype(np.float32), sess
                    )
            losses = []
            for _ in range(4):
                feed = {images: random.uniform(-1, 1, images.shape.as_list()), labels: random.randint(0, 5, 8)}
                losses.append(float(sess.run(train_op, feed)))
            results[name] = {
                "losses": losses,
                "logits": sess.run(evaluated, feed),
                "variables": ["%s %s" % (v.name, v.shape) for v in slim.get_model_variables()],
                "slots": len(tf.global_variables()),
                "points": sorted("%s %s" % (key, t.name) for key, t in end_points.items()),
                "losses names": [t.name for t in tf.losses.get_losses() + tf.losses.get_regularization_losses()],
                "updates": [op.name for op in tf.get_collection(tf.GraphKeys.UPDATE_OPS)],
                "step": int(sess.run(slim.get_global_step())),
            }


train("lenet", lenet, lenet_arg_scope(), 28, 1, tf.train.MomentumOptimizer(0.01, 0.9))
train("cifarnet", cifarnet, cifarnet_arg_scope(), 32, 3, tf.train.GradientDescentOptimizer(0.01))
train("mobilenet", mobilenet, mobilenet_arg_scope(), 32, 3, tf.train.RMSPropOptimizer(0.001, momentum=0.9, epsilon=1.0))
