"""Models written as SavedModels: with their functions for those who serve, and what makes models of them again."""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from typing import Any

from headrace.checkpoints.auto_trackable import AutoTrackable
from headrace.core import nest
from headrace.core.eager import executing_eagerly
from headrace.core.serialization import get_json_type
from headrace.core.tensor import Tensor
from headrace.core.type_specs import TensorSpec
from headrace.files import file_io
from headrace.keras.backend.sessions import get_session
from headrace.keras.engine.network import Network
from headrace.keras.engine.training import Model as TrainingModel
from headrace.keras.saving import saving_utils
from headrace.keras.utils.generic_utils import serialize_keras_object
from headrace.keras.utils.io_utils import ask_to_proceed_with_overwrite
from headrace.layers.context import call_context
from headrace.layers.engine import Layer
from headrace.saved_model import objects_writing
from headrace.saved_model.names import DEFAULT_SERVING_SIGNATURE_DEF_KEY
from headrace.state.polymorphic_function import function
from headrace.util import tf_logging as logging


def save(
    model: TrainingModel, filepath: str, overwrite: bool = True, include_optimizer: bool = True, signatures: Any = None
) -> None:
    """Writes a model as a SavedModel.

    Args:
        model: the model; one that is written in Python must have been called, so that it knows its inputs.
        filepath: the folder.
        overwrite: whether one that is there is replaced without asking.
        include_optimizer: whether to write how the model is compiled; what its optimizer keeps is written in any case.
        signatures: functions to serve by; the model's outputs for its inputs by default.

    Raises:
        ValueError: if the model does not know its inputs.
    """
    if not overwrite and os.path.exists(filepath) and not ask_to_proceed_with_overwrite(filepath):
        return
    if saving_utils.model_input_signature(model) is None:
        saving_utils.raise_model_input_error(model)
    model._assert_weights_created()
    additions = LayerAdditions(model, include_optimizer)
    if signatures is None:
        signatures = {DEFAULT_SERVING_SIGNATURE_DEF_KEY: additions.functions(model)["_default_save_signature"]}
    with nullcontext() if executing_eagerly() else get_session().as_default():
        if file_io.is_directory(filepath):
            logging.info("Replacing the SavedModel in %s", filepath)
        objects_writing.save(model, filepath, signatures, additions)


