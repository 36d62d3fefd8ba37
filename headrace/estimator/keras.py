"""`model_to_estimator`: an estimator whose model is a compiled one of Keras."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from headrace.checkpoints.checkpoint_state import latest_checkpoint
from headrace.checkpoints.object_graph import OBJECT_GRAPH_KEY, described, objects_below
from headrace.checkpoints.saveables import NoRestoreSaveable
from headrace.checkpoints.saver import Saver
from headrace.core import nest
from headrace.core.composite import convert_to_tensor_or_sparse_tensor
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import get_default_graph
from headrace.core.framework_ops import executing_eagerly_outside_functions
from headrace.core.graph import Graph
from headrace.core.random_seed import set_random_seed
from headrace.core.tensor import Tensor
from headrace.estimator.arguments import with_model_dir_and_session_config
from headrace.estimator.estimator import Estimator
from headrace.estimator.heads.keys import DEFAULT_SERVING_KEY
from headrace.estimator.mode_keys import ModeKeys
from headrace.estimator.model_fn import EstimatorSpec
from headrace.files.file_io import recursive_create_dir
from headrace.keras import models
from headrace.keras.backend.learning import set_learning_phase
from headrace.keras.backend.sessions import set_session
from headrace.keras.engine.training_input_checks import standardize_sample_weights
from headrace.keras.optimizers.update_lists import TFOptimizer
from headrace.keras.saving.save import load_model
from headrace.keras.saving.saving_utils import extract_model_metrics
from headrace.layers.values import of_graph
from headrace.ops.array.constant import constant
from headrace.ops.math.cast import cast
from headrace.runtime.session import Session
from headrace.saved_model.export_output import PredictOutput
from headrace.sessions.scaffold import Scaffold
from headrace.state.collecting import global_variables_initializer
from headrace.state.global_step import create_global_step, get_or_create_global_step
from headrace.util import tf_logging

if TYPE_CHECKING:
    from headrace.estimator.run_config import RunConfig

Objects = dict[str, Any] | None


def model_to_estimator(
    keras_model: Any = None,
    keras_model_path: str | None = None,
    custom_objects: Objects = None,
    model_dir: str | None = None,
    config: RunConfig | None = None,
    checkpoint_format: str = "saver",
) -> Estimator:
    """An estimator that trains, evaluates and exports a compiled model.

    Args:
        keras_model: the model; or
        keras_model_path: the file that it was saved to.
        custom_objects: classes and functions by the names they have in the model's settings.
        model_dir: the folder of checkpoints and summaries.
        config: a `RunConfig`.
        checkpoint_format: "saver": variables by name; "checkpoint": objects, as `Model.save_weights` writes them.

    Returns:
        an estimator whose features are the model's inputs, by name or in order. It begins with the weights of a model
        that was used, trained or loaded before; with new ones, of the seed of `config`, where they had no values yet.

    Raises:
        ValueError: without a model or with two, or if it is not compiled; for another format.

    Example:
        >>> model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(4,), name="y")])
        >>> model.compile("adam", "mse")
        >>> estimator = tf.keras.estimator.model_to_estimator(model)
    """
    if checkpoint_format not in (None, "saver", "checkpoint"):
        raise ValueError(f'Checkpoint format must be one of "checkpoint" or "saver". Got {checkpoint_format}')
    model = _given_model(keras_model, keras_model_path, custom_objects)
    config = with_model_dir_and_session_config(config, model_dir)
    if config.session_config is not None and of_graph(get_default_graph()).session is None:
        # What the program does with the model itself runs in a session of the same settings.
        set_session(Session(config=config.session_config))
    # A learning rate that was set after `compile` counts; it is read in the model's own graph.
    optimizer_config = None if isinstance(model.optimizer, TFOptimizer) else model.optimizer.get_config()
    begin_from: str | None = None
    by_object = checkpoint_format == "checkpoint" and model._is_graph_network
    if model._is_graph_network:
        begin_from = _save_first_checkpoint(model, custom_objects, config, optimizer_config, by_object)
    elif model.built:
        tf_logging.warning(
            "The weights of a model that is a subclass of Model are not taken over: its estimator begins with new ones."
        )
    model_fn = create_keras_model_fn(model, custom_objects, by_object, optimizer_config)
    return Estimator(model_fn, config=config, warm_start_from=begin_from)


def model_to_estimator_v2(
    keras_model: Any = None,
    keras_model_path: str | None = None,
    custom_objects: Objects = None,
    model_dir: str | None = None,
    config: RunConfig | None = None,
    checkpoint_format: str = "checkpoint",
) -> Estimator:
    """An estimator of a compiled model whose checkpoints are of objects: `model_to_estimator` as TensorFlow 2 has it.

    Args:
        keras_model, keras_model_path, custom_objects, model_dir, config: as of `model_to_estimator`.
        checkpoint_format: "checkpoint": objects; "saver": variables by name.

    Returns:
        the estimator.

    Example:
        >>> model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(4,), name="y")])
        >>> model.compile("adam", "mse")
        >>> estimator = tf.compat.v2.keras.estimator.model_to_estimator(model)
    """
    return model_to_estimator(keras_model, keras_model_path, custom_objects, model_dir, config, checkpoint_format)


def _given_model(keras_model: Any, path: str | None, custom_objects: Objects) -> Any:
    if not (keras_model or path):
        raise ValueError("Either `keras_model` or `keras_model_path` needs to be provided.")
    if keras_model and path:
        raise ValueError("Please specify either `keras_model` or `keras_model_path`, but not both.")
    if not keras_model:
        assert path is not None
        tf_logging.info("Loading models from %s", path)
        keras_model = load_model(path, custom_objects)
    if not getattr(keras_model, "optimizer", None):
        raise ValueError(
            "The given keras model has not been compiled yet. Please compile the model with `model.compile()` before "
            "calling `model_to_estimator()`."
        )
    return keras_model


# ---- features and labels ----


def _as_inputs(given: Any, names: list[str], what: str) -> list[Any] | None:
    """Tensors in the order of the model's inputs or outputs.

    Raises:
        KeyError: if names are missing; ValueError: for another number of them.
    """
    if given is None:
        return None
    if isinstance(given, Mapping):
        if set(names) - set(given):
            raise KeyError(
                f"The dictionary passed into {what} does not have the expected {what} keys defined in the keras model.\n"
                f"\tExpected keys: {set(names)}\n\t{what} keys: {set(given)}\n\tDifference: {set(names) ^ set(given)}"
            )
        tensors = [given[name] for name in names]
    else:
        tensors = nest.flatten(given)
    if len(tensors) != len(names):
        raise ValueError(
            f"Mismatch between number of {what} tensors and those of the keras model: expected {len(names)}, {names}, "
            f"got {len(tensors)}."
        )
    return [convert_to_tensor_or_sparse_tensor(tensor) for tensor in tensors]


def _as_type(tensor: Any, like: Any) -> Any:
    if not isinstance(tensor, Tensor) or tensor.dtype == like.dtype or tensor.dtype.name == "string":
        return tensor
    return cast(tensor, like.dtype)


def _clone(model: Any, mode: str, custom_objects: Objects, features: Any, labels: Any, optimizer_config: Any) -> Any:
    """A copy of a model, on the tensors of a batch."""
    set_learning_phase(int(mode == ModeKeys.TRAIN))
    weights: Any = None
    if isinstance(features, Mapping) and set(features) == {"features", "sample_weights"}:
        features, weights = features["features"], features["sample_weights"]
    inputs, targets = features, None
    if features is not None:
        names = model.input_names if model._is_graph_network else None
        if names is not None:
            inputs = _as_inputs(features, names, "features") or []
            inputs = [_as_type(tensor, like) for tensor, like in zip(inputs, model.inputs, strict=True)]
    if labels is not None and mode != ModeKeys.PREDICT:
        if model._is_graph_network:
            targets = _as_inputs(labels, model.output_names, "labels")
        else:
            targets = nest.flatten(labels)
    compiled = mode != ModeKeys.PREDICT
    copy = models.clone_and_build_model(
        model,
        inputs,
        targets,
        custom_objects,
        compile_clone=compiled,
        in_place_reset=not model._is_graph_network,
        optimizer_iterations=get_or_create_global_step() if compiled else None,
        optimizer_config=optimizer_config,
    )
    if compiled and weights is not None:
        given = [
            None if each is None else convert_to_tensor(each)
            for each in standardize_sample_weights(weights, copy.output_names)
        ]
        copy._compile_weights_loss_and_weighted_metrics(sample_weights=given)
    return copy


def _object_saver(model: Any) -> Saver:
    """A saver of a model's objects, whose files `Model.load_weights` reads."""
    step = get_or_create_global_step()
    below = objects_below(model, lambda item: [("estimator_global_step", step)] if item is model else [])
    message, saveables, _ = described(below)
    text = constant(message.SerializeToString(deterministic=True))
    return Saver([*saveables, NoRestoreSaveable(text, OBJECT_GRAPH_KEY)], sharded=True)


