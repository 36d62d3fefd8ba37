"""Dumps of runs whose options a program fills in itself: debug ops, counters, handles, order; and wrapped sessions."""

import os
import shutil
import tempfile

import numpy as np
import tensorflow as tf
from tensorflow.python.client import session
from tensorflow.python.debug.lib import debug_data, debug_utils
from tensorflow.python.debug.wrappers import dumping_wrapper

results = {}
folder = tempfile.mkdtemp()


def run(sess, fetches, feeds=None, **how):
    shutil.rmtree(folder, ignore_errors=True)
    options = tf.RunOptions(output_partition_graphs=True)
    debug_utils.watch_graph(options, sess.graph, debug_urls=["file://" + folder], **how)
    metadata = tf.RunMetadata()
    value = sess.run(fetches, feeds, options=options, run_metadata=metadata)
    return value, debug_data.DebugDumpDir(folder, partition_graphs=metadata.partition_graphs)


def error(function):
    try:
        function()
    except (KeyError, LookupError, ValueError, tf.errors.OpError) as e:
        return type(e).__name__
    return "none"


def message(function, start, end):
    try:
        function()
    except (ValueError, tf.errors.OpError) as e:
        text = str(e)
        return text[text.find(start) : text.find(end) + len(end)] if start in text and end in text else text
    return "none"


no_rewrites = tf.ConfigProto()
no_rewrites.graph_options.rewrite_options.disable_meta_optimizer = True
with tf.Graph().as_default(), tf.Session(config=no_rewrites) as sess:
    fed = tf.placeholder(tf.float32, [2], name="fed")
    kept = tf.Variable([1.0, -2.0], name="kept")
    total = tf.add(kept, fed, name="total")
    product = tf.multiply(total, total, name="product")
    feeds = {fed: [3.0, np.inf]}
    _, dump = run(sess, kept.initializer, debug_ops=["DebugNumericSummary"])
    results["unset"] = dump.get_tensors("kept", 0, "DebugNumericSummary")[0]
    metadata = []
    for step, fetch in ((1, product), (2, product), (7, total)):
        value, dump = run(sess, fetch, feeds, global_step=step)
        metadata.append(dump.core_metadata)
    results["counters"] = [[m.global_step, m.executor_step_index, m.input_names, m.output_names] for m in metadata]
    results["runs"] = [m.session_run_index - metadata[0].session_run_index for m in metadata]
    _, dump = run(sess, product, feeds, debug_ops=["DebugNumericSummary(gated_grpc=true; lower_bound=0)"])
    results["summary"] = dump.get_tensors("product", 0, "DebugNumericSummary")[0]
    results["arguments"] = [
        message(lambda: run(sess, product, feeds, debug_ops=["DebugNumericSummary(what=1.0)"]), "1 attribute", "valid"),
        message(lambda: run(sess, product, feeds, debug_ops=["DebugIdentity(a=1; b=2)"]), "2 attribute", "valid"),
    ]
    _, dump = run(sess, product, feeds)
    results["names"] = sorted(datum.watch_key for datum in dump.dumped_tensor_data if "fed" not in datum.node_name)
    results["lookups"] = [
        message(lambda: dump.node_op_type("nowhere"), "None", "'nowhere'"),
        message(lambda: dump.node_device("nowhere"), "Node", "graphs"),
        error(lambda: dump.node_traceback("product")),
    ]
    dump.set_python_graph(sess.graph)
    found = dump.node_traceback("product")
    results["traceback"] = [type(found).__name__, type(found[0]).__name__, type(product.op.traceback).__name__]

    paths = [dump.get_tensor_file_paths(name, 0, "DebugIdentity")[0] for name in ("total", "product")]
    stamps = [int(path[path.rindex("_") + 1 :]) for path in paths]
    graphs = dump.partition_graphs()
    for path, stamp in zip(paths, (stamps[1], stamps[0] - 1)):
        os.rename(path, path[: path.rindex("_")] + "_%d" % stamp)
    results["order"] = [
        message(lambda: debug_data.DebugDumpDir(folder, partition_graphs=graphs), "Causality", "violated"),
        error(lambda: debug_data.DebugDumpDir(folder, partition_graphs=graphs, validate=False)),
    ]

with tf.Graph().as_default(), tf.Session() as sess:
    queue = tf.FIFOQueue(3, tf.float32, name="queue")
    _, dump = run(sess, queue.enqueue_many(([1.0, 2.0],), name="filling"))
    handle = dump.get_tensors("queue", 0, "DebugIdentity")[0]
    results["handle"] = [
        type(handle).__name__,
        handle.initialized,
        dump.get_tensors("filling/component_0", 0, "DebugIdentity"),
    ]
    words = tf.Variable("4", name="words")
    sess.run(words.initializer)
    number = tf.string_to_number(words, name="number")
    results["strings"] = [
        error(lambda: run(sess, number, debug_ops=["DebugNumericSummary"])),
        run(sess, number, debug_ops=["DebugNumericSummary"], tolerate_debug_op_creation_failures=True)[0],
    ]
    datum = debug_data.DebugTensorDatum("/nowhere", "leaf_3_DebugIdentity_42")
    results["datum"] = [datum.node_name, datum.output_slot, datum.debug_op, datum.timestamp, datum.watch_key]

with tf.Graph().as_default():
    weights = tf.get_variable("weights", initializer=[1.0, 2.0])
    names = tf.train.string_input_producer(["a"], num_epochs=1, shuffle=False)
    name = names.dequeue()
    saver = tf.train.Saver()
    with tf.Session() as sess:
        wrapped = dumping_wrapper.DumpingDebugWrapperSession(sess, tempfile.mkdtemp(), log_usage=False)
        results["interface"] = [isinstance(s, session.SessionInterface) for s in (sess, wrapped)]
        wrapped.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        path = saver.save(wrapped, os.path.join(tempfile.mkdtemp(), "model"))
        wrapped.run(weights.assign([5.0, 6.0]))
        saver.restore(wrapped, path)
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(wrapped, coordinator)
        results["wrapped"] = [wrapped.run([weights, name])]
        coordinator.request_stop()
        coordinator.join(threads)


class Own(session.SessionInterface):
    pass


def refused(function):
    try:
        function()
    except NotImplementedError as e:
        return str(e)


own = Own()
results["own"] = [refused(lambda: own.graph), refused(lambda: own.run(1)), refused(lambda: own.partial_run_setup([]))]
