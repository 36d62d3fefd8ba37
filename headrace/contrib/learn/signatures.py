"""Signatures of exported models: each kind of input with each head's outputs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from headrace.contrib.layers.target_columns import ProblemType
from headrace.contrib.learn.metric_spec import PredictionKey
from headrace.contrib.learn.serving_inputs import InputFnOps
from headrace.core.dtypes import string
from headrace.saved_model import names
from headrace.saved_model.signatures import (
    classification_signature_def,
    predict_signature_def,
    regression_signature_def,
)

if TYPE_CHECKING:
    from headrace.contrib.learn.model_outputs import ModelFnOps
    from headrace.core.tensor import Tensor
    from headrace.messages import protos

DEFAULT_INPUT_ALTERNATIVE_KEY = "default_input_alternative"
FEATURES_INPUT_ALTERNATIVE_KEY = "features_input_alternative"
_DEFAULT_OUTPUT_ALTERNATIVE_KEY = "default_output_alternative"

Alternatives = dict[Any, Any]


def build_standardized_signature_def(
    input_tensors: Mapping[str, Tensor], output_tensors: Mapping[str, Tensor], problem_type: int
) -> protos.SignatureDef:
    """A signature of the kind that a problem has.

    Args:
        input_tensors, output_tensors: tensors by name.
        problem_type: a `ProblemType`.

    Returns:
        a signature to classify or to regress where there is one input and fitting outputs, else one to predict.
    """
    if len(input_tensors) == 1:
        (examples,) = input_tensors.values()
        if problem_type in (ProblemType.CLASSIFICATION, ProblemType.LOGISTIC_REGRESSION):
            classes, scores = _classes_and_scores(output_tensors)
            if classes is not None or scores is not None:
                return classification_signature_def(examples, classes, scores)
        if problem_type == ProblemType.LINEAR_REGRESSION and len(output_tensors) == 1:
            (predictions,) = output_tensors.values()
            return regression_signature_def(examples, predictions)
    return predict_signature_def(dict(input_tensors), dict(output_tensors))


def _classes_and_scores(outputs: Mapping[str, Tensor]) -> tuple[Tensor | None, Tensor | None]:
    classes = outputs.get(PredictionKey.CLASSES)
    if classes is not None and classes.dtype != string:
        # Only strings can be classes of a signature; numbers are left out.
        classes = None
    scores = outputs.get(PredictionKey.SCORES)
    if scores is None:
        scores = outputs.get(PredictionKey.PROBABILITIES)
    if classes is None and scores is None and len(outputs) == 1:
        (only,) = outputs.values()
        return (only, None) if only.dtype == string else (None, only)
    return classes, scores


def get_input_alternatives(input_ops: Any) -> tuple[Alternatives, Any]:
    """The inputs of a serving input function by kind, and the features.

    Args:
        input_ops: an `InputFnOps`, or (features, labels).

    Raises:
        ValueError: if there are no features.
    """
    alternatives: Alternatives = {}
    if isinstance(input_ops, InputFnOps):
        features, _, default_inputs = input_ops
        alternatives[DEFAULT_INPUT_ALTERNATIVE_KEY] = default_inputs
    else:
        features, _ = input_ops
    if features is None or (isinstance(features, dict) and not features):
        raise ValueError("Features must be defined.")
    return alternatives, features


def get_output_alternatives(
    model_fn_ops: ModelFnOps, default_output_alternative_key: str | None = None
) -> tuple[Alternatives, Any]:
    """The outputs of a model by head, and which of them is the default.

    Args:
        model_fn_ops: what the model function returned.
        default_output_alternative_key: the name of a head; needed where there are several.

    Raises:
        ValueError: if there is no such head, or several and none is named.
    """
    found = model_fn_ops.output_alternatives
    if not found:
        if default_output_alternative_key:
            raise ValueError(
                f"Requested default_output_alternative: {default_output_alternative_key}, but available "
                "output_alternatives are: []"
            )
        predictions = model_fn_ops.predictions
        outputs = predictions if isinstance(predictions, dict) else {PredictionKey.GENERIC: predictions}
        key = _DEFAULT_OUTPUT_ALTERNATIVE_KEY
        return {key: (ProblemType.UNSPECIFIED, outputs)}, key
    if default_output_alternative_key:
        if default_output_alternative_key not in found:
            raise ValueError(
                f"Requested default_output_alternative: {default_output_alternative_key}, but available "
                f"output_alternatives are: {sorted(map(str, found))}"
            )
        return found, default_output_alternative_key
    if len(found) == 1:
        return found, next(iter(found))
    raise ValueError(
        f"Please specify a default_output_alternative. Available output_alternatives are: {sorted(map(str, found))}"
    )


def build_all_signature_defs(
    input_alternatives: Alternatives, output_alternatives: Alternatives, actual_default_output_alternative_key: Any
) -> dict[str, protos.SignatureDef]:
    """A signature for each kind of input with each head's outputs, and the default one.

    Args:
        input_alternatives: from kind to tensors by name.
        output_alternatives: from head to (problem type, tensors by name).
        actual_default_output_alternative_key: the head of the default one.
    """
    signatures = {
        f"{input_key}:{output_key or 'None'}": build_standardized_signature_def(inputs, outputs, problem_type)
        for input_key, inputs in input_alternatives.items()
        if inputs
        for output_key, (problem_type, outputs) in output_alternatives.items()
    }
    default_inputs = input_alternatives.get(DEFAULT_INPUT_ALTERNATIVE_KEY)
    if default_inputs:
        problem_type, outputs = output_alternatives[actual_default_output_alternative_key]
        signatures[names.DEFAULT_SERVING_SIGNATURE_DEF_KEY] = build_standardized_signature_def(
            default_inputs, outputs, problem_type
        )
    return signatures
