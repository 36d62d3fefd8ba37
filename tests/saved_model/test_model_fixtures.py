"""Models of many kinds that real TensorFlow wrote (tools/oracle/make_model_fixtures.py, make_tf2_models.py) run here."""

from __future__ import annotations

import json
import pathlib
import shutil

import numpy as np
import pytest

import headrace as tf

FIXTURES = pathlib.Path(__file__).parent.parent / "fixtures"
MODELS = sorted(path.parent.relative_to(FIXTURES) for path in FIXTURES.glob("models*/*/example.npz"))
CHECKPOINTS = FIXTURES / "models_tf2" / "checkpoints"


def same(found, expected):
    found = np.asarray(found)
    assert (found.dtype.kind, found.shape) == (expected.dtype.kind, expected.shape)
    if expected.dtype.kind == "f":
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)
    else:
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("name", MODELS, ids=str)
def test_a_saved_model_gives_what_it_gave(name):
    folder = FIXTURES / name
    # Strings are Python objects in an array's file; the files are this project's own.
    with np.load(folder / "example.npz", allow_pickle=True) as file:
        data = {tuple(key.split(":")): value for key, value in file.items()}
    with tf.Graph().as_default(), tf.Session() as session:
        signature = tf.saved_model.loader.load(session, ["serve"], str(folder)).signature_def["serving_default"]
        fed = {
            signature.inputs[key].name: value if value.shape or value.dtype != object else value.item()
            for (kind, key), value in data.items()
            if kind == "in"
        }
        fetched = {key: signature.outputs[key].name for kind, key in data if kind == "out"}
        found = session.run(fetched, fed)
    for key, value in found.items():
        same(value, data["out", key])


def test_training_from_queues_goes_on_as_it_would_have_there(tmp_path, monkeypatch):
    shutil.copytree(FIXTURES / "models" / "queues", tmp_path / "queues")
    # The graph has the paths of its files as they were given there.
    monkeypatch.chdir(tmp_path / "queues")
    expected = json.loads(pathlib.Path("losses.json").read_text())
    with tf.Graph().as_default(), tf.Session() as session:
        saver = tf.train.import_meta_graph("./model.meta")
        saver.restore(session, "./model")
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coordinator)
        fetched = [tf.get_collection("loss")[0], tf.get_collection("train")[0]]
        losses = [session.run(fetched)[0] for _ in expected]
        coordinator.request_stop()
        coordinator.join(threads)
    np.testing.assert_allclose(losses, expected, rtol=2e-5, atol=1e-6)


@pytest.mark.parametrize("version", [1, 2])
def test_checkpoints_of_tensorflow_2_by_name(version):
    with np.load(CHECKPOINTS / "values.npz") as file:
        values = dict(file)
    reader = tf.train.NewCheckpointReader(str(CHECKPOINTS / f"named_v{version}"))
    same(reader.get_tensor("layer/rows"), values["layer/rows"])
    assert reader.get_tensor("words").tolist() == [b"a", b"bc"]
    assert reader.get_variable_to_dtype_map()["global_step"] == tf.int64
    if version == 2:
        same(reader.get_tensor("half").astype(np.float32), values["half"])
    with tf.Graph().as_default(), tf.Session() as session:
        rows = tf.get_variable("layer/rows", [5, 2])
        tf.train.Saver([rows]).restore(session, str(CHECKPOINTS / f"named_v{version}"))
        same(session.run(rows), values["layer/rows"])


def test_checkpoints_of_tensorflow_2_by_object():
    with np.load(CHECKPOINTS / "values.npz") as file:
        values = dict(file)
    with tf.Graph().as_default(), tf.Session() as session:
        weights = tf.get_variable("w", [2, 3], use_resource=True)
        scale = tf.get_variable("s", [], use_resource=True)
        net = tf.train.Checkpoint(weights=weights)
        net.parts = [scale]
        objects = tf.train.Checkpoint(net=net)
        objects.restore(str(CHECKPOINTS / "objects-1")).run_restore_ops(session)
        same(session.run(weights), values["weights"])
        same(session.run(scale), values["scale"])
        assert tf.train.load_variable(str(CHECKPOINTS / "objects-1"), "save_counter/.ATTRIBUTES/VARIABLE_VALUE") == 1
