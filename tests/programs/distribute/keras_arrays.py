"""Arrays in Keras under a strategy: how many samples a step takes, what crosses the end of an epoch, what is refused."""

import numpy as np
import tensorflow as tf

results = {}
x = np.random.RandomState(0).randn(50, 3).astype(np.float32)
y = x.sum(1, keepdims=True)
weights = np.random.RandomState(1).rand(50).astype(np.float32)


def outcome(act):
    try:
        return act()
    except ValueError as error:
        return str(error)


def made(strategy):
    tf.keras.backend.clear_session()
    with strategy.scope():
        model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(3,), kernel_initializer="zeros")])
        model.compile(tf.keras.optimizers.SGD(0.05), "mse", metrics=["mae"])
    return model


def trained(strategy, batch_size, steps, **more):
    model = made(strategy)
    history = model.fit(x, y, batch_size, steps_per_epoch=steps, epochs=2, shuffle=False, verbose=0, **more).history
    return [history, model.get_weights()]


for name, devices in (("one", ["/cpu:0"]), ("two", ["/cpu:0", "/cpu:1"])):
    for batch_size, steps in ((None, 5), (10, None), (None, None), (20, 2), (20, 3), (16, None), (None, 7), (5, 20)):
        key = "%s: batches of %s, %s steps, " % (name, batch_size, steps)
        results[key + "trained"] = outcome(lambda: trained(tf.distribute.MirroredStrategy(devices), batch_size, steps))
        results[key + "tested"] = outcome(
            lambda: made(tf.distribute.MirroredStrategy(devices)).evaluate(x, y, batch_size, verbose=0, steps=steps)
        )
        results[key + "predicted"] = outcome(
            lambda: made(tf.distribute.MirroredStrategy(devices)).predict(x, batch_size, steps=steps).shape
        )
    for batch_size, steps in ((None, 2), (None, None), (10, 5)):
        results["%s: validated with %s, %s" % (name, batch_size, steps)] = outcome(
            lambda: trained(
                tf.distribute.MirroredStrategy(devices),
                batch_size,
                5,
                validation_data=(x, y),
                validation_steps=steps,
            )
        )
    results[name + ": weighted"] = outcome(
        lambda: trained(tf.distribute.MirroredStrategy(devices), 10, None, sample_weight=weights)
    )
    # Fewer samples than a batch has where nothing is said of it.
    few = {"x": x[:4], "y": y[:4], "verbose": 0}
    for key, act in (
        ("trained", lambda model: model.fit(**few).history["loss"]),
        ("validated", lambda model: model.fit(validation_data=(x[4:9], y[4:9]), **few).history["val_loss"]),
        ("tested", lambda model: model.evaluate(**few)),
        ("predicted", lambda model: model.predict(x[:4])),
    ):
        results["%s: few %s" % (name, key)] = outcome(lambda: act(made(tf.distribute.MirroredStrategy(devices))))
