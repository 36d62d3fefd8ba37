"""The seams between rooms: slots that upper rooms fill, and the index of ops."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from headrace.api import op_index, wiring
from headrace.core import slots

ROOT = Path(__file__).resolve().parent.parent
SLOTS = {name: value for name, value in vars(slots).items() if isinstance(value, slots.Slot)}


def test_every_slot_is_wired_and_nothing_else_is():
    assert set(SLOTS) == set(wiring.PLACES)


@pytest.mark.parametrize("name", sorted(SLOTS))
def test_a_slot_is_filled_by_what_can_be_called(name):
    assert callable(SLOTS[name].function)
    assert name in repr(SLOTS[name])


def test_every_slot_is_asked_for():
    sources = [path.read_text() for path in (ROOT / "headrace").rglob("*.py")]
    asked_for = {name for source in sources for name in re.findall(r"\bslots\.(\w+)", source)}
    assert set(SLOTS) <= asked_for


def test_a_slot_says_that_nothing_has_been_wired():
    program = (
        "import sys, types\n"
        f"package = types.ModuleType('headrace'); package.__path__ = [{str(ROOT / 'headrace')!r}]\n"
        "sys.modules['headrace'] = package\n"
        "from headrace.core import slots\n"
        "try:\n    slots.declare('Add')\n"
        "except LookupError as error:\n    print(error)\n"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "'declare'" in ran.stdout


def test_the_index_of_ops_is_up_to_date():
    # In a process of its own: tests declare ops of theirs.
    ran = subprocess.run([sys.executable, "tools/make_op_index.py", "--check"], cwd=ROOT, check=False)
    assert ran.returncode == 0, "run tools/make_op_index.py"


def test_what_no_file_declares_is_not_found():
    assert op_index.home_of("NoSuchOp") is None
    assert not op_index.declare("NoSuchOp")


def test_a_first_step_imports_what_it_needs():
    program = (
        "import sys, headrace as tf\n"
        "with tf.Session() as session:\n    session.run(tf.constant(1.0) + 1)\n"
        "print(sum(name.startswith('headrace') for name in sys.modules))\n"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    # A dozen of them are the native regions'.
    assert int(ran.stdout) < 189
