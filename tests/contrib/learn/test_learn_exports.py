"""Models of `tf.contrib.learn` as SavedModels: signatures, strategies, and which exports are kept."""

import os

import numpy as np
import pytest

import headrace as tf
from headrace.contrib.learn.export_strategy import ExportStrategy, make_export_strategy
from headrace.contrib.learn.linear import LinearClassifier
from headrace.contrib.learn.serving_inputs import build_parsing_serving_input_fn
from headrace.contrib.learn.trainable import NotFittedError
from headrace.estimator.gc import (
    Path,
    largest_export_versions,
    mod_export_version,
    negation,
    one_of_every_n_export_versions,
    union,
)

X = np.linspace(-1.0, 1.0, 4).astype(np.float32).reshape(4, 1)


def input_fn():
    return {"x": tf.constant(X)}, tf.constant((X > 0).astype(np.int64))


def classifier(folder):
    return LinearClassifier([tf.contrib.layers.real_valued_column("x")], str(folder))


def serving():
    return build_parsing_serving_input_fn({"x": tf.FixedLenFeature([1], tf.float32)})


def test_an_export_serves_what_the_estimator_predicts(tmp_path):
    estimator = classifier(tmp_path / "model")
    with pytest.raises(NotFittedError):
        estimator.export_savedmodel(str(tmp_path / "out"), serving())
    estimator.fit(input_fn=input_fn, steps=3)
    folder = estimator.export_savedmodel(str(tmp_path / "out"), serving())
    examples = [
        tf.train.Example(
            features=tf.train.Features(feature={"x": tf.train.Feature(float_list=tf.train.FloatList(value=row))})
        ).SerializeToString()
        for row in X
    ]
    with tf.Graph().as_default(), tf.Session() as session:
        graph = tf.saved_model.loader.load(session, ["serve"], os.fsdecode(folder))
        signature = graph.signature_def["serving_default"]
        keys = graph.collection_def["input_feature_keys"].bytes_list.value
        assert list(keys) == [b"x"]
        # As in 1.15, one saver fills the session that is exported, and a second one is the model's.
        assert graph.saver_def.restore_op_name == "save_1/restore_all"
        assert signature.method_name == "tensorflow/serving/classify"
        scores = session.run(signature.outputs["scores"].name, {signature.inputs["inputs"].name: examples})
    np.testing.assert_allclose(scores, np.array(list(estimator.predict_proba(input_fn=input_fn))), rtol=1e-6)
    strategy = make_export_strategy(serving(), exports_to_keep=1)
    assert os.path.isdir(os.fsdecode(strategy.export(estimator, str(tmp_path / "kept"))))


def test_a_strategy_hands_over_what_its_function_takes():
    assert ExportStrategy("a", lambda estimator, path: (estimator, path)).export(1, "there") == (1, "there")
    both = ExportStrategy("b", lambda e, p, checkpoint_path, eval_result: (checkpoint_path, eval_result))
    assert both.export(1, "there", "c", {"loss": 1.0}) == ("c", {"loss": 1.0})
    with pytest.raises(ValueError, match="checkpoint_path"):
        ExportStrategy("c", lambda estimator, path: None).export(1, "there", "c")


def test_versions_to_keep():
    paths = [Path("/foo", version) for version in (0, 1, 2, 4, 5, 8, 9)]

    def versions(choose):
        return [path.export_version for path in choose(paths)]

    assert versions(largest_export_versions(3)) == [5, 8, 9]
    assert versions(mod_export_version(4)) == [0, 4, 8]
    assert versions(one_of_every_n_export_versions(3)) == [2, 5, 9]
    assert versions(negation(mod_export_version(4))) == [1, 2, 5, 9]
    assert versions(union(mod_export_version(4), largest_export_versions(2))) == [0, 4, 8, 9]
