"""Functions of one element as functions of a batch, where every row of the result depends on the same row only.

A map before a batch then runs once a batch. Functions with operations that are not known to work row by row are left as
they are. A batch that fails is for the caller to go through element by element.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from headrace.core.apply import operation_from_parts
from headrace.core.constant_value import constant_value
from headrace.core.func_graph import FuncGraph
from headrace.core.graph_functions import Function
from headrace.core.operation import Operation
from headrace.core.registry import raw
from headrace.core.tensor import Tensor

_UNARY = frozenset(
    """
    Abs Cast Ceil Cos Elu Erf Exp Expm1 Floor Identity IsFinite IsInf IsNan LeakyRelu Log Log1p LogicalNot Neg Reciprocal
    Relu Relu6 Rint Round Rsqrt Selu Sigmoid Sign Sin Softplus Softsign Sqrt Square Tanh ZerosLike OnesLike StopGradient
    """.split()  # noqa: SIM905 (a table of names reads better than quotes)
)
_BINARY = frozenset(
    """
    Add AddV2 Sub Mul RealDiv Div Maximum Minimum SquaredDifference Greater GreaterEqual Less LessEqual Equal NotEqual
    LogicalAnd LogicalOr
    """.split()  # noqa: SIM905 (a table of names reads better than quotes)
)
_DIVISIONS = frozenset({"Div"})


class _NotRowwise(Exception):
    """An operation that a batch cannot be given to."""


def batched(function: Function, arguments: int) -> Function | None:
    """The function of batches, None if there is none.

    Args:
        function: a function of elements.
        arguments: how many of its inputs are components of an element; the others are the same for all.
    """
    body = function.graph
    if function.effects or function.stateful:
        return None
    graph = FuncGraph(f"{function.name}_batched", body.outer_graph)
    made: dict[Tensor, Tensor] = {}
    rows: set[Tensor] = set()
    for i, tensor in enumerate(function.inputs):
        dims = tensor.dims
        if i < arguments:
            if dims is None or None in dims:
                # Elements of differing shapes make no batch, even where the function makes them equal.
                return None
            dims = (None, *dims)
            rows.add(tensor)
        made[tensor] = graph.add_input(tensor.dtype, dims, tensor.op.name)
    try:
        with graph.as_default():
            for op in _needed(function):
                _convert(op, graph, made, rows)
    except _NotRowwise:
        return None
    if not all(tensor in rows for tensor in function.outputs):
        return None
    graph.outputs = [made[tensor] for tensor in function.outputs]
    return Function(graph.name, graph)


def _needed(function: Function) -> list[Operation]:
    needed: set[Operation] = set()
    inputs = {tensor.op for tensor in function.inputs}
    pending = [tensor.op for tensor in function.outputs]
    while pending:
        op = pending.pop()
        if op not in needed and op not in inputs:
            needed.add(op)
            pending.extend(tensor.op for tensor in op.inputs)
            if op.control_inputs:
                pending.extend(op.control_inputs)
    return [op for op in function.operations if op in needed]


def _convert(op: Operation, graph: FuncGraph, made: dict[Tensor, Tensor], rows: set[Tensor]) -> None:
    if op.control_inputs or op._control_flow_context is not None:
        raise _NotRowwise
    if not any(tensor in rows for tensor in op.inputs):
        if op.decl.stateful:
            raise _NotRowwise
        inputs = [made[tensor] for tensor in op.inputs]
        copied = operation_from_parts(graph, op.type, inputs, dict(op.attrs), op.name, decl=op.decl)
        made.update(zip(op.outputs, copied.outputs, strict=True))
        return
    if op.type == "ParseSingleExample":
        for tensor, parsed in zip(op.outputs, _parse(op, made, rows), strict=True):
            made[tensor] = parsed
            rows.add(tensor)
        return
    output = op.outputs[0] if len(op.outputs) == 1 else None
    converter = _CONVERTERS.get(op.type)
    if output is None or converter is None:
        raise _NotRowwise
    made[output] = converter(op, graph, made, rows)
    rows.add(output)


def _same_op(op: Operation, graph: FuncGraph, made: dict[Tensor, Tensor], rows: set[Tensor]) -> Tensor:
    inputs = [made[tensor] for tensor in op.inputs]
    return operation_from_parts(graph, op.type, inputs, dict(op.attrs), op.name, decl=op.decl).outputs[0]


def _broadcasting(op: Operation, graph: FuncGraph, made: dict[Tensor, Tensor], rows: set[Tensor]) -> Tensor:
    if op.type in _DIVISIONS and not op.inputs[0].dtype.is_floating:
        raise _NotRowwise
    ranks = [None if tensor.dims is None else len(tensor.dims) for tensor in op.inputs]
    if None in ranks:
        raise _NotRowwise
    in_rows = [tensor in rows for tensor in op.inputs]
    most = max(rank for rank in ranks if rank is not None)
    # A batch lines up with what it meets only where its rows have the larger rank.
    if any(in_row and rank != most for in_row, rank in zip(in_rows, ranks, strict=True)):
        raise _NotRowwise
    return _same_op(op, graph, made, rows)


def _one_hot(op: Operation, graph: FuncGraph, made: dict[Tensor, Tensor], rows: set[Tensor]) -> Tensor:
    if op.attrs["axis"] != -1 or any(tensor in rows for tensor in op.inputs[1:]):
        raise _NotRowwise
    return _same_op(op, graph, made, rows)


def _reshape(op: Operation, graph: FuncGraph, made: dict[Tensor, Tensor], rows: set[Tensor]) -> Tensor:
    value, shape = op.inputs
    new_shape = constant_value(shape)
    if shape in rows or new_shape is None or op.outputs[0].dims is None or None in op.outputs[0].dims:
        raise _NotRowwise
    if value.dims is None or None in value.dims:
        raise _NotRowwise
    result: Tensor = raw.Reshape(made[value], [-1, *op.outputs[0].dims])
    if 0 in op.outputs[0].dims:
        raise _NotRowwise
    return result


def _expand(op: Operation, graph: FuncGraph, made: dict[Tensor, Tensor], rows: set[Tensor]) -> Tensor:
    axis = constant_value(op.inputs[1])
    if axis is None or op.inputs[1] in rows:
        raise _NotRowwise
    place = int(axis.reshape(-1)[0])
    result: Tensor = raw.ExpandDims(made[op.inputs[0]], place if place < 0 else place + 1)
    return result


def _parse(op: Operation, made: dict[Tensor, Tensor], rows: set[Tensor]) -> list[Tensor]:
    """Dense features of many Examples at once."""
    attrs = op.attrs
    serialized, *defaults = op.inputs
    shapes = attrs["dense_shapes"]
    if attrs["num_sparse"] or any(tensor in rows for tensor in defaults) or not shapes:
        raise _NotRowwise
    if serialized.dims != () or any(dims is None or None in dims for dims in shapes):
        raise _NotRowwise
    parsed = raw.ParseExample(
        made[serialized],
        raw.Const(value=np.empty(0, object), dtype="string"),
        [],
        [raw.Const(value=_scalar_text(key), dtype="string") for key in attrs["dense_keys"]],
        [made[tensor] for tensor in defaults],
        sparse_types=[],
        dense_shapes=shapes,
    )
    return list(parsed.dense_values)


def _scalar_text(key: str | bytes) -> np.ndarray:
    array = np.empty((), object)
    array[()] = key.encode() if isinstance(key, str) else key
    return array


_Converter = Callable[[Operation, FuncGraph, "dict[Tensor, Tensor]", "set[Tensor]"], Tensor]
_CONVERTERS: dict[str, _Converter] = {
    **dict.fromkeys(_UNARY, _same_op),
    **dict.fromkeys(_BINARY, _broadcasting),
    "OneHot": _one_hot,
    "Reshape": _reshape,
    "ExpandDims": _expand,
    "DecodeRaw": _same_op,
}
