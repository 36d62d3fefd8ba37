"""Baselines: models that know nothing of the features. They predict how labels are distributed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.composite import convert_to_tensor_or_sparse_tensor
from headrace.core.defaults import control_dependencies
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.estimator.canned.optimizers import get_optimizer_instance
from headrace.estimator.canned.partitioning import check_features
from headrace.estimator.estimator import Estimator
from headrace.estimator.heads.canned_heads import binary_or_multi_class_head, regression_head
from headrace.estimator.model_fn import EstimatorSpec
from headrace.feature_column.numeric import NumericColumn
from headrace.functions.flow.checks import assert_equal
from headrace.kernels.composing import ones, shape
from headrace.losses.weighting import Reduction
from headrace.state.global_step import get_global_step
from headrace.state.initializers import Zeros
from headrace.state.variable_scope import get_variable, variable_scope

if TYPE_CHECKING:
    from headrace.core.operation import Operation
    from headrace.estimator.run_config import RunConfig

LEARNING_RATE = 0.3


def key_of_weights(weight_column: Any) -> str | None:
    """The key of the weights.

    Raises:
        TypeError: for something else than a key or a numeric column.
    """
    if weight_column is None or isinstance(weight_column, str):
        return weight_column
    if not isinstance(weight_column, NumericColumn):
        raise TypeError(f"Weight column must be either a string or NumericColumn. Given type: {type(weight_column)}.")
    return weight_column.key


def batch_size_and_checks(features: Mapping[str, Any], weight_key: str | None) -> tuple[Any, list[Operation]]:
    """How many examples there are, and checks that all features have as many."""
    size: Any = None
    checks: list[Operation] = []
    for key, feature in features.items():
        # The weights may be of another shape.
        if key == weight_key:
            continue
        first = shape(convert_to_tensor_or_sparse_tensor(feature))[0]
        if size is None:
            size = first
        else:
            checks.append(assert_equal(size, first))
    return size, checks


def baseline_logit_fn_builder(num_outputs: int, weight_column: Any = None) -> Callable[..., Tensor]:
    """A function of features that makes logits which are the same for all examples.

    Args:
        num_outputs: how many logits.
        weight_column: the key or numeric column of the weights, which tell nothing of the number of examples.
    """

    def baseline_logit_fn(features: Mapping[str, Any]) -> Tensor:
        """The logits of a baseline."""
        size, checks = batch_size_and_checks(features, key_of_weights(weight_column))
        with control_dependencies(checks), variable_scope("baseline"):
            bias = get_variable("bias", shape=[num_outputs], initializer=Zeros())
            return raw.Mul(bias, ones([size, num_outputs]))

    return baseline_logit_fn


def baseline_model_fn(
    features: Any, labels: Any, mode: str, head: Any, optimizer: Any, weight_column: Any = None
) -> EstimatorSpec:
    """The model function of a baseline.

    Raises:
        ValueError: if the features are no dictionary.
    """
    check_features(features)
    logits = baseline_logit_fn_builder(head.logits_dimension, weight_column)(features)

    def train_op_fn(loss: Tensor) -> Any:
        return get_optimizer_instance(optimizer, learning_rate=LEARNING_RATE).minimize(
            loss, global_step=get_global_step()
        )

    return head.create_estimator_spec(
        features=features, mode=mode, logits=logits, labels=labels, train_op_fn=train_op_fn
    )


def _model_fn(head: Any, optimizer: Any, weight_column: Any = None) -> Callable[..., EstimatorSpec]:
    def model_fn(features: Any, labels: Any, mode: str) -> EstimatorSpec:
        return baseline_model_fn(features, labels, mode, head, optimizer, weight_column)

    return model_fn


class BaselineClassifier(Estimator):
    """A classifier that learns how frequent each class is.

    Args:
        model_dir: the folder of checkpoints and summaries.
        n_classes: how many classes.
        weight_column: the key or numeric column of the weights of examples.
        label_vocabulary: the names of the classes, where labels are strings.
        optimizer: a name, an instance or a function of no arguments.
        config: a `RunConfig`.
        loss_reduction: how the losses of a batch become one.

    Raises:
        ValueError: for another reduction, or less than 2 classes.

    Example:
        >>> estimator = tf.estimator.BaselineClassifier(n_classes=3)
    """

    def __init__(
        self,
        model_dir: str | None = None,
        n_classes: int = 2,
        weight_column: Any = None,
        label_vocabulary: Sequence[str] | None = None,
        optimizer: Any = "Ftrl",
        config: RunConfig | None = None,
        loss_reduction: str = Reduction.SUM,
    ) -> None:
        head = binary_or_multi_class_head(n_classes, weight_column, label_vocabulary, loss_reduction)
        super().__init__(_model_fn(head, optimizer, weight_column), model_dir=model_dir, config=config)


class BaselineRegressor(Estimator):
    """A regression that learns the mean of the labels.

    Args:
        label_dimension: how many numbers an example has.
        model_dir, weight_column, optimizer, config, loss_reduction: as of `BaselineClassifier`.
    """

    def __init__(
        self,
        model_dir: str | None = None,
        label_dimension: int = 1,
        weight_column: Any = None,
        optimizer: Any = "Ftrl",
        config: RunConfig | None = None,
        loss_reduction: str = Reduction.SUM,
    ) -> None:
        head = regression_head(weight_column, label_dimension, loss_reduction)
        super().__init__(_model_fn(head, optimizer), model_dir=model_dir, config=config)


class BaselineEstimator(Estimator):
    """A baseline whose head is given.

    Args:
        head: what the logits mean.
        model_dir, optimizer, config: as of `BaselineClassifier`.
    """

    def __init__(
        self, head: Any, model_dir: str | None = None, optimizer: Any = "Ftrl", config: RunConfig | None = None
    ) -> None:
        super().__init__(_model_fn(head, optimizer), model_dir=model_dir, config=config)
