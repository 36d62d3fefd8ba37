"""1.x's `context` as functions: the library of eager execution, name scopes and policies of the process."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from headrace.config import settings
from headrace.config.context_settings import POLICIES
from headrace.config.eager_context import MIRRORING_NONE, context


def add_function(fdef: Any) -> None:
    """Puts a function into the library of eager execution."""
    context().add_function(fdef)


def remove_function(name: str | bytes) -> None:
    """Takes a function out of the library of eager execution; errors as of `Context.remove_function`."""
    context().remove_function(name)


@contextlib.contextmanager
def device_policy(policy: int) -> Iterator[None]:
    """A context in which tensors on other devices than their operations are treated so.

    Args:
        policy: one of `tfe.DEVICE_PLACEMENT_...`.
    """
    before = settings.get_device_policy()
    settings.set_device_policy(POLICIES[policy])
    try:
        yield
    finally:
        settings.set_device_policy(before)


def mirroring_policy(policy: int) -> contextlib.AbstractContextManager[None]:
    """A context in which copies of tensors are kept, or not; here they are not.

    Raises:
        NotImplementedError: for a policy that keeps them.
    """
    if policy != MIRRORING_NONE:
        raise NotImplementedError(
            f"mirroring_policy({policy}): copies on other devices are not kept; use MIRRORING_NONE."
        )
    return contextlib.nullcontext()


def get_log_device_placement() -> bool:
    """Whether it is logged where operations run."""
    return settings.get_log_device_placement()


def set_log_device_placement(enabled: bool) -> None:
    """Sets whether it is logged where operations run."""
    settings.set_log_device_placement(enabled)


@contextlib.contextmanager
def namescope(name: str) -> Iterator[None]:
    """A name scope of eager operations.

    Args:
        name: its full name.
    """
    outer = context().scope_name
    context().scope_name = name
    try:
        yield
    finally:
        context().scope_name = outer


def scope_name() -> str:
    """The name scope in force, with a final slash."""
    return context().scope_name
