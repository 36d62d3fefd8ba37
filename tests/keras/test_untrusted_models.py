"""What docs/security.md promises of Keras models from strangers."""

from __future__ import annotations

import json
import os

import h5py
import numpy as np
import pytest

import headrace as tf
from headrace.keras.utils import stored_code

keras = tf.keras


@pytest.fixture(autouse=True)
def own_graph():
    keras.backend.clear_session()
    with tf.Graph().as_default():
        yield


@pytest.fixture
def saved(tmp_path):
    """A compiled model in a file, which tests change."""
    model = keras.Sequential([keras.layers.Dense(2, input_shape=(3,), name="d")])
    model.compile("adam", "mse", metrics=["mae"])
    model.fit(np.ones((2, 3)), np.ones((2, 2)), verbose=0)
    path = str(tmp_path / "model.h5")
    model.save(path)
    return path


def changed(path, attribute, change):
    """Changes what an attribute of a file says."""
    with h5py.File(path, "r+") as file:
        config = json.loads(file.attrs[attribute])
        change(config)
        file.attrs[attribute] = json.dumps(config).encode()


# ---- arrays


@pytest.mark.parametrize(
    "place", ["model_weights", "model_weights/d", "model_weights/d/d/kernel:0", "optimizer_weights"]
)
@pytest.mark.parametrize("kind", ["external", "soft"])
def test_links_are_not_followed(saved, tmp_path, place, kind):
    other = str(tmp_path / "other.h5")
    os.replace(saved, other)
    with h5py.File(other, "r") as source, h5py.File(saved, "w") as file:
        for name, value in source.attrs.items():
            file.attrs[name] = value
        for name in source:
            source.copy(name, file)
        if kind == "soft":
            file.move(place, "elsewhere")
        else:
            del file[place]
        file[place] = h5py.ExternalLink(other, place) if kind == "external" else h5py.SoftLink("/elsewhere")
    with pytest.raises(ValueError, match="is a link to"):
        keras.models.load_model(saved)


def replaced(path, **options):
    """Puts another dataset in the place of the kernel."""
    with h5py.File(path, "r+") as file:
        group = file["model_weights/d/d"]
        del group["kernel:0"]
        group.create_dataset("kernel:0", **options)


def test_bytes_of_other_files_are_no_weights(saved, tmp_path):
    secret = tmp_path / "secret"
    secret.write_bytes(b"x" * 24)
    replaced(saved, shape=(3, 2), dtype="float32", external=[(str(secret), 0, 24)])
    with pytest.raises(ValueError, match="lies in other files"):
        keras.models.load_model(saved)


def test_virtual_datasets_are_refused(saved, tmp_path):
    other = str(tmp_path / "other.h5")
    with h5py.File(other, "w") as file:
        file["x"] = np.ones((3, 2), "float32")
    layout = h5py.VirtualLayout((3, 2), "float32")
    layout[:] = h5py.VirtualSource(other, "x", (3, 2))
    with h5py.File(saved, "r+") as file:
        del file["model_weights/d/d/kernel:0"]
        file["model_weights/d/d"].create_virtual_dataset("kernel:0", layout)
    with pytest.raises(ValueError, match="lies in other files"):
        keras.models.load_model(saved)


def test_memory_is_bounded_by_the_file(saved):
    replaced(saved, shape=(1 << 20, 1 << 20), dtype="float32", chunks=(1 << 10, 1 << 10), compression="gzip")
    with pytest.raises(ValueError, match="would take 4398046511104 bytes"):
        keras.models.load_model(saved)


def test_well_packed_weights_are_read(tmp_path):
    model = keras.Sequential([keras.layers.Dense(3000, input_shape=(2000,), kernel_initializer="zeros", name="d")])
    path = str(tmp_path / "weights.h5")
    model.save_weights(path)
    with h5py.File(path, "r+") as file:
        zeros = file["d/d/kernel:0"][()]
        del file["d/d/kernel:0"]
        file["d/d"].create_dataset("kernel:0", data=zeros, compression="gzip", compression_opts=9)
    model.load_weights(path)
    assert not model.get_weights()[0].any()


