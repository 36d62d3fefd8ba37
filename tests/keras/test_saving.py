"""Models and weights in files: HDF5 of all Keras, checkpoints, SavedModels, configurations."""

import contextlib
import json
import os
import pathlib
import subprocess
import sys

import h5py
import numpy as np
import pytest

import headrace as tf
from headrace.core.eager import eager_mode
from headrace.keras.saving import hdf5_format
from headrace.keras.saving.hdf5_attributes import load_attributes_from_hdf5_group, save_attributes_to_hdf5_group
from headrace.keras.saving.rnn_weights import convert_rnn_weights
from headrace.keras.saving.weight_conversions import convert_kernel

keras = tf.keras
FILES = pathlib.Path(__file__).parent.parent / "fixtures" / "keras"


@pytest.fixture(autouse=True)
def own_graph():
    with tf.Graph().as_default():
        yield


def small_model(**arguments):
    layers = [
        keras.layers.Dense(3, input_shape=(2,), activation="relu", **arguments),
        keras.layers.Dense(1, name="last"),
    ]
    return keras.Sequential(layers)


X = np.array([[1.0, 2.0], [0.5, -1.0]], np.float32)


# ---- files of 1.15.5 and of Keras


def test_model_of_1_15():
    data = np.load(FILES / "dense_1_15.npz")
    model = keras.models.load_model(str(FILES / "dense_1_15.h5"))
    np.testing.assert_allclose(model.predict(data["x"]), data["p"], rtol=1e-5)
    assert model.metrics_names == ["loss", "mean_absolute_error"]
    model.fit(data["x"], data["y"], epochs=1, verbose=0, shuffle=False)
    np.testing.assert_allclose(model.predict(data["x"]), data["after"], rtol=1e-4)


@pytest.mark.parametrize("file", ["dense_1_15", "dense_1_15.h5"])
def test_weights_of_1_15(file):
    data = np.load(FILES / "dense_1_15.npz")
    model = keras.Sequential(
        [
            keras.layers.Dense(3, input_shape=(2,), activation="relu", use_bias=False),
            keras.layers.BatchNormalization(),
            keras.layers.Dense(1),
        ]
    )
    model.load_weights(str(FILES / file))
    np.testing.assert_allclose(model.predict(data["x"]), data["p"], rtol=1e-5)


def test_saved_model_of_1_15():
    data = np.load(FILES / "dense_1_15_saved_model.npz")
    model = keras.models.load_model(str(FILES / "dense_1_15_saved_model"))
    assert isinstance(model, keras.Sequential)
    np.testing.assert_allclose(model.predict(data["x"]), data["p"], rtol=1e-5)


@pytest.mark.parametrize("name", ["keras_1_2_conv", "keras_1_2_lstm", "keras_2_3_dense"])
def test_models_of_stand_alone_keras(name, tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        "import warnings; warnings.simplefilter('ignore')\nimport numpy as np\nfrom keras.models import load_model\n"
        f"data = np.load({str(FILES / (name + '.npz'))!r})\n"
        f"model = load_model({str(FILES / (name + '.h5'))!r})\n"
        "print(float(np.abs(model.predict(data['x']) - data['p']).max()))\n"
    )
    done = subprocess.run([sys.executable, "-m", "headrace", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    assert float(done.stdout) < 1e-5


# ---- there and back


@pytest.mark.parametrize("save_format", ["h5", "tf"])
def test_model_there_and_back(tmp_path, save_format):
    model = small_model()
    model.compile("adam", "mse", metrics=["mae"])
    y = np.ones((2, 1))
    model.fit(X, y, epochs=2, verbose=0, shuffle=False)
    path = str(tmp_path / "model")
    model.save(path, save_format=save_format)
    again = keras.models.load_model(path)
    np.testing.assert_allclose(again.predict(X), model.predict(X), rtol=1e-6)
    assert again.metrics_names == model.metrics_names
    if save_format == "tf":
        # A SavedModel says how a model is compiled, and 1.15 gives it a new optimizer.
        assert keras.backend.get_value(again.optimizer.iterations) == 0
        return
    for each in (model, again):
        each.fit(X, y, epochs=1, verbose=0, shuffle=False)
    np.testing.assert_allclose(again.predict(X), model.predict(X), rtol=1e-5)


@pytest.mark.parametrize("name", ["weights", "weights.h5"])
def test_weights_there_and_back(tmp_path, name):
    model = small_model()
    model.save_weights(str(tmp_path / name))
    again = small_model()
    again.load_weights(str(tmp_path / name))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))