def create_keras_model_fn(
    model: Any, custom_objects: Objects = None, save_object_ckpt: bool = False, optimizer_config: Any = None
) -> Callable[..., EstimatorSpec]:
    """The `model_fn` of an estimator that trains copies of a compiled model.

    Args:
        model: the model.
        custom_objects: classes and functions by the names they have in the model's settings.
        save_object_ckpt: whether checkpoints are of objects rather than of variables by name.
        optimizer_config: the settings of the optimizer; those of the model's by default.
    """

    def model_fn(features: Any, labels: Any, mode: str) -> EstimatorSpec:
        copy = _clone(model, mode, custom_objects, features, labels, optimizer_config)
        predictions = dict(zip(copy.output_names, copy.outputs, strict=True))
        loss: Any = None
        train_op: Any = None
        metrics: dict[str, Any] | None = None
        if mode != ModeKeys.PREDICT:
            loss = copy.total_loss
        if mode == ModeKeys.TRAIN:
            copy._make_train_function()
            train_op = copy.train_function.updates_op
        if mode == ModeKeys.EVAL:
            copy._make_test_function()
        if mode != ModeKeys.PREDICT:
            # Those of `compile`, without what layers added by `add_metric`.
            metrics = extract_model_metrics(copy)
        if not model._is_graph_network:
            models.in_place_subclassed_model_state_restoration(model)
        return EstimatorSpec(
            mode,
            scaffold=Scaffold(saver=_object_saver(copy)) if save_object_ckpt else None,
            predictions=predictions,
            loss=loss,
            train_op=train_op,
            eval_metric_ops=metrics,
            export_outputs={DEFAULT_SERVING_KEY: PredictOutput(predictions)},
        )

    return model_fn


