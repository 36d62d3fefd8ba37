"""Gradient boosted trees over batches: predictions, statistics of each batch, and a layer of splits after enough examples."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from headrace.contrib.boosted_trees.batch_features import BatchFeatures, extract_features
from headrace.contrib.boosted_trees.gradient_statistics import GradientShapes
from headrace.contrib.boosted_trees.handler_choice import active_handlers, make_handlers
from headrace.contrib.boosted_trees.scheduled_ops import run_handler_scheduled_ops
from headrace.contrib.boosted_trees.stats_accumulator import StatsAccumulator
from headrace.contrib.boosted_trees.training_state import (
    ENSEMBLE_STAMP,
    LEAF_INDEX,
    NUM_LAYERS_ATTEMPTED,
    NUM_TREES_ATTEMPTED,
    NUM_USED_HANDLERS,
    PARTITION_IDS,
    PREDICTIONS,
    USED_HANDLERS_MASK,
    GBDTTrainingState,
)
from headrace.contrib.learn.metric_spec import ModeKeys
from headrace.core.defaults import control_dependencies
from headrace.core.dtypes import float32, int32, int64
from headrace.core.operation import Operation
from headrace.core.registry import raw
from headrace.core.shapes import TensorShape
from headrace.core.tensor import Tensor
from headrace.functions.flow.cond import cond
from headrace.functions.math.reduction import reduce_all
from headrace.kernels.composing.arranging import stack
from headrace.kernels.composing.filling import zeros
from headrace.losses.weighting import Reduction
from headrace.messages.boosted_tree_protos import LearnerConfig
from headrace.ops.array.constant import constant
from headrace.ops.array.shape import reshape
from headrace.ops.flow.grouping import group, no_op
from headrace.ops.math.cast import cast
from headrace.state.variables import VariableV1

if TYPE_CHECKING:
    from headrace.core.composite import SparseTensor
    from headrace.state.variable_class import Variable

_DEFAULT_DEPTH, _DEFAULT_RATE = 6, 0.1


def completed(config: LearnerConfig, logits_dimension: int) -> LearnerConfig:
    """A copy of a learner's configuration with defaults for what it leaves open."""
    found = LearnerConfig()
    found.CopyFrom(config)
    if found.multi_class_strategy == LearnerConfig.MULTI_CLASS_STRATEGY_UNSPECIFIED:
        several = logits_dimension > 1
        found.multi_class_strategy = LearnerConfig.DIAGONAL_HESSIAN if several else LearnerConfig.TREE_PER_CLASS
    if found.growing_mode == LearnerConfig.GROWING_MODE_UNSPECIFIED:
        found.growing_mode = LearnerConfig.LAYER_BY_LAYER
    if found.pruning_mode == LearnerConfig.PRUNING_MODE_UNSPECIFIED:
        found.pruning_mode = LearnerConfig.POST_PRUNE
    if not found.constraints.max_tree_depth:
        found.constraints.max_tree_depth = _DEFAULT_DEPTH
    if found.learning_rate_tuner.WhichOneof("tuner") is None:
        found.learning_rate_tuner.fixed.learning_rate = _DEFAULT_RATE
    return found


