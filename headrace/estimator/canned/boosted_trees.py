"""Estimators of gradient boosted decision trees.

Trees are grown layer by layer, each on the gradients that those before it have left: Ponomareva, Colthurst, Hendry,
Haykal and Radpour, Compact multi-class boosted trees (2017); Chen and Guestrin, XGBoost (2016).
"""

from __future__ import annotations

import contextlib
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from headrace.checkpoints.checkpoint_utils import load_variable
from headrace.core.dtypes import float32
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.estimator.canned.boosted_trees_explanations import (
    DEBUG_PROTO_KEY,
    compute_feature_importances,
    explained,
    sum_by_feature_col_name_and_sort,
)
from headrace.estimator.canned.boosted_trees_features import calculate_num_features, feature_names, sorted_columns
from headrace.estimator.canned.boosted_trees_growing import TreeHParams
from headrace.estimator.canned.boosted_trees_model import boosted_trees_model_fn, explanations_model_fn
from headrace.estimator.estimator import Estimator
from headrace.estimator.heads.canned_heads import binary_logistic_head, regression_head
from headrace.estimator.model_fn import EstimatorSpec
from headrace.losses.weighting import Reduction
from headrace.messages import protos
from headrace.state.modes import enable_resource_variables

if TYPE_CHECKING:
    from headrace.estimator.heads.canned_heads import CannedHead
    from headrace.estimator.run_config import RunConfig
    from headrace.sessions.session_run_hook import SessionRunHook

# Arguments that are there for later versions have this default.
ONLY_ONE: Any = object()


def create_classification_head(
    n_classes: Any, weight_column: Any = None, label_vocabulary: Sequence[str] | None = None
) -> CannedHead:
    """The head of two classes."""
    classes = 2 if n_classes is ONLY_ONE else n_classes
    if classes != 2:
        raise ValueError(f"For now only binary classification is supported. n_classes given as {classes}")
    return binary_logistic_head(weight_column, None, label_vocabulary, Reduction.SUM_OVER_BATCH_SIZE)


def create_regression_head(label_dimension: Any, weight_column: Any = None) -> CannedHead:
    """The head of one number."""
    dimension = 1 if label_dimension is ONLY_ONE else label_dimension
    if dimension != 1:
        raise ValueError(f"For now only 1 dimension regression is supported. label_dimension given as {dimension}")
    return regression_head(weight_column, dimension, Reduction.SUM_OVER_BATCH_SIZE)


def _logistic_gradients(head: CannedHead) -> Callable[[Tensor, Tensor], tuple[Tensor, Tensor]]:
    """The gradients and Hessians of the mean logistic loss of examples without weights."""

    def of_logits(logits: Tensor, labels: Tensor) -> tuple[Tensor, Tensor]:
        parts = head.create_loss(features=None, mode="train", logits=logits, labels=labels)
        probability = raw.Reciprocal(1.0 + raw.Exp(raw.Neg(logits)))
        share = raw.Reciprocal(raw.Cast(raw.Size(logits), DstT=float32))
        return (probability - parts.processed_labels) * share, probability * (1.0 - probability) * share

    return of_logits


def create_classification_head_and_closed_form(
    n_classes: Any, weight_column: Any, label_vocabulary: Sequence[str] | None
) -> tuple[CannedHead, Callable[[Tensor, Tensor], tuple[Tensor, Tensor]] | None]:
    """The head of two classes, and its gradients and Hessians without weights as formulas.

    Returns:
        the head; a function of logits and labels, or None where the losses are differentiated.
    """
    head = create_classification_head(n_classes, weight_column, label_vocabulary)
    plain = weight_column is None and label_vocabulary is None
    return head, _logistic_gradients(head) if plain else None


