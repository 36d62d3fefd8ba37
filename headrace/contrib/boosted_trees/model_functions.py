"""The model functions of boosted trees: of a `tf.contrib.learn` head, or of one of `tf.estimator`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from headrace.autodiff.gradients import gradients as gradients_of
from headrace.contrib.boosted_trees.gbdt_model import GradientBoostedDecisionTreeModel
from headrace.contrib.boosted_trees.trainer_hooks import StopAfterNTrees
from headrace.contrib.boosted_trees.training_state import LEAF_INDEX, PREDICTIONS
from headrace.contrib.boosted_trees.tree_ensemble import tree_ensemble_variable
from headrace.contrib.layers.target_columns import ProblemType
from headrace.contrib.learn.metric_spec import ModeKeys
from headrace.contrib.learn.model_outputs import ModelFnOps
from headrace.core.composite import SparseTensor
from headrace.core.defaults import control_dependencies
from headrace.core.operation import Operation
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.estimator.model_fn import EstimatorSpec
from headrace.functions.sparse.join import sparse_concat
from headrace.losses.weighting import Reduction
from headrace.ops.array.join import concat
from headrace.ops.flow.grouping import group
from headrace.state.global_step import get_global_step

if TYPE_CHECKING:
    from headrace.estimator.run_config import RunConfig


class ModelBuilderOutputType:
    """What a model function returns: a `ModelFnOps` of contrib.learn, or an `EstimatorSpec`."""

    MODEL_FN_OPS = 0
    ESTIMATOR_SPEC = 1


class RankedFeatures(NamedTuple):
    """The features of the better and the worse item of each pair."""

    better: dict[str, Any]
    worse: dict[str, Any]


def estimator_spec_to_model_fn_ops(estimator_spec: EstimatorSpec, export_alternatives: bool = False) -> ModelFnOps:
    """What a head of `tf.estimator` made, as estimators of contrib.learn take it.

    Args:
        estimator_spec: an EstimatorSpec.
        export_alternatives: whether the signatures of exports become output alternatives.
    """
    alternatives: dict[Any, Any] | None = None
    if export_alternatives and estimator_spec.export_outputs:
        alternatives = {
            name: (ProblemType.UNSPECIFIED, dict(estimator_spec.predictions)) for name in estimator_spec.export_outputs
        }
    mode = ModeKeys.INFER if estimator_spec.mode == "infer" else estimator_spec.mode
    return ModelFnOps(
        mode=mode,
        predictions=estimator_spec.predictions,
        loss=estimator_spec.loss,
        train_op=estimator_spec.train_op,
        eval_metric_ops=dict(estimator_spec.eval_metric_ops),
        output_alternatives=alternatives,
        training_chief_hooks=estimator_spec.training_chief_hooks,
        training_hooks=estimator_spec.training_hooks,
        scaffold=estimator_spec.scaffold,
    )


class _Settings(NamedTuple):
    """The parameters of the model functions."""

    head: Any
    learner_config: Any
    examples_per_layer: Any
    feature_columns: Any = None
    weight_column_name: str | None = None
    num_trees: int | None = None
    logits_modifier_function: Callable[..., Tensor] | None = None
    center_bias: bool = True
    use_core_libs: bool = False
    output_leaf_index: bool = False
    override_global_step_value: int | None = None
    num_quantiles: int = 100
    ranking_model_pair_keys: tuple[str, str] | None = None


def _without_weights(features: Mapping[str, Any], settings: _Settings) -> dict[str, Any]:
    """The trees' features: all but the weights of examples."""
    return {name: tensor for name, tensor in features.items() if name != settings.weight_column_name}


def _model(
    features: Mapping[str, Any], settings: _Settings, config: RunConfig | None, center_bias: bool, handle: Tensor
) -> GradientBoostedDecisionTreeModel:
    return GradientBoostedDecisionTreeModel(
        is_chief=config is None or config.is_chief,
        num_ps_replicas=0 if config is None else config.num_ps_replicas,
        ensemble_handle=handle,
        center_bias=center_bias,
        examples_per_layer=settings.examples_per_layer,
        learner_config=settings.learner_config,
        features=features,
        logits_dimension=settings.head.logits_dimension,
        loss_reduction=getattr(settings.head, "_loss_reduction", None) or Reduction.SUM_OVER_NONZERO_WEIGHTS,
        feature_columns=settings.feature_columns,
        use_core_columns=settings.use_core_libs,
        output_leaf_index=settings.output_leaf_index,
        num_quantiles=settings.num_quantiles,
    )


def _ensemble() -> Tensor:
    return tree_ensemble_variable(stamp_token=0, tree_ensemble_config="", name="ensemble_model")


def _finished(
    settings: _Settings,
    model: GradientBoostedDecisionTreeModel,
    features: Mapping[str, Any],
    labels: Any,
    mode: str,
    logits: Tensor,
    train_op_fn: Callable[[Tensor], Operation],
    output_type: int,
    leaves: Tensor | None,
) -> Any:
    """What the head makes of logits, with a hook that stops after enough trees."""
    head = settings.head
    if settings.use_core_libs or output_type == ModelBuilderOutputType.ESTIMATOR_SPEC:
        made = head.create_estimator_spec(
            features=features, mode=mode, labels=labels, train_op_fn=train_op_fn, logits=logits
        )
        if output_type == ModelBuilderOutputType.MODEL_FN_OPS:
            made = estimator_spec_to_model_fn_ops(made, export_alternatives=True)
    else:
        made = head.create_model_fn_ops(
            features=features, mode=mode, labels=labels, train_op_fn=train_op_fn, logits=logits
        )
    if leaves is not None and isinstance(made.predictions, dict):
        made.predictions[LEAF_INDEX] = leaves
    if not settings.num_trees:
        return made
    # The first tree of a centred model is the bias.
    wanted = settings.num_trees + settings.center_bias
    finished, attempted = model.get_number_of_trees_tensor()
    hook = StopAfterNTrees(wanted, attempted, finished, settings.override_global_step_value)
    return made._replace(training_hooks=[*(made.training_hooks or ()), hook])


