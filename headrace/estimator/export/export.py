"""What requests fill, and the features that are made of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from headrace.core.composite import SparseTensor
from headrace.core.convert import convert_to_tensor
from headrace.core.dtypes import string
from headrace.core.eager import EagerTensor
from headrace.core.shapes import TensorShape
from headrace.core.tensor import Tensor
from headrace.functions.parsing.example import parse_example
from headrace.ops.array.constant import placeholder
from headrace.saved_model import names
from headrace.saved_model.export_output import ExportOutput
from headrace.saved_model.signatures import is_valid_signature
from headrace.util import tf_logging

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike
    from headrace.messages import protos

_SINGLE_FEATURE = "feature"
_SINGLE_LABEL = "label"
_SINGLE_RECEIVER = "input"


def _checked_tensor(value: object, what: str) -> Any:
    if not isinstance(value, (Tensor, SparseTensor)):
        raise ValueError(f"{what} must be a Tensor or SparseTensor, got {value!r}.")
    return value


def _by_name(values: Any, default: str, what: str, strings: bool) -> dict[Any, Any]:
    """Tensors by name; a single one takes the default name."""
    if not isinstance(values, Mapping):
        values = {default: values}
    for key, value in values.items():
        if strings and not isinstance(key, str):
            raise ValueError(f"{what} keys must be strings: {key}.")
        _checked_tensor(value, what if values.keys() == {default} and key == default else f"{what} {key}")
    return dict(values)


def _receivers(receiver_tensors: Any) -> dict[str, Any]:
    if receiver_tensors is None:
        raise ValueError("receiver_tensors must be defined.")
    return _by_name(receiver_tensors, _SINGLE_RECEIVER, "receiver_tensor", strings=True)


def _alternatives(given: Any) -> dict[str, dict[str, Any]] | None:
    if given is None:
        return None
    if not isinstance(given, Mapping):
        raise ValueError(f"receiver_tensors_alternatives must be a dict: {given}.")
    return {
        name: _by_name(tensors, _SINGLE_RECEIVER, f"receiver_tensors_alternatives[{name}]", strings=True)
        for name, tensors in given.items()
    }


class _ReceiverFields(NamedTuple):
    features: Any
    receiver_tensors: dict[str, Any]
    receiver_tensors_alternatives: dict[str, dict[str, Any]] | None


class ServingInputReceiver(_ReceiverFields):
    """What requests to a model fill, and the features made of it.

    Args:
        features: a tensor, or a dict of them: what the model function takes.
        receiver_tensors: a placeholder, or a dict of them by name: what a request fills.
        receiver_tensors_alternatives: from name to other placeholders that may be filled instead.

    Raises:
        ValueError: if something is missing or no tensor.

    Example:
        >>> def serving_input_receiver_fn():
        ...     x = tf.placeholder(tf.float32, [None, 4], name="x")
        ...     return tf.estimator.export.ServingInputReceiver({"x": x}, {"x": x})
    """

    __slots__ = ()

    def __new__(
        cls, features: Any, receiver_tensors: Any, receiver_tensors_alternatives: Mapping[str, Any] | None = None
    ) -> ServingInputReceiver:
        if features is None:
            raise ValueError("features must be defined.")
        return super().__new__(
            cls,
            _by_name(features, _SINGLE_FEATURE, "feature", strings=False),
            _receivers(receiver_tensors),
            _alternatives(receiver_tensors_alternatives),
        )


class TensorServingInputReceiver(_ReceiverFields):
    """As `ServingInputReceiver`, for model functions whose features are one tensor rather than a dict.

    Args:
        features: the tensor.
        receiver_tensors, receiver_tensors_alternatives: as there.
    """

    __slots__ = ()

    def __new__(
        cls, features: Any, receiver_tensors: Any, receiver_tensors_alternatives: Mapping[str, Any] | None = None
    ) -> TensorServingInputReceiver:
        if features is None:
            raise ValueError("features must be defined.")
        return super().__new__(
            cls,
            _checked_tensor(features, "feature"),
            _receivers(receiver_tensors),
            _alternatives(receiver_tensors_alternatives),
        )


class UnsupervisedInputReceiver(ServingInputReceiver):
    """A receiver of features without labels, for training and evaluation."""


class _SupervisedFields(NamedTuple):
    features: Any
    labels: Any
    receiver_tensors: dict[str, Any]


class SupervisedInputReceiver(_SupervisedFields):
    """What is filled to train or evaluate an exported model, and the features and labels made of it.

    Args:
        features, labels: tensors, or dicts of them.
        receiver_tensors: placeholders, by name.
    """

    __slots__ = ()

    def __new__(cls, features: Any, labels: Any, receiver_tensors: Any) -> SupervisedInputReceiver:
        for value, what in ((features, "feature"), (labels, "label")):
            if value is None:
                raise ValueError(f"{what}s must be defined.")
            _by_name(value, what, what, strings=False)
        return super().__new__(cls, features, labels, _receivers(receiver_tensors))


def build_parsing_serving_input_receiver_fn(
    feature_spec: Mapping[str, Any], default_batch_size: int | None = None
) -> Callable[[], ServingInputReceiver]:
    """A function that makes a receiver of serialized `tf.Example`s.

    Args:
        feature_spec: from key to `tf.FixedLenFeature` or its kin, as for `tf.parse_example`.
        default_batch_size: how many Examples a request has; any number by default.

    Example:
        >>> spec = {"x": tf.FixedLenFeature([1], tf.float32)}
        >>> estimator.export_saved_model("export", tf.estimator.export.build_parsing_serving_input_receiver_fn(spec))
    """

    def serving_input_receiver_fn() -> ServingInputReceiver:
        serialized = placeholder(string, [default_batch_size], name="input_example_tensor")
        features = parse_example(serialized, dict(feature_spec))
        return ServingInputReceiver(features, {"examples": serialized})

    return serving_input_receiver_fn


def _placeholder_like(value: TensorLike, name: str, default_batch_size: int | None) -> Tensor:
    """A placeholder for tensors like `value`, of any batch size."""
    if isinstance(value, Tensor) and not isinstance(value, EagerTensor):
        # The operation that an example of the feature comes of gives its name.
        name = value.op.name
    tensor = convert_to_tensor(value) if isinstance(value, np.ndarray) else value
    if not isinstance(tensor, Tensor):
        raise AttributeError(
            f"{type(value).__name__!r} object has no attribute 'get_shape': {name} is given by a tensor, got {value!r}"
        )
    shape = tensor.shape
    if shape.ndims:
        shape = TensorShape([default_batch_size, *shape.as_list()[1:]])
    return placeholder(tensor.dtype, shape, name=name)


def _placeholders_like(values: Any, default: str, default_batch_size: int | None) -> Any:
    if not isinstance(values, Mapping):
        return _placeholder_like(values, default, default_batch_size)
    return {key: _placeholder_like(value, str(key), default_batch_size) for key, value in values.items()}


def build_raw_serving_input_receiver_fn(
    features: Mapping[str, Any] | TensorLike, default_batch_size: int | None = None
) -> Callable[[], Any]:
    """A function that makes a receiver of the features as they are.

    Args:
        features: examples of the features: tensors whose types and shapes count, and the names of their operations.
        default_batch_size: the size of the first axis; any by default.
    """
    if not isinstance(features, Mapping):

        def tensor_receiver_fn() -> TensorServingInputReceiver:
            made = _placeholders_like(features, _SINGLE_FEATURE, default_batch_size)
            return TensorServingInputReceiver(made, {_SINGLE_FEATURE: made})

        return tensor_receiver_fn

    def serving_input_receiver_fn() -> ServingInputReceiver:
        made = _placeholders_like(features, _SINGLE_FEATURE, default_batch_size)
        return ServingInputReceiver(made, made)

    return serving_input_receiver_fn


def build_raw_supervised_input_receiver_fn(
    features: Any, labels: Any, default_batch_size: int | None = None
) -> Callable[[], SupervisedInputReceiver]:
    """A function that makes a receiver of features and labels as they are; arguments as above.

    Raises:
        ValueError: if features and labels have names in common.
    """
    if isinstance(features, Mapping) and isinstance(labels, Mapping):
        both = set(features) & set(labels)
        if both:
            raise ValueError(f"Features and labels must have distinct keys. Found overlapping keys: {sorted(both)}")

    def supervised_input_receiver_fn() -> SupervisedInputReceiver:
        made = _placeholders_like(features, _SINGLE_FEATURE, default_batch_size)
        given = _placeholders_like(labels, _SINGLE_LABEL, default_batch_size)
        receivers = {
            **(made if isinstance(made, Mapping) else {_SINGLE_RECEIVER: made}),
            **(given if isinstance(given, Mapping) else {_SINGLE_LABEL: given}),
        }
        return SupervisedInputReceiver(made, given, receivers)

    return supervised_input_receiver_fn


def build_all_signature_defs(
    receiver_tensors: Any,
    export_outputs: Mapping[Any, ExportOutput],
    receiver_tensors_alternatives: Mapping[str, Any] | None = None,
    serving_only: bool = True,
) -> dict[str, protos.SignatureDef]:
    """The signatures of a model: of each output, with each way to fill its inputs.

    Args:
        receiver_tensors: what requests fill.
        export_outputs: from name to output.
        receiver_tensors_alternatives: from name to other tensors that may be filled instead.
        serving_only: whether those that no server could use are left out, which is logged.

    Raises:
        ValueError: if `export_outputs` is no dict.
    """
    if not isinstance(receiver_tensors, Mapping):
        receiver_tensors = {_SINGLE_RECEIVER: receiver_tensors}
    if not isinstance(export_outputs, Mapping):
        raise ValueError("export_outputs must be a dict and not" + str(type(export_outputs)))
    found: dict[str, Any] = {}
    excluded: dict[str, str] = {}

    def add(name: str, output: ExportOutput, tensors: Any) -> None:
        try:
            found[name] = output.as_signature_def(tensors)
        except ValueError as error:
            excluded[name] = str(error)

    for key, output in export_outputs.items():
        add(str(key or None), output, receiver_tensors)
    for receiver, tensors in (receiver_tensors_alternatives or {}).items():
        if not isinstance(tensors, Mapping):
            tensors = {_SINGLE_RECEIVER: tensors}
        for key, output in export_outputs.items():
            add(f"{receiver or 'None'}:{key or 'None'}", output, tensors)
    _log(found, excluded)
    if serving_only:
        return {key: signature for key, signature in found.items() if is_valid_signature(signature)}
    return found


_METHODS = {
    "Classify": names.CLASSIFY_METHOD_NAME,
    "Regress": names.REGRESS_METHOD_NAME,
    "Predict": names.PREDICT_METHOD_NAME,
    "Train": names.SUPERVISED_TRAIN_METHOD_NAME,
    "Eval": names.SUPERVISED_EVAL_METHOD_NAME,
}


def _log(found: Mapping[str, Any], excluded: Mapping[str, str]) -> None:
    for title, method in _METHODS.items():
        keys = [key for key, signature in found.items() if signature.method_name == method]
        tf_logging.info("Signatures INCLUDED in export for %s: %s", title, keys or None)
    if excluded:
        tf_logging.info("Signatures EXCLUDED from export because they cannot be be served via TensorFlow Serving APIs:")
        for key, reason in excluded.items():
            tf_logging.info("'%s' : %s", key, reason)
    if names.DEFAULT_SERVING_SIGNATURE_DEF_KEY not in found:
        tf_logging.warn("Export includes no default signature!")
