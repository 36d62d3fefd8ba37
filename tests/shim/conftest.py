"""Programs started by these tests find the Headrace under test."""

from pathlib import Path

import pytest

import headrace


@pytest.fixture(autouse=True)
def importable_headrace(monkeypatch):
    """Programs are started in folders of their own."""
    monkeypatch.setenv("PYTHONPATH", str(Path(headrace.__file__).parent.parent))
