"""Models of many kinds of layers: settings and back, training, and what weights become."""

import json

import numpy as np
import tensorflow as tf

L = tf.keras.layers
results = {}


def filled(model):
    """The model with weights that are the same everywhere."""
    random = np.random.RandomState(3)
    model.set_weights([random.uniform(0.1, 0.5, w.shape) for w in model.get_weights()])
    return model


def check(name, model, inputs, targets):
    """Trains a model, and makes it again of its settings."""
    config = json.loads(model.to_json())
    # Versions and compiled code differ.
    layers = [layer for layer in config["config"]["layers"] if layer["class_name"] != "Lambda"]
    again = type(model).from_config(model.get_config())
    filled(model)
    again.set_weights(model.get_weights())
    before = model.predict(inputs)
    found = {
        "layers": layers,
        "before": before,
        "same": bool(np.allclose(again.predict(inputs), before, atol=1e-6)),
        "names": [w.name for w in model.weights],
        "shapes": [[layer.name, str(layer.output_shape)] for layer in model.layers],
    }
    model.compile(tf.keras.optimizers.SGD(0.01), "mse", metrics=["mae"])
    history = model.fit(inputs, targets, batch_size=4, epochs=2, shuffle=False, verbose=0)
    found["history"] = [history.history[key] for key in sorted(history.history)]
    found["after"] = [float(w.sum()) for w in model.get_weights()]
    found["predicted"] = model.predict(inputs, batch_size=3)
    results[name] = found
    tf.keras.backend.clear_session()


R = np.random.RandomState(8)
model = tf.keras.Sequential(
    [
        L.Conv2D(4, 3, padding="same", input_shape=(6, 6, 2), kernel_regularizer="l2"),
        L.BatchNormalization(momentum=0.6),
        L.ReLU(2.0),
        L.DepthwiseConv2D(2),
        L.MaxPooling2D(),
        L.UpSampling2D(2),
        L.ZeroPadding2D(1),
        L.SeparableConv2D(3, 2, activation="tanh"),
        L.GlobalAveragePooling2D(),
        L.LayerNormalization(),
        L.PReLU(),
        L.Dense(2, activation="sigmoid", activity_regularizer="l1"),
    ]
)
check("images", model, R.randn(8, 6, 6, 2), R.rand(8, 2))

words = tf.keras.Input((5,), name="words", dtype="int32")
x = L.Embedding(7, 4, mask_zero=True)(words)
x = L.Dropout(0.0)(x)
y = L.GlobalAveragePooling1D()(x)
z = L.Flatten()(L.Permute((2, 1))(L.Reshape((5, 4))(L.Conv1D(4, 1)(L.Lambda(lambda t: t * 2.0)(x)))))
joined = L.concatenate([y, L.Dense(4)(z)])
outputs = L.add([L.Dense(3)(joined), L.multiply([L.Dense(3)(y), L.Dense(3, use_bias=False)(y)])])
check("words", tf.keras.Model(words, L.Softmax()(outputs)), R.randint(0, 7, [8, 5]), R.rand(8, 3))

query = tf.keras.Input((3, 4), name="query")
value = tf.keras.Input((5, 4), name="value")
attended = L.Attention(use_scale=True)([query, value])
also = L.AdditiveAttention()([query, value])
x = L.average([attended, also, query])
x = L.Dot(axes=(2, 2))([x, value])
x = L.LocallyConnected1D(2, 2)(x)
x = L.Cropping1D((0, 1))(L.UpSampling1D(2)(x))
x = L.LeakyReLU(0.2)(L.subtract([x, L.ELU()(x)]))
outputs = L.Dense(1)(L.GlobalMaxPooling1D()(x))
model = tf.keras.Model([query, value], outputs)
check("attention", model, [R.randn(8, 3, 4), R.randn(8, 5, 4)], R.rand(8, 1))