def test_keys_of_checkpoints_are_1_15s(tmp_path):
    model = small_model()
    model.save_weights(str(tmp_path / "weights"))
    names = sorted(name for name, _ in tf.train.list_variables(str(tmp_path / "weights")))
    assert names == ["_CHECKPOINTABLE_OBJECT_GRAPH"] + [
        f"layer_with_weights-{layer}/{weight}/.ATTRIBUTES/VARIABLE_VALUE"
        for layer in (0, 1)
        for weight in ("bias", "kernel")
    ]
    assert tf.train.latest_checkpoint(str(tmp_path)) == str(tmp_path / "weights")


def test_weights_restored_when_they_are_made(tmp_path):
    class Small(keras.Model):
        def __init__(self):
            super().__init__()
            self.first, self.second = keras.layers.Dense(3), keras.layers.Dense(1)

        def call(self, inputs):
            return self.second(self.first(inputs))

    model = Small()
    expected = model.predict(X)
    model.save_weights(str(tmp_path / "weights"))
    again = Small()
    again.load_weights(str(tmp_path / "weights"))
    np.testing.assert_allclose(again.predict(X), expected, rtol=1e-6)


def test_model_of_functions(tmp_path):
    class Scaled(keras.Model):
        def __init__(self):
            super().__init__()
            self.scale = keras.layers.Dense(2)

        def call(self, inputs):
            return 2.0 * self.scale(inputs)

    model = Scaled()
    expected = model.predict(X)
    model.save(str(tmp_path / "model"), save_format="tf")
    with tf.Graph().as_default():
        again = keras.models.load_model(str(tmp_path / "model"))
        np.testing.assert_allclose(again.predict(X), expected, rtol=1e-6)
        assert len(again.trainable_weights) == 2


def test_layer_of_functions(tmp_path):
    class Doubled(keras.layers.Layer):
        def build(self, input_shape):
            self.scale = self.add_weight("scale", shape=[], initializer="ones")
            super().build(input_shape)

        def call(self, inputs):
            return 2.0 * self.scale * inputs

    model = keras.Sequential([keras.layers.Dense(2, input_shape=(2,)), Doubled()])
    model.save(str(tmp_path / "model"), save_format="tf")
    expected = model.predict(X)
    with tf.Graph().as_default():
        again = keras.models.load_model(str(tmp_path / "model"))
        np.testing.assert_allclose(again.predict(X), expected, rtol=1e-6)
        assert isinstance(again.layers[0], keras.layers.Dense)


def test_exported_graphs(tmp_path):
    model = small_model()
    model.compile("sgd", "mse", metrics=["mae"])
    path = str(tmp_path / "exported")
    keras.experimental.export_saved_model(model, path)
    expected = model.predict(X)
    with tf.Graph().as_default():
        again = keras.experimental.load_from_saved_model(path)
        np.testing.assert_allclose(again.predict(X), expected, rtol=1e-6)
    losses = []
    with tf.Session(graph=tf.Graph()) as sess:
        meta = tf.saved_model.loader.load(sess, ["train"], path)
        signature = meta.signature_def["train"]
        feeds = {info.name: X if "input" in key else np.ones((2, 1)) for key, info in signature.inputs.items()}
        step = meta.signature_def["__saved_model_train_op"].outputs["__saved_model_train_op"].name
        for _ in range(3):
            losses.append(sess.run([signature.outputs["loss"].name, step], feeds)[0])
    assert losses[2] < losses[0]
    with tf.Session(graph=tf.Graph()) as sess:
        meta = tf.saved_model.loader.load(sess, ["serve"], path)
        (output,) = meta.signature_def["serving_default"].outputs.values()
        (given,) = meta.signature_def["serving_default"].inputs.values()
        np.testing.assert_allclose(sess.run(output.name, {given.name: X}), expected, rtol=1e-6)
    with pytest.raises(AssertionError, match="isn't empty"):
        keras.experimental.export_saved_model(model, path)


