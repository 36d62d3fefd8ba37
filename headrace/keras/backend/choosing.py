"""Choosing between tensors: by a condition, and by whether a model is trained."""

from __future__ import annotations

from typing import Any

import numpy as np

from headrace.core.dtypes import as_dtype
from headrace.core.dtypes import bool as bool_type
from headrace.functions.flow.cond import cond
from headrace.kernels.composing.arranging import concat
from headrace.kernels.composing.filling import ones_like
from headrace.kernels.composing.shapes import shape
from headrace.layers.context import learning_phase
from headrace.ops.array.shape import reshape
from headrace.ops.array.tile import tile
from headrace.ops.array.where import where
from headrace.ops.math.cast import cast


def switch(condition: Any, then_expression: Any, else_expression: Any) -> Any:
    """One of two tensors or functions of tensors, by a condition known when it runs.

    Args:
        condition: a tensor: a scalar, or one whose axes are the first of the expressions'.
        then_expression: what is given where it is not zero: a tensor or a function.
        else_expression: what is given elsewhere.

    Raises:
        ValueError: if the condition has more axes than the expressions.
    """
    if as_dtype(condition.dtype).base_dtype != bool_type:
        condition = cast(condition, bool_type)
    axes = condition.shape.rank
    if not axes:
        then_of = then_expression if callable(then_expression) else lambda: then_expression
        else_of = else_expression if callable(else_expression) else lambda: else_expression
        return cond(condition, then_of, else_of)
    # Both are computed: each element is chosen by itself.
    if callable(then_expression):
        then_expression = then_expression()
    if callable(else_expression):
        else_expression = else_expression()
    more = then_expression.shape.rank
    if axes > more:
        raise ValueError(
            "Rank of `condition` should be less than or equal to rank of `then_expression` and `else_expression`. "
            f"ndim(condition)={axes}, ndim(then_expression)={more}"
        )
    if axes > 1:
        wide = concat([shape(condition), [1] * (more - axes)], axis=0)
        condition = reshape(condition, wide)
        sizes = shape(then_expression)
        # It is spread over the axes along which it has one element.
        condition = tile(condition, where(sizes - wide > 0, sizes, ones_like(sizes)))
    return where(condition, then_expression, else_expression)


def in_train_phase(x: Any, alt: Any, training: Any = None) -> Any:
    """`x` in training, `alt` otherwise.

    Args:
        x, alt: tensors or functions of tensors.
        training: whether this is training: a tensor, a number or a bool; the learning phase by default.
    """
    if training is None:
        training = learning_phase()
    if isinstance(training, (bool, int, float, np.generic)) and training in (0, 1):
        chosen = x if training else alt
        return chosen() if callable(chosen) else chosen
    return switch(training, x, alt)


def in_test_phase(x: Any, alt: Any, training: Any = None) -> Any:
    """`x` outside of training, `alt` in it.

    Args:
        x, alt: tensors or functions of tensors.
        training: whether this is training: a tensor, a number or a bool; the learning phase by default.
    """
    return in_train_phase(alt, x, training=training)
