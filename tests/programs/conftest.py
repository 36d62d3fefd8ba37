"""Programs may set options of the whole process, which end with them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def settings_of_the_process() -> Iterator[None]:
    """The process's settings as they were before any program, and none of its sessions the default one."""
    from headrace.core.defaults import default_session_stack
    from headrace.devices.process_settings import settings

    yield
    settings.__init__()  # type: ignore[misc]
    default_session_stack().items.clear()
