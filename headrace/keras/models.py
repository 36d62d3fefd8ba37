"""Copies of models: the same layers with new weights."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from headrace.core import nest
from headrace.core.tensor import Tensor
from headrace.keras import backend_config
from headrace.keras.backend.sessions import track_tf_optimizer
from headrace.keras.engine.input_layer import Input, InputLayer
from headrace.keras.engine.network_run import is_learning_phase
from headrace.keras.engine.sequential import Sequential
from headrace.keras.engine.training import Model
from headrace.keras.metrics.serialization import clone_metric
from headrace.keras.optimizers.update_lists import TFOptimizer
from headrace.keras.utils.generic_utils import CustomObjectScope
from headrace.layers.context import get_graph
from headrace.layers.engine import Layer
from headrace.ops.array.constant import placeholder
from headrace.state.replication import has_strategy, in_cross_replica_context

Cloner = Callable[[Any], Any]


def _clone_layer(layer: Any) -> Any:
    return type(layer).from_config(layer.get_config())


def share_weights(layer: Any) -> Any:
    """The layer itself: given as `clone_function`, it makes a model that shares its layers with the first.

    Args:
        layer: a layer of the model.
    """
    return layer


def clone_model(model: Any, input_tensors: Any = None, clone_function: Cloner | None = None) -> Any:
    """A model of the same layers with new weights.

    Args:
        model: a graph of layers, or a `Sequential` model.
        input_tensors: tensors for the copy to take in the place of new placeholders.
        clone_function: makes a layer of the copy from one of the model; by default from the layer's settings.

    Returns:
        the copy, not compiled.

    Raises:
        ValueError: for models that programs wrote as classes, and other things.

    Example:
        >>> twin = tf.keras.models.clone_model(model)
        >>> twin.set_weights(model.get_weights())
    """
    cloner = _clone_layer if clone_function is None else clone_function
    if isinstance(model, Sequential):
        return _clone_sequential_model(model, input_tensors=input_tensors, layer_fn=cloner)
    return _clone_functional_model(model, input_tensors=input_tensors, layer_fn=cloner)


def _is_keras_tensor(tensor: Any) -> bool:
    return getattr(tensor, "_keras_history", None) is not None


def _new_inputs(model: Any, input_tensors: Any) -> list[Any]:
    """The inputs of the copy: new placeholders, or the tensors given."""
    if input_tensors is None:
        return [
            Input(
                batch_shape=layer._batch_input_shape,
                dtype=layer.dtype,
                sparse=getattr(layer, "sparse", False),
                ragged=getattr(layer, "ragged", False),
                name=layer.name,
            )
            for layer in model._input_layers
        ]
    given = nest.flatten(input_tensors)
    for tensor in given:
        _check_tensor(tensor)
    count = len(model._input_layers)
    if len(given) != count:
        # 1.15 looks for the layer of each tensor that is no input yet, and then packs them in the model's structure.
        new = any(not _is_keras_tensor(t) and all(t is not known for known in given[:count]) for t in given[count:])
        kind = AssertionError if len(given) < count else IndexError if new else ValueError
        raise kind(f"clone_model: the model {model.name} has {count} inputs, got {len(given)} `input_tensors`.")
    return [
        tensor if _is_keras_tensor(tensor) else Input(tensor=tensor, name=f"input_wrapper_for_{layer.name}")
        for layer, tensor in zip(model._input_layers, given)
    ]


def _check_tensor(value: object) -> None:
    if not hasattr(value, "dtype") or isinstance(value, (np.ndarray, np.generic)):
        raise ValueError(f"clone_model: input_tensors are tensors, got {value!r} of {type(value)}.")


class _Copying:
    """A graph of layers that is made again, call by call.

    Args:
        layer_fn: makes a layer from one of the model.
    """

    def __init__(self, layer_fn: Cloner) -> None:
        self.layer_fn = layer_fn
        self.layers: dict[int, Any] = {}
        self.tensors: dict[int, Any] = {}

    def copy(self, node: Any) -> Any:
        """Makes a call again, with the layer's copy; returns the new call, or None for an input."""
        layer = node.outbound_layer
        outputs = nest.flatten(node.output_tensors)
        if all(id(tensor) in self.tensors for tensor in outputs) or isinstance(layer, InputLayer):
            return None
        if id(layer) not in self.layers:
            self.layers[id(layer)] = self.layer_fn(layer)
        new = self.layers[id(layer)]
        taken = nest.map_structure(lambda tensor: self.tensors[id(tensor)], node.input_tensors)
        if isinstance(taken, list) and len(taken) == 1:
            taken = taken[0]
        arguments = dict(node.arguments or {})
        if is_learning_phase(arguments.get("training")):
            del arguments["training"]
        arguments = nest.map_structure(
            lambda value: self.tensors.get(id(value), value) if isinstance(value, Tensor) else value, arguments
        )
        made = nest.flatten(new(taken, **arguments))
        self.tensors.update(zip((id(tensor) for tensor in outputs), made))
        return new.inbound_nodes[-1]


