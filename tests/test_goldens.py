"""What TensorFlow said of other things than programs and cases: by which release, and by which program it was asked."""

import json
from pathlib import Path

import numpy as np
import pytest
from case_records import LATER_VERSION, VERSION
from oracle import fingerprint

ROOT = Path(__file__).resolve().parent.parent
GOLDEN = ROOT / "tests" / "golden"


def about(path):
    """The release and the fingerprint of the program that a golden file names."""
    if path.suffix == ".npz":
        with np.load(path) as archive:
            return str(archive["tensorflow"]), str(archive["program"])
    golden = json.loads(path.read_text())
    return golden["tensorflow"], golden["program"]


@pytest.mark.parametrize(
    ("golden", "program", "version"),
    [
        ("random/streams.npz", "tools/oracle/record_random_streams.py", VERSION),
        ("gradient_kinds.json", "tools/oracle/record_gradient_kinds.py", VERSION),
        ("later_versions.json", "tests/ops/later_versions.py", LATER_VERSION),
    ],
)
def test_a_golden_file_is_of_the_program_as_it_is(golden, program, version):
    assert about(GOLDEN / golden) == (version, fingerprint((ROOT / program).read_text())), f"run {program} again"


def test_golden_files_are_all_checked():
    # Those of programs and of cases have tests of their own.
    others = [path for path in GOLDEN.rglob("*.*") if path.relative_to(GOLDEN).parts[0] not in ("programs", "cases")]
    assert {path.name for path in others} == {"streams.npz", "gradient_kinds.json", "later_versions.json"}
