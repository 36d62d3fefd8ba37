"""The inside of a loop: takes in what is made there, and builds the loop and the loops of its gradient."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core import nest, slots
from headrace.core.collections import GraphKeys
from headrace.core.composite import IndexedSlices
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import control_dependencies, get_default_graph
from headrace.core.dims import Dims
from headrace.core.graph import Graph
from headrace.core.operation import Operation
from headrace.core.registry import raw
from headrace.core.shapes import TensorShape
from headrace.core.tensor import Tensor
from headrace.functions.flow.context import ControlFlowContext
from headrace.functions.flow.flows import to_flow, with_tensor_arrays
from headrace.functions.flow.inspecting import GetContainingXLAContext
from headrace.functions.flow.loop_variables import check_invariant, flat_of, go_round, invariant_dims, loop_cond
from headrace.kernels.composing.arranging import concat, identity
from headrace.kernels.composing.filling import zeros, zeros_like
from headrace.kernels.composing.shapes import shape_internal
from headrace.kernels.flow.contexts import is_constant_enter, is_exit_of, is_loop_exit, output_context, while_context_of
from headrace.ops.array.constant import constant
from headrace.ops.flow.frames import enter, exit_loop, next_iteration
from headrace.ops.flow.grouping import identity_of_reference
from headrace.ops.flow.switching import merge, switch, switch_ref_or_tensor

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike
    from headrace.functions.flow.tensor_array import TensorArray


_SHAPE_OPS = frozenset({"Shape", "Size", "Rank"})


class WhileContext(ControlFlowContext):
    """The condition and body of one loop, or of the loop that computes its gradient.

    Args:
        maximum_iterations: a tensor with the most iterations there may be, or None.
        parallel_iterations: kept for graphs that TensorFlow runs; iterations run one after the other here.
        back_prop: whether gradients flow through the loop.
        swap_memory: kept for graphs that TensorFlow runs.
        name: the name of the loop's frame; made unique.
        grad_state: what belongs to the gradient that this loop computes, None for a loop of the program.
        graph: the graph, the default graph by default.
    """

    def __init__(
        self,
        maximum_iterations: TensorLike | None = None,
        parallel_iterations: int = 10,
        back_prop: bool = True,
        swap_memory: bool = False,
        name: str = "while_context",
        grad_state: Any = None,
        graph: Graph | None = None,
    ) -> None:
        graph = graph or get_default_graph()
        super().__init__(graph)
        if not isinstance(parallel_iterations, int) or parallel_iterations <= 0:
            raise ValueError(f"`parallel_iterations` must be a positive integer: {parallel_iterations}")
        self._name = graph.unique_name(name)
        self._maximum_iterations = maximum_iterations
        self._parallel_iterations = parallel_iterations
        self._back_prop = back_prop
        self._swap_memory = swap_memory
        self._grad_state = grad_state
        # The condition's value, and what marks the condition and the body for operations without inputs.
        self._pivot: Tensor | None = None
        self._pivot_for_pred: Tensor | None = None
        self._pivot_for_body: Tensor | None = None
        self._loop_enters: list[Tensor] = []
        self._loop_exits: list[Tensor] = []

    @property
    def name(self) -> str:
        """The name of the loop's frame."""
        return self._name

    @property
    def maximum_iterations(self) -> Any:
        """The most iterations there may be, or None."""
        return self._maximum_iterations

    @property
    def parallel_iterations(self) -> int:
        """How many iterations TensorFlow may run at once."""
        return self._parallel_iterations

    @property
    def back_prop(self) -> bool:
        """Whether gradients flow through the loop."""
        return self._back_prop

    @property
    def swap_memory(self) -> bool:
        """Whether TensorFlow may move kept values off the GPU."""
        return self._swap_memory

    @property
    def pivot(self) -> Any:
        """The condition's value."""
        return self._pivot

    @property
    def loop_enters(self) -> list[Tensor]:
        """The values of the loop variables as they come in."""
        return self._loop_enters

    @property
    def loop_exits(self) -> list[Tensor]:
        """The values of the loop variables as they leave."""
        return self._loop_exits

    @property
    def grad_state(self) -> Any:
        """What belongs to the gradient that this loop computes, None for a loop of the program."""
        return self._grad_state

    def IsWhileContext(self) -> bool:
        """Whether this is a loop: it is."""
        return True

    def GetWhileContext(self) -> WhileContext:
        """This loop."""
        return self

    def to_proto(self, export_scope: str | None = None) -> Any:
        """This loop as a `WhileContextDef`; None if it is not below `export_scope`."""
        return slots.context_to_proto(self, export_scope)

    @staticmethod
    def from_proto(context_def: Any, import_scope: str | None = None) -> WhileContext:
        """The loop of a `WhileContextDef` whose operations are in the default graph."""
        found: WhileContext = slots.while_from_proto(context_def, import_scope)
        return found

    def GetControlPivot(self) -> Any:
        """What marks the body once it is begun, the condition before that."""
        return self._pivot_for_body if self._pivot_for_body is not None else self._pivot_for_pred

    # ---- taking in ----

    def AddValue(self, value: Tensor) -> Tensor:
        """`value`, brought in as a constant of the loop if it comes from outside.

        In a loop of gradients, a value of the loop that is differentiated is the one it had in the same iteration.
        """
        if value in self._values or self._holds(value.op):
            return self._external_values.get(value, value)
        self._values.add(value)
        gradient = _open_loop()
        if gradient is not None and gradient.grad_state is not None:
            forward = while_context_of(value.op)
            if is_loop_exit(value.op):
                forward = None if forward is None or forward.outer_context is None else forward.outer_context
                forward = None if forward is None else forward.GetWhileContext()
            if forward is gradient.grad_state.forward_context:
                kept = gradient.grad_state.value_of_iteration(value)
                self._external_values[value] = kept
                return kept
        result = value if self._outer_context is None else self._outer_context.AddValue(value)
        with control_dependencies(None):
            entered = enter(result, self._name, is_constant=True, parallel_iterations=self._parallel_iterations)
            self._graph.prevent_feeding(entered)
            if self._outer_context is not None:
                self._outer_context.AddInnerOp(entered.op)
        self._adopt_enters([entered])
        self._values.add(entered)
        self._external_values[value] = entered
        return entered

    def _holds(self, op: Operation) -> bool:
        """Whether the outputs of an operation lie in an iteration, perhaps in branches of it."""
        context = output_context(op)
        while context is not None and context.IsCondContext():
            context = context.outer_context
        return context is self

    def AddOp(self, op: Operation) -> None:
        """Takes in a new operation; outside of compiled parts shapes of the differentiated loop's values are asked for there."""
        if op.type in _SHAPE_OPS and GetContainingXLAContext(self) is None:
            gradient = _open_loop()
            if gradient is not None and gradient.grad_state is not None:
                source = op.inputs[0].op
                if while_context_of(source) is gradient.grad_state.forward_context:
                    context = source._get_control_flow_context()
                    op._set_control_flow_context(context)
                    if isinstance(context, WhileContext):
                        context._take_in(op)
                    else:
                        context.AddOp(op)
                    return
        self._take_in(op)

    def _take_in(self, op: Operation) -> None:
        for i, tensor in enumerate(list(op.inputs)):
            inner = self.AddValue(tensor)
            if inner is not tensor:
                op._update_input(i, inner)
        outside = self.take_off_outer_control(op)
        if not op.control_inputs and all(is_constant_enter(tensor.op) for tensor in op.inputs):
            op._add_control_input(self.GetControlPivot().op)
        if not is_exit_of(op, self._pivot):
            self._values.update(op.outputs)
        if outside:
            # What lies outside runs if a value of it comes in.
            with control_dependencies(None):
                self.Enter()
                waited = [identity(before.outputs[0]).op for before in outside if before.outputs]
                self.Exit()
            op._add_control_inputs(waited)
        if self._outer_context is not None or not is_loop_exit(op):
            self._hide(op)
        if self._outer_context is not None:
            self._outer_context.AddInnerOp(op)

    def _adopt_enters(self, enters: Iterable[Tensor]) -> None:
        """Takes in Enters, which wait for what the blocks around the loop ask for."""
        graph = self._graph
        for entered in enters:
            asked: list[Operation] = []
            graph._collect_control_inputs([entered.op.inputs[0]], asked)
            outer_loop = None if self._outer_context is None else self._outer_context.GetWhileContext()
            kept = []
            for before in asked:
                wanted = output_context(before)
                around = self._outer_context
                while around is not wanted and around is not None and around is not outer_loop:
                    around = around.outer_context
                if around is wanted:
                    kept.append(before)
            entered.op._set_control_flow_context(self)
            entered.op._add_control_inputs(kept)
            for controller in graph._control_dependencies_stack:
                controller.seen.add(entered.op)

    # ---- building ----

    def BuildLoop(
        self,
        pred: Callable[..., Any],
        body: Callable[..., Any],
        loop_vars: Sequence[Any],
        shape_invariants: Sequence[TensorShape] | None,
        return_same_structure: bool,
    ) -> Any:
        """Builds the loop and returns the loop variables as they leave it."""
        flat = [to_flow(item) for item in nest.flatten(loop_vars, expand_composites=False)]
        flat = [item if nest.is_sequence_or_composite(item) else convert_to_tensor(item) for item in flat]
        invariants = None if shape_invariants is None else nest.flatten(shape_invariants, expand_composites=False)
        dims = invariant_dims(flat, invariants)
        tensors = nest.flatten(flat, expand_composites=True)
        with self:
            result, exits = self._build(pred, body, loop_vars, tensors, dims, shape_invariants is not None)
        leaving = with_tensor_arrays(nest.flatten(result, expand_composites=True), exits)
        packed = nest.pack_sequence_as(result, leaving, expand_composites=True)
        if return_same_structure:
            return packed
        return packed[0] if len(exits) == 1 else packed

    def _build(
        self,
        pred: Callable[..., Any],
        body: Callable[..., Any],
        loop_vars: Sequence[Any],
        tensors: list[Tensor],
        invariants: list[Dims],
        given: bool,
    ) -> tuple[Any, list[Tensor]]:
        originals = nest.flatten(loop_vars, expand_composites=True)
        self._values = set(tensors)
        real = tensors if self._outer_context is None else [self._outer_context.AddValue(x) for x in tensors]
        with control_dependencies(None):
            entered = [
                enter(x, self._name, parallel_iterations=self._parallel_iterations, use_input_shape=not given)
                for x in real
            ]
            for x in entered:
                self._graph.prevent_feeding(x)
                if self._outer_context is not None:
                    self._outer_context.AddInnerOp(x.op)
        self._wait_for_outer_pivot(entered)
        for x, dims, source in zip(entered, invariants, real, strict=True):
            if given:
                check_invariant(source, dims)
            x.dims = dims
        self._adopt_enters(entered)
        self._values = set(entered)
        self._loop_enters = entered
        merged = [merge([x, x])[0] for x in entered]
        for x, source in zip(merged, entered, strict=True):
            x.dims = source.dims
        self._pivot_for_pred = merged[0]

        def packed(
            values: list[Tensor],
        ) -> list[Tensor | TensorArray] | tuple[Tensor, list[Tensor] | tuple[Tensor, tuple[TensorArray], Any]]:
            return nest.pack_sequence_as(loop_vars, with_tensor_arrays(originals, values), expand_composites=True)

        self._pivot = loop_cond(pred(*packed(merged)))
        switched = [switch_ref_or_tensor(x, self._pivot) for x in merged]
        inside = [identity_of_reference(x[1]) for x in switched]
        self._pivot_for_body = inside[0]
        result = self._body_result(body, packed(inside))
        arguments = packed(inside)
        nest.assert_same_structure(list(arguments), list(result), expand_composites=True)
        flat = flat_of(result)
        if len(merged) != len(flat):
            raise ValueError(f"Number of inputs and outputs of body must match loop_vars: {len(merged)}, {len(flat)}")
        for x, following in zip(merged, flat, strict=True):
            go_round(x, following)
        exits = [exit_loop(x[0]) for x in switched]
        self._loop_exits = exits
        self.ExitResult(exits)
        return result, exits

    def _wait_for_outer_pivot(self, entered: list[Tensor]) -> None:
        """Makes what enters with a constant of an outer loop wait for that loop's iteration."""
        around = self._outer_context
        pivot = None
        while around is not None and pivot is None:
            pivot = around.GetControlPivot()
            around = around.outer_context
        if pivot is not None:
            for x in entered:
                if is_constant_enter(x.op.inputs[0].op):
                    x.op._add_control_input(pivot.op)

    def _body_result(
        self, body: Callable[..., Any], arguments: Sequence[Tensor | TensorArray | Sequence[Any]]
    ) -> list[Tensor | TensorArray] | tuple[Any, ...]:
        """What the body returns, as a list; summaries made in it run with it and leave their collection."""
        key = GraphKeys._SUMMARY_COLLECTION
        before = self._graph.get_collection(key)
        result = body(*arguments)
        if not nest.is_sequence_or_composite(result):
            result = [result]
        after = self._graph.get_collection(key)
        if len(after) > len(before):
            self._graph.get_collection_ref(key)[:] = before
            with control_dependencies(after[len(before) :]):
                result = nest.map_structure(
                    lambda x: identity(x) if isinstance(x, Tensor) else x, result, expand_composites=True
                )
        return result

    # ---- the loops of the gradient ----

    def AddForwardLoopCounter(self, outer_grad_state: Any) -> tuple[Tensor, Tensor]:
        """Counts the iterations of this loop.

        Returns:
            the number of iterations, and the count that goes around.
        """
        start = constant(0, name="f_count")
        if outer_grad_state is not None:
            # In an inner loop, what it keeps is kept after what the outer iteration before it kept.
            start.op._add_control_input(outer_grad_state.forward_index.op.inputs[0].op)
        with self:
            self.know(start)
            entered = enter(start, self._name, parallel_iterations=self._parallel_iterations, name="f_count")
            self._loop_enters.append(entered)
            merged = merge([entered, entered])[0]
            done, going = switch(merged, self._pivot)
            index = raw.Add(going, 1)
            following = next_iteration(index)
            merged.op._update_input(1, following)
            total = exit_loop(done, name="f_count")
            self._loop_exits.append(total)
            self.ExitResult([total])
        return total, following

    def AddBackpropLoopCounter(self, count: Tensor, outer_grad_state: Any) -> Tensor:
        """Makes this loop run `count` times; returns the count that goes around."""
        one = constant(1, name="b_count")
        with self:
            self.know(count)
            entered = enter(count, self._name, parallel_iterations=self._parallel_iterations, name="b_count")
            self._loop_enters.append(entered)
            merged = merge([entered, entered])[0]
            self._pivot_for_pred = merged
            self._pivot = raw.LoopCond(raw.GreaterEqual(merged, one), name="b_count")
            done, going = switch(merged, self._pivot)
            index = raw.Sub(going, one)
            self._pivot_for_body = index
            following = next_iteration(index)
            merged.op._update_input(1, following)
            final = exit_loop(done, name="b_count")
            self._loop_exits.append(final)
            if outer_grad_state is not None:
                outer_grad_state.grad_sync._add_control_input(final.op)
            self.ExitResult([final])
        return following

    def accumulated(self, op: Operation, grad: Tensor | IndexedSlices) -> Any:
        """The sum over the iterations of `grad`, the gradient of the loop constant that `op` brings in."""
        if isinstance(grad, IndexedSlices):
            return self._accumulated_slices(op, grad)
        self.Exit()
        start = self._zeros_to_start(op.inputs[0], grad)
        self.Enter()
        self.know(start)
        entered = enter(start, self._name, parallel_iterations=self._parallel_iterations, name="b_acc")
        self._loop_enters.append(entered)
        merged = merge([entered, entered], name="b_acc")[0]
        done, going = switch(merged, self._pivot)
        merged.op._update_input(1, next_iteration(raw.Add(going, grad)))
        total = exit_loop(done, name="b_acc")
        self._loop_exits.append(total)
        self.ExitResult([total])
        return total

    def _zeros_to_start(self, value: Tensor, grad: Tensor) -> Tensor:
        """Zeros of the shape of `grad`, made outside this loop."""
        outer = self._outer_context
        dims = grad.dims
        if dims is not None and None not in dims:
            with _entered(outer):
                return constant(0, grad.dtype, shape=list(dims), name="b_acc")
        if isinstance(outer, WhileContext) and outer.grad_state is not None:
            with _entered(self._grad_state.forward_context.outer_context):
                shape = _shape_of(value)
            state = self._grad_state.outer_grad_state
            history = state.keep(shape)
            with outer:
                return zeros(state.kept_value(history, shape), grad.dtype)
        with _entered(outer):
            return zeros(_shape_of(value), grad.dtype)

    def _accumulated_slices(self, op: Operation, grad: IndexedSlices) -> IndexedSlices:
        values, indices, dense_shape = grad.values, grad.indices, grad.dense_shape
        self.Exit()
        with _entered(self._outer_context):
            if values.dims is not None and None not in values.dims:
                first = constant(0, values.dtype, shape=[1, *values.dims[1:]], name="b_acc")
            else:
                first = zeros(concat([[1], _shape_of(op.inputs[0])[1:]], 0), values.dtype)
            start: list[Tensor] = [constant([0], indices.dtype), first]
            if dense_shape is not None:
                if dense_shape.dims is not None and None not in dense_shape.dims:
                    start.append(constant(0, dense_shape.dtype, shape=list(dense_shape.dims)))
                else:
                    shape = raw.Cast(_shape_of(op.inputs[0]), DstT=dense_shape.dtype)
                    start.append(zeros_like(shape, optimize=False))
        self.Enter()
        for x in start:
            self.know(x)
        entered = [
            enter(x, self._name, parallel_iterations=self._parallel_iterations, use_input_shape=False, name="b_acc")
            for x in start
        ]
        entered[0].set_shape([None])
        if first.dims is not None:
            entered[1].set_shape([None, *first.dims[1:]])
        self._loop_enters.extend(entered)
        merged = [merge([x, x], name="b_acc")[0] for x in entered]
        switched = [switch(x, self._pivot) for x in merged]
        following = [concat([x[1], new], 0) for x, new in zip(switched[:2], [indices, values], strict=True)]
        if dense_shape is not None:
            following.append(raw.Maximum(dense_shape, switched[2][1]))
        for x, new in zip(merged, following, strict=True):
            x.op._update_input(1, next_iteration(new))
        exits = [exit_loop(x[0], name="b_acc") for x in switched]
        self._loop_exits.extend(exits)
        self.ExitResult(exits)
        return IndexedSlices(exits[1], exits[0], exits[2] if dense_shape is not None else None)


class _entered:
    """Inside `context`; does nothing for None."""

    def __init__(self, context: ControlFlowContext | None) -> None:
        self._context = context

    def __enter__(self) -> None:
        if self._context is not None:
            self._context.Enter()

    def __exit__(self, *_: object) -> None:
        if self._context is not None:
            self._context.Exit()


def _shape_of(value: Tensor) -> Tensor:
    """The shape of a tensor, or of the variable that a handle leads to."""
    return raw.VariableShape(value) if value.dtype.name == "resource" else shape_internal(value, optimize=False)


def _open_loop() -> WhileContext | None:
    """The innermost loop in which operations are made now."""
    context = get_default_graph()._get_control_flow_context()
    return None if context is None else context.GetWhileContext()