def _has_values(model: Any) -> bool:
    """Whether a variable of a model has been given a value: else those of the estimator come from its own seed."""
    if executing_eagerly_outside_functions():
        return True
    return any(hasattr(weight, "_keras_initialized") for layer in model.layers for weight in layer.weights)


def _save_first_checkpoint(
    model: Any, custom_objects: Objects, config: RunConfig, optimizer_config: Any, by_object: bool
) -> str:
    """Writes the weights of a model to the folder `keras` of the estimator's, from which it begins.

    Returns:
        the path of the checkpoint.
    """
    assert config.model_dir is not None  # it was set above
    folder = os.path.join(config.model_dir, "keras")
    found = latest_checkpoint(folder)
    if found:
        return found
    weights = model.get_weights() if _has_values(model) else None
    with Graph().as_default():
        set_random_seed(config.tf_random_seed)
        create_global_step()
        copy = _clone(model, ModeKeys.TRAIN, custom_objects, None, None, optimizer_config)
        with Session(config=config.session_config) as session:
            set_session(session)
            copy._make_train_function()
            session.run(global_variables_initializer())
            if weights is not None:
                copy.set_weights(weights)
            recursive_create_dir(folder)
            path = os.path.join(folder, "keras_model.ckpt")
            saver = _object_saver(copy) if by_object else Saver()
            saver.save(session, path)
            return path
