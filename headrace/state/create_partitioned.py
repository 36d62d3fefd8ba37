"""Variables kept in several parts, asked for as such."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.defaults import name_scope
from headrace.state.current_scope import first_given, get_variable_scope
from headrace.state.variable_scope import variable_scope
from headrace.state.variable_store import get_default_variable_store

if TYPE_CHECKING:
    from headrace.core.typing import CollectionNames, DTypeLike, InitializerLike, Partitioner
    from headrace.state.modes import _ReuseMode


def get_partitioned_variable(name: str | None, partitioner: Partitioner, **settings: Any) -> Any:
    """The partitioned variable of this name in the open scope, whose own name stands in where `name` is None.

    Raises:
        ValueError: if the scope has a custom getter, or there is no partitioner.
    """
    scope = get_variable_scope()
    if scope.custom_getter is not None:
        raise ValueError(
            "Private access to _get_partitioned_variable is not allowed when a custom getter is set.  Current custom "
            f"getter: {scope.custom_getter}.  It is likely that you're using create_partitioned_variables.  If so, consider "
            "instead using get_variable with a non-empty partitioner parameter instead."
        )
    partitioner = first_given(partitioner, scope.partitioner)
    if partitioner is None:
        raise ValueError("No partitioner was specified")
    for key in ("initializer", "regularizer", "constraint", "caching_device", "dtype", "use_resource"):
        settings[key] = first_given(settings.get(key), getattr(scope, key))
    full_name = "/".join(part for part in (scope.name, name) if part)
    with name_scope(None):
        return get_default_variable_store()._get_partitioned_variable(
            name=full_name, partitioner=partitioner, reuse=scope.reuse, **settings
        )


def create_partitioned_variables(
    shape: Sequence[int],
    slicing: Sequence[int],
    initializer: InitializerLike,
    dtype: DTypeLike = "float32",
    trainable: bool = True,
    collections: CollectionNames | None = None,
    name: str | None = None,
    reuse: bool | _ReuseMode | None = None,
) -> list[Any]:
    """The parts of a new variable that is divided along one axis.

    Args:
        shape: the shape of the whole, a list of ints.
        slicing: the number of parts along each axis; only one may be more than 1.
        initializer: a tensor of the whole shape, or a function of (shape, dtype) for each part.
        dtype: the element type.
        trainable: whether optimizers train the parts.
        collections: names of the collections they join.
        name: the name; "PartitionedVariable" by default.
        reuse: True to share the parts made before under this name.

    Raises:
        ValueError: if `slicing` does not fit `shape`.
    """
    if len(shape) != len(slicing):
        raise ValueError(
            f"The 'shape' and 'slicing' of a partitioned Variable must have the length: shape: {shape}, slicing: {slicing}"
        )
    if len(shape) < 1:
        raise ValueError(f"A partitioned Variable must have rank at least 1: shape: {shape}")

    def partitioner(**_: Any) -> list[int]:
        return list(slicing)

    with variable_scope(name, "PartitionedVariable", reuse=reuse):
        found = get_partitioned_variable(
            name=None,
            shape=shape,
            dtype=dtype,
            initializer=initializer,
            trainable=trainable,
            partitioner=partitioner,
            collections=collections,
        )
        return list(found)
