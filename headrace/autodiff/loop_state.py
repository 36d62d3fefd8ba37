"""Gradients of loops: for each loop that is differentiated, a loop that runs as often, backwards over what was kept.

A value of the loop that the gradient needs is pushed on a stack in every iteration and popped in the loop of the
gradient, which counts down the number of iterations. (Abadi et al., "Dynamic control flow in large-scale machine
learning", EuroSys 2018, section 5.)
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from headrace.core.constant_value import constant_value
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import colocate_with, control_dependencies, get_default_graph
from headrace.core.operation import Operation
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.flow.cond import CondContext
from headrace.functions.flow.while_context import WhileContext
from headrace.functions.flow.xla_context import iterations_to_keep
from headrace.kernels.composing.filling import zeros, zeros_like
from headrace.kernels.composing.shapes import shape_internal
from headrace.kernels.flow.contexts import (
    constant_enter_of,
    is_loop_exit,
    is_loop_switch,
    is_switch,
    output_context,
    while_context_of,
)
from headrace.kernels.state.handles import handle_dtype
from headrace.ops.array.constant import constant
from headrace.ops.flow.frames import next_iteration
from headrace.ops.flow.stacks import stack_pop, stack_push, stack_v2
from headrace.ops.flow.switching import switch_ref_or_tensor, zeros_outside_loop

if TYPE_CHECKING:
    from headrace.functions.flow.context import ControlFlowContext


class LoopGradient:
    """What one call of `gradients` knows about one loop.

    Attributes:
        forward_context, grad_context: the loop and the loop of its gradient.
        forward_index: the count of iterations as it goes around in the loop.
        outer_grad_state: the same for the loop around, or None.
        switch_map: for each loop Switch differentiated once, the Merge that its gradient goes around by.
        history: for values of the loop, what they were in the iteration being differentiated.
    """

    def __init__(self, forward: WhileContext, outer: LoopGradient | None) -> None:
        self.forward_context = forward
        self.outer_grad_state = outer
        self.history: dict[Tensor, Tensor] = {}
        self.switch_map: dict[Operation, Tensor] = {}
        self.forward_loop_exits = list(forward.loop_exits)
        self.pending_exits_count = len(forward.loop_exits)
        self.unused_exits: list[Tensor] = []
        self.deferred_exits: list[Tensor] = []
        self._forward_sync: Operation | None = None
        self._grad_sync: Operation | None = None

        outer_forward = outer.forward_context if outer is not None else forward.outer_context
        with _inside(outer_forward):
            count, self.forward_index = forward.AddForwardLoopCounter(outer)
        if outer is None:
            with _inside(outer_forward):
                self.grad_context = self._new_context()
                self.grad_index = self.grad_context.AddBackpropLoopCounter(count, None)
        else:
            outer_forward.know(count)
            history = outer.keep(count)
            with outer.grad_context:
                self.grad_context = self._new_context()
                self.grad_index = self.grad_context.AddBackpropLoopCounter(outer.kept_value(history, count), outer)

    def _new_context(self) -> WhileContext:
        forward = self.forward_context
        return WhileContext(
            forward.maximum_iterations,
            forward.parallel_iterations,
            forward.back_prop,
            forward.swap_memory,
            name=forward.name,
            grad_state=self,
        )

    @property
    def forward_sync(self) -> Operation:
        """What all that is kept inside branches of an iteration happens before."""
        if self._forward_sync is None:
            with control_dependencies(None):
                self._forward_sync = raw.ControlTrigger(name="f_sync")
            self._forward_sync._set_control_flow_context(self.forward_context)
            self.forward_index.op._add_control_input(self._forward_sync)
        return self._forward_sync

    @property
    def grad_sync(self) -> Operation:
        """What all that is taken from the stacks in an iteration happens before."""
        if self._grad_sync is None:
            with control_dependencies(None):
                self._grad_sync = raw.ControlTrigger(name="b_sync")
            self._grad_sync._set_control_flow_context(self.grad_context)
            self.grad_index.op._add_control_input(self._grad_sync)
            if self.grad_context.outer_context is not None:
                self.grad_context.outer_context.AddInnerOp(self._grad_sync)
        return self._grad_sync

    def keep(self, value: Tensor, dead_branch: bool = False) -> Tensor:
        """Keeps `value` of every iteration.

        Args:
            value: a value of the loop.
            dead_branch: whether it is there just when its branch is not taken.

        Returns:
            the handle of the stack it is pushed on.
        """
        forward = self.forward_context
        graph = get_default_graph()
        current = graph._get_control_flow_context()
        with control_dependencies(None):
            with _inside(current), colocate_with(value):
                limit = iterations_to_keep(value, forward)
                stack = stack_v2(limit, elem_type=value.dtype.base_dtype, name="f_acc")
            inside = forward.AddValue(stack)
            context = output_context(value.op)
            swap = forward.swap_memory
            if context is forward:
                with forward:
                    push = stack_push(inside, value, swap_memory=swap)
                self.forward_index.op._add_control_input(push.op)
            else:
                if not isinstance(context, CondContext):
                    raise TypeError(f"'{value.name}' lies neither in the loop '{forward.name}' nor in a branch in it.")
                with _inside(context.outer_context if dead_branch else context):
                    push = stack_push(inside, value, swap_memory=swap)
                if dead_branch:
                    push.op._set_control_flow_context(context)
                self.forward_sync._add_control_input(push.op)
            push.op._add_control_input(self.forward_index.op.inputs[0].op)
        return stack

    def kept_value(self, stack: Tensor, value: Tensor, dead_branch: bool = False) -> Tensor:
        """In the loop of the gradient: `value` of the iteration being differentiated, taken from the stack."""
        context = value.op._get_control_flow_context()
        around = stack.op._get_control_flow_context()
        branch: CondContext | None = None
        while context is not None and context is not around:
            if isinstance(context, CondContext):
                branch = context
                break
            context = context.outer_context
        with control_dependencies(None), self.grad_context:
            source = stack
            if branch is not None:
                state: LoopGradient | None = self
                pred = None
                while pred is None and state is not None:
                    pred = state.history.get(branch.pred)
                    state = state.outer_grad_state
                taken = 1 - branch.branch if dead_branch else branch.branch
                source = switch_ref_or_tensor(source, branch.pred if pred is None else pred)[taken]
            popped = stack_pop(source, elem_type=value.dtype.base_dtype)
            popped.set_shape(value.shape)
        if self.grad_context.parallel_iterations > 1:
            self.grad_sync._add_control_input(popped.op)
        return popped

    def value_of_iteration(self, value: Tensor) -> Tensor:
        """In the loop of the gradient: `value`, a value of the loop, as it was in the iteration being differentiated."""
        known = self.history.get(value)
        if known is not None:
            return known
        source = value
        state: LoopGradient = self
        while True:
            entered = constant_enter_of(source)
            if entered is None:
                break
            # A constant of the loop: what it was outside, or in the iteration of the loop around.
            source = entered.inputs[0]
            outer = state.outer_grad_state
            if outer is None:
                result = self.grad_context.AddValue(source)
                self.history[value] = result
                return result
            state = outer
        if source.op.type == "Const":
            result = constant(constant_value(source), dtype=source.dtype)
        else:
            with _outside(self.grad_context):
                stack = state.keep(source)
            result = state.kept_value(stack, source)
            if state is not self:
                result = self.grad_context.AddValue(result)
        self.history[value] = result
        return result

    def predicate_of_iteration(self, pred: Tensor) -> Tensor:
        """The predicate of a branch in the loop, as it was in the iteration being differentiated."""
        known = self.history.get(pred)
        if known is None:
            with _outside(self.grad_context):
                stack = self.keep(pred)
            known = self.history[pred] = self.kept_value(stack, pred)
        return known


class LoopGradients:
    """The loops that one call of `gradients` differentiates."""

    def __init__(self) -> None:
        self._states: dict[WhileContext, LoopGradient] = {}

    def state_of(self, op: Operation, before: bool) -> LoopGradient | None:
        """The loop that `op` is differentiated in; `before` that, an Exit still lies outside its loop."""
        if before and is_loop_exit(op):
            context = op._get_control_flow_context().outer_context
            context = None if context is None else context.GetWhileContext()
        else:
            context = while_context_of(op)
        return None if context is None else self._states.get(context)

    def inside(self, op: Operation, before: bool) -> contextlib.AbstractContextManager[Any]:
        """The loop of gradients in which what belongs to `op` is made."""
        state = self.state_of(op, before)
        return contextlib.nullcontext() if state is None else state.grad_context

    def add(self, op: Operation, between: dict[Operation, None]) -> None:
        """Prepares the loop that the Exit `op` leaves; its other Exits join the ops `between` ys and xs."""
        forward = while_context_of(op)
        if forward is None:
            raise ValueError(
                f"The loop that '{op.name}' leaves has no context: the graph was imported as a GraphDef. Gradients of loops "
                "need the contexts that a MetaGraphDef holds (tf.train.import_meta_graph)."
            )
        if forward in self._states:
            return
        outer = None if forward.outer_context is None else forward.outer_context.GetWhileContext()
        state = LoopGradient(forward, None if outer is None else self._states.get(outer))
        self._states[forward] = state
        for left in state.forward_loop_exits:
            between.setdefault(left.op)

    def take_unused_exits(self, pending: dict[Operation, int], results: set[Operation]) -> list[Tensor]:
        """The Exits that no gradient reaches, of loops whose other Exits are results themselves."""
        ready: list[Tensor] = []
        for state in self._states.values():
            for left in state.forward_loop_exits:
                if pending.get(left.op, 0) == 0:
                    state.pending_exits_count -= 1
                    if left.op not in results:
                        state.unused_exits.append(left)
                    if state.pending_exits_count == 0:
                        ready.extend(state.unused_exits)
            for entered in state.forward_context.loop_enters:
                if pending.get(entered.op, 0) == 0:
                    pending[entered.op] = 1
        return ready

    def zeros_for_exit(self, left: Tensor) -> Tensor:
        """The zero gradient of a loop variable that the results do not use."""
        known = left.dims is not None and None not in left.dims
        forward = left.op._get_control_flow_context()
        outer = None if forward.outer_context is None else forward.outer_context.GetWhileContext()
        state = None if outer is None else self._states.get(outer)
        if state is None:
            return zeros(list(left.dims or ()), left.dtype) if known else zeros_like(left, optimize=False)
        if known:
            with state.grad_context:
                return zeros(list(left.dims or ()), left.dtype)
        with forward.outer_context:
            shape = shape_internal(left, optimize=False)
        stack = state.keep(shape)
        with state.grad_context:
            return zeros(state.kept_value(stack, shape), left.dtype)

    def zeros_like_output(self, op: Operation, index: int) -> Tensor | None:
        """Zeros for output `index` of `op`, which no gradient reaches; in a loop, of the shape of the iteration."""
        if is_loop_switch(op):
            return None
        context = while_context_of(op)
        state = None if context is None else self._states.get(context)
        if state is None:
            return zeros_outside_loop(op, index)
        output = convert_to_tensor(op.outputs[index], name="tensor")
        dead_branch = is_switch(op)
        branch = op._get_control_flow_context()
        if output.dtype.name == "resource" and dead_branch:
            return self._zeros_of_variable(op, state, branch)
        if output.dtype.name in ("resource", "variant"):
            return None
        if output.dims is not None and None not in output.dims:
            made = constant(0, shape=list(output.dims), dtype=output.dtype)
            if dead_branch:
                pred = state.history.get(branch.pred)
                if pred is None:
                    pred = state.predicate_of_iteration(branch.pred)
                made = switch_ref_or_tensor(made, pred)[1 - branch.branch]
            return made
        if dead_branch:
            with _inside(branch.outer_context):
                other = switch_ref_or_tensor(op.inputs[0], branch.pred)[1 - branch.branch]
                shape = shape_internal(other, optimize=False)
            other.op._set_control_flow_context(branch)
            shape.op._set_control_flow_context(branch)
        else:
            with branch:
                shape = shape_internal(output, optimize=False)
        with _outside(state.grad_context):
            stack = state.keep(shape, dead_branch)
        return zeros(state.kept_value(stack, shape, dead_branch), output.dtype)

    def _zeros_of_variable(self, op: Operation, state: LoopGradient, branch: CondContext) -> Tensor | None:
        """Zeros like the variable whose handle a Switch hands to a branch, made in iterations that take the other one."""
        handle = op.inputs[0]
        while (entered := constant_enter_of(handle)) is not None:
            handle = entered.inputs[0]
        if handle is op.inputs[0]:
            return None
        with _inside(output_context(handle.op)):
            dtype = handle_dtype(handle)
            nothing = raw.Fill(raw.VariableShape(handle), convert_to_tensor(0, "float32" if dtype is None else dtype))
        pred = state.history.get(branch.pred)
        if pred is None:
            pred = state.predicate_of_iteration(branch.pred)
        return switch_ref_or_tensor(nothing, pred)[1 - branch.branch]

    def finish(self) -> None:
        """Closes the gradient loops of variables whose next value does not depend on the one before."""
        for state in self._states.values():
            for merged in state.switch_map.values():
                first, second = merged.op.inputs
                if first is not second:
                    continue
                if first.dims is not None and None not in first.dims:
                    with state.grad_context:
                        following = next_iteration(constant(0, dtype=first.dtype, shape=list(first.dims)))
                else:
                    with _inside(state.grad_context.outer_context):
                        shape = shape_internal(first.op.inputs[0], optimize=False)
                        nothing = zeros(shape, first.dtype)
                    with state.grad_context:
                        following = next_iteration(nothing)
                merged.op._update_input(1, following)


@contextlib.contextmanager
def _inside(context: ControlFlowContext | None) -> Any:
    """Inside `context`; outside all of them for None as it is."""
    if context is None:
        yield
        return
    context.Enter()
    try:
        yield
    finally:
        context.Exit()


@contextlib.contextmanager
def _outside(context: ControlFlowContext) -> Any:
    """Outside of `context`, which is open."""
    context.Exit()
    try:
        yield
    finally:
        context.Enter()
