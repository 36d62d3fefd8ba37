"""Heads: losses, predictions, metrics and exports against formulas written out here."""

from __future__ import annotations

import math

import numpy as np
import pytest

import headrace as tf

ModeKeys = tf.estimator.ModeKeys


def evaluated(spec):
    """The loss and metrics of one batch."""
    with tf.Session() as sess:
        sess.run([tf.global_variables_initializer(), tf.local_variables_initializer(), tf.tables_initializer()])
        pairs = {}
        for name, metric in spec.eval_metric_ops.items():
            pairs[name] = metric if isinstance(metric, tuple) else (metric.result(), metric.updates[0])
        sess.run([update for _, update in pairs.values()])
        return sess.run(spec.loss), sess.run({name: value for name, (value, _) in pairs.items()})


def cross_entropy(label, logit):
    p = 1 / (1 + math.exp(-logit))
    return -(label * math.log(p) + (1 - label) * math.log(1 - p))


def run(tensors):
    with tf.Session() as sess:
        sess.run([tf.global_variables_initializer(), tf.tables_initializer()])
        return sess.run(tensors)


@pytest.fixture(autouse=True)
def _graph():
    with tf.Graph().as_default():
        yield


def test_binary_loss_is_the_weighted_mean_of_cross_entropies():
    head = tf.estimator.BinaryClassHead(weight_column="w")
    logits, weights = tf.constant([[2.0], [-1.0]]), tf.constant([[1.0], [3.0]])
    loss = head.loss(labels=tf.constant([[1], [1]]), logits=logits, features={"w": weights}, mode=ModeKeys.EVAL)
    assert run(loss) == pytest.approx((cross_entropy(1, 2.0) + 3 * cross_entropy(1, -1.0)) / 2, rel=1e-6)


def test_binary_metrics():
    head = tf.estimator.BinaryClassHead(thresholds=[0.9], name="h")
    logits, labels = tf.constant([[3.0], [-1.0], [0.5], [-2.0]]), tf.constant([[1.0], [1.0], [0.0], [1.0]])
    loss, metrics = evaluated(head.create_estimator_spec({}, ModeKeys.EVAL, logits, labels))
    probabilities = 1 / (1 + np.exp([-3.0, 1.0, -0.5, 2.0]))
    assert metrics["average_loss/h"] == pytest.approx(loss)
    assert metrics["accuracy/h"] == 0.25
    assert metrics["precision/h"] == 0.5
    assert metrics["recall/h"] == pytest.approx(1 / 3)
    assert metrics["label/mean/h"] == 0.75
    assert metrics["accuracy_baseline/h"] == 0.75
    assert metrics["prediction/mean/h"] == pytest.approx(probabilities.mean())
    assert metrics["accuracy/positive_threshold_0.9/h"] == 0.5


def test_binary_predictions_name_classes():
    head = tf.estimator.BinaryClassHead(label_vocabulary=["no", "yes"])
    made = run(head.predictions(tf.constant([[3.0], [-1.0]])))
    assert made["classes"].tolist() == [[b"yes"], [b"no"]]
    assert made["all_classes"].tolist() == [[b"no", b"yes"]] * 2
    np.testing.assert_allclose(made["probabilities"].sum(1), 1, rtol=1e-6)


@pytest.mark.parametrize("make", [tf.estimator.MultiClassHead, tf.contrib.estimator.multi_class_head])
def test_a_number_of_classes_may_be_a_tensor(make):
    count = tf.placeholder(tf.int32, [])
    head = make(count)
    assert head.logits_dimension is count
    logits = tf.constant([[1.0, 2.0, 3.0]])
    predictions = head.create_estimator_spec({"x": [[1]]}, ModeKeys.PREDICT, logits).predictions
    spec = head.create_estimator_spec({"x": [[1]]}, ModeKeys.EVAL, logits, tf.constant([[2]]))
    with tf.Session() as sess:
        assert sess.run(predictions["all_class_ids"], {count: 3}).tolist() == [[0, 1, 2]]
        assert sess.run(spec.loss, {count: 3}) == pytest.approx(np.log(np.exp([-2.0, -1.0, 0.0]).sum()), rel=1e-6)
        with pytest.raises(tf.errors.InvalidArgumentError):
            sess.run(spec.loss, {count: 2})
    with pytest.raises(tf.errors.InvalidArgumentError, match="n_classes"):
        make(tf.constant(2))


