"""Writing the model of an estimator as a SavedModel."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from headrace.checkpoints.checkpoint_state import latest_checkpoint
from headrace.checkpoints.saver import Saver
from headrace.core.collections import GraphKeys
from headrace.core.defaults import add_to_collection, device, get_collection
from headrace.core.errors import NotFoundError
from headrace.core.graph import Graph
from headrace.core.random_seed import set_random_seed
from headrace.estimator.export.export import build_all_signature_defs
from headrace.estimator.mode_keys import ModeKeys
from headrace.estimator.model_fn import EstimatorSpec
from headrace.estimator.util import get_timestamped_dir, removed
from headrace.files import file_io
from headrace.files.paths import as_path
from headrace.runtime.session import Session
from headrace.saved_model import names
from headrace.saved_model.export_output import EvalOutput, ExportOutput, TrainOutput
from headrace.saved_model.writing import SavedModelBuilder
from headrace.sessions.scaffold import Scaffold

if TYPE_CHECKING:
    from headrace.estimator.estimator import Estimator

# In the order in which they are written.
EXPORT_TAGS = {ModeKeys.TRAIN: names.TRAINING, ModeKeys.EVAL: names.EVAL, ModeKeys.PREDICT: names.SERVING}
# The same by the modes' names of estimators and of Keras, each as a list of tags.
EXPORT_TAG_MAP = {
    **{mode: [tag] for mode, tag in EXPORT_TAGS.items()},
    "test": [names.EVAL],
    "predict": [names.SERVING],
}


def export_all(
    estimator: Estimator,
    export_dir_base: str | bytes,
    receivers: Mapping[str, Callable[[], Any]],
    assets_extra: Mapping[str, str] | None,
    as_text: bool,
    checkpoint_path: str | None,
    strip_default_attrs: bool,
) -> bytes:
    """`Estimator.experimental_export_all_saved_models`; arguments as there.

    Args:
        strip_default_attrs: whether to leave out attributes with their default values.
    """
    path = checkpoint_path or latest_checkpoint(estimator.model_dir) or estimator._first_checkpoint()
    if not path:
        raise ValueError(f"Couldn't find trained model at {estimator.model_dir}.")
    modes = [mode for mode in EXPORT_TAGS if receivers.get(mode)]
    if not modes:
        raise ValueError("No valid modes for exporting found. Got " + str(list(receivers)) + ".")
    export_dir = get_timestamped_dir(os.fsencode(as_path(export_dir_base)))
    final = os.fsdecode(export_dir)
    # Readers look for folders named by a number, and shall not find this one before it is whole.
    unfinished = os.path.join(os.path.dirname(final), f"temp-{os.path.basename(final)}")
    builder = SavedModelBuilder(unfinished)
    try:
        for mode in modes:
            _add(estimator, builder, receivers[mode], mode, path, mode == modes[0], strip_default_attrs)
        builder.save(as_text)
        for inside, source in (assets_extra or {}).items():
            target = os.path.join(unfinished, "assets.extra", inside)
            file_io.recursive_create_dir(os.path.dirname(target))
            file_io.copy(as_path(source), target)
        file_io.rename(unfinished, final)
    except BaseException:
        removed(unfinished)
        raise
    return export_dir


def _add(
    estimator: Estimator,
    builder: SavedModelBuilder,
    receiver_fn: Callable[[], Any],
    mode: str,
    checkpoint_path: str,
    with_variables: bool,
    strip_default_attrs: bool,
) -> None:
    """Adds the graph of a mode, and with the first of them the values of the variables."""
    with Graph().as_default() as graph, device(None):
        estimator._create_and_assert_global_step(graph)
        set_random_seed(estimator._config.tf_random_seed)
        receiver = receiver_fn()
        spec = estimator._call_model_fn(receiver.features, getattr(receiver, "labels", None), mode, estimator.config)
        outputs = export_outputs_of(spec)
        if spec.train_op is not None:
            add_to_collection(names.TRAIN_OP_KEY, spec.train_op)
        signatures = build_all_signature_defs(
            receiver.receiver_tensors,
            outputs,
            getattr(receiver, "receiver_tensors_alternatives", None),
            serving_only=mode == ModeKeys.PREDICT,
        )
        with Session(config=estimator._session_config) as session:
            main_op = spec.scaffold.local_init_op or Scaffold.default_local_init_op()
            saver = spec.scaffold.saver or Saver(sharded=True)
            try:
                saver.restore(session, checkpoint_path)
            except NotFoundError as error:
                raise ValueError(
                    "Could not load all requested variables from checkpoint. Please make sure your model_fn does not expect "
                    f"variables that were not saved in the checkpoint.\n\nEncountered error with mode `{mode}` while "
                    f"restoring checkpoint from: `{checkpoint_path}`. Full error:\n\n{error}"
                ) from error
            settings: dict[str, Any] = {
                "tags": [EXPORT_TAGS[mode]],
                "signature_def_map": signatures,
                "assets_collection": get_collection(GraphKeys.ASSET_FILEPATHS),
                "main_op": main_op,
                "saver": saver,
                "strip_default_attrs": strip_default_attrs,
            }
            if with_variables:
                builder.add_meta_graph_and_variables(session, **settings)
            else:
                builder.add_meta_graph(**settings)


def export_outputs_of(spec: EstimatorSpec) -> Mapping[str, ExportOutput]:
    """What a model gives in its mode where it is exported.

    Raises:
        ValueError: if a model function gave none to be served.
    """
    if spec.mode == ModeKeys.TRAIN:
        return {spec.mode: TrainOutput(spec.loss, _some(spec.predictions), spec.eval_metric_ops or None)}
    if spec.mode == ModeKeys.EVAL:
        return {spec.mode: EvalOutput(spec.loss, _some(spec.predictions), spec.eval_metric_ops or None)}
    if not spec.export_outputs:
        raise ValueError("export_outputs must be a dict of `ExportOutput`s, so that the model can be served.")
    return spec.export_outputs


def _some(predictions: Any) -> Any:
    """Predictions, or None where a spec has none."""
    return None if isinstance(predictions, Mapping) and not predictions else predictions
