"""Every program of this folder gives under Headrace what TensorFlow 1.15.5 gave (tests/golden/programs)."""

from __future__ import annotations

from pathlib import Path

import pytest
from oracle import assert_same, golden, has_oracle, run_program

HERE = Path(__file__).resolve().parent
PROGRAMS = sorted({path.stem for path in HERE.glob("*.py")} - {"conftest", "test_programs"})

# A thousand optimizer steps let rounding differences grow, and so do rounding to few values and gradients in the thousands.
TOLERANCE = {
    "curve_fit": 1e-3,
    "entropy_optimum": 1e-3,
    "quantize_training": 1e-3,
    "rnn_contrib_cells": 3e-5,
    "train_half": 1e-2,
}


# A program may do what TensorFlow warns of too.
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("name", PROGRAMS)
def test_program_gives_what_tensorflow_gave(name):
    path = HERE / f"{name}.py"
    tolerance = TOLERANCE.get(name, 1e-5)
    assert_same(run_program(path.read_text(), path=str(path)), golden("programs", name), tolerance, tolerance)


@pytest.mark.oracle
@pytest.mark.skipif(not has_oracle(), reason="TensorFlow 1.15.5 is not installed: make oracle")
@pytest.mark.parametrize("name", PROGRAMS)
def test_golden_is_what_tensorflow_says(name):
    path = HERE / f"{name}.py"
    tolerance = TOLERANCE.get(name, 1e-5)
    assert_same(run_program(path.read_text(), "tf1", str(path)), golden("programs", name), tolerance, tolerance)