def test_logits_of_unknown_sizes_are_checked_where_1_15_5_checks_them():
    head = tf.estimator.RegressionHead(3)
    with tf.Session() as sess:
        matrix, anything = tf.placeholder(tf.float32, [None, None]), tf.placeholder(tf.float32)
        of_matrix, of_anything = head.predictions(matrix)["predictions"], head.predictions(anything)["predictions"]
        assert sess.run(of_matrix, {matrix: [[1.0, 2.0]]}).tolist() == [[1.0, 2.0]]
        with pytest.raises(tf.errors.InvalidArgumentError, match="logits shape"):
            sess.run(of_anything, {anything: [[1.0, 2.0]]})


@pytest.mark.parametrize("labels", [[[1], [2]], [[b"b"], [b"c"]]])
def test_multi_class_loss(labels):
    named = isinstance(labels[0][0], bytes)
    head = tf.estimator.MultiClassHead(3, label_vocabulary=["a", "b", "c"] if named else None)
    logits = np.array([[1.0, 2.0, 0.0], [0.0, 0.0, 1.0]], np.float32)
    expected = np.mean([np.log(np.exp(row).sum()) - row[i] for row, i in zip(logits, [1, 2], strict=True)])
    assert run(head.loss(labels=tf.constant(labels), logits=tf.constant(logits))) == pytest.approx(expected, rel=1e-6)


def test_multi_label_loss_is_the_same_for_sparse_labels():
    head = tf.estimator.MultiLabelHead(3)
    logits = tf.constant([[1.0, -2.0, 0.5], [0.0, 1.0, 3.0]])
    sparse = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], tf.constant([0, 2, 1], tf.int64), [2, 2])
    dense = tf.constant([[1, 0, 1], [0, 1, 0]])
    expected = np.mean(
        [cross_entropy(z, x) for z, x in zip([1, 0, 1, 0, 1, 0], [1.0, -2.0, 0.5, 0.0, 1.0, 3.0], strict=True)]
    )
    assert run(head.loss(labels=dense, logits=logits)) == pytest.approx(expected, rel=1e-6)
    assert run(head.loss(labels=sparse, logits=logits)) == pytest.approx(expected, rel=1e-6)


def test_regression_and_its_relatives():
    labels, logits = tf.constant([[1.0], [0.0]]), tf.constant([[2.0], [-1.0]])
    assert run(tf.estimator.RegressionHead().loss(labels, logits)) == pytest.approx(1.0)
    poisson = tf.estimator.PoissonRegressionHead(compute_full_loss=False)
    assert run(poisson.loss(labels, logits)) == pytest.approx((math.exp(2) - 2 + math.exp(-1)) / 2, rel=1e-6)
    logistic = tf.estimator.LogisticRegressionHead()
    expected = (cross_entropy(1, 2.0) + cross_entropy(0, -1.0)) / 2
    assert run(logistic.loss(labels, logits)) == pytest.approx(expected, rel=1e-6)
    predicted = run(logistic.predictions(logits))["predictions"]
    np.testing.assert_allclose(predicted, [[1 / (1 + math.exp(-2))], [1 / (1 + math.exp(1))]], rtol=1e-6)


