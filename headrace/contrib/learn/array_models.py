"""The ready-made estimators of `tf.contrib.learn` before release 0.12: linear models and networks of arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.contrib.learn import plain_models
from headrace.contrib.learn.model_estimators import TensorFlowEstimator

if TYPE_CHECKING:
    import numpy as np

    from headrace.estimator.run_config import RunConfig

_TARGETS = {True: "logistic_regression", False: "linear_regression"}


class _EndingInALinearModel(TensorFlowEstimator):
    """A model that ends in a logistic or linear regression, by how many classes there are."""

    def _target(self) -> Callable[[Any, Any], Any]:
        return plain_models.logistic_regression if self.n_classes > 1 else plain_models.linear_regression

    def _of_target(self, name: str) -> np.ndarray:
        return self.get_variable_value(f"{_TARGETS[self.n_classes > 1]}/{name}")

    @property
    def weights_(self) -> Any:
        """The weights of the regression."""
        return self._of_target("weights")

    @property
    def bias_(self) -> Any:
        """The bias of the regression."""
        return self._of_target("bias")


class TensorFlowLinearRegressor(_EndingInALinearModel):
    """Linear regression, from weights of zero; arguments as for `TensorFlowEstimator`.

    Example:
        >>> x, y = np.float32([[0, 1], [1, 0], [1, 1], [0, 0]]), np.array([0, 1, 1, 0])
        >>> regressor = tf.contrib.learn.TensorFlowLinearRegressor(steps=10, learning_rate=0.01)
        >>> weights = regressor.fit(x, y).weights_
    """

    def __init__(
        self,
        n_classes: int = 0,
        batch_size: int = 32,
        steps: int = 200,
        optimizer: Any = "Adagrad",
        learning_rate: Any = 0.1,
        clip_gradients: float | None = 5.0,
        continue_training: bool = False,
        config: RunConfig | None = None,
        verbose: int = 1,
    ) -> None:
        super().__init__(
            plain_models.linear_regression_zero_init,
            n_classes,
            batch_size,
            steps,
            optimizer,
            learning_rate,
            clip_gradients,
            continue_training=continue_training,
            config=config,
            verbose=verbose,
        )


class TensorFlowLinearClassifier(_EndingInALinearModel):
    """Logistic regression, from weights of zero; arguments as for `TensorFlowEstimator`.

    Example:
        >>> x, y = np.float32([[0, 1], [1, 0], [1, 1], [0, 0]]), np.array([0, 1, 1, 0])
        >>> classifier = tf.contrib.learn.TensorFlowLinearClassifier(n_classes=2, steps=10)
        >>> classes = classifier.fit(x, y).predict(x)
    """

    def __init__(
        self,
        n_classes: int,
        batch_size: int = 32,
        steps: int = 200,
        optimizer: Any = "Adagrad",
        learning_rate: Any = 0.1,
        class_weight: Sequence[float] | None = None,
        clip_gradients: float | None = 5.0,
        continue_training: bool = False,
        config: RunConfig | None = None,
        verbose: int = 1,
    ) -> None:
        super().__init__(
            plain_models.logistic_regression_zero_init,
            n_classes,
            batch_size,
            steps,
            optimizer,
            learning_rate,
            clip_gradients,
            class_weight,
            continue_training,
            config,
            verbose,
        )


class _Network(_EndingInALinearModel):
    """Fully connected layers with a regression at the end."""

    def __init__(
        self,
        hidden_units: Sequence[int],
        n_classes: int,
        batch_size: int = 32,
        steps: int = 200,
        optimizer: Any = "Adagrad",
        learning_rate: Any = 0.1,
        class_weight: Sequence[float] | None = None,
        clip_gradients: float | None = 5.0,
        continue_training: bool = False,
        config: RunConfig | None = None,
        verbose: int = 1,
        dropout: float | None = None,
    ) -> None:
        super().__init__(
            self._network,
            n_classes,
            batch_size,
            steps,
            optimizer,
            learning_rate,
            clip_gradients,
            class_weight,
            continue_training,
            config,
            verbose,
        )
        self.hidden_units = hidden_units
        self.dropout = dropout

    def _network(self, x: Any, y: Any) -> Any:
        return plain_models.get_dnn_model(self.hidden_units, self._target(), self.dropout)(x, y)

    def _of_layers(self, name: str) -> list[np.ndarray]:
        layers = [self.get_variable_value(f"dnn/layer{i}/{name}") for i in range(len(self.hidden_units))]
        return [*layers, self._of_target(name)]

    @property
    def weights_(self) -> Any:
        """The weights of the layers, those of the regression last."""
        return self._of_layers("weights")

    @property
    def bias_(self) -> Any:
        """The biases of the layers, those of the regression last."""
        return self._of_layers("bias")


class TensorFlowDNNClassifier(_Network):
    """Fully connected layers that tell classes apart.

    Args:
        hidden_units: the sizes of the layers.
        n_classes: how many classes there are.
        dropout: the share of each layer's numbers that training leaves out.
        batch_size, steps, optimizer, learning_rate, class_weight, clip_gradients, continue_training, config, verbose: as
            for `TensorFlowEstimator`.

    Example:
        >>> x, y = np.float32([[0, 1], [1, 0], [1, 1], [0, 0]]), np.array([0, 1, 1, 0])
        >>> classifier = tf.contrib.learn.TensorFlowDNNClassifier(hidden_units=[10, 20, 10], n_classes=2, steps=10)
        >>> classes = classifier.fit(x, y).predict(x)
    """


class TensorFlowDNNRegressor(_Network):
    """Fully connected layers that predict numbers; arguments as for `TensorFlowDNNClassifier`.

    Example:
        >>> x, y = np.float32([[0, 1], [1, 0], [1, 1], [0, 0]]), np.array([0, 1, 1, 0])
        >>> regressor = tf.contrib.learn.TensorFlowDNNRegressor(hidden_units=[10, 10], steps=10, learning_rate=0.01)
        >>> numbers = regressor.fit(x, y).predict(x)
    """

    def __init__(self, hidden_units: Sequence[int], n_classes: int = 0, *args: Any, **keywords: Any) -> None:
        super().__init__(hidden_units, n_classes, *args, **keywords)


def _as_they_are(x: Any) -> Any:
    return x


class _RecurrentNetwork(_EndingInALinearModel):
    """A recurrent network with a regression of its last state at the end."""

    def __init__(
        self,
        rnn_size: int,
        n_classes: int,
        cell_type: str = "gru",
        num_layers: int = 1,
        input_op_fn: Callable[[Any], Any] = _as_they_are,
        initial_state: Any = None,
        bidirectional: bool = False,
        sequence_length: Any = None,
        attn_length: int | None = None,
        attn_size: int | None = None,
        attn_vec_size: int | None = None,
        batch_size: int = 32,
        steps: int = 50,
        optimizer: Any = "Adagrad",
        learning_rate: Any = 0.1,
        class_weight: Sequence[float] | None = None,
        clip_gradients: float | None = 5.0,
        continue_training: bool = False,
        config: RunConfig | None = None,
        verbose: int = 1,
    ) -> None:
        super().__init__(
            self._network,
            n_classes,
            batch_size,
            steps,
            optimizer,
            learning_rate,
            clip_gradients,
            class_weight,
            continue_training,
            config,
            verbose,
        )
        self.rnn_size = rnn_size
        self.cell_type = cell_type
        self.num_layers = num_layers
        self.input_op_fn = input_op_fn
        self.initial_state = initial_state
        self.bidirectional = bidirectional
        self.sequence_length = sequence_length
        self.attn_length = attn_length
        self.attn_size = attn_size
        self.attn_vec_size = attn_vec_size

    def _network(self, x: Any, y: Any) -> Any:
        model = plain_models.get_rnn_model(
            self.rnn_size,
            self.cell_type,
            self.num_layers,
            self.input_op_fn,
            self.bidirectional,
            self._target(),
            self.sequence_length,
            self.initial_state,
            self.attn_length,
            self.attn_size,
            self.attn_vec_size,
        )
        return model(x, y)


class TensorFlowRNNClassifier(_RecurrentNetwork):
    """A recurrent network that tells classes of sequences apart.

    Args:
        rnn_size: the size of the cells.
        n_classes: how many classes there are.
        cell_type: "rnn", "gru" or "lstm".
        num_layers: how many cells lie upon one another.
        input_op_fn: of the features; returns a tensor [batch, size] for each step.
        initial_state: the state to start with; zeros by default.
        bidirectional: whether there is a network backwards too.
        sequence_length: how many steps of each sequence there are, [batch]; None for all.
        attn_length, attn_size, attn_vec_size: how many steps cells look back by attention, and its sizes.
        batch_size, steps, optimizer, learning_rate, class_weight, clip_gradients, continue_training, config, verbose: as
            for `TensorFlowEstimator`.

    Example:
        >>> x, y = np.float32([[2, 1, 2, 2, 3], [3, 3, 1, 2, 1]]), np.array([1, 0])
        >>> classifier = tf.contrib.learn.TensorFlowRNNClassifier(
        ...     rnn_size=8, n_classes=2, steps=10, input_op_fn=lambda x: tf.split(x, 5, axis=1)
        ... )
        >>> classes = classifier.fit(x, y).predict(x)
    """


class TensorFlowRNNRegressor(_RecurrentNetwork):
    """A recurrent network that predicts numbers from sequences; arguments as for `TensorFlowRNNClassifier`.

    Example:
        >>> x, y = np.float32([[2, 1, 2, 2, 3], [3, 3, 1, 2, 1]]), np.array([1, 0])
        >>> regressor = tf.contrib.learn.TensorFlowRNNRegressor(
        ...     rnn_size=8, steps=10, input_op_fn=lambda x: tf.split(x, 5, axis=1)
        ... )
        >>> numbers = regressor.fit(x, y).predict(x)
    """

    def __init__(self, rnn_size: int, n_classes: int = 0, *args: Any, **keywords: Any) -> None:
        super().__init__(rnn_size, n_classes, *args, **keywords)
