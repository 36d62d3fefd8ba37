"""Freezing, stripping and optimizing graphs by the tools' functions."""

import os
import shutil
import tempfile

import numpy as np
import tensorflow as tf
from tensorflow.python.tools import freeze_graph, optimize_for_inference_lib, strip_unused_lib

results = {}
folder = tempfile.mkdtemp()
random = np.random.RandomState(0)
images = random.rand(2, 6, 6, 3).astype(np.float32)


def path(name):
    return os.path.join(folder, name)


def attempt(function):
    try:
        return function()
    except Exception as error:
        text = error.args[0] if len(error.args) == 1 else " ".join(str(part) for part in error.args)
        return [type(error).__name__, str(text).replace(folder, "FOLDER").split("\n")[0]]


def run(graph_def, feeds, fetch):
    with tf.Graph().as_default(), tf.Session() as session:
        tf.import_graph_def(graph_def, name="")
        return session.run(fetch, feeds)


def frozen_by(*arguments, **keywords):
    """The tool imports into the default graph: one of its own for each call."""
    with tf.Graph().as_default():
        return freeze_graph.freeze_graph(*arguments, **keywords)


def nodes(graph_def):
    return sorted([node.name, node.op] for node in graph_def.node)


with tf.Graph().as_default(), tf.Session() as session:
    x = tf.placeholder(tf.float32, [None, 6, 6, 3], name="x")
    filters = tf.get_variable("filters", initializer=random.randn(3, 3, 3, 4).astype(np.float32))
    net = tf.nn.conv2d(tf.identity(x), filters, [1, 1, 1, 1], "SAME", name="conv")
    vectors = [tf.get_variable(name, initializer=random.rand(4).astype(np.float32)) for name in ("s", "o", "m", "v")]
    scale, offset, mean, variance = vectors
    net = tf.nn.fused_batch_norm(net, scale, offset, mean, variance, is_training=False, name="norm")[0]
    net = tf.nn.relu(tf.identity(net), name="relu")
    depthwise = tf.get_variable("depthwise", initializer=random.randn(2, 2, 4, 2).astype(np.float32))
    net = tf.nn.depthwise_conv2d(net, depthwise, [1, 1, 1, 1], "VALID", name="deep")
    deep = [tf.get_variable("deep_" + n, initializer=random.rand(8).astype(np.float32)) for n in ("s", "o", "m", "v")]
    net = tf.nn.fused_batch_norm(net, deep[0], deep[1], deep[2], deep[3], is_training=False, name="deep_norm")[0]
    y = tf.reduce_mean(net, [1, 2], name="y")
    unused = tf.square(y, name="unused")
    session.run(tf.global_variables_initializer())
    saver = tf.train.Saver()
    checkpoint = saver.save(session, path("model"))
    tf.train.write_graph(session.graph, folder, "graph.pbtxt")
    tf.train.write_graph(session.graph, folder, "graph.pb", as_text=False)
    with open(path("saver.pb"), "wb") as file:
        file.write(saver.as_saver_def().SerializeToString())
    tf.saved_model.simple_save(session, path("saved"), {"x": x}, {"y": y})
    results["y"] = session.run(y, {x: images})

common = ["save/restore_all", "save/Const:0"]
frozen = frozen_by(path("graph.pbtxt"), "", False, checkpoint, "y", *(common + [path("a.pb"), True, ""]))
results["frozen"] = nodes(frozen)
results["frozen y"] = run(frozen, {"x:0": images}, "y:0")
with tf.gfile.GFile(path("a.pb"), "rb") as file:
    results["written"] = tf.GraphDef.FromString(file.read()) == frozen
others = [
    frozen_by(path("graph.pb"), "", True, checkpoint, "y", *(common + ["", True, ""])),
    frozen_by(path("graph.pb"), path("saver.pb"), True, checkpoint, "y", *(common + ["", True, ""])),
    frozen_by("", "", True, checkpoint, "y", *(common + ["", True, ""]), input_meta_graph=checkpoint + ".meta"),
    frozen_by("", "", True, "", "y", *(common + ["", True, ""]), input_saved_model_dir=path("saved")),
]
results["frozen otherwise"] = [run(graph_def, {"x:0": images}, "y:0") for graph_def in others]
some = frozen_by(
    path("graph.pb"), "", True, checkpoint, "y", *(common + ["", True, ""]), variable_names_blacklist="filters,s"
)
results["some"] = [item for item in nodes(some) if item[1].startswith("Variable")]
results["freezing refused"] = [
    attempt(lambda: frozen_by(path("no"), "", False, checkpoint, "y", *(common + ["", True, ""]))),
    attempt(lambda: frozen_by(path("graph.pb"), "", True, path("no"), "y", *(common + ["", True, ""]))),
    attempt(lambda: frozen_by(path("graph.pb"), "", True, checkpoint, "", *(common + ["", True, ""]))),
    attempt(lambda: frozen_by(path("a.pb"), "", True, checkpoint, "y", *(common + ["", True, ""]))),
    attempt(lambda: frozen_by(path("graph.pb"), "", True, checkpoint, "no", *(common + ["", True, ""]))),
]

stripped = strip_unused_lib.strip_unused(frozen, ["relu"], ["y"], tf.float32.as_datatype_enum)
results["stripped"] = nodes(stripped)
results["stripping refused"] = [
    attempt(lambda: strip_unused_lib.strip_unused(frozen, ["relu:0"], ["y"], 1)),
    attempt(lambda: strip_unused_lib.strip_unused(frozen, ["none"], ["y"], 1)),
]
strip_unused_lib.strip_unused_from_files(path("a.pb"), True, path("b.pbtxt"), False, "relu", "y", 1)
results["stripped file"] = os.path.exists(path("b.pbtxt"))

small = optimize_for_inference_lib.optimize_for_inference(frozen, ["x"], ["y"], tf.float32.as_datatype_enum)
results["optimized y"] = run(small, {"x:0": images}, "y:0")
twice = tf.GraphDef()
twice.CopyFrom(frozen)
twice.node.extend([frozen.node[0]])
results["optimizing refused"] = attempt(
    lambda: optimize_for_inference_lib.optimize_for_inference(twice, ["x"], ["y"], 1)
)[0]
shutil.rmtree(folder)