class _BoostedTreesBase(Estimator):
    """What the estimators of boosted trees have in common.

    One that is made has the process make resource variables from then on, as in TensorFlow.

    Args:
        model_fn: the model function.
        model_dir: the folder of checkpoints and summaries.
        config: a `RunConfig`.
        feature_columns: the columns.
        head: what logits mean.
        center_bias: whether the bias of all examples is the first tree's root.
        is_classification: whether predictions are probabilities.
        quantile_sketch_epsilon: by how much ranks of quantiles may be wrong, as a share.
    """

    def __init__(
        self,
        model_fn: Callable[..., EstimatorSpec],
        model_dir: str | None,
        config: RunConfig | None,
        feature_columns: Iterable[Any],
        head: CannedHead,
        center_bias: bool,
        is_classification: bool,
        quantile_sketch_epsilon: float,
    ) -> None:
        enable_resource_variables()
        super().__init__(model_fn=model_fn, model_dir=model_dir, config=config)
        self._sorted_feature_columns = sorted_columns(feature_columns)
        self._head, self._epsilon = head, quantile_sketch_epsilon
        self._centers_bias, self._is_classification = center_bias, is_classification

    def experimental_feature_importances(self, normalize: bool = False) -> OrderedDict[str, float]:
        """What the splits of each column gain in all trees, the most important column first.

        Args:
            normalize: whether the sum is to be 1.

        Raises:
            ValueError: if the model is not trained.
            AssertionError: if there is nothing to normalize by.

        Example:
            >>> estimator = tf.estimator.BoostedTreesClassifier(columns, n_batches_per_layer=1, n_trees=2)
            >>> estimator.train(train_input_fn).experimental_feature_importances(normalize=True)
            OrderedDict([('x', 1.0)])
        """
        serialized = load_variable(self.model_dir, "boosted_trees:0_serialized")
        ensemble = protos.TreeEnsemble.FromString(serialized)
        count = calculate_num_features(self._sorted_feature_columns)
        importances = compute_feature_importances(ensemble, count, normalize)
        return sum_by_feature_col_name_and_sort(feature_names(self._sorted_feature_columns), importances)

    def experimental_predict_with_explanations(
        self,
        input_fn: Callable[..., Any],
        predict_keys: Sequence[str] | None = None,
        hooks: Sequence[SessionRunHook] | None = None,
        checkpoint_path: str | None = None,
    ) -> Iterator[dict[str, Any]]:
        """Predictions with what each column adds to them.

        Args:
            input_fn, predict_keys, hooks, checkpoint_path: as of `predict`.

        Returns:
            an iterator of dicts: the predictions, "bias" (what is predicted without features) and "dfc" (an OrderedDict
            from column to what it adds, the largest first).

        Raises:
            ValueError: without `center_bias`, or for an unknown key.
        """
        if not self._centers_bias:
            raise ValueError(
                "center_bias must be enabled during estimator instantiation when using "
                "experimental_predict_with_explanations."
            )
        keys = None if predict_keys is None else [*predict_keys, DEBUG_PROTO_KEY]
        names = feature_names(self._sorted_feature_columns)
        with self._explaining():
            for prediction in self.predict(input_fn, keys, hooks, checkpoint_path):
                yield explained(prediction, names, self._is_classification)

    @contextlib.contextmanager
    def _explaining(self) -> Iterator[None]:
        """A context in which the model function gives explanations too."""

        def explaining_model_fn(features: Mapping[str, Any], labels: Any, mode: str) -> EstimatorSpec:
            """The predictions and their paths."""
            return explanations_model_fn(features, self._head, self._sorted_feature_columns, self._epsilon)

        usual = self._model_fn
        self._model_fn = explaining_model_fn
        try:
            yield
        finally:
            self._model_fn = usual


class BoostedTreesClassifier(_BoostedTreesBase):
    """A classifier of two classes by gradient boosted trees.

    Args:
        feature_columns: the columns; categorical ones are to be wrapped by an indicator column.
        n_batches_per_layer: how many batches a layer of a tree takes.
        model_dir: the folder of checkpoints and summaries.
        n_classes: 2.
        weight_column: the key or numeric column of the weights of examples.
        label_vocabulary: the names of the classes, where labels are strings.
        n_trees: how many trees.
        max_depth: how many layers of a tree.
        learning_rate: by how much the values of leaves are shrunk.
        l1_regularization, l2_regularization: penalties on the values of leaves.
        tree_complexity: the penalty on each leaf.
        min_node_weight: the least sum of Hessians of a node that is split.
        config: a `RunConfig`.
        center_bias: whether the mean of all examples is found first.
        pruning_mode: "none", "pre" or "post".
        quantile_sketch_epsilon: by how much ranks of quantiles may be wrong, as a share; 1 / it is the number of buckets.
        train_in_memory: whether `input_fn` gives all examples in one batch, of which what was computed is kept.

    Raises:
        ValueError: for more classes.

    Example:
        >>> columns = [tf.feature_column.numeric_column("x")]
        >>> estimator = tf.estimator.BoostedTreesClassifier(columns, n_batches_per_layer=1, n_trees=20)
        >>> estimator.train(input_fn, max_steps=100)
    """

    def __init__(
        self,
        feature_columns: Iterable[Any],
        n_batches_per_layer: int,
        model_dir: str | None = None,
        n_classes: int = ONLY_ONE,
        weight_column: Any = None,
        label_vocabulary: Sequence[str] | None = None,
        n_trees: int = 100,
        max_depth: int = 6,
        learning_rate: float = 0.1,
        l1_regularization: float = 0.0,
        l2_regularization: float = 0.0,
        tree_complexity: float = 0.0,
        min_node_weight: float = 0.0,
        config: RunConfig | None = None,
        center_bias: bool = False,
        pruning_mode: str = "none",
        quantile_sketch_epsilon: float = 0.01,
        train_in_memory: bool = False,
    ) -> None:
        if n_classes is not ONLY_ONE and n_classes > 2 and pruning_mode is not None:
            raise ValueError(f"For now pruning is not supported with multi class. n_classes given as {n_classes}")
        head, closed_form = create_classification_head_and_closed_form(n_classes, weight_column, label_vocabulary)
        hparams = TreeHParams(
            *(n_trees, max_depth, learning_rate, l1_regularization, l2_regularization, tree_complexity),
            *(min_node_weight, center_bias, pruning_mode, quantile_sketch_epsilon),
        )
        model_fn = _model_fn(
            head, feature_columns, hparams, n_batches_per_layer, weight_column, train_in_memory, closed_form
        )
        super().__init__(model_fn, model_dir, config, feature_columns, head, center_bias, True, quantile_sketch_epsilon)


