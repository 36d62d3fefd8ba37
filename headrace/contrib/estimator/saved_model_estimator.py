"""Estimators whose model is a SavedModel."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from headrace.checkpoints.meta_graphs import import_meta_graph
from headrace.core.composite import SparseTensor
from headrace.core.defaults import device, get_collection, get_default_graph
from headrace.core.dtypes import as_dtype
from headrace.core.graph import Graph
from headrace.core.random_seed import set_random_seed
from headrace.core.shapes import TensorShape
from headrace.estimator.estimator import Estimator
from headrace.estimator.exporting import EXPORT_TAGS
from headrace.estimator.mode_keys import ModeKeys
from headrace.estimator.model_fn import EstimatorSpec
from headrace.ops.flow.grouping import group
from headrace.saved_model import names
from headrace.saved_model.export_output import (
    ClassificationOutput,
    EvalOutput,
    ExportOutput,
    PredictOutput,
    RegressionOutput,
)
from headrace.saved_model.loading import SavedModelLoader
from headrace.saved_model.signatures import get_tensor_from_tensor_info
from headrace.sessions.scaffold import Scaffold
from headrace.state.global_step import get_global_step

if TYPE_CHECKING:
    from headrace.checkpoints.saver import Saver
    from headrace.messages import protos
    from headrace.runtime.session import Session


class SavedModelEstimator(Estimator):
    """An estimator made of what `export_all_saved_models` wrote: it goes on with training, evaluates and predicts.

    Args:
        saved_model_dir: the folder of the SavedModel.
        model_dir: the folder of checkpoints and summaries.

    Raises:
        ValueError: if there is no SavedModel in the folder.

    Example:
        >>> receiver_fn = tf.contrib.estimator.build_supervised_input_receiver_fn_from_input_fn(input_fn)
        >>> path = tf.contrib.estimator.export_all_saved_models(estimator, "export", {"train": receiver_fn, "eval": receiver_fn})
        >>> tf.contrib.estimator.SavedModelEstimator(path).evaluate(input_fn)
    """

    def __init__(self, saved_model_dir: str, model_dir: str | None = None) -> None:
        # 1.x says of what it cannot read that the format is wrong, also where there is no folder.
        try:
            self.saved_model_loader = SavedModelLoader(saved_model_dir)
        except OSError:
            raise ValueError(f"Directory provided has an invalid SavedModel format: {saved_model_dir}") from None
        self.saved_model_dir = saved_model_dir
        super().__init__(model_fn=self._model_fn_from_saved_model, model_dir=model_dir)

    def _create_and_assert_global_step(self, graph: Graph) -> Any:
        """Makes none: the SavedModel has one, and a second would be saved beside it."""
        return None

    def _first_checkpoint(self) -> str | None:
        return self.saved_model_loader.variables_path

    def _train_model(self, input_fn: Callable[..., Any], hooks: list[Any], saving_listeners: list[Any]) -> Any:
        with Graph().as_default() as graph, device(self._device_fn):
            set_random_seed(self._config.tf_random_seed)
            features, labels, input_hooks = self._get_features_and_labels_from_input_fn(input_fn, ModeKeys.TRAIN)
            spec = self._call_model_fn(features, labels, ModeKeys.TRAIN, self.config)
            step = get_global_step(graph)
            return self._train_with_estimator_spec(spec, [*input_hooks], hooks, step, saving_listeners)

    def _meta_graph_def(self, mode: str) -> protos.MetaGraphDef:
        tag = EXPORT_TAGS[mode]
        for meta_graph in self.saved_model_loader.saved_model.meta_graphs:
            if set(meta_graph.meta_info_def.tags) == {tag}:
                return self.saved_model_loader.get_meta_graph_def_from_tags([tag])
        raise RuntimeError(
            f"{mode} mode is not available in the SavedModel. Use saved_model_cli to check that the Metagraph for this mode "
            "has been exported."
        )

    def _model_fn_from_saved_model(self, features: Any, labels: Any, mode: str) -> EstimatorSpec:
        """Adds the graph of a mode, with features and labels in the place of what requests would fill."""
        graph = get_default_graph()
        if get_global_step(graph) is not None:
            raise RuntimeError(
                "Graph must not contain a global step tensor before the SavedModel is loaded. Please make sure that the input "
                "function does not create a global step."
            )
        meta_graph = self._meta_graph_def(mode)
        signature = _signature(meta_graph, mode)
        values = {**_by_name(features, "feature"), **_by_name(labels, "label")}
        saver = import_meta_graph(meta_graph, clear_devices=True, input_map=_input_map(signature, values))
        # What initializes the model goes into the scaffold; an export of this graph gets an operation of its own.
        for key in (names.MAIN_OP_KEY, names.LEGACY_INIT_OP_KEY):
            graph.clear_collection(key)
        return self._spec(meta_graph, signature, mode, saver)

    def _spec(
        self, meta_graph: protos.MetaGraphDef, signature: protos.SignatureDef, mode: str, saver: Saver | None
    ) -> EstimatorSpec:
        scaffold = self._scaffold(meta_graph, saver)
        outputs = {name: _output(info) for name, info in signature.outputs.items()}
        if mode == ModeKeys.PREDICT:
            return EstimatorSpec(
                mode, predictions=outputs, export_outputs=_export_outputs(meta_graph), scaffold=scaffold
            )
        train_op = get_collection(names.TRAIN_OP_KEY)[0] if mode == ModeKeys.TRAIN else None
        return EstimatorSpec(
            mode,
            predictions=_below(outputs, EvalOutput.PREDICTIONS_NAME),
            loss=outputs[EvalOutput.LOSS_NAME],
            train_op=train_op,
            eval_metric_ops=_metrics(outputs),
            scaffold=scaffold,
        )

    def _scaffold(self, meta_graph: protos.MetaGraphDef, saver: Saver | None) -> Scaffold:
        path = self.saved_model_loader.variables_path

        def take_values(scaffold: Scaffold, session: Session) -> None:
            if saver is not None:
                saver.restore(session, path)

        initial = [
            get_default_graph().as_graph_element(name)
            for key in (names.MAIN_OP_KEY, names.LEGACY_INIT_OP_KEY)
            if key in meta_graph.collection_def
            for name in meta_graph.collection_def[key].node_list.value
        ]
        return Scaffold(init_fn=take_values, local_init_op=group(*initial, Scaffold.default_local_init_op()))


def _by_name(values: Any, default: str) -> dict[str, Any]:
    if values is None:
        return {}
    return dict(values) if isinstance(values, Mapping) else {default: values}


def _signature(meta_graph: protos.MetaGraphDef, mode: str) -> protos.SignatureDef:
    key = names.DEFAULT_SERVING_SIGNATURE_DEF_KEY if mode == ModeKeys.PREDICT else mode
    if key not in meta_graph.signature_def:
        raise ValueError(f'The SavedModel has no signature "{key}"; there are {sorted(meta_graph.signature_def)}.')
    return meta_graph.signature_def[key]


def _input_map(signature: protos.SignatureDef, values: Mapping[str, Any]) -> dict[str, Any]:
    """From the names of the tensors that a signature fills to what is there instead."""
    found: dict[str, Any] = {}
    for key, info in signature.inputs.items():
        if key not in values:
            raise ValueError(
                f'Key "{key}" not found in features or labels passed in to the model function. All required keys: '
                f"{sorted(signature.inputs)}"
            )
        value = values[key]
        _check_fits(key, value, info)
        if info.WhichOneof("encoding") != "coo_sparse":
            found[info.name] = value
            continue
        if not isinstance(value, SparseTensor):
            raise ValueError(f'"{key}" should be a SparseTensor, got {value}.')
        found[info.coo_sparse.indices_tensor_name] = value.indices
        found[info.coo_sparse.values_tensor_name] = value.values
        found[info.coo_sparse.dense_shape_tensor_name] = value.dense_shape
    return found


def _check_fits(key: str, value: Any, info: protos.TensorInfo) -> None:
    shape = TensorShape(info.tensor_shape)
    if not shape.is_compatible_with(value.get_shape()):
        raise ValueError(f'Expected shape {shape} of "{key}", got {value.get_shape()}')
    if value.dtype.base_dtype != as_dtype(info.dtype):
        raise ValueError(f'Expected dtype {as_dtype(info.dtype).name} of "{key}", got {value.dtype.name}')


def _output(info: protos.TensorInfo) -> Any:
    """The tensor of an output, or the operation: updates of metrics may be either."""
    if info.WhichOneof("encoding") == "name" and ":" not in info.name:
        return get_default_graph().get_operation_by_name(info.name)
    return get_tensor_from_tensor_info(info)


def _below(outputs: Mapping[str, Any], prefix: str) -> dict[str, Any]:
    return {name.removeprefix(f"{prefix}/"): value for name, value in outputs.items() if name.startswith(prefix)}


def _metrics(outputs: Mapping[str, Any]) -> dict[str, Any]:
    """The metrics, whose names say in 1.x as well that they are metrics: "metrics/accuracy"."""
    value, update = f"/{EvalOutput.METRIC_VALUE_SUFFIX}", f"/{EvalOutput.METRIC_UPDATE_SUFFIX}"
    return {
        name.removesuffix(value): (part, outputs[name.removesuffix(value) + update])
        for name, part in outputs.items()
        if name.startswith(EvalOutput.METRICS_NAME) and name.endswith(value)
    }


def _export_outputs(meta_graph: protos.MetaGraphDef) -> dict[str, ExportOutput]:
    """What may be served of the model that was imported, from its signatures."""
    found: dict[str, ExportOutput] = {}
    for key, signature in meta_graph.signature_def.items():
        outputs = {name: _output(info) for name, info in signature.outputs.items()}
        if signature.method_name == names.CLASSIFY_METHOD_NAME:
            found[key] = ClassificationOutput(
                outputs.get(names.CLASSIFY_OUTPUT_SCORES), outputs.get(names.CLASSIFY_OUTPUT_CLASSES)
            )
        elif signature.method_name == names.REGRESS_METHOD_NAME:
            found[key] = RegressionOutput(outputs[names.REGRESS_OUTPUTS])
        elif signature.method_name == names.PREDICT_METHOD_NAME:
            found[key] = PredictOutput(outputs)
    return found
