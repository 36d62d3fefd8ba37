"""What belongs to the modes of models; values are those of TensorFlow 1.15.5."""

from __future__ import annotations

import pytest

import headrace as tf
from headrace.estimator import mode_maps
from headrace.estimator.export.export import build_all_signature_defs
from headrace.estimator.mode_keys import ModeKeys as EstimatorModeKeys
from headrace.keras.utils.mode_keys import ModeKeys as KerasModeKeys
from headrace.saved_model.export_output import EvalOutput, PredictOutput, RegressionOutput, TrainOutput

_MODES = ("train", "test", "eval", "predict", "infer", "x")


def test_which_mode():
    assert [mode_maps.is_train(mode) for mode in _MODES] == [True, False, False, False, False, False]
    assert [mode_maps.is_eval(mode) for mode in _MODES] == [False, True, True, False, False, False]
    assert [mode_maps.is_predict(mode) for mode in _MODES] == [False, False, False, True, True, False]


def test_both_names_of_a_mode():
    values = mode_maps.ModeKeyMap(train=1, predict=2)
    assert (values[KerasModeKeys.TRAIN], values[EstimatorModeKeys.PREDICT]) == (1, 2)
    assert sorted(values) == ["predict", "train"]
    assert len(values) == 2
    with pytest.raises(KeyError, match="test"):
        values["eval"]
    for wrong in (lambda: values["huh"], lambda: mode_maps.ModeKeyMap(foo=1)):
        with pytest.raises(ValueError, match="Invalid mode key"):
            wrong()
    assert dict(mode_maps.SIGNATURE_KEY_MAP) == {"train": "train", "test": "eval", "predict": "serving_default"}
    assert dict(mode_maps.EXPORT_TAG_MAP) == {"train": ["train"], "test": ["eval"], "predict": ["serve"]}


@pytest.mark.parametrize(
    ("mode", "key", "kind"),
    [
        ("train", "train", TrainOutput),
        ("test", "eval", EvalOutput),
        ("eval", "eval", EvalOutput),
        ("infer", "serving_default", PredictOutput),
    ],
)
def test_outputs_of_a_mode(mode, key, kind):
    x = tf.constant([1.0])
    made = mode_maps.export_outputs_for_mode(mode, None, {"p": x}, x, {"m": (x, x)})
    assert {name: type(output) for name, output in made.items()} == {key: kind}
    with pytest.raises(ValueError, match="Invalid mode key: zzz"):
        mode_maps.export_outputs_for_mode("zzz", None, x)


def test_outputs_without_a_name():
    made = build_all_signature_defs({"in": tf.constant(["a"])}, {None: RegressionOutput(value=tf.constant([1.0]))})
    assert list(made) == ["None"]


def test_modes_come_by_the_names_that_were_given():
    assert list(mode_maps.ModeKeyMap(train=1, eval=2, infer=3)) == ["train", "eval", "infer"]
    with pytest.raises(ValueError, match="Multiple keys/values found for test mode"):
        mode_maps.ModeKeyMap(eval=1, test=2)