def _clone_functional_model(model: Any, input_tensors: Any = None, layer_fn: Cloner = _clone_layer) -> Any:
    if not isinstance(model, Model):
        raise ValueError("Expected `model` argument to be a `Model` instance, got ", model)
    if isinstance(model, Sequential):
        raise ValueError(
            "Expected `model` argument to be a functional `Model` instance, got a `Sequential` instance instead:", model
        )
    if not model._is_graph_network:
        raise ValueError(
            "Expected `model` argument to be a functional `Model` instance, but got a subclass model instead."
        )
    if not callable(layer_fn):
        raise ValueError("Expected `layer_fn` argument to be a callable.")
    copying = _Copying(layer_fn)
    inputs = _new_inputs(model, input_tensors)
    copying.tensors.update(zip((id(tensor) for tensor in model.inputs), inputs))
    nodes: list[Any] = []
    for depth in sorted(model._nodes_by_depth, reverse=True):
        nodes.extend(copying.copy(node) for node in model._nodes_by_depth[depth])
    new_inputs = nest.pack_sequence_as(model._nested_inputs, inputs)
    outputs = nest.map_structure(lambda tensor: copying.tensors[id(tensor)], model._nested_outputs)
    clone = Model(new_inputs, outputs, name=model.name)
    _insert_ancillary_layers(clone, [node for node in nodes if node is not None])
    return clone


def _insert_ancillary_layers(model: Any, nodes: list[Any]) -> None:
    """Makes those calls a part of a copy that no output depends on: losses and metrics, and what they are made of."""
    known = {id(node) for there in model._nodes_by_depth.values() for node in there}
    missing = [node for node in nodes if id(node) not in known]
    if missing:
        layers: dict[int, Layer] = {id(node.outbound_layer): node.outbound_layer for node in missing}
        model._insert_layers(list(layers.values()), missing)


def _clone_sequential_model(model: Any, input_tensors: Any = None, layer_fn: Cloner = _clone_layer) -> Any:
    if not isinstance(model, Sequential):
        raise ValueError("Expected `model` argument to be a `Sequential` model instance, but got:", model)
    if not callable(layer_fn):
        raise ValueError("Expected `layer_fn` argument to be a callable.")
    # Operations that losses and metrics are made of are layers too, and no part of the sequence.
    line = {id(layer) for layer in _line_of(model)} if model._is_graph_network else None
    layers = [layer_fn(layer) for layer in model.layers if line is None or id(layer) in line]
    if input_tensors is None:
        first = model._layer_list[0] if model._layer_list else None
        if isinstance(first, InputLayer):
            layers = [_clone_layer(first), *layers]
        clone = Sequential(layers=layers, name=model.name)
    else:
        given = nest.flatten(input_tensors)
        if len(given) != 1:
            raise ValueError("To clone a `Sequential` model, we expect  at most one tensor as part of `input_tensors`.")
        tensor = given[0]
        _check_tensor(tensor)
        if not _is_keras_tensor(tensor):
            tensor = Input(tensor=tensor, name=f"input_wrapper_for_{tensor.name}")
        origin = tensor._keras_history.layer
        if not isinstance(origin, InputLayer):
            raise ValueError(
                "Cannot clone a `Sequential` model on top of a tensor that comes from a Keras layer other than an "
                "`InputLayer`. Use the functional API instead."
            )
        clone = Sequential(layers=[origin, *layers], name=model.name)
    _insert_sequential_additions(model, clone, layer_fn)
    return clone


