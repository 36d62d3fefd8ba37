"""Columns of linear models: weights in parts, and columns as settings."""

import numpy as np
import pytest

import headrace as tf
from headrace.feature_column.serialization import deserialize_feature_column, serialize_feature_column

column = tf.feature_column


def test_numbers_are_multiplied_with_all_parts_of_their_weights():
    numbers = np.arange(8.0, dtype=np.float32).reshape(2, 4)
    with tf.variable_scope("model", partitioner=tf.fixed_size_partitioner(2)):
        sums, variables, _ = tf.contrib.layers.weighted_sum_from_feature_columns(
            {"x": tf.constant(numbers)}, [tf.contrib.layers.real_valued_column("x", dimension=4)], 1
        )
    (weights,) = next(iter(variables.values()))
    upper, lower = list(weights)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run([upper.assign([[1.0], [2.0]]), lower.assign([[3.0], [4.0]])])
        np.testing.assert_allclose(session.run(sums), numbers @ [[1.0], [2.0], [3.0], [4.0]])


# NumPy asks for the limits of float32 first where a step flushes denormals.
@pytest.mark.filterwarnings("ignore:The value of the smallest subnormal")
def test_dual_ascent_counts_the_examples_of_a_weighted_column_first(tmp_path):
    def input_fn():
        words = tf.SparseTensor([[0, 0], [1, 0]], tf.constant([0, 1], tf.int64), [2, 1])
        weights = tf.SparseTensor([[0, 0], [1, 0]], [1.0, 2.0], [2, 1])
        return {"a": words, "b": weights, "id": tf.constant(["1", "2"])}, tf.constant([[1.0], [2.0]])

    words = tf.contrib.layers.sparse_column_with_integerized_feature("a", 2)
    model = tf.contrib.learn.LinearRegressor(
        [tf.contrib.layers.weighted_sparse_column(words, "b")],
        model_dir=str(tmp_path),
        optimizer=tf.contrib.linear_optimizer.SDCAOptimizer("id"),
    )
    model.fit(input_fn=input_fn, steps=2)
    assert model.get_variable_value("linear/bias_weight").shape == (1,)


def test_what_restores_a_table_is_named_after_it():
    with tf.Graph().as_default() as graph:
        table = tf.contrib.lookup.MutableHashTable(tf.string, tf.int64, -1, name="words")
        tf.train.Saver([tf.Variable(1.0, name="v"), *tf.get_collection(tf.GraphKeys.SAVEABLE_OBJECTS)])
        (importing,) = [op for op in graph.get_operations() if op.type == "LookupTableImportV2"]
    assert importing.name == "save/words_table_restore/LookupTableImportV2"
    assert importing.colocation_groups() == [f"loc:@{table.resource_handle.op.name}".encode()]


SEQUENCE = column.sequence_categorical_column_with_identity("word", 4)
BUCKETS = column.bucketized_column(column.numeric_column("age"), [10.0, 20.0])


@pytest.mark.parametrize(
    "given",
    [SEQUENCE, BUCKETS, column.indicator_column(SEQUENCE), column.crossed_column([BUCKETS, "name"], 5)],
    ids=lambda given: type(given).__name__,
)
def test_settings_of_a_column_hold_those_of_the_columns_in_it(given):
    config = given._get_config()
    assert config == serialize_feature_column(given)["config"]
    assert type(given)._from_config(config) == given
    assert deserialize_feature_column({"class_name": type(given).__name__, "config": config}) == given
    if "categorical_column" in config:
        assert set(config["categorical_column"]) == {"class_name", "config"}