def test_several_heads_add_their_weighted_losses():
    heads = [tf.estimator.RegressionHead(name="a"), tf.estimator.RegressionHead(name="b")]
    head = tf.estimator.MultiHead(heads, head_weights=[1.0, 10.0])
    labels = {"a": tf.constant([[1.0]]), "b": tf.constant([[3.0]])}
    logits = tf.constant([[2.0, 5.0]])
    assert run(head.loss(labels, logits)) == pytest.approx(1 + 10 * 4)
    loss, metrics = evaluated(head.create_estimator_spec({}, ModeKeys.EVAL, logits, labels))
    assert (metrics["loss/a"], metrics["loss/b"], loss) == (1, 4, 41)
    spec = head.create_estimator_spec({}, ModeKeys.PREDICT, logits)
    assert {"a", "b", "a/predict", "b/regression", "predict", "serving_default"} <= set(spec.export_outputs)
    assert run(spec.predictions["b", "predictions"]).tolist() == [[5.0]]


def test_training_needs_one_way_to_train():
    head = tf.estimator.RegressionHead()
    given = ({}, ModeKeys.TRAIN, tf.constant([[2.0]]), tf.constant([[1.0]]))
    with pytest.raises(ValueError, match="cannot both be None"):
        head.create_estimator_spec(*given)
    with pytest.raises(ValueError, match=r"not a tf\.keras\.optimizers\.Optimizer"):
        head.create_estimator_spec(*given, optimizer=tf.train.AdamOptimizer(), trainable_variables=[])


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: tf.estimator.MultiClassHead(2), "n_classes must be > 2"),
        (lambda: tf.estimator.BinaryClassHead(thresholds=[1.0]), "thresholds not in"),
        (lambda: tf.estimator.BinaryClassHead(loss_fn=lambda labels: labels), "must contain argument: logits"),
        (lambda: tf.estimator.RegressionHead(loss_reduction="none"), "Invalid loss_reduction"),
        (lambda: tf.estimator.MultiHead([]), "Must specify heads"),
    ],
)
def test_refused(make, words):
    with pytest.raises(ValueError, match=words):
        make()


def test_a_vocabulary_is_a_list_or_a_tuple():
    columns = [tf.feature_column.numeric_column("x")]
    # 1.15.5 has two classes of errors for it.
    with pytest.raises(TypeError, match="should be a list or tuple"):
        tf.estimator.LinearClassifier(columns, label_vocabulary="ab")
    with pytest.raises(ValueError, match="should be a list or a tuple"):
        tf.estimator.LinearClassifier(columns, n_classes=3, label_vocabulary="abc")


def test_operations_of_a_vocabulary_are_named_as_in_tensorflow():
    head = tf.estimator.MultiClassHead(3, label_vocabulary=["a", "b", "c"])
    head.predictions(tf.constant([[1.0, 2.0, 3.0]]), ["all_classes"])
    names = [operation.name for operation in tf.get_default_graph().get_operations()]
    assert "predictions/ExpandDims/input" in names


def test_operations_of_a_link_and_of_a_loss_function_are_named_as_in_tensorflow():
    head = tf.contrib.estimator.poisson_regression_head()
    features, logits = {"x": tf.constant([[1.0]])}, tf.constant([[2.0]])
    spec = head.create_estimator_spec(features, ModeKeys.PREDICT, logits)
    assert spec.predictions["predictions"].name == "head/Exp:0"
    head.create_estimator_spec(features, ModeKeys.EVAL, logits, tf.constant([[1.0]]))
    names = {operation.name for operation in tf.get_default_graph().get_operations()}
    assert {"head_1/call_loss_fn/expected_loss_shape", "head_1/call_loss_fn/loss_shape"} <= names


def test_labels_that_do_not_fit_are_refused():
    head = tf.estimator.RegressionHead(label_dimension=3)
    with pytest.raises(ValueError, match="Mismatched label shape"):
        head.loss(labels=tf.constant([[1.0], [2.0]]), logits=tf.zeros([2, 3]))
    with pytest.raises(ValueError, match="labels"):
        head.loss(labels=None, logits=tf.zeros([2, 3]))
