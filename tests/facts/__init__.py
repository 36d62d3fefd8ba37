"""Facts about TensorFlow, recorded from the library itself by tools/oracle/record_api.py.

- op_defs.json: the op types of 1.15.5, contrib's with them; op_defs_later.json: those that 2.21 has, or has otherwise.
- v1_symbols.json and contrib_symbols.json: the public names of 1.15.5 with signatures, class members and constants.
- missing_names.json: those of them that Headrace does not offer yet (tests/api/test_public_names.py).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent


def facts(name: str) -> dict[str, Any]:
    """What one of the files says: op type, or public name, to what is known of it."""
    return json.loads((FOLDER / f"{name}.json").read_text())
