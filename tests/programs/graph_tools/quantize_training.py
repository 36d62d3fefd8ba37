"""Graphs rewritten for training with quantized inputs: what is added, and what it computes, saves and restores."""

import tempfile

import numpy as np
import tensorflow as tf

results = {}
quantize = tf.train.do_quantize_training_on_graphdef


def described(graph_def):
    return [[node.name, node.op, list(node.input)] for node in graph_def.node]


def network(saver):
    images = tf.placeholder(tf.float32, [None, 4, 4, 1], name="images")
    filters = tf.get_variable(
        "filters", initializer=tf.reshape(tf.linspace(-1.0, 1.0, 8), [2, 2, 1, 2]), use_resource=False
    )
    hidden = tf.nn.relu6(tf.nn.conv2d(images, filters, strides=[1, 1, 1, 1], padding="VALID"))
    hidden = tf.reshape(tf.nn.max_pool(hidden, [1, 3, 3, 1], [1, 1, 1, 1], "VALID"), [-1, 2])
    weights = tf.get_variable("weights", initializer=[[0.3, -0.7], [1.1, 0.2]], use_resource=False)
    hidden = tf.tanh(tf.matmul(hidden, weights, name="first"))
    tf.matmul(hidden, weights, name="scores")
    return tf.train.Saver(name=saver) if saver else None


for saver in ["", "save", "outer/inner"]:
    with tf.Graph().as_default() as graph:
        network(saver)
        initializer = tf.global_variables_initializer().name
    before = graph.as_graph_def()
    after = quantize(before, 4)
    results["unchanged" + saver] = before == graph.as_graph_def()
    results["nodes" + saver] = described(after)

pictures = np.linspace(-2.0, 3.0, 32).astype(np.float32).reshape(2, 4, 4, 1)
path = tempfile.mkdtemp() + "/model"
with tf.Graph().as_default() as graph:
    saver = network("save")
    initializer = tf.global_variables_initializer().name
quantized = quantize(graph.as_graph_def(), 4)
watched = [
    "images/Min/Variable:0",
    "images/Max/Variable:0",
    "weights/read/Max/Variable:0",
    "filters/read/Min/Variable:0",
]
with tf.Graph().as_default():
    tf.import_graph_def(quantized, name="")
    with tf.Session() as sess:
        sess.run(initializer)
        results["steps"] = [sess.run("scores:0", {"images:0": pictures * scale}) for scale in [1.0, 2.0, 0.5]]
        results["averages"] = sess.run(watched)
        saver.save(sess, path)
with tf.Graph().as_default():
    tf.import_graph_def(quantized, name="")
    with tf.Session() as sess:
        saver.restore(sess, path)
        results["restored"] = sess.run(watched)
        results["saved"] = [name for name, _ in tf.train.list_variables(path)]


def refusal(build, bits=8):
    with tf.Graph().as_default() as graph:
        build()
    try:
        quantize(graph.as_graph_def(), bits)
    except tf.errors.OpError as error:
        return type(error).__name__
    return "none"


def product(left, right):
    return lambda: tf.matmul(left(), right())


def of_unknown(count):
    def build():
        for _ in range(count):
            tf.matmul(tf.nn.elu(tf.ones([2, 2])), tf.ones([2, 2]))

    return build


def two_savers():
    tf.matmul(tf.get_variable("v", [2, 2], use_resource=False), tf.ones([2, 2]))
    tf.train.Saver()
    tf.train.Saver()


def no_restore():
    value = tf.get_variable("v", [2, 2], use_resource=False)
    tf.matmul(value, value)
    tf.raw_ops.SaveV2(prefix="x", tensor_names=["v"], shape_and_slices=[""], tensors=[value], name="alone")


ones = lambda: tf.ones([2, 2])
results["refusals"] = {
    "0 bits": refusal(product(ones, ones), 0),
    "1 bit": refusal(product(ones, ones), 1),
    "64 bits": refusal(product(ones, ones), 64),
    "two unknown": refusal(of_unknown(2)),
    "three unknown": refusal(of_unknown(3)),
    "integers": refusal(product(lambda: tf.ones([2, 2], tf.int32), lambda: tf.ones([2, 2], tf.int32))),
    "doubles": refusal(product(lambda: tf.ones([2, 2], tf.float64), lambda: tf.ones([2, 2], tf.float64))),
    "savers": refusal(two_savers),
    "half a saver": refusal(no_restore),
}
lost = tf.GraphDef()
lost.node.add(name="product", op="MatMul").input.extend(["nowhere", "elsewhere"])
try:
    quantize(lost, 8)
except tf.errors.InvalidArgumentError as error:
    results["lost"] = "Unknown input node 'nowhere'" in str(error)
