"""Sizes of the operations and variables of a graph."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from headrace.core.graph import Graph


def tensor_description(var: Any) -> str:
    """The type and shape of a tensor or variable: "(float32 3x4)"."""
    return f"({var.dtype.name} {'x'.join(str(size) for size in var.shape)})"


def analyze_ops(graph: Graph, print_info: bool = False) -> int:
    """The number of elements of the outputs of all operations of a graph, where they are known.

    Args:
        graph: a graph.
        print_info: whether to print a line for each operation.
    """
    if print_info:
        print("---------", "Operations: name -> (type shapes) [size]", "---------", sep="\n")
    total = 0
    for op in graph.get_operations():
        size = sum(output.shape.num_elements() or 0 for output in op.outputs)
        if print_info:
            shapes = ", ".join(tensor_description(output) for output in op.outputs if output.shape)
            print(op.name, "\t->", shapes, f"[{size}]")
        total += size
    return total


def analyze_vars(variables: Iterable[Any], print_info: bool = False) -> tuple[int, int]:
    """The number of elements and of bytes of variables.

    Args:
        variables: variables.
        print_info: whether to print a line for each.

    Example:
        >>> slim.model_analyzer.analyze_vars(slim.get_model_variables(), print_info=True)
    """
    if print_info:
        print("---------", "Variables: name (type shape) [size]", "---------", sep="\n")
    total = total_bytes = 0
    for variable in variables:
        size = variable.shape.num_elements() or 0
        in_bytes = size * variable.dtype.size
        total += size
        total_bytes += in_bytes
        if print_info:
            print(variable.name, tensor_description(variable), f"[{size}, bytes: {in_bytes}]")
    if print_info:
        print(f"Total size of variables: {total}")
        print(f"Total bytes of variables: {total_bytes}")
    return total, total_bytes
