"""Runs the listings of a document of TensorFlow 1's years and writes which of them runs, and what it prints.

    python tools/run_listings.py "Effective TensorFlow" effective_tensorflow.md

What does not run here is tried with TensorFlow 1.15.5 too (make oracle): many a document shows errors on purpose.

The document is Markdown, its listings are fenced blocks of Python. A listing runs in a process of its own, after those that
stand before it in its section and make the names that it lacks: a fragment means what the section has made so far.
"""

from __future__ import annotations

import argparse
import ast
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from rich.progress import track

ROOT = Path(__file__).resolve().parent.parent
ORACLE = ROOT / ".oracle" / "tf1" / "bin" / "python"
PAGE = ROOT / "docs" / "listings.md"
BLOCK = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)


@dataclass
class Listing:
    """A listing: where it stands, and its text."""

    section: str
    number: int
    text: str

    @property
    def bound(self) -> set[str]:
        """The names it makes."""
        try:
            nodes = list(ast.walk(ast.parse(self.text)))
        except SyntaxError:
            return set()
        found = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        found |= {node.name for node in nodes if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
        imports = [alias for node in nodes if isinstance(node, (ast.Import, ast.ImportFrom)) for alias in node.names]
        return found | {(alias.asname or alias.name).partition(".")[0] for alias in imports}


def listings(document: str) -> list[Listing]:
    """The listings of a document, by section."""
    found = []
    for part in re.split(r"^## ", document, flags=re.MULTILINE):
        title = part.partition("\n")[0].strip()
        found += [Listing(title, number, text) for number, text in enumerate(BLOCK.findall(part), 1)]
    return found


def program(listing: Listing, needed: list[Listing]) -> str:
    """A program of what a listing needs and the listing, with marks around what the listing itself prints."""
    usual = "import numpy as np\nimport tensorflow as tf\n"
    before = "\n".join(one.text for one in needed)
    return f"{usual}{before}\nprint('<listing>')\n{listing.text}\nprint('</listing>')\n"


def tried(listing: Listing, before: list[Listing], *command: str) -> tuple[bool, str, str]:
    """Runs a listing; where it lacks a name, again after the last listing of its section that makes that name.

    Returns:
        whether it ran, what it printed or the error, and the program at last.
    """
    needed: list[Listing] = []
    while True:
        text = program(listing, sorted(needed, key=before.index))
        works, said = run(text, *command)
        lacks = re.match(r"NameError: name '(\w+)' is not defined", said) if not works else None
        makers = [one for one in before if lacks and lacks[1] in one.bound and one not in needed]
        if not makers:
            return works, said, text
        needed.append(makers[-1])


def run(text: str, *command: str) -> tuple[bool, str]:
    """Whether a program runs to its end, and what its listing printed, or why it did not."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "listing.py").write_text(text, encoding="utf-8")
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "MPLBACKEND": "Agg", "TF_CPP_MIN_LOG_LEVEL": "3"}
        whole = [*command, "listing.py"]
        try:
            done = subprocess.run(whole, cwd=folder, env=environment, capture_output=True, text=True, timeout=120)
        except subprocess.TimeoutExpired:
            return False, "TimeoutError: it does not end within two minutes"
    if done.returncode:
        errors = [
            line for line in done.stderr.splitlines() if re.match(r"[\w.]*(Error|Exception|Exit|Interrupt)\b", line)
        ]
        return False, errors[-1] if errors else f"exit code {done.returncode}"
    return True, done.stdout.partition("<listing>\n")[2].partition("</listing>")[0].strip()


def kind(said: str) -> str:
    """The class of an error, without its module; what is a TypeError there may be a subclass of it here."""
    name = said.partition(":")[0].rpartition(".")[2]
    return {"OperatorNotAllowedInGraphError": "TypeError"}.get(name, name)


def short(said: str) -> str:
    """The first line of an output, for a table."""
    line, _, rest = said.partition("\n")
    line = line.replace("|", "\\|")
    line = line if len(line) <= 70 else line[:67] + "…"
    return f"`{line}`" + (" …" if rest else "") if line else "nothing"


def main() -> None:
    """Runs the listings of a document and writes the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("title")
    parser.add_argument("document", type=Path)
    arguments = parser.parse_args()
    found = listings(arguments.document.read_text(encoding="utf-8"))
    counts = dict.fromkeys(("runs", "same", "fails"), 0)
    rows: list[str] = []
    for index, listing in enumerate(track(found, "listings")):
        before = [one for one in found[:index] if one.section == listing.section]
        works, said, text = tried(listing, before, sys.executable, "-m", "headrace")
        outcome, what = "runs", f"prints {short(said)}"
        if not works:
            there, wanted = run(text, str(ORACLE))
            same = not there and kind(said) == kind(wanted)
            outcome = "same" if same else "fails"
            what = f"{'ends as in TensorFlow 1.15.5' if same else '**fails**'}: {short(said)}"
        counts[outcome] += 1
        rows.append(f"| {listing.section} | {listing.number} | {what} |")
    head = f"""# Listings of the documents of those years

Made by `tools/run_listings.py`: each listing of *{arguments.title}* runs as it is written, by `python -m headrace`.
Of {len(found)} listings {counts["runs"]} run to their end, {counts["same"]} end with the error that they end with in
TensorFlow 1.15.5 (they show one, or are fragments with names that the document does not define),
{counts["fails"]} otherwise than there.

| section | listing | |
| --- | --- | --- |
"""
    PAGE.write_text(head + "\n".join(rows) + "\n", encoding="utf-8")
    print(f"{PAGE.relative_to(ROOT)}: {counts}")


if __name__ == "__main__":
    main()
