"""`tf.keras.experimental.export_saved_model` and `load_from_saved_model`: a graph each for training, evaluation, serving."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from headrace.checkpoints.object_graph import described, objects_below
from headrace.checkpoints.saver import Saver
from headrace.core.collections import GraphKeys
from headrace.core.defaults import add_to_collection, control_dependencies, get_collection
from headrace.core.eager import executing_eagerly
from headrace.core.graph import Graph
from headrace.core.serialization import get_json_type
from headrace.files import file_io
from headrace.files.paths import as_path
from headrace.keras.backend.learning import set_learning_phase
from headrace.keras.backend.sessions import get_session
from headrace.keras.models import clone_model
from headrace.keras.saving import model_config, network_weights, saving_utils
from headrace.keras.utils.generic_utils import CustomObjectScope
from headrace.messages import protos
from headrace.ops.array.constant import constant
from headrace.saved_model import folders, names, objects_writing, signatures
from headrace.saved_model.writing import SavedModelBuilder
from headrace.state.collecting import local_variables_initializer
from headrace.util import tf_logging as logging

if TYPE_CHECKING:
    from headrace.core.operation import Operation

_JSON = "saved_model.json"


def export_saved_model(
    model: Any,
    saved_model_path: str | os.PathLike[str],
    custom_objects: Mapping[str, Any] | None = None,
    as_text: bool = False,
    input_signature: Any = None,
    serving_only: bool = False,
) -> None:
    """Writes a model as a SavedModel with a graph for each of training, evaluation and serving, and its JSON.

    Args:
        model: the model; with all graphs it must be a Sequential or functional one.
        saved_model_path: a folder that is empty or not there.
        custom_objects: classes of the program's own by name.
        as_text: whether the description is written as text.
        input_signature: what the model is called with, with `serving_only`.
        serving_only: whether to write the graph for serving alone.

    Raises:
        NotImplementedError: for a model that is Python code, unless `serving_only`.
        ValueError: for `input_signature` without `serving_only`, or a Sequential model that is not built.
        AssertionError: if the folder has something in it.

    Example:
        >>> tf.keras.experimental.export_saved_model(model, "exported")
        >>> again = tf.keras.experimental.load_from_saved_model("exported")
    """
    folder = as_path(saved_model_path)
    if serving_only:
        served = saving_utils.trace_model_call(model, input_signature)
        if executing_eagerly():
            objects_writing.save(model, folder, served)
        else:
            with get_session().as_default():
                objects_writing.save(model, folder, served)
    else:
        if not model._is_graph_network:
            if type(model).__name__ == "Sequential":
                raise ValueError(
                    "A Sequential model must be built before it is exported: call model.build(input_shape) or fit it."
                )
            raise NotImplementedError(
                "Subclassed models can only be exported for serving. Please set argument serving_only=True."
            )
        if input_signature is not None:
            raise ValueError("input_signature is for serving_only=True; the graphs have the inputs of the model.")
        with CustomObjectScope(dict(custom_objects or {})):
            _export_all(model, folder, as_text)
    try:
        text = model.to_json()
    except NotImplementedError:
        logging.warning("Skipped saving model JSON, subclassed model does not have get_config() defined.")
        return
    file_io.write_string_to_file(os.path.join(folders.get_or_create_assets_dir(folder), _JSON), text)


def load_from_saved_model(
    saved_model_path: str | os.PathLike[str], custom_objects: Mapping[str, Any] | None = None
) -> Any:
    """The model that `export_saved_model` wrote, not compiled.

    Args:
        saved_model_path: the folder.
        custom_objects: classes of the program's own by name.

    Raises:
        NotFoundError: if there is none.
    """
    folder = as_path(saved_model_path)
    text = file_io.read_file_to_string(os.path.join(folders.get_assets_dir(folder), _JSON))
    model = model_config.model_from_json(text, None if custom_objects is None else dict(custom_objects))
    network_weights.load_weights(model, folders.get_variables_path(folder)).expect_partial()
    return model


def _export_all(model: Any, folder: str, as_text: bool) -> None:
    builder = SavedModelBuilder(folder)
    if model.optimizer is not None and not executing_eagerly():
        # What the optimizer keeps is in the graph for training: it must be in the checkpoint before the first step too.
        model._make_train_function()
    folders.get_or_create_variables_dir(folder)
    # By the names of objects; the graphs' savers have the same keys.
    network_weights.save_weights(model, folders.get_variables_path(folder), save_format="tf")
    builder._has_saved_variables = True
    training = saving_utils.model_metadata(model, include_optimizer=True).get("training_config")
    if training is not None:
        # As it comes back from a file: the graphs have metrics and an optimizer of their own.
        training = json.loads(json.dumps(training, default=get_json_type))
        for mode in (names.TRAINING, names.EVAL):
            _export_mode(builder, model, mode, training)
    else:
        logging.warning(
            "Model was compiled with an optimizer that cannot be saved, or not at all: serving only is exported."
        )
    _export_mode(builder, model, names.SERVING, None)
    builder.save(as_text)


def _export_mode(builder: SavedModelBuilder, model: Any, mode: str, training: dict[str, Any] | None) -> None:
    with Graph().as_default():
        set_learning_phase(1 if mode == names.TRAINING else 0)
        clone = clone_model(model)
        train_op: Operation | None = None
        if training is not None:
            clone.compile(**saving_utils.compile_args_from_training_config(training))
            if mode == names.TRAINING:
                clone._make_train_function()
                train_op = clone.train_function.updates_op
            else:
                clone._make_test_function()
        for metric in clone.metrics if training is not None else ():
            for variable in metric.variables:
                # Not in the checkpoint: they begin anew when the graph is loaded.
                if variable not in get_collection(GraphKeys.LOCAL_VARIABLES):
                    add_to_collection(GraphKeys.LOCAL_VARIABLES, variable)
        found = {saveable.name: saveable.op for saveable in described(objects_below(clone))[1]}
        builder.add_meta_graph(
            [mode],
            _signatures(clone, mode),
            saver=Saver(found, sharded=True, write_version=protos.SaverDef.V2, allow_empty=True),
            main_op=local_variables_initializer(),
        )
        if train_op is not None:
            key = names.TRAIN_OP_SIGNATURE_KEY
            described_op = builder._saved_model.meta_graphs[-1].signature_def[key].outputs[key]
            described_op.name, described_op.tensor_shape.unknown_rank = train_op.name, True


def _signatures(model: Any, mode: str) -> dict[str, Any]:
    inputs = dict(zip(model.input_names, model.inputs, strict=True))
    outputs = dict(zip(model.output_names, model.outputs, strict=True))
    if mode == names.SERVING:
        return {names.DEFAULT_SERVING_SIGNATURE_DEF_KEY: signatures.predict_signature_def(inputs, outputs)}
    targets = {tensor.op.name: tensor for tensor in model._feed_targets}
    metrics: dict[str, Any] = {}
    for metric in model.metrics:
        metrics[f"metrics/{metric.name}/value"] = metric.result()
        if metric.updates:
            # Signatures name tensors: one that waits for the operation.
            with control_dependencies(metric.updates[:1]):
                metrics[f"metrics/{metric.name}/update_op"] = constant([], name="metric_op_wrapper")
    method = names.SUPERVISED_TRAIN_METHOD_NAME if mode == names.TRAINING else names.SUPERVISED_EVAL_METHOD_NAME
    predictions = {f"predictions/{name}": tensor for name, tensor in outputs.items()}
    made = signatures.supervised_signature_def(
        method, {**inputs, **targets}, {"loss": model.total_loss}, predictions, metrics
    )
    return {mode: made}
