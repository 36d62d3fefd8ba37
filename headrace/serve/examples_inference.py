"""Classification, regression and both at once: models whose input is a list of `tf.Example`s."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from headrace.core import errors
from headrace.saved_model import names
from headrace.serve import messages
from headrace.serve.servable import Port, Servable, Signature


def invalid(text: str) -> errors.InvalidArgumentError:
    """An InvalidArgumentError with this text."""
    return errors.InvalidArgumentError(None, None, text)


def serialized_examples(given: Any) -> np.ndarray:
    """The examples of an `Input`, serialized, the context's features in each; InvalidArgumentError if there are none."""
    kind = given.WhichOneof("kind")
    if kind == "example_list_with_context":
        context = given.example_list_with_context.context.SerializeToString()
        examples = []
        for example in given.example_list_with_context.examples:
            # Features of the example go before those of the context: of two in a message the last one counts.
            merged = messages.Example.FromString(context)
            for name, feature in example.features.feature.items():
                merged.features.feature[name].CopyFrom(feature)
            examples.append(merged.SerializeToString())
    else:
        examples = [example.SerializeToString() for example in given.example_list.examples]
    if not examples:
        raise invalid("Input is empty.")
    array = np.empty(len(examples), object)
    array[:] = examples
    return array


def classify(servable: Servable, request: Any) -> Any:
    """The `ClassificationResult` of a `ClassificationRequest`.

    Raises:
        InvalidArgumentError: if the signature is none of classification, or the model's outputs have other shapes.
    """
    signature = _signature(servable, request.model_spec.signature_name, names.CLASSIFY_METHOD_NAME, "classification")
    examples = serialized_examples(request.input)
    fetches = _classification_outputs(signature)
    values = servable.run([_input(signature, names.CLASSIFY_INPUTS)], [examples], list(fetches.values()))
    return _classification(dict(zip(fetches, values, strict=True)), len(examples))


def regress(servable: Servable, request: Any) -> Any:
    """The `RegressionResult` of a `RegressionRequest`; errors as of `classify`."""
    signature = _signature(servable, request.model_spec.signature_name, names.REGRESS_METHOD_NAME, "regression")
    examples = serialized_examples(request.input)
    (value,) = servable.run([_input(signature, names.REGRESS_INPUTS)], [examples], [_regression_output(signature)])
    return _regression(value, len(examples))


def infer_all(servable: Servable, request: Any, response: Any) -> None:
    """Adds a result to a `MultiInferenceResponse` for each task of the request, all from one run.

    Raises:
        InvalidArgumentError: if tasks name different models or one signature twice, or as of `classify`.
        UnimplementedError: for a task that is neither classification nor regression.
    """
    examples = serialized_examples(request.input)
    seen: set[str] = set()
    feeds: dict[str, Port] = {}
    fetches: dict[tuple[int, str], Port] = {}
    for index, task in enumerate(request.tasks):
        name = task.model_spec.signature_name or names.DEFAULT_SERVING_SIGNATURE_DEF_KEY
        if name in seen:
            raise invalid(f"Duplicate evaluation of signature: {name}")
        seen.add(name)
        if task.method_name == names.CLASSIFY_METHOD_NAME:
            signature = _signature(servable, name, task.method_name, "classification")
            port, outputs = _input(signature, names.CLASSIFY_INPUTS), _classification_outputs(signature)
        elif task.method_name == names.REGRESS_METHOD_NAME:
            signature = _signature(servable, name, task.method_name, "regression")
            port, outputs = (
                _input(signature, names.REGRESS_INPUTS),
                {names.REGRESS_OUTPUTS: _regression_output(signature)},
            )
        else:
            raise errors.UnimplementedError(None, None, f"Unsupported signature method_name: {task.method_name}")
        feeds[port.tensor] = port
        fetches |= {(index, key): output for key, output in outputs.items()}
    values = servable.run(list(feeds.values()), [examples] * len(feeds), list(fetches.values()))
    found = dict(zip(fetches, values, strict=True))
    for index, task in enumerate(request.tasks):
        result = response.results.add()
        result.model_spec.name = task.model_spec.name
        result.model_spec.signature_name = task.model_spec.signature_name
        result.model_spec.version.value = servable.version
        own = {key: value for (number, key), value in found.items() if number == index}
        if task.method_name == names.CLASSIFY_METHOD_NAME:
            result.classification_result.CopyFrom(_classification(own, len(examples)))
        else:
            result.regression_result.CopyFrom(_regression(own[names.REGRESS_OUTPUTS], len(examples)))


