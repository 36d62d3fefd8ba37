"""Heads, columns and tables where several meet: what 1.15.5 says of other reductions, sequences and sizes."""

import numpy as np
import pytest

import headrace as tf
from headrace.core.eager import eager_mode
from headrace.estimator.heads.sequential_head import flatten_tensor
from headrace.estimator.linear_optimizer.sharded_table import ShardedMutableDenseHashTable
from headrace.feature_column.base import TransformationCache
from headrace.feature_column.linear_layer import LinearModel
from headrace.feature_column.sequences import sequence_lengths


def test_several_heads_of_other_reductions_predict_but_do_not_train():
    heads = [
        tf.estimator.MultiLabelHead(2, name="a", loss_reduction="sum"),
        tf.estimator.MultiLabelHead(2, name="b", loss_reduction="auto"),
    ]
    head = tf.estimator.MultiHead(heads)
    logits, labels = np.zeros((2, 4), np.float32), {name: np.zeros((2, 2), np.int64) for name in "ab"}
    assert ("a", "logits") in head.create_estimator_spec({"x": logits}, "infer", logits).predictions
    assert head.create_estimator_spec({"x": logits}, "eval", logits, labels).loss.shape == []
    with pytest.raises(ValueError, match=r"loss_reduction must be the same for different heads.*'sum', 'auto'"):
        head.create_estimator_spec({"x": logits}, "train", logits, labels, train_op_fn=lambda loss: tf.no_op())


def test_heads_of_contrib_weigh_the_losses_of_examples_too():
    contrib = tf.contrib.estimator
    heads = [contrib.regression_head(name="a"), contrib.regression_head(name="b")]
    head = contrib.multi_head(heads, head_weights=[1.0, 2.0])
    values = {name: np.array([[3.0], [5.0]], np.float32) for name in "ab"}
    zeros = {name: np.zeros((2, 1), np.float32) for name in "ab"}
    made = head.create_loss({"x": zeros["a"]}, "train", values, zeros)
    with tf.Session() as session:
        assert session.run(made.unreduced_loss["a"]).ravel().tolist() == [9.0, 25.0]
        assert session.run(made.unreduced_loss["b"]).ravel().tolist() == [18.0, 50.0]
        # (9 + 25) / 2 of the one, twice that of the other.
        assert session.run(made.training_loss) == 51.0


@pytest.mark.parametrize("shards", [1, 3])
def test_keys_of_a_table_in_parts_may_be_of_any_number(shards):
    table = ShardedMutableDenseHashTable(tf.int64, tf.float32, 0.5, -1, -2, num_shards=shards)
    keys = tf.placeholder(tf.int64, [None])
    values = table.lookup(keys)
    inserted = table.insert(keys, tf.cast(keys, tf.float32))
    with tf.Session() as session:
        assert session.run(values, {keys: [4, 5]}).tolist() == [0.5, 0.5]
        session.run(inserted, {keys: [7, 4, 9]})
        assert session.run(values, {keys: [4, 5, 9, 7]}).tolist() == [4.0, 0.5, 9.0, 7.0]
    with pytest.raises(ValueError, match="Expected a vector or matrix for keys"):
        table.lookup(tf.placeholder(tf.int64))


def test_a_mask_of_other_steps_is_refused_at_once_where_all_is_run_at_once():
    tensor, mask = np.ones((2, 2, 3), np.float32), np.ones((2, 2), bool)
    with tf.Session() as session:
        flat = flatten_tensor(tf.constant(tensor), tf.constant(mask), tf.constant(3))
        with pytest.raises(tf.errors.InvalidArgumentError, match="incompatible with provided mask"):
            session.run(flat)
    with eager_mode(), pytest.raises(ValueError, match="incompatible with provided mask"):
        flatten_tensor(tf.constant(tensor), tf.constant(mask), 3)


def test_columns_that_are_no_sequences_are_refused_by_the_name_of_who_asks():
    plain = tf.feature_column.categorical_column_with_identity("a", 3)
    other = tf.feature_column.categorical_column_with_identity("b", 3)
    features = {key: tf.SparseTensor([[0, 0], [1, 0]], [1, 2], [2, 2]) for key in "ab"}
    for maker, columns in {
        "In indicator_column: a_indicator": [tf.feature_column.indicator_column(plain)],
        "In embedding_column: a_shared_embedding": tf.feature_column.shared_embedding_columns([plain, other], 2),
    }.items():
        with pytest.raises(
            ValueError, match=f"{maker}.*of type _SequenceCategoricalColumn to use sequence_input_layer"
        ):
            tf.contrib.feature_column.sequence_input_layer(features, columns)
    sequences = [tf.feature_column.sequence_categorical_column_with_identity(key, 3) for key in "ab"]
    with pytest.raises(ValueError, match=r"In embedding_column: a_shared_embedding.*must not be of type"):
        tf.feature_column.input_layer(features, tf.feature_column.shared_embedding_columns(sequences, 2))


