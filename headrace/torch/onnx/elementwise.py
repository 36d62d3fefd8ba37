"""Ops that go element by element, and reductions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from headrace.core.dtypes import int32
from headrace.core.operation import Operation
from headrace.torch.onnx.builder import RULES, Builder, rule, unsupported

# Ops that are one operator, by its name in ONNX.
_SAME = {
    "Abs": "Abs", "Acos": "Acos", "Acosh": "Acosh", "Add": "Add", "AddN": "Sum", "AddV2": "Add", "Asin": "Asin",
    "Asinh": "Asinh", "Atan": "Atan", "Atanh": "Atanh", "Ceil": "Ceil", "Cos": "Cos", "Cosh": "Cosh", "Elu": "Elu",
    "Equal": "Equal", "Erf": "Erf", "Exp": "Exp", "Floor": "Floor", "Greater": "Greater", "GreaterEqual": "GreaterOrEqual",
    "Identity": "Identity", "IsInf": "IsInf", "IsNan": "IsNaN", "Less": "Less", "LessEqual": "LessOrEqual", "Log": "Log",
    "LogicalAnd": "And", "LogicalNot": "Not", "LogicalOr": "Or", "Maximum": "Max", "Minimum": "Min", "Mul": "Mul",
    "Neg": "Neg", "Pow": "Pow", "RealDiv": "Div", "Reciprocal": "Reciprocal", "Relu": "Relu", "Rint": "Round",
    "Round": "Round", "Selu": "Selu", "Sigmoid": "Sigmoid", "Sign": "Sign", "Sin": "Sin", "Sinh": "Sinh",
    "Softplus": "Softplus", "Softsign": "Softsign", "Sqrt": "Sqrt", "Sub": "Sub", "Tan": "Tan", "Tanh": "Tanh",
    "TruncateDiv": "Div",
    # What only says something of values.
    "CheckNumerics": "Identity", "PlaceholderWithDefault": "Identity", "PreventGradient": "Identity",
    "Snapshot": "Identity", "StopGradient": "Identity", "EnsureShape": "Identity",
}  # fmt: skip


def _same(operator: str) -> Callable[..., Any]:
    def made(op: Operation, b: Builder) -> str:
        return b.emit(operator, *b.inputs(op))

    return made


RULES.update({op_type: _same(operator) for op_type, operator in _SAME.items()})


@rule("Square")
def _square(op: Operation, b: Builder) -> str:
    return b.emit("Mul", b.input(op, 0), b.input(op, 0))


@rule("SquaredDifference")
def _squared_difference(op: Operation, b: Builder) -> str:
    difference = b.emit("Sub", *b.inputs(op))
    return b.emit("Mul", difference, difference)


@rule("Rsqrt")
def _rsqrt(op: Operation, b: Builder) -> str:
    return b.emit("Reciprocal", b.emit("Sqrt", b.input(op, 0)))


@rule("Log1p")
def _log1p(op: Operation, b: Builder) -> str:
    return b.emit("Log", b.emit("Add", b.input(op, 0), b.like(op.inputs[0], 1)))


@rule("Expm1")
def _expm1(op: Operation, b: Builder) -> str:
    return b.emit("Sub", b.emit("Exp", b.input(op, 0)), b.like(op.inputs[0], 1))


@rule("Erfc")
def _erfc(op: Operation, b: Builder) -> str:
    return b.emit("Sub", b.like(op.inputs[0], 1), b.emit("Erf", b.input(op, 0)))


@rule("Inv")
def _inv(op: Operation, b: Builder) -> str:
    return b.emit("Reciprocal", b.input(op, 0))


@rule("DivNoNan")
def _div_no_nan(op: Operation, b: Builder) -> str:
    zero = b.like(op.inputs[1], 0)
    quotient = b.emit("Div", *b.inputs(op))
    return b.emit("Where", b.emit("Equal", b.input(op, 1), zero), zero, quotient)


@rule("FloorDiv", "Div")
def _floor_div(op: Operation, b: Builder) -> str:
    x, y = b.inputs(op)
    quotient = b.emit("Div", x, y)
    dtype = op.inputs[0].dtype
    if dtype.is_floating:
        return quotient if op.type == "Div" else b.emit("Floor", quotient)
    if op.type == "Div" or dtype.is_unsigned:
        return quotient
    # Integers are divided toward zero: one less where that is not downward.
    zero = b.like(op.inputs[0], 0)
    rest = b.emit("Sub", x, b.emit("Mul", quotient, y))
    uneven = b.emit("Not", b.emit("Equal", rest, zero))
    crossed = b.emit("Xor", b.emit("Less", rest, zero), b.emit("Less", y, zero))
    step = b.cast(b.emit("And", uneven, crossed), dtype)
    return b.emit("Sub", quotient, step)


@rule("FloorMod")
def _floor_mod(op: Operation, b: Builder) -> str:
    x, y = b.inputs(op)
    if not op.inputs[0].dtype.is_floating:
        return b.emit("Mod", x, y)
    return b.emit("Sub", x, b.emit("Mul", b.emit("Floor", b.emit("Div", x, y)), y))


@rule("Mod", "TruncateMod")
def _truncate_mod(op: Operation, b: Builder) -> str:
    return b.emit("Mod", *b.inputs(op), fmod=1)


@rule("NotEqual")
def _not_equal(op: Operation, b: Builder) -> str:
    return b.emit("Not", b.emit("Equal", *b.inputs(op)))


@rule("IsFinite")
def _is_finite(op: Operation, b: Builder) -> str:
    x = b.input(op, 0)
    return b.emit("Not", b.emit("Or", b.emit("IsNaN", x), b.emit("IsInf", x)))


@rule("Relu6")
def _relu6(op: Operation, b: Builder) -> str:
    return b.emit("Clip", b.input(op, 0), b.like(op.inputs[0], 0), b.like(op.inputs[0], 6))


@rule("LeakyRelu")
def _leaky_relu(op: Operation, b: Builder) -> str:
    return b.emit("LeakyRelu", b.input(op, 0), alpha=float(op.get_attr("alpha")))


@rule("ClipByValue")
def _clip_by_value(op: Operation, b: Builder) -> str:
    x, low, high = b.inputs(op)
    return b.emit("Max", b.emit("Min", x, high), low)


@rule("Cast")
def _cast(op: Operation, b: Builder) -> str:
    return b.cast(b.input(op, 0), op.outputs[0].dtype)


@rule("Select", "SelectV2")
def _select(op: Operation, b: Builder) -> str:
    condition, x, y = b.inputs(op)
    dims, chosen = op.inputs[0].dims, op.inputs[1].dims
    if op.type == "Select" and dims is not None and len(dims) == 1 and chosen is not None and len(chosen) > 1:
        # A vector of conditions chooses rows.
        condition = b.emit("Reshape", condition, b.ints(-1, *[1] * (len(chosen) - 1)))
    return b.emit("Where", condition, x, y)


def _axes(op: Operation, b: Builder) -> tuple[int, ...] | None:
    """The axes of a reduction; None for all."""
    axes = tuple(int(axis) for axis in b.need(op, 1).ravel())
    dims = op.inputs[0].dims
    return None if dims is not None and sorted(a % max(len(dims), 1) for a in axes) == [*range(len(dims))] else axes


_REDUCTIONS = {
    "Sum": "ReduceSum", "Mean": "ReduceMean", "Max": "ReduceMax", "Min": "ReduceMin", "Prod": "ReduceProd",
    "All": "ReduceMin", "Any": "ReduceMax", "EuclideanNorm": "ReduceL2",
}  # fmt: skip


@rule(*_REDUCTIONS)
def _reduction(op: Operation, b: Builder) -> str:
    axes, keep = _axes(op, b), int(op.get_attr("keep_dims"))
    x = b.input(op, 0)
    if axes == ():
        return b.emit("Identity", x)
    given = [] if axes is None else [b.ints(*axes)]
    if op.type in ("All", "Any"):
        # There are reductions of numbers only.
        number = b.cast(x, int32)
        found = b.emit(_REDUCTIONS[op.type], number, *given, keepdims=keep)
        return b.cast(found, op.outputs[0].dtype)
    return b.emit(_REDUCTIONS[op.type], x, *given, keepdims=keep)


@rule("ArgMax", "ArgMin")
def _arg(op: Operation, b: Builder) -> str:
    found = b.emit(op.type, b.input(op, 0), axis=int(b.need(op, 1)), keepdims=0)
    return b.from_int64(found, op.outputs[0].dtype)


@rule("Cumsum")
def _cumsum(op: Operation, b: Builder) -> str:
    axis = b.constant(np.array(int(b.need(op, 1)), np.int64))
    exclusive, reverse = int(op.get_attr("exclusive")), int(op.get_attr("reverse"))
    return b.emit("CumSum", b.input(op, 0), axis, exclusive=exclusive, reverse=reverse)


@rule("MatMul")
def _mat_mul(op: Operation, b: Builder) -> str:
    x, y = b.inputs(op)
    x = b.transpose(x, (1, 0)) if op.get_attr("transpose_a") else x
    y = b.transpose(y, (1, 0)) if op.get_attr("transpose_b") else y
    return b.emit("MatMul", x, y)


@rule("BatchMatMul", "BatchMatMulV2")
def _batch_mat_mul(op: Operation, b: Builder) -> str:
    made = []
    for i, flag in enumerate(("adj_x", "adj_y")):
        name, dims = b.input(op, i), op.inputs[i].dims
        if op.get_attr(flag):
            if dims is None:
                raise unsupported(op, f"the rank of {op.inputs[i].name} is not known")
            order = [*range(len(dims))]
            order[-2:] = [order[-1], order[-2]]
            name = b.transpose(name, order)
        made.append(name)
    return b.emit("MatMul", *made)


@rule("Softmax", "LogSoftmax")
def _softmax(op: Operation, b: Builder) -> str:
    return b.emit(op.type, b.input(op, 0), axis=-1)


@rule("L2Loss")
def _l2_loss(op: Operation, b: Builder) -> str:
    total = b.emit("ReduceSumSquare", b.input(op, 0), keepdims=0)
    return b.emit("Mul", total, b.like(op.inputs[0], 0.5))
