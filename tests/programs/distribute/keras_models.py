"""Keras models under MirroredStrategy on two CPUs in a graph: fit, evaluate, predict, weights."""

import numpy as np
import tensorflow as tf

tf.logging.set_verbosity(tf.logging.ERROR)
results = {}
tf.keras.backend.set_session(tf.Session(config=tf.ConfigProto(device_count={"CPU": 2})))
strategy = tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"])
generator = np.random.RandomState(0)
X = generator.rand(16, 3).astype(np.float32)
Y = generator.rand(16, 1).astype(np.float32)
CLASSES = generator.randint(0, 3, [16, 1])
constant = tf.keras.initializers.Constant


def regression():
    model = tf.keras.Sequential(
        [
            tf.keras.layers.Dense(
                4,
                activation="tanh",
                kernel_initializer=constant(0.3),
                kernel_regularizer=tf.keras.regularizers.l2(0.01),
                input_shape=(3,),
            ),
            tf.keras.layers.Dense(1, kernel_initializer=constant(0.2)),
        ]
    )
    model.compile(tf.keras.optimizers.Adam(0.05), "mse", metrics=["mae"])
    return model, Y


def classification():
    inputs = tf.keras.Input([3])
    hidden = tf.keras.layers.Dense(5, activation="sigmoid", kernel_initializer=constant(0.1))(inputs)
    outputs = tf.keras.layers.Dense(3, activation="softmax", kernel_initializer=tf.keras.initializers.glorot_uniform(3))
    model = tf.keras.Model(inputs, outputs(hidden))
    model.compile(tf.keras.optimizers.SGD(0.5, momentum=0.9), "sparse_categorical_crossentropy", metrics=["accuracy"])
    return model, CLASSES


for name, make in (("regression", regression), ("classification", classification)):
    with strategy.scope():
        model, targets = make()
    history = model.fit(X, targets, batch_size=8, epochs=3, shuffle=False, verbose=0).history
    for key, values in sorted(history.items()):
        results[f"{name}/{key}"] = np.asarray(values, np.float32)
    results[f"{name}/evaluate"] = np.asarray(model.evaluate(X, targets, batch_size=8, verbose=0), np.float32)
    results[f"{name}/predict"] = model.predict(X, batch_size=8)
    dataset = tf.data.Dataset.from_tensor_slices((X, targets)).repeat().batch(8)
    history = model.fit(dataset, epochs=2, steps_per_epoch=2, verbose=0).history
    results[f"{name}/dataset/loss"] = np.asarray(history["loss"], np.float32)
    if name == "regression":
        # 1.15 makes a functional model again when it first trains it, and its layers then have other names.
        results[f"{name}/names"] = [weight.name for weight in [*model.weights, *model.optimizer.weights]]
    for number, weight in enumerate(model.get_weights()):
        results[f"{name}/weight/{number}"] = weight
