"""Parts of models over feature columns, each with variables and an optimizer of its own, for model functions to combine."""

from __future__ import annotations

import abc
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.autodiff.gradients import gradients
from headrace.checkpoints.checkpoint_utils import list_variables, load_variable
from headrace.contrib.layers.optimizers import OPTIMIZER_CLS_NAMES
from headrace.contrib.learn.columns_models import linear_logits, network_logits
from headrace.contrib.learn.linear_optimizers import clipped, default_linear_rate
from headrace.contrib.learn.metric_spec import ModeKeys
from headrace.core.defaults import get_collection
from headrace.ops.nn.activations import relu
from headrace.optimizers.adagrad import AdagradOptimizer, FtrlOptimizer
from headrace.state.partitioned import min_max_variable_partitioner
from headrace.state.variable_scope import variable_scope

if TYPE_CHECKING:
    import numpy as np

    from headrace.core.operation import Operation
    from headrace.core.tensor import Tensor
    from headrace.optimizers.optimizer import Optimizer
    from headrace.state.variables import Variable

_NETWORK_RATE = 0.05
_SMALLEST_SLICE = 64 << 20


class ComposableModel(abc.ABC):
    """A part of a model: it builds logits, and trains its variables.

    Args:
        num_label_columns: how many logits there are.
        optimizer: an optimizer, or the name of one.
        gradient_clip_norm: the global norm that gradients are scaled down to.
        num_ps_replicas: how many parameter servers there are.
        scope: the scope of the variables.
        trainable: whether they are added to the trainable ones.
    """

    def __init__(
        self,
        num_label_columns: int,
        optimizer: Optimizer | str | None,
        gradient_clip_norm: float | None,
        num_ps_replicas: int,
        scope: str,
        trainable: bool = True,
    ) -> None:
        self._num_label_columns = num_label_columns
        self._optimizer = optimizer
        self._gradient_clip_norm = gradient_clip_norm
        self._num_ps_replicas = num_ps_replicas
        self._scope = scope
        self._trainable = trainable
        self._feature_columns: list[Any] | None = None

    def get_scope_name(self) -> str:
        """The scope of the variables."""
        return self._scope

    @abc.abstractmethod
    def build_model(self, features: dict[Any, Any], feature_columns: Sequence[Any], is_training: bool) -> Tensor:
        """The logits.

        Args:
            features: tensors by name.
            feature_columns: the columns of `tf.contrib.layers` to look at.
            is_training: whether the graph is one to train.
        """

    def get_train_step(self, loss: Tensor) -> list[Operation]:
        """What trains the variables of this part.

        Args:
            loss: the loss of the whole model.

        Raises:
            ValueError: before `build_model`.
        """
        variables = self._get_vars()
        found = gradients(loss, variables)
        pairs = clipped(list(zip(found, variables, strict=True)), self._gradient_clip_norm)
        return [self._get_optimizer().apply_gradients(pairs)]

    def _get_feature_columns(self) -> list[Any]:
        if self._feature_columns is None:
            raise ValueError("feature columns are known after build_model")
        return self._feature_columns

    def _get_vars(self) -> list[Variable]:
        if self._feature_columns is None:
            raise ValueError("there are no variables before build_model")
        return get_collection(self._scope)

    def _get_optimizer(self) -> Any:
        if self._optimizer is None or isinstance(self._optimizer, str):
            self._optimizer = self._get_default_optimizer(self._optimizer)
        elif callable(self._optimizer):
            self._optimizer = self._optimizer()
        return self._optimizer

    @abc.abstractmethod
    def _get_default_optimizer(self, optimizer_name: str | None = None) -> Any:
        """The optimizer of a name, or the usual one."""


