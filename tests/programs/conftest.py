"""Programs may set options of the whole process, which end with them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def settings_of_the_process() -> Iterator[None]:
    """The process's settings as they were before any program."""
    from headrace.devices.process_settings import settings

    yield
    settings.__init__()  # type: ignore[misc]