class LayerAdditions(objects_writing.Additions):
    """What TensorFlow 1.15 writes of layers: their configurations, lists of their parts, functions that call them.

    Args:
        model: what is saved: a model, a layer, or an object that has some.
        include_optimizer: whether it is written how the model is compiled.
    """

    def __init__(self, model: Any, include_optimizer: bool = True) -> None:
        self.model = model
        self.include_optimizer = include_optimizer
        self._lists: dict[int, tuple[Any, list[tuple[str, Any]]]] = {}
        self._functions: dict[int, dict[str, Any]] = {}
        self._owners: dict[int, Any] = {}
        self._losses: dict[int, list[Any]] = {}
        self._loss_count = 0
        # What layers of Python code were called with, by identity.
        self._noted: dict[int, Any] = {}

    def dependencies(self, item: object) -> list[tuple[str, Any]]:
        """Lists of a layer's parts, and the object `keras_api` that has them all."""
        if not isinstance(item, Layer):
            return []
        if id(item) not in self._lists:
            kept = AutoTrackable()
            # A model that has not been called has none.
            built = not isinstance(item, Network) or not item._lacks_weights()
            kept.variables = list(item.weights) if built else []
            kept.trainable_variables = list(item.trainable_weights) if built else []
            kept.non_trainable_variables = list(item.non_trainable_weights) if built else []
            kept.layers = [
                layer for layer in getattr(item, "layers", ()) if not getattr(layer, "_is_input_layer", False)
            ]
            kept.metrics = list(getattr(item, "metrics", ()))
            kept.layer_regularization_losses = self._losses_of(item)
            inside = [loss for layer in _layers_below(item) for loss in self._losses_of(layer)]
            kept.regularization_losses = [*self._losses_of(item), *inside]
            lists = [
                (name, getattr(kept, name)) for name in ("regularization_losses", "trainable_variables", "variables")
            ]
            self._owners[id(kept)] = item
            self._lists[id(item)] = kept, [*lists, ("keras_api", kept)]
        return self._lists[id(item)][1]

    def _losses_of(self, layer: Any) -> list[Any]:
        """The functions that compute a layer's own losses of its weights."""
        if id(layer) not in self._losses:
            made = self._losses[id(layer)] = []
            for loss in getattr(layer, "_callable_losses", ()):
                made.append(_loss_function(loss, self._loss_count))
                self._loss_count += 1
        return self._losses[id(layer)]

    def functions(self, item: object) -> dict[str, Any]:
        """The functions that call a layer, with its losses and without."""
        owner = self._owners.get(id(item), item)
        if not isinstance(owner, Layer):
            return {}
        found = self._of_layer(owner)
        if owner is item or not found:
            return found
        # In `keras_api` the function with losses has the name of those that depend on inputs, too.
        return found | {"call_and_return_conditional_losses": found["call_and_return_all_conditional_losses"]}

    def description(self, item: object) -> tuple[str, str] | None:
        """The kind of layer and its configuration."""
        if not isinstance(item, Layer):
            return ("optimizer", "") if item is getattr(self.model, "optimizer", None) else None
        identifier = str(getattr(item, "_object_identifier", "_tf_keras_layer"))
        if isinstance(item, TrainingModel) and identifier == "_tf_keras_network":
            identifier = "_tf_keras_model"
        return identifier, json.dumps(self._metadata(item), default=get_json_type)

    def _metadata(self, layer: Any) -> dict[str, Any]:
        spec = getattr(layer, "input_spec", None)
        metadata: dict[str, Any] = {
            "class_name": type(layer).__name__,
            "name": layer.name,
            "trainable": layer.trainable,
            "expects_training_arg": bool(getattr(layer, "_expects_training_arg", False)),
            "dtype": layer.dtype,
            "batch_input_shape": getattr(layer, "_batch_input_shape", None),
        }
        # Of a layer that is Python code its functions are what there is.
        with suppress(NotImplementedError):
            metadata["config"] = serialize_keras_object(layer)["config"]
        has_config = spec is not None and all(hasattr(one, "get_config") for one in nest.flatten(spec))
        metadata["input_spec"] = nest.map_structure(serialize_keras_object, spec) if has_config else None
        metadata["activity_regularizer"] = serialize_keras_object(getattr(layer, "_activity_regularizer", None))
        if isinstance(layer, Network):
            graph = bool(layer._is_graph_network)
            metadata["is_graph_network"] = graph
            if layer is self.model:
                metadata |= saving_utils.model_metadata(layer, self.include_optimizer, require_config=False)
        return metadata

    def _of_layer(self, layer: Any) -> dict[str, Any]:
        if id(layer) not in self._functions:
            signature = _input_specs(layer)
            if signature is None:
                signature = self._noted.get(id(layer))
            with self._inputs_noted(layer):
                self._functions[id(layer)] = {} if signature is None else _call_functions(layer, signature)
            if layer is self.model and isinstance(layer, TrainingModel) and signature is not None:
                self._functions[id(layer)]["_default_save_signature"] = saving_utils.trace_model_call(layer)
        return self._functions[id(layer)]

    @contextmanager
    def _inputs_noted(self, layer: Any) -> Iterator[None]:
        """A context in which layers inside of one note what they are called with: those of Python code tell it nowhere else."""
        told = self._noted
        watched = [each for each in _layers_below(layer) if id(each) not in told and _input_specs(each) is None]
        for each in watched:
            each.__dict__["call"] = self._noting(each, each.call)
        try:
            yield
        finally:
            for each in watched:
                del each.__dict__["call"]

    def _noting(self, layer: Any, call: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(call)
        def noting(inputs: Any, *args: Any, **kwargs: Any) -> Any:
            tensors = nest.flatten(inputs)
            # What is called with more is a part of a layer, such as a cell, that is not called from outside.
            alone = not args and all(value is None for name, value in kwargs.items() if name != "training")
            if alone and tensors and all(isinstance(tensor, Tensor) for tensor in tensors):
                self._noted.setdefault(id(layer), _specs_like(inputs))
            return call(inputs, *args, **kwargs)

        return noting


def _loss_function(loss: Callable[[], Any], number: int) -> Any:
    def compute() -> Any:
        return loss()

    compute.__name__ = f"loss_fn_{number}"
    made = function(compute, autograph=False)
    made.get_concrete_function()
    return made


def _layers_below(layer: Any) -> list[Any]:
    """The layers inside of one, each once."""
    found: dict[int, Any] = {}
    pending = list(layer._sublayers())
    while pending:
        each = pending.pop()
        if id(each) not in found and isinstance(each, Layer):
            found[id(each)] = each
            pending.extend(each._sublayers())
    return list(found.values())


def _specs_like(tensors: Any) -> Any:
    """The specs of tensors, in batches of any size."""
    return nest.map_structure(
        lambda tensor: TensorSpec(
            [None, *tensor.shape.as_list()[1:]] if tensor.shape.ndims else tensor.shape, tensor.dtype
        ),
        tensors,
    )


def _input_specs(layer: Any) -> Any:
    """The specs of what a layer is called with; None if nobody knows, or it is of no use to call it."""
    if isinstance(layer, Network):
        found = saving_utils.model_input_signature(layer)
        return None if found is None else found[0]
    if getattr(layer, "_is_input_layer", False) or not layer.inbound_nodes:
        return None
    tensors = layer.inbound_nodes[0].input_tensors
    if any(not hasattr(tensor, "shape") or hasattr(tensor, "dense_shape") for tensor in nest.flatten(tensors)):
        return None
    specs = _specs_like(tensors)
    return specs[0] if isinstance(specs, list) and len(specs) == 1 else specs


def _call_functions(layer: Any, specs: Any) -> dict[str, Any]:
    """A layer's call as functions: traced for training and for inference where that makes a difference."""
    trained = bool(getattr(layer, "_expects_training_arg", False))

    def called(inputs: Any, training: Any) -> tuple[Any, list[Any]]:
        with _losses_kept(layer), call_context.enter(layer, inputs, True, training):
            outputs = layer(inputs, training=training) if trained else layer(inputs)
            return outputs, layer.get_losses_for(inputs)

    if trained:

        def outputs_and_losses(inputs: Any, training: Any = False) -> Any:
            return called(inputs, training)

        def outputs_only(inputs: Any, training: Any = False) -> Any:
            return called(inputs, training)[0]

    else:

        def outputs_and_losses(inputs: Any) -> Any:  # type: ignore[misc]  # of other arguments, on purpose
            return called(inputs, None)

        def outputs_only(inputs: Any) -> Any:  # type: ignore[misc]  # of other arguments, on purpose
            return called(inputs, None)[0]

    made = {
        "__call__": function(outputs_only, autograph=False),
        "call_and_return_all_conditional_losses": function(outputs_and_losses, autograph=False),
    }
    for each in made.values():
        if trained:
            for training in (True, False):
                each.get_concrete_function(specs, training=training)
        else:
            each.get_concrete_function(specs)
    return made


@contextmanager
def _losses_kept(layer: Any) -> Iterator[None]:
    """A context after which layers have the losses and updates they had: those made in it are of the trace."""
    layers = [layer, *(getattr(layer, "layers", None) or ())]
    lists = [(one, name, list(getattr(one, name, ()))) for one in layers for name in ("_losses", "_updates")]
    try:
        yield
    finally:
        for one, name, values in lists:
            if hasattr(one, name):
                getattr(one, name)[:] = values
