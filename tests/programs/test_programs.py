"""Every program below this folder gives under Headrace what TensorFlow 1.15.5 gave (tests/golden/programs)."""

from __future__ import annotations

from pathlib import Path

import pytest
from oracle import TESTS, assert_same, fingerprint, golden, has_oracle, read_golden, run_program

pytestmark = pytest.mark.usefixtures("on_device")

HERE = Path(__file__).resolve().parent
PROGRAMS = sorted(
    path.relative_to(HERE).with_suffix("").as_posix()
    for path in HERE.rglob("*.py")
    if path.name not in ("conftest.py", "test_programs.py")
)

# A thousand optimizer steps let rounding differences grow, and so do rounding to few values and gradients in the thousands.
TOLERANCE = {
    "contrib/quantize/training": 1e-3,
    "contrib/rnn/cells": 3e-5,
    "optimizers/half_precision": 1e-2,
    "user/curve_fit": 1e-3,
    "user/entropy_optimum": 1e-3,
}


def run(name, implementation):
    path = HERE / f"{name}.py"
    return run_program(path.read_text(), implementation, str(path))


# A program may do what TensorFlow warns of too.
@pytest.mark.filterwarnings("default")
@pytest.mark.usefixtures("legal_graphs")
@pytest.mark.parametrize("name", PROGRAMS)
def test_program_gives_what_tensorflow_gave(name):
    tolerance = TOLERANCE.get(name, 1e-5)
    assert_same(run(name, "headrace"), golden(name), tolerance, tolerance)


@pytest.mark.parametrize("name", PROGRAMS)
def test_golden_is_of_the_program_as_it_stands(name):
    recorded = read_golden(name)
    assert recorded["tensorflow"] == "1.15.5"
    assert recorded["program"] == fingerprint((HERE / f"{name}.py").read_text()), (
        f'the program has changed since TensorFlow was asked: make goldens PROGRAMS="tests/programs/{name}.py"'
    )


def test_each_golden_has_its_program():
    folder = TESTS / "golden" / "programs"
    assert sorted(path.relative_to(folder).with_suffix("").as_posix() for path in folder.rglob("*.json")) == PROGRAMS


@pytest.mark.oracle
@pytest.mark.skipif(not has_oracle(), reason="TensorFlow 1.15.5 is not installed: make oracle")
@pytest.mark.parametrize("name", PROGRAMS)
def test_golden_is_what_tensorflow_says(name):
    tolerance = TOLERANCE.get(name, 1e-5)
    assert_same(run(name, "tf1"), golden(name), tolerance, tolerance)
