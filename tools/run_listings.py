"""Runs the listings of a document of TensorFlow 1's years and writes which of them runs, and what it prints.

    python tools/run_listings.py "Effective TensorFlow=guide.md" "Notes on how to=howto.md" --files data

What does not run here is tried with TensorFlow 1.15.5 too (make oracle): many a document shows errors on purpose.

A document is Markdown, its listings are fenced blocks of Python. A listing runs in a process of its own, after those that
stand before it in its section and make the names that it lacks: a fragment means what the section has made so far. What a
document takes for granted and never makes (images, sizes, a session) stands in `tools/listings/<name of the document>.py`, in
cells as notebooks have them: a cell runs where a listing lacks one of its names, one marked `[always]` before each. A first
line `# runner: …` there gives options of `python -m headrace`.
"""

from __future__ import annotations

import argparse
import ast
import os
import re
import shlex
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from rich.progress import track

ROOT = Path(__file__).resolve().parent.parent
ORACLE = ROOT / ".oracle" / "tf1" / "bin" / "python"
PAGE = ROOT / "docs" / "listings.md"
SETUPS = Path(__file__).resolve().parent / "listings"
FILES: list[Path] = []
SECONDS = 120
HEAD = """# Listings of the documents of those years

Made by `tools/run_listings.py`: each listing of these documents runs as it is written, by `python -m headrace`. What a
document takes for granted (images, labels, a session) stands in `tools/listings/`.

"""
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


@dataclass
class Document:
    """A document: its listings, what it takes for granted, and the options that it runs with."""

    title: str
    listings: list[Listing]
    cells: list[Listing]
    always: list[Listing]
    options: list[str]


def document(title: str, path: Path) -> Document:
    """Reads a document, and what it takes for granted."""
    setup = SETUPS / f"{path.stem}.py"
    text = setup.read_text(encoding="utf-8") if setup.exists() else ""
    marks = re.split(r"^# %%(.*)\n", text, flags=re.MULTILINE)
    cells = [(mark, Listing("", 0, cell)) for mark, cell in zip(marks[1::2], marks[2::2], strict=True)]
    options = re.match(r"# runner: (.*)", text)
    return Document(
        title,
        listings(path.read_text(encoding="utf-8")),
        [cell for mark, cell in cells if "[always]" not in mark],
        [cell for mark, cell in cells if "[always]" in mark],
        shlex.split(options[1]) if options else [],
    )


def listings(text: str) -> list[Listing]:
    """The listings of a document's text, by section."""
    found = []
    for part in re.split(r"^## ", text, flags=re.MULTILINE):
        title = part.partition("\n")[0].strip()
        found += [Listing(title, number, code) for number, code in enumerate(BLOCK.findall(part), 1)]
    return found


def program(listing: Listing, needed: list[Listing]) -> str:
    """A program of what a listing needs and the listing, with marks around what the listing itself prints."""
    usual = "import numpy as np\nimport tensorflow as tf\n"
    before = "\n".join(one.text for one in needed)
    return f"{usual}{before}\nprint('<listing>')\n{listing.text}\nprint('</listing>')\n"


def tried(listing: Listing, before: list[Listing], of: Document, command: list[str]) -> tuple[bool, str, str]:
    """Runs a listing; where it lacks a name, again after the last that makes it: a listing of its section, or a cell.

    Returns:
        whether it ran, what it printed or the error, and the program at last.
    """
    makers = [*of.cells, *before]
    needed: list[Listing] = []
    while True:
        text = program(listing, of.always + sorted(needed, key=makers.index))
        works, said = run(text, command)
        lacks = re.match(r"NameError: name '(\w+)' is not defined", said) if not works else None
        made = [one for one in makers if lacks and lacks[1] in one.bound and one not in needed]
        if not made:
            return works, said, text
        needed.append(made[-1])


def run(text: str, command: list[str]) -> tuple[bool, str]:
    """Whether a program runs to its end, and what its listing printed, or why it did not."""
    with tempfile.TemporaryDirectory() as folder:
        for given in FILES:
            (Path(folder) / given.name).symlink_to(given)
        (Path(folder) / "listing.py").write_text(text, encoding="utf-8")
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "MPLBACKEND": "Agg", "TF_CPP_MIN_LOG_LEVEL": "3"}
        whole = [*command, "listing.py"]
        try:
            done = subprocess.run(whole, cwd=folder, env=environment, capture_output=True, text=True, timeout=SECONDS)
        except subprocess.TimeoutExpired:
            return False, f"TimeoutError: it does not end within {SECONDS} seconds"
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


def outcome(listing: Listing, before: list[Listing], of: Document) -> tuple[str, str]:
    """How a listing ends, in a word that is counted and in words for the table."""
    works, said, text = tried(listing, before, of, [sys.executable, "-m", "headrace", *of.options])
    if works:
        return "runs", f"prints {short(said)}"
    there, wanted = run(text, [str(ORACLE)])
    if not there and kind(said) == kind(wanted):
        return "same", f"ends as in TensorFlow 1.15.5: {short(said)}"
    if not there and kind(said) in ("NameError", "SyntaxError"):
        return "fragment", f"is no whole program: {short(said)}"
    return "fails", f"**fails**: {short(said)}"


def part(of: Document) -> str:
    """The part of the page about a document."""
    counts = dict.fromkeys(("runs", "same", "fragment", "fails"), 0)
    rows: list[str] = []
    for index, listing in enumerate(track(of.listings, of.title)):
        before = [one for one in of.listings[:index] if one.section == listing.section]
        counted, words = outcome(listing, before, of)
        counts[counted] += 1
        rows.append(f"| {listing.section} | {listing.number} | {words} |")
    how = f" with `{' '.join(of.options)}`" if of.options else ""
    head = f"""## {of.title}

Of {len(of.listings)} listings{how} {counts["runs"]} run to their end, {counts["same"]} end with the error that they
end with in TensorFlow 1.15.5, {counts["fragment"]} are fragments that end with a missing name or a gap in the text
there too, {counts["fails"]} end otherwise than there.

| section | listing | |
| --- | --- | --- |
"""
    print(f"{of.title}: {counts}")
    return head + "\n".join(rows) + "\n"


def main() -> None:
    """Runs the listings of documents and writes the page."""
    global FILES, SECONDS
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("documents", nargs="+", metavar="TITLE=FILE", help="a title and a file of Markdown")
    parser.add_argument("--files", type=Path, help="a folder of files and folders that the listings read")
    parser.add_argument(
        "--seconds", type=int, default=SECONDS, help="the time that a listing has (default %(default)s)"
    )
    arguments = parser.parse_args()
    FILES = sorted(arguments.files.resolve().iterdir()) if arguments.files else []
    SECONDS = arguments.seconds
    parts = []
    for given in arguments.documents:
        title, _, path = given.rpartition("=")
        parts.append(part(document(title, Path(path))))
    PAGE.write_text(HEAD + "\n".join(parts), encoding="utf-8")


if __name__ == "__main__":
    main()
