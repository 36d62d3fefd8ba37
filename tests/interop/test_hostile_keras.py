"""Keras models and weights from strangers, damaged at random: an answer of a known class, and no model half changed."""

from __future__ import annotations

import json
import pathlib
import random
import shutil
import sys

import numpy as np
import pytest

import headrace as tf
from headrace.messages import protos

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from mutations import damaged_by

# What docs/security.md says of them.
ANSWERS = (tf.errors.OpError, ValueError, TypeError, OSError)
VALUES = (None, True, -1, 0, 7, 1.5, 2**40, "", "relu", "Dense", "Model", "Lambda", [], {}, [None], [-1], {"config": 3})


def made():
    inputs = tf.keras.Input((5,))
    x = tf.keras.layers.Embedding(7, 3)(inputs)
    x = tf.keras.layers.Bidirectional(tf.keras.layers.LSTM(2, kernel_regularizer="l2"))(x)
    return tf.keras.Model(inputs, tf.keras.layers.Dense(1, activation="tanh")(tf.keras.layers.BatchNormalization()(x)))


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The settings, the weights in HDF5 and the checkpoint of a model, by name."""
    folder = tmp_path_factory.mktemp("whole")
    with tf.Graph().as_default(), tf.Session():
        model = made()
        model.save(str(folder / "model.h5"))
        model.save_weights(str(folder / "weights.h5"))
        model.save_weights(str(folder / "checkpoint" / "m"), save_format="tf")
        (folder / "settings").write_text(model.to_json())
    return folder


def places(settings):
    found = []
    stack = [settings]
    while stack:
        each = stack.pop()
        keys = each if isinstance(each, dict) else range(len(each))
        found += [(each, key) for key in keys]
        stack += [each[key] for key in keys if isinstance(each[key], (dict, list))]
    return found


def attempt(function, *arguments):
    try:
        function(*arguments)
    except ANSWERS as error:
        assert str(error)  # noqa: PT017  there may be none
        return False
    return True


@pytest.mark.parametrize("seed", range(40))
def test_settings_with_other_values(whole, seed):
    generator = random.Random(seed)
    settings = json.loads((whole / "settings").read_text())
    for _ in range(generator.randint(1, 3)):
        place, key = generator.choice(places(settings))
        if generator.random() < 0.2:
            del place[key]
        else:
            place[key] = generator.choice(VALUES)
    with tf.Graph().as_default():
        attempt(tf.keras.models.model_from_json, json.dumps(settings))


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("name", ["weights.h5", "checkpoint/m.index", "checkpoint/m.data-00001-of-00002"])
def test_damaged_weights(whole, tmp_path, name, seed):
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    for other in (whole / name).parent.iterdir():
        if other.is_file():
            (path.parent / other.name).write_bytes(other.read_bytes())
    path.write_bytes(damaged_by(random.Random(seed), (whole / name).read_bytes()))
    with tf.Graph().as_default(), tf.Session():
        model = made()
        before = model.get_weights()
        given = path if name.endswith(".h5") else path.parent / "m"
        if not attempt(model.load_weights, str(given)) and name.endswith(".h5"):
            for old, new in zip(before, model.get_weights(), strict=True):
                np.testing.assert_array_equal(old, new)


@pytest.mark.parametrize("seed", range(12))
def test_damaged_models(whole, tmp_path, seed):
    path = tmp_path / "model.h5"
    path.write_bytes(damaged_by(random.Random(seed), (whole / "model.h5").read_bytes()))
    with tf.Graph().as_default(), tf.Session():
        attempt(tf.keras.models.load_model, str(path))


@pytest.mark.parametrize("node_def", ["no JSON", b"\xff\xff", {"op": 3}, {"strange": "Neg"}])
def test_operations_stored_as_layers_that_are_none(node_def):
    settings = {"class_name": "TensorFlowOpLayer", "config": {"name": "a", "node_def": node_def}}
    with pytest.raises(ValueError, match="TensorFlowOpLayer have no NodeDef"):
        tf.keras.layers.deserialize(settings)


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    """The folder of a SavedModel with an optimizer that keeps slots."""
    folder = str(tmp_path_factory.mktemp("compiled"))
    with tf.Graph().as_default(), tf.Session():
        model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,))])
        model.compile("adam", "mse")
        model.train_on_batch(np.ones([2, 2]), np.ones([2, 1]))
        model.save(folder, save_format="tf")
    return pathlib.Path(folder)


def saved_model_of(folder):
    return protos.SavedModel.FromString((folder / "saved_model.pb").read_bytes())


def copied_with(folder, tmp_path, saved):
    """A copy of the folder of a SavedModel, with another message."""
    copy = tmp_path / "model"
    shutil.copytree(folder, copy)
    (copy / "saved_model.pb").write_bytes(saved.SerializeToString())
    return copy


@pytest.mark.parametrize("seed", range(20))
def test_slots_of_other_objects(compiled, tmp_path, seed):
    generator = random.Random(seed)
    saved = saved_model_of(compiled)
    nodes = saved.meta_graphs[0].object_graph_def.nodes
    slots = [slot for node in nodes for slot in node.slot_variables]
    assert slots
    for slot in generator.sample(slots, 2):
        name = generator.choice(["slot_variable_node_id", "original_variable_node_id"])
        setattr(slot, name, generator.randrange(-1, len(nodes) + 1))
    generator.choice(nodes).slot_variables.add().CopyFrom(generator.choice(slots))
    folder = copied_with(compiled, tmp_path, saved)
    for load in (tf.keras.models.load_model, tf.saved_model.load_v2):
        with tf.Graph().as_default(), tf.Session():
            attempt(load, str(folder))


class OfPython(tf.keras.Model):
    """A model without a configuration: what is loaded of it is made of functions."""

    def __init__(self):
        super().__init__()
        self.hidden = tf.keras.layers.Dense(3)
        self.last = tf.keras.layers.Dense(1)

    def call(self, inputs):
        return self.last(self.hidden(inputs))


@pytest.fixture(scope="module")
def of_python(tmp_path_factory):
    """The folder of a SavedModel of Python code."""
    folder = str(tmp_path_factory.mktemp("of_python"))
    with tf.Graph().as_default(), tf.Session():
        model = OfPython()
        model.compile("adam", "mse")
        model.train_on_batch(np.ones([2, 2], np.float32), np.ones([2, 1], np.float32))
        model.save(folder, save_format="tf")
    return pathlib.Path(folder)


def with_other_objects(generator, nodes):
    """Changes what an object graph says of one object."""
    node = generator.choice(nodes)
    what = generator.choice(["name", "child", "gone", "more", "kind", "copy"])
    if what in ("name", "child", "gone") and not node.children:
        what = "more"
    if what == "name":
        names = ["", "layers", "keras_api", "call", "optimizer", "__class__", "variables"]
        generator.choice(node.children).local_name = generator.choice(names)
    elif what == "child":
        generator.choice(node.children).node_id = generator.randrange(len(nodes))
    elif what == "gone":
        node.children.remove(generator.choice(node.children))
    elif what == "more":
        name = generator.choice(["layers", "call", "_parts", "keras_api", "0", "kernel"])
        node.children.add(node_id=generator.randrange(len(nodes)), local_name=name)
    elif what == "kind":
        node.user_object.identifier = generator.choice(["_tf_keras_layer", "_tf_keras_model", "optimizer", "other"])
    else:
        node.CopyFrom(generator.choice(nodes))


@pytest.mark.parametrize("seed", range(40))
def test_models_of_functions_with_other_objects(of_python, tmp_path, seed):
    saved = saved_model_of(of_python)
    with_other_objects(random.Random(seed), saved.meta_graphs[0].object_graph_def.nodes)
    folder = copied_with(of_python, tmp_path, saved)
    given = np.ones([2, 2], np.float32)
    with tf.Graph().as_default(), tf.Session():
        attempt(lambda: tf.keras.models.load_model(str(folder), compile=seed % 2 == 0)(given))


def test_models_of_functions_predict_though_they_are_not_compiled(of_python):
    given = np.ones([2, 2], np.float32)
    with tf.Graph().as_default(), tf.Session():
        compiled = tf.keras.models.load_model(str(of_python)).predict(given)
        np.testing.assert_array_equal(
            tf.keras.models.load_model(str(of_python), compile=False).predict(given), compiled
        )


@pytest.mark.parametrize("name", ["predict", "call", "weights", "_parts", "optimizer", "__call__"])
def test_layers_of_a_file_do_not_stand_for_what_a_model_has(of_python, tmp_path, name):
    saved = saved_model_of(of_python)
    for child in saved.meta_graphs[0].object_graph_def.nodes[0].children:
        if child.local_name == "hidden":
            child.local_name = name
    folder = copied_with(of_python, tmp_path, saved)
    given = np.ones([2, 2], np.float32)
    with tf.Graph().as_default(), tf.Session():
        expected = tf.keras.models.load_model(str(of_python)).predict(given)
        model = tf.keras.models.load_model(str(folder))
        np.testing.assert_array_equal(model.predict(given), expected)
        assert len(model.weights) == 4
