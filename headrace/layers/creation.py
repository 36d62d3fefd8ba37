"""Making the variables of layers."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headrace.core.dtypes import as_dtype, float32
from headrace.core.shapes import TensorShape
from headrace.state.initializers import Initializer
from headrace.state.modes import VariableAggregation, VariableSynchronization
from headrace.state.scoping import init_scope
from headrace.state.variables import Variable

if TYPE_CHECKING:
    from headrace.core.typing import DTypeLike, FunctionIdentifier, Partitioner, ShapeLike


def make_variable(
    name: str,
    shape: ShapeLike | None = None,
    dtype: DTypeLike | None = float32,
    initializer: Any = None,
    trainable: bool | None = None,
    caching_device: str | Callable[..., Any] | None = None,
    validate_shape: bool = True,
    constraint: FunctionIdentifier | None = None,
    use_resource: bool | None = None,
    collections: Any = None,
    synchronization: VariableSynchronization = VariableSynchronization.AUTO,
    aggregation: VariableAggregation = VariableAggregation.NONE,
    partitioner: Partitioner | None = None,
) -> Variable:
    """A new variable named by the name scope, a resource variable unless `use_resource` says otherwise."""
    value: Callable[..., Any] | Initializer = initializer
    variable_dtype = None
    if initializer is None or callable(initializer):
        if isinstance(initializer, type) and issubclass(initializer, Initializer):
            initializer = initializer()
        variable_dtype = as_dtype(dtype).base_dtype
        value = functools.partial(initializer, shape, dtype=dtype)
    sizes = TensorShape(shape)
    with init_scope():
        return Variable(
            initial_value=value,
            name=name,
            trainable=trainable,
            caching_device=caching_device,
            dtype=variable_dtype,
            validate_shape=validate_shape,
            constraint=constraint,
            use_resource=True if use_resource is None else use_resource,
            collections=collections,
            synchronization=synchronization,
            aggregation=aggregation,
            shape=sizes if sizes else None,
        )


def trainable_mode(trainable: bool | None, synchronization: VariableSynchronization) -> bool:
    """Whether a variable is trained: by default unless it is synchronized on reading.

    Raises:
        ValueError: if both are asked for.
    """
    if synchronization != VariableSynchronization.ON_READ:
        return True if trainable is None else trainable
    if trainable:
        raise ValueError(
            "Synchronization value can be set to VariableSynchronization.ON_READ only for non-trainable variables. "
            "You have specified trainable=True and synchronization=VariableSynchronization.ON_READ."
        )
    return False