class BoostedTreesRegressor(_BoostedTreesBase):
    """A regressor by gradient boosted trees.

    Args:
        label_dimension: 1.

    The other arguments are those of `BoostedTreesClassifier`.

    Raises:
        ValueError: for more dimensions.

    Example:
        >>> columns = [tf.feature_column.numeric_column("x")]
        >>> estimator = tf.estimator.BoostedTreesRegressor(columns, n_batches_per_layer=1, n_trees=20)
        >>> estimator.train(input_fn, max_steps=100)
    """

    def __init__(
        self,
        feature_columns: Iterable[Any],
        n_batches_per_layer: int,
        model_dir: str | None = None,
        label_dimension: int = ONLY_ONE,
        weight_column: Any = None,
        n_trees: int = 100,
        max_depth: int = 6,
        learning_rate: float = 0.1,
        l1_regularization: float = 0.0,
        l2_regularization: float = 0.0,
        tree_complexity: float = 0.0,
        min_node_weight: float = 0.0,
        config: RunConfig | None = None,
        center_bias: bool = False,
        pruning_mode: str = "none",
        quantile_sketch_epsilon: float = 0.01,
        train_in_memory: bool = False,
    ) -> None:
        head = create_regression_head(label_dimension, weight_column)
        hparams = TreeHParams(
            *(n_trees, max_depth, learning_rate, l1_regularization, l2_regularization, tree_complexity),
            *(min_node_weight, center_bias, pruning_mode, quantile_sketch_epsilon),
        )
        model_fn = _model_fn(head, feature_columns, hparams, n_batches_per_layer, weight_column, train_in_memory)
        super().__init__(
            model_fn, model_dir, config, feature_columns, head, center_bias, False, quantile_sketch_epsilon
        )


class BoostedTreesEstimator(_BoostedTreesBase):
    """Gradient boosted trees for any head with one logit.

    Args:
        head: what logits mean: a head of `tf.contrib.estimator`.

    The other arguments are those of `BoostedTreesClassifier`.

    Example:
        >>> head = tf.contrib.estimator.regression_head()
        >>> estimator = tf.estimator.BoostedTreesEstimator(columns, n_batches_per_layer=1, head=head)
        >>> estimator.train(input_fn, max_steps=100)
    """

    def __init__(
        self,
        feature_columns: Iterable[Any],
        n_batches_per_layer: int,
        head: CannedHead,
        model_dir: str | None = None,
        weight_column: Any = None,
        n_trees: int = 100,
        max_depth: int = 6,
        learning_rate: float = 0.1,
        l1_regularization: float = 0.0,
        l2_regularization: float = 0.0,
        tree_complexity: float = 0.0,
        min_node_weight: float = 0.0,
        config: RunConfig | None = None,
        center_bias: bool = False,
        pruning_mode: str = "none",
        quantile_sketch_epsilon: float = 0.01,
    ) -> None:
        hparams = TreeHParams(
            *(n_trees, max_depth, learning_rate, l1_regularization, l2_regularization, tree_complexity),
            *(min_node_weight, center_bias, pruning_mode, quantile_sketch_epsilon),
        )
        model_fn = _model_fn(head, feature_columns, hparams, n_batches_per_layer, weight_column)
        super().__init__(
            model_fn, model_dir, config, feature_columns, head, center_bias, False, quantile_sketch_epsilon
        )


def _model_fn(
    head: CannedHead,
    columns: Iterable[Any],
    hparams: TreeHParams,
    batches: int,
    weight_column: Any,
    in_memory: bool = False,
    closed_form: Callable[[Tensor, Tensor], tuple[Tensor, Tensor]] | None = None,
) -> Callable[..., EstimatorSpec]:
    columns = list(columns)

    def boosted_trees_model(features: Mapping[str, Any], labels: Any, mode: str, config: RunConfig) -> EstimatorSpec:
        """The model of boosted trees."""
        return boosted_trees_model_fn(
            features, labels, mode, head, columns, hparams, batches, config, closed_form, weight_column, in_memory
        )

    return boosted_trees_model
