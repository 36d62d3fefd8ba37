"""The registry of gradients, in a process that has not used the ops it is asked of."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

KINDS = json.loads((Path(__file__).parents[1] / "golden" / "gradient_kinds.json").read_text())["results"]


def _said(program):
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert not done.returncode, done.stderr
    return done.stdout


def test_what_an_op_has_is_not_registered_again():
    said = _said("""
import headrace as tf
try:
    tf.RegisterGradient("Cross")(lambda op, grad: grad)
except KeyError as error:
    print(error)
""")
    assert "Registering two gradient with name 'Cross'" in said


def test_all_of_them_are_listed():
    said = _said("""
from headrace.core.registry import raw
from headrace.python.framework import ops
listed = list(ops._gradient_registry.list())
print(*listed)
print(*dir(raw))
""").splitlines()
    listed, declared = (set(line.split()) for line in said)
    known = {op_type for kind in ("function", "none") for op_type in KINDS[kind].split()}
    assert known & declared <= listed
