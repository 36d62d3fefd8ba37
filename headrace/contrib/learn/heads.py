"""The tops of models: what turns logits into predictions, a loss, a training step and metrics."""

from __future__ import annotations

import abc
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from headrace.contrib.layers.dense import linear
from headrace.contrib.layers.target_columns import ProblemType
from headrace.contrib.learn.metric_spec import ModeKeys, PredictionKey
from headrace.contrib.learn.model_outputs import ModelFnOps
from headrace.core.composite import SparseTensor, convert_to_tensor_or_sparse_tensor
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.dtypes import float32
from headrace.core.operation import Operation
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.math.reduction import reduce_mean, reduce_sum
from headrace.functions.nn.loss_functions import log_poisson_loss
from headrace.functions.weights import broadcast_weights
from headrace.kernels import composing
from headrace.kernels.composing.arranging import identity
from headrace.kernels.composing.filling import zeros
from headrace.kernels.composing.shapes import expand_dims, squeeze
from headrace.metrics.means import mean
from headrace.ops.array.shape import reshape
from headrace.ops.array.tile import tile
from headrace.ops.flow.grouping import group, no_op
from headrace.ops.math.cast import cast
from headrace.ops.math.division import div
from headrace.ops.math.unary import exp
from headrace.ops.nn.bias import bias_add
from headrace.optimizers.adagrad import AdagradOptimizer
from headrace.state.variable_scope import variable_scope
from headrace.state.variables import VariableV1
from headrace.summary.operations import scalar as scalar_summary
from headrace.util import tf_logging

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike
    from headrace.state.current_scope import VariableScope
    from headrace.state.variables import Variable


# Of labels, logits and weights: the loss to make less, and that to report.
Loss = Callable[[Any, Any, Any], tuple[Tensor, Tensor]]


class Head(abc.ABC):
    """The top of a model."""

    @property
    @abc.abstractmethod
    def logits_dimension(self) -> int:
        """How many logits there are for an example."""

    @abc.abstractmethod
    def create_model_fn_ops(
        self,
        features: Mapping[str, Any],
        mode: str,
        labels: TensorLike | SparseTensor | Mapping[str, Tensor] | None = None,
        train_op_fn: Callable[[Tensor], Any] | None = None,
        logits: TensorLike | None = None,
        logits_input: TensorLike | None = None,
        scope: str | VariableScope | None = None,
    ) -> ModelFnOps:
        """The operations of a model function.

        Args:
            features: tensors by name; those of weights are looked for here.
            mode: one of `ModeKeys`.
            labels: a tensor, or tensors by name; not needed for inference.
            train_op_fn: a function of the loss that returns the operation of a step; needed for training.
            logits: a tensor [batch, logits]. Exactly one of this and the next is given.
            logits_input: a tensor [batch, units] that a linear layer makes logits of.
            scope: a variable scope.

        Returns:
            ModelFnOps.

        Raises:
            ValueError: for an unknown mode, both or none of `logits` and `logits_input`, or no `train_op_fn` in training.
        """


def no_op_train_fn(loss: TensorLike) -> Operation:
    """An operation that does nothing, for models that are trained from outside."""
    del loss
    return no_op()


def regression_head(
    label_name: str | None = None,
    weight_column_name: str | None = None,
    label_dimension: int = 1,
    enable_centered_bias: bool = False,
    head_name: str | None = None,
    link_fn: Callable[[Tensor], Tensor] | None = None,
) -> Head:
    """A head for numbers, with the mean of squared errors.

    Args:
        label_name: the key of the labels, if they are given by name.
        weight_column_name: the key of the examples' weights among the features.
        label_dimension: how many numbers an example has.
        enable_centered_bias: whether the head learns a bias of its own, by Adagrad.
        head_name: what summaries and metrics are suffixed by; the variable scope too.
        link_fn: what makes predictions of logits, the identity by default.

    Returns:
        a Head.
    """
    return RegressionHead(
        label_dimension,
        _squared_error,
        link_fn or identity,
        label_name=label_name,
        weight_column_name=weight_column_name,
        enable_centered_bias=enable_centered_bias,
        head_name=head_name,
    )


def poisson_regression_head(
    label_name: str | None = None,
    weight_column_name: str | None = None,
    label_dimension: int = 1,
    enable_centered_bias: bool = False,
    head_name: str | None = None,
) -> Head:
    """A head for counts, whose logits are the logarithms of their rates; see `regression_head`."""
    return RegressionHead(
        label_dimension,
        _poisson_error,
        exp,
        label_name=label_name,
        weight_column_name=weight_column_name,
        enable_centered_bias=enable_centered_bias,
        head_name=head_name,
    )


