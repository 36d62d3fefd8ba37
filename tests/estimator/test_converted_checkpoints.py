"""What optimizers of 1.x remember lies where Keras' look for it."""

import numpy as np
import pytest

import headrace as tf
from headrace.estimator.checkpoint_converter import convert_checkpoint


def trained(folder, **optimizers):
    estimator = tf.estimator.DNNLinearCombinedClassifier(
        str(folder),
        linear_feature_columns=[tf.feature_column.numeric_column("x")],
        dnn_feature_columns=[tf.feature_column.numeric_column("x")],
        dnn_hidden_units=[2],
        **optimizers,
    )
    return estimator.train(lambda: ({"x": tf.constant([[1.0], [2.0]])}, tf.constant([[1], [0]])), steps=3)


def test_slots_and_settings_move(tmp_path):
    estimator = trained(
        tmp_path, dnn_optimizer=tf.train.AdagradOptimizer(0.25), linear_optimizer=tf.train.FtrlOptimizer(0.5)
    )
    source, target = estimator.latest_checkpoint(), str(tmp_path / "converted" / "model.ckpt")
    convert_checkpoint("combined", source, tmp_path / "graph.pbtxt", target)
    old, new = tf.train.load_checkpoint(source), tf.train.load_checkpoint(target)
    for name, before in (
        ("training/Adagrad/dnn/logits/kernel/accumulator", "dnn/logits/kernel/Adagrad"),
        ("training/Ftrl/linear/linear_model/x/weights/accumulator", "linear/linear_model/x/weights/Ftrl"),
        ("training/Ftrl/linear/linear_model/x/weights/linear", "linear/linear_model/x/weights/Ftrl_1"),
        ("dnn/logits/kernel", "dnn/logits/kernel"),
    ):
        np.testing.assert_array_equal(new.get_tensor(name), old.get_tensor(before))
    assert new.get_tensor("training/Adagrad/learning_rate") == np.float32(0.25)
    assert new.get_tensor("training/Ftrl/learning_rate") == np.float32(0.5)
    assert new.get_tensor("training/Ftrl/iter") == new.get_tensor("global_step") == 3
    assert not new.has_tensor("dnn/logits/kernel/Adagrad")


def test_what_cannot_be_converted_is_refused(tmp_path):
    estimator = trained(
        tmp_path,
        dnn_optimizer=tf.train.GradientDescentOptimizer(0.1),
        linear_optimizer=tf.train.GradientDescentOptimizer(0.1),
    )
    source, graph = estimator.latest_checkpoint(), tmp_path / "graph.pbtxt"
    with pytest.raises(ValueError, match="Two `SGD` optimizers"):
        convert_checkpoint("combined", source, graph, tmp_path / "out")
    with pytest.raises(ValueError, match="estimator_type should be one of"):
        convert_checkpoint("tree", source, graph, tmp_path / "out")
    with pytest.raises(tf.errors.NotFoundError, match="nograph"):
        convert_checkpoint("dnn", source, tmp_path / "nograph", tmp_path / "out")
