"""Session bundles are read as they were written, and nothing else is done by them."""

import os

import numpy as np
import pytest

import headrace as tf
from headrace.contrib.session_bundle.exporter import Exporter, generic_signature, regression_signature
from headrace.contrib.session_bundle.loading import (
    load_session_bundle_from_path,
    load_session_bundle_or_saved_model_bundle_from_path,
    maybe_session_bundle_dir,
)
from headrace.contrib.session_bundle.signatures import (
    get_classification_signature,
    get_named_signature,
    get_regression_signature,
)


def write(folder, init_op=None, asset=None, clear_devices=False, **signatures):
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None], name="x")
        factor = tf.Variable(3.0, name="factor")
        y = tf.multiply(x, factor, name="y")
        assets = []
        started = None
        if asset:
            path = tf.constant(str(asset), name="path")
            read = tf.Variable("", name="read", collections=["read"])
            started = read.assign(tf.read_file(path)).op
            assets = [path]
        if init_op:
            started = init_op()
        saver = tf.train.Saver([factor], sharded=True)
        session.run(tf.global_variables_initializer())
        exporter = Exporter(saver)
        exporter.init(
            init_op=started,
            clear_devices=clear_devices,
            default_graph_signature=regression_signature(x, y),
            named_graph_signatures={"inputs": generic_signature({"x": x}), "outputs": generic_signature({"y": y})},
            assets_collection=assets,
        )
        return os.fsdecode(exporter.export(str(folder), tf.constant(7), session))


@pytest.mark.parametrize("clear_devices", [False, True])
def test_a_bundle_gives_what_its_graph_gave(tmp_path, clear_devices):
    path = write(tmp_path / "out", clear_devices=clear_devices)
    assert os.path.basename(path) == "00000007"
    assert maybe_session_bundle_dir(path)
    assert not maybe_session_bundle_dir(tmp_path)
    with tf.Graph().as_default():
        session, message = load_session_bundle_from_path(path)
        signature = get_regression_signature(message)
        found = session.run(signature.output.tensor_name, {signature.input.tensor_name: [1.0, 2.0]})
        np.testing.assert_array_equal(found, [3.0, 6.0])
        assert get_named_signature("inputs", message).generic_signature.map["x"].tensor_name == "x:0"
        with pytest.raises(RuntimeError, match="classification_signature"):
            get_classification_signature(message)
        with pytest.raises(RuntimeError, match="Missing signature named: other"):
            get_named_signature("other", message)


def test_assets_are_read_from_the_bundle(tmp_path):
    asset = tmp_path / "words.txt"
    asset.write_text("cook")
    path = write(tmp_path / "out", asset=asset)
    asset.unlink()
    with tf.Graph().as_default():
        session, _ = load_session_bundle_from_path(path)
        assert session.run("read:0") == b"cook"


def test_a_bundle_is_read_as_a_saved_model(tmp_path):
    with tf.Graph().as_default():
        _, message = load_session_bundle_or_saved_model_bundle_from_path(write(tmp_path / "out"))
    default = message.signature_def["serving_default"]
    assert default.method_name == "tensorflow/serving/regress"
    assert default.inputs["inputs"].name == "x:0"
    assert default.outputs["outputs"].name == "y:0"
    predict = message.signature_def["predict"]
    assert predict.method_name == "tensorflow/serving/predict"
    assert predict.outputs["y"].name == "y:0"


def test_a_saved_model_is_read_too(tmp_path):
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None], name="x")
        tf.saved_model.simple_save(session, str(tmp_path / "model"), {"x": x}, {"y": 2 * x})
    with tf.Graph().as_default():
        session, message = load_session_bundle_or_saved_model_bundle_from_path(tmp_path / "model")
        output = message.signature_def["serving_default"].outputs["y"].name
        np.testing.assert_array_equal(session.run(output, {"x:0": [4.0]}), [8.0])
    with pytest.raises(RuntimeError, match="not found at specified export location"):
        load_session_bundle_or_saved_model_bundle_from_path(tmp_path)


def test_a_bundle_may_not_write_files_or_call_python(tmp_path):
    target = tmp_path / "written"
    path = write(tmp_path / "out", init_op=lambda: tf.write_file(str(target), "x"))
    with tf.Graph().as_default(), pytest.raises(tf.errors.InvalidArgumentError, match="write files"):
        load_session_bundle_from_path(path)
    assert not target.exists()
    path = write(tmp_path / "python", init_op=lambda: tf.py_func(lambda: np.float32(1), [], tf.float32).op)
    with tf.Graph().as_default(), pytest.raises(tf.errors.InvalidArgumentError, match="Python functions"):
        load_session_bundle_from_path(path)


def test_an_export_that_fails_leaves_nothing(tmp_path):
    def fail(files, folder):
        raise OSError("no room")

    with tf.Graph().as_default(), tf.Session() as session:
        tf.Variable(1.0)
        session.run(tf.global_variables_initializer())
        exporter = Exporter(tf.train.Saver())
        exporter.init(assets_collection=[tf.constant("a")], assets_callback=fail)
        with pytest.raises(OSError, match="no room"):
            exporter.export(str(tmp_path), tf.constant(1), session)
    assert os.listdir(tmp_path) == []
