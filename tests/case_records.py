"""What TensorFlow 1.15.5 said of the cases, recorded by tools/oracle/record_cases.py, a file a family of ops."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from headrace.api.op_index import home_of

PLACE = Path(__file__).resolve().parent / "golden" / "cases"
VERSION = "1.15.5"


def family_of(op_type: str) -> str:
    """The name of the record of an op: the room of its file in `headrace/ops`."""
    return (home_of(op_type) or "").removeprefix("ops.").split(".")[0]


def read_records() -> dict[str, dict[str, Any]]:
    """The records of all cases by name: "MatMul-0"."""
    records: dict[str, dict[str, Any]] = {}
    for path in sorted(PLACE.glob("*.json")):
        records.update(json.loads(path.read_text())["cases"])
    return records