# ---- by name, other shapes


def test_weights_by_name(tmp_path):
    path = str(tmp_path / "weights.h5")
    model = small_model(name="first")
    model.save_weights(path)
    other = keras.Sequential(
        [keras.layers.Dense(3, input_shape=(2,), name="first"), keras.layers.Dense(2, name="other")]
    )
    before = other.layers[1].get_weights()[0]
    other.load_weights(path, by_name=True)
    np.testing.assert_array_equal(other.layers[0].get_weights()[0], model.layers[0].get_weights()[0])
    np.testing.assert_array_equal(other.layers[1].get_weights()[0], before)


@pytest.mark.parametrize("eager", [False, True])
def test_weights_that_do_not_fit_change_nothing(tmp_path, eager):
    path = str(tmp_path / "weights.h5")
    with eager_mode() if eager else contextlib.nullcontext():
        _weights_that_do_not_fit(path, eager)


def _weights_that_do_not_fit(path, eager):
    small_model(name="first").save_weights(path)
    other = keras.Sequential(
        [keras.layers.Dense(3, input_shape=(2,), name="first"), keras.layers.Dense(2, name="last")]
    )
    before = other.get_weights()
    if eager:
        # In graphs the variables take the saved shapes.
        with pytest.raises(
            ValueError, match=r'(?s)Layer #1 \(named "last"\), weight .* has shape \(3, 2\), but .* \(3, 1\)'
        ):
            other.load_weights(path)
    with pytest.raises(ValueError, match=r'Layer #1 \(named "last"\)'):
        other.load_weights(path, by_name=True)
    for now, then in zip(other.get_weights(), before, strict=True):
        np.testing.assert_array_equal(now, then)
    with h5py.File(path, "r") as file:
        hdf5_format.load_weights_from_hdf5_group_by_name(file, other.layers, skip_mismatch=True)
    assert not np.array_equal(other.get_weights()[0], before[0])
    np.testing.assert_array_equal(other.get_weights()[2], before[2])


def test_other_numbers_of_layers(tmp_path):
    path = str(tmp_path / "weights.h5")
    small_model().save_weights(path)
    other = keras.Sequential([keras.layers.Dense(3, input_shape=(2,))])
    with pytest.raises(ValueError, match="weight file containing 2 layers into a model with 1 layers"):
        other.load_weights(path)


def test_formats_of_weights(tmp_path):
    model = small_model()
    with pytest.raises(ValueError, match="looks like an HDF5 file"):
        model.save_weights(str(tmp_path / "w.h5"), save_format="tf")
    with pytest.raises(ValueError, match='Unknown format "other"'):
        model.save_weights(str(tmp_path / "w"), save_format="other")
    model.save_weights(str(tmp_path / "w"))
    with pytest.raises(NotImplementedError, match="based on topology"):
        model.load_weights(str(tmp_path / "w"), by_name=True)
    with pytest.raises(tf.errors.NotFoundError):
        model.load_weights(str(tmp_path / "nothing"))


# ---- damaged files


