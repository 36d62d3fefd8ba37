"""Resources other than variables that a graph registers, and the operations that make them or tell which are missing."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from headrace.core.collections import GraphKeys
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import add_to_collection, device, get_collection, name_scope
from headrace.core.operation import Operation
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.array.where import boolean_mask
from headrace.kernels import composing
from headrace.ops.flow.grouping import group, no_op


class Resource(NamedTuple):
    """A resource, the operation that makes it, and a bool tensor that tells whether it is there."""

    handle: Any
    create: Any
    is_initialized: Any


def register_resource(handle: Any, create_op: Any, is_initialized_op: Any, is_shared: bool = True) -> None:
    """Puts a resource into the collection RESOURCES, or LOCAL_RESOURCES if it is not shared."""
    key = GraphKeys.RESOURCES if is_shared else GraphKeys.LOCAL_RESOURCES
    add_to_collection(key, Resource(handle, create_op, is_initialized_op))


def shared_resources() -> list[Any]:
    """The resources of the collection RESOURCES."""
    return get_collection(GraphKeys.RESOURCES)


def local_resources() -> list[Any]:
    """The resources of the collection LOCAL_RESOURCES."""
    return get_collection(GraphKeys.LOCAL_RESOURCES)


def initialize_resources(resource_list: Iterable[Any], name: str = "init") -> Operation:
    """An operation that makes all of `resource_list`."""
    created = [resource.create for resource in resource_list]
    return group(*created, name=name) if created else no_op(name=name)


def report_uninitialized_resources(
    resource_list: list[Any] | None = None, name: str = "report_uninitialized_resources"
) -> Tensor:
    """A string vector with the names of the resources that have not been made."""
    if resource_list is None:
        resource_list = shared_resources() + local_resources()
    with name_scope(name), device("/cpu:0"):
        if not resource_list:
            return convert_to_tensor([], dtype="string")
        missing = raw.LogicalNot(composing.stack([resource.is_initialized for resource in resource_list]))
        names = convert_to_tensor([resource.handle.name for resource in resource_list])
        return boolean_mask(names, missing)
