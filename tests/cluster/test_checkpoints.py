"""Checkpoints of clusters go on in one process and the other way round, here and in TensorFlow 1.15.5."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ORACLE = Path(os.environ.get("HEADRACE_TF1", ROOT / ".oracle" / "tf1" / "bin" / "python"))


def _run(module, place, folder):
    """The step that a process reaches from what is in the folder, and the values it has."""
    python = str(ORACLE) if module == "tensorflow" else sys.executable
    program = str(Path(__file__).with_name("checkpoint_program.py"))
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    told = subprocess.run(
        [python, "-W", "ignore", program, module, place, str(folder)],
        capture_output=True,
        text=True,
        timeout=120,
        env=environment,
        check=False,
    )
    lines = [line for line in told.stdout.splitlines() if line.startswith("RESULT")]
    assert lines, told.stderr[-2000:]
    step, values = lines[0].removeprefix("RESULT ").split(" ", 1)
    return int(step), ast.literal_eval(values)


def _relay(runs, folder):
    return [_run(module, place, folder) for module, place in runs]


def test_checkpoints_go_between_a_cluster_and_one_process(tmp_path):
    there = _relay([("headrace", "cluster"), ("headrace", "alone")], tmp_path / "a")
    alone = _relay([("headrace", "alone"), ("headrace", "cluster")], tmp_path / "b")
    assert [step for step, _ in there] == [3, 6]
    for (_, values), (_, expected) in zip(there, alone, strict=True):
        assert values == pytest.approx(expected, abs=1e-6)


@pytest.mark.oracle
@pytest.mark.skipif(not ORACLE.exists(), reason="TensorFlow 1.15.5 is not here")
def test_checkpoints_go_between_clusters_of_both(tmp_path):
    runs = [("tensorflow", "cluster"), ("headrace", "alone"), ("headrace", "cluster"), ("tensorflow", "alone")]
    both = _relay([*runs, ("headrace", "cluster"), ("tensorflow", "cluster")], tmp_path / "a")
    theirs = _relay([("tensorflow", "alone")] * 6, tmp_path / "b")
    assert [step for step, _ in both] == [3, 6, 9, 12, 15, 18]
    for (_, values), (_, expected) in zip(both, theirs, strict=True):
        assert values == pytest.approx(expected, abs=1e-5)
