"""What a model gives where it is served: outputs that know the signature they stand for."""

from __future__ import annotations

import abc
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from headrace.core.defaults import control_dependencies
from headrace.core.tensor import Tensor
from headrace.ops.array.constant import constant
from headrace.saved_model import names
from headrace.saved_model.signatures import (
    classification_signature_def,
    predict_signature_def,
    regression_signature_def,
    supervised_signature_def,
)

if TYPE_CHECKING:
    from headrace.messages import protos

_SEPARATOR = "/"


def _checked(value: object, what: str, kind: str, fits: bool) -> Tensor:
    if not (isinstance(value, Tensor) and fits):
        raise ValueError(f"{what} must be a {kind} Tensor; got {value}")
    return value


def _is_floating(value: object) -> bool:
    return isinstance(value, Tensor) and value.dtype.is_floating


class ExportOutput(abc.ABC):
    """An output of a model that is served."""

    # The attribute by which Python 2 found it, one of 1.15's public names.
    __metaclass__ = abc.ABCMeta

    @abc.abstractmethod
    def as_signature_def(self, receiver_tensors: Any) -> protos.SignatureDef:
        """The signature from the tensors that requests fill to this output.

        Args:
            receiver_tensors: those tensors: one, or a dict of them.
        """

    def _check_output_key(self, key: Any, error_label: str) -> str:
        """The name of an output; parts of a tuple are joined.

        Raises:
            ValueError: if it is no string.
        """
        if isinstance(key, tuple):
            key = _SEPARATOR.join(key)
        if not isinstance(key, str):
            raise ValueError(f"{error_label} output key must be a string; got {key}.")
        return key

    def _wrap_and_check_outputs(
        self, outputs: Any, single_output_default_name: str, error_label: str | None = None
    ) -> dict[str, Any]:
        """Outputs by name.

        Raises:
            ValueError: if a name is no string, or a value no tensor.
        """
        if not isinstance(outputs, Mapping):
            outputs = {single_output_default_name: outputs}
        label = error_label or single_output_default_name
        checked = {}
        for key, value in outputs.items():
            name = self._check_output_key(key, label)
            if not isinstance(value, Tensor):
                raise ValueError(f"{label} output value must be a Tensor; got {value}.")
            checked[name] = value
        return checked


class ClassificationOutput(ExportOutput):
    """The classes of examples, their scores, or both.

    Args:
        scores: float [batch, classes]: how likely each class is.
        classes: string [batch, classes]: the names of the classes that the scores are of, or of those that were chosen.

    Raises:
        ValueError: if neither is given, or one is of another type.

    Example:
        >>> tf.estimator.export.ClassificationOutput(scores=tf.nn.softmax(logits))
    """

    def __init__(self, scores: Tensor | None = None, classes: Tensor | None = None) -> None:
        if scores is not None:
            _checked(scores, "Classification scores", "float32", _is_floating(scores))
        if classes is not None:
            is_text = isinstance(classes, Tensor) and classes.dtype.base_dtype.name == "string"
            _checked(classes, "Classification classes", "string", is_text)
        if scores is None and classes is None:
            raise ValueError("At least one of scores and classes must be set.")
        self._scores, self._classes = scores, classes

    @property
    def scores(self) -> Tensor | None:
        """How likely each class is."""
        return self._scores

    @property
    def classes(self) -> Tensor | None:
        """The names of classes."""
        return self._classes

    def as_signature_def(self, receiver_tensors: Any) -> protos.SignatureDef:
        """The signature of a classification of serialized Examples.

        Raises:
            ValueError: unless requests fill one string tensor.
        """
        examples = _examples(receiver_tensors, "Classification")
        return classification_signature_def(examples, self.classes, self.scores)


class RegressionOutput(ExportOutput):
    """A number for each example.

    Args:
        value: float [batch] or [batch, 1].

    Raises:
        ValueError: if it is of another type.
    """

    def __init__(self, value: Tensor) -> None:
        self._value = _checked(value, "Regression output value", "float32", _is_floating(value))

    @property
    def value(self) -> Tensor:
        """The numbers."""
        return self._value

    def as_signature_def(self, receiver_tensors: Any) -> protos.SignatureDef:
        """The signature of a regression of serialized Examples.

        Raises:
            ValueError: unless requests fill one string tensor.
        """
        return regression_signature_def(_examples(receiver_tensors, "Regression"), self.value)


def _examples(receiver_tensors: Any, what: str) -> Tensor:
    """The one tensor of serialized Examples among what requests fill."""
    if isinstance(receiver_tensors, Mapping):
        if len(receiver_tensors) != 1:
            raise ValueError(f"{what} input must be a single string Tensor; got {receiver_tensors}")
        (receiver_tensors,) = receiver_tensors.values()
    return _checked(
        receiver_tensors,
        f"{what} input",
        "single string",
        isinstance(receiver_tensors, Tensor) and receiver_tensors.dtype.base_dtype.name == "string",
    )


