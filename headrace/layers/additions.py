"""What layers add to the training of a model: losses, updates and metrics."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headrace.core import nest, slots
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import get_default_graph
from headrace.core.dtypes import as_dtype
from headrace.core.eager import executing_eagerly
from headrace.core.operation import Operation
from headrace.core.tensor import Tensor
from headrace.functions.flow.modes import BodyGraph
from headrace.layers.contents import Contents
from headrace.layers.context import call_context, get_graph, in_symbolic_graph, in_traced_function
from headrace.layers.nodes import Node, reachable
from headrace.state.replication import has_strategy, in_cross_replica_context
from headrace.state.variables import Variable

if TYPE_CHECKING:
    from headrace.core.typing import Nested, TensorLike

_NO_AGGREGATION = (
    "We do not support adding an aggregated metric result tensor that is not the output of a `tf.keras.metrics.Metric` "
    "metric instance: it could not be reset after every epoch. Pass what a metric object gave, or a value of one batch with "
    "`aggregation='mean'`: `self.add_metric(tf.reduce_sum(inputs), name='mean_activation', aggregation='mean')`"
)
_NOT_OF_NETWORK = (
    "Using the result of calling a `Metric` object when calling `add_metric` on a Functional Model is not supported. Please "
    "pass the Tensor to monitor directly."
)


class Additions(Contents):
    """Losses, updates and metrics of a layer, those of the layers inside it included."""

    _stateful: bool
    _callable_losses: list[Callable[[], Any]]
    _losses: list[Any]
    _updates: list[Any]
    _metrics: list[Any]
    _inbound_nodes: list[Node]
    _thread_local: threading.local

    def add_loss(self, losses: TensorLike | Callable[..., Any], inputs: TensorLike | None = None) -> None:
        """Adds losses of the layer.

        Args:
            losses: a scalar, a function without arguments that makes one, or a list of such.
            inputs: the inputs that they depend on; None says that they depend on none.

        Raises:
            ValueError: for a loss that has a value, outside of `call`: it would not be computed again.
        """
        for loss in nest.flatten(losses):
            if callable(loss) and not isinstance(loss, Tensor):
                self._callable_losses.append(functools.partial(_as_loss, loss, inputs is None))
            elif loss is not None:
                made = _as_loss(loss, inputs is None)
                check_not_in_branch(made, "add_loss")
                if made._is_graph_tensor and not in_traced_function():
                    self._add_symbolic_loss(made)
                elif call_context.in_call:
                    self._eager_losses.append(made)
                else:
                    raise ValueError(
                        "Expected a symbolic Tensors or a callable for the loss value. Please wrap your loss computation in "
                        "a zero argument `lambda`."
                    )

    def _add_symbolic_loss(self, loss: Tensor) -> None:
        if getattr(self, "_is_graph_network", False) and not call_context.in_call:
            self._graph_network_add_loss(loss)
        else:
            self._losses.append(loss)

    def _graph_network_add_loss(self, symbolic_loss: Tensor) -> None:
        raise NotImplementedError(f"add_loss: {type(self).__name__} is no graph of layers")

    @property
    def _eager_losses(self) -> list[Any]:
        """The losses that its last call while executing eagerly computed, in this thread."""
        local = self.__dict__.get("_thread_local")
        if local is None:
            local = self.__dict__["_thread_local"] = threading.local()
        found: list[Any] | None = getattr(local, "eager_losses", None)
        if found is None:
            found = local.eager_losses = []
        return found

    @_eager_losses.setter
    def _eager_losses(self, losses: list[Any]) -> None:
        self._thread_local.eager_losses = losses

    def _clear_losses(self) -> None:
        local = self.__dict__.get("_thread_local")
        if local is not None and getattr(local, "eager_losses", None):
            local.eager_losses = []
        for layer in self._sublayers():
            if isinstance(layer, Additions):
                layer._clear_losses()

    def add_metric(self, value: TensorLike, aggregation: str | None = None, name: str | None = None) -> None:
        """Adds a metric of the layer: what is to be watched beside the loss.

        Args:
            value: a tensor.
            aggregation: "mean" if the value is that of one batch; None if it is what a metric object gives.
            name: the metric's name.

        Raises:
            ValueError: if the name is missing, or the value is not of a model that is a graph of layers.
        """
        if aggregation is not None and aggregation != "mean":
            raise ValueError(
                f"We currently support only `mean` sample-wise metric aggregation. You provided aggregation=`{aggregation}`"
            )
        source = getattr(value, "_metric_obj", None)
        if name is None and source is None:
            raise ValueError(
                "Please provide a name for your metric like `self.add_metric(tf.reduce_sum(inputs), name='mean_activation', "
                "aggregation='mean')`"
            )
        if source is not None:
            if getattr(self, "_is_graph_network", False) and not call_context.in_call:
                raise ValueError(_NOT_OF_NETWORK)
            name = source.name
        elif aggregation is None and self._get_existing_metric(name) is None:
            raise ValueError(_NO_AGGREGATION)
        check_not_in_branch(value, "add_metric")
        graph_tensor = isinstance(value, Tensor) and value._is_graph_tensor
        if not call_context.in_call and not graph_tensor:
            raise ValueError(f"Expected a symbolic Tensor for the metric value, received: {value!r}")
        if graph_tensor and not in_traced_function():
            if getattr(self, "_is_graph_network", False) and not call_context.in_call:
                assert isinstance(value, Tensor)
                self._graph_network_add_metric(value, aggregation, str(name))
            else:
                self._symbolic_add_metric(value, aggregation, name)
        elif not call_context.in_call:
            raise ValueError(f"Expected a symbolic Tensor for the metric value, received: {value!r}")
        else:
            self._eager_add_metric(value, aggregation, name)

    def _graph_network_add_metric(self, value: Tensor, aggregation: str | None, name: str) -> None:
        raise NotImplementedError(f"add_metric: {type(self).__name__} is no graph of layers")

    def _get_existing_metric(self, name: str | None = None) -> Any:
        found = [metric for metric in self._metrics if metric.name == name]
        if len(found) > 1:
            raise ValueError(
                f"Please provide different names for the metrics you have added. We found {len(found)} metrics "
                f"with the name: {name!r}"
            )
        return found[0] if found else None

    def _eager_add_metric(self, value: Any, aggregation: str | None = None, name: str | None = None) -> None:
        metric = self._get_existing_metric(name)
        if metric is not None:
            # One that gave the value itself has taken it in already.
            if aggregation is not None:
                metric(value)
        elif aggregation is not None:
            metric = slots.mean_metric(name=name, dtype=value.dtype)
            metric(value)
            self._metrics.append(metric)
        elif getattr(value, "_metric_obj", None) is not None:
            self._metrics.append(value._metric_obj)
        else:
            raise ValueError(_NO_AGGREGATION)

    def _symbolic_add_metric(self, value: Any, aggregation: str | None = None, name: str | None = None) -> None:
        metric = self._get_existing_metric(name)
        if aggregation is None:
            # The value is what a metric object gave.
            source = getattr(value, "_metric_obj", None)
            if source is None and metric is None:
                raise ValueError(_NO_AGGREGATION)
            if source is not None and all(source is not other for other in self._metrics):
                self._metrics.append(source)
        elif metric is not None:
            metric(value)
        else:
            metric = slots.mean_metric(name=name, dtype=value.dtype)
            metric(value)
            self._metrics.append(metric)

    def add_update(self, updates: Callable[..., Any], inputs: Any = None) -> None:
        """Adds operations to run in each training step.

        Args:
            updates: operations, tensors, or functions that make them.
            inputs: not used; which inputs they depend on is read off the graph.
        """
        several = updates if isinstance(updates, (list, tuple)) else [updates]
        if executing_eagerly() or in_traced_function():
            # They run now; there is nothing to keep.
            if not call_context.frozen:
                for update in several:
                    while callable(update) and not isinstance(update, (Operation, Tensor)):
                        update = update()
            return
        if has_strategy() and in_cross_replica_context():
            # It is replicas that train: their calls of the layer make the updates.
            return
        if call_context.in_call:
            relevant = call_context.inputs
        else:
            relevant = [node.input_tensors for node in self._inbound_nodes]
        if in_symbolic_graph() and call_context.in_call:
            # What the call did already has run with it there; functions are called when somebody asks for updates.
            several = [update for update in several if callable(update) and not isinstance(update, (Operation, Tensor))]
            graph = get_default_graph()
            branch = graph if isinstance(graph, BodyGraph) else graph._get_control_flow_context()
            self._updates.extend(functools.partial(_as_update, update, relevant, branch) for update in several)
        else:
            self._updates.extend(_as_update(update, relevant) for update in several)

    @property
    def stateful(self) -> bool:
        """Whether it keeps state from one batch to the next."""
        return self._stateful

    @stateful.setter
    def stateful(self, value: bool) -> None:
        self._stateful = value

    @property
    def updates(self) -> list[Any]:
        """Operations to run in each training step."""
        if not self.trainable and not self.stateful:
            return []
        own = self._updates
        if any(isinstance(update, functools.partial) for update in own):
            with get_graph().as_default():
                own = [update() if isinstance(update, functools.partial) else update for update in own]
        return [*own, *self._of_sublayers("updates")]

    @property
    def losses(self) -> list[Any]:
        """The losses of the layer; those of regularizers are made anew at each look."""
        made = (loss() for loss in self._callable_losses)
        return [
            *(self._eager_losses or self._losses),
            *(loss for loss in made if loss is not None),
            *self._of_sublayers("losses"),
        ]

    @property
    def metrics(self) -> list[Any]:
        """The metrics of the layer."""
        return [*self._metrics, *self._of_sublayers("metrics")]

    def get_updates_for(self, inputs: Nested[Tensor] | None) -> list[Any]:
        """The updates that depend on these inputs; for None those that depend on none."""
        return _related(inputs, self.updates, "_unconditional_update")

    def get_losses_for(self, inputs: Nested[Tensor] | None) -> list[Any]:
        """The losses that depend on these inputs; for None those that depend on none."""
        return _related(inputs, self.losses, "_unconditional_loss")


def check_not_in_branch(value: Any, method: str) -> None:
    """Complains of what only a branch or loop of a layer's `call` computes, where it is to be known outside.

    Args:
        value: a tensor or operation.
        method: what it was given to.

    Raises:
        RuntimeError: if it is so. Programs in graphs may: there the whole graph is run.
    """
    operation = value if isinstance(value, Operation) else getattr(value, "_op", None)
    if operation is None or not in_symbolic_graph():
        return
    if isinstance(operation._graph, BodyGraph) or operation._control_flow_context is not None:
        raise _in_branch(method)


def _in_branch(method: str) -> RuntimeError:
    return RuntimeError(
        f"You are using the method `{method}` in a control flow branch of your layer: a branch or loop that depends on a "
        f"tensor. This is not supported: what `{method}` gets there is not known outside of it. Compute it before the "
        f"branch, and call `{method}` outside of it."
    )


def _as_update(update: Any, relevant: Any, branch: object = None) -> Any:
    """The operation of an update, which says of itself whether it depends on the inputs `relevant`.

    Args:
        update: the operation, or a function that makes it.
        relevant: the inputs.
        branch: the branch or loop that it was added in, if any.
    """
    if branch is not None:
        raise _in_branch("add_update")
    while callable(update) and not isinstance(update, (Operation, Tensor)):
        update = update()
    if not isinstance(update, Operation):
        update = update.op if hasattr(update, "op") else convert_to_tensor(update)
    check_not_in_branch(update, "add_update")
    update._unconditional_update = id(update) not in reachable(relevant, [update])
    return update


def _as_loss(loss: Any, unconditional: bool) -> Any:
    if callable(loss) and not isinstance(loss, Tensor):
        loss = loss()
    if loss is None:
        return None
    if not isinstance(loss, Tensor):
        loss = convert_to_tensor(loss, dtype=None if isinstance(loss, Variable) else as_dtype("float32"))
    loss._unconditional_loss = unconditional
    return loss


def _related(inputs: Nested[Tensor] | None, items: list[Any], mark: str) -> list[Any]:
    """Those of `items` that depend on inputs; of None those whose attribute `mark` says that they depend on none."""
    if inputs is None:
        return [item for item in items if getattr(item, mark)]
    for part in nest.flatten(inputs, expand_composites=True):
        if not isinstance(part, (Operation, Variable, Tensor)):
            raise TypeError(f"Expected Operation, Variable, or Tensor, got {part!r}")
    items = [item for item in items if not getattr(item, mark)]
    found = reachable(inputs, items)
    return [item for item in items if id(item) in found]
