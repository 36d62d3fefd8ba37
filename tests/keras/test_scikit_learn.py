"""Keras models as estimators of scikit-learn: in its searches and validations."""

from __future__ import annotations

import numpy as np
import pytest

import headrace as tf

pytest.importorskip("sklearn")
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

wrappers = tf.keras.wrappers.scikit_learn
layers = tf.keras.layers


@pytest.fixture(autouse=True)
def own_graph():
    with tf.Graph().as_default():
        tf.set_random_seed(1)
        # Rows are shuffled with NumPy's generator.
        np.random.seed(1)
        yield
    tf.keras.backend.clear_session()


def classifier(units=8, rate=0.05):
    model = tf.keras.Sequential(
        [layers.Dense(units, activation="tanh", input_shape=(2,)), layers.Dense(2, activation="softmax")]
    )
    model.compile(tf.keras.optimizers.Adam(rate), "sparse_categorical_crossentropy", metrics=["accuracy"])
    return model


def regressor(rate=0.1):
    model = tf.keras.Sequential([layers.Dense(1, input_shape=(2,))])
    model.compile(tf.keras.optimizers.Adam(rate), "mse")
    return model


@pytest.fixture
def halves():
    """Points on both sides of a line."""
    x = np.random.RandomState(0).uniform(-1, 1, (80, 2)).astype(np.float32)
    return x, np.where(x[:, 0] + x[:, 1] > 0, "above", "below")


def test_a_classifier_knows_the_names_of_classes(halves):
    x, y = halves
    made = wrappers.KerasClassifier(classifier, epochs=30, batch_size=16, verbose=0)
    made.fit(x, y)
    assert made.classes_.tolist() == ["above", "below"]
    found = made.predict(x)
    assert set(found.tolist()) <= {"above", "below"}
    assert np.mean(found == y) > 0.9
    chances = made.predict_proba(x)
    np.testing.assert_allclose(chances.sum(1), 1, rtol=1e-5)
    np.testing.assert_array_equal(made.classes_[chances.argmax(1)], found)


def test_a_validation_in_parts(halves):
    x, y = halves
    made = wrappers.KerasClassifier(classifier, epochs=30, batch_size=16, verbose=0)
    scores = cross_val_score(made, x, (y == "above").astype(int), cv=3)
    assert scores.shape == (3,)
    assert scores.mean() > 0.8


def test_a_search_takes_arguments_of_the_function_and_of_fit(halves):
    x, y = halves
    made = wrappers.KerasClassifier(classifier, verbose=0, batch_size=16)
    search = GridSearchCV(made, {"units": [2, 8], "epochs": [1, 30]}, cv=2, refit=True)
    search.fit(x, (y == "above").astype(int))
    assert search.best_params_["epochs"] == 30
    assert search.best_estimator_.model.layers[0].units == search.best_params_["units"]
    assert len(search.cv_results_["params"]) == 4


def test_a_regressor_behind_a_scaler():
    x = np.random.RandomState(0).uniform(-1, 1, (60, 2)) * [100, 0.01]
    y = 0.01 * x[:, 0] - 100 * x[:, 1]
    made = make_pipeline(StandardScaler(), wrappers.KerasRegressor(regressor, epochs=60, batch_size=12, verbose=0))
    made.fit(x, y)
    assert np.mean((made.predict(x) - y) ** 2) < 0.1 * np.var(y)
    # A score is greater for what is better.
    assert -0.1 * np.var(y) < made.score(x, y) <= 0


def test_arguments_that_nobody_takes_are_refused():
    with pytest.raises(ValueError, match="nonsense"):
        wrappers.KerasClassifier(classifier, nonsense=3)
    made = wrappers.KerasClassifier(classifier, units=3)
    assert made.get_params()["units"] == 3
    made.set_params(units=4)
    assert made.get_params()["units"] == 4
