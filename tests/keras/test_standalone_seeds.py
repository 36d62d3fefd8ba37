"""Stand-alone Keras: NumPy's seed decides weights, masks and orders, and names count from 1. The values are Keras 2.3.1's."""

from __future__ import annotations

import numpy as np
import pytest

import headrace as tf
from headrace.keras.standalone import backend, callbacks, initializers, layers
from headrace.keras.standalone.models import Model, Sequential


@pytest.fixture(autouse=True)
def seeded():
    before = np.random.get_state()
    np.random.seed(7)
    yield
    np.random.set_state(before)


def test_weights_and_losses():
    model = Sequential(
        [
            layers.Dense(4, activation="relu", input_shape=(3,)),
            layers.Dropout(0.5),
            layers.Dense(2, kernel_initializer="he_normal"),
            layers.Dense(2, kernel_initializer="uniform"),
            layers.Dense(1, kernel_initializer="orthogonal"),
        ]
    )
    first = [weights.ravel()[:3] for weights in model.get_weights()[::2]]
    np.testing.assert_allclose(first[0], [0.33254, 0.34854, -0.32956], atol=1e-5)
    np.testing.assert_allclose(first[1], [1.18165, 0.16651, 0.64135], atol=1e-5)
    np.testing.assert_allclose(first[2], [-0.02911, -0.00684, -0.00445], atol=1e-5)
    # The sign of a singular vector is LAPACK's.
    np.testing.assert_allclose(np.abs(first[3]), [0.02909, 0.99958], atol=1e-5)
    model.compile("sgd", "mse")
    x = np.random.rand(20, 3)
    history = model.fit(x, x.sum(1), epochs=2, verbose=0, callbacks=[callbacks.ReduceLROnPlateau("loss")]).history
    np.testing.assert_allclose(history["loss"], [2.29838, 2.12768], atol=1e-4)
    assert history["lr"] == pytest.approx([0.01, 0.01])
    assert np.random.randint(1000) == 234


def test_epochs_shuffle_on():
    """An epoch shuffles the order of the one before; validation does not shuffle."""
    x = np.random.rand(300, 8)
    model = Sequential([layers.Dense(12, input_dim=8, activation="relu"), layers.Dense(1, activation="sigmoid")])
    model.compile("sgd", "binary_crossentropy")
    history = model.fit(
        x, (x.sum(1) > 4).astype(int), epochs=3, batch_size=32, verbose=0, validation_split=0.33
    ).history
    np.testing.assert_allclose(history["loss"], [0.713967, 0.712571, 0.71111], atol=2e-6)


def test_draws_of_layers():
    """Where NumPy's stream stands after each layer: how many numbers it has drawn."""
    made = [
        (layers.Embedding(5, 3, input_length=2), 1),
        (layers.Flatten(), 2),
        (layers.BatchNormalization(), 2),
        (layers.Dense(2), 5),
        (layers.Dropout(0.5), 6),
        (layers.GaussianDropout(0.3), 7),
        (layers.AlphaDropout(0.2), 9),
        (layers.GaussianNoise(0.1), 12),
        (layers.Reshape((2, 1)), 12),
        (layers.SpatialDropout1D(0.2), 13),
        (layers.LSTM(2, dropout=0.2, recurrent_dropout=0.1, return_sequences=True), 62),
        (layers.Bidirectional(layers.GRU(3, return_sequences=True)), 190),
        (layers.SimpleRNN(2, return_sequences=True), 202),
        (layers.Conv1D(2, 1), 203),
        (layers.SeparableConv1D(2, 1), 205),
        (layers.LocallyConnected1D(2, 1), 206),
        (layers.TimeDistributed(layers.Dense(3)), 207),
    ]
    model = Sequential()
    stands = []
    for layer, _ in made:
        model.add(layer)
        stands.append(np.random.get_state()[2])
    assert stands == [drawn for _, drawn in made]


def test_names_count_from_one():
    class Own(layers.Layer):
        def build(self, input_shape):
            self.kernel = self.add_weight(name="kernel", shape=(input_shape[1], 2), initializer="uniform")
            super().build(input_shape)

        def call(self, inputs):
            return backend.batch_flatten(inputs)

    start = layers.Input((4,))
    out = layers.add([layers.Dense(4)(start), layers.Activation("relu")(start)])
    model = Model(start, layers.concatenate([layers.Dense(2)(out), Own()(out)]))
    counted = [layer.name.rsplit("_", 1) for layer in model.layers[1:]]
    first = {name: int(number) for name, number in reversed(counted)}
    assert set(first) == {"dense", "activation", "add", "own", "concatenate"}
    numbers = [int(number) for name, number in counted if name == "dense"]
    assert numbers[1] == numbers[0] + 1
    assert min(int(number) for _, number in counted) >= 1
    kind, number = Sequential().name.rsplit("_", 1)
    assert kind == "sequential"
    assert int(number) >= 1


def test_orthogonal_matrices():
    for shape in [(3, 5), (5, 3), (2, 3, 4)]:
        made = initializers.get("orthogonal")
        assert isinstance(made, initializers.Orthogonal)
        q = value(made(shape)).reshape(-1, shape[-1])
        smaller = q if q.shape[0] <= q.shape[1] else q.T
        np.testing.assert_allclose(smaller @ smaller.T, np.eye(len(smaller)), atol=1e-6)
    again = initializers.Orthogonal(seed=3)
    one, other = (value(again((3, 3))) for _ in range(2))
    assert not np.allclose(one, other), "a seed counts on with each call"


def value(tensor):
    return tf.Session(graph=tensor.graph).run(tensor)
