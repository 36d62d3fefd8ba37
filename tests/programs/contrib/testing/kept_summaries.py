"""A writer of summaries that keeps them, and what is read of event files."""

import os
import shutil
import tempfile

import tensorflow as tf
from tensorflow.contrib.testing.python.framework import fake_summary_writer, util_test
from tensorflow.python.summary.writer import writer_cache

tf.logging.set_verbosity(tf.logging.ERROR)
results = {}


class Case(tf.test.TestCase):
    def runTest(self):
        pass


case = Case()
fake = tf.contrib.testing.FakeSummaryWriter


def refused(name, function, *args, **kwargs):
    try:
        function(*args, **kwargs)
        results[name] = "taken"
    except Exception as error:
        results[name] = type(error).__name__


def scalar(tag, value):
    return tf.Summary(value=[tf.Summary.Value(tag=tag, simple_value=value)])


results["the same"] = [
    fake_summary_writer.FakeSummaryWriter is fake,
    util_test.latest_summaries is tf.contrib.testing.latest_summaries,
]

# What hooks write.
folder = tempfile.mkdtemp()
refused("uninstalled too early", fake.uninstall)
fake.install()
refused("installed twice", fake.install)
with tf.Graph().as_default() as graph:
    step = tf.train.get_or_create_global_step()
    loss = 10.0 - tf.cast(step, tf.float32)
    tf.summary.scalar("loss", loss)
    train_op = tf.assign_add(step, 1)
    hooks = [
        tf.train.SummarySaverHook(
            save_steps=2, summary_writer=tf.summary.FileWriterCache.get(folder), summary_op=tf.summary.merge_all()
        ),
        tf.train.CheckpointSaverHook(folder, save_steps=3),
        tf.train.ProfilerHook(save_steps=2, output_dir=folder),
    ]
    with tf.train.SingularMonitoredSession(hooks=hooks) as session:
        for _ in range(5):
            session.run(train_op)
    kept = tf.summary.FileWriterCache.get(folder)
    results["steps"] = sorted(kept.summaries)
    results["tags"] = sorted({v.tag for s in kept.summaries.values() for each in s for v in each.value})
    results["kind"] = [isinstance(kept, fake), kept is writer_cache.FileWriterCache.get(folder)]
    kept.assert_summaries(case, expected_logdir=folder)
    kept.assert_summaries(case, expected_graph=graph)
    results["graphs"] = len(kept._added_meta_graphs)
    results["runs"] = sorted(kept._added_run_metadata)
    results["logs"] = [log.status for log in kept._added_session_logs]
fake.uninstall()
tf.summary.FileWriterCache.clear()
results["afterwards"] = isinstance(tf.summary.FileWriterCache.get(folder), tf.summary.FileWriter)
tf.summary.FileWriterCache.clear()

# What is added by hand.
with tf.Graph().as_default() as graph:
    tf.constant(1.0, name="one")
    writer = fake("here", graph=graph)
    writer.add_summary(scalar("a", 0.5), 1)
    writer.add_summary(scalar("b", 2.0).SerializeToString(), 1)
    writer.add_summary(scalar("global_step/sec", 9.0), 1)
    writer.add_summary(scalar("a", 0.25), 4)
    writer.add_graph(graph)
    writer.add_meta_graph(tf.train.export_meta_graph(), 3)
    writer.add_session_log(tf.SessionLog(status=tf.SessionLog.START), 2)
    writer.add_run_metadata(tf.RunMetadata(), "step_1", 1)
    for method in (writer.flush, writer.reopen, writer.close):
        method()
    expected = {1: {"a": 0.5, "b": 2.0}, 4: {"a": 0.25}}
    exported = tf.train.export_meta_graph()
    log = tf.SessionLog(status=tf.SessionLog.START)
    refused("all of it", writer.assert_summaries, case, "here", graph, expected, [graph], [exported], [log])
    refused("one step", writer.assert_summaries, case, expected_summaries={4: {"a": 0.25}})
    refused("a missing step", writer.assert_summaries, case, expected_summaries={2: {}})
    refused("another value", writer.assert_summaries, case, expected_summaries={4: {"a": 0.5}})
    refused("a missing value", writer.assert_summaries, case, expected_summaries={1: {"a": 0.5}})
    refused("another folder", writer.assert_summaries, case, expected_logdir="there")
    refused("another graph", writer.assert_summaries, case, expected_graph=tf.Graph())
    refused("no graphs", writer.assert_summaries, case, expected_added_graphs=[])
    refused("no meta graphs", writer.assert_summaries, case, expected_added_meta_graphs=[])
    refused("no logs", writer.assert_summaries, case, expected_session_logs=[])
    refused("a graph before 0", writer.add_graph, graph, -1)
    refused("a graph_def", writer.add_graph, graph, 1, graph.as_graph_def())
    refused("a meta graph before 0", writer.add_meta_graph, exported, -1)
    refused("a run before 0", writer.add_run_metadata, tf.RunMetadata(), "x", -2)
    refused("a log before 0", writer.add_session_log, log, -2)

# What files hold.
testing = tf.contrib.testing
results["no file"] = [testing.latest_event_file(folder + "/none"), list(testing.latest_events(folder + "/none"))]
shutil.rmtree(folder)
folder = tempfile.mkdtemp()
with tf.Graph().as_default():
    writer = tf.summary.FileWriter(folder)
    for at, value in [(3, 1.0), (7, 2.0), (5, 3.0)]:
        writer.add_summary(scalar("loss", value), at)
    writer.add_summary(scalar("other", 8.0), 5)
    writer.add_summary(tf.Summary(value=[tf.Summary.Value(tag="text", tensor=tf.make_tensor_proto("x"))]), 5)
    writer.close()
results["file"] = os.path.basename(testing.latest_event_file(folder)).split(".")[:3]
results["events"] = [event.WhichOneof("what") for event in testing.latest_events(folder)]
summaries = testing.latest_summaries(folder)
results["of steps"] = [event.step for event in summaries]
results["last"] = testing.simple_values_from_events(testing.latest_events(folder), ["loss", "missing"])
refused("no simple value", testing.simple_values_from_events, summaries, ["loss", "text"])
both = tf.Summary()
both.MergeFrom(scalar("a", 1.0))
both.MergeFrom(scalar("b", 2.0))
results["parsed"] = testing.to_summary_proto(both.SerializeToString()) == both
refused("tags", testing.assert_summary, ["a", "b"], {"a": 1.001}, both)
refused("fewer tags", testing.assert_summary, ["a"], {}, both)
refused("more tags", testing.assert_summary, ["a", "b", "c"], {}, both)
refused("far away", testing.assert_summary, ["a", "b"], {"b": 2.1}, both)
refused("no summary", testing.to_summary_proto, b"none")
shutil.rmtree(folder)
