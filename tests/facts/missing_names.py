"""The public names of TensorFlow 1.15 that Headrace does not offer yet. When some have come:

PYTHONPATH=tests .venv/bin/python -m facts.missing_names        (it writes missing_names.json)
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

import headrace as tf
from facts import FOLDER, facts

FILE = FOLDER / "missing_names.json"
SYMBOLS = {**facts("v1_symbols"), **facts("contrib_symbols")}


class _Absent:
    """What stands for a name that Headrace does not have."""


def _resolve(path: str) -> Any:
    found: Any = tf
    for name in path.split(".")[1:]:
        found = getattr(found, name, _Absent)
    return found


def offered_and_missing() -> tuple[dict[str, Any], list[str]]:
    """The names that Headrace has, with what they stand for, and those it has not: class members too."""
    offered, missing = {}, []
    for path, fact in SYMBOLS.items():
        value = _resolve(path)
        if value is _Absent:
            missing.append(path)
            continue
        offered[path] = value
        missing += [f"{path}.{member}" for member in fact.get("class") or () if not hasattr(value, member)]
    return offered, missing


def by_namespace(paths: Iterable[str]) -> dict[str, list[str]]:
    """Names by the module or class they are in."""
    spaces: dict[str, list[str]] = defaultdict(list)
    for path in paths:
        space, _, name = path.rpartition(".")
        spaces[space].append(name)
    return {space: sorted(spaces[space]) for space in sorted(spaces)}


def recorded_as_missing() -> set[str]:
    """The names that were missing when they were last counted."""
    return {f"{space}.{name}" for space, names in json.loads(FILE.read_text()).items() for name in names}


def main() -> None:
    offered, missing = offered_and_missing()
    lines = [f"{json.dumps(space)}: {json.dumps(names)}" for space, names in by_namespace(missing).items()]
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    print(f"{len(offered)} names are offered; {len(missing)} names and members of classes are missing")


if __name__ == "__main__":
    main()
