"""What every test starts from: an empty default graph."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest

# Shells start what runs in the background with interrupts ignored, and programs started from there inherit that. Tests
# interrupt programs.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def empty_default_graph() -> Iterator[None]:
    """Each test builds into a graph of its own, so that names begin where the test's text lets one expect them to."""
    from headrace.core.defaults import reset_default_graph

    reset_default_graph()
    yield
    reset_default_graph()
