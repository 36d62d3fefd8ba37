"""Heads of models whose labels are distributed as a distribution that the logits parameterize."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headrace.contrib.learn.heads import Head, RegressionHead, weighted_loss
from headrace.core.constant_value import constant_value
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.tensor import Tensor
from headrace.kernels import composing
from headrace.kernels.composing.arranging import concat
from headrace.ops.array.shape import reshape

if TYPE_CHECKING:
    import numpy as np

    from headrace.core.typing import TensorLike
    from headrace.distributions.base import Distribution


def estimator_head_distribution_regression(
    make_distribution_fn: Callable[[Tensor], Any],
    label_dimension: int = 1,
    logits_dimension: int | None = None,
    label_name: str | None = None,
    weight_column_name: str | None = None,
    enable_centered_bias: bool = False,
    head_name: str | None = None,
) -> Head:
    """A head whose loss is the negative log probability of the labels.

    Args:
        make_distribution_fn: a function of logits [batch, logits] that returns a distribution.
        label_dimension: how many numbers an example has.
        logits_dimension: how many logits an example has, `label_dimension` by default.
        label_name: the key of the labels, if they are given by name.
        weight_column_name: the key of the examples' weights among the features.
        enable_centered_bias: whether the head learns a bias of its own.
        head_name: what summaries and metrics are suffixed by; the variable scope too.

    Returns:
        a Head of `tf.contrib.learn`; predictions are the means of the distributions.

    Raises:
        TypeError: if `make_distribution_fn` is no function.
        ValueError: if there are no logits.

    Example:
        >>> normal = lambda logits: tf.distributions.Normal(logits[..., 0], tf.nn.softplus(logits[..., 1]))
        >>> head = tf.contrib.distributions.estimator_head_distribution_regression(normal, logits_dimension=2)
        >>> targets = tf.constant([[0.5], [1.0], [2.0], [1.5]])
        >>> ops = head.create_model_fn_ops({}, "train", targets, tf.contrib.learn.no_op_train_fn, logits=logits)
    """
    return _DistributionRegressionHead(
        make_distribution_fn,
        label_dimension,
        logits_dimension,
        label_name,
        weight_column_name,
        enable_centered_bias,
        head_name,
    )


class _DistributionRegressionHead(RegressionHead):
    def __init__(
        self,
        make_distribution_fn: Callable[[Tensor], Any],
        label_dimension: int,
        logits_dimension: int | None = None,
        label_name: str | None = None,
        weight_column_name: str | None = None,
        enable_centered_bias: bool = False,
        head_name: str | None = None,
    ) -> None:
        if not callable(make_distribution_fn):
            raise TypeError(f"`make_distribution_fn` must be a callable function, got {make_distribution_fn!r}.")
        self._make = make_distribution_fn
        self._made: dict[Tensor, Any] = {}
        super().__init__(
            label_dimension,
            self._negative_log_probability,
            lambda logits: self.distribution(logits).mean(),
            logits_dimension,
            label_name,
            weight_column_name,
            enable_centered_bias,
            head_name,
        )

    @property
    def distributions(self) -> dict[Tensor, Any]:
        """All distributions that were made, by their logits."""
        return self._made

    def distribution(self, logits: Tensor, name: str | None = None) -> Distribution:
        """The distribution of `logits`, which is made once."""
        with name_scope(name, "distribution", [logits]):
            if logits not in self._made:
                self._made[logits] = self._make(logits)
            return self._made[logits]

    def _negative_log_probability(
        self, labels: Tensor, logits: Tensor, weights: TensorLike | None = None
    ) -> tuple[Tensor, Tensor]:
        distribution = self.distribution(logits)
        known = labels.shape.with_rank_at_least(1)[:-1]
        batch = known.as_list() if known.is_fully_defined() else composing.shape(labels)[:-1]
        labels = reshape(labels, shape=_joined(batch, distribution.event_shape_tensor()))
        return weighted_loss(-distribution.log_prob(labels), weights)


def _joined(*vectors: Any) -> Tensor | list[np.integer[Any]]:
    values = [constant_value(convert_to_tensor(vector)) for vector in vectors]
    if any(value is None for value in values):
        return concat(vectors, 0)
    return [item for value in values if value is not None for item in value]
