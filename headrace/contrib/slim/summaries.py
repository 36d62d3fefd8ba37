"""Summaries of tensors under their own names, some printed as well."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from headrace.core.collections import GraphKeys
from headrace.core.defaults import add_to_collection
from headrace.functions.nn.moments import zero_fraction
from headrace.ops.flow.printing import Print
from headrace.summary import operations as summary

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


def _name(tensor: Any, name: str | None, prefix: str | None = None, postfix: str | None = None) -> str:
    return "/".join(part for part in (prefix, name or tensor.op.name, postfix) if part)


def _added(summarize: Any, tensor: Any, name: str, print_summary: bool) -> Any:
    op = summarize(name=name, tensor=tensor, collections=[] if print_summary else None)
    if print_summary:
        op = Print(op, [tensor], name)
        add_to_collection(GraphKeys.SUMMARIES, op)
    return op


def add_histogram_summary(tensor: TensorLike, name: str | None = None, prefix: str | None = None) -> Any:
    """A histogram of a tensor.

    Args:
        tensor: numbers.
        name: the summary's name; the tensor's by default.
        prefix: what to put before it, with a slash.
    """
    return summary.histogram(_name(tensor, name, prefix), tensor)


def add_image_summary(
    tensor: Any, name: str | None = None, prefix: str | None = None, print_summary: bool = False
) -> Any:
    """A summary of images; `print_summary` prints the tensor whenever it is computed."""
    return _added(summary.image, tensor, _name(tensor, name, prefix), print_summary)


def add_scalar_summary(
    tensor: Any, name: str | None = None, prefix: str | None = None, print_summary: bool = False
) -> Any:
    """A summary of a scalar; `print_summary` prints it whenever it is computed."""
    return _added(summary.scalar, tensor, _name(tensor, name, prefix), print_summary)


def add_zero_fraction_summary(
    tensor: TensorLike, name: str | None = None, prefix: str | None = None, print_summary: bool = False
) -> Any:
    """A summary of the share of zeros in a tensor."""
    found = _name(tensor, name, prefix, "Fraction_of_Zero_Values")
    return add_scalar_summary(zero_fraction(tensor), found, print_summary=print_summary)


def add_histogram_summaries(tensors: Iterable[Any], prefix: str | None = None) -> list[Any]:
    """A histogram of each of several tensors."""
    return [add_histogram_summary(tensor, prefix=prefix) for tensor in tensors]


def add_image_summaries(tensors: Iterable[Any], prefix: str | None = None) -> list[Any]:
    """A summary of each of several batches of images."""
    return [add_image_summary(tensor, prefix=prefix) for tensor in tensors]


def add_scalar_summaries(tensors: Iterable[Any], prefix: str | None = None, print_summary: bool = False) -> list[Any]:
    """A summary of each of several scalars."""
    return [add_scalar_summary(tensor, prefix=prefix, print_summary=print_summary) for tensor in tensors]


def add_zero_fraction_summaries(tensors: Iterable[Any], prefix: str | None = None) -> list[Any]:
    """A summary of the share of zeros in each of several tensors."""
    return [add_zero_fraction_summary(tensor, prefix=prefix) for tensor in tensors]
