"""What models write to files: attributes and datasets of HDF5, keys of checkpoints, configurations; and errors."""

import json
import os
import tempfile

import h5py
import numpy as np
import tensorflow as tf

keras = tf.keras
results = {}
folder = tempfile.mkdtemp()


def constant_model():
    inputs = keras.Input((2,), name="given")
    hidden = keras.layers.Dense(
        3, name="hidden", activation="relu", kernel_initializer=keras.initializers.Constant(0.5)
    )(inputs)
    normal = keras.layers.BatchNormalization(name="normal")(hidden)
    outputs = keras.layers.Dense(1, name="last", kernel_initializer="ones", kernel_regularizer="l2")(normal)
    return keras.Model(inputs, [outputs, hidden], name="both")


def attempt(key, function):
    try:
        function()
        results[key] = "no error"
    except Exception as error:
        results[key] = "OSError" if isinstance(error, OSError) else type(error).__name__


model = constant_model()
model.compile(
    keras.optimizers.Adam(0.5),
    {"last": "mse", "hidden": keras.losses.Huber()},
    metrics={"last": ["mae", keras.metrics.MeanSquaredError()]},
    loss_weights={"last": 1.0, "hidden": 0.5},
)
x = np.array([[1.0, 2.0], [3.0, 5.0]], np.float32)
model.fit(x, [np.zeros((2, 1)), np.zeros((2, 3))], epochs=1, verbose=0)
path = os.path.join(folder, "model.h5")
model.save(path)
with h5py.File(path, "r") as file:
    for name in ("keras_version", "backend"):
        results["attribute_" + name] = str(file.attrs[name])
    for name in ("model_config", "training_config"):
        found = file.attrs[name]
        results[name] = json.dumps(json.loads(found if isinstance(found, str) else found.decode()), sort_keys=True)
    results["layer_names"] = [name.decode() for name in file["model_weights"].attrs["layer_names"]]
    results["weight_names"] = [name.decode() for name in file["model_weights/normal"].attrs["weight_names"]]
    results["optimizer_weights"] = [
        name.decode().partition("/Adam")[2] for name in file["optimizer_weights"].attrs["weight_names"]
    ]
    places = []
    file["model_weights"].visit(places.append)
    results["places"] = sorted(places)
again = keras.models.load_model(path)
results["predicted"] = again.predict(x)
results["metrics_names"] = again.metrics_names
again.fit(x, [np.zeros((2, 1)), np.zeros((2, 3))], epochs=2, verbose=0, shuffle=False)
results["trained_on"] = again.predict(x)

model.save_weights(os.path.join(folder, "weights"))
reader = tf.train.load_checkpoint(os.path.join(folder, "weights"))
results["keys"] = sorted(reader.get_variable_to_shape_map())
results["json"] = json.dumps(json.loads(model.to_json()), sort_keys=True)
results["from_json"] = keras.models.model_from_json(model.to_json()).count_params()

attempt("format", lambda: model.save_weights(os.path.join(folder, "w.h5"), save_format="tf"))
attempt("no_format", lambda: model.save_weights(os.path.join(folder, "w"), save_format="other"))
attempt("no_file", lambda: keras.models.load_model(os.path.join(folder, "nothing.h5")))
attempt("no_weights", lambda: model.load_weights(os.path.join(folder, "nothing")))
attempt("no_hdf5", lambda: model.load_weights(os.path.join(folder, "nothing.h5")))
attempt("by_name", lambda: model.load_weights(os.path.join(folder, "weights"), by_name=True))
attempt("unbuilt", lambda: keras.Sequential([keras.layers.Dense(2)]).save_weights(os.path.join(folder, "u.h5")))
attempt("list", lambda: keras.models.model_from_config([]))