def _insert_sequential_additions(model: Any, clone: Any, layer_fn: Cloner) -> None:
    """Copies the losses and metrics that were added to a `Sequential` model from outside."""
    if not (model._is_graph_network and clone._is_graph_network):
        return
    own = {id(layer) for layer in _line_of(model)}
    extra = [layer for layer in model._layer_list if id(layer) not in own]
    if not extra:
        return
    copying = _Copying(layer_fn)
    copying.tensors.update(zip((id(tensor) for tensor in model.inputs), clone.inputs))
    for node, made in zip(_calls_of(model), _calls_of(clone)):
        for old, new in zip(nest.flatten(node.output_tensors), nest.flatten(made.output_tensors)):
            copying.tensors[id(old)] = new
    nodes = [copying.copy(node) for layer in extra for node in layer.inbound_nodes]
    _insert_ancillary_layers(clone, [node for node in nodes if node is not None])


def _calls_of(model: Any) -> list[Any]:
    """The calls that the output of a `Sequential` model is computed by; a model in it has one of its own besides."""
    found = []
    tensor = model.outputs[0] if model.outputs else None
    while tensor is not None:
        history = tensor._keras_history
        node = history.layer.inbound_nodes[history.node_index]
        found.append(node)
        tensor = nest.flatten(node.input_tensors)[0] if node.inbound_layers else None
    return found[::-1]


def _line_of(model: Any) -> list[Any]:
    """The layers of a `Sequential` model that its output is computed by."""
    return [node.outbound_layer for node in _calls_of(model)]


# ---- copies that are compiled as well ----


def clone_and_build_model(
    model: Any,
    input_tensors: Any = None,
    target_tensors: Any = None,
    custom_objects: dict[str, Any] | None = None,
    compile_clone: bool = True,
    in_place_reset: bool = False,
    optimizer_iterations: Any = None,
    optimizer_config: dict[str, Any] | None = None,
) -> Any:
    """A copy of a model with new weights, compiled as the model is.

    Args:
        model: the model.
        input_tensors: tensors for the copy to take in the place of new placeholders.
        target_tensors: tensors for the copy to train on.
        custom_objects: classes and functions by the names they have in settings.
        compile_clone: whether to compile it.
        in_place_reset: whether a model that a program wrote as a class may get new layers itself, as it cannot be copied.
        optimizer_iterations: the variable that counts the steps of its optimizer.
        optimizer_config: the settings of its optimizer; those of the model's by default.

    Returns:
        the copy; the model itself where it was reset.

    Raises:
        ValueError: if the model is not compiled, or cannot be copied.
    """
    optimizer = model.optimizer
    if compile_clone and not optimizer:
        raise ValueError(
            "Error when cloning model: compile_clone was set to True, but the original model has not been compiled."
        )
    arguments = _compile_arguments(model) if compile_clone else {}
    with CustomObjectScope(custom_objects or {}):
        if model._is_graph_network:
            clone = clone_model(model, input_tensors=input_tensors)
        elif isinstance(model, Sequential):
            clone = _clone_sequential_model(model, input_tensors=input_tensors)
            if input_tensors is None and model._build_input_shape is not None:
                with get_graph().as_default():
                    inputs = placeholder(backend_config.floatx(), model._build_input_shape)
                clone._set_inputs(inputs)
        elif not in_place_reset:
            raise ValueError(
                "This model is a subclassed model. Such a model cannot be cloned, but there is a workaround where the model is "
                "reset in-place. To use this, please set the argument `in_place_reset` to `True`. This will reset the attributes "
                "in the original model. To restore the attributes, call "
                "`in_place_subclassed_model_state_restoration(model)`."
            )
        else:
            clone = model
            _in_place_subclassed_model_reset(clone)
            if input_tensors is not None:
                flat = nest.flatten(input_tensors)
                clone._set_inputs(flat[0] if len(flat) == 1 else input_tensors, as_given=True)
    if compile_clone:
        made = _optimizer_as(optimizer, optimizer_config, optimizer_iterations)
        # A copy that an estimator's replica makes is that replica's own: only while it is compiled is it told, as a model that
        # was reset in place is the program's.
        clone._of_one_replica = has_strategy() and not in_cross_replica_context()
        try:
            clone.compile(made, target_tensors=target_tensors, **arguments)
        finally:
            clone._of_one_replica = False
    return clone