class LinearComposableModel(ComposableModel):
    """A linear model over feature columns.

    Args:
        num_label_columns, gradient_clip_norm, num_ps_replicas, trainable: as of `ComposableModel`.
        optimizer: an optimizer, or the name of one; FTRL by default.
        _joint_weights: whether all weights lie in one variable.
        scope: the scope of the variables, "linear" by default.

    Example:
        >>> model = LinearComposableModel(num_label_columns=1)
        >>> x = tf.contrib.layers.real_valued_column("x")
        >>> logits = model.build_model({"x": tf.constant([[1.0], [2.0]])}, [x], is_training=True)
        >>> train_op = tf.group(*model.get_train_step(tf.reduce_sum(logits)))
    """

    def __init__(
        self,
        num_label_columns: int,
        optimizer: Optimizer | str | None = None,
        _joint_weights: bool = False,
        gradient_clip_norm: float | None = None,
        num_ps_replicas: int = 0,
        scope: str | None = None,
        trainable: bool = True,
    ) -> None:
        super().__init__(
            num_label_columns, optimizer, gradient_clip_norm, num_ps_replicas, scope or "linear", trainable
        )
        self._joint_weights = _joint_weights

    def get_weights(self, model_dir: str) -> np.ndarray | dict[str, np.ndarray]:
        """The weights by name, or those of the only column.

        Args:
            model_dir: the folder of checkpoints.
        """
        of_optimizer = re.compile(rf".*/{self._get_optimizer().get_name()}(_\d)?$")
        found = {
            name: load_variable(model_dir, name)
            for name, _ in list_variables(model_dir)
            if name.startswith(f"{self._scope}/")
            and name != f"{self._scope}/bias_weight"
            and not of_optimizer.match(name)
        }
        return next(iter(found.values())) if len(found) == 1 else found

    def get_bias(self, model_dir: str) -> np.ndarray:
        """The bias.

        Args:
            model_dir: the folder of checkpoints.
        """
        return load_variable(model_dir, f"{self._scope}/bias_weight")

    def build_model(self, features: dict[Any, Any], feature_columns: Sequence[Any], is_training: bool) -> Tensor:
        """See `ComposableModel`."""
        self._feature_columns = list(feature_columns)
        partitioner = min_max_variable_partitioner(max_partitions=self._num_ps_replicas, min_slice_size=_SMALLEST_SLICE)
        with variable_scope(self._scope, values=tuple(features.values()), partitioner=partitioner) as scope:
            return linear_logits(
                features,
                self._feature_columns,
                self._num_label_columns,
                scope,
                self._joint_weights,
                self._scope,
                self._trainable,
            )

    def _get_default_optimizer(self, optimizer_name: str | None = None) -> Any:
        rate = default_linear_rate(self._get_feature_columns())
        if optimizer_name is None:
            return FtrlOptimizer(learning_rate=rate)
        return OPTIMIZER_CLS_NAMES[optimizer_name](learning_rate=rate)


class DNNComposableModel(ComposableModel):
    """A network over feature columns.

    Args:
        num_label_columns, gradient_clip_norm, num_ps_replicas, trainable: as of `ComposableModel`.
        hidden_units: how many units each layer has.
        optimizer: an optimizer, or the name of one; Adagrad by default.
        activation_fn: of the layers.
        dropout: the part of units left out in training.
        scope: the scope of the variables, "dnn" by default.
    """

    def __init__(
        self,
        num_label_columns: int,
        hidden_units: Sequence[int],
        optimizer: Optimizer | str | None = None,
        activation_fn: Callable[..., Any] | None = relu,
        dropout: float | None = None,
        gradient_clip_norm: float | None = None,
        num_ps_replicas: int = 0,
        scope: str | None = None,
        trainable: bool = True,
    ) -> None:
        super().__init__(num_label_columns, optimizer, gradient_clip_norm, num_ps_replicas, scope or "dnn", trainable)
        self._hidden_units, self._activation_fn, self._dropout = hidden_units, activation_fn, dropout

    def get_weights(self, model_dir: str) -> list[np.ndarray]:
        """The weights of the layers, the last being those of the logits.

        Args:
            model_dir: the folder of checkpoints.
        """
        return self._of_layers(model_dir, "weights")

    def get_bias(self, model_dir: str) -> list[np.ndarray]:
        """The biases of the layers, the last being those of the logits.

        Args:
            model_dir: the folder of checkpoints.
        """
        return self._of_layers(model_dir, "biases")

    def _of_layers(self, model_dir: str, kind: str) -> list[np.ndarray]:
        layers = [*(f"hiddenlayer_{i}" for i in range(len(self._hidden_units))), "logits"]
        return [load_variable(model_dir, f"{self._scope}/{layer}/{kind}") for layer in layers]

    def build_model(self, features: dict[Any, Any], feature_columns: Sequence[Any], is_training: bool) -> Tensor:
        """See `ComposableModel`."""
        self._feature_columns = list(feature_columns)
        by_input = min_max_variable_partitioner(max_partitions=self._num_ps_replicas, min_slice_size=_SMALLEST_SLICE)
        with variable_scope(self._scope, values=tuple(features.values())):
            return network_logits(
                features,
                self._feature_columns,
                self._hidden_units,
                self._num_label_columns,
                ModeKeys.TRAIN if is_training else ModeKeys.INFER,
                self._activation_fn,
                self._dropout,
                "/",
                input_partitioner=by_input,
                servers=self._num_ps_replicas,
                collection=self._scope,
                trainable=self._trainable,
            )

    def _get_default_optimizer(self, optimizer_name: str | None = None) -> Any:
        if optimizer_name is None:
            return AdagradOptimizer(learning_rate=_NETWORK_RATE)
        return OPTIMIZER_CLS_NAMES[optimizer_name](learning_rate=_NETWORK_RATE)
