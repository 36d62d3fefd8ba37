"""Real TensorFlow opens and runs what is written here."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

import headrace as tf

pytestmark = pytest.mark.oracle
X = np.random.RandomState(0).randn(6, 4).astype(np.float32)


def write_everything(folder: pathlib.Path) -> dict:
    for kind in ("", "GZIP", "ZLIB"):
        with tf.python_io.TFRecordWriter(str(folder / f"records{kind}"), kind) as writer:
            for i in range(30):
                writer.write(b"record %d" % i * i)
    np.savez(folder / "batch.npz", x=X)
    (folder / "words.txt").write_text("one\n")
    with tf.Graph().as_default() as graph, tf.Session() as session:
        x = tf.placeholder(tf.float32, [None, 4], name="x")
        w = tf.get_variable("w", [4, 4], initializer=tf.random_normal_initializer(stddev=0.5, seed=1))
        b = tf.get_variable("b", [4], use_resource=True, initializer=tf.zeros_initializer())
        _, looped = tf.while_loop(
            lambda i, h: i < 3, lambda i, h: [i + 1, tf.tanh(tf.matmul(h, w) + b)], [tf.constant(0), x]
        )
        looped = tf.cond(tf.reduce_sum(x) > 100.0, lambda: looped, lambda: tf.matmul(looped, w))
        y = tf.nn.softmax(looped, name="y")
        loss = tf.reduce_mean(tf.square(y - 0.3))
        train = tf.train.AdamOptimizer(0.01).minimize(loss)
        for name, item in (("loss", loss), ("train_op", train), ("looped", tf.reduce_sum(looped))):
            tf.add_to_collection(name, item)
        summaries = [
            tf.summary.scalar("loss", loss),
            tf.summary.histogram("w", w),
            tf.summary.text("t", tf.constant("a")),
        ]
        summaries.append(tf.summary.image("image", tf.reshape(x, [-1, 2, 2, 1]), 1))
        asset = tf.constant(str(folder / "words.txt"), name="asset")
        tf.add_to_collection(tf.GraphKeys.ASSET_FILEPATHS, asset)
        merged = tf.summary.merge(summaries)
        session.run(tf.global_variables_initializer())
        with tf.summary.FileWriter(str(folder / "logs"), graph) as writer:
            metadata = tf.RunMetadata()
            options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
            writer.add_summary(session.run(merged, {x: X}, options=options, run_metadata=metadata), 1)
            writer.add_run_metadata(metadata, "step 1", 1)
        tf.train.Saver().save(session, str(folder / "model"))
        (grad,) = tf.gradients(tf.get_collection("looped")[0], [w])
        expected = {"gradient": session.run(grad, {x: X}), "y": session.run(y, {x: X})}
        tf.saved_model.simple_save(session, str(folder / "saved_model"), {"x": x}, {"y": y})
        frozen = tf.graph_util.convert_variables_to_constants(session, graph.as_graph_def(), ["y"])
        tf.train.write_graph(frozen, str(folder), "frozen.pb", as_text=False)
        expected["losses"] = [session.run([loss, train], {x: X})[0] for _ in range(5)]
    return expected


def test_real_tensorflow_opens_everything(tmp_path):
    expected = write_everything(tmp_path)
    python = os.environ.get("HEADRACE_TF1", ".oracle/tf1/bin/python")
    script = pathlib.Path(__file__).parent / "oracle_reads.py"
    environment = dict(os.environ, TF_CPP_MIN_LOG_LEVEL="3", PYTHONWARNINGS="ignore")
    done = subprocess.run([python, str(script), str(tmp_path)], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr[-3000:]
    found = json.loads((tmp_path / "answer.json").read_text())
    written = [(b"record %d" % i * i).decode() for i in range(30)]
    assert found["records"] == {"": written, "GZIP": written, "ZLIB": written}
    kinds = [entry[1] for entry in found["events"]]
    assert kinds == ["file_version", "graph_def", "meta_graph_def", "summary", "tagged_run_metadata"]
    assert found["events"][3] == [1, "summary", "image/image", "loss", "t", "w_1"]
    losses, gradient = found["training"]
    np.testing.assert_allclose(losses, expected["losses"], rtol=1e-5)
    np.testing.assert_allclose(gradient, expected["gradient"], rtol=1e-4, atol=1e-5)
    y, asset, again = found["serving"]
    np.testing.assert_allclose(y, expected["y"], rtol=1e-5)
    np.testing.assert_allclose(again, expected["y"], rtol=1e-5)
    assert asset == ["words.txt", "asset:0"]
    assert (tmp_path / "saved_model" / "assets" / "words.txt").read_text() == "one\n"


CONTINUE = """
import json, os, sys
import numpy as np
import tensorflow as tf
for name in sorted(os.listdir(sys.argv[1])):
    folder = os.path.join(sys.argv[1], name)
    if not os.path.exists(folder + "/losses.json"):
        continue
    with tf.Graph().as_default(), tf.Session() as session, open(folder + "/losses.json") as file:
        expected = json.load(file)
        saver = tf.train.import_meta_graph(folder + "/model.meta")
        saver.restore(session, folder + "/model")
        session.run(tf.get_collection("start"))
        fetched = [tf.get_collection("loss")[0], tf.get_collection("train")[0]]
        feeds = {key + ":0": value for key, value in np.load(folder + "/batch.npz").items()}
        losses = [session.run(fetched, feeds)[0] for _ in expected]
    np.testing.assert_allclose(losses, expected, rtol=2e-5, atol=1e-6, err_msg=name)
    print(name)
"""


def test_real_tensorflow_goes_on_training(tmp_path):
    tool = pathlib.Path(__file__).parent.parent.parent / "tools" / "oracle" / "make_graph_fixtures.py"
    folder = str(tmp_path / "graphs")
    done = subprocess.run([sys.executable, "-m", "headrace", str(tool), folder], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    python = os.environ.get("HEADRACE_TF1", ".oracle/tf1/bin/python")
    environment = dict(os.environ, TF_CPP_MIN_LOG_LEVEL="3", PYTHONWARNINGS="ignore")
    done = subprocess.run([python, "-c", CONTINUE, folder], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr[-3000:]
    trained = ["averages", "branches", "convnet", "embedding", "mlp", "partitions", "pipeline", "recurrent"]
    assert done.stdout.split() == trained