def _counted(train_op: Operation) -> Operation:
    """A training step that counts itself."""
    with control_dependencies([train_op]):
        return group(get_global_step().assign_add(1))


def model_builder(
    features: Mapping[str, Tensor | SparseTensor] | Tensor,
    labels: Any,
    mode: str,
    params: Mapping[str, Any],
    config: RunConfig | None,
    output_type: int = ModelBuilderOutputType.MODEL_FN_OPS,
) -> Any:
    """The model function of boosted trees.

    Args:
        features: the features of the batch.
        labels: the labels.
        mode: what it is called for.
        params: "head", "learner_config" and "examples_per_layer", and, as one likes, "feature_columns",
            "weight_column_name", "num_trees", "logits_modifier_function", "center_bias", "use_core_libs",
            "output_leaf_index", "override_global_step_value", "num_quantiles".
        config: a RunConfig.
        output_type: one of `ModelBuilderOutputType`.

    Returns:
        a ModelFnOps, or an EstimatorSpec.

    Raises:
        ValueError: for features that are None.
    """
    if features is None:
        raise ValueError("At least one feature must be specified.")
    settings = _Settings(**params)
    named = dict(features) if isinstance(features, Mapping) else {"": features}
    model = _model(_without_weights(named, settings), settings, config, settings.center_bias, _ensemble())
    found = model.predict(mode)
    logits = found[PREDICTIONS]
    if settings.logits_modifier_function is not None:
        logits = settings.logits_modifier_function(logits, named, mode)

    def train_op_fn(loss: Tensor) -> Operation:
        return _counted(model.train(loss, found, labels))

    return _finished(settings, model, named, labels, mode, logits, train_op_fn, output_type, found.get(LEAF_INDEX))


def _pairs(features: Mapping[str, Any], settings: _Settings) -> RankedFeatures:
    """The features of both items of pairs, whose names begin with the pair's keys."""
    first, second = settings.ranking_model_pair_keys or ("", "")
    better, worse = {}, {}
    for name, tensor in features.items():
        parts = name.split(".", 1)
        if len(parts) == 2 and parts[0] == first:
            better[parts[1]] = tensor
        elif len(parts) == 2 and parts[0] == second:
            worse[parts[1]] = tensor
    return RankedFeatures(better, worse)


def ranking_model_builder(
    features: Mapping[str, Tensor | SparseTensor],
    labels: Any,
    mode: str,
    params: Mapping[str, Any],
    config: RunConfig | None,
    output_type: int = ModelBuilderOutputType.ESTIMATOR_SPEC,
) -> Any:
    """The model function of boosted trees that rank: the logits of a pair are the difference of those of its items.

    In training and evaluation features come in pairs, named "key.feature" by the keys of the pair; for inference they are
    those of one item, by their plain names.

    Args:
        features, labels, mode, config: as of `model_builder`.
        params: as of `model_builder`, and "ranking_model_pair_keys", the two keys.
        output_type: one of `ModelBuilderOutputType`.

    Returns:
        a ModelFnOps, or an EstimatorSpec.

    Raises:
        ValueError: for features that are None, or that are not in pairs.
    """
    if features is None:
        raise ValueError("At least one feature must be specified.")
    settings = _Settings(**params)
    handle = _ensemble()
    named = dict(features)
    if mode == ModeKeys.INFER:
        model = _model(_without_weights(named, settings), settings, config, settings.center_bias, handle)
        found = model.predict(mode)
        logits = found[PREDICTIONS]
        if settings.logits_modifier_function is not None:
            logits = settings.logits_modifier_function(logits, named, mode)
        return _finished(
            settings, model, named, labels, mode, logits, lambda loss: raw.NoOp(), output_type, found.get(LEAF_INDEX)
        )
    pair = _pairs(named, settings)
    if not pair.better or not pair.worse:
        raise ValueError(f"Features must be named by the keys {settings.ranking_model_pair_keys}, got {sorted(named)}")
    model = _model(_joined(pair), settings, config, settings.center_bias, handle)
    found = model.predict(mode)
    count = raw.FloorDiv(raw.Shape(found[PREDICTIONS])[0], 2)
    items = found[PREDICTIONS][:count], found[PREDICTIONS][count:]

    def train_op_fn(loss: Tensor) -> Operation:
        # The derivatives by the items of a pair are taken apart: those of a common shift are nothing.
        first = [gradients_of(loss, item)[0] for item in items]
        second = [gradients_of(gradient, item)[0] for gradient, item in zip(first, items, strict=True)]
        return _counted(model.train(loss, found, labels, concat(first, 0), concat(second, 0)))

    logits = raw.Sub(*items)
    return _finished(settings, model, named, labels, mode, logits, train_op_fn, output_type, None)


def _joined(pair: RankedFeatures) -> dict[str, Any]:
    """The items of all pairs one below the other: the better ones first."""
    found: dict[str, Any] = {}
    for name, tensor in pair.better.items():
        other = pair.worse[name]
        if isinstance(tensor, SparseTensor):
            found[name] = sparse_concat(0, [tensor, other])
        else:
            found[name] = concat([tensor, other], 0)
    return found
