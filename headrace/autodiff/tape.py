"""Gradients of operations that have run: a tape keeps them and replays the declared gradients backwards."""

from __future__ import annotations

import contextlib
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import torch

from headrace.autodiff.aggregation import added_slices
from headrace.autodiff.gradients import is_trainable
from headrace.core.eager import EagerOperation, EagerTensor, eager_graph
from headrace.core.registry import gradient_function, raw
from headrace.core.tensor import Tensor
from headrace.kernels.composing.filling import ones, ones_like, zeros, zeros_like
from headrace.kernels.composing.shapes import shape
from headrace.ops.math.add_n import add_n

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


Backward = Callable[..., Any]


class Record:
    """An operation, or what counts as one, that a tape has seen.

    Attributes:
        op: the operation, None for what counts as one.
        inputs, outputs: its tensors.
        backward: computes its gradient; None where that of the operation does.
        filled: of so many outputs the gradient is zeros rather than None where none reaches them; None for all.
    """

    __slots__ = ("backward", "filled", "inputs", "op", "outputs")

    def __init__(
        self,
        op: Any,
        inputs: Sequence[Tensor],
        outputs: Sequence[Tensor],
        backward: Backward | None,
        filled: int | None = None,
    ) -> None:
        self.op = op
        self.inputs = inputs
        self.outputs = outputs
        self.backward = backward
        self.filled = filled


class Tape:
    """What has been done to watched tensors since it was started.

    Args:
        persistent: whether gradients may be taken more than once.
        watch_accessed_variables: whether trainable variables are watched from their first read.
    """

    def __init__(self, persistent: bool = False, watch_accessed_variables: bool = True) -> None:
        self.persistent = persistent
        self.watches_variables = watch_accessed_variables
        self.records: list[Record] = []
        self.watched: set[int] = set()
        # Kept alive, so that no other tensor takes the identity of a watched one.
        self._kept: list[Any] = []
        self.variables: dict[int, Any] = {}

    def watch(self, tensor: Tensor) -> None:
        """Gradients with respect to `tensor` can be asked for from here on."""
        if id(tensor) not in self.watched:
            self.watched.add(id(tensor))
            self._kept.append(tensor)

    def watch_variable(self, variable: Any) -> None:
        """As `watch`, for a variable."""
        handle = variable.handle
        self.watch(handle)
        self.variables.setdefault(id(handle), variable)

    def see(self, op: EagerOperation) -> None:
        """Called with each operation that has run."""
        inputs = op._inputs
        watched = self.watched
        for tensor in inputs:
            if id(tensor) in watched or (
                self.watches_variables and tensor._dtype.name == "resource" and self._may_watch(tensor)
            ):
                break
        else:
            return
        self._keep(Record(op, inputs, op._outputs, None))

    def _may_watch(self, tensor: Tensor) -> bool:
        variable = getattr(tensor, "_variable", None)
        variable = variable() if variable is not None else None
        if variable is None or not variable.trainable:
            return False
        # A variable of several parts says which it is that was read.
        meant = getattr(variable, "read_as", None)
        self.watch(tensor)
        self.variables.setdefault(id(tensor), variable if meant is None else meant(tensor))
        return True

    def _keep(self, record: Record) -> None:
        followed = [tensor for tensor in record.outputs if is_trainable(tensor._dtype)]
        if followed:
            self.records.append(record)
            self.watched.update(map(id, followed))

    def note(
        self, inputs: Sequence[Any], outputs: Sequence[Any], backward: Backward, filled: int | None = None
    ) -> None:
        """Records something whose gradient `backward` computes, if any of its inputs is watched.

        Args:
            inputs, outputs, backward, filled: as the attributes of `Record`.
        """
        if any(id(tensor) in self.watched or self._is_watched_handle(tensor) for tensor in inputs):
            self._keep(Record(None, inputs, outputs, backward, filled))

    def _is_watched_handle(self, tensor: Tensor) -> bool:
        return self.watches_variables and tensor._dtype.name == "resource" and self._may_watch(tensor)

    def _backwards(self, targets: Sequence[Any]) -> Iterable[Record]:
        """The records that `targets` come from, each after all that use its outputs, in TensorFlow's order.

        Whichever became ready first is next, so branches are gone back side by side; gradients of a tensor are summed, and
        their slices put one after the other, in that order.
        """
        made_by = {id(tensor): record for record in self.records for tensor in record.outputs}
        uses: dict[int, int] = {}
        waits: dict[Record, int] = {}
        left = [id(target) for target in targets]
        while left:
            record = made_by.get(left.pop())
            if record is None or record in waits:
                continue
            waits[record] = 0
            for tensor in record.inputs:
                number = id(tensor)
                if number in uses:
                    uses[number] += 1
                else:
                    uses[number] = 1
                    left.append(number)
        for number in uses:
            record = made_by.get(number)
            if record is not None:
                waits[record] += 1
        roots = dict.fromkeys(made_by[id(target)] for target in targets if id(target) in made_by)
        ready = deque(record for record in roots if not waits[record])
        ordered: list[Record] = []
        while ready:
            record = ready.popleft()
            ordered.append(record)
            for tensor in record.inputs:
                number = id(tensor)
                uses[number] -= 1
                if not uses[number]:
                    maker = made_by.get(number)
                    if maker is not None:
                        waits[maker] -= 1
                        if not waits[maker]:
                            ready.append(maker)
        # Something that counts as an operation may give what it takes, and then waits for itself.
        return ordered if len(ordered) == len(waits) else reversed(self.records)

    def gradient(
        self, targets: Sequence[Any], sources: Sequence[Any], starts: Sequence[Any], zeros_where_none: bool
    ) -> list[Any]:
        """The gradients of the sum of `targets` with respect to `sources`, all of them eager tensors.

        Args:
            targets, sources: eager tensors; a variable by its handle.
            starts: a gradient for each target, None for ones.
            zeros_where_none: whether a source that no gradient reaches gets zeros rather than None.
        """
        collected: dict[int, list[Any]] = {}
        for target, start in zip(targets, starts, strict=True):
            if id(target) in self.watched:
                collected.setdefault(id(target), []).append(_ones_as(target) if start is None else start)
        source_ids = {id(source) for source in sources}
        for record in self._backwards(targets):
            outputs = record.outputs
            if not any(id(tensor) in collected for tensor in outputs):
                continue
            received: list[Any] = []
            for i, tensor in enumerate(outputs):
                parts = collected.get(id(tensor))
                if parts is not None and len(parts) > 1:
                    parts[:] = [_summed(parts)]
                # In a graph TensorFlow makes zeros for integers too.
                filled = tensor._is_graph_tensor or is_trainable(tensor._dtype)
                if record.filled is not None and i >= record.filled:
                    filled = False
                if parts is None and filled and tensor._dtype.name not in ("resource", "variant", "string"):
                    received.append(_zeros_as(tensor))
                else:
                    received.append(None if parts is None else parts[0])
                if parts is not None and id(tensor) not in source_ids:
                    del collected[id(tensor)]
            made = _differentiated(record, received)
            for tensor, gradient in zip(record.inputs, made, strict=True):
                if gradient is not None and id(tensor) in self.watched:
                    collected.setdefault(id(tensor), []).append(gradient)
        results: list[Any] = []
        for source in sources:
            parts = collected.get(id(source))
            if parts is None:
                results.append(zeros_for(source) if zeros_where_none else None)
            else:
                results.append(parts[0] if len(parts) == 1 else _summed(parts))
        return results


