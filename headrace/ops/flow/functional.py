"""Ops that call functions of the graph's library: calls, branches, loops and gradients of functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from headrace.core import errors, slots
from headrace.core.cases import body
from headrace.core.dtypes import int32
from headrace.core.eager import executing_eagerly
from headrace.core.graph_functions import attr_function, called_function, function_named, known_of
from headrace.core.registry import OpDecl, op, raw
from headrace.core.waiting import limits
from headrace.kernels.flow.call_checks import check_arguments, check_types, loop_functions
from headrace.kernels.flow.call_shapes import call_shapes

if TYPE_CHECKING:
    from headrace.core.graph_functions import Function
    from headrace.core.operation import Operation
    from headrace.core.typing import NodeView, OpView
    from headrace.kernels.data.optional import Optional
    from headrace.kernels.flow.tensor_list import TensorList


def _no_shapes(op: OpView) -> list[Any]:
    return [None] * len(op.outputs)


def _given_shapes(op: OpView) -> list[Any]:
    shapes = op.attrs["output_shapes"]
    return list(shapes) if shapes else [None] * len(op.outputs)


# ---- calls ----

_CALL = (
    "args: *Tin, *, Tin: list(type) >= 0, Tout: list(type) >= 0, f: func, config='', config_proto='', "
    "executor_type='' -> output: *Tout"
)
partitioned_call_op = op("PartitionedCall", _CALL).aliases()
stateful_partitioned_call_op = op("StatefulPartitionedCall", _CALL, stateful=True).aliases().writes("args").checks()
remote_call_op = (
    op(
        "RemoteCall",
        "target: string, args: *Tin, *, Tin: list(type) >= 1, Tout: list(type) >= 1, f: func -> output: *Tout",
        stateful=True,
    )
    .aliases()
    .writes("args")
    .checks()
)
remote_call_op.shape(_no_shapes)


@partitioned_call_op.shape
@stateful_partitioned_call_op.shape
def call_shape(op):
    function = called_function(op.graph, op.attrs["f"])
    # A function that is missing or gives something else is refused when the call runs.
    fits = function is not None and len(function.outputs) == len(op.outputs)
    return call_shapes(function, op.inputs) if fits else _no_shapes(op)


@partitioned_call_op.kernel
@stateful_partitioned_call_op.kernel
def call_kernel(node):
    function = attr_function(node, "f", errors.InvalidArgumentError)
    check_types(node, function)
    return node.runtime.bind(function, node.name, known_of(node.inputs))


@remote_call_op.kernel
def remote_call_kernel(node):
    function = attr_function(node, "f")
    check_types(node, function, 1)
    call = node.runtime.bind(function, node.name, known_of(node.inputs, 1))
    return lambda target, *values: call(*values)


@partitioned_call_op.gradient
@stateful_partitioned_call_op.gradient
def call_gradient(op, *gradients):
    return slots.call_gradient(op, attr_function(op, "f"), gradients)


@remote_call_op.gradient
def remote_call_gradient(op, *gradients):
    function = attr_function(op, "f")
    derived = function.gradient_function()
    derived.add_to_graph(op.graph)
    made = raw.RemoteCall(op.inputs[0], [*op.inputs[1:], *gradients], Tout=derived.output_types, f=derived.name)
    return [None, *slots.masked_gradients(function, list(made))]


symbolic_gradient_op = op(
    "SymbolicGradient", "input: *Tin, *, Tin: list(type) >= 1, Tout: list(type) >= 1, f: func -> output: *Tout"
).aliases()


@symbolic_gradient_op.shape
def symbolic_gradient_shape(op):
    # The gradient of an input has its shape.
    return [op.inputs[i].dims if op.inputs[i].dtype.name != "resource" else None for i in range(len(op.outputs))]


@symbolic_gradient_op.kernel
def symbolic_gradient_kernel(node):
    function = attr_function(node, "f").gradient_function()
    check_arguments(node, function, [value.dtype for value in node.inputs])
    if len(function.outputs) != len(node.outputs):
        raise errors.InvalidArgumentError(
            None,
            None,
            f"SymGrad expects to return {len(node.outputs)} gradients, one an argument, but get {len(function.outputs)} from "
            f"{function.name} instead",
        )
    return node.runtime.bind(function, node.name, known_of(node.inputs))


@symbolic_gradient_op.gradient
def symbolic_gradient_gradient(op, *gradients):
    function = attr_function(op, "f").gradient_function()
    return slots.call_gradient(op, function, gradients)


# ---- branches ----


def truth(value: torch.Tensor) -> bool:
    """What a condition means: a scalar is true unless zero or the empty string, any other tensor if it has elements."""
    if isinstance(value, np.ndarray):
        return bool(value[()]) if value.ndim == 0 else value.size > 0
    return bool(value) if value.ndim == 0 else value.numel() > 0


_IF = (
    "cond: Tcond, input: *Tin, *, Tcond: type, Tin: list(type) >= 0, Tout: list(type) >= 0, then_branch: func, "
    "else_branch: func, output_shapes: list(shape) = [] -> output: *Tout"
)
if_op = op("If", _IF, stateful=True).aliases().writes("input").checks().on_host("cond").chooses_handle()
stateless_if_op = op("StatelessIf", _IF).aliases().on_host("cond").chooses_handle()
_CASE = (
    "branch_index: int32, input: *Tin, *, Tin: list(type) >= 0, Tout: list(type) >= 0, branches: list(func) >= 1, "
    "output_shapes: list(shape) = [] -> output: *Tout"
)
case_op = op("Case", _CASE, stateful=True).aliases().writes("input").checks().on_host("branch_index").chooses_handle()
# Of TensorFlow 2, whose SavedModels have it.
stateless_case_op = op("StatelessCase", _CASE).aliases().on_host("branch_index")
for _decl in (if_op, stateless_if_op, case_op, stateless_case_op):
    _decl.shape(_given_shapes)


def _bound(node: Any, name: str, start: int, label: str) -> Callable[..., Any]:
    """A branch or body, planned when it is first taken."""
    function = function_named(node.origin.graph, name)
    check_types(node, function, start)
    known = known_of(node.inputs, start)
    made: list[Any] = []

    def call(*values: Any) -> tuple[Optional | torch.Tensor | TensorList, ...]:
        if not made:
            made.append(node.runtime.bind(function, f"{node.name}/{label}", known))
        return made[0](*values)

    return call


@if_op.kernel
@stateless_if_op.kernel
def if_kernel(node):
    then_call = _bound(node, node.attrs["then_branch"], 1, "then")
    else_call = _bound(node, node.attrs["else_branch"], 1, "else")
    return lambda cond, *values: then_call(*values) if truth(cond) else else_call(*values)


@case_op.kernel
@stateless_case_op.kernel
def case_kernel(node):
    calls = [_bound(node, name, 1, f"branch_{i}") for i, name in enumerate(node.attrs["branches"])]

    def call(index, *values):
        if index.ndim:
            raise errors.InvalidArgumentError(
                None, None, f"The branch_index of {node.name} is a scalar, got one of shape {list(index.shape)}."
            )
        i = int(index)
        return calls[i if 0 <= i < len(calls) else -1](*values)

    return call


def _branch_gradient(op: Operation, names: Sequence[str], gradients: Sequence[Any], build: Any) -> list[Any]:
    functions = [attr_function_named(op, name) for name in names]
    derived = [function.gradient_function() for function in functions]
    for function in derived:
        function.add_to_graph(op.graph)
    types = derived[0].output_types
    made = build([*op.inputs[1:], *gradients], types, [function.name for function in derived])
    on = [slots.connected_inputs(function) for function in functions]
    return [None, *[g if any(each[i] for each in on) else None for i, g in enumerate(made)]]


def attr_function_named(op: Operation, name: str) -> Function:
    """The function called `name` in the library of the graph of `op`."""
    return function_named(op.graph, name)


@if_op.gradient
@stateless_if_op.gradient
def if_gradient(op, *gradients):
    names = [op.attrs["then_branch"], op.attrs["else_branch"]]
    if not _has_own_gradient(op, names):
        return slots.branch_gradient(op, gradients)
    decl = getattr(raw, op.type)
    return _branch_gradient(
        op,
        names,
        gradients,
        lambda inputs, types, names: decl(op.inputs[0], inputs, Tout=types, then_branch=names[0], else_branch=names[1]),
    )


@case_op.gradient
@stateless_case_op.gradient
def case_gradient(op, *gradients):
    if not _has_own_gradient(op, op.attrs["branches"]):
        return slots.branch_gradient(op, gradients)
    return _branch_gradient(
        op,
        op.attrs["branches"],
        gradients,
        lambda inputs, types, names: getattr(raw, op.type)(op.inputs[0], inputs, Tout=types, branches=names),
    )


def _has_own_gradient(op: Operation, names: Sequence[str]) -> bool:
    """Whether the program gave the gradient of one of the functions, or there is no graph to extend."""
    if executing_eagerly():
        return True
    functions = [attr_function_named(op, name) for name in names]
    return any(function.gradient is not None or function.python_gradient is not None for function in functions)


# ---- loops ----

_WHILE = (
    "input: *T, *, T: list(type) >= 0, cond: func, body: func, output_shapes: list(shape) = [], "
    "parallel_iterations=10 -> output: *T"
)
while_op = op("While", _WHILE, stateful=True).aliases().writes("input").checks().chooses_handle()
stateless_while_op = op("StatelessWhile", _WHILE).aliases().chooses_handle()
for_op = op(
    "For",
    "start: int32, limit: int32, delta: int32, input: *T, *, T: list(type) >= 0, body: func -> output: *T",
).aliases()
for_op.on_host("start", "limit", "delta")
while_op.shape(_given_shapes)
stateless_while_op.shape(_given_shapes)
for_op.shape(_no_shapes)


def _loop_functions(node: NodeView) -> tuple[Any, Any]:
    # What goes round changes; only the resources of the caller are known ahead.
    known = {i: value for i, value in known_of(node.inputs).items() if value.dtype.name == "resource"}
    cond, body = loop_functions(node)
    return node.runtime.bind(cond, f"{node.name}/cond", known), node.runtime.bind(body, f"{node.name}/body", known)


@while_op.kernel
@stateless_while_op.kernel
def while_kernel(node):
    cond, body = _loop_functions(node)
    waits = node.runtime.waits
    ending, check = waits.ending, waits.check

    def loop(*values):
        while truth(cond(*values)[0]):
            if ending or limits:
                check()
            values = body(*values)
        return values

    return loop


def _counts(start: torch.Tensor, limit: torch.Tensor, delta: torch.Tensor) -> range:
    first, last, step = int(start), int(limit), int(delta)
    if step == 0 or (last - first) * step < 0:
        raise errors.InvalidArgumentError(None, None, f"Invalid start/limit/delta: {first} {last} {step}")
    return range(first, last, step)


@for_op.kernel
def for_kernel(node):
    body = node.runtime.bind(loop_functions(node, [int32])[1], f"{node.name}/body")
    waits = node.runtime.waits
    ending, check = waits.ending, waits.check

    def loop(start, limit, delta, *values):
        for i in _counts(start, limit, delta):
            if ending or limits:
                check()
            values = body(torch.tensor(i, dtype=torch.int32), *values)
        return values

    return loop


# The gradient of a loop: the loop is run again, every state kept, and the body's gradient called from the last to the first.
while_gradient_op = op(
    "WhileGradient",
    "input: *T, grads: *T, *, T: list(type) >= 0, Tout: list(type) >= 0, cond: func, body: func -> output: *Tout",
).aliases()
for_gradient_op = op(
    "ForGradient",
    "start: int32, limit: int32, delta: int32, input: *T, grads: *T, *, T: list(type) >= 0, Tout: list(type) >= 0, "
    "body: func -> output: *Tout",
).aliases()
for_gradient_op.on_host("start", "limit", "delta")
while_gradient_op.own("the gradient of a While is one op")
for_gradient_op.own("the gradient of a For is one op, where TensorFlow writes a While of its own")
while_gradient_op.shape(_no_shapes)
for_gradient_op.shape(_no_shapes)


def _backward(derived: Any, states: list[Any], gradients: Sequence[Any], first: int, resources: set[int]) -> Any:
    """Goes back over `states` with the body's gradient, whose first `first` results are not wanted."""
    received = list(gradients)
    sums: dict[int, Any] = {}
    for state in reversed(states):
        received = list(derived(*state, *received))[first:]
        for i in resources:
            # A variable goes round unchanged: each turn adds to its gradient.
            sums[i] = received[i] if i not in sums else sums[i] + received[i]
    for i, total in sums.items():
        received[i] = total
    return tuple(received)


