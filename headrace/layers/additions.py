"""What layers add to the training of a model: losses, updates and metrics."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headrace.core import nest
from headrace.core.convert import convert_to_tensor
from headrace.core.dtypes import as_dtype
from headrace.core.eager import executing_eagerly
from headrace.core.operation import Operation
from headrace.core.tensor import Tensor
from headrace.layers.contents import Contents
from headrace.layers.context import call_context
from headrace.layers.nodes import Node, reachable
from headrace.state.variables import Variable

if TYPE_CHECKING:
    from headrace.core.typing import Nested, TensorLike


class Additions(Contents):
    """Losses, updates and metrics of a layer, those of the layers inside it included."""

    _stateful: bool
    _callable_losses: list[Callable[[], Any]]
    _losses: list[Any]
    _updates: list[Any]
    _metrics: list[Any]
    _inbound_nodes: list[Node]

    def add_loss(self, losses: TensorLike | Callable[..., Any], inputs: TensorLike | None = None) -> None:
        """Adds losses of the layer.

        Args:
            losses: a scalar, a function without arguments that makes one, or a list of such.
            inputs: the inputs that they depend on; None says that they depend on none.
        """
        for loss in nest.flatten(losses):
            if callable(loss) and not isinstance(loss, Tensor):
                self._callable_losses.append(functools.partial(_as_loss, loss, inputs is None))
            elif loss is not None:
                self._losses.append(_as_loss(loss, inputs is None))

    def _clear_losses(self) -> None:
        self._losses.clear()
        for layer in self._sublayers():
            if isinstance(layer, Additions):
                layer._clear_losses()

    def add_update(self, updates: Callable[..., Any], inputs: Any = None) -> None:
        """Adds operations to run in each training step.

        Args:
            updates: operations, tensors, or functions that make them.
            inputs: not used; which inputs they depend on is read off the graph.
        """
        if executing_eagerly():
            # They run now; there is nothing to keep.
            for update in updates if isinstance(updates, (list, tuple)) else [updates]:
                while callable(update) and not isinstance(update, Tensor):
                    update = update()
            return
        if call_context.in_call:
            relevant = call_context.inputs
        else:
            relevant = [node.input_tensors for node in self._inbound_nodes]
        for update in updates if isinstance(updates, (list, tuple)) else [updates]:
            while callable(update) and not isinstance(update, (Operation, Tensor)):
                update = update()
            if not isinstance(update, Operation):
                update = update.op if hasattr(update, "op") else convert_to_tensor(update)
            update._unconditional_update = id(update) not in reachable(relevant, [update])
            self._updates.append(update)

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
        return [*self._updates, *self._of_sublayers("updates")]

    @property
    def losses(self) -> list[Any]:
        """The losses of the layer; those of regularizers are made anew at each look."""
        made = (loss() for loss in self._callable_losses)
        return [*self._losses, *(loss for loss in made if loss is not None), *self._of_sublayers("losses")]

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
    items = [item for item in items if not getattr(item, mark)]
    found = reachable(inputs, items)
    return [item for item in items if id(item) in found]
