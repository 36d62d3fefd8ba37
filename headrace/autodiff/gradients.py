"""`tf.gradients`: walks from the results back to the inputs, building the declared gradient of each op on the way."""

from __future__ import annotations

import contextlib
import enum
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.autodiff.aggregation import AggregationMethod, aggregated
from headrace.autodiff.loop_state import LoopGradients
from headrace.core.composite import IndexedSlices, convert_to_tensor_or_indexed_slices
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import get_default_graph, name_scope
from headrace.core.dtypes import DType, bfloat16
from headrace.core.eager import executing_eagerly, refuse
from headrace.core.func_graph import FuncGraph
from headrace.core.graph import Graph
from headrace.core.operation import Operation
from headrace.core.registry import gradient_function
from headrace.core.tensor import Tensor
from headrace.kernels.composing.arranging import identity
from headrace.kernels.composing.filling import zeros, zeros_like
from headrace.kernels.composing.shapes import shape
from headrace.kernels.flow.contexts import is_loop_exit, is_loop_switch
from headrace.kernels.state.handles import handle_dtype
from headrace.ops.array.constant import constant
from headrace.ops.array.fill import fill
from headrace.ops.flow.grouping import tuple as control_tuple
from headrace.ops.flow.switching import zeros_outside_loop
from headrace.ops.state.resource import variable_shape

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike, VariableLike


_TRAINABLE = frozenset(["float16", "float32", "float64", "complex64", "complex128", "resource", "variant"])


class UnconnectedGradients(enum.Enum):
    """What `tf.gradients` gives for an input the results do not depend on: NONE, or ZERO tensors."""

    NONE = "none"
    ZERO = "zero"


def is_trainable(dtype: DType) -> bool:
    """Whether gradients flow through values of this type."""
    return dtype.base_dtype.name in _TRAINABLE


def gradients(
    ys: Any,
    xs: TensorLike,
    grad_ys: Any = None,
    name: str = "gradients",
    colocate_gradients_with_ops: bool = False,
    gate_gradients: bool = False,
    aggregation_method: int | None = None,
    stop_gradients: Any = None,
    unconnected_gradients: str | UnconnectedGradients = UnconnectedGradients.NONE,
) -> list[Any]:
    """Builds the derivatives of the sum of `ys` with respect to each of `xs`.

    Args:
        ys: a tensor or list of tensors.
        xs: a tensor, variable or list of them.
        grad_ys: the gradients to start from, shaped as `ys`; ones by default.
        name: the name scope of the new operations.
        colocate_gradients_with_ops: whether to place gradients where the forward operations are.
        gate_gradients: whether all gradients of an op are ready before any of them is used.
        aggregation_method: one of `tf.AggregationMethod`.
        stop_gradients: tensors to treat as constants.
        unconnected_gradients: `tf.UnconnectedGradients.NONE` or `.ZERO`.

    Returns:
        a list with a tensor, an `IndexedSlices` or None for each of `xs`.

    Raises:
        LookupError: if an op on the way has no gradient.
        ValueError: if the arguments do not fit each other.
        TypeError: if a gradient has a type that does not suit its tensor.

    Example:
        >>> x = tf.constant(3.0)
        >>> tf.Session().run(tf.gradients(x * x, x))
        [6.0]
    """
    if executing_eagerly():
        raise refuse("tf.gradients", "Use tf.GradientTape instead.")
    return _Walk(
        as_list(ys),
        as_list(xs),
        grad_ys,
        name,
        colocate_gradients_with_ops,
        gate_gradients,
        aggregation_method,
        [] if stop_gradients is None else as_list(stop_gradients),
        unconnected_gradients,
    ).run()


def gradients_within(graph: Graph, seen: set[Operation], ys: list[Any], xs: list[Any], grad_ys: list[Any]) -> list[Any]:
    """As `gradients`, through those operations of `graph` only that a tape has seen."""
    walk = _Walk(ys, xs, grad_ys, "gradients", False, False, None, [], UnconnectedGradients.NONE)
    walk.within = (graph, seen)
    return walk.run()


def as_list(value: TensorLike) -> list[Any]:
    """Several values, or one, as a list."""
    return list(value) if isinstance(value, (list, tuple)) else [value]


