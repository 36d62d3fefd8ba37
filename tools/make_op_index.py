"""Writes the tables of ops (headrace/api/op_table.py) and of what fusions look for (headrace/plan/fusion_table.py).

    python tools/make_op_index.py          # after an op or a fusion has been added, moved or removed
    python tools/make_op_index.py --check  # says whether the tables are up to date

Every module of `headrace.ops` and `headrace.plan.fusions` is imported, and each declaration says where it was made.
"""

from __future__ import annotations

import argparse
import importlib
import pkgutil
import sys
import textwrap
from collections import defaultdict
from pathlib import Path

ROOMS = ("headrace.ops", "headrace.plan.fusions")
PACKAGE = Path(__file__).resolve().parent.parent / "headrace"
TABLE, FUSION_TABLE = PACKAGE / "api" / "op_table.py", PACKAGE / "plan" / "fusion_table.py"
_HEAD = '''"""Which module declares which op types. Made by tools/make_op_index.py, which is run after one is added or moved."""

TYPES: dict[str, str] = {
'''
_FUSION_HEAD = '''"""What fusions look for: groups of op types, of each of which one must be there.

Made by tools/make_op_index.py from the files of `plan.fusions`, so that one is imported only where there is work for it.
"""

GROUPS: dict[str, str] = {
'''


def table() -> str:
    """The text of the table, from the declarations themselves."""
    for room in ROOMS:
        package = importlib.import_module(room)
        for module in pkgutil.walk_packages(package.__path__, f"{room}."):
            importlib.import_module(module.name)
    registry = importlib.import_module("headrace.core.registry").REGISTRY
    found: dict[str, list[str]] = defaultdict(list)
    for op_type, decl in registry.items():
        if decl.module.startswith(ROOMS):
            found[decl.module.removeprefix("headrace.")].append(op_type)
    return _HEAD + "".join(_row(module, sorted(types)) for module, types in sorted(found.items())) + "}\n"


def fusion_table() -> str:
    """The text of the table of fusions, from the fusions themselves."""
    package = importlib.import_module("headrace.plan.fusions")
    rows = []
    for name in sorted(module.name for module in pkgutil.iter_modules(package.__path__)):
        groups = importlib.import_module(f"{package.__name__}.{name}").fusion.groups
        rows.append(_row(name.replace("_", " "), " | ".join(" ".join(sorted(group)) for group in groups).split()))
    return _FUSION_HEAD + "".join(rows) + "}\n"


def _row(module: str, types: list[str]) -> str:
    line = f'    "{module}": "{" ".join(types)}",\n'
    if len(line) <= 121:
        return line
    # As the formatter leaves it: one string where that fits.
    whole = " ".join(types)
    parts = [whole] if len(whole) <= 110 else textwrap.wrap(whole, 108, break_long_words=False)
    lines = [f'        "{part} "\n' for part in parts[:-1]] + [f'        "{parts[-1]}"\n']
    return f'    "{module}": (\n{"".join(lines)}    ),\n'


def main() -> int:
    """Runs the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a table is out of date")
    arguments = parser.parse_args()
    texts = {TABLE: table(), FUSION_TABLE: fusion_table()}
    if arguments.check:
        return int(any(path.read_text() != text for path, text in texts.items()))
    for path, text in texts.items():
        path.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
