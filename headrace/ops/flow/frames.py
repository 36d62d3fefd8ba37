"""The ops that loops are made of in a graph: Enter, Exit, NextIteration, LoopCond.

They only mark where values come into a loop, go around and leave it. The planner raises the loops they make to `_While`
nodes, which it emits as `while` statements, so the marks of loops themselves never run.
"""

from __future__ import annotations

from typing import Any

from headrace.core.composite import IndexedSlices
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import get_default_graph
from headrace.core.errors import InvalidArgumentError
from headrace.core.operation import Operation, Tensor
from headrace.core.registry import OpDecl, op, raw

_LOOP_ATTRS = "frame_name: string, is_constant=False, parallel_iterations=10"


def _declare_mark(op_type: str, ref: str, attrs: str = "") -> OpDecl:
    text = f"data: {ref}T, {attrs} -> output: {ref}T" if attrs else f"data: {ref}T -> output: {ref}T"
    decl = op(op_type, text).aliases()

    @decl.shape
    def mark_shape(op):
        return [op.inputs[0].dims]

    return decl


def _outside(node: Any) -> Any:
    # The planner has raised the loops: this mark is part of none.
    raise InvalidArgumentError(None, None, f"'{node.name}' ({node.type}) is part of no loop that an Enter begins.")


_enters = [_declare_mark(f"{ref}Enter", ref.lower() + " " * bool(ref), f"*, {_LOOP_ATTRS}") for ref in ("", "Ref")]
_exits = [_declare_mark(f"{ref}Exit", ref.lower() + " " * bool(ref)) for ref in ("", "Ref")]
_nexts = [_declare_mark(f"{ref}NextIteration", ref.lower() + " " * bool(ref)) for ref in ("", "Ref")]


def _open_loop() -> Any:
    return get_default_graph()._get_control_flow_context()


def _exit_gradient(op: Operation, grad: Any) -> Any:
    """The gradient of what leaves a loop enters the loop of the gradient."""
    loop = _open_loop()
    if not loop.back_prop:
        return [None]
    if op._get_control_flow_context().grad_state is not None:
        raise TypeError("Second-order gradient for while loops not supported.")
    if isinstance(grad, IndexedSlices):
        # What goes round the loop keeps its shape; the tensor is made before the loop.
        loop.Exit()
        grad = convert_to_tensor(grad)
        loop.Enter()
    loop.know(grad)
    with loop:
        entered = enter(grad, loop.name, parallel_iterations=loop.parallel_iterations, name="b_exit")
        loop.loop_enters.append(entered)
    return [entered]


def _enter_gradient(op: Operation, grad: Any) -> Any:
    """The gradient of a loop variable leaves; that of a loop constant is summed over the iterations."""
    loop = _open_loop()
    if loop is None or not loop.back_prop or loop.grad_state is None:
        return [grad]
    if op.attrs["is_constant"]:
        return [loop.accumulated(op, grad)]
    if isinstance(grad, IndexedSlices):
        raise TypeError(
            f"The gradient of the loop variable that '{op.name}' brings in is an IndexedSlices, not a tensor."
        )
    left = exit_loop(grad)
    loop.loop_exits.append(left)
    loop.ExitResult([left])
    return [left]


for _decl in _exits:
    _decl.gradient(_exit_gradient)
for _decl in _enters:
    _decl.gradient(_enter_gradient)
for _decl in (*_exits, *_nexts):
    _decl.kernel(_outside)
for _decl in _nexts:
    # It goes round by the NextIteration that the gradient of the Switch makes.
    _decl.gradient(lambda op, grad: [grad])

loop_cond_op = op("LoopCond", "input: bool -> output: bool").aliases()


@loop_cond_op.shape
def _loop_cond_shape(op):
    if op.inputs[0].dims:
        raise ValueError(f"Shape must be rank 0 but is rank {len(op.inputs[0].dims)}")
    return [()]


@loop_cond_op.kernel
def _loop_cond_kernel(node):
    # Outside of a loop it hands on what it is given.
    return lambda value: value


loop_cond_op.not_differentiable()

# What the planner makes of a loop, and what stands inside it for a value that goes around or comes from outside.
op("_While", "input: *T, *, U: list(type) -> output: *U").aliases()
op("_LoopValue", "-> value: float")


def enter(
    data: Tensor,
    frame_name: str,
    is_constant: bool = False,
    parallel_iterations: int = 10,
    use_input_shape: bool = True,
    name: str | None = None,
) -> Tensor:
    """Brings `data` into the loop called `frame_name`; a reference stays a reference only if it is not constant there."""
    data = convert_to_tensor(data, as_ref=True)
    decl = raw.RefEnter if data.dtype._is_ref_dtype else raw.Enter
    result = decl(
        data, frame_name=frame_name, is_constant=is_constant, parallel_iterations=parallel_iterations, name=name
    )
    if not use_input_shape:
        result.dims = None
    return result


def exit_loop(data: Tensor, name: str | None = None) -> Tensor:
    """The value that `data` has when the loop ends, for use outside it."""
    data = convert_to_tensor(data, as_ref=True)
    return (raw.RefExit if data.dtype._is_ref_dtype else raw.Exit)(data, name=name)


def next_iteration(data: Tensor, name: str | None = None) -> Tensor:
    """Hands `data` to the next iteration."""
    data = convert_to_tensor(data, as_ref=True)
    return (raw.RefNextIteration if data.dtype._is_ref_dtype else raw.NextIteration)(data, name=name)


def is_loop_enter(op: Operation) -> bool:
    """Whether `op` brings a value into a loop."""
    return op.type in ("Enter", "RefEnter")


def is_constant_enter(op: Operation) -> bool:
    """Whether `op` brings in a value that is the same in all iterations."""
    return is_loop_enter(op) and bool(op.attrs["is_constant"])


def is_loop_exit(op: Operation) -> bool:
    """Whether `op` takes a value out of a loop."""
    return op.type in ("Exit", "RefExit")


def is_switch(op: Operation) -> bool:
    """Whether `op` is a Switch of a branch or of a loop."""
    return op.type in ("Switch", "RefSwitch")


def is_loop_switch(op: Operation) -> bool:
    """Whether `op` is a Switch at which a loop goes on or ends."""
    return is_switch(op) and op.inputs[1].op.type == "LoopCond"


def constant_enter_of(value: Tensor) -> Operation | None:
    """The constant Enter that `value` comes from through Identities and branches' Switches, or None."""
    op = value.op
    while op.type in ("Identity", "Switch", "RefSwitch", "RefIdentity"):
        op = op.inputs[0].op
    return op if is_constant_enter(op) else None


def output_context(op: Operation) -> Any:
    """The context in which the outputs of `op` are: an Exit's are outside the loop."""
    context = op._get_control_flow_context()
    return context.outer_context if context is not None and is_loop_exit(op) else context


def while_context_of(op: Operation) -> Any:
    """The innermost loop that `op` lies in, or None."""
    context = op._get_control_flow_context()
    return None if context is None else context.GetWhileContext()
