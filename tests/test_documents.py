"""The documents are true: their programs run, their commands exist, and the tutorials' notebooks are what the scripts say.

Of a page the blocks of Python run in order as one program. What a block needs and the reader need not see stands in a block
inside of an HTML comment.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import pytest

from headrace.cli.commands import headrace

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
TUTORIALS = sorted((ROOT / "examples" / "tutorials").glob("*.py"))
# The tag of a cell of which the error is what it shows.
FAILS = "raises-exception"
BLOCK = re.compile(r"^( *)```(\w*)[^\n]*\n(.*?)^ *```", re.DOTALL | re.MULTILINE)


def blocks(page: Path, *languages: str) -> list[str]:
    """The blocks of a page in one of some languages, without their indentation."""
    found = BLOCK.findall(page.read_text(encoding="utf-8"))
    return [
        re.sub(f"^{indent}", "", text, flags=re.MULTILINE) for indent, language, text in found if language in languages
    ]


def run(source: str, folder: Path) -> str:
    """Runs a program in a process of its own, by the runner if it says `import tensorflow`, and returns what it said."""
    script = folder / "program.py"
    script.write_text(source, encoding="utf-8")
    environment = {**os.environ, "MPLBACKEND": "Agg", "PYTHONPATH": str(ROOT)}
    runner = ["-m", "headrace"] if re.search(r"^import tensorflow", source, re.MULTILINE) else []
    command = [sys.executable, *runner, script.name]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    return done.stdout


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "python")], ids=lambda page: page.name)
def test_programs_of_a_page(page, tmp_path):
    run("\n".join(blocks(page, "python")), tmp_path)


def commands(page: Path) -> list[str]:
    """The lines of a page's shell blocks that call our command."""
    lines = "\n".join(blocks(page, "sh", "")).replace("\\\n", " ").splitlines()
    found = [re.match(r"(?:\S*python -m headrace|headrace)\s+(.*)", line.strip()) for line in lines]
    return [match[1] for match in found if match]


@pytest.mark.parametrize("page", [page for page in PAGES if commands(page)], ids=lambda page: page.name)
def test_commands_of_a_page(page):
    """Every command is one, and has the options it is shown with."""
    for line in commands(page):
        words = shlex.split(line.rstrip("'"), comments=True)
        if not words or words[0].startswith("-") or "." in words[0] or words[0].isupper():
            continue  # a program to run, or an option of the runner
        command: click.Command = headrace
        while isinstance(command, click.Group) and words:
            step = command.get_command(click.Context(command), words.pop(0))
            assert step is not None, line
            command = step
        options = {name for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts)}
        if "ignore_unknown_options" not in command.context_settings:
            unknown = {word.split("=")[0] for word in words if word.startswith("--")} - options
            assert not unknown or any(word.endswith(".py") for word in words), line


def cells(script: Path) -> list[tuple[str, bool]]:
    """The code cells of a script in the percent format, each with whether it is there to fail."""
    parts = re.split(r"^# %%(.*)\n", script.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    return [(text.strip(), FAILS in kind) for kind, text in zip(parts[::2], parts[1::2]) if "markdown" not in kind]


@pytest.mark.parametrize("script", TUTORIALS, ids=lambda script: script.stem)
def test_tutorial(script, tmp_path):
    run("\n".join(text for text, fails in cells(script) if not fails), tmp_path)


def has_failed(cell: dict[str, Any]) -> bool:
    return any(output["output_type"] == "error" for output in cell["outputs"])


@pytest.mark.parametrize("script", TUTORIALS, ids=lambda script: script.stem)
def test_notebook_of_a_tutorial(script):
    """`python tools/make_tutorials.py` has been run since the script was changed, and no cell failed that should not."""
    notebook = json.loads((ROOT / "docs" / "tutorials" / f"{script.stem}.ipynb").read_text(encoding="utf-8"))
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    made = [(re.sub("^%", "# %", "".join(cell["source"]).strip()), has_failed(cell)) for cell in code]
    assert made == cells(script)
    words = set(
        re.findall(r"\w{4,}", " ".join(re.findall(r"^# (?!%%)(.*)$", script.read_text(encoding="utf-8"), re.MULTILINE)))
    )
    text = " ".join("".join(cell["source"]) for cell in notebook["cells"])
    assert words <= set(re.findall(r"\w{4,}", text))
