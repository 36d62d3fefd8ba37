"""Layers that learn their state from data: mathematics of sums, and what 1.15.5 says of mistakes."""

from __future__ import annotations

import numpy as np
import pytest

import headrace as tf
from headrace.keras.engine import base_preprocessing_layer, base_preprocessing_layer_v1
from tests.oracle import TESTS, assert_same, golden, run_program

DATA = np.array([[1.0], [2.0], [3.0], [4.0], [5.0]], "float32")


class Sum(base_preprocessing_layer.Combiner):
    def compute(self, batch_values, accumulator=None):
        return np.sum(batch_values) + (0 if accumulator is None else accumulator)

    def merge(self, accumulators):
        return sum(accumulators)

    def extract(self, accumulator):
        return {"sum": [accumulator]}

    def restore(self, output):
        return output["sum"][0]


class AddSum(base_preprocessing_layer_v1.CombinerPreprocessingLayer):
    def __init__(self, **kwargs):
        super().__init__(Sum(), **kwargs)

    def build(self, input_shape):
        super().build(input_shape)
        self._sum = self._add_state_variable("sum", (1,), tf.float32, "zeros")

    def call(self, inputs):
        return inputs + self._sum


@pytest.fixture(autouse=True)
def own_graph():
    tf.keras.backend.clear_session()


def model_of(layer):
    inputs = tf.keras.Input((1,))
    return tf.keras.Model(inputs, layer(inputs))


def batches():
    return tf.data.Dataset.from_tensor_slices(DATA).batch(2)


@pytest.mark.parametrize("data", [lambda: DATA, batches], ids=["array", "dataset"])
@pytest.mark.parametrize("before", [True, False], ids=["before its model", "after its model"])
def test_state_is_learned(data, before):
    layer = AddSum()
    if before:
        layer.adapt(data())
    model = model_of(layer)
    if not before:
        layer.adapt(data())
    np.testing.assert_array_equal(model.predict(DATA), DATA + 15)
    assert not layer.trainable_weights
    assert [weight.shape.as_list() for weight in layer.weights] == [[1]]


def test_learning_goes_on_or_begins_anew():
    layer = AddSum()
    model = model_of(layer)
    layer.adapt(DATA)
    layer.adapt(batches(), reset_state=False)
    np.testing.assert_array_equal(model.predict(DATA), DATA + 30)
    layer.adapt(DATA)
    np.testing.assert_array_equal(model.predict(DATA), DATA + 15)


def test_weights_carry_the_state():
    layer, other = AddSum(), AddSum()
    models = [model_of(layer), model_of(other)]
    layer.adapt(DATA)
    other.set_weights(layer.get_weights())
    np.testing.assert_array_equal(models[1].predict(DATA), models[0].predict(DATA))
    other.adapt(DATA, reset_state=False)
    np.testing.assert_array_equal(models[1].predict(DATA), DATA + 30)


def test_mistakes():
    layer = AddSum()
    with pytest.raises(RuntimeError, match="after build"):
        layer._set_state_variables({"sum": [1.0]})
    with pytest.raises(ValueError, match="infinite number"):
        layer.adapt(batches().repeat())
    with pytest.raises(ValueError, match="requires a Dataset or a Numpy array as input, got <class 'list'>"):
        layer.adapt([1, 2])
    with pytest.raises(ValueError, match="no batch"):
        layer.adapt(DATA[:0])
    layer.build((None, 1))
    layer.built = True
    with pytest.raises(KeyError, match="other"):
        layer._set_state_variables({"other": 1.0})
    with pytest.raises(ValueError, match="incompatible"):
        layer._set_state_variables({"sum": 1.0})


@pytest.mark.parametrize("name", ["normalization_of_data", "adapters_of_data", "kinds_of_datasets"])
def test_as_in_1_15(name):
    path = TESTS / "programs" / "keras" / f"{name}.py"
    assert_same(run_program(path.read_text(), path=str(path)), golden(f"keras/{name}"))
