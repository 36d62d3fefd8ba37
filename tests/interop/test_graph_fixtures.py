"""What real TensorFlow 1.15.5 wrote (tools/oracle/make_graph_fixtures.py) opens here and goes on as it did there."""

from __future__ import annotations

import json
import pathlib

import numpy as np
import pytest

import headrace as tf

FIXTURES = pathlib.Path(__file__).parent.parent / "fixtures" / "graphs"


def arrays(name):
    with np.load(FIXTURES / name) as file:
        return dict(file)


TRAINED = ["mlp", "convnet", "embedding", "recurrent", "partitions", "pipeline", "branches", "averages"]


@pytest.mark.parametrize("name", TRAINED)
def test_training_goes_on_as_it_would_have_there(name):
    folder = FIXTURES / name
    expected = json.loads((folder / "losses.json").read_text())
    batch = arrays(f"{name}/batch.npz")
    with tf.Graph().as_default(), tf.Session() as session:
        saver = tf.train.import_meta_graph(str(folder / "model.meta"))
        saver.restore(session, str(folder / "model"))
        session.run(tf.get_collection("start"))
        fetched = [tf.get_collection("loss")[0], tf.get_collection("train")[0]]
        feeds = {f"{key}:0": value for key, value in batch.items()}
        losses = [session.run(fetched, feeds)[0] for _ in expected]
    np.testing.assert_allclose(losses, expected, rtol=2e-5, atol=1e-6)


@pytest.mark.parametrize("scope", [None, "again"])
def test_a_saved_model(scope):
    data = arrays("serving.npz")
    with tf.Graph().as_default(), tf.Session() as session:
        model = tf.saved_model.loader.load(session, ["serve"], str(FIXTURES / "saved_model"), import_scope=scope)
        signature = model.signature_def["serving_default"]
        prefix = f"{scope}/" if scope else ""
        fed = {prefix + signature.inputs["x"].name: data["x"]}
        y, top = session.run([prefix + signature.outputs[key].name for key in ("y", "top")], fed)
    np.testing.assert_allclose(y, data["y"], rtol=1e-5)
    np.testing.assert_array_equal(top, np.argsort(-data["y"], axis=1)[:, :2])


def test_a_predictor():
    data = arrays("serving.npz")
    predict = tf.contrib.predictor.from_saved_model(str(FIXTURES / "saved_model"))
    np.testing.assert_allclose(predict({"x": data["x"]})["y"], data["y"], rtol=1e-5)


@pytest.mark.parametrize("name", ["frozen.pb", "frozen.pbtxt"])
def test_frozen_graphs(name):
    from google.protobuf import text_format

    data = arrays("serving.npz")
    graph_def = tf.GraphDef()
    if name.endswith("txt"):
        text_format.Parse((FIXTURES / name).read_text(), graph_def)
    else:
        with tf.gfile.FastGFile(str(FIXTURES / name), "rb") as file:
            graph_def.ParseFromString(file.read())
    with tf.Graph().as_default(), tf.Session() as session:
        (y,) = tf.import_graph_def(graph_def, return_elements=["y:0"], name="frozen")
        np.testing.assert_allclose(session.run(y, {"frozen/x:0": data["x"]}), data["y"], rtol=1e-5)


def test_an_event_file():
    found = list(tf.train.summary_iterator(str(FIXTURES / "events" / "events.out.tfevents.fixture")))
    assert found[0].file_version == "brain.Event:2"
    values = {(event.step, value.tag): value for event in found for value in event.summary.value}
    assert [values[step, "scalar"].simple_value for step in range(3)] == [0.5, 1.5, 2.5]
    assert values[2, "histogram"].histo.sum == 25.0
    assert values[0, "image/image/0"].image.width == 2
    assert any(event.graph_def for event in found)


@pytest.mark.parametrize("kind", ["", "GZIP", "ZLIB"])
def test_records(kind):
    path = FIXTURES / ("records" + (f".{kind.lower()}" if kind else ""))
    found = list(tf.python_io.tf_record_iterator(str(path), tf.python_io.TFRecordOptions(kind)))
    assert found == [b"record %d " % i * i for i in range(20)]


@pytest.mark.parametrize("scope", [None, "inner"])
def test_a_saved_model_of_tensorflow_2(scope):
    folder = FIXTURES.parent / "saved_model_tf2"
    with np.load(folder / "example.npz") as file:
        data = dict(file)
    with tf.Graph().as_default(), tf.Session() as session:
        model = tf.saved_model.loader.load(session, ["serve"], str(folder), import_scope=scope)
        signature = model.signature_def["serving_default"]
        prefix = f"{scope}/" if scope else ""
        fetches = {key: prefix + info.name for key, info in signature.outputs.items()}
        x = prefix + signature.inputs["x"].name
        first, second = session.run(fetches, {x: data["x"]}), session.run(fetches, {x: -data["x"]})
    for key in ("y", "sum"):
        np.testing.assert_allclose(first[key], data[key], rtol=1e-5)
        np.testing.assert_allclose(second[key], data[f"negative_{key}"], rtol=1e-5)
