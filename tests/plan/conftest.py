"""Every graph that is planned in these tests is legal before and after each pass."""

import pytest


@pytest.fixture(autouse=True)
def all_graphs_are_legal(legal_graphs):
    """As the fixture that other tests ask for."""
