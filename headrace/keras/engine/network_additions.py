"""What is added to the training of a graph of layers after it was made: losses and metrics of its tensors, as layers."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from headrace.core import nest
from headrace.core.defaults import name_scope
from headrace.keras.engine.ancillary_layers import AddLoss, AddMetric
from headrace.keras.engine.network_graph import map_subgraph_network
from headrace.keras.engine.op_layer import create_keras_history
from headrace.layers.context import get_graph

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor


class NetworkAdditions:
    """Losses and metrics of the tensors of a model, and the state of its layers."""

    inputs: Any
    layers: Any
    _distribution_strategy: Any

    def _insert_layers(self, layers: Any, relevant_nodes: Any = None) -> None:
        raise NotImplementedError

    @property
    def stateful(self) -> bool:
        """Whether a layer in it keeps state from one batch to the next."""
        return any(getattr(layer, "stateful", False) for layer in self.layers)

    @property
    def state_updates(self) -> list[Any]:
        """The operations that bring its stateful layers from one batch to the next."""
        stateful = [layer for layer in self.layers if getattr(layer, "stateful", False)]
        return [update for layer in stateful for update in getattr(layer, "updates", ())]

    def get_weights(self) -> list[Any]:
        """The values of its variables, as NumPy arrays; under a strategy what replicas have of their own becomes one."""
        strategy = self._distribution_strategy
        with contextlib.nullcontext() if strategy is None else strategy.scope():
            return super().get_weights()  # type: ignore[misc, no-any-return]  # of a layer, which a network is too

    def reset_states(self) -> None:
        """Forgets what its stateful layers keep."""
        for layer in self.layers:
            if hasattr(layer, "reset_states") and getattr(layer, "stateful", False):
                layer.reset_states()

    def _graph_network_add_loss(self, symbolic_loss: Tensor) -> None:
        """Makes a loss of the model's tensors a layer of the model."""
        nodes, layers = self._between(symbolic_loss)
        with get_graph().as_default():
            add_loss = AddLoss(unconditional=False)
            add_loss(symbolic_loss)
        nodes.extend(add_loss.inbound_nodes)
        self._insert_layers([*layers, add_loss], nodes)

    def _graph_network_add_metric(self, value: Tensor, aggregation: str | None, name: str) -> None:
        """Makes a metric of the model's tensors a layer of the model."""
        nodes, layers = self._between(value)
        with get_graph().as_default(), name_scope(None):
            add_metric = AddMetric(aggregation, name)
            add_metric(value)
        nodes.extend(add_metric.inbound_nodes)
        self._insert_layers([*layers, add_metric], nodes)

    def _between(self, tensor: Tensor) -> tuple[list[Any], list[Any]]:
        # Also of what no layer gives: a constant is a layer without inputs then.
        create_keras_history(tensor)
        return map_subgraph_network(self.inputs, nest.flatten(tensor))
