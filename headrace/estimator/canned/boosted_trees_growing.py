"""How an ensemble grows: from the statistics of each batch, or of as many batches as a layer takes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from headrace.core.defaults import control_dependencies
from headrace.core.dtypes import float32
from headrace.core.operation import Operation
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.estimator.canned.boosted_trees_resources import PruningMode, QuantileAccumulator, TreeEnsemble
from headrace.functions.flow.cond import cond
from headrace.kernels.composing.arranging import stack
from headrace.kernels.composing.shapes import expand_dims
from headrace.ops.array.join import unstack
from headrace.ops.flow.grouping import group, no_op

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike
    from headrace.state.variable_class import Variable


class TreeHParams(NamedTuple):
    """How trees are grown; the fields are arguments of the estimators."""

    n_trees: int
    max_depth: int
    learning_rate: float
    l1: float
    l2: float
    tree_complexity: float
    min_node_weight: float
    center_bias: bool
    pruning_mode: str
    quantile_sketch_epsilon: float

    @property
    def max_splits(self) -> int:
        """How many nodes may be split or may have been when a tree is as deep as it gets."""
        return (1 << self.max_depth) - 1


class EnsembleGrower:
    """Grows an ensemble at once, from all examples in memory.

    Args:
        tree_ensemble: the ensemble.
        quantile_accumulator: the quantiles of features.
        tree_hparams: how trees are grown.
        feature_ids_list: the features' numbers of each group of statistics.
    """

    def __init__(
        self,
        tree_ensemble: TreeEnsemble,
        quantile_accumulator: QuantileAccumulator | None,
        tree_hparams: TreeHParams,
        feature_ids_list: Sequence[Sequence[int]],
    ) -> None:
        self._ensemble, self._quantiles = tree_ensemble, quantile_accumulator
        self._hparams, self._feature_ids = tree_hparams, feature_ids_list

    def accumulate_quantiles(
        self, float_features: Sequence[Tensor], weights: TensorLike, are_boundaries_ready: Variable
    ) -> Operation:
        """The operation that makes buckets.

        Args:
            float_features: the values of features of numbers.
            weights: of the examples.
            are_boundaries_ready: becomes True.
        """
        quantiles = self._made_quantiles()
        with control_dependencies([quantiles.add_summaries(float_features, weights)]):
            flushed = quantiles.flush()
        with control_dependencies([flushed]):
            return are_boundaries_ready.assign(True).op

    def _made_quantiles(self) -> QuantileAccumulator:
        if self._quantiles is None:
            raise ValueError("There are no features of numbers whose quantiles could be found.")
        return self._quantiles

    def center_bias(self, center_bias_var: Variable, gradients: Tensor, hessians: Tensor) -> Operation:
        """The operation that moves the bias of all examples.

        Args:
            center_bias_var: whether it has to be moved further.
            gradients, hessians: of the examples.
        """
        means = [expand_dims(_mean(value), 0) for value in (gradients, hessians)]
        return self._centered(center_bias_var, *means).op

    def _centered(self, center_bias_var: Variable, mean_gradients: Tensor, mean_hessians: Tensor) -> Any:
        goes_on = raw.BoostedTreesCenterBias(
            self._ensemble.resource_handle, mean_gradients, mean_hessians, self._hparams.l1, self._hparams.l2
        )
        return center_bias_var.assign(goes_on)

    def grow_tree(self, stats_summaries_list: Sequence[Sequence[Tensor]], last_layer_nodes_range: Tensor) -> Operation:
        """The operation that adds a layer.

        Args:
            stats_summaries_list: for each group of features, their statistics.
            last_layer_nodes_range: the nodes that may be split.
        """
        hparams = self._hparams
        columns: list[list[Tensor]] = [[], [], [], [], []]
        for summaries in stats_summaries_list:
            found = raw.BoostedTreesCalculateBestGainsPerFeature(
                last_layer_nodes_range,
                list(summaries),
                hparams.l1,
                hparams.l2,
                hparams.tree_complexity,
                hparams.min_node_weight,
                max_splits=hparams.max_splits,
            )
            for column, tensors in zip(columns, found, strict=True):
                column.extend([tensors] if isinstance(tensors, Tensor) else tensors)
        return raw.BoostedTreesUpdateEnsemble(
            self._ensemble.resource_handle,
            [feature for features in self._feature_ids for feature in features],
            *columns,
            hparams.max_depth,
            hparams.learning_rate,
            pruning_mode=int(PruningMode.from_str(hparams.pruning_mode)),
        )

    def chief_init_op(self) -> Operation:
        """The operation that a session begins with."""
        return no_op()


class AccumulatorEnsembleGrower(EnsembleGrower):
    """Grows an ensemble by a layer each time that `n_batches_per_layer` batches have come.

    Args:
        tree_ensemble: the ensemble.
        quantile_accumulator: the quantiles of features.
        tree_hparams: how trees are grown.
        stamp_token: of the ensemble; what was computed with an older one does not count.
        n_batches_per_layer: how many batches a layer takes.
        bucket_size_list: how many buckets the features of each group have.
        is_chief: whether this process grows the ensemble.
        feature_ids_list: the features' numbers of each group of statistics.
    """

    def __init__(
        self,
        tree_ensemble: TreeEnsemble,
        quantile_accumulator: QuantileAccumulator | None,
        tree_hparams: TreeHParams,
        stamp_token: Tensor,
        n_batches_per_layer: int,
        bucket_size_list: Sequence[int],
        is_chief: bool,
        feature_ids_list: Sequence[Sequence[int]],
    ) -> None:
        super().__init__(tree_ensemble, quantile_accumulator, tree_hparams, feature_ids_list)
        self._stamp, self._batches, self._is_chief = stamp_token, n_batches_per_layer, is_chief
        self._growing = [
            _Accumulator(
                [len(features), tree_hparams.max_splits, buckets, 2], f"numeric_stats_summary_accumulator_{number}"
            )
            for number, (buckets, features) in enumerate(zip(bucket_size_list, feature_ids_list, strict=True))
        ]
        self._starting = [accumulator.set_global_step(stamp_token) for accumulator in self._growing]
        self._bias = _Accumulator([2, 1], "bias_accumulator") if tree_hparams.center_bias else None
        self._counter = _Accumulator([], "quantile_summary_accumulator") if quantile_accumulator is not None else None
        for more in (self._bias, self._counter):
            if more is not None:
                self._starting.append(more.set_global_step(stamp_token))

    def _when_enough(
        self, accumulators: Sequence[_Accumulator], added: Sequence[Operation], act: Callable[[], Operation], name: str
    ) -> Operation:
        """Runs `act` when enough batches are in all accumulators, on the chief."""
        if not self._is_chief:
            return group(*added)
        with control_dependencies(added):
            counts = stack([accumulator.count() for accumulator in accumulators])
            ready = raw.GreaterEqual(raw.Min(counts, 0), self._batches)
        return cond(ready, lambda: _done(act()), lambda: _done(no_op()), name=name).op

    def accumulate_quantiles(
        self, float_features: Sequence[Tensor], weights: TensorLike, are_boundaries_ready: Variable
    ) -> Operation:
        quantiles, counter = self._made_quantiles(), self._counter
        assert counter is not None  # made beside the quantiles
        added = [quantiles.add_summaries(float_features, weights), counter.add(0.0, self._stamp)]

        def flush() -> Operation:
            taken = counter.take()
            with control_dependencies([taken, quantiles.flush()]):
                return are_boundaries_ready.assign(True).op

        return self._when_enough([counter], added, flush, "wait_until_quaniles_accumulated")

    def center_bias(self, center_bias_var: Variable, gradients: Tensor, hessians: Tensor) -> Operation:
        accumulator = self._bias
        assert accumulator is not None  # made where a bias is asked for
        means = stack([_mean(gradients), _mean(hessians)])

        def move() -> Operation:
            taken = unstack(accumulator.take(), num=2)
            moved = self._centered(center_bias_var, *(expand_dims(mean, 0) for mean in taken))
            # The stamp has changed with the bias: what is added from now on has the next.
            with control_dependencies([moved.op]):
                return group(*(one.set_global_step(self._stamp + 1) for one in self._growing))

        added = [accumulator.add(means, self._stamp)]
        return self._when_enough([accumulator], added, move, "wait_until_n_batches_for_bias_accumulated")

    def grow_tree(self, stats_summaries_list: Sequence[Sequence[Tensor]], last_layer_nodes_range: Tensor) -> Operation:
        pairs = list(zip(self._growing, stats_summaries_list, strict=True))
        added = [accumulator.add(stack(list(summaries)), self._stamp) for accumulator, summaries in pairs]

        def grow() -> Operation:
            sums = [unstack(accumulator.take(), num=len(summaries)) for accumulator, summaries in pairs]
            return super(AccumulatorEnsembleGrower, self).grow_tree(sums, last_layer_nodes_range)

        return self._when_enough(self._growing, added, grow, "wait_until_n_batches_accumulated")

    def chief_init_op(self) -> Operation:
        return group(*self._starting)


class _Accumulator:
    """A mean of tensors over batches.

    Args:
        dims: their shape.
        shared_name: the name under which sessions share it.
    """

    def __init__(self, dims: Sequence[int], shared_name: str) -> None:
        self._handle = raw.ResourceConditionalAccumulator(
            dtype=float32, shape=dims, shared_name=shared_name, name="conditional_accumulator"
        )

    def set_global_step(self, step: Tensor) -> Operation:
        """The operation that drops what is older from then on."""
        return raw.ResourceAccumulatorSetGlobalStep(self._handle, step)

    def add(self, value: TensorLike, step: Tensor) -> Operation:
        """The operation that adds a batch."""
        return raw.ResourceAccumulatorApplyGradient(self._handle, step, value, dtype=float32)

    def count(self) -> Tensor:
        """How many batches are in it."""
        return raw.ResourceAccumulatorNumAccumulated(self._handle)

    def take(self) -> Tensor:
        """The mean; it is empty afterwards."""
        return raw.ResourceAccumulatorTakeGradient(self._handle, 1, dtype=float32)


def _mean(value: Tensor) -> Tensor:
    return raw.Mean(value, 0)


def _done(operation: Operation) -> Tensor:
    """True, after an operation: branches give tensors."""
    with control_dependencies([operation]):
        return raw.Identity(True)