def test_a_linear_model_is_made_again_from_its_settings():
    columns = [
        tf.feature_column.numeric_column("price"),
        tf.feature_column.categorical_column_with_vocabulary_list("kind", ["x", "y"]),
    ]
    settings = LinearModel(columns, units=3, sparse_combiner="mean", name="frozen", trainable=False).get_config()
    assert [column["class_name"] for column in settings["feature_columns"]] == [
        "VocabularyListCategoricalColumn",
        "NumericColumn",
    ]
    again = LinearModel.from_config(settings)
    assert (again.name, again.trainable, again.get_config()) == ("frozen", False, settings)
    assert again({"price": tf.ones([2, 1]), "kind": tf.constant([["x"], ["y"]])}).shape == [2, 3]


def test_factors_of_learning_rates_are_for_embeddings():
    layers, learn = tf.contrib.layers, tf.contrib.learn
    column = layers.one_hot_column(layers.sparse_column_with_hash_bucket("word", 10))
    model = learn.DNNClassifier([2], [column], embedding_lr_multipliers={column: 0.5})
    features = {"word": tf.SparseTensor([[0, 0]], ["a"], [1, 1])}
    with pytest.raises(ValueError, match="can only be defined for embedding columns"):
        model._call_model_fn(features, tf.constant([[1]]), learn.ModeKeys.TRAIN)


def test_what_an_internal_module_offers_hides_no_builtin():
    taken: dict[str, object] = {}
    exec("from headrace.contrib.learn.python.learn.learn_io import *", taken)
    assert "extract_pandas_data" in taken
    assert not {"print", "random", "range"} & (set(taken) - {"__builtins__"})


def test_what_compares_results_takes_the_two():
    exporter = tf.estimator.BestExporter
    with pytest.raises(ValueError, match="must include current_eval_result argument"):
        exporter("a", lambda: None, compare_fn=lambda best_eval_result: True)
    with pytest.raises(ValueError, match=r"not expected args: \['more'\]"):
        exporter("a", lambda: None, compare_fn=lambda best_eval_result, current_eval_result, more: True)
    with pytest.raises(ValueError, match=r"must be a positive number. Got -1"):
        exporter("a", lambda: None, exports_to_keep=-1)
    assert tf.estimator.RunConfig(experimental_max_worker_delay_secs=-1).experimental_max_worker_delay_secs == -1


def test_names_of_classes_are_as_many_as_there_are():
    with pytest.raises(ValueError, match='have "n_classes" items'):
        tf.estimator.MultiClassHead(3, label_vocabulary=["a"])


def test_metrics_of_a_named_head_have_names_of_their_own():
    head = tf.estimator.BinaryClassHead(thresholds=[0.3], name="of_left")
    with tf.Graph().as_default():
        made = head.metrics()
        assert made["accuracy/positive_threshold_0.3/of_left"].name == "accuracy/positive_threshold_0.3/of_left"
        assert made["auc/of_left"].name == "auc"


def test_placeholders_of_raw_features_have_the_names_of_their_examples():
    with tf.Graph().as_default():
        example = tf.constant([[1.0, 2.0]], name="pairs")
        receiver = tf.estimator.export.build_raw_serving_input_receiver_fn({"x": example})
        with tf.Graph().as_default():
            made = receiver().features["x"]
            assert (made.op.name, made.shape.as_list()) == ("pairs", [None, 2])


def test_embeddings_turn_features_into_classes():
    classes = tf.feature_column.categorical_column_with_identity("i", 4)
    column = tf.feature_column.embedding_column(classes, 2)
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        cache = TransformationCache({"i": tf.constant([[1], [3]])})
        ids = column.transform_feature(cache, None)
        assert ids is cache.get(classes, None)
        assert session.run(ids).values.tolist() == [1, 3]


def test_lengths_of_sequences_of_several_elements():
    rows = tf.SparseTensor([[0, 0], [0, 1], [0, 2], [2, 0]], [1, 2, 3, 4], [3, 4])
    with tf.compat.v1.Session() as session:
        assert session.run(sequence_lengths(rows, num_elements=2)).tolist() == [2, 0, 1]