def test_text_is_no_weight(saved):
    replaced(saved, data=np.array(["a", "b"], dtype=object), dtype=h5py.string_dtype())
    with pytest.raises(ValueError, match="no array of numbers"):
        keras.models.load_model(saved)


# ---- names

REACHABLE = [
    "get_value",
    "deserialize_keras_object",
    "serialize",
    "inspect",
    "functools",
    "Any",
    "__builtins__",
    "cast",
]


@pytest.mark.parametrize("name", REACHABLE)
@pytest.mark.parametrize(
    "kind", ["layers", "losses", "metrics", "optimizers", "initializers", "regularizers", "constraints", "activations"]
)
def test_names_reach_objects_of_their_kind_only(kind, name):
    with pytest.raises((ValueError, TypeError)):
        getattr(keras, kind).deserialize(name)
    with pytest.raises((ValueError, TypeError)):
        getattr(keras, kind).deserialize({"class_name": name, "config": {}})


@pytest.mark.parametrize("name", [*REACHABLE, "Callable"])
def test_names_of_schedules(name):
    with pytest.raises(ValueError, match="Unknown decay"):
        keras.optimizers.schedules.deserialize({"class_name": name, "config": {}})


def test_files_name_losses_and_metrics_only(saved):
    def change(config):
        config["loss"] = {"class_name": "get_value", "config": {"x": 1}}

    changed(saved, "training_config", change)
    with pytest.raises(ValueError, match="Unknown loss function: get_value"):
        keras.models.load_model(saved)


def test_unknown_layers_are_refused(saved):
    def change(config):
        config["config"]["layers"][0]["class_name"] = "os.system"

    changed(saved, "model_config", change)
    with pytest.raises(ValueError, match=r"Unknown layer: os\.system"):
        keras.models.load_model(saved)


@pytest.mark.parametrize("op", ["_Fused", "NoSuchOp"])
def test_operations_of_the_planner_are_not_there_for_files(op):
    x = keras.Input((3,))
    model = keras.Model(x, tf.square(x))
    config = json.loads(model.to_json())
    changed_layers = [each for each in config["config"]["layers"] if each["class_name"] == "TensorFlowOpLayer"]
    changed_layers[0]["config"]["node_def"]["op"] = op
    with pytest.raises(tf.errors.NotFoundError, match=op):
        keras.models.model_from_json(json.dumps(config))


def test_depth_is_bounded():
    deep = "[" * 200_000 + "]" * 200_000
    with pytest.raises(ValueError, match="nested"):
        keras.models.model_from_json(deep)


# ---- code


def test_code_of_this_process_sees_the_names_it_saw():
    def scaled(x):
        return x * json.loads("3")

    layer = keras.layers.Lambda(scaled, input_shape=(2,))
    config = json.loads(json.dumps(layer.get_config()))
    config["module"] = "os"
    with tf.Session() as session:
        output = keras.layers.Lambda.from_config(config)(tf.ones((1, 2)))
        assert session.run(output).tolist() == [[3.0, 3.0]]


@pytest.mark.parametrize("function", [tf.square, tf.nn.relu, abs])
def test_functions_of_the_library_come_back(function, tmp_path):
    model = keras.Sequential([keras.layers.Lambda(function, input_shape=(3,))])
    path = str(tmp_path / "model.h5")
    model.save(path)
    x = np.array([[-1.0, 0.5, 2.0]])
    for copy in (keras.models.clone_model(model), keras.models.load_model(path, compile=False)):
        np.testing.assert_array_equal(copy.predict(x), model.predict(x))


def test_no_callable_is_found_by_name_alone():
    assert stored_code.remembered_callable("system", "os") is None
    config = keras.layers.Lambda(lambda x: x).get_config()
    config.update(function="system", function_type="function", module="os")
    with pytest.raises(ValueError, match="Unknown function in Lambda layer"):
        keras.layers.Lambda.from_config(config)
