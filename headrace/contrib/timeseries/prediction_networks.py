"""Networks that predict a window from the one before."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.keras.engine.sequential import Sequential
from headrace.keras.engine.training import Model
from headrace.kernels.composing.arranging import concat, transpose
from headrace.layers.core import Dense, Flatten
from headrace.ops.array.shape import reshape
from headrace.ops.math.unary import exp
from headrace.recurrent.block_cells import LSTMBlockFusedCell

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor


class FlatPredictionModel(Model):
    """A feed-forward network over both windows.

    Args:
        num_features: how many numbers there are at a time.
        input_window_size, output_window_size: how many times the windows have.
        hidden_layer_sizes: the sizes of layers with a ReLU before the last.
    """

    def __init__(
        self,
        num_features: int,
        input_window_size: int,
        output_window_size: int,
        hidden_layer_sizes: Sequence[int] | None = None,
    ) -> None:
        super().__init__()
        self._sizes = [output_window_size, num_features]
        self._input_flatten, self._output_flatten = Flatten(), Flatten()
        hidden = [Dense(size, activation="relu") for size in hidden_layer_sizes or ()]
        self._hidden = Sequential(hidden) if hidden else None
        count = num_features * output_window_size
        self._mean = Dense(count, name="predicted_mean")
        self._log_variance = Dense(count, name="log_sigma_square")

    def call(  # type: ignore[override]  # layers say themselves what they are called with
        self, input_window_features: Tensor, output_window_features: Tensor
    ) -> dict[str, Any]:
        """Predictions of a window.

        Args:
            input_window_features: [batch, input window, features]; not looked at for a window of no times.
            output_window_features: [batch, output window, features]; not looked at if there are no features.

        Returns:
            "mean" and "covariance" (variances), [batch, output window, num_features].
        """
        if input_window_features.shape[1].value == 0:
            activation = self._output_flatten(output_window_features)
        elif output_window_features.shape[2].value == 0:
            activation = self._input_flatten(input_window_features)
        else:
            windows = [self._input_flatten(input_window_features), self._output_flatten(output_window_features)]
            activation = concat(windows, 1)
        if self._hidden is not None:
            activation = self._hidden(activation)
        mean = reshape(self._mean(activation), [-1, *self._sizes])
        variance = reshape(exp(self._log_variance(activation)), [-1, *self._sizes])
        return {"mean": mean, "covariance": variance}


class LSTMPredictionModel(Model):
    """An encoder and a decoder: an LSTM over the window before, and one over the window to predict.

    Args:
        num_features: how many numbers there are at a time.
        input_window_size, output_window_size: how many times the windows have.
        num_units: how many numbers the states have.
    """

    def __init__(
        self, num_features: int, input_window_size: int, output_window_size: int, num_units: int = 128
    ) -> None:
        super().__init__()
        self._encoder = LSTMBlockFusedCell(num_units=num_units, name="encoder")
        self._decoder = LSTMBlockFusedCell(num_units=num_units, name="decoder")
        self._mean = Dense(num_features, name="mean_transform")
        self._log_variance = Dense(num_features, name="covariance_transform")

    def call(  # type: ignore[override]  # layers say themselves what they are called with
        self, input_window_features: Tensor, output_window_features: Tensor
    ) -> dict[str, Any]:
        """Predictions of a window; arguments and results as of `FlatPredictionModel`."""
        before, following = (transpose(part, [1, 0, 2]) for part in (input_window_features, output_window_features))
        _, state = self._encoder(before, dtype=self.dtype or "float32")
        decoded, _ = self._decoder(following, initial_state=state)
        decoded = transpose(decoded, [1, 0, 2])
        return {"mean": self._mean(decoded), "covariance": exp(self._log_variance(decoded))}