class _Walk:
    """One call of `gradients`."""

    def __init__(
        self,
        ys: list[Any],
        xs: list[Any],
        grad_ys: TensorLike | None,
        name: str,
        colocate: bool,
        gate: bool,
        method: int | None,
        stops: list[Any],
        unconnected: str | UnconnectedGradients,
    ) -> None:
        for name_of, values in (("ys", ys), ("xs", xs)):
            if any(value is None for value in values):
                raise AttributeError(f"tf.gradients: {name_of} are tensors and variables, and one of them is None.")
        for stop in stops:
            if not hasattr(stop, "dtype"):
                raise AttributeError(f"tf.gradients: stop_gradients are tensors, got {stop!r}.")
        self.ys, self.xs, self.stops = ys, xs, stops
        # A graph and those of its operations that a tape has seen; None for all of all graphs.
        self.within: tuple[Graph, set[Operation]] | None = None
        self.grad_ys = [None] * len(ys) if grad_ys is None else as_list(grad_ys)
        self.name, self.colocate, self.gate, self.method = name, colocate, gate, method
        try:
            self.unconnected = UnconnectedGradients(unconnected)
        except ValueError:
            raise ValueError(f"Unknown value for unconnected_gradients: {unconnected!r}") from None
        # Gradients collected for each output of each op, and their sum once all have arrived.
        self.collected: dict[Operation, list[list[Any]]] = {}
        self.aggregated: dict[Operation, list[Any]] = {}
        self.loops: LoopGradients | None = None
        # The functions being traced around here, innermost first: what they capture leads on into the graphs around.
        self.bodies: list[FuncGraph] = []
        self.targets: set[Tensor] = set()
        # What was made eagerly each of them captures by itself; one input counts as it.
        self.made_eagerly: dict[Tensor, Tensor] = {}

    def run(self) -> list[Any]:
        graph = get_default_graph()
        with name_scope(
            self.name, "gradients", [*self.ys, *self.xs, *self.stops, *[g for g in self.grad_ys if g is not None]]
        ):
            # The name 1.x reserves to mark the ops of one call.
            graph.unique_name("uid")
            ys = [convert_to_tensor_or_indexed_slices(y, name=f"y_{i}") for i, y in enumerate(self.ys)]
            xs = [self._inside(_differentiated(x, i), ys) for i, x in enumerate(self.xs)]
            body: Graph | None = graph
            while isinstance(body, FuncGraph):
                self.bodies.append(body)
                body = body.outer_graph
            self.targets.update(xs)
            starts = self._starts(ys)
            pending, reachable = self._count(ys, xs)
            for y, start in zip(ys, starts, strict=True):
                self._collect(y, start)
            queue: deque[Operation] = deque()
            for y in ys:
                if pending.get(y.op, 0) == 0 and y.op in reachable and y.op not in queue:
                    queue.append(y.op)
            if self.loops is not None:
                for left in self.loops.take_unused_exits(pending, reachable):
                    if is_trainable(left.dtype):
                        self._collect(left, self.loops.zeros_for_exit(left))
                        queue.append(left.op)
            stop_ops = self._stop_ops(xs, pending)
            while queue:
                op = queue.popleft()
                with self._colocated(op):
                    self._differentiate(op, op in stop_ops, graph)
                self._go_on_from(op, pending, queue)
            if self.loops is not None:
                self.loops.finish()
        return [self._result(x) for x in xs]

    # ---- beginning ----

    def _inside(self, x: Tensor, ys: list[Any]) -> Tensor:
        """What stands for a tensor or handle made eagerly in the function that computes `ys`."""
        if x._is_graph_tensor:
            return x
        body = ys[0]._op._graph if ys and isinstance(ys[0], Tensor) else get_default_graph()
        if not isinstance(body, FuncGraph):
            return x
        inner = self.made_eagerly[x] = body.capture(x)
        return inner

    def _starts(self, ys: list[Any]) -> list[Any]:
        if len(self.grad_ys) != len(ys):
            raise ValueError(f"Passed {len(self.grad_ys)} grad_ys for {len(ys)} ys")
        given = [
            None if g is None else convert_to_tensor_or_indexed_slices(g, name=f"grad_y_{i}")
            for i, g in enumerate(self.grad_ys)
        ]
        starts: list[Any] = []
        for i, (y, start) in enumerate(zip(ys, given, strict=True)):
            with self._colocated(y.op):
                if start is None:
                    if y.dtype.is_complex:
                        raise TypeError(f"Gradients of complex tensors must set grad_ys (y.dtype = {y.dtype!r})")
                    starts.append(fill(shape(y), constant(1, dtype=y.dtype.base_dtype, name=f"grad_ys_{i}")))
                    continue
                _check_start(y, start)
                if isinstance(start, IndexedSlices):
                    starts.append(
                        IndexedSlices(
                            identity(start.values, name=f"grad_ys_{i}_values"),
                            identity(start.indices, name=f"grad_ys_{i}_indices"),
                            None
                            if start.dense_shape is None
                            else identity(start.dense_shape, name=f"grad_ys_{i}_shape"),
                        )
                    )
                else:
                    starts.append(identity(start, name=f"grad_ys_{i}"))
        return starts

    def _count(self, ys: list[Any], xs: list[Tensor]) -> tuple[dict[Operation, int], set[Operation]]:
        """How many gradients each op between xs and ys waits for, and which ops of ys depend on xs."""
        reached: set[Operation] = set()
        forward = deque(x.op for x in xs)
        for outer in self.made_eagerly:
            captured = [body.inner_of(outer) for body in self.bodies]
            forward.extend(inner.op for inner in captured if inner is not None)
        begins = set(forward)
        while forward:
            op = forward.popleft()
            if op in reached or not (op in begins or self._seen(op)):
                continue
            reached.add(op)
            for output in op.outputs:
                if is_trainable(output.dtype) or output.dtype.base_dtype is bfloat16:
                    forward.extend(output._consumers)
                    for body in self.bodies:
                        inner = body.inner_of(output)
                        if inner is not None:
                            forward.append(inner.op)
        reachable = {y.op for y in ys if y.op in reached}
        between: list[Operation] = []
        seen: set[Operation] = set()
        backward = deque(y.op for y in ys)
        while backward:
            op = backward.popleft()
            if op in seen or op not in reached:
                continue
            seen.add(op)
            between.append(op)
            backward.extend(tensor.op for tensor in self._inputs(op))
        for op in [op for op in between if is_loop_exit(op)]:
            if self.loops is None:
                self.loops = LoopGradients()
            exits = dict.fromkeys(between)
            with self._colocated(op):
                self.loops.add(op, exits)
            between = list(exits)
        pending: dict[Operation, int] = dict.fromkeys(between, 0)
        for op in between:
            for tensor in self._inputs(op):
                if tensor.op in pending:
                    pending[tensor.op] += 1
        return pending, reachable

    def _seen(self, op: Operation) -> bool:
        """Whether the tape that asks for gradients, if one does, has seen `op`; inputs of functions do nothing."""
        return self.within is None or op.graph is not self.within[0] or op in self.within[1] or not op.inputs

    def _inputs(self, op: Operation) -> Sequence[Tensor]:
        """What an op computes from; in a function, outer tensors in place of the inputs that stand for them."""
        return [self._source(tensor) for tensor in op.inputs] if self.bodies else op.inputs

    def _source(self, tensor: Tensor) -> Tensor:
        while tensor not in self.targets and isinstance(tensor.graph, FuncGraph):
            outer = tensor.graph.outer_of(tensor)
            if outer is None:
                break
            if not outer._is_graph_tensor:
                return self.made_eagerly.get(outer, tensor)
            tensor = outer
        return tensor

    def _stop_ops(self, xs: Iterable[Tensor], pending: dict[Operation, int]) -> set[Operation]:
        """The ops that are not differentiated: those of xs that no other x stands behind, and the asked-for stops."""
        stop = {x.op for x in xs if not any(pending.get(t.op, 0) > 0 for t in self._inputs(x.op))}
        stop.update(x.op for x in xs if not self._seen(x.op))
        stop.update(convert_to_tensor(t).op for t in self.stops)
        return stop

    def _go_on_from(self, op: Operation, pending: dict[Operation, int], queue: deque[Operation]) -> None:
        """Queues the ops before `op` that wait for no other gradient."""
        for tensor in self._inputs(op):
            source = tensor.op
            if source not in pending:
                continue
            pending[source] -= 1
            ready = pending[source] == 0
            if self.loops is None:
                if ready:
                    queue.append(source)
                continue
            # The Switch of a loop is visited twice: when the loop is left, and when it goes round.
            if not ready and not (pending[source] > 0 and is_loop_switch(source)):
                continue
            state = self.loops.state_of(source, before=False) if is_loop_exit(source) else None
            if state is None:
                queue.append(source)
                continue
            # A loop is entered backwards when what leaves it is complete.
            state.deferred_exits.append(tensor)
            state.pending_exits_count -= 1
            if state.pending_exits_count > 0:
                continue
            reached = [left for left in state.deferred_exits if any(self.collected.get(left.op, ()))]
            state.unused_exits.extend(left for left in state.deferred_exits if left not in reached)
            queue.extend(left.op for left in reached)
            for left in state.unused_exits:
                if reached and is_trainable(left.dtype):
                    self._collect(left, self.loops.zeros_for_exit(left))
                queue.append(left.op)

    # ---- one op ----

    def _differentiate(self, op: Operation, stop: bool, graph: Graph) -> None:
        with self._in_loop(op, before=True):
            received: list[Any] = []
            for parts in self.collected.get(op, [[] for _ in op.outputs]):
                if len(parts) > 1:
                    # The Switch of a loop comes by twice; what was summed stays so.
                    parts[:] = [aggregated(op, parts, self.method)]
                received.append(aggregated(op, parts, self.method) if parts else None)
        self.aggregated[op] = received
        if stop or all(g is None for g in received):
            return
        if is_loop_switch(op) and op._get_control_flow_context() is graph._get_control_flow_context():
            raise ValueError(
                f"Cannot compute gradient inside while loop with respect to op '{self._nearest_wanted(op).name}'. We do not "
                "support taking the gradient wrt or through the initial value of a loop variable. Gradients can be computed "
                "through loop invariants or wrt the input parameters to the loop body."
            )
        function = gradient_function(op)
        if function is None:
            return
        with self._in_loop(op, before=False):
            made = self._apply(function, op, received, graph)
            self._collect_all(op, made)

    def _nearest_wanted(self, op: Operation) -> Operation:
        """The closest of the ops of xs that `op` depends on."""
        sought = {x.op for x in self.targets}
        queue, seen = deque([op]), {op}
        while queue:
            op = queue.popleft()
            if op in sought:
                break
            before = [t.op for t in self._inputs(op) if t.op not in seen]
            seen.update(before)
            queue.extend(before)
        return op

    def _in_loop(self, op: Operation, before: bool) -> contextlib.AbstractContextManager[Any]:
        return contextlib.nullcontext() if self.loops is None else self.loops.inside(op, before)

    def _apply(self, function: Callable[..., Any], op: Operation, received: list[Any], graph: Graph) -> list[Any]:
        # An output that the results do not depend on contributes zeros.
        zeros_like_output = zeros_outside_loop if self.loops is None else self.loops.zeros_like_output
        received = [
            zeros_like_output(op, i) if g is None and is_trainable(op.outputs[i].dtype) else g
            for i, g in enumerate(received)
        ]
        with name_scope(op.name + "_grad"), graph._original_op_of(op):
            made = function(op, *received)
            made = list(made) if isinstance(made, (list, tuple)) else [made]
            if len(made) != len(op.inputs):
                raise ValueError(
                    f"Num gradients {len(made)} generated for op {op.node_def} do not match num inputs {len(op.inputs)}"
                )
            if self.gate and sum(g is not None for g in made) > 1:
                with graph.device(None), graph.colocate_with(None, ignore_existing=True):
                    made = control_tuple(made)
        return made

    def _collect_all(self, op: Operation, made: list[Any]) -> None:
        for i, (tensor, gradient) in enumerate(zip(self._inputs(op), made, strict=True)):
            if gradient is None:
                continue
            if isinstance(gradient, Tensor) and tensor.dtype.name != "resource":
                try:
                    gradient.set_shape(tensor.dims)
                except ValueError:
                    raise ValueError(
                        f"Incompatible shapes between op input and calculated input gradient.  Forward operation: {op.name}.  "
                        f"Input index: {i}. Original input shape: {tensor.shape}.  Calculated input gradient shape: "
                        f"{gradient.shape}"
                    ) from None
            self._collect(tensor, gradient)

    def _collect(self, tensor: Tensor, gradient: TensorLike) -> None:
        parts = self.collected.get(tensor.op)
        if parts is None:
            parts = self.collected[tensor.op] = [[] for _ in tensor.op.outputs]
        parts[tensor._value_index if isinstance(tensor, Tensor) else 0].append(gradient)

    def _result(self, x: Tensor) -> IndexedSlices | Tensor | None:
        received = self.aggregated.get(x.op)
        found = None if received is None else received[x.value_index]
        if found is None and x.op not in self.collected and self.unconnected is UnconnectedGradients.ZERO:
            if x.dtype.name == "resource":
                # A handle stands for the variable's value.
                return zeros(variable_shape(x), handle_dtype(x) or "float32")
            return zeros_like(x)
        return found

    def _colocated(self, op: Operation) -> contextlib.AbstractContextManager[Any]:
        return op.graph.colocate_with(op) if self.colocate else contextlib.nullcontext()


def _differentiated(x: Tensor | VariableLike, i: int) -> Tensor:
    """The tensor whose consumers are differentiated: a variable's reference or handle, else the tensor itself."""
    handle = getattr(x, "handle", None)
    if isinstance(handle, Tensor) and handle.dtype.name == "resource":
        return handle
    return convert_to_tensor(x, name=f"x_{i}", as_ref=True)


def _check_start(y: Tensor, start: Tensor) -> None:
    got, given = y.dtype, start.dtype
    if got.is_floating or got.is_integer:
        if not (given.is_floating or given.is_integer):
            raise TypeError(
                f"Gradient type {given.name} generated for real or integer-valued tensor {y} with type {got.name} must be "
                "real or integer"
            )
    elif got.is_complex:
        if not given.is_complex:
            raise TypeError(
                f"Gradient type {given.name} generated for complex-valued tensor {y} with type {got.name} must be complex"
            )
    elif got.name not in ("resource", "variant"):
        raise TypeError(f"Tensor {y} with type {got.name} must be numeric to obtain a default gradient")


__all__ = ["AggregationMethod", "UnconnectedGradients", "gradients", "is_trainable"]
