"""Summaries with steps, eagerly and in functions: what is written, closed writers, traces of functions."""

import glob
import os
import tempfile

import numpy as np
import tensorflow as tf

tf.enable_eager_execution()
summary = tf.compat.v2.summary
folder = tempfile.mkdtemp()
results = {}


def value_of(value):
    if value.HasField("tensor") and value.tag != "trace":
        array = tf.make_ndarray(value.tensor)
        return [x[:4] if x[1:4] == b"PNG" else x for x in array.ravel()] if array.dtype == object else array
    return value.simple_value


def events(name):
    found = []
    for path in glob.glob(os.path.join(folder, name, "*")):
        for event in tf.train.summary_iterator(path):
            for value in event.summary.value:
                found.append([event.step, value.tag, value.metadata.SerializeToString(), value_of(value)])
            if event.HasField("graph_def"):
                found.append([event.step, "graph"])
    return found


def refused(name, function):
    try:
        function()
        results["refused " + name] = "nothing"
    except Exception as error:
        results["refused " + name] = [type(error).__name__, str(error).split("\n")[0][:15]]


@tf.function
def doubled(x, step):
    with tf.name_scope("within"):
        summary.scalar("seen", x, step=step)
    message = tf.Summary(value=[tf.Summary.Value(tag="raw", simple_value=2.0)])
    summary.experimental.write_raw_pb(message.SerializeToString())
    return x * 2


@tf.function
def squared(x):
    return doubled(x, at(14)) * x


def at(number):
    return tf.constant(number, tf.int64)


writer = summary.create_file_writer(folder + "/a")
with writer.as_default():
    results["written"] = [summary.scalar("a", 1, step=1).numpy(), summary.scalar("a", 2.5, step=2).numpy()]
    summary.experimental.set_step(7)
    results["step"] = summary.experimental.get_step()
    summary.histogram("spread", np.arange(100.0))
    summary.histogram("equal", np.ones(5))
    summary.histogram("empty", [])
    summary.image("pictures", np.arange(24).astype(np.uint8).reshape((2, 2, 2, 3)), max_outputs=1)
    summary.image("no pictures", np.zeros((0, 2, 2, 3)))
    summary.audio("noises", np.zeros((4, 5, 1), np.float32), 8000)
    summary.text("word", "hello")
    with summary.record_if(False):
        results["not written"] = summary.scalar("off", 1.0).numpy()
    with summary.record_if(lambda: tf.equal(summary.experimental.get_step() % 2, 0)):
        results["not due"] = summary.scalar("odd", 1.0).numpy()
    results["doubled"] = [doubled(tf.constant(2.0), at(11)).numpy(), doubled(tf.constant(3.0), at(12)).numpy()]
results["events"] = events("a")
before = len(results["events"])
with writer.as_default():
    summary.trace_on(graph=True)
    squared(tf.constant(4.0))
    squared(tf.constant(5.0))
    summary.trace_export("trace", step=5)
writer.flush()
results["traced"] = events("a")[before:]
for path in glob.glob(folder + "/a/*"):
    for event in tf.train.summary_iterator(path):
        for value in event.summary.value:
            if value.tag == "trace":
                metadata = tf.RunMetadata.FromString(tf.make_ndarray(value.tensor).item())
                types = {node.op for graph in metadata.function_graphs for node in graph.pre_optimization_graph.node}
                results["operations traced"] = sorted(types & {"Mul"})
                results["functions traced"] = len(metadata.function_graphs)
writer.close()
writer.close()
results["flush of the closed"] = writer.flush() is None
refused("entering the closed", lambda: writer.as_default().__enter__())
refused("using the closed", lambda: writer.set_as_default())
refused("opening the closed", lambda: writer.init())
refused("exporting no trace", lambda: summary.trace_export("x", step=1))
summary.trace_off()

summary.experimental.set_step(None)
writer = summary.create_file_writer(folder + "/b", max_queue=0)
with summary.create_file_writer(folder + "/unused").as_default():
    writer.set_as_default()
    summary.scalar("x", 1.0, step=3)
    results["not waiting"] = events("b")
    refused("no step", lambda: summary.scalar("x", 1.0))
    refused("vector", lambda: summary.scalar("x", [1.0], step=1))
    refused("text", lambda: summary.scalar("x", "a", step=1))
    refused("negative count", lambda: summary.image("x", np.zeros((1, 2, 2, 1)), step=1, max_outputs=-1))
    refused("no message", lambda: summary.experimental.write_raw_pb("xyz", step=1))
with tf.Graph().as_default() as graph:
    fed = tf.placeholder(tf.string)
refused("a graph's tensor", lambda: summary.create_file_writer(fed))
with writer.as_default():
    tf.contrib.summary.graph(graph, step=0)
    with tf.contrib.summary.always_record_summaries():
        tf.contrib.summary.scalar("contrib", 1.0, step=4)
    with tf.contrib.summary.record_summaries_every_n_global_steps(2, at(3)):
        tf.contrib.summary.scalar("not due", 1.0, step=4)
results["graph"] = events("b")
refused("openers", tf.contrib.summary.summary_writer_initializer_op)
tf.contrib.summary.initialize()
