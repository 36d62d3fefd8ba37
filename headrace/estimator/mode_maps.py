"""What belongs to each mode of a model, whether estimators or Keras name it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from headrace.estimator import model_fn
from headrace.estimator.exporting import EXPORT_TAGS
from headrace.estimator.mode_keys import ModeKeys as EstimatorModeKeys
from headrace.keras.utils.mode_keys import ModeKeys as KerasModeKeys
from headrace.saved_model import names
from headrace.saved_model.export_output import EvalOutput, TrainOutput

_OF_KERAS = {
    EstimatorModeKeys.TRAIN: KerasModeKeys.TRAIN,
    EstimatorModeKeys.EVAL: KerasModeKeys.TEST,
    EstimatorModeKeys.PREDICT: KerasModeKeys.PREDICT,
}


def is_train(mode: str) -> bool:
    """Whether a mode is that of training."""
    return mode in (KerasModeKeys.TRAIN, EstimatorModeKeys.TRAIN)


def is_eval(mode: str) -> bool:
    """Whether a mode is that of evaluation."""
    return mode in (KerasModeKeys.TEST, EstimatorModeKeys.EVAL)


def is_predict(mode: str) -> bool:
    """Whether a mode is that of prediction."""
    return mode in (KerasModeKeys.PREDICT, EstimatorModeKeys.PREDICT)


def _keras_mode(mode: str) -> str:
    found = _OF_KERAS.get(mode, mode)
    if found not in _OF_KERAS.values():
        raise ValueError(f"Invalid mode key: {mode}.")
    return found


class ModeKeyMap(Mapping[str, Any]):
    """A mapping from modes, as estimators or Keras name them; iterated over, it gives the names it was made with.

    Args:
        kwargs: from mode to value.

    Raises:
        ValueError: if something is no mode, or two names are of one mode.

    Example:
        >>> ModeKeyMap(train=1, infer=2)["predict"]
        2
    """

    def __init__(self, **kwargs: Any) -> None:
        self._values: dict[str, Any] = {}
        self._modes = list(kwargs)
        for mode, value in kwargs.items():
            key = _keras_mode(mode)
            if key in self._values:
                raise ValueError(f"Error creating ModeKeyMap. Multiple keys/values found for {key} mode.")
            self._values[key] = value

    def __getitem__(self, mode: str) -> Any:
        return self._values[_keras_mode(mode)]

    def __iter__(self) -> Iterator[str]:
        return iter(self._modes)

    def __len__(self) -> int:
        return len(self._modes)


SIGNATURE_KEY_MAP = ModeKeyMap(
    train=names.DEFAULT_TRAIN_SIGNATURE_DEF_KEY,
    test=names.DEFAULT_EVAL_SIGNATURE_DEF_KEY,
    predict=names.DEFAULT_SERVING_SIGNATURE_DEF_KEY,
)
EXPORT_TAG_MAP = ModeKeyMap(**{_keras_mode(mode): [tag] for mode, tag in EXPORT_TAGS.items()})


def get_export_outputs(export_outputs: Any, predictions: Any) -> dict[str, Any]:
    """The outputs of a model that is served, one of them the default.

    Args:
        export_outputs: from signature to `ExportOutput`; None for the predictions as they are.
        predictions: a tensor, or a dict of them.
    """
    return model_fn.export_outputs_for_mode(EstimatorModeKeys.PREDICT, export_outputs, predictions)


def export_outputs_for_mode(
    mode: str, serving_export_outputs: Any = None, predictions: Any = None, loss: Any = None, metrics: Any = None
) -> dict[str, Any]:
    """The outputs of a model in a mode, by signature.

    Args:
        mode: a mode.
        serving_export_outputs: those that are served; the predictions by default.
        predictions: a tensor, or a dict of them.
        loss: a tensor, or a dict of them; for training and evaluation.
        metrics: from name to value and update; for training and evaluation.

    Raises:
        ValueError: if `mode` is none.
    """
    key = SIGNATURE_KEY_MAP[mode]
    if is_predict(mode):
        return get_export_outputs(serving_export_outputs, predictions)
    kind = TrainOutput if is_train(mode) else EvalOutput
    return {key: kind(loss=loss, predictions=predictions, metrics=metrics)}
