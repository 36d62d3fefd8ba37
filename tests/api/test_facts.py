"""The facts are what TensorFlow 1.15.5 says of itself."""

from __future__ import annotations

import subprocess

import pytest
from facts import FOLDER
from oracle import TESTS, has_oracle, oracle_python


@pytest.mark.oracle
@pytest.mark.skipif(not has_oracle(), reason="TensorFlow 1.15.5 is not installed: make oracle")
def test_recording_them_again_changes_nothing(tmp_path):
    tool = TESTS.parent / "tools" / "oracle" / "record_api.py"
    subprocess.run([oracle_python(), tool, tmp_path], check=True, capture_output=True)
    recorded = sorted(path.name for path in tmp_path.iterdir())
    assert recorded == ["contrib_symbols.json", "op_defs.json", "v1_symbols.json"]
    # Whole files would be a long difference.
    assert [name for name in recorded if (tmp_path / name).read_text() != (FOLDER / name).read_text()] == []
