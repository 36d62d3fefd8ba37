"""What exported models of `tf.contrib.learn` are fed: placeholders, and features made of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from headrace.core.dtypes import string
from headrace.core.shapes import TensorShape
from headrace.core.tensor import Tensor
from headrace.functions.parsing.example import parse_example
from headrace.ops.array.constant import placeholder


class InputFnOps(NamedTuple):
    """What a serving input function returns.

    Args:
        features: what the model function gets: tensors by name.
        labels: the same for labels; None where a model is served.
        default_inputs: what requests fill: placeholders by name.
    """

    features: Any
    labels: Any
    default_inputs: Any


def build_parsing_serving_input_fn(
    feature_spec: Mapping[str, Any], default_batch_size: int | None = None
) -> Callable[[], InputFnOps]:
    """A serving input function that parses serialized Examples.

    Args:
        feature_spec: from feature to `FixedLenFeature` or `VarLenFeature`.
        default_batch_size: how many Examples a request has; None for any number.

    Example:
        >>> columns = [tf.contrib.layers.real_valued_column("x")]
        >>> classifier = tf.contrib.learn.LinearClassifier(columns).fit(input_fn=input_fn, steps=1)
        >>> spec = tf.contrib.layers.create_feature_spec_for_parsing(columns)
        >>> classifier.export_savedmodel("exported", build_parsing_serving_input_fn(spec))
    """

    def input_fn() -> InputFnOps:
        serialized = placeholder(string, shape=[default_batch_size], name="input_example_tensor")
        inputs = {"examples": serialized}
        return InputFnOps(parse_example(serialized, dict(feature_spec)), None, inputs)

    return input_fn


def build_default_serving_input_fn(
    features: Mapping[str, Tensor], default_batch_size: int | None = None
) -> Callable[[], InputFnOps]:
    """A serving input function that feeds the features as they are.

    Args:
        features: tensors by name, whose types and shapes the placeholders take.
        default_batch_size: how many examples a request has; None for any number.
    """

    def input_fn() -> InputFnOps:
        made: dict[str, Any] = {}
        for name, tensor in features.items():
            dims = tensor.get_shape().as_list()
            shape = TensorShape([default_batch_size, *dims[1:]])
            made[name] = placeholder(tensor.dtype, shape=shape, name=tensor.op.name)
        return InputFnOps(made, None, made)

    return input_fn
