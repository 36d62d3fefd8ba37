"""`tf.GradientTape`: records what is computed inside its context, eagerly or in a graph, to differentiate it."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from headrace.autodiff.gradients import UnconnectedGradients, gradients, gradients_within, is_trainable
from headrace.autodiff.graph_recording import GraphRecording, backward_order, carried_from, refuse_control_flow
from headrace.autodiff.jacobians import (
    batch_jacobian_of,
    check_batches,
    check_parallel_iterations,
    jacobians_of_rows,
    rows_of_jacobian,
)
from headrace.autodiff.planned_walks import planned_gradient
from headrace.autodiff.tape import Record, Tape, start, stop, zeros_for
from headrace.core import nest
from headrace.core.composite import convert_to_tensor_or_indexed_slices
from headrace.core.convert import convert_to_tensor
from headrace.core.dtypes import DType
from headrace.core.eager import executing_eagerly
from headrace.core.func_graph import FuncGraph
from headrace.core.tensor import Tensor

if TYPE_CHECKING:
    from headrace.core.graph import Graph
    from headrace.core.typing import Nested, TensorLike, VariableLike


def _differentiated_by(source: Tensor | VariableLike) -> Tensor:
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

    def watch(self, tensor: Nested[Tensor | VariableLike]) -> None:
        """Makes gradients with respect to `tensor` available.

        Args:
            tensor: a tensor, a variable, or a structure of them.

        Raises:
            AttributeError: if the tape has not been entered, or is used up.
            ValueError: for what is neither a tensor nor a variable.
        """
        for item in nest.flatten(tensor, expand_composites=True):
            if not (isinstance(item, Tensor) or hasattr(item, "handle")):
                raise ValueError(f"Passed in object of type {type(item)}, not tf.Tensor")
            if not is_trainable(item.dtype):
                _warn(f"The dtype of the watched tensor must be floating (e.g. tf.float32), got {item.dtype!r}")
            if self._tape is None:
                raise self._has_nothing("watch")
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
        """The variables it watches, in the order in which they were made.

        Raises:
            AttributeError: if the tape has not been entered, or is used up.
        """
        if self._tape is None:
            raise self._has_nothing("watched_variables")
        read = {id(variable.handle): variable for variable in self._of_graphs.variables()}
        return tuple(sorted((read | self._tape.variables).values(), key=lambda variable: variable.handle._id))

    def _has_nothing(self, method: str) -> AttributeError:
        return AttributeError(
            f"GradientTape.{method}: there is no recording; it begins with the tape's `with` and ends with the first gradient "
            "of a tape that is not persistent."
        )

    def gradient(
        self,
        target: Nested[Tensor | VariableLike],
        sources: Nested[Tensor | VariableLike],
        output_gradients: Nested[TensorLike | None] = None,
        unconnected_gradients: str | UnconnectedGradients = UnconnectedGradients.NONE,
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
            ValueError: for other `unconnected_gradients`.
            AttributeError: if a source is neither a tensor nor a variable.
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
            if hasattr(item, "handle"):
                with self:  # the value of a variable is read while the tape looks on
                    item = convert_to_tensor(item)
            flat_targets.append(item)
        flat_sources = nest.flatten(sources)
        for item in flat_sources:
            if not isinstance(getattr(item, "dtype", None), DType):
                raise AttributeError(f"GradientTape.gradient: sources are tensors and variables, got {item!r}.")
        if any(tensor._is_graph_tensor for tensor in flat_targets if isinstance(tensor, Tensor)):
            return self._graph_gradient(flat_targets, sources, output_gradients, unconnected_gradients)
        starts: list[Any] = [None] * len(flat_targets)
        if output_gradients is not None:
            starts = [None if g is None else convert_to_tensor(g) for g in nest.flatten(output_gradients)]
            if len(starts) < len(flat_targets):
                raise ValueError(
                    f"gradient: output_gradients has {len(starts)} gradients for the {len(flat_targets)} targets."
                )
            # Further ones are of no target.
            del starts[len(flat_targets) :]
        tape = self._tape
        reached = [item.handle if hasattr(item, "handle") else item for item in flat_sources]
        results = planned_gradient(tape, flat_targets, reached, starts, zero)
        if results is None:
            # Gradients are not recorded by the tape they are of, except by a persistent one that is still recording.
            results = tape.gradient(flat_targets, reached, starts, zero)
        if not self._persistent:
            self._tape = None
        return nest.pack_sequence_as(sources, results)

    def _graph_gradient(
        self,
        targets: list[Any],
        sources: Nested[Tensor | VariableLike],
        starts: Any,
        unconnected: str | UnconnectedGradients,
    ) -> Any:
        """In a graph: through the operations that were added to it while the tape recorded."""
        assert self._tape is not None
        flat = nest.flatten(sources)
        # Targets without a start begin with ones; further starts are of no target.
        flat_starts = [] if starts is None else nest.flatten(starts)[: len(targets)]
        flat_starts += [None] * (len(targets) - len(flat_starts))
        graph = next(tensor for tensor in targets if isinstance(tensor, Tensor) and tensor._is_graph_tensor).graph
        if self._of_graphs.covers(graph):
            made = self._through_recorded(graph, targets, flat, flat_starts, unconnected)
        else:
            made = gradients(targets, flat, grad_ys=flat_starts, unconnected_gradients=unconnected)
        if not self._persistent:
            self._tape = None
        return nest.pack_sequence_as(sources, made)

    def _through_recorded(
        self,
        graph: Graph,
        targets: list[Any],
        sources: list[Any],
        starts: list[Any],
        unconnected: str | UnconnectedGradients,
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
                made = [zeros_for(t) if g is None else g for t, g in zip(tensors, made, strict=True)]
            return made
        replay = Tape(watch_accessed_variables=False)
        for tensor in followed:
            replay.watch(tensor)
        order = backward_order(operations, targets)
        refuse_control_flow(order)
        replay.records = [
            Record(op, [carried_from(tensor) for tensor in op.inputs], op.outputs, None) for op in reversed(order)
        ]
        given = [None if g is None else convert_to_tensor_or_indexed_slices(g) for g in starts]
        zeros_where_none = UnconnectedGradients(unconnected) is UnconnectedGradients.ZERO
        return replay.gradient(targets, tensors, given, zeros_where_none)

    @contextlib.contextmanager
    def _for_rows(self, method: str, vectorized: bool) -> Iterator[None]:
        """Lets what is one use of the tape go through the recording once a row."""
        if self._tape is None and (vectorized or not executing_eagerly()):
            # A tape without a recording records anew while the rows of the target are taken: nothing leads to its sources.
            self._of_graphs = GraphRecording(self._watch_accessed_variables)
            self._push()
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
        target: Tensor,
        sources: Nested[Tensor | VariableLike],
        unconnected_gradients: UnconnectedGradients = UnconnectedGradients.NONE,
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
            a structure like `sources` of tensors of the shape of `target` followed by that of the source. Of a tape that
            was used before and is not persistent nothing leads to the sources.

        Raises:
            RuntimeError: if the tape is not persistent, operations run eagerly and `experimental_use_pfor` is false.
        """
        check_parallel_iterations(parallel_iterations, experimental_use_pfor)
        flat_sources = nest.flatten(sources)
        with self._for_rows("jacobian", experimental_use_pfor):
            dims, rows = rows_of_jacobian(
                "GradientTape.jacobian",
                "target",
                target,
                lambda start: self.gradient(target, flat_sources, start, unconnected_gradients),
            )
        return nest.pack_sequence_as(sources, jacobians_of_rows(target, dims, rows, flat_sources))

    def batch_jacobian(
        self,
        target: Tensor,
        source: Tensor,
        unconnected_gradients: UnconnectedGradients = UnconnectedGradients.NONE,
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
            NotImplementedError: if a size of `target` after the batch is not known.
            RuntimeError: as `jacobian`.
        """
        # What is refused here leaves the tape as it was.
        check_parallel_iterations(parallel_iterations, experimental_use_pfor)
        check_batches(("target", "source"), target, source)
        for each in (target, source):
            each.shape.with_rank_at_least(2)

        def row(start: Tensor) -> Any:
            made = self.gradient(target, source, start, unconnected_gradients)
            # Of what is not connected the derivatives are zeros here.
            return zeros_for(source) if made is None else made

        with self._for_rows("batch_jacobian", experimental_use_pfor):
            return batch_jacobian_of(
                "GradientTape.batch_jacobian",
                ("target", "source"),
                target,
                source,
                row,
            )


def _warn(message: str) -> None:
    logging.getLogger("tensorflow").warning(message)
