"""Training under distribution strategies is that of TensorFlow 1.15.5, and goes on there, and here, from either's checkpoints."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

pytestmark = pytest.mark.oracle
PROGRAM = str(pathlib.Path(__file__).parent / "replicas_program.py")
HERE = [sys.executable, "-m", "headrace"]
THERE = [os.environ.get("HEADRACE_TF1", ".oracle/tf1/bin/python")]


def losses(python, kind, read_from, write_to):
    environment = dict(os.environ, TF_CPP_MIN_LOG_LEVEL="3", PYTHONWARNINGS="ignore", OMP_NUM_THREADS="1")
    command = [*python, PROGRAM, kind, str(read_from), str(write_to)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize("kind", ["mirrored", "central", "one"])
def test_checkpoints_go_to_and_fro(tmp_path, kind):
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    first = losses(THERE, kind, "-", theirs)
    np.testing.assert_allclose(losses(HERE, kind, "-", ours), first, rtol=1e-4)
    # Under another strategy, too: a mirrored variable stands in the file once.
    for after in (kind, "one" if kind != "one" else "mirrored"):
        expected = losses(THERE, after, theirs, tmp_path / "later")
        assert abs(expected[0] - first[0]) > 1e-2
        np.testing.assert_allclose(losses(HERE, after, theirs, tmp_path / "later"), expected, rtol=1e-4)
        np.testing.assert_allclose(losses(THERE, after, ours, tmp_path / "later"), expected, rtol=1e-4)
