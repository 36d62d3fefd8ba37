"""Losses and metrics of a model's tensors as layers, so that they are computed wherever the model is called."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.layers.engine import Layer

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor


class AddLoss(Layer):
    """Adds its input to the losses, and gives it on.

    Args:
        unconditional: whether the loss is of no particular input.
    """

    def __init__(self, unconditional: bool, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.unconditional = unconditional

    def call(self, inputs: Any) -> Any:
        """The input."""
        self.add_loss(inputs, inputs=not self.unconditional or None)
        return inputs

    def get_config(self) -> dict[str, Any]:
        """The arguments to make another such layer with."""
        return {**super().get_config(), "unconditional": self.unconditional}


class AddMetric(Layer):
    """Adds its input to the metrics, and gives it on.

    Args:
        aggregation: how values of several batches become one: "mean", or None if the input is the result of a metric.
        metric_name: the name of the metric.
    """

    def __init__(self, aggregation: str | None = None, metric_name: str | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.aggregation = aggregation
        self.metric_name = metric_name

    def call(self, inputs: Tensor) -> Any:
        """The input."""
        self.add_metric(inputs, self.aggregation, self.metric_name)
        return inputs

    def get_config(self) -> dict[str, Any]:
        """The arguments to make another such layer with."""
        return {**super().get_config(), "aggregation": self.aggregation, "metric_name": self.metric_name}