def weighted_loss(each: Tensor, weights: TensorLike | None) -> tuple[Tensor, Tensor]:
    """The mean of weighted losses, and the weighted mean of losses."""
    with name_scope("loss", values=(each, weights)) as scope:
        if weights is None:
            total = reduce_mean(each, name=scope)
            return total, total
        weights = broadcast_weights(weights, each)
        with name_scope(None, "weighted_loss", (each, weights)) as name:
            weighted = raw.Mul(each, weights, name=name)
        total = reduce_mean(weighted, name=scope)
        return total, div(reduce_sum(weighted), cast(reduce_sum(weights), float32), name="weighted_average_loss")


def _as_columns(logits: Tensor, labels: Tensor) -> tuple[Tensor, Tensor]:
    logits, labels = convert_to_tensor(logits), convert_to_tensor(labels)
    if len(labels.get_shape()) == 1:
        labels = expand_dims(labels, axis=1)
    if len(logits.get_shape()) == 1:
        logits = expand_dims(logits, axis=1)
    logits.get_shape().assert_is_compatible_with(labels.get_shape())
    return logits, labels


def _squared_error(labels: Tensor, logits: Tensor, weights: Tensor | None = None) -> tuple[Tensor, Tensor]:
    with name_scope(None, "mean_squared_loss", (logits, labels)) as name:
        logits, labels = _as_columns(logits, labels)
        return weighted_loss(raw.SquaredDifference(logits, cast(labels, float32), name=name), weights)


def _poisson_error(labels: Tensor, logits: Tensor, weights: TensorLike | None = None) -> tuple[Tensor, Tensor]:
    with name_scope(None, "_poisson_loss", (logits, labels)) as name:
        logits, labels = _as_columns(logits, labels)
        return weighted_loss(log_poisson_loss(labels, logits, compute_full_loss=True, name=name), weights)


