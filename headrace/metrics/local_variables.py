"""What the streaming metrics share: their local variables, and bringing inputs to one shape.

A metric keeps sums in local variables. It returns two tensors: its value, computed from the variables, and an update
that adds a batch to them and is the value afterwards.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar, cast

from headrace.core.collections import GraphKeys
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import add_to_collections, control_dependencies
from headrace.core.eager import executing_eagerly
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.squeezing import remove_squeezable_dimensions, squeeze_weights
from headrace.kernels import composing
from headrace.ops.math.division import div_no_nan
from headrace.state.modes import VariableAggregation, VariableSynchronization
from headrace.state.replication import get_replica_context, has_strategy, in_cross_replica_context
from headrace.state.variables import Variable

if TYPE_CHECKING:
    from headrace.core.operation import Operation
    from headrace.core.shapes import TensorShape
    from headrace.core.typing import CollectionNames, DTypeLike, TensorLike
    from headrace.metrics.concat_metrics import AucData


_Function = TypeVar("_Function", bound=Callable[..., Any])


def in_graphs_only(function: _Function) -> _Function:
    """Marks a metric of `tf.metrics`, which refuses to run while executing eagerly."""

    @functools.wraps(function)
    def checked(*args: Any, **kwargs: Any) -> tuple[Tensor, Tensor]:
        if executing_eagerly():
            raise RuntimeError(
                f"tf.metrics.{function.__name__} is not supported when eager execution is enabled; use tfe.metrics."
            )
        return function(*args, **kwargs)

    return cast(_Function, checked)


def metric_variable(
    shape: TensorShape | Sequence[int], dtype: DTypeLike, validate_shape: bool = True, name: str | None = None
) -> Any:
    """A variable of zeros in the collections LOCAL_VARIABLES and METRIC_VARIABLES.

    Args:
        shape: its shape, a tensor if `validate_shape` is false.
        dtype: its type.
        validate_shape: whether values of other shapes are refused.
        name: its name.
    """
    return Variable(
        lambda: composing.zeros(shape, dtype),
        trainable=False,
        collections=[GraphKeys.LOCAL_VARIABLES, GraphKeys.METRIC_VARIABLES],
        validate_shape=validate_shape,
        name=name,
        synchronization=VariableSynchronization.ON_READ,
        aggregation=VariableAggregation.SUM,
    )


def collect(collections: CollectionNames | None, value: TensorLike | Operation | AucData) -> None:
    """Adds `value` to a collection or several; nothing happens without any."""
    if collections:
        add_to_collections(collections, value)


def of_all_replicas(collections: CollectionNames | None, compute: Callable[[], Any]) -> Any:
    """What is computed of the variables of a metric, added to collections.

    Under a distribution strategy it is computed once, of what all replicas have counted.

    Args:
        collections: names of collections, or None.
        compute: gives the value.
    """

    def computed(strategy: Any) -> Any:
        # Several steps may run in a loop: what is asked of them is asked after it.
        outside = hasattr(strategy.extended, "_outer_control_flow_context")
        with control_dependencies(None) if outside else contextlib.nullcontext():
            value = compute()
        collect(collections, value)
        return value

    if has_strategy() and not in_cross_replica_context():
        return get_replica_context().merge_call(computed)
    value = compute()
    collect(collections, value)
    return value


def aligned(predictions: TensorLike, labels: TensorLike | None, weights: TensorLike | None) -> tuple[Tensor, Any, Any]:
    """Predictions, labels and weights of one rank, where the last dimension of 1 of one of them may go.

    Args:
        predictions: tensor.
        labels: tensor of its shape, or None.
        weights: tensor that broadcasts to it, or None.

    Returns:
        (predictions, labels, weights).

    Raises:
        ValueError: if the shapes of predictions and labels do not fit.
    """
    predictions = convert_to_tensor(predictions)
    if labels is not None:
        labels, predictions = remove_squeezable_dimensions(labels, predictions)
        predictions.get_shape().assert_is_compatible_with(labels.get_shape())
    if weights is not None:
        weights = squeeze_weights(weights, predictions, may_expand=True)
    return predictions, labels, weights


def ratio(numerator: TensorLike, denominator: TensorLike, name: str | None) -> Tensor:
    """A quotient of sums, 0 where the denominator is not positive."""
    return div_no_nan(numerator, raw.Maximum(denominator, 0), name=name)
