"""Settings and files of models that are damaged: what is said, and of what."""

from __future__ import annotations

import h5py
import numpy as np
import pytest

import headrace as tf

LAYER = {"class_name": "Dense", "config": {"name": "d", "units": 2}, "name": "d"}
INPUT = {"class_name": "InputLayer", "config": {"batch_input_shape": [None, 3], "name": "i"}, "name": "i"}


def _model(calls, outputs=(("d", 0, 0),)):
    layers = [INPUT | {"inbound_nodes": []}, LAYER | {"inbound_nodes": calls}]
    return {
        "class_name": "Model",
        "config": {"name": "m", "layers": layers, "input_layers": [["i", 0, 0]], "output_layers": outputs},
    }


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"class_name": "Model", "config": {}}, "'layers' is missing"),
        ({"class_name": "Model", "config": {"layers": [3]}}, "no settings with a name"),
        ({"class_name": "Model", "config": {"layers": [LAYER]}}, "'inbound_nodes' is missing"),
        ({"class_name": "Sequential", "config": {"name": "a"}}, "layer 'Sequential'.*'layers' is missing"),
        ({"class_name": ["Dense"], "config": {}}, "class_name"),
        ({"class_name": "LSTM", "config": []}, "layer 'LSTM'"),
        (_model(3), "calls of a layer.*no list"),
        (_model([7]), "call of a layer.*no list"),
        (_model([[["i", "0", 0]]]), "a layer's name and the numbers"),
        (_model([[["i", -1, 0]]]), "a layer's name and the numbers"),
        (_model([[[{}, 0, 0]]]), "a layer's name and the numbers"),
        (_model([[["i", 0, 5]]]), "output 5 of layer 'i', which has 1"),
        (_model([[["i", 0, 0, [1]]]]), "no dictionary"),
        (_model([[["i", 0, 0, {}]]], outputs=3), "no list"),
        (_model([[["i", 0, 0, {}]]], outputs=[["d", 1, 0]]), "none of its layers gives"),
    ],
)
def test_what_is_wrong_with_the_settings_of_a_model_is_told(settings, says):
    with tf.Graph().as_default(), pytest.raises(ValueError, match=says):
        tf.keras.layers.deserialize(settings)


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"class_name": "Dense", "config": {"units": 2, "strange": 1}}, "layer 'Dense'.*strange"),
        ({"class_name": "Dense", "config": {"units": 2, "dtype": -1}}, "layer 'Dense'.*-1"),
        ({"class_name": "Permute", "config": "text"}, "layer 'Permute'.*mapping"),
        (
            {"class_name": "Sequential", "config": {"name": "m", "layers": [{"class_name": "Dense", "config": {}}]}},
            "layer 'Dense'.*units",
        ),
    ],
)
def test_arguments_of_another_kind_are_told_with_the_layer(settings, says):
    with tf.Graph().as_default(), pytest.raises(TypeError, match=f"^The settings of the {says}"):
        tf.keras.layers.deserialize(settings)


def test_settings_in_order_make_the_model():
    with tf.Graph().as_default():
        model = tf.keras.layers.deserialize(_model([[["i", 0, 0, {}]]]))
        assert model.output_shape == (None, 2)


@pytest.mark.parametrize(
    ("settings", "error"), [({"class_name": 3}, ValueError), ({"class_name": "adam", "config": []}, TypeError)]
)
def test_settings_of_optimizers(settings, error):
    with pytest.raises(error, match=r"class_name|optimizer 'adam'"):
        tf.keras.optimizers.deserialize(settings)


def test_errors_of_the_program_stay_as_they_are():
    class Mine(tf.keras.layers.Layer):
        @classmethod
        def from_config(cls, config):
            return config["nothing"]

    settings = {"class_name": "Sequential", "config": {"name": "m", "layers": [{"class_name": "Mine", "config": {}}]}}
    with tf.Graph().as_default(), pytest.raises(KeyError, match="nothing"):
        tf.keras.models.model_from_config(settings, {"Mine": Mine})


def test_a_damaged_file_is_named(tmp_path):
    path = tmp_path / "model.h5"
    with tf.Graph().as_default():
        model = tf.keras.Sequential([tf.keras.layers.Dense(2, input_shape=(3,))])
        model.save(str(path))
        whole = path.read_bytes()
        path.write_bytes(whole[: len(whole) // 2])
        for read in (tf.keras.models.load_model, model.load_weights):
            with pytest.raises(OSError, match=f"{path} is damaged"):
                read(str(path))


@pytest.mark.parametrize(
    ("layer", "place", "shape", "says"),
    [
        (tf.keras.layers.LSTM(2, input_shape=(3, 4), name="l"), "recurrent_kernel:0", (), "must be matrices"),
        (tf.keras.layers.GRU(2, input_shape=(3, 4), name="l"), "kernel:0", (4,), "must be matrices"),
        (tf.keras.layers.LSTM(2, input_shape=(3, 4), name="l"), "bias:0", (), "bias shape"),
        (tf.keras.layers.Conv1D(2, 2, input_shape=(3, 4), name="l"), "kernel:0", (4,), "4 axes in Keras 1"),
    ],
)
def test_weights_of_another_rank_change_nothing(tmp_path, layer, place, shape, says):
    path = tmp_path / "weights.h5"
    with tf.Graph().as_default(), tf.Session():
        model = tf.keras.Sequential([layer.from_config(layer.get_config())])
        model.save_weights(str(path))
        before = model.get_weights()
        with h5py.File(path, "r+") as file:
            if "Conv" in type(layer).__name__:
                file.attrs["keras_version"] = b"1.2.2"
            del file[f"l/l/{place}"]
            file[f"l/l/{place}"] = np.zeros(shape, np.float32)
        with pytest.raises(ValueError, match=says):
            model.load_weights(str(path))
        for old, new in zip(before, model.get_weights(), strict=True):
            np.testing.assert_array_equal(old, new)


def test_text_that_is_none_is_told(tmp_path):
    path = tmp_path / "model.h5"
    with tf.Graph().as_default():
        tf.keras.Sequential([tf.keras.layers.Dense(2, input_shape=(3,))]).save(str(path))
        with h5py.File(path, "r+") as file:
            file.attrs["model_config"] = np.bytes_(b"{\xff}")
        with pytest.raises(ValueError, match="'model_config' is not text in UTF-8"):
            tf.keras.models.load_model(str(path))