def _signature(servable: Servable, name: str, method: str, kind: str) -> Signature:
    signature = servable.signature(name)
    if signature is None:
        key = name or names.DEFAULT_SERVING_SIGNATURE_DEF_KEY
        raise invalid(f"No signature was found with the name: {key}")
    if signature.method != method:
        raise invalid(f"Expected {kind} signature method_name to be {method}. Was: {signature.method}")
    if len(signature.inputs) != 1:
        raise invalid("Expected one input Tensor.")
    return signature


def _input(signature: Signature, key: str) -> Port:
    if key not in signature.inputs:
        raise invalid(f"No {key!r} among the inputs of signature {signature.name}: {', '.join(signature.inputs)}")
    return signature.inputs[key]


def _classification_outputs(signature: Signature) -> dict[str, Port]:
    if len(signature.outputs) not in (1, 2):
        raise invalid(f"Expected one or two output Tensors, found {len(signature.outputs)}")
    keys = (names.CLASSIFY_OUTPUT_CLASSES, names.CLASSIFY_OUTPUT_SCORES)
    found = {key: signature.outputs[key] for key in keys if key in signature.outputs}
    if not found:
        raise invalid(
            f'Expected classification signature outputs to contain at least one of "{keys[0]}" or "{keys[1]}". Signature '
            f"{signature.name} has: {', '.join(signature.outputs)}"
        )
    return found


def _regression_output(signature: Signature) -> Port:
    if len(signature.outputs) != 1:
        raise invalid("Expected one output Tensor.")
    if names.REGRESS_OUTPUTS not in signature.outputs:
        raise invalid(f"No regression outputs found in signature {signature.name}: {', '.join(signature.outputs)}")
    return signature.outputs[names.REGRESS_OUTPUTS]


def _classification(values: dict[str, np.ndarray], count: int) -> Any:
    classes, scores = values.get(names.CLASSIFY_OUTPUT_CLASSES), values.get(names.CLASSIFY_OUTPUT_SCORES)
    for what, array, kind in (("classes", classes, "O"), ("scores", scores, "f")):
        if array is None:
            continue
        if array.ndim != 2:
            raise invalid(f"Expected Tensor shape: [batch_size num_classes] but got {list(array.shape)}")
        if array.dtype.kind != kind or (kind == "f" and array.dtype != np.float32):
            wanted = "DT_STRING" if kind == "O" else "DT_FLOAT"
            raise invalid(f"Expected {what} Tensor of {wanted}. Got: {array.dtype.name}")
        if len(array) != count:
            raise invalid(f"Expected {what} output batch size of {count}. Got: {len(array)}")
    if classes is not None and scores is not None and classes.shape != scores.shape:
        raise invalid(
            f"Tensors class and score should match in dim_size(1). Got {classes.shape[1]} vs. {scores.shape[1]}"
        )
    labels: Sequence[Sequence[bytes]] | None = classes.tolist() if classes is not None else None
    numbers: Sequence[Sequence[float]] | None = scores.tolist() if scores is not None else None
    result = messages.ClassificationResult()
    width = (classes if classes is not None else scores).shape[1]  # type: ignore[union-attr]  # one of them is there
    for row in range(count):
        made = result.classifications.add()
        for column in range(width):
            one = made.classes.add()
            if labels is not None:
                # Labels are text on the wire; bytes that are none cannot travel.
                one.label = labels[row][column].decode("utf-8", "replace")
            if numbers is not None:
                one.score = numbers[row][column]
    return result


def _regression(value: np.ndarray, count: int) -> Any:
    if not (value.ndim == 1 or (value.ndim == 2 and value.shape[1] == 1)):
        raise invalid(
            f"Expected output Tensor shape to be either [batch_size] or [batch_size, 1] but got {list(value.shape)}"
        )
    if len(value) != count:
        raise invalid(f"Input batch size did not match output batch size: {count} vs. {len(value)}")
    if value.dtype != np.float32:
        raise invalid(f"Expected output Tensor of DT_FLOAT.  Got: {value.dtype.name}")
    result = messages.RegressionResult()
    for number in value.reshape(-1).tolist():
        result.regressions.add(value=number)
    return result
