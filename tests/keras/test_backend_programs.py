"""Keras' backend, identifiers and utilities: programs against what TensorFlow 1.15.5 says of them."""

from __future__ import annotations

import pytest

from tests.oracle import TESTS, assert_same, golden, run_program

NAMES = (
    *("backend_arithmetic", "backend_convolutions", "backend_products", "backend_rnn", "backend_sessions"),
    *("generic_utils", "identifiers"),
)


@pytest.mark.parametrize("name", NAMES)
def test_as_in_1_15(name: str) -> None:
    """Values, shapes, names of operations, printed lines and errors are those of TensorFlow."""
    program = TESTS / "programs" / "keras" / f"{name}.py"
    got = run_program(program.read_text(), path=str(program))
    assert_same(got, golden(f"keras/{name}"), rtol=1e-4, atol=1e-5)