class SingleHead(Head):
    """A head for one target. Subclasses say what labels, predictions, metrics and outputs are.

    Args:
        problem_type: a `ProblemType`.
        logits_dimension: how many logits an example has.
        loss_fn: of labels, logits and weights, the loss to make less and that to report.
        default_name: the name of the variable scope where the head has none.
        label_name, weight_column_name, enable_centered_bias, head_name: see `regression_head`.

    Raises:
        ValueError: if there are no logits.
    """

    def __init__(
        self,
        problem_type: int,
        logits_dimension: int | None,
        loss_fn: Loss,
        default_name: str,
        label_name: str | None = None,
        weight_column_name: str | None = None,
        enable_centered_bias: bool = False,
        head_name: str | None = None,
    ) -> None:
        if logits_dimension is None or logits_dimension < 1:
            raise ValueError(f"Invalid logits_dimension {logits_dimension}.")
        self._problem_type, self._default_name = problem_type, default_name
        self._logits_dimension = logits_dimension
        self._loss_fn = loss_fn
        self.label_name, self.weight_column_name, self.head_name = label_name, weight_column_name, head_name
        self._enable_centered_bias = enable_centered_bias

    @property
    def logits_dimension(self) -> int:
        """How many logits there are for an example."""
        return self._logits_dimension

    @property
    def problem_type(self) -> int:
        """A `ProblemType`."""
        return self._problem_type

    def create_model_fn_ops(
        self,
        features: Mapping[str, Any],
        mode: str,
        labels: Any = None,
        train_op_fn: Callable[[Tensor], Any] | None = None,
        logits: TensorLike | None = None,
        logits_input: TensorLike | None = None,
        scope: str | VariableScope | None = None,
    ) -> ModelFnOps:
        """See `Head`."""
        values = (*features.values(), labels, logits, logits_input)
        with variable_scope(scope, default_name=self.head_name or self._default_name, values=values):
            labels = None if mode == ModeKeys.INFER or labels is None else self._labels(labels)
            logits = self._logits(logits, logits_input)
            if mode not in (ModeKeys.TRAIN, ModeKeys.EVAL, ModeKeys.INFER):
                raise ValueError(f"mode={mode} unrecognized.")
            bias = self._centered_bias() if self._enable_centered_bias else None
            if bias is not None:
                logits = bias_add(logits, bias)
            predictions = self._predictions(logits)
            if labels is None:
                return ModelFnOps(mode, predictions, output_alternatives=self._outputs(predictions))
            weights = self._weights(features)
            loss, reported = self._loss_fn(labels, logits, weights)
            with name_scope(""):
                scalar_summary(self._key("loss"), identity(reported))
            step = None
            if mode == ModeKeys.TRAIN:
                if train_op_fn is None:
                    raise ValueError("train_op_fn can not be None in TRAIN mode")
                step = self._step(loss, labels, logits, weights, bias, train_op_fn)
            with name_scope("metrics", values=[reported]):
                metrics = self._metrics(reported, predictions, labels, weights)
            return ModelFnOps(mode, predictions, loss, step, metrics, self._outputs(predictions))

    def _labels(self, labels: SparseTensor | Tensor | Mapping[str, Tensor]) -> Any:
        found = convert_to_tensor_or_sparse_tensor(labels[self.label_name] if isinstance(labels, dict) else labels)
        if isinstance(found, SparseTensor):
            raise ValueError("SparseTensor is not supported.")
        return found

    def _logits(self, logits: TensorLike | None, logits_input: TensorLike | None) -> Tensor:
        if logits is None:
            if logits_input is None:
                raise ValueError("Neither logits nor logits_input supplied.")
            return linear(logits_input, self._logits_dimension, scope="logits")
        if logits_input is not None:
            raise ValueError("Both logits and logits_input supplied.")
        logits = convert_to_tensor(logits, name="logits")
        dims = logits.get_shape().dims
        if dims is not None:
            dims[-1].assert_is_compatible_with(self._logits_dimension)
        return logits

    @abc.abstractmethod
    def _predictions(self, logits: Tensor) -> dict[str, Any]:
        """The predictions by name."""

    def _metrics(
        self, reported: Tensor, predictions: Mapping[str, Any], labels: Tensor, weights: Tensor | None
    ) -> dict[str, Any]:
        """The metrics by name: the mean of the loss, and more in subclasses."""
        return {self._key("loss"): mean(reported)}

    def _outputs(self, predictions: Mapping[str, Any]) -> dict[str | None, Any]:
        """What the head gives where it is exported."""
        return {self.head_name: (self._problem_type, predictions)}

    def _weights(self, features: Mapping[str, Any]) -> Tensor | None:
        """The examples' weights, of rank 0 or 2 and more."""
        name = self.weight_column_name
        if not name:
            return None
        if name not in features:
            raise ValueError(f"Weights {name} missing from features.")
        with name_scope(None, "weight_tensor", tuple(features.values())):
            weights = cast(features[name], float32)
            shape = weights.get_shape()
            if shape.ndims != 1:
                return weights
            tf_logging.warning(f"Weights {name} has shape {shape}, expanding to make it 2d.")
            return reshape(weights, (-1, 1))

    def _centered_bias(self) -> Variable:
        start = zeros(shape=(self._logits_dimension,))
        bias = VariableV1(start, trainable=True, name="centered_bias_weight")
        for i in range(self._logits_dimension):
            scalar_summary(self._key(f"centered_bias/bias_{i}"), bias[i])
        return bias

    def _step(
        self,
        loss: Tensor,
        labels: Tensor,
        logits: Tensor,
        weights: Tensor | None,
        bias: Variable | None,
        train_op_fn: Callable[[Tensor], Any],
    ) -> Operation:
        batch = composing.shape(logits)[0]
        bias_step = None if bias is None else self._bias_step(bias, batch, labels, weights)
        with name_scope(None, "train_op", (loss, labels)):
            step = train_op_fn(loss)
            return step if bias_step is None else group(step, bias_step)

    def _bias_step(self, bias: Variable, batch: Tensor, labels: Tensor, weights: Any) -> Operation:
        """A step on the bias alone, as if there were no other logits."""
        with name_scope(None, "centered_bias_step", (labels,)) as name:
            count = composing.shape(bias)[0]
            logits = reshape(tile(bias, (batch,)), (batch, count))
            with name_scope(None, "centered_bias", (labels, logits)):
                loss = reduce_mean(self._loss_fn(labels, logits, weights), name="training_loss")
        return AdagradOptimizer(0.1).minimize(loss, var_list=(bias,), name=name)

    def _key(self, name: str) -> str:
        return f"{name}/{self.head_name}" if self.head_name else name


class RegressionHead(SingleHead):
    """A head for numbers.

    Args:
        label_dimension: how many numbers an example has.
        loss_fn: of labels, logits and weights, the loss to make less and that to report.
        link_fn: what makes predictions of logits.
        logits_dimension: how many logits an example has, `label_dimension` by default.
        label_name, weight_column_name, enable_centered_bias, head_name: see `regression_head`.

    Raises:
        ValueError: if there are no logits.
    """

    def __init__(
        self,
        label_dimension: int | None,
        loss_fn: Loss,
        link_fn: Callable[[Tensor], Tensor],
        logits_dimension: int | None = None,
        label_name: str | None = None,
        weight_column_name: str | None = None,
        enable_centered_bias: bool = False,
        head_name: str | None = None,
    ) -> None:
        super().__init__(
            ProblemType.LINEAR_REGRESSION,
            label_dimension if logits_dimension is None else logits_dimension,
            loss_fn,
            "regression_head",
            label_name,
            weight_column_name,
            enable_centered_bias,
            head_name,
        )
        self._link_fn = link_fn

    def _predictions(self, logits: Tensor) -> dict[str, Any]:
        with name_scope(None, "predictions", (logits,)):
            if self._logits_dimension == 1:
                logits = squeeze(logits, axis=(1,), name=PredictionKey.SCORES)
            return {PredictionKey.SCORES: self._link_fn(logits)}