def test_files_that_hold_no_model(tmp_path):
    for name in ("nothing", "nothing.h5"):
        with pytest.raises(OSError, match="SavedModel file does not exist"):
            keras.models.load_model(str(tmp_path / name))
    path = str(tmp_path / "weights.h5")
    small_model().save_weights(path)
    with pytest.raises(ValueError, match="No model found"):
        keras.models.load_model(path)


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda file: file.attrs.__setitem__("model_config", b"{"), "holds no JSON"),
        (lambda file: file.attrs.__setitem__("model_config", b"[]"), "a dictionary was expected"),
        (lambda file: file.attrs.__setitem__("model_config", 3), "text was expected"),
        (lambda file: file.attrs.__setitem__("model_config", b"\xff\xfe"), "holds no"),
        (lambda file: file.__delitem__("model_weights"), "no group 'model_weights'"),
        (lambda file: file["model_weights"].__delitem__("last"), "lists a layer 'last'"),
        (lambda file: file["model_weights/last/last"].__delitem__("kernel:0"), "lists a weight 'last/kernel:0'"),
        (lambda file: file["model_weights"].attrs.__setitem__("layer_names", 3), "list of names was expected"),
    ],
)  # fmt: skip
def test_damaged_files(tmp_path, damage, said):
    path = str(tmp_path / "model.h5")
    small_model().save(path)
    with h5py.File(path, "r+") as file:
        damage(file)
    with pytest.raises((ValueError, KeyError), match=said):
        keras.models.load_model(path)


def test_cut_files(tmp_path):
    path = tmp_path / "model.h5"
    small_model().save(str(path))
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(OSError, match="truncated"):
        keras.models.load_model(str(path))


