"""What estimators say to wrong input, to checkpoints of other models and to damaged ones: TensorFlow 1.15.5's classes."""

import pathlib

import numpy as np
import pytest

import headrace as tf

EXAMPLES = np.arange(16, dtype=np.float32).reshape(8, 2)
LABELS = np.array([0, 1] * 4, dtype=np.int32)


def _columns():
    return [tf.feature_column.numeric_column("x", shape=(2,))]


def _linear(folder, **arguments):
    return tf.estimator.LinearClassifier(_columns(), model_dir=str(folder), **arguments)


def _deep(folder, units=(3,), **arguments):
    return tf.estimator.DNNClassifier(list(units), _columns(), model_dir=str(folder), **arguments)


def _good():
    return {"x": tf.constant(EXAMPLES)}, tf.constant(LABELS)


def _with_labels(labels):
    return lambda: ({"x": tf.constant(EXAMPLES)}, tf.constant(labels))


def _with_feature(feature, name="x"):
    return lambda: ({name: tf.constant(feature)}, tf.constant(LABELS))


INPUTS = {
    "nothing": (lambda: None, ValueError, "features should be a dictionary"),
    "text": (lambda: "abc", ValueError, "features should be a dictionary"),
    "a tensor": (lambda: tf.constant(EXAMPLES), ValueError, "features should be a dictionary"),
    "features that are no dict": (lambda: (tf.constant(EXAMPLES), tf.constant(LABELS)), ValueError, "dictionary"),
    "three things": (lambda: (*_good(), tf.constant(1)), ValueError, "input_fn should return"),
    "no labels": (lambda: _good()[0], ValueError, "must provide a labels Tensor"),
    "labels None": (lambda: (_good()[0], None), ValueError, "must provide a labels Tensor"),
    "another feature": (_with_feature(EXAMPLES, "z"), ValueError, "Feature x is not in features dictionary"),
    "text for a number": (_with_feature([["a", "b"]] * 8), tf.errors.UnimplementedError, "Cast string to float"),
    "too few values": (_with_feature(EXAMPLES[:, :1]), ValueError, None),
    "labels too big": (_with_labels(LABELS + 5), tf.errors.InvalidArgumentError, "n_classes - 1"),
    "labels below 0": (_with_labels(LABELS - 1), tf.errors.InvalidArgumentError, "Labels must >= 0"),
    "labels of text": (_with_labels(["a", "b"] * 4), tf.errors.UnimplementedError, "Cast string to "),
    "labels of another shape": (_with_labels(LABELS.reshape(4, 2)), ValueError, "labels dimension"),
    "fewer labels": (_with_labels(LABELS[:5]), ValueError, None),
}


@pytest.mark.parametrize("estimator_of", [_linear, _deep])
@pytest.mark.parametrize("what", INPUTS)
def test_wrong_input_is_refused(what, estimator_of, tmp_path):
    input_fn, error, said = INPUTS[what]
    with pytest.raises(error, match=said):
        estimator_of(tmp_path).train(input_fn, steps=2)
    assert tf.train.latest_checkpoint(str(tmp_path)) in (None, str(tmp_path / "model.ckpt-0"))


def test_nan_loss_ends_the_training(tmp_path):
    with pytest.raises(tf.train.NanLossDuringTrainingError):
        _linear(tmp_path).train(_with_feature(EXAMPLES * np.nan), steps=2)


@pytest.mark.parametrize("call", ["train", "evaluate", "predict"])
@pytest.mark.parametrize("second", [_deep, lambda folder: _linear(folder, n_classes=3)], ids=["names", "shapes"])
def test_checkpoint_of_another_model_is_refused_and_stays(second, call, tmp_path):
    _linear(tmp_path).train(_good, steps=2)
    other = second(tmp_path)
    calls = {
        "train": lambda: other.train(_good, steps=1),
        "evaluate": lambda: other.evaluate(_good, steps=1),
        "predict": lambda: next(iter(other.predict(lambda: _good()[0]))),
    }
    with pytest.raises((tf.errors.NotFoundError, tf.errors.InvalidArgumentError), match="Restoring from checkpoint"):
        calls[call]()
    assert _linear(tmp_path).train(_good, steps=1).get_variable_value("global_step") == 3


def _remove(path):
    path.unlink()


