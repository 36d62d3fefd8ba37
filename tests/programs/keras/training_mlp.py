"""tf.keras: a seeded perceptron, its losses step by step, and what fit, evaluate and predict give."""

import numpy as np
import tensorflow as tf

results = {}
keras = tf.keras


def data(seed=3, rows=64):
    r = np.random.RandomState(seed)
    x = r.rand(rows, 8).astype(np.float32)
    labels = (x.sum(1) * 3).astype(np.int64) % 4
    return x, labels


def model(optimizer, loss="sparse_categorical_crossentropy", metrics=("accuracy",)):
    tf.reset_default_graph()
    keras.backend.clear_session()
    tf.set_random_seed(11)
    np.random.seed(12)
    made = keras.Sequential(
        [
            keras.layers.Dense(16, activation="relu", input_shape=(8,)),
            keras.layers.Dropout(0.25),
            keras.layers.Dense(4, activation="softmax"),
        ]
    )
    made.compile(optimizer, loss, metrics=list(metrics))
    return made


for name in ("sgd", "adam", "rmsprop", "adagrad"):
    x, labels = data()
    net = model(name)
    results[name + "_steps"] = [
        [float(v) for v in net.train_on_batch(x[i : i + 16], labels[i : i + 16])] for i in (0, 16, 32, 48)
    ]
    results[name + "_more"] = [float(net.train_on_batch(x, labels)[0]) for _ in range(16)]

x, labels = data()
net = model(keras.optimizers.SGD(0.1, momentum=0.9))
history = net.fit(x, labels, batch_size=20, epochs=3, validation_split=0.25, verbose=0)
results["history"] = {key: [float(v) for v in values] for key, values in history.history.items()}
results["epochs"] = history.epoch
results["params"] = {k: v for k, v in history.params.items() if k != "callbacks"}
results["evaluate"] = [float(v) for v in net.evaluate(x, labels, verbose=0)]
results["predict"] = net.predict(x[:5])
results["predict_on_batch"] = net.predict_on_batch(x[:5])
results["test_on_batch"] = [float(v) for v in net.test_on_batch(x, labels)]
results["names"] = net.metrics_names
results["weights"] = [w.name for w in net.weights]
results["optimizer_weights"] = [w.name for w in net.optimizer.weights]
results["inputs"] = [t.name for t in net.inputs]
results["targets"] = [t.name for t in net._feed_targets]

net = model(tf.train.AdamOptimizer(0.01), metrics=["acc", "sparse_categorical_crossentropy"])
history = net.fit(x, labels, batch_size=16, epochs=2, verbose=0, shuffle=False)
results["tf_train"] = {key: [float(v) for v in values] for key, values in history.history.items()}

net = model("sgd")
history = net.fit(x, labels, batch_size=16, epochs=4, initial_epoch=2, verbose=0, shuffle="batch")
results["shuffle_batch"] = [float(v) for v in history.history["loss"]]
history = net.fit(x, labels, batch_size=16, epochs=5, verbose=0, validation_data=(x, labels), validation_freq=[2, 5])
results["validation_freq"] = {key: [float(v) for v in values] for key, values in history.history.items()}
history = net.fit(x, labels, batch_size=16, verbose=0, class_weight={0: 1.0, 1: 2.0, 2: 0.5, 3: 3.0})
results["class_weight"] = {key: [float(v) for v in values] for key, values in history.history.items()}
weights = np.linspace(0.0, 2.0, 64)
history = net.fit(x, labels, sample_weight=weights, batch_size=16, verbose=0)
results["sample_weight"] = {key: [float(v) for v in values] for key, values in history.history.items()}
net = model("sgd")
results["unweighted"] = [float(v) for v in net.evaluate(x, labels, verbose=0)]
results["weighted"] = [float(v) for v in net.evaluate(x, labels, sample_weight=weights, verbose=0)]
