"""Baselines of 2.x's interface: they train by optimizers of Keras, and losses are means over batches."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.defaults import control_dependencies, name_scope
from headrace.core.registry import raw
from headrace.estimator.canned.baseline import LEARNING_RATE, batch_size_and_checks, key_of_weights
from headrace.estimator.canned.checks_v2 import head_of_classes_v2
from headrace.estimator.canned.optimizers import get_optimizer_instance_v2
from headrace.estimator.canned.partitioning import check_features
from headrace.estimator.estimator import EstimatorV2
from headrace.estimator.heads.regression_head import RegressionHead
from headrace.estimator.mode_keys import ModeKeys
from headrace.keras.utils.losses_utils import ReductionV2, scale_loss_for_distribution
from headrace.kernels.composing import ones
from headrace.state.global_step import get_or_create_global_step
from headrace.state.initializers import Zeros
from headrace.state.variables import Variable

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.estimator.heads.base_head import Head
    from headrace.estimator.model_fn import EstimatorSpec
    from headrace.estimator.run_config import RunConfig


def baseline_logits_v2(
    features: Mapping[str, Any], num_outputs: int, weight_column: Any = None
) -> tuple[list[Any], Tensor]:
    """The variables of a baseline, and its logits, which are the same for all examples.

    Args:
        features: from key to tensor.
        num_outputs: how many logits.
        weight_column: the key or numeric column of the weights, which tell nothing of the number of examples.
    """
    size, checks = batch_size_and_checks(features, key_of_weights(weight_column))
    with name_scope("baseline"):
        # Its first value does not wait for the checks, which need examples.
        bias = Variable(Zeros()([num_outputs], "float32"), name="bias", use_resource=True)
        with control_dependencies(checks):
            return [bias], raw.Mul(bias, ones([size, num_outputs]))


def baseline_model_fn_v2(
    features: Any,
    labels: Any,
    mode: str,
    head: Head,
    optimizer: Any,
    weight_column: Any = None,
    config: RunConfig | None = None,
    loss_reduction: str = ReductionV2.SUM_OVER_BATCH_SIZE,
) -> EstimatorSpec:
    """The model function of a baseline.

    Args:
        features, labels, mode, head, optimizer, weight_column: as of `BaselineEstimatorV2`.
        config: a `RunConfig`; nothing depends on it.
        loss_reduction: how the loss is reduced; of a mean each replica has its share.

    Raises:
        ValueError: if the features are no dictionary.
    """
    del config
    check_features(features)
    variables, logits = baseline_logits_v2(features, head.logits_dimension, weight_column)
    if mode == ModeKeys.TRAIN:
        optimizer = get_optimizer_instance_v2(optimizer, learning_rate=LEARNING_RATE)
        optimizer.iterations = get_or_create_global_step()

    def train_op_fn(loss: Tensor) -> Any:
        if loss_reduction == ReductionV2.SUM_OVER_BATCH_SIZE:
            loss = scale_loss_for_distribution(loss)
        return optimizer.get_updates(loss, variables)[0]

    return head.create_estimator_spec(
        features=features, mode=mode, logits=logits, labels=labels, train_op_fn=train_op_fn
    )


def _model_fn(
    head: Head,
    optimizer: Any,
    weight_column: Any = None,
    loss_reduction: str = ReductionV2.SUM_OVER_BATCH_SIZE,
) -> Callable[..., EstimatorSpec]:
    def model_fn(features: Any, labels: Any, mode: str) -> EstimatorSpec:
        return baseline_model_fn_v2(
            features, labels, mode, head, optimizer, weight_column, loss_reduction=loss_reduction
        )

    return model_fn


class BaselineClassifierV2(EstimatorV2):
    """A classifier that learns how frequent each class is.

    Args:
        model_dir: the folder of checkpoints and summaries.
        n_classes: how many classes.
        weight_column: the key or numeric column of the weights of examples.
        label_vocabulary: the names of the classes, where labels are strings.
        optimizer: a name, an instance of Keras, or a function of no arguments.
        config: a `RunConfig`.
        loss_reduction: how the losses of a batch become one: a `tf.keras.losses.Reduction`.

    Raises:
        ValueError: for another reduction, or less than 2 classes.

    Example:
        >>> estimator = tf.compat.v2.estimator.BaselineClassifier(n_classes=3)
    """

    def __init__(
        self,
        model_dir: str | None = None,
        n_classes: int = 2,
        weight_column: Any = None,
        label_vocabulary: Sequence[str] | None = None,
        optimizer: Any = "Ftrl",
        config: RunConfig | None = None,
        loss_reduction: str = ReductionV2.SUM_OVER_BATCH_SIZE,
    ) -> None:
        head = head_of_classes_v2(n_classes, weight_column, label_vocabulary, loss_reduction)
        model_fn = _model_fn(head, optimizer, weight_column, loss_reduction)
        super().__init__(model_fn, model_dir=model_dir, config=config)


class BaselineRegressorV2(EstimatorV2):
    """A regression that learns the mean of the labels.

    Args:
        label_dimension: how many numbers an example has.
        model_dir, weight_column, optimizer, config, loss_reduction: as of `BaselineClassifierV2`.
    """

    def __init__(
        self,
        model_dir: str | None = None,
        label_dimension: int = 1,
        weight_column: Any = None,
        optimizer: Any = "Ftrl",
        config: RunConfig | None = None,
        loss_reduction: str = ReductionV2.SUM_OVER_BATCH_SIZE,
    ) -> None:
        head = RegressionHead(label_dimension, weight_column, loss_reduction)
        model_fn = _model_fn(head, optimizer, loss_reduction=loss_reduction)
        super().__init__(model_fn, model_dir=model_dir, config=config)


class BaselineEstimatorV2(EstimatorV2):
    """A baseline whose head is given.

    Args:
        head: what the logits mean: a `tf.estimator.Head`.
        model_dir, optimizer, config: as of `BaselineClassifierV2`.
    """

    def __init__(
        self, head: Head, model_dir: str | None = None, optimizer: Any = "Ftrl", config: RunConfig | None = None
    ) -> None:
        super().__init__(_model_fn(head, optimizer), model_dir=model_dir, config=config)