@while_gradient_op.kernel
def while_gradient_kernel(node):
    count = len(node.attrs["T"])
    cond, body = loop_functions(node)
    call_cond = node.runtime.bind(cond, f"{node.name}/cond")
    call_body = node.runtime.bind(body, f"{node.name}/body")
    derived = node.runtime.bind(body.gradient_function(), f"{node.name}/gradient")
    resources = {i for i, dtype in enumerate(node.attrs["T"]) if dtype.name == "resource"}

    def back(*values):
        state, gradients = values[:count], values[count:]
        states = []
        while truth(call_cond(*state)[0]):
            states.append(state)
            state = call_body(*state)
        return _backward(derived, states, gradients, 0, resources)

    return back


@for_gradient_op.kernel
def for_gradient_kernel(node):
    count = len(node.attrs["T"])
    body = loop_functions(node, [int32])[1]
    call_body = node.runtime.bind(body, f"{node.name}/body")
    derived = node.runtime.bind(body.gradient_function(), f"{node.name}/gradient")
    resources = {i for i, dtype in enumerate(node.attrs["T"]) if dtype.name == "resource"}

    def back(start, limit, delta, *values):
        state, gradients = values[:count], values[count:]
        states = []
        for i in _counts(start, limit, delta):
            states.append((torch.tensor(i, dtype=torch.int32), *state))
            state = call_body(*states[-1])
        return _backward(derived, states, gradients, 1, resources)

    return back


