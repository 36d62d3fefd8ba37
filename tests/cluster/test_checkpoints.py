"""Checkpoints of clusters go on in one process and the other way round, here and in TensorFlow 1.15.5."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from headrace.cluster.launching import free_addresses

ROOT = Path(__file__).resolve().parents[2]
ORACLE = Path(os.environ.get("HEADRACE_TF1", ROOT / ".oracle" / "tf1" / "bin" / "python"))


def _run(module, place, folder):
    """The step that a process reaches from what is in the folder, and the values it has; "workers" are two processes."""
    folder.mkdir(exist_ok=True)
    if place in ("alone", "cluster"):
        return _outcomes([_start(module, "checkpoint_program.py", [place, str(folder)])])[0]
    return _outcomes([_start(module, "worker_checkpoint_program.py", [str(folder)], told) for told in _tasks(place)])[0]


def _tasks(place):
    """TF_CONFIG of each process."""
    if place == "one":
        return [None]
    cluster = {"worker": free_addresses(2)}
    return [json.dumps({"cluster": cluster, "task": {"type": "worker", "index": i}}) for i in range(2)]


def _start(module, program, arguments, told=None):
    python = str(ORACLE) if module == "tensorflow" else sys.executable
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    if told is not None:
        environment["TF_CONFIG"] = told
    command = [python, "-W", "ignore", str(Path(__file__).with_name(program)), module, *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)


def _outcomes(processes):
    """What each has printed."""
    found = []
    try:
        for process in processes:
            printed, errors = process.communicate(timeout=120)
            lines = [line for line in printed.splitlines() if line.startswith("RESULT")]
            assert lines, errors[-2000:]
            step, values = lines[0].removeprefix("RESULT ").split(" ", 1)
            found.append((int(step), ast.literal_eval(values)))
    finally:
        for process in processes:
            process.kill()
    return found


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


def test_checkpoints_of_workers_go_on_in_one_process(tmp_path):
    there = _relay([("headrace", "workers"), ("headrace", "one")], tmp_path / "a")
    alone = _relay([("headrace", "one"), ("headrace", "workers")], tmp_path / "b")
    assert [step for step, _ in there] == [3, 6]
    for (_, values), (_, expected) in zip(there, alone, strict=True):
        assert values == pytest.approx(expected, abs=1e-5)


@pytest.mark.oracle
@pytest.mark.skipif(not ORACLE.exists(), reason="TensorFlow 1.15.5 is not here")
def test_checkpoints_go_between_workers_of_both(tmp_path):
    runs = [("tensorflow", "workers"), ("headrace", "workers"), ("headrace", "one"), ("tensorflow", "workers")]
    both = _relay([*runs, ("tensorflow", "one"), ("headrace", "workers")], tmp_path / "a")
    theirs = _relay([("tensorflow", "one")] * 6, tmp_path / "b")
    assert [step for step, _ in both] == [3, 6, 9, 12, 15, 18]
    for (_, values), (_, expected) in zip(both, theirs, strict=True):
        assert values == pytest.approx(expected, abs=1e-5)
