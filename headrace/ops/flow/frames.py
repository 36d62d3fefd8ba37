"""The ops that loops are made of in a graph: Enter, Exit, NextIteration, LoopCond.

They only mark where values come into a loop, go around and leave it. The planner raises the loops they make to `_While`
nodes, which it emits as `while` statements, so the marks of loops themselves never run.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core import nest
from headrace.core.cases import Made, made, result, variable
from headrace.core.composite import IndexedSlices, SparseTensor
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import get_default_graph
from headrace.core.errors import InvalidArgumentError
from headrace.core.operation import Operation
from headrace.core.planning_facts import Role
from headrace.core.registry import OpDecl, op, raw
from headrace.core.tensor import Tensor

if TYPE_CHECKING:
    from headrace.core.typing import NodeView


_LOOP_ATTRS = "frame_name: string, is_constant=False, parallel_iterations=10"


def _declare_mark(op_type: str, signature: str, role: Role) -> OpDecl:
    decl = op(op_type, signature).aliases().plays(role)

    @decl.shape
    def mark_shape(op):
        return [op.inputs[0].dims]

    return decl


def _outside(node: NodeView) -> Any:
    # The planner has raised the loops: this mark is part of none.
    raise InvalidArgumentError(None, None, f"'{node.name}' ({node.type}) is part of no loop that an Enter begins.")


_enters = (
    _declare_mark("Enter", f"data: T, *, {_LOOP_ATTRS} -> output: T", Role.ENTER).forwards_memory().passes_handle(),
    _declare_mark("RefEnter", f"data: ref T, *, {_LOOP_ATTRS} -> output: ref T", Role.ENTER).passes_handle(),
)


@_enters[0].shape
def entered_shape(op: Any) -> list[Any]:
    """What goes round a loop may have another shape each time: who builds the loop says where it does not."""
    return [op.inputs[0].dims if op.attrs["is_constant"] else None]


_exits = (
    _declare_mark("Exit", "data: T -> output: T", Role.EXIT).forwards_memory().passes_handle(),
    _declare_mark("RefExit", "data: ref T -> output: ref T", Role.EXIT).passes_handle(),
)
_nexts = (
    _declare_mark("NextIteration", "data: T -> output: T", Role.NEXT_ITERATION).passes_handle(),
    _declare_mark("RefNextIteration", "data: ref T -> output: ref T", Role.NEXT_ITERATION).passes_handle(),
)


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


def _enter_gradient(op: Operation, grad: IndexedSlices | Tensor) -> list[IndexedSlices | Tensor]:
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

loop_cond_op = op("LoopCond", "input: bool -> output: bool").aliases().plays(Role.LOOP_CONDITION)


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
_while = op("_While", "input: *T, *, U: list(type) -> output: *U").aliases().chooses_handle()
_loop_value = op("_LoopValue", "-> value: float")
for _decl in (_while, _loop_value):
    _decl.no_case("Only plans have it: tests/plan/test_loop_shapes.py.")
loop_cond_op.accepts(np.bool_(True))
loop_cond_op.rejects(np.array([True]), error=ValueError)


def _doubling(enters: Made, ref: str = "", back_edge: Made | None = None) -> tuple[Made, Made]:
    """A loop in which what comes in is doubled while it is less than 3.

    Args:
        enters: what comes in.
        ref: "Ref" for a variable, which doubles in its place.
        back_edge: the NextIteration, one of the loop's own by default.

    Returns:
        the Switch, whose first output leaves the loop, and what goes round.
    """
    merge = made(f"{ref}Merge", [enters, enters])
    limit = made("Enter", np.float32(3), frame_name="loop", is_constant=True)
    switch = made(f"{ref}Switch", merge, made("LoopCond", made("Less", merge, limit)))
    doubled = made("AssignAdd", switch[1], switch[1]) if ref else made("Add", switch[1], switch[1])
    merge.back_edge = made(f"{ref}NextIteration", doubled) if back_edge is None else back_edge
    return switch, doubled


for _enter, _exit, _next, _ref in zip(_enters, _exits, _nexts, ("", "Ref"), strict=True):
    _exiting = made(f"{_ref}Exit", _doubling(result, _ref)[0])
    _enter.accepts([], frame_name="loop", fetches=[_exiting])
    _entering = made(f"{_ref}Enter", variable([]) if _ref else [], frame_name="loop")
    _exit.accepts(_doubling(_entering, _ref)[0])
    _switch, _doubled = _doubling(_entering, _ref, back_edge=result)
    _next.accepts(_doubled, fetches=[made(f"{_ref}Exit", _switch)])


def _of_each(mark: Callable[[Tensor], Tensor], data: Any) -> Any:
    """What `mark` makes of a value, of one made of tensors of each of them."""
    if isinstance(data, (IndexedSlices, SparseTensor)):
        return nest.map_structure(mark, data, expand_composites=True)
    return mark(convert_to_tensor(data, as_ref=True))


def enter(
    data: Any,
    frame_name: str,
    is_constant: bool = False,
    parallel_iterations: int = 10,
    use_ref: bool = True,
    use_input_shape: bool = True,
    name: str | None = None,
) -> Any:
    """Brings `data` into the loop called `frame_name`.

    Args:
        data: a tensor, IndexedSlices or SparseTensor.
        frame_name: the name of the loop's frame.
        is_constant: whether it stays the same in all iterations.
        parallel_iterations: kept for graphs that TensorFlow runs.
        use_ref: whether a reference stays one.
        use_input_shape: whether its shape is that of `data`.
        name: a name for the operation.
    """

    def mark(tensor: Tensor) -> Tensor:
        decl = raw.RefEnter if use_ref and tensor.dtype._is_ref_dtype else raw.Enter
        result: Tensor = decl(
            tensor, frame_name=frame_name, is_constant=is_constant, parallel_iterations=parallel_iterations, name=name
        )
        if use_input_shape:
            result.dims = tensor.dims
        return result

    return _of_each(mark, data)


def exit_loop(data: Any, name: str | None = None) -> Any:
    """The value that `data` has when the loop ends, for use outside it."""
    return _of_each(lambda x: (raw.RefExit if x.dtype._is_ref_dtype else raw.Exit)(x, name=name), data)


def next_iteration(data: Any, name: str | None = None) -> Any:
    """Hands `data` to the next iteration."""
    return _of_each(
        lambda x: (raw.RefNextIteration if x.dtype._is_ref_dtype else raw.NextIteration)(x, name=name), data
    )
