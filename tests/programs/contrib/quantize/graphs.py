"""Graphs as tf.contrib.quantize rewrites them: names, types, wiring and variables."""

import hashlib

import tensorflow as tf

slim = tf.contrib.slim
quantize = tf.contrib.quantize
results = {}


def batch_norm(fused, training, scale=True):
    return {"is_training": training, "fused": fused, "scale": scale, "decay": 0.9}


def convolutions(fused=True, training=True, scale=True, activation=tf.nn.relu6, dilated=False):
    x = tf.placeholder(tf.float32, [2, 8, 8, 3], name="images")
    norm = {"normalizer_fn": slim.batch_norm, "normalizer_params": batch_norm(fused, training, scale)}
    with slim.arg_scope([slim.conv2d, slim.separable_conv2d], activation_fn=activation, **norm):
        net = slim.conv2d(x, 4, [3, 3], stride=2, scope="first")
        net = slim.separable_conv2d(net, None, [3, 3], 1, rate=2 if dilated else 1, scope="depth")
        net = slim.conv2d(net, 5, [1, 1], scope="point")
    return slim.flatten(net)


def plain(training=True):
    x = tf.placeholder(tf.float32, [2, 8, 8, 3], name="images")
    net = slim.conv2d(x, 4, [3, 3], scope="conv")
    net = slim.max_pool2d(net, [2, 2], scope="pool")
    net = slim.flatten(net)
    net = slim.fully_connected(net, 6, scope="hidden")
    return slim.fully_connected(net, 3, activation_fn=None, scope="logits")


def residual(training=True, fused=True, after=False):
    x = tf.placeholder(tf.float32, [2, 8, 8, 3], name="images")
    norm = {"normalizer_fn": slim.batch_norm, "normalizer_params": batch_norm(fused, training)}
    with slim.arg_scope([slim.conv2d], **norm):
        net = slim.conv2d(x, 4, [3, 3], scope="stem")
        with tf.variable_scope("block"):
            branch = slim.conv2d(net, 4, [3, 3], scope="one")
            if after:
                net = net + slim.conv2d(branch, 4, [3, 3], scope="two")
            else:
                net = net + slim.conv2d(branch, 4, [3, 3], activation_fn=None, scope="two")
                net = tf.nn.relu(net)
        net = slim.conv2d(net, 2, [1, 1], scope="last")
    return tf.reduce_mean(net, [1, 2])


def scoped(training=True):
    with tf.variable_scope("in"):
        net = plain(training)
    with tf.variable_scope("out"):
        return slim.fully_connected(net, 4, scope="more")


def core_layers(training=True):
    x = tf.placeholder(tf.float32, [2, 8, 8, 3], name="images")
    net = tf.layers.conv2d(x, 4, 3, use_bias=False)
    net = tf.layers.batch_normalization(net, training=training)
    net = tf.nn.relu(net)
    net = tf.layers.conv2d(net, 4, 3, activation=tf.nn.relu)
    net = tf.layers.dense(tf.layers.flatten(net), 3)
    return net


def dense_norm(training=True):
    x = tf.placeholder(tf.float32, [4, 3], name="rows")
    norm = {"normalizer_fn": slim.batch_norm, "normalizer_params": batch_norm(True, training)}
    net = slim.fully_connected(x, 5, scope="one", **norm)
    return slim.fully_connected(net * net + net, 2, scope="two")


def resource(training=True):
    with tf.variable_scope("r", use_resource=True):
        x = tf.placeholder(tf.float32, [2, 8, 8, 3], name="images")
        net = slim.conv2d(x, 4, [3, 3], normalizer_fn=slim.batch_norm, normalizer_params=batch_norm(True, training))
        return slim.conv2d(net, 2, [1, 1])


def rewritten(build, rewrite, *args, **kwargs):
    graph = tf.Graph()
    with graph.as_default():
        build(*args, **kwargs)
    before = len(graph.get_operations())
    rewrite(graph)
    with graph.as_default():
        made = graph.get_operations()[before:]
        wiring = [[op.name, [t.name for t in op.inputs]] for op in graph.get_operations()]
        return {
            "ops": "\n".join("%s %s" % (op.name, op.type) for op in made),
            "wiring": hashlib.sha1(repr(wiring).encode()).hexdigest(),
            "variables": [[v.name, v.shape.as_list()] for v in tf.global_variables()],
            "trainable": [v.name for v in tf.trainable_variables()],
            "bits": [
                [op.get_attr("num_bits"), op.get_attr("narrow_range")]
                for op in made
                if op.type == "FakeQuantWithMinMaxVars"
            ],
        }


def train(graph):
    quantize.create_training_graph(graph)


def delayed(graph):
    quantize.create_training_graph(graph, quant_delay=5)


def evaluate(graph):
    quantize.create_eval_graph(graph)


results["fused"] = rewritten(convolutions, train)
results["unscaled"] = rewritten(convolutions, train, scale=False, activation=tf.nn.relu)
results["dilated"] = rewritten(convolutions, train, dilated=True, activation=None)
results["unfused"] = rewritten(convolutions, train, fused=False)
results["unfused_unscaled"] = rewritten(convolutions, train, fused=False, scale=False)
results["fused_eval"] = rewritten(convolutions, evaluate, training=False)
results["unfused_eval"] = rewritten(convolutions, evaluate, fused=False, training=False)
results["plain"] = rewritten(plain, train)
results["plain_delayed"] = rewritten(plain, delayed)
results["plain_eval"] = rewritten(plain, evaluate)
results["residual"] = rewritten(residual, train)
results["residual_after"] = rewritten(residual, train, after=True)
results["residual_eval"] = rewritten(residual, evaluate, training=False)
results["core"] = rewritten(core_layers, train)
results["dense"] = rewritten(dense_norm, train)
results["resource"] = rewritten(resource, train)
results["bits"] = rewritten(
    plain, lambda g: quantize.experimental_create_training_graph(g, weight_bits=4, activation_bits=6, symmetric=True)
)
results["frozen"] = rewritten(
    convolutions, lambda g: quantize.experimental_create_training_graph(g, freeze_bn_delay=3, quant_delay=2)
)
results["scope"] = rewritten(scoped, lambda g: quantize.experimental_create_training_graph(g, scope="in"))
results["scope_eval"] = rewritten(
    scoped, lambda g: quantize.experimental_create_eval_graph(g, scope="out", weight_bits=5)
)

with tf.Graph().as_default():
    loss = tf.reduce_sum(plain())
    tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    try:
        quantize.create_training_graph()
    except ValueError as error:
        results["error"] = type(error).__name__
