"""Summaries with steps in a graph (tf.compat.v2.summary and tf.contrib.summary): operations, events, what is refused."""

import glob
import os
import re
import tempfile

import numpy as np
import tensorflow as tf

summary = tf.compat.v2.summary
folder = tempfile.mkdtemp()
results = {}


def text(value):
    return re.sub(r"\.\d+\.\d+(\.v2)?", ".N", str(value).replace(folder, "FOLDER"))


def operations(graph):
    return [
        text((op.type, op.name, [i.name for i in op.inputs], [c.name for c in op.control_inputs], op.device))
        for op in graph.get_operations()
    ]


def value_of(value):
    if value.HasField("tensor"):
        array = tf.make_ndarray(value.tensor)
        return [x[:4] if x[1:4] == b"PNG" else x for x in array.ravel()] if array.dtype == object else array
    return value.simple_value if value.HasField("simple_value") else value.WhichOneof("value")


def events(name):
    found = []
    for path in glob.glob(os.path.join(folder, name, "*")):
        for event in tf.train.summary_iterator(path):
            if event.HasField("graph_def"):
                found.append([event.step, "graph", len(event.graph_def) > 0])
            for value in event.summary.value:
                found.append([event.step, value.tag, value.metadata.SerializeToString(), value_of(value)])
    return sorted(found, key=lambda item: (item[1], item[0]))


def refused(name, function):
    try:
        function()
        results["refused " + name] = "nothing"
    except Exception as error:
        results["refused " + name] = [type(error).__name__, str(error).split("\n")[0][:9]]


with tf.Graph().as_default() as graph:
    writer = summary.create_file_writer(folder + "/later")
    step = tf.Variable(3, dtype=tf.int64, use_resource=True)
    recorded = tf.placeholder_with_default(True, [])
    with writer.as_default() as entered:
        results["entered"] = entered is writer and isinstance(writer, summary.SummaryWriter)
        with tf.name_scope("outer"):
            loss = summary.scalar("loss %", 1.5, step=1)
            summary.histogram("shares", [1.0, 2.0, 5.0], step=2, buckets=4, description="in four")
        summary.image("pictures", np.arange(12, dtype=np.float32).reshape((1, 2, 2, 3)) / 12, step=step)
        summary.audio("noises", np.zeros((2, 5, 1), np.float32), 8000, step, max_outputs=1)
        summary.text("words", tf.constant(["a", "b"]), step)
        summary.experimental.set_step(step)
        plain = summary.write("plain", [1, 2, 3], metadata=tf.SummaryMetadata(display_name="shown"))
        with summary.record_if(False):
            never = summary.write("never", 1)
        with summary.record_if(recorded):
            fed = summary.write("fed", 1)
        with summary.record_if(lambda: recorded):
            summary.scalar("asked", 1.0)
        with summary.experimental.summary_scope("with % sign", "default", [1]) as scopes:
            results["scope"] = list(scopes)
        with summary.experimental.summary_scope("", "default", [1]) as scopes:
            results["default scope"] = list(scopes)
        messages = [tf.Summary(value=[tf.Summary.Value(tag="raw%d" % i, simple_value=2.0)]) for i in range(3)]
        summary.experimental.write_raw_pb(messages[0].SerializeToString())
        summary.experimental.write_raw_pb([m.SerializeToString() for m in messages[1:]])
    results["without a writer"] = summary.write("nowhere", 1, step=1).name
    with summary.create_noop_writer().as_default() as nothing:
        results["writer of nothing"] = nothing is None
    flushed, opened, closed = writer.flush(), writer.init(), writer.close()
    results["names"] = [loss.name, plain.name, never.name, fed.name, flushed.name, opened.name, closed.name]
    results["no writer to flush"] = [summary.flush().type, summary.flush(writer, name="flushes").name]
    results["operations"] = operations(graph)
    results["collected"] = [x.name for x in tf.summary.all_v2_summary_ops()]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        refused("writing before opening", lambda: session.run(loss))
        session.run(opened)
        results["written"] = session.run(tf.summary.all_v2_summary_ops())
        session.run([loss, plain])
        session.run(fed, {recorded: False})
        session.run(flushed)
        results["events"] = events("later")
        session.run(closed)
        refused("writing after closing", lambda: session.run(loss))
        results["file"] = [f.split(".")[-1] for f in os.listdir(folder + "/later")]

summary.experimental.set_step(None)
with tf.Graph().as_default() as graph:
    writer = summary.create_file_writer(folder + "/x", max_queue=3, flush_millis=5, filename_suffix=".x", name="named")
    results["named"] = operations(graph)
    refused("no folder", lambda: summary.create_file_writer(None))
    with writer.as_default():
        refused("no step", lambda: summary.scalar("x", 1.0))
        refused("no step for messages", lambda: summary.experimental.write_raw_pb("x"))
        refused("vector", lambda: summary.scalar("x", [1.0], step=1))
        refused("image of rank 1", lambda: summary.image("x", [1.0], step=1))
        refused("negative count", lambda: summary.image("x", np.zeros((1, 2, 2, 1)), step=1, max_outputs=-1))
        refused("sound of rank 1", lambda: summary.audio("x", [1.0], 8000, step=1))
        refused("mp3", lambda: summary.audio("x", np.zeros((1, 2, 1), np.float32), 8000, step=1, encoding="mp3"))
        refused("numbers as text", lambda: summary.text("x", 1.0, step=1))
        refused("buckets of rank 1", lambda: summary.histogram("x", [1.0], step=1, buckets=[2, 3]))
        refused("half a bucket", lambda: summary.histogram("x", [1.0], step=1, buckets=2.5))
        refused("text as step", lambda: summary.scalar("x", 1.0, step="a"))
        refused("half a step", lambda: summary.scalar("x", 1.0, step=1.5))
    refused("abstract", lambda: summary.SummaryWriter())
    for trace in [summary.trace_on, summary.trace_off, lambda: summary.trace_export("x")]:
        trace()

contrib = tf.contrib.summary
with tf.Graph().as_default() as graph:
    global_step = tf.train.get_or_create_global_step()
    writer = contrib.create_file_writer(folder + "/contrib")
    with writer.as_default(), contrib.always_record_summaries():
        with tf.name_scope("outer"):
            contrib.scalar("loss", 1.5)
            contrib.histogram("weights", [1.0, 2.0], family="family")
        contrib.image("picture", np.zeros((1, 2, 2, 1), np.float32))
        contrib.audio("noise", np.zeros((1, 5), np.float32), 8000.0, 2)
        contrib.generic("plain", [1, 2, 3])
        contrib.generic("for text", ["a"], tf.SummaryMetadata(display_name="text"))
        flushed, closed = contrib.flush(), writer.close()
    with writer.as_default(), contrib.record_summaries_every_n_global_steps(2):
        contrib.scalar("every second", 2.5, step=global_step)
    with writer.as_default():
        contrib.scalar("unsaid", 2.5)
        results["contrib operations"] = operations(graph)
        results["contrib collected"] = [x.name for x in contrib.all_summary_ops()]
        results["contrib openers"] = [x.name for x in contrib.summary_writer_initializer_op()]
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            contrib.initialize(graph, session)
            session.run(contrib.all_summary_ops())
            session.run(tf.assign_add(global_step, 1))
            session.run(contrib.all_summary_ops())
            session.run(flushed)
            results["contrib events"] = events("contrib")
            session.run(closed)
    refused("no tensor", lambda: contrib.graph(graph))
