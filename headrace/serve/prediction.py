"""Requests of the protocol, answered by a loaded model."""

from __future__ import annotations

from typing import Any

from headrace.serve import examples_inference, messages
from headrace.serve.servable import Servable
from headrace.serve.tensor_messages import fill_message, from_message


def predict(servable: Servable, request: Any, as_content: bool = False) -> Any:
    """The `PredictResponse` to a `PredictRequest`; errors as of `Servable.predict`.

    Args:
        servable: the model.
        request: the request.
        as_content: whether tensors are answered as bytes instead of lists of numbers.
    """
    inputs = {name: from_message(name, tensor) for name, tensor in request.inputs.items()}
    outputs = servable.predict(request.model_spec.signature_name, inputs, request.output_filter)
    response = messages.PredictResponse()
    _fill_spec(response.model_spec, servable, request.model_spec, default=True)
    for name, array in outputs.items():
        fill_message(response.outputs[name], array, as_content)
    return response


def classify(servable: Servable, request: Any) -> Any:
    """The `ClassificationResponse` to a `ClassificationRequest`; errors as of `examples_inference.classify`."""
    response = messages.ClassificationResponse()
    response.result.CopyFrom(examples_inference.classify(servable, request))
    _fill_spec(response.model_spec, servable, request.model_spec, default=True)
    return response


def regress(servable: Servable, request: Any) -> Any:
    """The `RegressionResponse` to a `RegressionRequest`; errors as of `examples_inference.regress`."""
    response = messages.RegressionResponse()
    response.result.CopyFrom(examples_inference.regress(servable, request))
    _fill_spec(response.model_spec, servable, request.model_spec, default=True)
    return response


def infer_all(servable: Servable, request: Any) -> Any:
    """The `MultiInferenceResponse` to a `MultiInferenceRequest`; errors as of `examples_inference.infer_all`."""
    response = messages.MultiInferenceResponse()
    examples_inference.infer_all(servable, request, response)
    return response


def metadata(servable: Servable, request: Any) -> Any:
    """The `GetModelMetadataResponse` to a `GetModelMetadataRequest`.

    Raises:
        InvalidArgumentError: for anything but the field "signature_def".
    """
    if not request.metadata_field:
        raise examples_inference.invalid("GetModelMetadataRequest must specify at least one metadata_field")
    for field in request.metadata_field:
        if field != "signature_def":
            raise examples_inference.invalid(f"Metadata field {field} is not supported")
    response = messages.GetModelMetadataResponse()
    _fill_spec(response.model_spec, servable, request.model_spec, default=False)
    response.metadata["signature_def"].Pack(servable.signature_defs)
    return response


def _fill_spec(spec: Any, servable: Servable, asked: Any, *, default: bool) -> None:
    spec.name = servable.name
    signature = servable.signature(asked.signature_name)
    if default and signature is not None:
        spec.signature_name = signature.name
    spec.version.value = servable.version
