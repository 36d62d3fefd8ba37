"""Texts about graphs: their structure, and what layers have how many parameters."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from headrace.contrib.specs.nets import create_net
from headrace.core.dtypes import float32
from headrace.core.operation import Operation
from headrace.core.tensor import Tensor
from headrace.ops.array.constant import placeholder

if TYPE_CHECKING:
    from headrace.core.dtypes import DType


# How op types are written in structures; others in lower case.
SHORT_NAMES = {
    "BiasAdd": "biasadd",
    "Const": "_",
    "Conv2D": "conv",
    "MatMul": "dot",
    "Placeholder": "_",
    "Sigmoid": "sig",
    "Variable": "var",
}
Printer = Callable[[str], Any]


def _is_cut(op: Operation) -> bool:
    """Whether an operation's inputs are not shown: unrolled recurrent networks are long."""
    return "/HorizontalLstm/" in op.name


def _op_and_shape(x: Tensor | Operation, none: Any) -> tuple[Operation, Any]:
    return (x.op, x.get_shape().as_list()) if isinstance(x, Tensor) else (x, none)


def tf_structure(x: Tensor | Operation, include_shapes: bool = False, finished: set[Operation] | None = None) -> str:
    """What a tensor is computed from, as a postfix expression.

    Args:
        x: a tensor or an operation.
        include_shapes: whether shapes are told, too.
        finished: operations that are told already, which are written "<>"; it grows.

    Example:
        >>> tf_structure(tf.sigmoid(tf.constant(1.0)))
        ' _ sig'
    """
    finished = set() if finished is None else finished
    op, shape = _op_and_shape(x, [])
    if op in finished:
        return " <>"
    finished.add(op)
    words = [] if _is_cut(op) else [tf_structure(each, include_shapes, finished) for each in op.inputs]
    if include_shapes:
        words.append(f" {shape}")
    if op.type != "Identity":
        words.append(" " + SHORT_NAMES.get(op.type, op.type.lower()))
    return "".join(words)


def tf_print(
    x: Tensor | Operation, depth: int = 0, finished: set[Operation] | None = None, printer: Printer = print
) -> None:
    """Prints what a tensor is computed from, as a tree.

    Args:
        x: a tensor or an operation.
        depth: how far the first line is indented.
        finished: operations that are printed already, which come in angle brackets; it grows.
        printer: prints a line.
    """
    finished = set() if finished is None else finished
    op, shape = _op_and_shape(x, "")
    if op.type == "Identity":
        op = op.inputs[0].op
    name = f"<{op.name}>" if op in finished else op.name
    printer(f"{'  ' * depth}{name} {op.type} {shape}")
    if op in finished:
        return
    finished.add(op)
    if not _is_cut(op):
        for each in op.inputs:
            tf_print(each, depth + 1, finished, printer)


def tf_num_params(x: Tensor | Operation) -> int:
    """How many values the variables have that a tensor is computed from; those on several ways count for each."""
    op, shape = (x.op, x.get_shape()) if isinstance(x, Tensor) else (x, None)
    if op.type in ("Variable", "VariableV2"):
        found: Any = shape if shape is not None else op.outputs[0].get_shape()
        return int(found.num_elements())
    return sum(tf_num_params(each) for each in op.inputs)


def tf_left_split(op: Operation) -> tuple[Tensor | None, Sequence[Tensor]]:
    """The first tensor that an operation takes, and the others."""
    inputs = list(op.inputs)
    if not inputs:
        return None, []
    first = 1 if op.type == "Concat" else 0  # that of the axis comes first there
    return inputs[first], inputs[first + 1 :]


def tf_parameter_iter(x: Tensor | Operation) -> Iterator[tuple[str, int, Any]]:
    """The operations on the way along first inputs, each with its parameters.

    Args:
        x: a tensor or an operation.

    Yields:
        (name, number of parameters in the other inputs, shape).
    """
    current: Tensor | Operation | None = x
    while current is not None:
        op, shape = _op_and_shape(current, "")
        current, others = tf_left_split(op)
        yield op.name, sum(tf_num_params(each) for each in others), shape


def _by_layer(rows: Iterable[tuple[str, int, Any]]) -> Iterator[tuple[str, int, Any]]:
    """Rows of one layer as one, with the shape of the first."""
    layer: tuple[str, int, Any] | None = None
    for full_name, total, shape in rows:
        name = re.sub("/.*", "", full_name)
        if layer is not None and name == layer[0]:
            layer = name, layer[1] + total, layer[2]
            continue
        if layer is not None:
            yield layer
        layer = name, total, shape
    if layer is not None:
        yield layer


def tf_parameter_summary(x: Tensor | Operation, printer: Printer = print, combine: bool = True) -> None:
    """Prints the layers on the way to a tensor: how many parameters, name, shape.

    Args:
        x: a tensor or an operation.
        printer: prints a line.
        combine: whether operations of one layer are one line.
    """
    rows = tf_parameter_iter(x)
    for name, total, shape in reversed(list(_by_layer(rows) if combine else rows)):
        printer(f"{total:10d} {name:<20s} {shape}")


def _net(spec: str, inputs: Any, input_shape: Sequence[int | None] | None, input_type: DType) -> Any:
    return create_net(spec, placeholder(input_type, input_shape) if inputs is None else inputs)


def tf_spec_structure(
    spec: str, inputs: Any = None, input_shape: Sequence[int | None] | None = None, input_type: DType = float32
) -> str:
    """`tf_structure` of a specification's network.

    Args:
        spec: the specification.
        inputs: what the network is applied to; a placeholder by default.
        input_shape, input_type: the placeholder's.
    """
    return tf_structure(_net(spec, inputs, input_shape, input_type)).strip()


def tf_spec_summary(
    spec: str, inputs: Any = None, input_shape: Sequence[int | None] | None = None, input_type: DType = float32
) -> None:
    """Prints `tf_parameter_summary` of a specification's network; arguments as in `tf_spec_structure`."""
    tf_parameter_summary(_net(spec, inputs, input_shape, input_type))


def tf_spec_print(
    spec: str, inputs: Any = None, input_shape: Sequence[int | None] | None = None, input_type: DType = float32
) -> None:
    """Prints `tf_print` of a specification's network; arguments as in `tf_spec_structure`."""
    tf_print(_net(spec, inputs, input_shape, input_type))
