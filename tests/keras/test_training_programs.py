"""Training of Keras models: programs against what TensorFlow 1.15.5 says of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.oracle import TESTS, assert_same, golden, run_program

PROGRAMS = sorted((TESTS / "programs" / "keras").glob("training_*.py"))


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_training_as_in_1_15(program: Path) -> None:
    """The numbers, names and errors are those of TensorFlow."""
    got = run_program(program.read_text(), path=str(program))
    assert_same(got, golden(f"keras/{program.stem}"))
