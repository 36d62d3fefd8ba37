"""Rows of data sets in HDF5 files as inputs of models."""

from __future__ import annotations

import numpy as np
import pytest

import headrace as tf

h5py = pytest.importorskip("h5py")
HDF5Matrix = tf.keras.utils.HDF5Matrix
ROWS = np.arange(60, dtype=np.float32).reshape(20, 3)


@pytest.fixture
def path(tmp_path):
    path = str(tmp_path / "rows.h5")
    with h5py.File(path, "w") as file:
        file["x"], file["y"] = ROWS, ROWS.sum(1, keepdims=True)
    return path


def test_a_part_of_a_data_set(path):
    part = HDF5Matrix(path, "x", start=5, end=15)
    assert (len(part), part.shape, part.ndim, part.size, part.dtype) == (10, (10, 3), 2, 30, np.float32)
    np.testing.assert_array_equal(part[0], ROWS[5])
    np.testing.assert_array_equal(part[2:4], ROWS[7:9])
    np.testing.assert_array_equal(part[np.array([0, 3])], ROWS[[5, 8]])
    np.testing.assert_array_equal(part[[1, 2]], ROWS[[6, 7]])
    np.testing.assert_array_equal(HDF5Matrix(path, "x")[:], ROWS)


@pytest.mark.parametrize("key", [10, slice(0, 11), [0, 10]])
def test_rows_beyond_the_part_are_refused(path, key):
    with pytest.raises(IndexError):
        HDF5Matrix(path, "x", start=5, end=15)[key]


def test_values_are_normalized(path):
    halved = HDF5Matrix(path, "x", normalizer=lambda rows: rows / 2)
    np.testing.assert_array_equal(halved[1:3], ROWS[1:3] / 2)
    assert halved.shape == (20, 3)


def test_training_and_validation_on_parts(path):
    with tf.Graph().as_default(), tf.Session().as_default():
        model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(3,), kernel_initializer="ones")])
        model.compile(tf.keras.optimizers.SGD(0.0), "mse")
        x, y = (HDF5Matrix(path, name, end=15) for name in "xy")
        rest = tuple(HDF5Matrix(path, name, start=15) for name in "xy")
        # The sum of a row is what this model gives.
        history = model.fit(x, y, batch_size=5, shuffle="batch", verbose=0, validation_data=rest).history
        np.testing.assert_allclose(history["loss"], [0], atol=1e-6)
        np.testing.assert_allclose(history["val_loss"], [0], atol=1e-6)
        np.testing.assert_allclose(model.predict(rest[0], batch_size=3), ROWS[15:].sum(1, keepdims=True))
        assert model.evaluate(x, y, verbose=0).shape == ()
