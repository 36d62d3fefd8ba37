"""The optimizers of models over feature columns, by their names, classes or objects."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from headrace.contrib.layers.feature_columns import _EmbeddingColumn
from headrace.contrib.layers.optimizers import OPTIMIZER_CLS_NAMES
from headrace.core.collections import GraphKeys
from headrace.core.defaults import get_collection
from headrace.ops.math.clip import clip_by_global_norm
from headrace.optimizers.adagrad import FtrlOptimizer

_LARGEST_LINEAR_RATE = 0.2


def get_optimizer(optimizer: Any) -> Any:
    """An optimizer, of what a program gave.

    Args:
        optimizer: an optimizer, a function that returns one, or a name of `OPTIMIZER_CLS_NAMES`.
    """
    return optimizer() if callable(optimizer) else optimizer


def default_linear_rate(columns: Sequence[Any]) -> float:
    """The learning rate of a linear model with so many columns, 1/sqrt(columns) and not above 0.2."""
    return min(_LARGEST_LINEAR_RATE, 1.0 / math.sqrt(len(columns)))


def linear_optimizer(optimizer: Any, columns: Sequence[Any]) -> Any:
    """The optimizer of a linear model: FTRL by default."""
    rate = default_linear_rate(columns)
    if optimizer is None:
        return FtrlOptimizer(learning_rate=rate)
    if isinstance(optimizer, str):
        return OPTIMIZER_CLS_NAMES[optimizer](learning_rate=rate)
    return get_optimizer(optimizer)


def clipped(gradients: list[tuple[Any, Any]], norm: float | None) -> list[tuple[Any, Any]]:
    """The gradients, scaled down to a global norm."""
    if norm is None:
        return gradients
    values, _ = clip_by_global_norm([gradient for gradient, _ in gradients], norm)
    return list(zip(values, [variable for _, variable in gradients], strict=True))


def embedding_variable(column: Any, collection_key: str, input_layer_scope: str) -> list[Any]:
    """The variables of an embedding column in a network.

    Args:
        column: the column.
        collection_key: the collection of the network's variables.
        input_layer_scope: the scope in which those of its columns lie.
    """
    return get_collection(collection_key, scope=f"{input_layer_scope}/{column.name}")


def embedding_multipliers(
    lr_multipliers: Mapping[Any, float] | None, parent_scope: str, input_scope: str
) -> dict[Any, float] | None:
    """Factors of the gradients of embeddings by variable.

    Args:
        lr_multipliers: from embedding column to factor; None for none.
        parent_scope, input_scope: the scopes in which the columns' variables lie.

    Raises:
        ValueError: for a factor of another column.
    """
    if not lr_multipliers:
        return None
    found: dict[Any, float] = {}
    for column, factor in lr_multipliers.items():
        if not isinstance(column, _EmbeddingColumn):
            raise ValueError(
                f"Learning rate multipliers can only be defined for embedding columns. It is defined for {column}."
            )
        variables = embedding_variable(column, GraphKeys.TRAINABLE_VARIABLES, f"{parent_scope}/{input_scope}")
        found.update(dict.fromkeys(variables, factor))
    return found
