"""Summaries of tensors, activations and the variables of collections."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.collections import GraphKeys
from headrace.core.defaults import get_collection
from headrace.core.dtypes import bool as bool_type
from headrace.core.dtypes import string
from headrace.functions.math.reduction import reduce_mean
from headrace.ops.math.cast import cast, to_float
from headrace.ops.math.comparison import greater, less
from headrace.summary import operations as summary

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import TensorLike
    from headrace.state.variables import Variable


def _scalar(tensor: Any, tag: str | None = None) -> Tensor:
    tensor.shape.assert_has_rank(0)
    return summary.scalar(tag or f"{tensor.op.name}_summary", tensor)


def summarize_activation(op: Tensor) -> Tensor:
    """A histogram of an activation; for relus also how much of it is cut off.

    Args:
        op: the tensor of the activation.
    """
    kind, name = op.op.type, op.op.name
    if kind in ("Relu", "Softplus", "Relu6"):
        before = op.op.inputs[0]
        _scalar(reduce_mean(to_float(less(before, cast(0.0, before.dtype)))), f"{name}/zeros")
    if kind == "Relu6":
        before = op.op.inputs[0]
        _scalar(reduce_mean(to_float(greater(before, cast(6.0, before.dtype)))), f"{name}/sixes")
    return summary.histogram(f"{name}/activation", op)


def summarize_tensor(tensor: Tensor | Variable, tag: str | None = None) -> Any:
    """A summary of a tensor: its value if it is a scalar, else a histogram; None for strings and bools.

    Args:
        tensor: a tensor or variable.
        tag: the summary's name; one made of the tensor's by default.
    """
    if tensor.dtype.is_compatible_with(string) or tensor.dtype.base_dtype == bool_type:
        return None
    if tensor.shape.ndims == 0:
        return _scalar(tensor, tag)
    return summary.histogram(tag or f"{tensor.op.name}_summary", tensor)


def summarize_tensors(tensors: Sequence[TensorLike], summarizer: Callable[..., Any] = summarize_tensor) -> list[Any]:
    """Summaries of several tensors."""
    return [summarizer(tensor) for tensor in tensors]


def summarize_collection(
    collection: str, name_filter: str | None = None, summarizer: Callable[..., Any] = summarize_tensor
) -> list[Any]:
    """Summaries of the tensors of a collection.

    Args:
        collection: its name.
        name_filter: a regular expression that names have to begin with.
        summarizer: what makes the summary of one.
    """
    found = [t for t in get_collection(collection) if name_filter is None or re.match(name_filter, t.op.name)]
    return summarize_tensors(found, summarizer)


summarize_variables = functools.partial(summarize_collection, GraphKeys.GLOBAL_VARIABLES)
summarize_weights = functools.partial(summarize_collection, GraphKeys.WEIGHTS)
summarize_biases = functools.partial(summarize_collection, GraphKeys.BIASES)


def summarize_activations(
    name_filter: str | None = None, summarizer: Callable[..., Any] = summarize_activation
) -> list[Any]:
    """Summaries of `GraphKeys.ACTIVATIONS`; arguments as in `summarize_collection`."""
    return summarize_collection(GraphKeys.ACTIVATIONS, name_filter, summarizer)