class GradientBoostedDecisionTreeModel:
    """Boosted trees on the features of batches.

    Args:
        is_chief: whether this worker grows the trees.
        num_ps_replicas: how many parameter servers there are.
        ensemble_handle: the handle of the trees.
        center_bias: whether the first tree is a bias for all examples.
        examples_per_layer: how many examples a layer takes, or a function of the layer's number that says it.
        learner_config: a `LearnerConfig`.
        features: the features of the batch by name.
        logits_dimension: how many logits there are.
        loss_reduction: how the loss is reduced; statistics of sums are not divided by the number of batches.
        feature_columns: columns that make the trees' features.
        use_core_columns: whether those are columns of `tf.feature_column`.
        output_leaf_index: whether predictions tell the leaves that examples come to.
        output_leaf_index_modes: in which modes; only inference if None.
        num_quantiles: how many buckets features of numbers get.

    Raises:
        ValueError: if `num_ps_replicas` is None, or there are no features.
        NotImplementedError: for learning rates by line search.

    Example:
        >>> from headrace.contrib.boosted_trees.proto import learner_pb2
        >>> from headrace.contrib.boosted_trees.python.ops import model_ops
        >>> from headrace.contrib.boosted_trees.python.training.functions import gbdt_batch
        >>> model = gbdt_batch.GradientBoostedDecisionTreeModel(
        ...     is_chief=True, num_ps_replicas=0, center_bias=False, examples_per_layer=4, logits_dimension=1,
        ...     ensemble_handle=model_ops.tree_ensemble_variable(0, "", name="trees"),
        ...     learner_config=learner_pb2.LearnerConfig(num_classes=2), features={"x": tf.constant([[1.0], [2.0]])})
        >>> predictions = model.predict(tf.contrib.learn.ModeKeys.INFER)
    """

    def __init__(
        self,
        is_chief: bool,
        num_ps_replicas: int,
        ensemble_handle: Tensor,
        center_bias: bool,
        examples_per_layer: int | Callable[[Tensor], Tensor],
        learner_config: LearnerConfig,
        features: Mapping[str, Tensor | SparseTensor],
        logits_dimension: int,
        loss_reduction: str = Reduction.SUM_OVER_NONZERO_WEIGHTS,
        feature_columns: Iterable[Any] | None = None,
        use_core_columns: bool = False,
        output_leaf_index: bool = False,
        output_leaf_index_modes: Sequence[str] | None = None,
        num_quantiles: int = 100,
    ) -> None:
        if ensemble_handle is None:
            raise ValueError("ensemble_handle must be specified.")
        if learner_config is None:
            raise ValueError("learner_config must be specified.")
        if num_ps_replicas is None:
            raise ValueError("num_ps_replicas can not be None.")
        self._is_chief, self._center_bias = is_chief, center_bias
        self._ensemble_handle = ensemble_handle
        self._examples_per_layer = examples_per_layer
        self._logits_dimension = logits_dimension
        self._loss_reduction, self._num_quantiles = loss_reduction, num_quantiles
        self._output_leaf_index = output_leaf_index
        self._output_leaf_index_modes = output_leaf_index_modes or [ModeKeys.INFER]
        self._learner_config = completed(learner_config, logits_dimension)
        self._serialized: bytes = self._learner_config.SerializeToString()
        self._attempted_trees = _counter("attempted_trees")
        self._finalized_trees = _counter("finalized_trees")
        self._max_tree_depth = VariableV1(
            initial_value=self._learner_config.constraints.max_tree_depth, trainable=False, name="max_tree_depth"
        )
        self._features: BatchFeatures = extract_features(features, feature_columns, use_core_columns)
        self._shapes = GradientShapes(self._learner_config.multi_class_strategy, logits_dimension)
        # Two classes need one logit; each further class one more.
        self._reduce_dim = self._learner_config.num_classes == logits_dimension + 1

    @property
    def feature_names(self) -> list[str]:
        """The names of the trees' features: dense ones first, then sparse numbers, then categories."""
        return self._features.names

    def get_number_of_trees_tensor(self) -> tuple[Variable, Variable]:
        """How many trees are finished, and how many have been begun."""
        return self._finalized_trees, self._attempted_trees

    def get_max_tree_depth(self) -> Variable:
        """How deep trees may be."""
        return self._max_tree_depth

    def _tensors(self) -> list[list[Tensor]]:
        return [list(tensors) for tensors in self._features[1:]]

    def predict(self, mode: str) -> dict[str, Tensor]:
        """The predictions for the batch.

        Args:
            mode: one of `tf.contrib.learn.ModeKeys`; in training some trees may be dropped.

        Returns:
            a dict of "predictions" (logits), "partition_ids", "ensemble_stamp" and what training needs.
        """
        stamp = raw.TreeEnsembleStampToken(self._ensemble_handle)
        count = len(self._features.names)
        used, mask = raw.TreeEnsembleUsedHandlers(self._ensemble_handle, stamp, num_all_handlers=count)
        stats = raw.TreeEnsembleStats(self._ensemble_handle, stamp)
        finished, attempted_trees, attempted_layers = stats[0], stats[4], stats[5]
        is_training = mode == ModeKeys.TRAIN
        seed = finished if is_training else constant(-1, dtype=int64)
        with_leaves = self._output_leaf_index and mode in self._output_leaf_index_modes
        ask = raw.GradientTreesPredictionVerbose if with_leaves else raw.GradientTreesPrediction
        found = ask(
            self._ensemble_handle,
            seed,
            *self._tensors(),
            learner_config=self._serialized,
            apply_dropout=is_training,
            apply_averaging=not is_training,
            use_locking=True,
            center_bias=self._center_bias,
            reduce_dim=self._reduce_dim,
        )
        partitions = raw.GradientTreesPartitionExamples(self._ensemble_handle, *self._tensors(), use_locking=True)
        predictions = {
            PREDICTIONS: found[0],
            PARTITION_IDS: partitions,
            ENSEMBLE_STAMP: stamp,
            NUM_LAYERS_ATTEMPTED: attempted_layers,
            NUM_TREES_ATTEMPTED: attempted_trees,
            NUM_USED_HANDLERS: used,
            USED_HANDLERS_MASK: mask,
        }
        if with_leaves:
            predictions[LEAF_INDEX] = found[2]
        return predictions

    def _class_id(self, predictions_dict: Mapping[str, Any]) -> Tensor:
        """The class that the tree is of, where each tree is of one of several."""
        if self._learner_config.multi_class_strategy == LearnerConfig.TREE_PER_CLASS and self._logits_dimension > 1:
            attempted = cast(predictions_dict[NUM_TREES_ATTEMPTED], int64)
            return cast(raw.FloorMod(attempted, constant(self._logits_dimension, dtype=int64)), int32)
        return constant(-1, dtype=int32)

    def update_stats(
        self,
        loss: Tensor,
        predictions_dict: Mapping[str, Any],
        gradients: Tensor | None = None,
        hessians: Tensor | None = None,
    ) -> tuple[list[Operation], Operation, GBDTTrainingState]:
        """Takes a batch into account.

        Args:
            loss: a scalar.
            predictions_dict: what `predict` gives.
            gradients: of the loss by the predictions; computed if None.
            hessians: likewise.

        Returns:
            operations that add the batch's statistics; one that forgets all there is of trees and statistics; and the
            state that `increment_step_counter_and_maybe_update_ensemble` takes.
        """
        stamp, partitions = predictions_dict[ENSEMBLE_STAMP], predictions_dict[PARTITION_IDS]
        sums = self._shapes.statistics(
            loss, predictions_dict[PREDICTIONS], self._class_id(predictions_dict), gradients, hessians
        )
        handlers = make_handlers(
            self._features,
            self._learner_config,
            self._shapes,
            self._num_quantiles,
            self._loss_reduction == Reduction.SUM,
        )
        active = active_handlers(self._learner_config, len(handlers), predictions_dict)
        state = self._training_state(handlers)
        no_gradients, no_hessians = (
            constant([], dtype=float32) if shape.ndims == 0 else zeros([0, *shape.as_list()], float32)
            for shape in (self._shapes.gradient, self._shapes.hessian)
        )
        reads = run_handler_scheduled_ops(
            {number: handler.scheduled_reads() for number, handler in enumerate(handlers)}, stamp, None
        )
        updates: list[Any] = []
        scheduled = {}
        for number, handler in enumerate(handlers):
            done, scheduled[number] = handler.update_stats(
                stamp,
                partitions,
                sums.gradients,
                sums.hessians,
                no_gradients,
                no_hessians,
                sums.weights,
                active[number],
                reads[number],
            )
            updates.extend(done)
        for results in run_handler_scheduled_ops(scheduled, stamp, None).values():
            updates.extend(results)
        if self._center_bias:
            updates.append(self._update_bias(state, stamp, partitions, sums.gradients, sums.hessians))
        return updates, self._reset(stamp, state), state

    def _training_state(self, handlers: Sequence[Any]) -> GBDTTrainingState:
        scalar = TensorShape([])
        return GBDTTrainingState(
            num_layer_examples=_counter("num_layer_examples"),
            num_layer_steps=_counter("num_layer_steps"),
            num_layers=_counter("num_layers"),
            active_tree=_counter("active_tree"),
            active_layer=_counter("active_layer"),
            continue_centering=VariableV1(initial_value=self._center_bias, name="continue_centering", trainable=False),
            bias_stats_accumulator=StatsAccumulator(
                0, self._shapes.gradient, self._shapes.hessian, name="BiasAccumulator"
            ),
            steps_accumulator=StatsAccumulator(0, scalar, scalar, name="StepsAccumulator"),
            handlers=handlers,
        )

    def _update_bias(
        self, state: GBDTTrainingState, stamp: Any, partitions: Tensor, gradients: Tensor, hessians: Tensor
    ) -> Operation:
        """Adds to the sums over all examples, as long as the bias is being centred."""

        def add() -> Operation:
            ids = raw.ZerosLike(partitions)
            places = cast(stack([ids, ids], axis=1), int64)
            return state.bias_stats_accumulator.add(stamp, ids, places, gradients, hessians)

        return group(cond(state.continue_centering, add, no_op))

    def _reset(self, stamp: Any, state: GBDTTrainingState) -> Operation:
        """Forgets the trees, what has been summed, and all counts."""
        following = raw.AddV2(cast(stamp, int64), constant(1, dtype=int64))
        counts = (state.num_layer_examples, state.num_layer_steps, state.num_layers, state.active_tree,
                  state.active_layer, self._finalized_trees, self._attempted_trees)  # fmt: skip
        if not self._is_chief:
            return no_op()
        with control_dependencies([following]):
            return group(
                *state.flushes(stamp, following, self._center_bias),
                raw.TreeEnsembleDeserialize(self._ensemble_handle, following, b""),
                state.continue_centering.assign(self._center_bias),
                *(count.assign(raw.ZerosLike(count)) for count in counts),
                name="reset_gbdt",
            )

    def increment_step_counter_and_maybe_update_ensemble(
        self, predictions_dict: Mapping[str, Any], training_state: GBDTTrainingState
    ) -> Operation:
        """Counts the batch, and grows a layer once enough examples have come.

        Args:
            predictions_dict: what `predict` gives.
            training_state: what `update_stats` gives.
        """
        stamp = predictions_dict[ENSEMBLE_STAMP]
        size = cast(raw.Shape(predictions_dict[PREDICTIONS])[0], float32)
        add = training_state.steps_accumulator.add(
            stamp, [0], constant([[0, 0]], dtype=int64), reshape(size, [1]), constant([1.0])
        )
        if not self._is_chief:
            return add
        with control_dependencies([add]):
            _, _, _, _, examples, steps = training_state.steps_accumulator.saveable.serialize()
            done_examples = training_state.num_layer_examples.assign(_total(examples))
            done_steps = training_state.num_layer_steps.assign(_total(steps))
        given = self._examples_per_layer
        needed = given(raw.Identity(training_state.active_layer)) if callable(given) else given
        update = self.make_update_ensemble_fn(
            stamp, training_state, predictions_dict[NUM_TREES_ATTEMPTED], self._class_id(predictions_dict)
        )
        with control_dependencies([done_steps]):
            is_complete = raw.GreaterEqual(done_examples, cast(needed, int64))
            return group(cond(is_complete, update, no_op))

    def make_update_ensemble_fn(
        self, ensemble_stamp: Any, training_state: GBDTTrainingState, dropout_seed: Any, class_id: Tensor
    ) -> Callable[[], Operation]:
        """A function that makes the operation which ends a layer.

        Args:
            ensemble_stamp: the stamp of the round.
            training_state: what `update_stats` gives.
            dropout_seed: the seed by which trees were dropped.
            class_id: the class that the tree is of, -1 for all.
        """

        def update() -> Operation:
            stamp = cast(ensemble_stamp, int64)
            following = raw.AddV2(stamp, constant(1, dtype=int64))
            if self._center_bias:
                bias = training_state.bias_stats_accumulator.flush(stamp, following)
            splits = [handler.make_splits(stamp, following, class_id) for handler in training_state.handlers]
            are_ready = reduce_all(stack([found.are_splits_ready for found in splits]))

            def grow(chosen: Sequence[Any]) -> Operation:
                return raw.GrowTreeEnsemble(
                    self._ensemble_handle,
                    stamp,
                    following,
                    self._learning_rate(),
                    cast(dropout_seed, int64),
                    self._max_tree_depth,
                    constant(self._learner_config.weak_learner_type, dtype=int32),
                    [found.partition_ids for found in chosen],
                    [found.gains for found in chosen],
                    [found.split_infos for found in chosen],
                    learner_config=self._serialized,
                    center_bias=self._center_bias,
                )

            def grown() -> Tensor:
                with control_dependencies([cond(are_ready, lambda: grow(splits), lambda: grow([]))]):
                    return constant(False)

            def centred() -> Tensor:
                _, _, _, bias_gradients, bias_hessians = bias
                return raw.CenterTreeEnsembleBias(
                    self._ensemble_handle,
                    stamp,
                    following,
                    self._shapes.bias_change(bias_gradients, bias_hessians),
                    learner_config=self._serialized,
                )

            goes_on = cond(training_state.continue_centering, centred, grown) if self._center_bias else grown()
            with control_dependencies([goes_on]):
                trees, layers, active_tree, active_layer, attempted, _ = raw.TreeEnsembleStats(
                    self._ensemble_handle, following
                )
                counts = [
                    self._finalized_trees.assign(trees),
                    self._attempted_trees.assign(attempted),
                    training_state.num_layers.assign(layers),
                    training_state.active_tree.assign(active_tree),
                    training_state.active_layer.assign(active_layer),
                    training_state.continue_centering.assign(goes_on),
                ]
            flushed = training_state.steps_accumulator.flush(stamp, following)
            return group(are_ready, *counts, *flushed, name="update_ensemble")

        return update

    def _learning_rate(self) -> Tensor:
        tuner = self._learner_config.learning_rate_tuner
        kind = tuner.WhichOneof("tuner")
        if kind == "line_search":
            raise NotImplementedError("Line search learning rate is not supported: give a fixed rate or dropout.")
        return constant(getattr(tuner, kind).learning_rate, dtype=float32)

    def train(
        self,
        loss: Tensor,
        predictions_dict: Mapping[str, Any],
        labels: Any,
        gradients: Tensor | None = None,
        hessians: Tensor | None = None,
    ) -> Operation:
        """The operation of a training step.

        Args:
            loss: a scalar.
            predictions_dict: what `predict` gives.
            labels: the labels of the batch, which only the loss depends on.
            gradients: of the loss by the predictions; computed if None.
            hessians: likewise.
        """
        updates, _, state = self.update_stats(loss, predictions_dict, gradients, hessians)
        with control_dependencies(updates):
            return self.increment_step_counter_and_maybe_update_ensemble(predictions_dict, state)


def _counter(name: str) -> Variable:
    return VariableV1(initial_value=zeros([], int64), name=name, trainable=False)


def _total(sums: Tensor) -> Tensor:
    """The only one of some sums, or 0 if there is none."""
    return cast(raw.Sum(sums, constant([0], dtype=int32)), int64)
