"""The public functions over ops that call functions: branches, loops, gradients and calls of `Defun` functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import get_default_graph
from headrace.core.graph_functions import function_of
from headrace.core.operation import Operation
from headrace.core.registry import raw
from headrace.state.defun import DefinedFunction, Defun, get_extra_args

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import TensorLike


def If(
    cond: TensorLike,
    inputs: Sequence[Any],
    then_branch: DefinedFunction,
    else_branch: DefinedFunction,
    name: str | None = None,
) -> Any:
    """Calls one of two functions.

    Args:
        cond: a scalar; true unless zero or the empty string. Of another rank: true if it has elements.
        inputs: the arguments, a list of tensors.
        then_branch, else_branch: functions made with `Defun`, of the same types.
        name: a name for the operation.

    Returns:
        a list of what the function returns, or the operation if that is nothing.
    """
    graph = get_default_graph()
    chosen, other = function_of(then_branch, graph), function_of(else_branch, graph)
    made = raw.If(
        cond,
        list(inputs),
        Tout=chosen.output_types,
        then_branch=chosen.name,
        else_branch=other.name,
        name=name,
    )
    return made if chosen.outputs else graph.get_operations()[-1]


def Gradient(inputs: Sequence[Any], f: DefinedFunction, name: str | None = None) -> list[Any]:
    """The gradient of a function.

    Args:
        inputs: the arguments of `f`, then the gradients of its results.
        f: a function made with `Defun`.
        name: a name for the operation.

    Returns:
        a list of the gradients of the arguments.
    """
    function = function_of(f, get_default_graph())
    return symbolic_gradient(inputs, function.input_types, f, name)


def symbolic_gradient(
    input: Sequence[Any], Tout: Sequence[Any], f: DefinedFunction | str, name: str | None = None
) -> list[Any]:
    """The op behind `Gradient`.

    Args:
        input: the arguments of `f`, then the gradients of its results.
        Tout: the types of the arguments.
        f: a function made with `Defun`, or the name of one that the graph has when it runs.
        name: a name for the operation.

    Returns:
        a list of the gradients of the arguments.
    """
    called = f if isinstance(f, str) else function_of(f, get_default_graph()).name
    return list(raw.SymbolicGradient(list(input), Tout=list(Tout), f=called, name=name))


def While(
    input_: Sequence[Any],
    cond: DefinedFunction,
    body: DefinedFunction,
    name: str | None = None,
    hostmem: Sequence[int] | None = None,
) -> list[Tensor]:
    """Calls `body` on what it returned as long as `cond` of it is true.

    Args:
        input_: the first arguments, a list of tensors.
        cond: a function made with `Defun` that returns a truth value and uses nothing from outside.
        body: a function made with `Defun` that returns as many tensors as it takes.
        name: a name for the operation.
        hostmem: positions of inputs that stay on the host; kept as an attribute.

    Returns:
        a list of what `body` returned last.

    Raises:
        ValueError: if `cond` uses outer tensors, or the two take different types.
    """
    if cond.captured_inputs:
        raise ValueError("While op 'cond' argument must be a function without implicitly captured inputs.")
    if cond.declared_input_types != body.declared_input_types:
        raise ValueError(
            f"While op 'cond' and 'body' signatures do not match. {cond.declared_input_types!r} vs "
            f"{body.declared_input_types!r}"
        )
    graph = get_default_graph()
    inputs = list(input_)
    captured = body.captured_inputs
    if captured:
        count = len(body.declared_input_types)
        types = [*body.declared_input_types, *[t.dtype for t in captured]]

        plain_cond = cond

        def with_captured(*args: Any) -> Tensor:
            return plain_cond(*args[:count])

        cond = Defun(*types, func_name=f"{cond.name}_Wrapper")(with_captured)
        body = _returning_captured(body)
    made = raw.While(
        [*inputs, *captured],
        cond=function_of(cond, graph).name,
        body=function_of(body, graph).name,
        name=name,
    )
    results = list(made)
    _mark_host(results, hostmem, 0)
    return results[: len(inputs)]


def For(
    start: TensorLike,
    limit: TensorLike,
    delta: TensorLike,
    inputs: Sequence[Any],
    body: DefinedFunction,
    name: str | None = None,
    hostmem: Any = None,
    rewrite_with_while: bool | None = None,
) -> list[Tensor]:
    """Calls `body` for each integer of range(start, limit, delta), on what it returned before.

    Args:
        start, limit, delta: int32 scalars.
        inputs: the first arguments, a list of tensors.
        body: a function made with `Defun` that takes the integer and the tensors and returns as many tensors.
        name: a name for the operation.
        hostmem: positions of inputs that stay on the host; kept as an attribute.
        rewrite_with_while: whether to make a `While` of it.

    Returns:
        a list of what `body` returned last.
    """
    if rewrite_with_while:
        return _for_by_while(start, limit, delta, inputs, body, name, hostmem)
    graph = get_default_graph()
    inputs = list(inputs)
    captured = body.captured_inputs
    if captured:
        body = _returning_captured(body)
    made = raw.For(start, limit, delta, [*inputs, *captured], body=function_of(body, graph).name, name=name)
    results = list(made)
    _mark_host(results, hostmem, 3)
    return results[: len(inputs)]


def _for_by_while(
    start: TensorLike,
    limit: TensorLike,
    delta: TensorLike,
    inputs: Sequence[Any],
    body: DefinedFunction,
    name: str | None,
    hostmem: Any,
) -> list[Any]:
    size = raw.Abs(delta)
    distance = raw.Sub(raw.Add(raw.Abs(raw.Sub(limit, start)), size), 1)
    count = raw.FloorDiv(distance, size)
    types = ["int32"] * 4 + list(body.declared_input_types)[1:]

    def more(i: Tensor, n: Tensor, *_: Any) -> Tensor:
        return i < n

    def step(i: Tensor, n: TensorLike, first: Tensor, each: Tensor, *args: Any) -> tuple[Tensor, ...]:
        result = body(first + i * each, *args)
        if isinstance(result, Operation):
            result = ()
        elif not isinstance(result, tuple):
            result = (result,)
        return (i + 1, n, first, each, *result)

    results = While(
        [0, count, start, delta, *inputs],
        Defun(*types, func_name=f"{body.name}_Cond")(more),
        Defun(*types, func_name=f"{body.name}_Body")(step),
        name=name,
        hostmem=[0, 1, 2, 3, *[4 + i for i in hostmem or ()]],
    )
    return list(results[4:])


def _returning_captured(body: DefinedFunction) -> DefinedFunction:
    """A function that also takes and returns the outer tensors that `body` uses, so that they go round with it."""

    def wrapper(*args: Any) -> tuple[Tensor, Tensor, Tensor]:
        result = body(*args)
        if isinstance(result, Operation):
            result = ()
        elif not isinstance(result, tuple):
            result = (result,)
        return (*result, *get_extra_args())

    made: DefinedFunction = Defun(*body.declared_input_types, func_name=f"{body.name}_Wrapper")(wrapper)
    return made


def _mark_host(results: list[Any], hostmem: Sequence[int] | None, first: int) -> None:
    if hostmem and results:
        results[0].op.attrs["_input_hostmem"] = [first + i for i in hostmem]
        results[0].op.attrs["_output_hostmem"] = list(hostmem)


def partitioned_call(
    args: Sequence[Any],
    f: DefinedFunction,
    tout: Sequence[Any] | None = None,
    executing_eagerly: bool | None = None,
    config: Any = None,
    executor_type: str | None = None,
) -> Any:
    """Calls a function.

    Args:
        args: the arguments, with the outer tensors that the function uses at the end.
        f: a function made with `Defun`.
        tout: the types of its results, its own by default.
        executing_eagerly: must not be true: there is no eager execution.
        config: a serialized `ConfigProto`, kept as an attribute.
        executor_type: the name of an executor, kept as an attribute.

    Returns:
        a list of its results, or the operation if it has none.
    """
    if executing_eagerly:
        raise NotImplementedError("partitioned_call(executing_eagerly=True): Headrace has no eager execution.")
    graph = get_default_graph()
    function = function_of(f, graph)
    op_type = "StatefulPartitionedCall" if function.stateful else "PartitionedCall"
    types = function.output_types if tout is None else list(tout)
    made = getattr(raw, op_type)(
        [convert_to_tensor(value) for value in args],
        Tout=types,
        f=function.name,
        config_proto=config or "",
        executor_type=executor_type or "",
        name=None if types else "PartitionedFunctionCall",
    )
    return made if types else graph.get_operations()[-1]


def remote_call(
    args: Sequence[Any], Tout: Sequence[Any], f: str, target: TensorLike, name: str | None = None
) -> list[Any]:
    """Calls a function on the device that `target` names; here it runs where it is.

    Args:
        args: the arguments.
        Tout: the types of its results.
        f: a function made with `Defun`.
        target: a string tensor.
        name: a name for the operation.

    Returns:
        a list of its results.
    """
    function = function_of(f, get_default_graph())
    return list(raw.RemoteCall(target, list(args), Tout=list(Tout), f=function.name, name=name))
