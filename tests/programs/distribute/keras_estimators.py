"""Models of Keras as estimators under MirroredStrategy, of one CPU and of two: weights after three steps, and metrics."""

import tempfile

import numpy as np
import tensorflow as tf

tf.logging.set_verbosity(tf.logging.ERROR)
keras = tf.keras
results = {}
generator = np.random.RandomState(3)
X = generator.rand(16, 2).astype(np.float32)
Y = X.sum(1, keepdims=True).astype(np.float32)


def layers():
    first = keras.initializers.Constant(0.3)
    return [
        keras.layers.Dense(3, "relu", input_shape=(2,), kernel_initializer=first, name="hidden"),
        keras.layers.Dense(1, kernel_initializer=keras.initializers.Constant(0.2), name="outputs"),
    ]


def functional():
    inputs = keras.Input([2], name="given")
    hidden, outputs = layers()
    return keras.Model(inputs, outputs(hidden(inputs)))


def batches():
    return tf.data.Dataset.from_tensor_slices((X, Y)).batch(4)


def compare(name, model, optimizer, devices):
    """Trains, evaluates and predicts; the model itself stays as it is."""
    model.compile(optimizer, "mse", metrics=["mae"])
    config = tf.estimator.RunConfig(
        tempfile.mkdtemp(),
        train_distribute=tf.distribute.MirroredStrategy(devices),
        eval_distribute=tf.distribute.MirroredStrategy(devices),
        session_config=tf.ConfigProto(device_count={"CPU": 2}),
    )
    estimator = keras.estimator.model_to_estimator(model, config=config)
    estimator.train(lambda: batches().repeat(), steps=3)
    # 1.15 saves the slots of Keras' optimizers for each replica as well, though all are the same.
    for variable in [each for each in sorted(estimator.get_variable_names()) if not each.endswith("/replica_1")]:
        results[f"{name}/{variable}"] = estimator.get_variable_value(variable)
    for metric, value in sorted(estimator.evaluate(batches, steps=2).items()):
        results[f"{name}/evaluate/{metric}"] = value
    predicted = estimator.predict(lambda: tf.data.Dataset.from_tensor_slices(X).batch(4))
    results[f"{name}/predictions"] = np.array([next(iter(found.values())) for found in predicted])
    results[f"{name}/own weights"] = model.get_weights()[0]


compare("one CPU", keras.Sequential(layers()), tf.train.GradientDescentOptimizer(0.1), ["/cpu:0"])
keras.backend.clear_session()
compare("two CPUs", functional(), keras.optimizers.Adam(0.1), ["/cpu:0", "/cpu:1"])
