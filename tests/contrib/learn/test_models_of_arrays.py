"""The estimators of releases before 0.12, as programs of those years call them."""

from __future__ import annotations

import numpy as np
import pytest

import headrace as tf

learn = tf.contrib.learn
SEQUENCES = np.array([[2, 1, 2, 2, 3], [2, 2, 3, 4, 5], [3, 3, 1, 2, 1], [2, 4, 5, 4, 1]], np.float32)
CLASSES = np.array([1, 0, 1, 0], np.float32)


def steps_of(x):
    return tf.split(x, 5, axis=1)


@pytest.fixture(scope="module")
def iris():
    return learn.datasets.load_iris()


@pytest.fixture(scope="module")
def network(iris):
    # From one beginning in twelve, this small a network does not learn.
    config = learn.RunConfig(tf_random_seed=42)
    classifier = learn.TensorFlowDNNClassifier(hidden_units=[10, 20, 10], n_classes=3, config=config)
    return classifier.fit(iris.data, iris.target)


def test_linear_classifier_tells_irises_apart(iris):
    classifier = learn.TensorFlowLinearClassifier(n_classes=3).fit(iris.data, iris.target)
    assert classifier.score(iris.data, iris.target) > 0.7
    assert classifier.weights_.shape == (4, 3)
    assert classifier.bias_.shape == (3,)
    np.testing.assert_allclose(classifier.predict_proba(iris.data).sum(axis=1), 1.0, rtol=1e-5)


def test_linear_regressor_finds_a_line():
    x = np.linspace(-1.0, 1.0, 200).reshape(-1, 1)
    regressor = learn.TensorFlowLinearRegressor(steps=400, optimizer="SGD", learning_rate=0.1)
    regressor.fit(x, 3.0 * x[:, 0] + 2.0)
    np.testing.assert_allclose(regressor.weights_, [[3.0]], atol=0.05)
    np.testing.assert_allclose(regressor.bias_, [2.0], atol=0.05)
    assert regressor.score(x, 3.0 * x[:, 0] + 2.0) > 0.99


def test_layers_have_weights_in_order(network, iris):
    assert network.score(iris.data, iris.target) > 0.8
    assert [part.shape for part in network.weights_] == [(4, 10), (10, 20), (20, 10), (10, 3)]
    assert [part.shape for part in network.bias_] == [(10,), (20,), (10,), (3,)]


def test_restored_network_predicts_the_same_and_goes_on(network, iris, tmp_path):
    network.save(str(tmp_path / "saved"))
    restored = learn.TensorFlowEstimator.restore(str(tmp_path / "saved"))
    assert isinstance(restored, learn.TensorFlowDNNClassifier)
    np.testing.assert_array_equal(restored.predict_proba(iris.data), network.predict_proba(iris.data))
    restored.partial_fit(iris.data, iris.target)
    assert restored.get_variable_value("global_step") == 400


@pytest.mark.parametrize(("cell", "layers", "both"), [("lstm", 1, False), ("rnn", 2, False), ("gru", 1, True)])
def test_recurrent_classifier(cell, layers, both):
    tf.set_random_seed(42)
    classifier = learn.TensorFlowRNNClassifier(
        rnn_size=2,
        cell_type=cell,
        n_classes=2,
        num_layers=layers,
        bidirectional=both,
        steps=150,
        input_op_fn=steps_of,
        config=learn.RunConfig(tf_random_seed=1),
    )
    classifier.fit(SEQUENCES, CLASSES)
    np.testing.assert_array_equal(classifier.predict(SEQUENCES), CLASSES)
    assert classifier.weights_.shape == (4 if (layers, both) != (1, False) or cell == "lstm" else 2, 2)


def test_model_function_with_layers_of_those_years(iris):
    kept = []

    def model(x, y):
        images = tf.reshape(x, [-1, 2, 2, 1])
        net = learn.ops.conv2d(images, 4, [2, 2], batch_norm=True, activation=tf.nn.relu)
        net = learn.ops.dnn(tf.reshape(net, [-1, 16]), [10], keep_prob=0.9)
        kept.append(len(tf.get_collection("dropouts")))
        return learn.models.logistic_regression(net, y)

    classifier = learn.TensorFlowEstimator(
        model_fn=model,
        n_classes=3,
        steps=200,
        optimizer="Adam",
        learning_rate=lambda step: tf.train.exponential_decay(0.02, step, 100, 0.9),
        class_weight=[1.0, 1.0, 1.0],
    )
    classifier.fit(iris.data, iris.target)
    assert classifier.score(iris.data, iris.target) > 0.8
    # Numbers are dropped in training alone.
    assert kept[0] == 1
    assert set(kept[1:]) == {0}


def test_training_continues_only_where_asked():
    def model(x, y):
        words = learn.ops.categorical_variable(x, n_classes=6, embedding_size=4, name="words")
        _, state = tf.nn.static_rnn(tf.nn.rnn_cell.GRUCell(4), learn.ops.split_squeeze(1, 5, words), dtype=tf.float32)
        return learn.models.logistic_regression(state, y)

    numbers = SEQUENCES.astype(np.int64)
    for continues, steps in ((True, 20), (False, 10)):
        classifier = learn.TensorFlowEstimator(model_fn=model, n_classes=2, steps=10, continue_training=continues)
        classifier.fit(numbers, CLASSES).fit(numbers, CLASSES)
        assert classifier.get_variable_value("global_step") == steps


def test_what_was_not_trained_is_refused(tmp_path):
    estimator = learn.TensorFlowEstimator(model_fn=None, n_classes=1)
    with pytest.raises(learn.NotFittedError):
        estimator.predict([1, 2, 3])
    with pytest.raises(learn.NotFittedError):
        estimator.save(str(tmp_path))


def test_functions_are_not_in_files(tmp_path):
    regressor = learn.TensorFlowRNNRegressor(rnn_size=2, steps=2, input_op_fn=steps_of)
    regressor.fit(SEQUENCES, CLASSES).save(str(tmp_path))
    with pytest.raises(NotImplementedError, match="input_op_fn"):
        learn.TensorFlowEstimator.restore(str(tmp_path))


def test_layers_of_ops():
    with pytest.raises(ValueError, match="not both"):
        learn.ops.dnn(tf.ones([2, 3]), [4], dropout=0.5, keep_prob=0.5)
    with pytest.raises(ValueError, match="rank 4"):
        learn.ops.batch_normalize(tf.ones([2, 3]), convnet=True)
    with tf.Session() as session:
        assert session.run(learn.ops.one_hot_matrix([0.0, 2.0], 3)).tolist() == [[1, 0, 0], [0, 0, 1]]
        assert session.run(learn.ops.expand_concat(1, [[1, 2], [3, 4]])).tolist() == [[1, 3], [2, 4]]
