"""The model of boosted trees: features, predictions, gradients, and the step that grows the ensemble."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from headrace.autodiff.gradients import gradients
from headrace.core.defaults import control_dependencies, name_scope
from headrace.core.dtypes import float32, int32
from headrace.core.operation import Operation
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.estimator.canned.boosted_trees_explanations import DEBUG_PROTO_KEY
from headrace.estimator.canned.boosted_trees_features import (
    boundaries_by_column,
    bucketized_features,
    calculate_num_features,
    float_columns,
    float_values,
    group_features_by_num_buckets,
    sorted_columns,
)
from headrace.estimator.canned.boosted_trees_growing import AccumulatorEnsembleGrower, EnsembleGrower, TreeHParams
from headrace.estimator.canned.boosted_trees_resources import PruningMode, QuantileAccumulator, TreeEnsemble
from headrace.estimator.mode_keys import ModeKeys
from headrace.estimator.model_fn import EstimatorSpec
from headrace.feature_column.base import TransformationCache
from headrace.feature_column.numeric import NumericColumn, numeric_column
from headrace.functions.flow.cond import cond
from headrace.kernels.composing.filling import ones, zeros
from headrace.kernels.composing.shapes import shape
from headrace.ops.array.constant import constant
from headrace.ops.flow.grouping import group, no_op
from headrace.sessions.session_run_hook import SessionRunArgs, SessionRunHook
from headrace.state.global_step import get_or_create_global_step
from headrace.state.variables import Variable
from headrace.summary.operations import scalar

if TYPE_CHECKING:
    from headrace.estimator.heads.canned_heads import CannedHead
    from headrace.estimator.run_config import RunConfig
    from headrace.sessions.session_run_hook import SessionRunContext, SessionRunValues

ClosedForm = Callable[[Tensor, Tensor], "tuple[Tensor, Tensor]"]


class Trees(NamedTuple):
    """What a graph of boosted trees begins with.

    `quantiles` is None, and `boundaries` are empty, where no column has numbers.
    """

    ensemble: TreeEnsemble
    quantiles: QuantileAccumulator | None
    boundaries: dict[Any, list[Tensor]]
    cache: TransformationCache
    columns: list[Any]
    num_quantiles: int

    def features(self) -> list[Tensor]:
        """The bucket numbers of all features."""
        return bucketized_features(self.cache, self.columns, self.boundaries)


def declare_trees(features: Mapping[str, Any], columns: Iterable[Any], epsilon: float, name: str) -> Trees:
    """The ensemble and the quantiles of features in this graph.

    Args:
        features: the features of the batch.
        columns: the feature columns.
        epsilon: by how much ranks of quantiles may be wrong, as a share.
        name: the name of the ensemble.
    """
    columns = sorted_columns(columns)
    num_quantiles = round(1.0 / epsilon)
    ensemble = TreeEnsemble(name=name)
    numbers = float_columns(columns)
    quantiles, boundaries = None, {}
    if numbers:
        quantiles = QuantileAccumulator(epsilon, calculate_num_features(numbers), num_quantiles, "QuantileAccumulator")
        boundaries = boundaries_by_column(numbers, quantiles.get_bucket_boundaries())
    cache = TransformationCache(features)
    for column in columns:
        # Here and not where they are used: that may be in branches, which must not share what they make.
        cache.get(column)
    return Trees(ensemble, quantiles, boundaries, cache, columns, num_quantiles)


def boosted_trees_model_fn(
    features: Mapping[str, Any],
    labels: Any,
    mode: str,
    head: CannedHead,
    feature_columns: Iterable[Any],
    tree_hparams: TreeHParams,
    n_batches_per_layer: int,
    config: RunConfig,
    closed_form_grad_and_hess_fn: ClosedForm | None = None,
    weight_column: Any = None,
    train_in_memory: bool = False,
    name: str = "boosted_trees",
) -> EstimatorSpec:
    """The model function of boosted trees.

    Args:
        features, labels, mode, config: of an estimator's model function.
        head: what logits mean.
        feature_columns: the columns.
        tree_hparams: how trees are grown.
        n_batches_per_layer: how many batches a layer takes.
        closed_form_grad_and_hess_fn: the gradients and Hessians of logits and labels; by differentiation if None.
        weight_column: the key or numeric column of the weights of examples.
        train_in_memory: whether one batch has all examples, which is then kept with what was computed of it.
        name: the name of the ensemble.
    """
    _check(head, tree_hparams, n_batches_per_layer, config, train_in_memory)
    with name_scope(name) as scope:
        trees = declare_trees(features, feature_columns, tree_hparams.quantile_sketch_epsilon, scope)
        if mode != ModeKeys.TRAIN:
            logits = raw.BoostedTreesPredict(
                trees.ensemble.resource_handle, trees.features(), logits_dimension=head.logits_dimension
            )
            return head.create_estimator_spec(
                features=features, mode=mode, labels=labels, logits=logits, train_op_fn=_nothing_to_train
            )
        training = _Training(trees, features, head, tree_hparams, weight_column, train_in_memory)
        grower = training.grower(n_batches_per_layer, config)
        training.summarize()

    def train_op_fn(loss: Tensor) -> Tensor:
        return training.step(loss, labels, grower, closed_form_grad_and_hess_fn)

    spec = head.create_estimator_spec(
        features=features, mode=mode, labels=labels, logits=training.logits, train_op_fn=train_op_fn
    )
    hooks = (
        GrowerInitializationHook(grower.chief_init_op()),
        StopAtAttemptsHook(
            training.num_finalized_trees, training.num_attempted_layers, tree_hparams.n_trees, tree_hparams.max_depth
        ),
    )
    return spec._replace(training_hooks=hooks + tuple(spec.training_hooks))


def _nothing_to_train(loss: Tensor) -> Operation:
    return no_op()


def _check(head: CannedHead, hparams: TreeHParams, batches: int, config: RunConfig, train_in_memory: bool) -> None:
    if head.logits_dimension != 1:
        raise ValueError(f"For now boosted trees have one logit, the head has {head.logits_dimension}.")
    mode = PruningMode.from_str(hparams.pruning_mode)
    if mode is not PruningMode.NO_PRUNING and hparams.tree_complexity <= 0:
        raise ValueError("For pruning, tree_complexity must be positive.")
    if mode is PruningMode.NO_PRUNING and hparams.tree_complexity > 0:
        raise ValueError("Tree complexity have no effect unless pruning mode is chosen.")
    if train_in_memory and batches != 1:
        raise AssertionError(
            "When train_in_memory is enabled, input_fn should return the entire dataset as a single batch, and "
            f"n_batches_per_layer should be set as 1, got {batches}."
        )
    if train_in_memory and (not config.is_chief or config.num_worker_replicas > 1 or config.num_ps_replicas > 0):
        raise ValueError("train_in_memory is supported only for non-distributed training.")


class _Training:
    """A training graph: the cached state of the examples, their logits, and the step.

    Args:
        trees: the ensemble and the features.
        features: the features of the batch, for weights.
        head: what logits mean.
        hparams: how trees are grown.
        weight_column: the key or numeric column of the weights of examples.
        in_memory: whether what was computed of the examples is kept.
    """

    def __init__(
        self,
        trees: Trees,
        features: Mapping[str, Any],
        head: CannedHead,
        hparams: TreeHParams,
        weight_column: Any,
        in_memory: bool,
    ) -> None:
        self.trees, self.hparams = trees, hparams
        self.ready = _flag(trees.quantiles is None, "are_boundaries_ready")
        self.weights = _weights(features, weight_column)
        rows = shape(next(iter(_dense_of(trees))))[0]
        self.caches: list[Variable] = []
        if in_memory:
            self.buckets = self._cached_features(rows)
        else:
            self.buckets = trees.features()
        self._predict(rows, head.logits_dimension, in_memory)
        self.bias_needed = _flag(hparams.center_bias, "center_bias_needed")

    def _predict(self, rows: Tensor, logits: int, in_memory: bool) -> None:
        starts = [zeros([rows], int32), -1 * ones([rows], int32), zeros([rows, logits])]
        ensemble = self.trees.ensemble
        states = ensemble.get_states()
        self.stamp, self.num_trees, self.num_finalized_trees, self.num_attempted_layers, self.last_layer_nodes = states
        if in_memory:
            names = ("tree_ids_cache", "node_ids_cache", "logits_cache")
            self.caches = [_cache(start, name) for start, name in zip(starts, names, strict=True)]
            starts = [raw.Identity(cache.read_value()) for cache in self.caches]
        trees, nodes, so_far = starts
        partial, tree_ids, node_ids = raw.BoostedTreesTrainingPredict(
            ensemble.resource_handle, trees, nodes, self.buckets, logits_dimension=logits
        )
        self.logits = so_far + partial
        self.node_ids = node_ids
        self.new_states = tree_ids, node_ids, self.logits

    def _cached_features(self, rows: Tensor) -> list[Tensor]:
        """The features, which are kept in variables as long as there are no boundaries.

        1.15.5 takes what it kept under the same condition: once there are boundaries it computes the features in each step,
        and a checkpoint of it may hold features from before.
        """
        count = calculate_num_features(self.trees.columns)
        kept = [_cache(zeros([rows], int32), f"cached_feature_{number}") for number in range(count)]
        are_cached = _flag(False, "are_features_cached")

        def keep() -> list[Tensor]:
            features = self.trees.features()
            written = [variable.assign(feature).op for variable, feature in zip(kept, features, strict=True)]
            with control_dependencies([*written, are_cached.assign(True).op]):
                return [raw.Identity(feature) for feature in features]

        def read() -> list[Tensor]:
            return [raw.Identity(variable.read_value()) for variable in kept]

        def kept_features() -> list[Tensor]:
            return _as_list(cond(are_cached.read_value(), read, keep))

        features = _as_list(cond(self.ready.read_value(), self.trees.features, kept_features))
        for feature in features:
            feature.set_shape([None])
        return features

    def grower(self, n_batches_per_layer: int, config: RunConfig) -> EnsembleGrower:
        """What grows the ensemble."""
        bucket_sizes, self.feature_ids = group_features_by_num_buckets(self.trees.columns, self.trees.num_quantiles)
        self.bucket_sizes = bucket_sizes
        trees, hparams = self.trees, self.hparams
        if self.caches:
            return EnsembleGrower(trees.ensemble, trees.quantiles, hparams, self.feature_ids)
        return AccumulatorEnsembleGrower(
            trees.ensemble,
            trees.quantiles,
            hparams,
            self.stamp,
            n_batches_per_layer,
            bucket_sizes,
            config.is_chief,
            self.feature_ids,
        )

    def summarize(self) -> None:
        """Summaries of how far the ensemble has grown."""
        scalar("ensemble/num_trees", self.num_trees)
        scalar("ensemble/num_finalized_trees", self.num_finalized_trees)
        scalar("ensemble/num_attempted_layers", self.num_attempted_layers)

    def step(self, loss: Tensor, labels: Any, grower: EnsembleGrower, closed_form: ClosedForm | None) -> Tensor:
        """The operation of a training step: it makes buckets first, and grows the ensemble when there are some."""
        if closed_form is not None:
            gradient, hessian = closed_form(self.logits, labels)
        else:
            gradient = gradients(loss, self.logits, name="Gradients")[0]
            hessian = gradients(gradient, self.logits, name="Hessians")[0]

        def grow() -> Tensor:
            return _done(self._grow(grower, gradient, hessian))

        if self.trees.quantiles is None:
            return _done(self._grow(grower, gradient, hessian))

        def update_quantiles() -> Tensor:
            values = float_values(self.trees.cache, float_columns(self.trees.columns))
            return _done(grower.accumulate_quantiles(values, self.weights, self.ready))

        return cond(self.ready.read_value(), grow, update_quantiles)

    def _grow(self, grower: EnsembleGrower, gradient: Tensor, hessian: Tensor) -> Operation:
        def layer() -> Tensor:
            summaries = [self._summaries(*part, gradient, hessian) for part in self._groups()]
            return _done(grower.grow_tree(summaries, self.last_layer_nodes))

        def bias() -> Tensor:
            return _done(grower.center_bias(self.bias_needed, gradient, hessian))

        needed = self.bias_needed.read_value()
        grown = cond(needed, bias, layer).op if self.hparams.center_bias else layer().op
        done = [grown, get_or_create_global_step().assign_add(1).op]
        if self.caches:
            done.append(cond(needed, lambda: _done(no_op()), self._keep_states).op)
        return group(*done)

    def _groups(self) -> list[tuple[int, list[int]]]:
        return list(zip(self.bucket_sizes, self.feature_ids, strict=True))

    def _summaries(self, buckets: int, features: Sequence[int], gradient: Tensor, hessian: Tensor) -> list[Tensor]:
        summary = raw.BoostedTreesMakeStatsSummary(
            self.node_ids,
            gradient,
            hessian,
            [self.buckets[feature] for feature in features],
            max_splits=self.hparams.max_splits,
            num_buckets=buckets,
        )
        return _as_list(raw.Unpack(summary, num=len(features)))

    def _keep_states(self) -> Tensor:
        written = [cache.assign(value).op for cache, value in zip(self.caches, self.new_states, strict=True)]
        return _done(group(*written))


def _dense_of(trees: Trees) -> list[Tensor]:
    """What one of the columns gives of each example."""
    return [trees.cache.get(trees.columns[0])] if trees.columns else [zeros([0])]


def _flag(value: bool, name: str) -> Variable:
    return Variable(value, trainable=False, use_resource=True, name=name)


def _cache(start: Tensor, name: str) -> Variable:
    return Variable(start, trainable=False, use_resource=True, name=name, validate_shape=False)


def _as_list(tensors: Any) -> list[Tensor]:
    return [tensors] if isinstance(tensors, Tensor) else list(tensors)


def _weights(features: Mapping[str, Any], weight_column: Any) -> Tensor:
    """The weights of examples as a vector; one for all where there is no column."""
    if weight_column is None:
        return constant([1.0])
    column = weight_column if isinstance(weight_column, NumericColumn) else numeric_column(weight_column, shape=(1,))
    weights = TransformationCache(features).get(column)
    return raw.Reshape(raw.Cast(weights, DstT=float32), [-1])


def _done(operation: Operation) -> Tensor:
    """True, after an operation: branches give tensors."""
    with control_dependencies([operation]):
        return raw.Identity(True)


class GrowerInitializationHook(SessionRunHook):
    """Runs an operation when a session has been made.

    Args:
        init_op: the operation.
    """

    def __init__(self, init_op: Operation) -> None:
        self._init_op = init_op

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Runs it."""
        session.run(self._init_op)


