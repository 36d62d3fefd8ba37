"""Callbacks, preprocessing and applications of Keras: programs against what TensorFlow 1.15.5 says of them."""

from __future__ import annotations

import pytest

from tests.oracle import TESTS, assert_same, golden, run_program


@pytest.mark.parametrize(
    "name", ["applications_layers", "callbacks_of_training", "image_batches", "sequences_and_texts"]
)
def test_as_in_1_15(name: str) -> None:
    """Numbers, names and classes of errors are those of TensorFlow."""
    path = TESTS / "programs" / "keras" / f"{name}.py"
    assert_same(run_program(path.read_text(), path=str(path)), golden(f"keras/{name}"))
