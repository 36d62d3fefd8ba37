"""Losses and metrics that layers add to models under strategies: those of one replica and one step."""

import numpy as np
import tensorflow as tf

K, L, D = tf.keras, tf.keras.layers, tf.distribute
X = np.arange(24, dtype=np.float32).reshape(8, 3) / 10
Y = np.linspace(0, 1, 8).reshape(8, 1).astype(np.float32)


def plain(**settings):
    return K.Sequential([L.Dense(1, input_shape=(3,), kernel_initializer="ones", **settings)])


def with_loss(reduce):
    model = plain()
    model.add_loss(reduce(model.output))
    return model


def with_metric():
    model = plain()
    model.add_metric(tf.reduce_sum(model.output), name="sum", aggregation="mean")
    return model


MODELS = {
    "a regularizer of weights": lambda: plain(kernel_regularizer="l2"),
    "a regularizer of outputs": lambda: plain(activity_regularizer="l1"),
    "a mean": lambda: with_loss(tf.reduce_mean),
    "a sum": lambda: with_loss(tf.reduce_sum),
    "a metric": with_metric,
}
STRATEGIES = {
    "two": lambda: D.MirroredStrategy(["/cpu:0", "/cpu:1"]),
    "one": lambda: D.OneDeviceStrategy("/cpu:0"),
}


def outcome(strategy, made):
    K.backend.clear_session()
    with strategy.scope():
        model = made()
        model.compile(K.optimizers.SGD(0.05), "mse")
    tested = model.evaluate(X, Y, batch_size=4, verbose=0)
    history = model.fit(X, Y, batch_size=4, epochs=2, shuffle=False, verbose=0).history
    again = model.evaluate(X[:4], Y[:4], batch_size=4, verbose=0)
    return [tested, history, again, model.get_weights()]


results = {}
for name, made in MODELS.items():
    for kind, strategy in STRATEGIES.items():
        results["%s, %s" % (name, kind)] = outcome(strategy(), made)
