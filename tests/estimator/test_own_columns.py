"""Columns that programs write, of both generations of classes, beside those that there are."""

from __future__ import annotations

import collections

import numpy as np
import pytest

import headrace as tf
from headrace.feature_column.base import CategoricalColumn, DenseColumn, FeatureColumn
from headrace.feature_column.legacy import LegacyCategoricalColumn, LegacyDenseColumn

columns = tf.feature_column


class Doubled(LegacyDenseColumn, collections.namedtuple("Doubled", ["key"])):
    name = "doubled"
    _variable_shape = tf.TensorShape([2])

    @property
    def _parse_example_spec(self):
        return {self.key: tf.FixedLenFeature([2], tf.float32)}

    def _transform_feature(self, inputs):
        return inputs.get(self.key) * 2.0

    def _get_dense_tensor(self, inputs, weight_collections=None, trainable=None):
        return inputs.get(self)


class Parity(LegacyCategoricalColumn, collections.namedtuple("Parity", ["key"])):
    name = "parity"
    _num_buckets = 2

    @property
    def _parse_example_spec(self):
        return {self.key: tf.FixedLenFeature([1], tf.int64)}

    def _transform_feature(self, inputs):
        return tf.contrib.layers.dense_to_sparse(inputs.get(self.key) % 2, eos_token=-1)

    def _get_sparse_tensors(self, inputs, weight_collections=None, trainable=None):
        return LegacyCategoricalColumn.IdWeightPair(inputs.get(self), None)


class Scaled(DenseColumn, collections.namedtuple("Scaled", ["key"])):
    """Times a variable of its own, which begins with 3."""

    name = "scaled"
    variable_shape = tf.TensorShape([2])
    _is_v2_column = True

    @property
    def parents(self):
        return [self.key]

    @property
    def parse_example_spec(self):
        return {self.key: tf.FixedLenFeature([2], tf.float32)}

    def transform_feature(self, transformation_cache, state_manager):
        return transformation_cache.get(self.key, state_manager)

    def create_state(self, state_manager):
        state_manager.create_variable(self, "scale", [2], tf.float32, initializer=tf.constant_initializer(3.0))

    def get_dense_tensor(self, transformation_cache, state_manager):
        return transformation_cache.get(self, state_manager) * state_manager.get_variable(self, "scale")


class OfBoth(LegacyDenseColumn, Scaled):
    """For layers of both generations, as columns of TensorFlow Hub are."""

    name, _is_v2_column = Scaled.name, True
    _variable_shape = Scaled.variable_shape
    _parse_example_spec = Scaled.parse_example_spec
    parse_example_spec, parents = Scaled.parse_example_spec, Scaled.parents

    def _transform_feature(self, inputs):
        return inputs.get(self.key)

    def _get_dense_tensor(self, inputs, weight_collections=None, trainable=None):
        return inputs.get(self) * 3.0


class Weighted(CategoricalColumn, collections.namedtuple("Weighted", ["key"])):
    """The remainder by three, with a weight of ten."""

    name, num_buckets, _is_v2_column = "weighted", 3, True

    @property
    def parents(self):
        return [self.key]

    @property
    def parse_example_spec(self):
        return {self.key: tf.FixedLenFeature([1], tf.int64)}

    def transform_feature(self, transformation_cache, state_manager):
        numbers = transformation_cache.get(self.key, state_manager)
        return tf.contrib.layers.dense_to_sparse(numbers % 3, eos_token=-1)

    def get_sparse_tensors(self, transformation_cache, state_manager):
        ids = transformation_cache.get(self, state_manager)
        weights = tf.SparseTensor(ids.indices, tf.fill(tf.shape(ids.values), 10.0), ids.dense_shape)
        return CategoricalColumn.IdWeightPair(ids, weights)


def value(build):
    with tf.Graph().as_default(), tf.Session() as sess:
        made = build({"x": tf.constant([[1.0, 2.0], [3.0, 4.0]]), "i": tf.constant([[4], [5]], tf.int64)})
        sess.run([tf.global_variables_initializer(), tf.tables_initializer()])
        return sess.run(made).tolist(), [v.op.name for v in tf.global_variables()]


def dense_features(*made):
    return lambda x: tf.keras.layers.DenseFeatures(list(made))(x)


LINEAR = "linear_model/"


@pytest.mark.parametrize(
    ("build", "expected", "variables"),
    [
        (lambda x: columns.input_layer(x, [Doubled("x")]), [[2, 4], [6, 8]], []),
        (lambda x: columns.input_layer(x, [OfBoth("x")]), [[3, 6], [9, 12]], []),
        (lambda x: columns.input_layer(x, columns.indicator_column(Parity("i"))), [[1, 0], [0, 1]], []),
        (
            lambda x: columns.linear_model(x, [Doubled("x"), Parity("i")]),
            [[0], [0]],
            [LINEAR + "doubled/weights", LINEAR + "parity/weights", LINEAR + "bias_weights"],
        ),
        (
            lambda x: tf.shape(columns.input_layer(x, columns.embedding_column(Parity("i"), 5))),
            [2, 5],
            ["input_layer/parity_embedding/embedding_weights"],
        ),
        (dense_features(Scaled("x")), [[3, 6], [9, 12]], ["dense_features/scaled/scale"]),
        (dense_features(OfBoth("x")), [[3, 6], [9, 12]], ["dense_features/scaled/scale"]),
        (dense_features(columns.indicator_column(Weighted("i"))), [[0, 10, 0], [0, 0, 10]], []),
    ],
)
def test_layers_take_them(build, expected, variables):
    assert value(build) == (expected, variables)


def test_they_are_crossed():
    identity = columns.categorical_column_with_identity("i", 9)
    sums, variables = value(lambda x: columns.linear_model(x, columns.crossed_column([Parity("i"), identity], 10)))
    assert sums == [[0.0], [0.0]]
    assert variables == ["linear_model/i_X_parity/weights", "linear_model/bias_weights"]


def test_their_classes():
    assert isinstance(columns.numeric_column("x"), LegacyDenseColumn)
    assert isinstance(columns.bucketized_column(columns.numeric_column("x"), [1.0]), LegacyCategoricalColumn)
    assert not isinstance(Doubled("x"), FeatureColumn)
    with pytest.raises(TypeError, match="_get_dense_tensor"):
        type("Unfinished", (LegacyDenseColumn,), {"name": "unfinished"})()
    with pytest.raises(ValueError, match="_DenseColumn"):
        columns.input_layer({}, [Parity("i")])
    with pytest.raises(ValueError, match="DenseColumn"):
        tf.keras.layers.DenseFeatures([Doubled("x")])
    spec = columns.make_parse_example_spec([Doubled("x"), Parity("i")])
    assert spec == {"x": tf.FixedLenFeature([2], tf.float32), "i": tf.FixedLenFeature([1], tf.int64)}


@pytest.mark.parametrize("dense", [Doubled("x"), OfBoth("x")])
def test_estimators_take_them(dense, tmp_path):
    def input_fn():
        features = {"x": np.float32([[1, 2], [3, 4]]), "i": np.int64([[4], [5]])}
        return tf.data.Dataset.from_tensors((features, [0, 1])).repeat(3)

    made = [dense] if isinstance(dense, OfBoth) else [dense, columns.indicator_column(Parity("i"))]
    estimator = tf.estimator.DNNClassifier([4], made, str(tmp_path)).train(input_fn)
    scale = "dnn/input_from_feature_columns/input_layer/scaled/scale"
    assert (scale in estimator.get_variable_names()) == isinstance(dense, OfBoth)
    assert estimator.evaluate(input_fn, 1)["global_step"] == 3
