"""Gradients of operations that have run: a tape keeps them and replays the declared gradients backwards."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from headrace.autodiff.aggregation import added_slices
from headrace.autodiff.gradients import UnconnectedGradients, gradients, gradients_within, is_trainable
from headrace.autodiff.graph_recording import GraphRecording, backward_order, refuse_control_flow
from headrace.core import nest
from headrace.core.composite import IndexedSlices, convert_to_tensor_or_indexed_slices
from headrace.core.convert import convert_to_tensor
from headrace.core.eager import EagerOperation, eager_graph, executing_eagerly
from headrace.core.func_graph import FuncGraph
from headrace.core.operation import Tensor
from headrace.core.registry import gradient_function, raw
from headrace.ops.array.fill import ones, ones_like, zeros, zeros_like
from headrace.ops.array.shape import shape
from headrace.ops.math.binary import add_n

Backward = Callable[..., Any]


class _Record:
    """An operation, or what counts as one, that a tape has seen."""

    __slots__ = ("backward", "inputs", "op", "outputs")

    def __init__(self, op: Any, inputs: Sequence[Tensor], outputs: Sequence[Tensor], backward: Backward | None) -> None:
        self.op = op
        self.inputs = inputs
        self.outputs = outputs
        self.backward = backward


class Tape:
    """What has been done to watched tensors since it was started.

    Args:
        persistent: whether gradients may be taken more than once.
        watch_accessed_variables: whether trainable variables are watched from their first read.
    """

    def __init__(self, persistent: bool = False, watch_accessed_variables: bool = True) -> None:
        self.persistent = persistent
        self.watches_variables = watch_accessed_variables
        self.records: list[_Record] = []
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
        if op.decl.differentiable is False and "_gradient_op_type" not in op.attrs:
            return
        self._keep(_Record(op, inputs, op._outputs, None))  # type: ignore[arg-type]

    def _may_watch(self, tensor: Any) -> bool:
        variable = getattr(tensor, "_variable", None)
        variable = variable() if variable is not None else None
        if variable is None or not variable.trainable:
            return False
        self.watch_variable(variable)
        return True

    def _keep(self, record: _Record) -> None:
        followed = [tensor for tensor in record.outputs if is_trainable(tensor._dtype)]
        if followed:
            self.records.append(record)
            self.watched.update(map(id, followed))

    def note(self, inputs: Sequence[Any], outputs: Sequence[Any], backward: Backward) -> None:
        """Records something whose gradient `backward` computes, if any of its inputs is watched."""
        if any(id(tensor) in self.watched or self._is_watched_handle(tensor) for tensor in inputs):
            self._keep(_Record(None, inputs, outputs, backward))

    def _is_watched_handle(self, tensor: Any) -> bool:
        return self.watches_variables and tensor._dtype.name == "resource" and self._may_watch(tensor)

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
        wanted = {id(source) for source in sources}
        for record in reversed(self.records):
            outputs = record.outputs
            if not any(id(tensor) in collected for tensor in outputs):
                continue
            received: list[Any] = []
            for tensor in outputs:
                parts = collected.get(id(tensor))
                if parts is not None and len(parts) > 1:
                    parts[:] = [_summed(parts)]
                # In a graph TensorFlow makes zeros for integers too.
                filled = tensor._is_graph_tensor or is_trainable(tensor._dtype)
                if parts is None and filled and tensor._dtype.name not in ("resource", "variant", "string"):
                    received.append(_zeros_as(tensor))
                else:
                    received.append(None if parts is None else parts[0])
                if parts is not None and id(tensor) not in wanted:
                    del collected[id(tensor)]
            made = _differentiated(record, received)
            for tensor, gradient in zip(record.inputs, made, strict=True):
                if gradient is not None and id(tensor) in self.watched:
                    collected.setdefault(id(tensor), []).append(gradient)
        results: list[Any] = []
        for source in sources:
            parts = collected.get(id(source))
            if parts is None:
                results.append(_zeros_for(source) if zeros_where_none else None)
            else:
                results.append(parts[0] if len(parts) == 1 else _summed(parts))
        return results


def _summed(parts: Sequence[Any]) -> Any:
    return add_n(parts) if all(isinstance(part, Tensor) for part in parts) else added_slices(parts)


def _zeros_for(source: Any) -> Any:
    if source.dtype.name == "resource":
        return zeros_like(source._variable().read_value())
    return zeros(raw.Shape(source), source.dtype.base_dtype) if source._is_graph_tensor else zeros_like(source)


def _ones_as(tensor: Any) -> Tensor:
    if tensor.dtype.name == "resource":
        tensor = tensor._variable().value()
    return ones(_sizes(tensor), tensor.dtype.base_dtype) if tensor._is_graph_tensor else ones_like(tensor)


def _zeros_as(tensor: Any) -> Tensor:
    return zeros(_sizes(tensor), tensor.dtype.base_dtype) if tensor._is_graph_tensor else zeros_like(tensor)


def _sizes(tensor: Tensor) -> Any:
    return tensor.shape.as_list() if tensor.shape.is_fully_defined() else shape(tensor)


def _differentiated(record: _Record, received: list[Any]) -> Sequence[Any]:
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


def watch_variable(variable: Any) -> None:
    """Tells the tapes of this thread that a trainable variable is used."""
    for tape in eager_graph().tapes:
        if tape.watches_variables:
            tape.watch_variable(variable)


def _differentiated_by(source: Any) -> Any:
    """The tensor through which gradients reach a source: a variable's handle, or what is read of it."""
    return source.handle if hasattr(source, "handle") else convert_to_tensor(source)