def _cut(path):
    path.write_bytes(path.read_bytes()[:3])


@pytest.mark.parametrize(
    ("damage", "part", "error"),
    [
        (_remove, ".data", tf.errors.NotFoundError),
        (_cut, ".data", tf.errors.OutOfRangeError),
        (_cut, ".index", tf.errors.DataLossError),
    ],
)
def test_damaged_checkpoint_is_not_taken_for_none(damage, part, error, tmp_path: pathlib.Path):
    _linear(tmp_path).train(_good, steps=2)
    for path in tmp_path.glob(f"model.ckpt-2{part}*"):
        damage(path)
    with pytest.raises(error):
        _linear(tmp_path).train(_good, steps=1)
    assert (tmp_path / "checkpoint").read_text().startswith('model_checkpoint_path: "model.ckpt-2"')


def test_warm_start_from_other_shapes_is_refused_when_the_graph_is_built(tmp_path):
    _deep(tmp_path / "first").train(_good, steps=1)
    second = _deep(tmp_path / "second", units=(4,), warm_start_from=str(tmp_path / "first"))
    with pytest.raises(ValueError, match="doesn't match with shape of tensor dnn/hiddenlayer_0/bias"):
        second.train(_good, steps=1)


def test_state_file_that_cannot_be_read_names_no_checkpoint(tmp_path):
    _linear(tmp_path).train(_good, steps=2)
    (tmp_path / "checkpoint").write_text("no text of a proto {{")
    assert _linear(tmp_path).train(_good, steps=1).get_variable_value("global_step") == 1
    (tmp_path / "checkpoint").write_text("")
    with pytest.raises(ValueError, match="Invalid checkpoint state"):
        _linear(tmp_path).train(_good, steps=1)


def test_outputs_to_export_are_checked_for_predictions_only():
    loss = tf.constant(1.0)
    spec = tf.estimator.EstimatorSpec("train", loss=loss, train_op=tf.no_op(), export_outputs={"a": 3})
    assert spec.export_outputs == {"a": 3}
    with pytest.raises(TypeError, match="must be ExportOutput objects"):
        tf.estimator.EstimatorSpec("infer", predictions=loss, export_outputs={"a": 3})


def test_boosted_trees_refuse_columns_whose_numbers_have_no_type(tmp_path):
    words = tf.feature_column.categorical_column_with_vocabulary_list("x", ["a", "b"])
    embedded = tf.feature_column.embedding_column(words, 2)
    trees = tf.estimator.BoostedTreesClassifier([embedded], 1, model_dir=str(tmp_path), n_trees=1)
    with pytest.raises(AttributeError, match="'EmbeddingColumn' object has no attribute 'dtype'"):
        trees.train(_with_feature([["a"]] * 8), steps=1)


def test_boosted_trees_of_several_classes_are_refused():
    with pytest.raises(ValueError, match="pruning is not supported with multi class"):
        tf.estimator.BoostedTreesClassifier(_columns(), 1, n_classes=3)


def test_features_of_trees_in_memory_are_not_kept_once_there_are_boundaries(tmp_path):
    """As in 1.15.5, whose checkpoints may hold features from before there were boundaries."""
    column = tf.feature_column.bucketized_column(tf.feature_column.numeric_column("x"), [3.0, 9.0])
    trees = tf.estimator.BoostedTreesClassifier(
        [column], 1, model_dir=str(tmp_path), n_trees=1, max_depth=1, train_in_memory=True
    )
    trees.train(_with_feature(EXAMPLES[:, :1]), steps=2)
    assert not trees.get_variable_value("boosted_trees/are_features_cached")
    assert not trees.get_variable_value("boosted_trees/cached_feature_0").any()


@pytest.mark.parametrize("labels", [lambda: tf.ones([2]), lambda: {"y": tf.ones([2])}])
def test_series_refuse_labels(labels, tmp_path):
    series = tf.contrib.timeseries.ARRegressor(7, 6, 4, 2, model_dir=str(tmp_path))
    features = {"times": np.ones([2, 10], np.int64), "values": np.ones([2, 10, 2], np.float32)}
    with pytest.raises(ValueError, match="received a `labels`, which is not supported"):
        series.train(lambda: ({key: tf.constant(value) for key, value in features.items()}, labels()), steps=1)
