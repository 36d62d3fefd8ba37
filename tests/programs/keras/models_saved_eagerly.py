"""Models that are saved and loaded while operations run eagerly; configurations of models in models."""

import os
import tempfile

import numpy as np
import tensorflow as tf

tf.enable_eager_execution()
keras = tf.keras
results = {}
random = np.random.RandomState(0)
x = random.rand(12, 4).astype("float32")
y = random.rand(12, 2).astype("float32")


def numbers(values):
    return [round(float(value), 4) for value in np.ravel(values)]


def filled(model):
    model.set_weights([np.round(random.rand(*w.shape) - 0.3, 2).astype("float32") for w in model.get_weights()])
    return model


def small():
    return keras.Sequential([keras.layers.Dense(3, activation="relu", input_shape=(4,)), keras.layers.Dense(2)])


def with_losses():
    inputs = keras.Input((4,))
    hidden = keras.layers.Dense(3)(inputs)
    model = keras.Model(inputs, keras.layers.Dense(2)(hidden))
    # A program that is no module has no global names when its functions come back.
    added = keras.layers.Lambda(lambda h: __import__("tensorflow").reduce_sum(h * h))(hidden)
    model.add_loss(added)
    model.add_metric(added, aggregation="mean", name="added")
    return model


# ---- HDF5 files with what the optimizer keeps
for name, make in [("small", small), ("losses", with_losses)]:
    for optimizer in ["sgd", "adam", "rmsprop"]:
        model = filled(make())
        model.compile(optimizer, "mse", metrics=["mae"])
        before = model.fit(x, y, batch_size=4, shuffle=False, verbose=0).history
        path = os.path.join(tempfile.mkdtemp(), "model.h5")
        model.save(path)
        loaded = keras.models.load_model(path)
        results["%s %s" % (name, optimizer)] = [
            {key: numbers(values) for key, values in sorted(before.items())},
            loaded.metrics_names,
            numbers(loaded.evaluate(x, y, verbose=0)),
            [list(w.shape) for w in loaded.optimizer.get_weights()],
            numbers([w.sum() for w in loaded.optimizer.get_weights()]),
            numbers(loaded.fit(x, y, batch_size=4, shuffle=False, verbose=0).history["loss"]),
        ]

# ---- SavedModels of models that learned their shape from the data
model = keras.Sequential([keras.layers.Dense(3, name="a"), keras.layers.Dropout(0.1), keras.layers.Dense(2, name="b")])
model.compile("adam", "mse")
model.fit(x, y, verbose=0)
path = os.path.join(tempfile.mkdtemp(), "model")
model.save(path, save_format="tf")
loaded = keras.models.load_model(path)
results["deferred"] = [
    isinstance(loaded, keras.Sequential),
    [layer.name for layer in loaded.layers],
    bool(np.allclose(loaded.predict(x), model.predict(x), atol=1e-6)),
]
loaded.pop()
results["popped"] = [layer.name for layer in loaded.layers]

# ---- targets that are tensors
inputs, targets = keras.Input((4,)), keras.Input((2,))
model = filled(keras.Model(inputs, keras.layers.Dense(2)(inputs)))
model.compile("sgd", "mse", metrics=["mae"], target_tensors=[targets])
results["target tensors"] = [
    numbers(model.train_on_batch(x, y)),
    numbers(model.evaluate(x, y, verbose=0)),
    {key: numbers(v) for key, v in sorted(model.fit(x, y, shuffle=False, verbose=0).history.items())},
]


# ---- models in models
def in_models(name, base):
    first, second = keras.Input((4,), name="first_" + name), keras.Input((4,), name="second_" + name)
    model = keras.Model([first, second], keras.layers.add([base(first), base(second)]))
    config = model.get_config()
    copy = keras.Model.from_config(config)
    copy.set_weights(model.get_weights())
    results["in a model: " + name] = [
        [layer["inbound_nodes"] for layer in config["layers"][2:3]],
        [len(layer.inbound_nodes) for layer in copy.layers],
        bool(np.allclose(copy.predict([x, x + 1]), model.predict([x, x + 1]), atol=1e-6)),
    ]


def built(model):
    model.build((None, 4))
    return model


dense = keras.layers.Dense
in_models("deferred", keras.Sequential([dense(3), dense(2)]))
in_models("built", built(keras.Sequential([dense(3), dense(2)])))
in_models("with_shape", keras.Sequential([dense(3, input_shape=(4,)), dense(2)]))
in_models("with_input_layer", keras.Sequential([keras.layers.InputLayer((4,)), dense(3), dense(2)]))
for layers in [
    [keras.layers.InputLayer((4,)), dense(3)],
    [keras.layers.InputLayer(batch_input_shape=(3, 4), dtype="int32"), keras.layers.Embedding(5, 2)],
    [keras.layers.InputLayer((4,)), keras.Sequential([dense(3)])],
]:
    config = keras.Sequential(layers).get_config()
    key = "settings of %s" % [type(layer).__name__ for layer in layers]
    results[key] = [[layer["class_name"], layer["config"].get("batch_input_shape")] for layer in config["layers"]]
    results[key] += [sorted(set(config) - {"name", "layers"})]