class GradientTape:
    """Records what is computed inside its context, to differentiate it.

    Trainable variables are watched from their first read; other tensors after `watch`.

    Args:
        persistent: whether gradients may be taken more than once.
        watch_accessed_variables: whether trainable variables are watched without being asked for.

    Example:
        >>> x = tf.constant(3.0)
        >>> with tf.GradientTape() as g:
        ...     g.watch(x)
        ...     y = x * x
        >>> g.gradient(y, x).numpy()
        6.0
    """

    def __init__(self, persistent: bool = False, watch_accessed_variables: bool = True) -> None:
        self._tape: Tape | None = None
        self._persistent = persistent
        self._watch_accessed_variables = watch_accessed_variables
        self._recording = False
        self._created_eagerly = executing_eagerly()
        self._of_graphs = GraphRecording(watch_accessed_variables)

    def __enter__(self) -> GradientTape:
        self._push()
        return self

    def __exit__(self, *exc: Any) -> None:
        if self._recording:
            self._pop()

    def _push(self) -> None:
        if self._recording:
            raise ValueError("Tape is already recording.")
        if self._tape is None:
            self._tape = Tape(self._persistent, self._watch_accessed_variables)
        start(self._tape)
        if not executing_eagerly():
            self._of_graphs.start()
        self._recording = True

    def _pop(self) -> None:
        if not self._recording or self._tape is None:
            raise ValueError("Tape is not recording.")
        stop(self._tape)
        self._of_graphs.stop()
        self._recording = False

    def watch(self, tensor: Any) -> None:
        """Makes gradients with respect to `tensor` available.

        Args:
            tensor: a tensor, a variable, or a structure of them.
        """
        for item in nest.flatten(tensor, expand_composites=True):
            if not (isinstance(item, Tensor) or hasattr(item, "handle")):
                raise ValueError(f"Passed in object of type {type(item)}, not tf.Tensor")
            if not is_trainable(item.dtype):
                _warn(f"The dtype of the watched tensor must be floating (e.g. tf.float32), got {item.dtype!r}")
            if self._tape is None:
                self._tape = Tape(self._persistent, self._watch_accessed_variables)
            if hasattr(item, "handle"):
                self._tape.watch_variable(item)
                item = item.handle
            else:
                self._tape.watch(item)
            self._of_graphs.watch(item)

    @contextlib.contextmanager
    def stop_recording(self) -> Iterator[None]:
        """A context inside which this tape records nothing.

        Raises:
            RuntimeError: if it is not recording.
        """
        if self._tape is None or not self._recording:
            raise RuntimeError("Trying to exit the tape without recording it.")
        self._pop()
        try:
            yield
        finally:
            self._push()

    def reset(self) -> None:
        """Forgets what was recorded."""
        self._pop()
        self._tape = None
        self._of_graphs = GraphRecording(self._watch_accessed_variables)
        self._push()

    def watched_variables(self) -> tuple[Any, ...]:
        """The variables it watches, in the order of their first use."""
        if self._tape is None:
            return ()
        read = {id(variable.handle): variable for variable in self._of_graphs.variables()}
        return tuple((read | self._tape.variables).values())

    def gradient(
        self,
        target: Any,
        sources: Any,
        output_gradients: Any = None,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
    ) -> Any:
        """The gradients of `target` with respect to `sources`.

        Args:
            target: a tensor or a structure of them; of several, the gradient of the sum.
            sources: a tensor, a variable, or a structure of them.
            output_gradients: the gradient to start from for each target; ones by default.
            unconnected_gradients: `tf.UnconnectedGradients.NONE` or `.ZERO`.

        Returns:
            a structure like `sources` of tensors, `IndexedSlices` and None.

        Raises:
            RuntimeError: if it was used before and is not persistent.
        """
        if self._tape is None:
            raise RuntimeError("GradientTape.gradient can only be called once on non-persistent tapes.")
        if self._recording and not self._persistent:
            self._pop()
        try:
            zero = UnconnectedGradients(unconnected_gradients) is UnconnectedGradients.ZERO
        except ValueError:
            raise ValueError(f"Unknown value for unconnected_gradients: {unconnected_gradients!r}") from None
        flat_targets = []
        for item in nest.flatten(target):
            if not is_trainable(item.dtype):
                _warn(f"The dtype of the target tensor must be floating (e.g. tf.float32), got {item.dtype!r}")
            flat_targets.append(item.handle if hasattr(item, "handle") else item)
        flat_sources = nest.flatten(sources)
        if any(tensor._is_graph_tensor for tensor in flat_targets if isinstance(tensor, Tensor)):
            return self._graph_gradient(flat_targets, sources, output_gradients, unconnected_gradients)
        if not all(isinstance(item, (Tensor, IndexedSlices)) or hasattr(item, "handle") for item in flat_sources):
            raise TypeError(f"gradient: sources are tensors and variables, got {sources!r}")
        starts: list[Any] = [None] * len(flat_targets)
        if output_gradients is not None:
            starts = [None if g is None else convert_to_tensor(g) for g in nest.flatten(output_gradients)]
        tape = self._tape
        # Gradients are not recorded by the tape they are of, except by a persistent one that is still recording.
        results = tape.gradient(
            flat_targets, [item.handle if hasattr(item, "handle") else item for item in flat_sources], starts, zero
        )
        if not self._persistent:
            self._tape = None
        return nest.pack_sequence_as(sources, results)

    def _graph_gradient(self, targets: list[Any], sources: Any, starts: Any, unconnected: Any) -> Any:
        """In a graph: through the operations that were added to it while the tape recorded."""
        assert self._tape is not None
        flat = nest.flatten(sources)
        flat_starts = [None] * len(targets) if starts is None else nest.flatten(starts)
        graph = next(tensor for tensor in targets if isinstance(tensor, Tensor) and tensor._is_graph_tensor).graph
        if self._of_graphs.covers(graph):
            made = self._through_recorded(graph, targets, flat, flat_starts, unconnected)
        else:
            made = gradients(targets, flat, grad_ys=flat_starts, unconnected_gradients=unconnected)
        if not self._persistent:
            self._tape = None
        return nest.pack_sequence_as(sources, made)

    def _through_recorded(
        self, graph: Any, targets: list[Any], sources: list[Any], starts: list[Any], unconnected: Any
    ) -> list[Any]:
        recording = self._of_graphs
        tensors = [_differentiated_by(source) for source in sources]
        read = [
            tensor
            for source, tensor in zip(sources, tensors, strict=True)
            if self._watch_accessed_variables and getattr(source, "trainable", False)
        ]
        operations, followed = recording.followed(graph, read)
        if isinstance(graph, FuncGraph):
            # Functions may hold loops and functions of their own.
            reached = [
                (i, source)
                for i, (source, tensor) in enumerate(zip(sources, tensors, strict=True))
                if tensor in followed
            ]
            made: list[Any] = [None] * len(sources)
            if reached and any(target in followed for target in targets):
                found = gradients_within(graph, set(operations), targets, [source for _, source in reached], starts)
                for (i, _), gradient in zip(reached, found, strict=True):
                    made[i] = gradient
            if UnconnectedGradients(unconnected) is UnconnectedGradients.ZERO:
                made = [_zeros_for(t) if g is None else g for t, g in zip(tensors, made, strict=True)]
            return made
        replay = Tape(watch_accessed_variables=False)
        for tensor in followed:
            replay.watch(tensor)
        order = backward_order(operations, targets)
        refuse_control_flow(order)
        replay.records = [_Record(op, op.inputs, op.outputs, None) for op in reversed(order)]
        given = [None if g is None else convert_to_tensor_or_indexed_slices(g) for g in starts]
        zeros_where_none = UnconnectedGradients(unconnected) is UnconnectedGradients.ZERO
        return replay.gradient(targets, tensors, given, zeros_where_none)

    @contextlib.contextmanager
    def _for_rows(self, method: str, vectorized: bool) -> Iterator[None]:
        """Lets what is one use of the tape go through the recording once a row."""
        if self._tape is None:
            raise RuntimeError("GradientTape.gradient can only be called once on non-persistent tapes.")
        if self._persistent:
            with self.stop_recording() if self._recording else contextlib.nullcontext():
                yield
            return
        if executing_eagerly() and not vectorized:
            raise RuntimeError(
                f"GradientTape must be created with persistent=True to compute the {method} with eager execution "
                "enabled and with experimental_use_pfor set to False."
            )
        if self._recording:
            self._pop()
        self._persistent = True
        try:
            yield
        finally:
            self._persistent = False
            self._tape = None

    def jacobian(
        self,
        target: Any,
        sources: Any,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Any:
        """The derivatives of each element of `target` with respect to `sources`.

        Args:
            target: a tensor.
            sources: a tensor, a variable, or a structure of them.
            unconnected_gradients: as in `gradient`.
            parallel_iterations, experimental_use_pfor: how TensorFlow would run it; rows are computed one by one here.

        Returns:
            a structure like `sources` of tensors of the shape of `target` followed by that of the source.

        Raises:
            RuntimeError: if the tape was used before and is not persistent; if it is not persistent, operations run
                eagerly and `experimental_use_pfor` is false.
        """
        flat_sources = nest.flatten(sources)
        with self._for_rows("jacobian", experimental_use_pfor):
            count = target.shape.num_elements()
            if count is None:
                raise NotImplementedError(
                    f"GradientTape.jacobian: target has the shape {target.shape}, which must be known; give it one with "
                    "tf.reshape or set_shape."
                )
            unit = raw.Reshape(target, [-1])
            rows: list[list[Any]] = []
            for i in range(count):
                start = raw.Reshape(raw.OneHot(i, count, _one(unit), _zero(unit)), target.shape.as_list())
                rows.append(self.gradient(target, flat_sources, start, unconnected_gradients))
        results: list[Any] = []
        for k, source in enumerate(flat_sources):
            column = [row[k] for row in rows]
            if not column or column[0] is None:
                results.append(None)
                continue
            stacked = raw.Pack([convert_to_tensor(g) for g in column], axis=0)
            results.append(raw.Reshape(stacked, [*target.shape.as_list(), *source.shape.as_list()]))
        return nest.pack_sequence_as(sources, results)

    def batch_jacobian(
        self,
        target: Any,
        source: Any,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Any:
        """For each example of a batch, the derivatives of its target with respect to its source.

        Args:
            target: [batch, ...].
            source: [batch, ...]; an example's target must depend on that example only.
            unconnected_gradients, parallel_iterations, experimental_use_pfor: as in `jacobian`.

        Returns:
            a tensor of shape [batch, the rest of target's, the rest of source's].

        Raises:
            ValueError: if the first dimensions differ.
            RuntimeError: as `jacobian`.
        """
        dims, around = target.shape.as_list(), source.shape.as_list()
        if not dims or not around or dims[0] != around[0]:
            raise ValueError(
                f"Need first dimension of target shape ({target.shape}) and source shape ({source.shape}) to match."
            )
        with self._for_rows("batch_jacobian", experimental_use_pfor):
            flat = 1
            for size in dims[1:]:
                flat *= size
            columns = []
            for i in range(flat):
                row = raw.OneHot(i, flat, _one(target), _zero(target))
                start = raw.Reshape(raw.Tile(raw.ExpandDims(row, 0), [dims[0], 1]), dims)
                made = self.gradient(target, source, start, unconnected_gradients)
                if made is None:
                    return None
                columns.append(made)
            return raw.Reshape(raw.Pack(columns, axis=1), [dims[0], *dims[1:], *around[1:]])


def _one(like: Tensor) -> Tensor:
    return convert_to_tensor(1, like.dtype)


def _zero(like: Tensor) -> Tensor:
    return convert_to_tensor(0, like.dtype)


def _warn(message: str) -> None:
    logging.getLogger("tensorflow").warning(message)


__all__ = ["GradientTape", "Tape", "start", "stop", "stop_recording", "watch_variable"]
