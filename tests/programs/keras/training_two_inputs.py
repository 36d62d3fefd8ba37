"""tf.keras: two inputs and two outputs, with losses, metrics and weights of each, by list and by name."""

import numpy as np
import tensorflow as tf

results = {}
layers = tf.keras.layers
r = np.random.RandomState(31)
a, b = r.rand(30, 4), r.rand(30, 3)
ya, yb = r.rand(30, 1), r.randint(0, 3, [30, 1])


def made():
    tf.keras.backend.clear_session()
    tf.set_random_seed(32)
    np.random.seed(33)
    first, second = tf.keras.Input((4,), name="first"), tf.keras.Input((3,), name="second")
    both = layers.concatenate([layers.Dense(5, activation="tanh")(first), layers.Dense(5)(second)])
    both = layers.Dropout(0.3)(both)
    value = layers.Dense(1, name="value")(both)
    kind = layers.Dense(3, activation="softmax", name="kind")(both)
    return tf.keras.Model([first, second], [value, kind])


def plain(history):
    return {key: [float(v) for v in values] for key, values in history.history.items()}


model = made()
model.compile(
    tf.keras.optimizers.Adam(0.02),
    {"value": "mse", "kind": "sparse_categorical_crossentropy"},
    metrics={"value": ["mae", tf.keras.metrics.MeanSquaredError(name="squared")], "kind": "acc"},
    loss_weights={"value": 0.5, "kind": 2.0},
)
results["names"] = model.metrics_names
results["steps"] = [[float(v) for v in model.train_on_batch([a, b], [ya, yb])] for _ in range(20)]
results["fit"] = plain(
    model.fit({"first": a, "second": b}, {"kind": yb, "value": ya}, epochs=2, batch_size=7, verbose=0)
)
results["evaluate"] = [float(v) for v in model.evaluate([a, b], [ya, yb], verbose=0, batch_size=11)]
results["predict"] = model.predict([a[:3], b[:3]])

model = made()
model.compile("sgd", ["mae", "sparse_categorical_crossentropy"], metrics=["mse"], loss_weights=[1.0, 0.25])
results["list_names"] = model.metrics_names
results["list"] = plain(model.fit([a, b], [ya, yb], batch_size=10, verbose=0, validation_split=0.2))
results["weights_of_one"] = plain(
    model.fit([a, b], [ya, yb], batch_size=10, verbose=0, sample_weight={"kind": np.linspace(0, 1, 30)})
)

model = made()
model.get_layer("kind").trainable = False
model.compile("sgd", {"value": "mse"}, metrics=[["mae"], []])
results["one_loss_names"] = model.metrics_names
results["one_loss"] = [float(v) for v in model.train_on_batch([a, b], ya)]

model = made()
model.get_layer("kind").trainable = False
target = tf.constant(ya, tf.float32)
model.compile("sgd", ["mse", None], target_tensors=[target, None])
results["target_tensors"] = plain(model.fit([a, b], None, batch_size=30, epochs=2, verbose=0))

# Losses and metrics that the model adds itself, without any target.
tf.keras.backend.clear_session()
tf.set_random_seed(34)
first = tf.keras.Input((4,))
hidden = layers.Dense(3, activity_regularizer=tf.keras.regularizers.l2(0.01))(first)
back = layers.Dense(4)(hidden)
model = tf.keras.Model(first, back)
model.add_loss(tf.reduce_mean(tf.square(first - back)))
model.add_metric(tf.reduce_mean(tf.abs(hidden)), name="hidden_size", aggregation="mean")
model.compile("sgd")
results["own_names"] = model.metrics_names
results["own_loss"] = [[float(v) for v in model.train_on_batch(a)] for _ in range(5)]
results["own_fit"] = plain(model.fit(a, batch_size=10, epochs=2, verbose=0, shuffle=False))