class PredictOutput(ExportOutput):
    """Tensors by name, as they are.

    Args:
        outputs: a tensor, or a dict of them; parts of names that are tuples are joined by a slash.

    Raises:
        ValueError: if a name is no string, or a value no tensor.

    Example:
        >>> tf.estimator.export.PredictOutput({"score": logits})
    """

    _SINGLE_OUTPUT_DEFAULT_NAME = "output"

    def __init__(self, outputs: Any) -> None:
        self._outputs = self._wrap_and_check_outputs(
            outputs, self._SINGLE_OUTPUT_DEFAULT_NAME, error_label="Prediction"
        )

    @property
    def outputs(self) -> dict[str, Any]:
        """The tensors by name."""
        return self._outputs

    def as_signature_def(self, receiver_tensors: Any) -> protos.SignatureDef:
        """The signature of a prediction."""
        return predict_signature_def(receiver_tensors, self.outputs)


class _SupervisedOutput(ExportOutput):
    """The loss, predictions and metrics of a model that is exported for training or evaluation.

    Args:
        loss: a tensor or a dict of them.
        predictions: likewise.
        metrics: from name to (value, update operation).

    Raises:
        ValueError: if a name is no string, or a value no tensor.
    """

    _METHOD_NAME: str
    LOSS_NAME, PREDICTIONS_NAME, METRICS_NAME = "loss", "predictions", "metrics"
    METRIC_VALUE_SUFFIX, METRIC_UPDATE_SUFFIX = "value", "update_op"

    def __init__(self, loss: Any = None, predictions: Any = None, metrics: Any = None) -> None:
        self._loss = (
            None if loss is None else self._prefixed(self._wrap_and_check_outputs(loss, self.LOSS_NAME), "loss")
        )
        self._predictions = (
            None
            if predictions is None
            else self._prefixed(self._wrap_and_check_outputs(predictions, self.PREDICTIONS_NAME), "predictions")
        )
        self._metrics = None if metrics is None else self._wrap_and_check_metrics(metrics)

    @property
    def loss(self) -> dict[str, Tensor] | None:
        """The loss, by name."""
        return self._loss

    @property
    def predictions(self) -> dict[str, Tensor] | None:
        """The predictions, by name."""
        return self._predictions

    @property
    def metrics(self) -> dict[str, Tensor] | None:
        """The values and updates of the metrics, by name."""
        return self._metrics

    def _prefixed(self, outputs: Mapping[str, Any], prefix: str) -> dict[str, Any]:
        # A name that begins so is left as it is, whatever follows: readers go by that.
        return {
            name if name.startswith(prefix) else f"{prefix}{_SEPARATOR}{name}": value for name, value in outputs.items()
        }

    def _wrap_and_check_metrics(self, metrics: Any) -> dict[str, Any]:
        if not isinstance(metrics, Mapping):
            metrics = {self.METRICS_NAME: metrics}
        outputs = {}
        for key, (value, update) in metrics.items():
            name = self._check_output_key(key, self.METRICS_NAME)
            name = next(iter(self._prefixed({name: None}, self.METRICS_NAME)))
            if not isinstance(value, Tensor):
                raise ValueError(f"{self.METRICS_NAME} output value must be a Tensor; got {value}.")
            if not isinstance(update, Tensor) and not hasattr(update, "node_def"):
                raise ValueError(f"{self.METRICS_NAME} update_op must be a Tensor or Operation; got {update}.")
            if not isinstance(update, Tensor):
                # Signatures are of tensors: one that is there after the operation stands for it.
                with control_dependencies([update]):
                    update = constant([], name="metric_op_wrapper")
            outputs[f"{name}{_SEPARATOR}{self.METRIC_VALUE_SUFFIX}"] = value
            outputs[f"{name}{_SEPARATOR}{self.METRIC_UPDATE_SUFFIX}"] = update
        return outputs

    def as_signature_def(self, receiver_tensors: Any) -> protos.SignatureDef:
        """The signature of training or evaluation."""
        return supervised_signature_def(self._METHOD_NAME, receiver_tensors, self.loss, self.predictions, self.metrics)


class TrainOutput(_SupervisedOutput):
    """What a model that is exported for training gives; arguments as for evaluation."""

    _METHOD_NAME = names.SUPERVISED_TRAIN_METHOD_NAME


class EvalOutput(_SupervisedOutput):
    """What a model that is exported for evaluation gives: its loss, predictions and metrics."""

    _METHOD_NAME = names.SUPERVISED_EVAL_METHOD_NAME