def _compile_arguments(model: Any) -> dict[str, Any]:
    """What a model was compiled with, its optimizer left out."""
    return {
        "loss": model.loss,
        "metrics": _cloned(model._compile_metrics) if model._compile_metrics else [],
        "loss_weights": model.loss_weights,
        "sample_weight_mode": model.sample_weight_mode,
        "weighted_metrics": _cloned(model._compile_weighted_metrics),
    }


def _cloned(metrics: Any) -> Any:
    """Other metrics of the same settings, as the variables of these lie in the graph of the model."""
    if isinstance(metrics, dict):
        return {name: _cloned(each) for name, each in metrics.items()}
    if isinstance(metrics, (list, tuple)):
        return [_cloned(each) for each in metrics]
    return clone_metric(metrics)


def _optimizer_as(optimizer: Any, config: dict[str, Any] | None, iterations: Any) -> Any:
    """Another optimizer of the same settings."""
    if isinstance(optimizer, TFOptimizer):
        wrapped = TFOptimizer(optimizer.optimizer, iterations)
        track_tf_optimizer(wrapped)
        return wrapped
    made = type(optimizer).from_config(config or optimizer.get_config())
    if iterations is not None:
        made.iterations = iterations
    return made


def _in_place_subclassed_model_reset(model: Any) -> None:
    """Gives a model that a program wrote as a class new layers, and keeps the old ones for later.

    Raises:
        ValueError: if its layers are in lists or the like.
    """
    if isinstance(model, Sequential) or model._is_graph_network:
        raise ValueError("The model is no model that was written as a class.")
    kept: dict[str, Any] = {}
    names = {id(layer): layer for layer in model._layers}
    for name, value in list(vars(model).items()):
        if isinstance(value, Layer) and id(value) in names:
            kept[name] = value
        elif isinstance(value, (list, tuple)) and any(isinstance(item, Layer) for item in value):
            if name.startswith("_"):
                continue
            raise ValueError(
                "We do not support the use of list-of-layers attributes in subclassed models used with `model_to_estimator` at "
                f"this time. Found list model: {model.name}, attribute: {name}"
            )
    for name, layer in kept.items():
        if isinstance(layer, Model) and not layer._is_graph_network:
            raise ValueError(
                "We do not support the use of nested subclassed models in `model_to_estimator` at this time. Found nested "
                f"model: {layer}"
            )
        setattr(model, name, _clone_layer(layer))
    for name in _TRAINING_STATE:
        if name in vars(model):
            kept[name] = vars(model)[name]
            object.__setattr__(model, name, None)
    _reset_build_compile_trackers(model)
    if not hasattr(model, "_original_attributes_cache"):
        object.__setattr__(model, "_original_attributes_cache", kept)


# What compiling and building leave in a model.
_TRAINING_STATE = (
    "inputs", "outputs", "optimizer", "loss", "total_loss", "train_function", "test_function", "predict_function",
    "_feed_inputs", "_feed_input_names", "input_names", "output_names",
)  # fmt: skip


def _reset_build_compile_trackers(model: Any) -> None:
    """Makes a model one that has been neither built nor compiled."""
    model.built = False
    model.inputs = None
    model.outputs = None
    model._is_compiled = False
    model.optimizer = None


def in_place_subclassed_model_state_restoration(model: Any) -> None:
    """Gives a model back the layers that `clone_and_build_model` replaced.

    Args:
        model: the model.
    """
    kept = getattr(model, "_original_attributes_cache", None)
    if kept is None:
        _reset_build_compile_trackers(model)
        return
    for name, value in kept.items():
        if isinstance(value, Layer):
            setattr(model, name, value)
        else:
            object.__setattr__(model, name, value)
    model.built = bool(model.inputs)
    del model._original_attributes_cache
