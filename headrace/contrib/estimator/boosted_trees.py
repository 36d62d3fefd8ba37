"""Boosted trees that are trained on one batch, kept in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.data.dataset import DatasetV2
from headrace.estimator.canned.boosted_trees import ONLY_ONE, BoostedTreesClassifier, BoostedTreesRegressor

if TYPE_CHECKING:
    from headrace.estimator.run_config import RunConfig
    from headrace.sessions.session_run_hook import SessionRunHook


def _repeating(input_fn: Callable[[], Any]) -> Callable[[], Any]:
    """An input function that gives the one batch for each step.

    Raises:
        ValueError: if it is no function.
    """
    if not callable(input_fn):
        raise ValueError("train_input_fn must be callable.")

    def repeated() -> Any:
        result = input_fn()
        return result.repeat() if isinstance(result, DatasetV2) else result

    return repeated


def boosted_trees_classifier_train_in_memory(
    train_input_fn: Callable[..., Any],
    feature_columns: Iterable[Any],
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
    train_hooks: Sequence[SessionRunHook] | None = None,
    center_bias: bool = False,
    pruning_mode: str = "none",
    quantile_sketch_epsilon: float = 0.01,
) -> BoostedTreesClassifier:
    """Makes and trains a classifier by gradient boosted trees.

    Args:
        train_input_fn: gives all examples in one batch.
        train_hooks: SessionRunHooks.

    The other arguments are those of `tf.estimator.BoostedTreesClassifier`.

    Returns:
        the trained estimator.

    Example:
        >>> columns = [tf.feature_column.numeric_column("x")]
        >>> classifier = tf.contrib.estimator.boosted_trees_classifier_train_in_memory(input_fn, columns, n_trees=20)
        >>> classifier.evaluate(input_fn, steps=1)
    """
    estimator = BoostedTreesClassifier(
        feature_columns,
        1,
        model_dir,
        n_classes,
        weight_column,
        label_vocabulary,
        n_trees,
        max_depth,
        learning_rate,
        l1_regularization,
        l2_regularization,
        tree_complexity,
        min_node_weight,
        config,
        center_bias,
        pruning_mode,
        quantile_sketch_epsilon,
        train_in_memory=True,
    )
    estimator.train(_repeating(train_input_fn), hooks=train_hooks)
    return estimator


def boosted_trees_regressor_train_in_memory(
    train_input_fn: Callable[..., Any],
    feature_columns: Iterable[Any],
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
    train_hooks: Sequence[SessionRunHook] | None = None,
    center_bias: bool = False,
    pruning_mode: str = "none",
    quantile_sketch_epsilon: float = 0.01,
) -> BoostedTreesRegressor:
    """Makes and trains a regressor by gradient boosted trees; arguments as of the classifier.

    Args:
        label_dimension: 1.

    Returns:
        the trained estimator.
    """
    estimator = BoostedTreesRegressor(
        feature_columns,
        1,
        model_dir,
        label_dimension,
        weight_column,
        n_trees,
        max_depth,
        learning_rate,
        l1_regularization,
        l2_regularization,
        tree_complexity,
        min_node_weight,
        config,
        center_bias,
        pruning_mode,
        quantile_sketch_epsilon,
        train_in_memory=True,
    )
    estimator.train(_repeating(train_input_fn), hooks=train_hooks)
    return estimator
