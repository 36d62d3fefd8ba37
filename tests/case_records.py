"""What TensorFlow said of the cases, recorded by tools/oracle/record_cases.py, a file a family of ops."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from headrace.api.op_index import home_of

PLACE = Path(__file__).resolve().parent / "golden" / "cases"
VERSION = "1.15.5"
# Records of what 1.15.5 lacks name the version that they are of.
LATER_VERSION = "2.21.0"


def family_of(op_type: str) -> str:
    """The name of the record of an op: the room of its file in `headrace/ops`."""
    return (home_of(op_type) or "").removeprefix("ops.").split(".")[0]


def read_records() -> dict[str, dict[str, Any]]:
    """The records of all cases by name: "MatMul-0"."""
    records: dict[str, dict[str, Any]] = {}
    for path in sorted(PLACE.glob("*.json")):
        records.update(json.loads(path.read_text())["cases"])
    return records


RECORDS = read_records()
# Cases on which 2.21, asked because 1.15 has no answer, has another one than 1.15 would have.
UNLIKE_LATER = {
    "FusedBatchNormV3-1": "2.21's reserve space is an empty vector, 1.15's a scalar, as it shows for NHWC",
    "TensorArrayGradV2-0": "the string that stands for an array is no text here",
    "TensorArrayV2-0": "the string that stands for an array is no text here",
}


def of_tensorflow(param: Any) -> bool:
    """Whether a TensorFlow can have answered a case: it has the op, and where 1.15 differs, 2.21 has."""
    decl, case = param.values
    if decl.of_the_planner or decl.why_own is not None or param.id in UNLIKE_LATER:
        return False
    return case.differs is None or "absent" not in RECORDS.get(param.id, {})