class StopAtAttemptsHook(SessionRunHook):
    """Ends training when there are enough trees, or after twice as many attempts as they need.

    Args:
        num_finalized_trees_tensor: how many trees are finished.
        num_attempted_layers_tensor: how many layers have been tried.
        max_trees: how many trees are wanted.
        max_depth: how many layers each has.
    """

    def __init__(
        self, num_finalized_trees_tensor: Tensor, num_attempted_layers_tensor: Tensor, max_trees: int, max_depth: int
    ) -> None:
        self._counts = num_finalized_trees_tensor, num_attempted_layers_tensor
        self._max_trees, self._max_depth = max_trees, max_depth

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Asks for both counts."""
        return SessionRunArgs(list(self._counts))

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Ends training where it is enough."""
        # What the step has told may be of before the ensemble grew.
        finalized, attempted = run_context.session.run(list(self._counts))
        if finalized >= self._max_trees or attempted > 2 * self._max_trees * self._max_depth:
            run_context.request_stop()


def explanations_model_fn(
    features: Mapping[str, Any],
    head: CannedHead,
    columns: Iterable[Any],
    epsilon: float,
    name: str = "boosted_trees",
) -> EstimatorSpec:
    """The model function of predictions with their explanations, in serialized form.

    Args:
        features: of an estimator's model function.
        head: what logits mean.
        columns: the feature columns.
        epsilon: by how much ranks of quantiles may be wrong, as a share.
        name: the name of the ensemble.
    """
    with name_scope(name) as scope:
        trees = declare_trees(features, columns, epsilon, scope)
        handle, buckets = trees.ensemble.resource_handle, trees.features()
        logits = raw.BoostedTreesPredict(handle, buckets, logits_dimension=head.logits_dimension)
        spec = head.create_estimator_spec(
            features=features, mode=ModeKeys.PREDICT, labels=None, logits=logits, train_op_fn=_nothing_to_train
        )
        paths = raw.BoostedTreesExampleDebugOutputs(handle, buckets, logits_dimension=1)
    return spec._replace(predictions={**spec.predictions, DEBUG_PROTO_KEY: paths})
