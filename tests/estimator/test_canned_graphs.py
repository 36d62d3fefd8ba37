"""Graphs of canned estimators, as far as seeds, signatures and summaries depend on them: what 1.15.5 makes."""

from __future__ import annotations

import glob

import numpy as np
import pytest

import headrace as tf

ModeKeys = tf.estimator.ModeKeys


def _network(folder, **arguments):
    columns = [tf.feature_column.numeric_column("x", shape=(2,))]
    return tf.estimator.DNNClassifier([3], columns, model_dir=str(folder), **arguments)


def test_operations_of_an_optimizer_come_before_all_variables(tmp_path):
    def optimizer():
        return tf.train.AdamOptimizer(tf.train.exponential_decay(0.1, tf.train.get_global_step(), 2, 0.5))

    model_fn = _network(tmp_path, optimizer=optimizer).model_fn
    with tf.Graph().as_default() as graph:
        tf.train.create_global_step()
        model_fn({"x": tf.ones([4, 2])}, tf.ones([4, 1], tf.int64), ModeKeys.TRAIN, tf.estimator.RunConfig())
        names = [operation.name for operation in graph.get_operations()]
    first = next(i for i, name in enumerate(names) if name.startswith("dnn/"))
    assert names.index("ExponentialDecay") < first


def test_several_heads_split_logits_by_slices():
    contrib = tf.contrib.estimator
    heads = [contrib.binary_classification_head(name="one"), contrib.regression_head(name="two")]
    head = contrib.multi_head(heads, [1.0, 0.5])
    with tf.Graph().as_default() as graph:
        logits = tf.placeholder(tf.float32, [None, 2])
        spec = head.create_estimator_spec({}, ModeKeys.PREDICT, logits)
        assert spec.predictions["two", "predictions"].name == "split_logits/Slice_1:0"
        assert spec.predictions["one", "logits"].shape.as_list() == [None, 1]
        labels = {"one": tf.ones([3, 1]), "two": tf.ones([3, 1])}
        head.create_estimator_spec({}, ModeKeys.TRAIN, logits, labels, train_op_fn=lambda loss: tf.no_op())
        assert graph.get_operation_by_name("merge_losses/Mul").type == "Mul"
        # That of all is not below the names of a model.
        with tf.name_scope("model"):
            head.create_estimator_spec({}, ModeKeys.TRAIN, logits, labels, train_op_fn=lambda loss: tf.no_op())
        assert "loss_1" in {tensor.op.name for tensor in tf.get_collection(tf.GraphKeys.SUMMARIES)}


def test_heads_of_2_name_operations_after_themselves():
    heads = [tf.estimator.BinaryClassHead(name="one"), tf.estimator.MultiClassHead(3, name="two")]
    head = tf.estimator.MultiHead(heads, [1.0, 0.5])
    with tf.Graph().as_default() as graph:
        logits = tf.placeholder(tf.float32, [None, 4])
        spec = head.create_estimator_spec({}, ModeKeys.PREDICT, logits)
        assert spec.export_outputs["one"].scores.name == "one_two/one/predictions/probabilities:0"
        assert spec.export_outputs["predict"].outputs["two/class_ids"].name == "one_two/two/predictions/ExpandDims:0"
        assert spec.predictions["two", "class_ids"].name == "one_two/merge_pred/predictions_1/ExpandDims:0"
        labels = {"one": tf.ones([3, 1], tf.int64), "two": tf.ones([3, 1], tf.int64)}
        spec = head.create_estimator_spec({}, ModeKeys.EVAL, logits, labels)
        assert sorted(spec.eval_metric_ops)[:3] == ["accuracy/one", "accuracy/two", "accuracy_baseline/one"]
        assert {"loss/one", "loss/two"} <= set(spec.eval_metric_ops)
        head.create_estimator_spec({}, ModeKeys.TRAIN, logits, labels, train_op_fn=lambda loss: tf.no_op())
        losses = [tensor.op.name for tensor in tf.get_collection(tf.GraphKeys.SUMMARIES)]
        assert losses == ["loss/one", "loss/two", "loss"]
        assert graph.get_operation_by_name("one_two_2/merge_losses/AddN").type == "AddN"


