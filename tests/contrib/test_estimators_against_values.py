"""Estimators of contrib: what TensorFlow 1.15.5 finds on the same data from the same seed."""

from __future__ import annotations

import glob

import numpy as np
import pytest

import headrace as tf

POINTS = np.float32([[0, 0], [0, 1], [1, 0], [8, 8], [8, 9], [9, 8]])


def test_recurrent_estimator_clips_by_default_and_takes_sequences_of_unknown_length(tmp_path):
    tokens = np.array([["a", "b", ""], ["b", "", ""], ["a", "a", "b"], ["b", "a", ""]])
    targets = np.float32([[9.0], [-9.0], [9.0], [9.0]])

    def input_fn():
        pairs = tf.data.Dataset.from_tensor_slices((tokens, targets)).batch(2).repeat()
        return pairs.map(lambda words, target: ({"t": tf.contrib.layers.dense_to_sparse(words, "")}, target))

    words = tf.feature_column.sequence_categorical_column_with_vocabulary_list("t", ["a", "b"])
    estimator = tf.contrib.estimator.RNNEstimator(
        tf.contrib.estimator.regression_head(),
        [tf.feature_column.embedding_column(words, 2)],
        num_units=[3],
        optimizer="SGD",
        model_dir=str(tmp_path),
        config=tf.estimator.RunConfig(tf_random_seed=3),
    )
    estimator.train(input_fn, steps=3)
    found = estimator.get_variable_value("rnn/rnn/basic_rnn_cell/bias")
    np.testing.assert_allclose(found, [0.1477643996, -0.1068494319, -0.2103097587], rtol=1e-5)
    np.testing.assert_allclose(estimator.get_variable_value("rnn/logits/dense/bias"), [0.1136741042], rtol=1e-5)


def test_recurrent_estimator_gives_logits_of_steps_to_sequential_heads_only():
    with pytest.raises(ValueError, match="sequential"):
        tf.contrib.estimator.RNNEstimator(
            tf.contrib.estimator.regression_head(), [], num_units=[3], return_sequences=True
        )


def test_mixture_adds_up_likelihoods(tmp_path):
    config = tf.contrib.learn.RunConfig(tf_random_seed=1)
    mixture = tf.contrib.factorization.GMM(2, str(tmp_path), initial_clusters=POINTS[[0, 3]], config=config)

    def input_fn():
        return tf.constant(POINTS), None

    mixture.fit(input_fn=input_fn, steps=4)
    results = mixture.evaluate(input_fn=input_fn, steps=3)
    assert results["loss"] == pytest.approx(-0.27427733, abs=1e-5)
    np.testing.assert_allclose(results["scores"][:2, 0], [-1.87733507, -1.88612294], rtol=1e-5)
    assert mixture.score(input_fn=input_fn, steps=2) == pytest.approx(-0.09142576, abs=1e-5)


def test_dynamic_recurrent_estimator(tmp_path):
    values = np.arange(24, dtype=np.float32).reshape(4, 3, 2) / 24
    features = {"x": values, "c": np.arange(4, dtype=np.float32).reshape(4, 1)}

    def input_fn(times=None):
        batches = tf.data.Dataset.from_tensor_slices((features, values.sum(2))).batch(2).repeat(times)
        return batches.make_one_shot_iterator().get_next()

    estimator = tf.contrib.learn.DynamicRnnEstimator(
        2,
        2,
        [tf.contrib.layers.real_valued_column("x", 2)],
        [tf.contrib.layers.real_valued_column("c")],
        num_units=3,
        model_dir=str(tmp_path),
        config=tf.contrib.learn.RunConfig(tf_random_seed=2),
    )
    estimator.fit(input_fn=input_fn, steps=2)
    assert estimator.evaluate(input_fn=input_fn, steps=2)["loss"] == pytest.approx(0.36638173, rel=1e-5)
    events = [event for path in glob.glob(f"{tmp_path}/events*") for event in tf.train.summary_iterator(path)]
    tags = {value.tag for event in events for value in event.summary.value}
    assert "MultiValueDynamicRNNRegressor/OptimizeLoss/global_norm/gradient_norm" in tags
    # Without queues predictions end after the first batch, of iterators too.
    assert len(list(estimator.predict(input_fn=lambda: input_fn(1)))) == 2
