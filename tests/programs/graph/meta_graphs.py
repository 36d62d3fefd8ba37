"""Graphs with their collections: exported, imported, going on training; scopes; event files that hold them."""

import os
import shutil
import tempfile

import numpy as np
import tensorflow as tf

results = {}
folder = tempfile.mkdtemp()
xs = np.arange(8, dtype=np.float32).reshape(2, 4) / 8
ys = np.ones((2, 1), np.float32)


def attempt(function):
    try:
        return function()
    except Exception as error:
        return [type(error).__name__, str(error).replace(folder, "FOLDER").split("\n")[0]]


def collections_of(meta):
    found = {}
    for key in sorted(meta.collection_def):
        kind = meta.collection_def[key].WhichOneof("kind")
        values = getattr(meta.collection_def[key], kind).value
        found[key] = [kind, len(values) if kind == "bytes_list" else list(values)]
    return found


x = tf.placeholder(tf.float32, [None, 4], name="x")
y = tf.placeholder(tf.float32, [None, 1], name="y")
w = tf.get_variable("w", [4, 1], initializer=tf.ones_initializer())
b = tf.Variable(tf.zeros([1]), name="b")
r = tf.get_variable("r", [1], use_resource=True, initializer=tf.ones_initializer())
t = tf.Variable(3.0, trainable=False, collections=[tf.GraphKeys.LOCAL_VARIABLES], name="t")
loss = tf.reduce_mean(tf.square(tf.matmul(x, w) + b * r - y), name="loss")
step = tf.train.get_or_create_global_step()
train = tf.train.AdamOptimizer(0.1).minimize(loss, global_step=step, name="train")
average = tf.train.ExponentialMovingAverage(0.9).apply([w])
tf.add_to_collection("ops", train)
tf.add_to_collection("ops", loss)
tf.add_to_collection("numbers", 3)
tf.add_to_collection("floats", 2.5)
tf.add_to_collection("text", "text")
tf.add_to_collection("unfit", object())
tf.summary.scalar("loss", loss)
saver = tf.train.Saver()
session = tf.Session()
session.run(tf.global_variables_initializer())
for _ in range(3):
    session.run(train, {x: xs, y: ys})
path = saver.save(session, os.path.join(folder, "model"), global_step=step)
results["path"] = os.path.basename(path)
expected = [float(session.run([loss, train], {x: xs, y: ys})[0]) for _ in range(20)]
results["losses"] = expected

meta = tf.train.export_meta_graph()
results["collections"] = collections_of(meta)
results["ops"] = [op.name for op in meta.meta_info_def.stripped_op_list.op]
results["nodes"] = [[node.name, node.op, list(node.input)] for node in meta.graph_def.node]
results["version"] = [meta.meta_info_def.tensorflow_version, meta.meta_info_def.stripped_default_attrs]
results["chosen"] = collections_of(tf.train.export_meta_graph(collection_list=["ops", "numbers"]))
bare = tf.train.export_meta_graph(strip_default_attrs=True, clear_devices=True, clear_extraneous_savers=True)
results["bare"] = [[node.name, sorted(set(node.attr) - {"_class"})] for node in bare.graph_def.node]
results["bare collections"] = collections_of(bare)

for scope in (None, "sub"):
    with tf.Graph().as_default():
        again = tf.train.import_meta_graph(path + ".meta", import_scope=scope, clear_devices=True)
        prefix = scope + "/" if scope else ""
        with tf.Session() as other:
            again.restore(other, path)
            other.run(tf.local_variables_initializer())
            train_again, loss_again = tf.get_collection("ops")
            feeds = {prefix + "x:0": xs, prefix + "y:0": ys}
            results["imported into {}".format(scope)] = [
                [variable.name for variable in tf.global_variables()],
                [variable.name for variable in tf.trainable_variables()],
                [variable.name for variable in tf.local_variables()],
                [variable.name for variable in tf.moving_average_variables()],
                [type(variable).__name__ for variable in tf.trainable_variables()],
                tf.train.get_global_step().name,
                [item.name for item in tf.get_collection("ops")],
                [item.name for item in tf.get_collection("summaries")],
                tf.get_collection("numbers"),
                tf.get_collection("floats"),
                other.run(tf.local_variables()),
                [float(other.run([loss_again, train_again], feeds)[0]) for _ in range(20)],
            ]
            results.setdefault("gradients", []).append(
                tf.gradients(loss_again, tf.trainable_variables())[0].shape.as_list()
            )