def test_columns_of_a_shared_table_have_a_scope_each():
    words = tf.feature_column.categorical_column_with_vocabulary_list
    columns = tf.feature_column.shared_embedding_columns([words("a", ["x"]), words("b", ["x"])], 2)
    with tf.Graph().as_default() as graph:
        tf.feature_column.input_layer({"a": tf.constant([["x"]]), "b": tf.constant([["y"]])}, columns)
        names = {operation.name for operation in graph.get_operations()}
    assert "input_layer/a_b_shared_embedding/a_shared_embedding/a_lookup/hash_table/hash_table" in names
    assert "input_layer/a_b_shared_embedding_1/b_shared_embedding/b_lookup/hash_table/hash_table" in names


def test_metrics_that_are_arrays_are_written_as_tensors(tmp_path):
    def model_fn(features, labels, mode):
        metrics = {
            "array": tf.metrics.mean_tensor(features["x"]),
            "bytes": (tf.constant(b"\xff\xff"), tf.no_op()),
        }
        step = tf.train.get_global_step().assign_add(1)
        loss = tf.reduce_sum(features["x"])
        return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=step, eval_metric_ops=metrics)

    estimator = tf.estimator.Estimator(model_fn, str(tmp_path))
    estimator.train(lambda: {"x": tf.constant([[1.0, 2.0]])}, steps=1)
    estimator.evaluate(lambda: {"x": tf.constant([[1.0, 2.0]])}, steps=1)
    events = [event for path in glob.glob(f"{tmp_path}/eval/*") for event in tf.train.summary_iterator(path)]
    written = {value.tag: value for event in events for value in event.summary.value}
    assert sorted(written) == ["array", "checkpoint_path", "loss"]
    np.testing.assert_array_equal(tf.make_ndarray(written["array"].tensor), [[1.0, 2.0]])


@pytest.mark.parametrize(("around", "inputs"), [("", "dnn/"), ("net", "net/")])
@pytest.mark.parametrize("dropout", [None, 0.5])
def test_a_network_of_a_programs_own_names_inputs_and_summaries_in_one_scope(around, inputs, dropout):
    columns = [tf.feature_column.numeric_column("x")]
    with tf.Graph().as_default() as graph:
        features = {"x": tf.constant([1.0, 2.0])}
        logit_fn = tf.estimator.experimental.dnn_logit_fn_builder(2, [3], columns, tf.nn.relu, dropout, None, False)
        with tf.name_scope(around or None):
            logit_fn(features, ModeKeys.TRAIN)
        # Layers keep the scopes of their variables.
        layers = f"{around}/" if around else ""
        names = {operation.name for operation in graph.get_operations()}
        assert f"{layers}hiddenlayer_0/MatMul" in names
        assert any(name.startswith(f"{inputs}input_from_feature_columns/input_layer/") for name in names)
        assert (f"{inputs}dropout/dropout/mul" in names) == (dropout is not None)
        summaries = {tensor.op.name for tensor in tf.get_collection(tf.GraphKeys.SUMMARIES)}
        assert {f"{inputs}hiddenlayer_0/activation", f"{inputs}logits/activation"} <= summaries
        assert tf.trainable_variables()[0].name == "hiddenlayer_0/kernel:0"


def test_the_bias_of_a_linear_model_of_a_programs_own_is_summarized_as_a_list():
    columns = [tf.feature_column.numeric_column("x")]
    with tf.Graph().as_default() as graph:
        tf.estimator.experimental.linear_logit_fn_builder(2, columns)({"x": tf.constant([1.0, 2.0])})
        assert graph.get_operation_by_name("bias/values").type == "Pack"
