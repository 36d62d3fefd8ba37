"""Summaries of the layers of canned models."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from headrace.core.defaults import name_scope
from headrace.core.dtypes import int64
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.flow.cond import cond
from headrace.functions.nn.moments import zero_fraction
from headrace.kernels.composing import size
from headrace.kernels.composing.arranging import identity
from headrace.ops.array.constant import constant
from headrace.ops.math.add_n import add_n
from headrace.ops.math.cast import cast, to_float
from headrace.summary.operations import histogram, scalar


def summarize_layer(value: Tensor, tag: str) -> None:
    """Writes how many activations of a layer are 0, and how they are distributed."""
    scalar(f"{tag}/fraction_of_zero_values", zero_fraction(value))
    histogram(f"{tag}/activation", value)


def fraction_of_zero(variables: Sequence[Any]) -> Tensor:
    """Which part of the elements of variables is 0; NaN of none. A list among them stands for the parts of one."""
    variables = [part for each in variables for part in (each if isinstance(each, list) else [each])]
    with name_scope("zero_fraction"):
        with name_scope("total_size"):
            sizes = [size(variable, out_type=int64) for variable in variables]
            total = add_n(sizes)
        with name_scope("total_zero"):
            counts = []
            for variable, count in zip(variables, sizes, strict=True):
                empty = raw.Equal(count, constant(0, dtype=int64))
                zeros_of = functools.partial(_zeros_of, variable, count)
                counts.append(cond(empty, true_fn=_none, false_fn=zeros_of, name="zero_count"))
            zeros = add_n(counts)
        with name_scope("compute"):
            fraction = zeros / cast(total, "float32", name="float32_size")
        return identity(fraction, name="zero_fraction_or_nan")


def _none() -> Tensor:
    return constant(0.0)


def _zeros_of(variable: Any, count: Tensor) -> Tensor:
    return zero_fraction(variable) * to_float(count)