@while_op.gradient
@stateless_while_op.gradient
def while_gradient(op, *gradients):
    if "_num_original_outputs" in op.attrs:
        return slots.loop_gradient(op, gradients)
    body = attr_function(op, "body")
    types = body.gradient_function().output_types[: len(op.inputs)]
    received = [raw.ZerosLike(y) if g is None else g for y, g in zip(op.outputs, gradients)]
    made = raw.WhileGradient(
        op.inputs, received, Tout=types, cond=op.attrs["cond"], body=op.attrs["body"], name="While_grad"
    )
    return slots.masked_gradients(body, list(made))


@for_op.gradient
def for_gradient(op, *gradients):
    body = attr_function(op, "body")
    types = body.gradient_function().output_types[1 : len(op.inputs) - 2]
    received = [raw.ZerosLike(y) if g is None else g for y, g in zip(op.outputs, gradients)]
    made = raw.ForGradient(*op.inputs[:3], op.inputs[3:], received, Tout=types, body=op.attrs["body"], name="For_grad")
    return [None, None, None, *[g if on else None for g, on in zip(made, slots.connected_inputs(body)[1:])]]


def _undeclared(decl: OpDecl) -> None:
    decl.not_differentiable()


_undeclared(while_gradient_op)
_undeclared(for_gradient_op)


