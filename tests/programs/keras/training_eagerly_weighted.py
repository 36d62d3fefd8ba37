"""Histories of training that runs eagerly: weights of samples, classes and steps, masks, last batches that are smaller."""

import numpy as np
import tensorflow as tf

tf.enable_eager_execution()
keras, layers = tf.keras, tf.keras.layers
results = {}
random = np.random.RandomState(3)
x = random.rand(23, 4).astype("float32")
labels = random.randint(0, 3, 23)
targets = np.eye(3)[labels].astype("float32")
weights = random.rand(23).astype("float32")
steps = random.rand(23, 5, 2).astype("float32")
steps[::2, 3:] = 0
of_steps = random.rand(23, 5, 2).astype("float32")
weights_of_steps = random.rand(23, 5).astype("float32")
words = random.randint(0, 8, (23, 5))
words[:, 3:] = 0


def filled(model):
    generator = np.random.RandomState(5)
    model.set_weights([np.round(generator.rand(*w.shape) * 0.6 - 0.2, 3) for w in model.get_weights()])
    return model


def perceptron():
    return keras.Sequential(
        [layers.Dense(5, activation="relu", input_shape=(4,)), layers.Dense(3, activation="softmax")]
    )


def masked():
    return keras.Sequential(
        [
            layers.Masking(0.0, input_shape=(5, 2)),
            layers.SimpleRNN(3, return_sequences=True),
            layers.TimeDistributed(layers.Dense(2)),
        ]
    )


def of_words(kind):
    return lambda: keras.Sequential(
        [layers.Embedding(8, 4, mask_zero=True, input_length=5), kind(3), layers.Dense(3, activation="softmax")]
    )


def train(name, make, compiled, data, **fitted):
    for eagerly in [False, True]:
        model = filled(make())
        model.compile("sgd", run_eagerly=eagerly, **compiled)
        history = model.fit(*data, epochs=3, batch_size=8, shuffle=False, verbose=0, **fitted).history
        found = {key: [float(value) for value in history[key]] for key in sorted(history)}
        results[name + (" eagerly" if eagerly else "")] = [model.metrics_names, found]


entropy = {"loss": "categorical_crossentropy", "metrics": ["acc"], "weighted_metrics": ["acc", "mse"]}
train("plain", perceptron, entropy, (x, targets))
train("weights", perceptron, entropy, (x, targets), sample_weight=weights)
train("classes", perceptron, entropy, (x, targets), class_weight={0: 1.0, 1: 2.0, 2: 0.5})
train("split", perceptron, entropy, (x, targets), sample_weight=weights, validation_split=0.3)
train("some steps", perceptron, entropy, (x, targets), steps_per_epoch=2)
squares = {"loss": "mse", "metrics": ["mae"], "weighted_metrics": ["mae"]}
train("masked", masked, squares, (steps, of_steps))
train(
    "weights of steps",
    masked,
    dict(squares, sample_weight_mode="temporal"),
    (steps, of_steps),
    sample_weight=weights_of_steps,
)
sparse = {"loss": "sparse_categorical_crossentropy", "metrics": ["acc"], "weighted_metrics": ["acc"]}
for kind in [layers.SimpleRNN, layers.GRU, layers.LSTM]:
    train(kind.__name__, of_words(kind), sparse, (words, labels), sample_weight=weights)
