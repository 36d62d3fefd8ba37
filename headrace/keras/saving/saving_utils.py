"""What saving a model asks of it: its configuration and how it is trained, its signature, its metrics."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from headrace.core import nest
from headrace.core.type_specs import TensorSpec
from headrace.keras import losses, metrics
from headrace.keras.optimizers import serialization as optimizers
from headrace.keras.optimizers.update_lists import TFOptimizer
from headrace.keras.utils.io_utils import ask_to_proceed_with_overwrite
from headrace.keras.utils.stored_settings import MissingEntryError
from headrace.layers.context import call_context
from headrace.optimizers.optimizer import Optimizer as TrainOptimizer
from headrace.state.polymorphic_function import function
from headrace.util import tf_logging as logging

if TYPE_CHECKING:
    from headrace.keras.engine.network import Network
    from headrace.keras.engine.training import Model
    from headrace.state.polymorphic_function import PolymorphicFunction

    Objects = Mapping[str, Any]
    Config = dict[str, Any]

KERAS_VERSION = "2.2.4-tf"


def extract_model_metrics(model: Model) -> dict[str, Any] | None:
    """A model's metrics by name, as objects; None if it is not compiled."""
    if not getattr(model, "_compile_metrics", None):
        return None
    return {metric.name: metric for metric in model._compile_metric_functions}


def model_input_signature(model: Network) -> list[Any] | None:
    """The specs of what a model is called with, in a list of one structure; None if nothing says.

    Args:
        model: a model; one without inputs of its own must have been called or told its shapes.
    """
    try:
        inputs = model.inputs
        names = model.input_names
    except AttributeError:
        return None
    flat = nest.flatten(inputs)
    if not flat:
        return None
    flat_names = nest.flatten(names)
    specs = [
        TensorSpec(shape=[None, *tensor.shape.as_list()[1:]], dtype=tensor.dtype, name=name)
        for tensor, name in zip(flat, flat_names, strict=True)
    ]
    packed = nest.pack_sequence_as(structure=inputs, flat_sequence=specs)
    if isinstance(packed, Sequence) and len(packed) == 1:
        # A model of one input is called with it, not with a list.
        return [packed[0]]
    return [packed]


def raise_model_input_error(model: Model) -> NoReturn:
    """Says that a model does not know its inputs.

    Raises:
        ValueError: always.
    """
    raise ValueError(
        f"Model {model} cannot be saved because the input shapes have not been set. Usually, input shapes are "
        "automatically determined from calling .fit() or .predict(). To manually set the shapes, call "
        "model._set_inputs(inputs)."
    )


def trace_model_call(model: Model, input_signature: Sequence[Any] | None = None) -> PolymorphicFunction:
    """A `tf.function` of a model's call, with names of its outputs.

    Args:
        model: the model.
        input_signature: specs of its inputs; those that it knows by default.

    Raises:
        ValueError: if it does not know them.
    """
    signature = input_signature
    if signature is None:
        own = getattr(model.call, "input_signature", None)
        signature = own if isinstance(own, Sequence) else model_input_signature(model)
    if signature is None:
        raise_model_input_error(model)
    single = len(signature) == 1

    @function(input_signature=signature, autograph=False)
    def _wrapped_model(*args: Any) -> Any:
        """The model's outputs by name."""
        inputs = args[0] if single else list(args)
        # Inside a call nothing is noted of how tensors came about.
        with call_context.enter(model, inputs, True, False):
            outputs = nest.flatten(model(inputs, training=False))
        names = getattr(model, "output_names", None)
        if names is None:
            names = [f"output_{number}" for number in range(1, len(outputs) + 1)]
        return dict(zip(names, outputs, strict=True))

    return _wrapped_model


def model_metadata(model: Model, include_optimizer: bool = True, require_config: bool = True) -> Config:
    """What a file says of a model beside its weights.

    Args:
        model: the model.
        include_optimizer: whether to tell how it is trained.
        require_config: whether a model without a configuration is an error; it is left out otherwise.

    Raises:
        NotImplementedError: if it has none and must.
    """
    model_config: Config = {"class_name": type(model).__name__}
    try:
        model_config["config"] = model.get_config()
    except NotImplementedError:
        if require_config:
            raise
    metadata: Config = {"keras_version": KERAS_VERSION, "backend": "tensorflow", "model_config": model_config}
    if not (model.optimizer and include_optimizer):
        return metadata
    if isinstance(model.optimizer, TrainOptimizer | TFOptimizer):
        logging.warning(
            "TensorFlow optimizers do not make it possible to access optimizer attributes or optimizer state after "
            "instantiation. As a result, we cannot save the optimizer as part of the model save file. You will have to "
            "compile your model again after loading it. Prefer using a Keras optimizer instead (see keras.io/optimizers)."
        )
        return metadata
    # A model that is compiled in part has nothing to tell.
    with contextlib.suppress(AttributeError):
        metadata["training_config"] = {
            "loss": model.loss,
            "metrics": model._compile_metrics,
            "weighted_metrics": model._compile_weighted_metrics,
            "sample_weight_mode": model.sample_weight_mode,
            "loss_weights": model.loss_weights,
            "optimizer_config": {
                "class_name": type(model.optimizer).__name__,
                "config": model.optimizer.get_config(),
            },
        }
    return metadata


def should_overwrite(filepath: str | os.PathLike[str], overwrite: bool) -> bool:
    """Whether to write to a path: True if nothing is there, or it may be replaced, or the user says so."""
    if not overwrite and os.path.isfile(filepath):
        return ask_to_proceed_with_overwrite(os.fspath(filepath))
    return True


def compile_args_from_training_config(training_config: Config, custom_objects: Objects | None = None) -> Config:
    """The arguments of `model.compile` that a file tells.

    Args:
        training_config: what it says.
        custom_objects: classes and functions of the program's own by name.

    Raises:
        ValueError: if it tells no optimizer, or names an unknown class.
    """
    objects = dict(custom_objects or {})
    if "optimizer_config" not in training_config:
        raise MissingEntryError("The training configuration tells no optimizer.")

    def loss_of(leaf: Any) -> Any:
        return losses.deserialize(leaf, objects) if isinstance(leaf, dict) else objects.get(leaf, leaf)

    def metric_of(leaf: Any) -> Any:
        if isinstance(leaf, dict):
            return metrics.deserialize(leaf, objects) if leaf["class_name"] in objects else leaf
        return objects.get(leaf, leaf)

    return {
        "optimizer": optimizers.deserialize(training_config["optimizer_config"], custom_objects=objects),
        "loss": _each(training_config.get("loss"), loss_of),
        "metrics": _each(training_config.get("metrics"), metric_of),
        "weighted_metrics": _each(training_config.get("weighted_metrics"), metric_of),
        "loss_weights": training_config.get("loss_weights"),
        "sample_weight_mode": training_config.get("sample_weight_mode"),
    }


def _each(structure: Any, change: Callable[[Any], Any]) -> Any:
    """Losses or metrics, with those in lists and by outputs' names changed one by one."""
    if isinstance(structure, list):
        return [_each(item, change) for item in structure]
    if isinstance(structure, dict) and not ("class_name" in structure and "config" in structure):
        return {name: _each(item, change) for name, item in structure.items()}
    return None if structure is None else change(structure)