def test_code_in_files_is_refused(tmp_path):
    path = str(tmp_path / "model.h5")
    keras.Sequential([keras.layers.Lambda(lambda t: t + 1, input_shape=(2,))]).save(path)
    program = (
        "import headrace as tf\n"
        "try:\n"
        f"    tf.keras.models.load_model({path!r})\n"
        "except Exception as error:\n"
        "    print(type(error).__name__)\n"
        "else:\n"
        "    print('loaded')\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.stdout.strip() not in ("loaded", ""), done.stderr[-2000:]


def test_yaml_is_data():
    yaml = pytest.importorskip("yaml")
    model = small_model()
    again = keras.models.model_from_yaml(model.to_yaml())
    assert again.get_config() == model.get_config()
    # As 1.15 writes tuples.
    config = {"class_name": "Sequential", "config": {"name": "s", "layers": []}, "shape": (None, 2)}
    assert "python/tuple" in yaml.dump(config)
    keras.models.model_from_yaml(yaml.dump(config))
    with pytest.raises(ValueError, match="no YAML of plain data"):
        keras.models.model_from_yaml("!!python/object/apply:os.getcwd []")


def test_models_of_python_code_have_no_hdf5(tmp_path):
    class Own(keras.Model):
        def call(self, inputs):
            return inputs

    with pytest.raises(NotImplementedError, match="Functional model or a Sequential model"):
        Own().save(str(tmp_path / "model.h5"))
    assert not os.path.exists(tmp_path / "model.h5")
    with pytest.raises(ValueError, match="input shapes have not been set"):
        Own().save(str(tmp_path / "model"), save_format="tf")


# ---- parts of the format


def test_attributes_longer_than_a_header(tmp_path):
    names = [f"layer_{number:05}_{'x' * 100}".encode() for number in range(1500)]
    with h5py.File(tmp_path / "file.h5", "w") as file:
        save_attributes_to_hdf5_group(file, "layer_names", names)
        assert "layer_names" not in file.attrs
        assert "layer_names0" in file.attrs
        assert [name.encode() for name in load_attributes_from_hdf5_group(file, "layer_names")] == names
        save_attributes_to_hdf5_group(file, "few", names[:3])
        assert load_attributes_from_hdf5_group(file, "few") == [name.decode() for name in names[:3]]
        save_attributes_to_hdf5_group(file, "none", [])
        assert load_attributes_from_hdf5_group(file, "none") == []
        with pytest.raises(RuntimeError, match="larger than 64512 bytes"):
            save_attributes_to_hdf5_group(file, "long", [b"x" * 70000])


@pytest.mark.parametrize(("kind", "gates"), [("LSTM", 4), ("GRU", 3)])
def test_cudnn_weights_there_and_back(kind, gates):
    units, features = 3, 2
    rng = np.random.RandomState(0)

    class Plain:
        reset_after = True

    layers = {name: type(name, (Plain,), {})() for name in (kind, f"CuDNN{kind}")}
    bias = np.tile(rng.rand(gates * units), 2)  # half of the sum each
    weights = [rng.rand(features, gates * units), rng.rand(units, gates * units), bias]
    plain = convert_rnn_weights(layers[kind], weights)
    assert plain[2].shape == ((gates * units,) if kind == "LSTM" else (2, gates * units))
    for one, other in zip(convert_rnn_weights(layers[f"CuDNN{kind}"], plain), weights, strict=True):
        np.testing.assert_allclose(one, other)
    # cuDNN has each gate's recurrent kernel transposed.
    np.testing.assert_array_equal(plain[1][:, :units], weights[1][:, :units].T)


def test_rnn_weights_that_are_of_no_use():
    gru = type("GRU", (), {"reset_after": False})()
    weights = [np.zeros((2, 9)), np.zeros((3, 9)), np.zeros(18)]
    with pytest.raises(ValueError, match=r"CuDNNGRU is not compatible with GRU\(reset_after=False\)"):
        convert_rnn_weights(gru, weights)
    with pytest.raises(ValueError, match="Invalid bias shape"):
        convert_rnn_weights(type("LSTM", (), {})(), [np.zeros((2, 12)), np.zeros((3, 12)), np.zeros(5)])


def test_kernels_of_theano():
    kernel = np.arange(2 * 3 * 4 * 5).reshape(2, 3, 4, 5)
    np.testing.assert_array_equal(convert_kernel(kernel), kernel[::-1, ::-1])
    with pytest.raises(ValueError, match="Invalid kernel shape"):
        convert_kernel(np.zeros((2, 2)))


def test_losses_and_metrics_of_the_program(tmp_path):
    def far(y_true, y_pred):
        return tf.keras.backend.mean(tf.keras.backend.abs(y_true - y_pred), axis=-1)

    model = small_model()
    model.compile("sgd", far, metrics={"last": [far, keras.metrics.MeanSquaredError()]})
    model.fit(X, np.ones((2, 1)), verbose=0)
    path = str(tmp_path / "model.h5")
    model.save(path)
    with h5py.File(path, "r") as file:
        assert json.loads(file.attrs["training_config"])["loss"] == "far"
    with pytest.raises(ValueError, match="far"):
        keras.models.load_model(path)
    assert keras.models.load_model(path, custom_objects={"far": far}).metrics_names == model.metrics_names
    assert keras.models.load_model(path, compile=False).optimizer is None


def test_a_sequential_model_without_an_input_shape(tmp_path):
    """Its layers and how it is compiled are saved, as 1.15.5 does; it makes its weights at the first data after loading."""
    path = str(tmp_path / "model.h5")
    model = keras.Sequential([keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    model.save(path)
    loaded = keras.models.load_model(path)
    assert not loaded.built
    assert loaded.optimizer is not None
    assert loaded.predict(np.ones((2, 3))).shape == (2, 1)
    with pytest.raises(ValueError, match="have not yet been created"):
        model.save_weights(path)


def test_what_goes_with_validation_data_only():
    model = small_model()
    model.compile("sgd", "mse")
    with pytest.raises(ValueError, match="`validation_steps` should not be specified if `validation_data` is None"):
        model.fit(X, np.ones((2, 1)), validation_steps=1, verbose=0)
    with pytest.raises(TypeError, match="Could not interpret loss_weights argument"):
        model.compile("sgd", "mse", loss_weights=(1.0,))