with tf.Graph().as_default():
    with tf.variable_scope("A"):
        v = tf.get_variable("v", [2])
        o = tf.identity(v * tf.constant(2.0), name="o")
    with tf.name_scope("B"):
        q = tf.add(o, 1.0, name="q")
        tf.add_to_collection("kept", q)
        tf.add_to_collection("kept", o)
    scoped = tf.train.export_meta_graph(export_scope="B")
    results["scoped"] = [[[node.name, list(node.input)] for node in scoped.graph_def.node], collections_of(scoped)]
    results["unbound"] = attempt(lambda: tf.train.import_meta_graph(scoped))
    tf.train.import_meta_graph(scoped, import_scope="new", input_map={"$unbound_inputs_A/o": o})
    results["bound"] = [
        [op.name, [tensor.name for tensor in op.inputs]]
        for op in tf.get_default_graph().get_operations()
        if op.name.startswith("new")
    ]
    only = tf.train.export_meta_graph(export_scope="A")
    results["a scope"] = [[[node.name, list(node.input)] for node in only.graph_def.node], collections_of(only)]

with tf.Graph().as_default():
    tf.constant(1.0)
    results["no variables"] = tf.train.import_meta_graph(tf.train.export_meta_graph()) is None
results["refusals"] = [attempt(lambda: tf.train.import_meta_graph(os.path.join(folder, "none.meta")))]

logs = os.path.join(folder, "logs")
with tf.summary.FileWriter(logs, session.graph, filename_suffix=".end") as writer:
    writer.add_summary(session.run("loss_1:0", {x: xs, y: ys}), 3)
    writer.add_summary(tf.Summary(value=[tf.Summary.Value(tag="mine", simple_value=2.0)]))
    text = tf.summary.text("text", tf.constant("a"))
    writer.add_summary(session.run(text), 1)
    writer.add_summary(session.run(text), 2)
    writer.add_session_log(tf.SessionLog(status=tf.SessionLog.START), 5)
    writer.add_run_metadata(tf.RunMetadata(), "a step", 6)
    results["tag again"] = attempt(lambda: writer.add_run_metadata(tf.RunMetadata(), "a step", 7))
    writer.add_meta_graph(meta, 7)
    writer.add_event(tf.Event(step=9, wall_time=1.0))
    results["writer"] = [
        writer.get_logdir().replace(folder, "FOLDER"),
        attempt(lambda: writer.add_graph(3)),
        attempt(lambda: writer.add_meta_graph(3)),
        attempt(lambda: writer.add_graph(session.graph, graph_def=session.graph_def)),
    ]
events = []
names = os.listdir(logs)
results["file"] = [len(names), names[0].startswith("events.out.tfevents."), names[0].endswith(".end")]
for event in tf.train.summary_iterator(os.path.join(logs, names[0])):
    kind = event.WhichOneof("what")
    entry = [event.step, kind]
    if kind == "file_version":
        entry.append(event.file_version)
    elif kind == "summary":
        entry += [[value.tag, value.metadata.plugin_data.plugin_name] for value in event.summary.value]
    elif kind == "graph_def":
        entry.append(len(tf.GraphDef.FromString(event.graph_def).node))
    elif kind == "meta_graph_def":
        entry.append(sorted(tf.MetaGraphDef.FromString(event.meta_graph_def).collection_def))
    elif kind == "tagged_run_metadata":
        entry.append(event.tagged_run_metadata.tag)
    events.append(entry)
results["events"] = events
cache = tf.summary.FileWriterCache.get(os.path.join(folder, "cached"))
results["cached"] = cache is tf.summary.FileWriterCache.get(os.path.join(folder, "cached"))
tf.summary.FileWriterCache.clear()
results["forgotten"] = cache is tf.summary.FileWriterCache.get(os.path.join(folder, "cached"))
tf.summary.FileWriterCache.clear()
shutil.rmtree(folder)
