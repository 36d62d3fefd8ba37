"""Autoregressive models in whose series single values may be out of the ordinary."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from headrace.contrib.timeseries.ar_model import _SMALLEST_VARIANCE, ARModel
from headrace.contrib.timeseries.covariances import cauchy_log_prob, normal_log_prob
from headrace.contrib.timeseries.prediction_networks import FlatPredictionModel
from headrace.ops.math.binary import maximum, minimum
from headrace.ops.math.unary import exp, log, sqrt
from headrace.state.initializers import Zeros
from headrace.state.variable_scope import get_variable

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import TensorLike


class AnomalyMixtureARModel(ARModel):
    """An `ARModel` whose values are normal, or with a small probability come from a wide distribution.

    Args:
        periodicities: the lengths of periods.
        anomaly_prior_probability: how probable a value out of the ordinary is.
        input_window_size, output_window_size, num_features: see `ARModel`.
        prediction_model_factory: makes the network.
        anomaly_distribution: `GAUSSIAN_ANOMALY` or `CAUCHY_ANOMALY`; its width is learned.
        num_time_buckets, exogenous_feature_columns: see `ARModel`.
    """

    GAUSSIAN_ANOMALY = "gaussian"
    CAUCHY_ANOMALY = "cauchy"

    def __init__(
        self,
        periodicities: int | Sequence[int],
        anomaly_prior_probability: float,
        input_window_size: int,
        output_window_size: int,
        num_features: int,
        prediction_model_factory: Callable[..., Any] = FlatPredictionModel,
        anomaly_distribution: str = GAUSSIAN_ANOMALY,
        num_time_buckets: int = 10,
        exogenous_feature_columns: Iterable[Any] | None = None,
    ) -> None:
        assert 0 <= anomaly_prior_probability < 1, f"no probability: {anomaly_prior_probability}"
        assert anomaly_distribution in (self.GAUSSIAN_ANOMALY, self.CAUCHY_ANOMALY), (
            f"anomaly_distribution must be {self.GAUSSIAN_ANOMALY!r} or {self.CAUCHY_ANOMALY!r}, "
            f"got {anomaly_distribution!r}"
        )
        self._prior_probability, self._distribution = anomaly_prior_probability, anomaly_distribution
        super().__init__(
            periodicities,
            input_window_size,
            output_window_size,
            num_features,
            prediction_model_factory,
            num_time_buckets,
            self.NORMAL_LIKELIHOOD_LOSS,
            exogenous_feature_columns,
        )

    def prediction_ops(self, times: TensorLike, values: TensorLike, exogenous_regressors: TensorLike) -> dict[str, Any]:
        """As of `ARModel`, with "anomaly_params": the width of the other distribution.

        Args:
            times, values, exogenous_regressors: see `ARModel.prediction_ops`.
        """
        found = dict(super().prediction_ops(times, values, exogenous_regressors))
        width = get_variable("anomaly_log_param", [], self.dtype, Zeros())
        return {**found, "anomaly_params": exp(width)}

    def _anomaly_log_prob(self, targets: TensorLike, prediction_ops: Mapping[str, Any]) -> Tensor:
        """The logarithm of the density of values that are out of the ordinary."""
        width, mean = prediction_ops["anomaly_params"], prediction_ops["mean"]
        if self._distribution == self.GAUSSIAN_ANOMALY:
            return normal_log_prob(mean, sqrt(maximum(width, _SMALLEST_VARIANCE)), targets)
        return cauchy_log_prob(mean, width, targets)

    def _log_likelihood(
        self, targets: TensorLike, mean: Tensor, deviation: Tensor, prediction_ops: Mapping[str, Any]
    ) -> Tensor:
        ordinary = normal_log_prob(mean, deviation, targets) + math.log(1.0 - self._prior_probability)
        other = self._anomaly_log_prob(targets, prediction_ops) + log(float(self._prior_probability))
        # log(exp(a) + exp(b)), without overflow.
        return maximum(ordinary, other) + log(1.0 + exp(minimum(ordinary, other) - maximum(ordinary, other)))