_FLOAT, _YES = ["float32"], np.bool_(True)
_square = body(lambda x: raw.Square(x), "float32")
_negated = body(lambda x: raw.Neg(x), "float32")
_product = body(lambda x, y: raw.Mul(x, y), "float32", "float32")
_parts = body(lambda x: (raw.Sum(x, np.int32(0)), raw.Reshape(x, np.array([-1]))), "float32")
for _decl in (partitioned_call_op, stateful_partitioned_call_op):
    _decl.accepts([[2]], Tout=_FLOAT, f=_square)
    _decl.accepts([[2, 3]], Tout=_FLOAT * 2, f=_parts)
    _decl.accepts([[None, 3]], Tout=_FLOAT * 2, f=_parts)
    _decl.accepts([[2], [2]], Tout=_FLOAT, f=_product)
    _decl.rejects([[2], [2]], Tout=_FLOAT, f=_square, error=errors.InvalidArgumentError)
remote_call_op.accepts(b"/job:localhost/replica:0/task:0/device:CPU:0", [[2]], Tout=_FLOAT, f=_square)
symbolic_gradient_op.accepts([[2], [2]], Tout=_FLOAT, f=_square)
symbolic_gradient_op.accepts([[2], [2], [2]], Tout=_FLOAT * 2, f=_product)
for _decl in (if_op, stateless_if_op):
    _decl.accepts(_YES, [[2]], Tout=_FLOAT, then_branch=_square, else_branch=_negated)
    _decl.accepts(np.float32(0), [[2]], Tout=_FLOAT, then_branch=_square, else_branch=_negated, output_shapes=[[2]])
for _decl in (case_op, stateless_case_op):
    _decl.accepts(np.int32(1), [[2]], Tout=_FLOAT, branches=[_square, _negated])
    _decl.accepts(np.int32(-1), [[2]], Tout=_FLOAT, branches=[_square, _negated])
_under_three = body(lambda i, x: raw.Less(i, np.int32(3)), "int32", "float32")
_next_square = body(lambda i, x: (raw.Add(i, np.int32(1)), raw.Square(x)), "int32", "float32")
for _decl in (while_op, stateless_while_op):
    _decl.accepts([np.int32(0), [2]], cond=_under_three, body=_next_square, output_shapes=[[], [2]])
    _decl.accepts([np.int32(3), [2]], cond=_under_three, body=_next_square, output_shapes=[[], [2]])
_turn = body(lambda i, x: raw.Square(x), "int32", "float32")
_START, _LIMIT, _STEP = np.int32(0), np.int32(2), np.int32(1)
for_op.accepts(_START, _LIMIT, _STEP, [[2]], body=_turn)
for_op.rejects(_START, _LIMIT, np.int32(0), [[2]], body=_turn, error=errors.InvalidArgumentError)
for_gradient_op.accepts(
    *(_START, _LIMIT, _STEP, [[2]], [[2]]),
    Tout=_FLOAT,
    body=_turn,
    # Squared twice.
    gives=lambda start, limit, delta, x, grad: 4 * x**3 * grad,
)


def _gradient_of_squares(x: np.ndarray, grad: np.ndarray) -> np.ndarray:
    """The chain rule for a loop that squares `x` while it is above 0.1."""
    while x > 0.1:
        x, grad = x * x, grad * 2 * x
    return grad


while_gradient_op.accepts(
    [[]],
    [[]],
    Tout=_FLOAT,
    gives=_gradient_of_squares,
    cond=body(lambda x: raw.Less(np.float32(0.1), x), "float32"),
    body=_square,
)
