"""What every test starts from: an empty default graph."""

from __future__ import annotations

from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def empty_default_graph() -> Iterator[None]:
    """Each test builds into a graph of its own, so that names begin where the test's text lets one expect them to."""
    from headrace.core.defaults import reset_default_graph

    reset_default_graph()
    yield
    reset_default_graph()
