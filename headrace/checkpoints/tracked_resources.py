"""Resources and files that objects own, as dependencies of theirs."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from headrace.checkpoints.tracking import Trackable
from headrace.core.defaults import device
from headrace.core.dtypes import string
from headrace.core.tensor import Tensor
from headrace.ops.array.constant import constant
from headrace.state.scoping import init_scope

_trackers: list[ResourceTracker] = []


class NotTrackable:
    """What is made from it is never saved with the objects that hold it."""


class ResourceTracker:
    """Collects the resources that are made in its scope."""

    def __init__(self) -> None:
        self._resources: list[Any] = []

    @property
    def resources(self) -> list[Any]:
        """The resources, in the order they were made."""
        return self._resources

    def add_resource(self, resource: Any) -> None:
        """Adds one."""
        self._resources.append(resource)


@contextlib.contextmanager
def resource_tracker_scope(resource_tracker: ResourceTracker) -> Iterator[None]:
    """A context whose `TrackableResource` objects are collected.

    Args:
        resource_tracker: what collects them.
    """
    _trackers.append(resource_tracker)
    try:
        yield
    finally:
        _trackers.pop()


class CapturableResource(Trackable):
    """The base of objects that own a resource, which is made when its handle is first asked for.

    Args:
        device: the device to make it on.
        deleter: not needed: resources end with their session.

    Raises:
        NotImplementedError: for a `deleter`.
    """

    def __init__(self, device: str = "", deleter: Any = None) -> None:
        if deleter is not None:
            raise NotImplementedError(
                "CapturableResource(deleter=...): resources end with their session; leave it None."
            )
        self._resource_device = device
        self._made: Any = None

    def _create_resource(self) -> Any:
        """Makes the resource; returns its handle."""
        raise NotImplementedError("TrackableResource._create_resource not implemented.")

    def _initialize(self) -> Any:
        """Fills the resource, where it needs that."""

    @property
    def resource_handle(self) -> Any:
        """The handle."""
        if self._made is None:
            with device(self._resource_device):
                self._made = self._create_resource()
        return self._made


class TrackableResource(CapturableResource):
    """One that the tracker around it knows of.

    Args:
        device, deleter: as of `CapturableResource`.
    """

    def __init__(self, device: str = "", deleter: Any = None) -> None:
        for tracker in _trackers:
            tracker.add_resource(self)
        super().__init__(device, deleter)


class TrackableAsset(Trackable):
    """A file that belongs to a model.

    Args:
        path: its path.
    """

    def __init__(self, path: str | Tensor) -> None:
        with init_scope(), device("CPU"):
            self._path = constant(path, dtype=string, name="asset_path") if isinstance(path, (str, bytes)) else path

    @property
    def asset_path(self) -> Tensor:
        """The path as a tensor."""
        return self._path