def _summed(parts: Sequence[Any]) -> Any:
    return add_n(parts) if all(isinstance(part, Tensor) for part in parts) else added_slices(parts)


def zeros_for(source: Any) -> Any:
    """The gradient of a source that none reaches."""
    if source.dtype.name == "resource":
        return zeros_like(source._variable().read_value())
    return zeros(raw.Shape(source), source.dtype.base_dtype) if source._is_graph_tensor else zeros_like(source)


def _ones_as(tensor: Any) -> Tensor:
    if tensor.dtype.name == "resource":
        tensor = tensor._variable().value()
    return _filled_as(tensor, torch.ones_like, ones, ones_like)


def _zeros_as(tensor: Tensor) -> Tensor:
    return _filled_as(tensor, torch.zeros_like, zeros, zeros_like)


def _filled_as(
    tensor: Any, now: Callable[..., Any], filled: Callable[..., Tensor], like: Callable[..., Tensor]
) -> Tensor:
    """A tensor of one number with the sizes and the type of another."""
    if tensor._is_graph_tensor:
        return filled(_sizes(tensor), tensor.dtype.base_dtype)
    if isinstance(tensor._value, torch.Tensor):
        # It depends on nothing, so that no tape has to see how it is made.
        return EagerTensor(now(tensor._value), tensor._dtype, tensor._op)
    return like(tensor)


def _sizes(tensor: Tensor) -> Any:
    return tensor.shape.as_list() if tensor.shape.is_fully_defined() else shape(tensor)


def _differentiated(record: Record, received: list[Any]) -> Sequence[Any]:
    if record.backward is not None:
        made = record.backward(*received)
    else:
        function = gradient_function(record.op)
        if function is None:
            return [None] * len(record.inputs)
        made = function(record.op, *received)
    made = list(made) if isinstance(made, (list, tuple)) else [made]
    if len(made) != len(record.inputs):
        what = record.op.type if record.op is not None else "a function with a gradient of its own"
        raise ValueError(f"{len(made)} gradients were made for the {len(record.inputs)} inputs of {what}.")
    return made


def start(tape: Tape) -> None:
    """Lets `tape` see what this thread runs."""
    graph = eager_graph()
    graph.tapes = [*graph.tapes, tape]


def stop(tape: Tape) -> None:
    """Ends what `start` began."""
    graph = eager_graph()
    graph.tapes = [other for other in graph.tapes if other is not tape]


def stop_recording() -> contextlib.AbstractContextManager[None]:
    """A context in which no tape of this thread sees anything."""
    context: contextlib.AbstractContextManager[None] = eager_graph().not_recording()
    return context


def watch_variable(variable: TensorLike) -> None:
    """Tells the tapes of this thread that a trainable variable is used."""
    for tape in eager_graph().tapes:
        if tape.watches_variables:
            tape.watch_variable(variable)


__all__ = ["Tape", "start", "stop", "stop_recording", "watch_variable"]
