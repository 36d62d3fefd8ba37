"""Steps of `fit` while executing eagerly: which numbers dropout draws, and the types that inputs take. Values: 1.15.5."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import headrace as tf
from headrace.core.eager import eager_mode

ROWS, TARGETS = np.ones((8, 4), np.float32), np.ones((8, 1), np.float32)


@pytest.fixture(autouse=True)
def _eagerly() -> Iterator[None]:
    with eager_mode():
        tf.set_random_seed(7)
        yield
        tf.set_random_seed(None)


def _model(inputs: int = 1, dtype: str = "float32") -> Any:
    layers = tf.keras.layers
    made = [tf.keras.Input((4,), dtype=dtype) for _ in range(inputs)]
    joined = made[0] if inputs == 1 else layers.add(made)
    if dtype != "float32":
        joined = layers.Lambda(lambda value: tf.cast(value, tf.float32))(joined)
    out = layers.Dense(1, kernel_initializer="ones")(layers.Dropout(0.5)(joined))
    model = tf.keras.Model(made, out)
    model.compile("sgd", "mse")
    return model


def _losses(model: Any, rows: Any, **kwargs: Any) -> Any:
    return model.fit(rows, TARGETS, batch_size=4, epochs=2, shuffle=False, verbose=0, **kwargs).history["loss"]


def test_dropout_of_a_step_draws_what_tensorflow_draws() -> None:
    model = _model()
    np.testing.assert_allclose(_losses(model, ROWS), [8.134000301361084, 8.795097827911377], rtol=1e-5)
    np.testing.assert_allclose(model.predict(ROWS)[0], [2.827199], rtol=1e-5)


def test_weights_of_samples_change_no_draw() -> None:
    losses = _losses(_model(), ROWS, sample_weight=np.ones(8))
    np.testing.assert_allclose(losses, [8.134000301361084, 8.795097827911377], rtol=1e-5)


@pytest.mark.parametrize("dtype", ["int32", "uint8", "bool", "float16", "float64"])
def test_inputs_take_the_type_of_the_models(dtype: str) -> None:
    # Each conversion is an operation in front of the model, which seeds are counted from.
    np.testing.assert_allclose(_losses(_model(), ROWS.astype(dtype)), [12.43925142288208, 5.309507608413696], rtol=1e-5)


@pytest.mark.parametrize("dtype", ["float64", "int32"])
def test_models_of_other_types_convert_floats(dtype: str) -> None:
    losses = _losses(_model(dtype=dtype), ROWS)
    np.testing.assert_allclose(losses, [14.065400123596191, 8.735809803009033], rtol=1e-5)


def test_each_input_is_converted_by_itself() -> None:
    losses = _losses(_model(2), [ROWS.astype(np.float64), ROWS])
    np.testing.assert_allclose(losses, [50.5506010055542, 5.20400083065033], rtol=1e-5)
    losses = _losses(_model(2), [ROWS.astype(np.float64), ROWS.astype(np.int32)])
    np.testing.assert_allclose(losses, [42.50559949874878, 10.275836110115051], rtol=1e-5)


def test_single_batches_and_generators_convert_integers() -> None:
    model, rows = _model(), ROWS.astype(np.int32)

    def batches() -> Iterator[Any]:
        while True:
            yield rows, TARGETS

    assert model.test_on_batch(rows, TARGETS) == pytest.approx(9.0)
    assert model.evaluate_generator(batches(), 2) == pytest.approx(9.0)
    assert np.isfinite(model.train_on_batch(rows, TARGETS))
    assert np.isfinite(model.fit_generator(batches(), 1, verbose=0).history["loss"][0])


def test_predictions_leave_integers_as_they_are() -> None:
    seen = []
    layers = tf.keras.layers
    given = tf.keras.Input((4,))
    out = layers.Lambda(lambda value: (seen.append(value.dtype), tf.cast(value, tf.float32))[1])(given)
    model = tf.keras.Model(given, out)
    model.compile("sgd", "mse")
    seen.clear()
    model.predict(ROWS.astype(np.int32))
    assert set(seen) == {tf.int32}
    seen.clear()
    model.evaluate(ROWS.astype(np.int32), ROWS, verbose=0)
    assert set(seen) == {tf.float32}
