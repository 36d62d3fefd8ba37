"""Runs the tutorials and writes them as notebooks, with what they printed and drew: examples/tutorials/*.py into docs/tutorials.

    python tools/make_tutorials.py            # all of them
    python tools/make_tutorials.py gan nan    # these

A script of the percent format (`# %%` begins a cell, `# %% [markdown]` one of text) is the source; the notebook is made.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import jupytext
import nbformat
from nbclient import NotebookClient
from rich.progress import track

ROOT = Path(__file__).resolve().parent.parent
SCRIPTS = ROOT / "examples" / "tutorials"
NOTEBOOKS = ROOT / "docs" / "tutorials"


def executed(script: Path) -> nbformat.NotebookNode:
    """The notebook of a script, run in a folder of its own; what differs from run to run and says nothing is left out."""
    notebook = jupytext.read(script, fmt="py:percent")
    with tempfile.TemporaryDirectory() as folder:
        NotebookClient(notebook, timeout=600, kernel_name="python3", resources={"metadata": {"path": folder}}).execute()
    notebook.metadata = {
        "kernelspec": {"name": "python3", "display_name": "Python 3"},
        "language_info": {"name": "python"},
    }
    for number, cell in enumerate(notebook.cells):
        cell.id = f"cell-{number}"
        cell.metadata = {}
        if cell.cell_type == "code":
            # Log lines bear the time of day.
            cell.outputs = [output for output in cell.outputs if output.get("name") != "stderr"]
            for output in cell.outputs:
                # What is shown as a page need not be there as text too, which is long for a model.
                if "text/html" in output.get("data", {}):
                    output.data["text/plain"] = output.data["text/plain"].partition("\n")[0]
    return notebook


def main() -> None:
    """Writes the notebooks that are named, or all."""
    names = sys.argv[1:] or sorted(path.stem for path in SCRIPTS.glob("*.py"))
    NOTEBOOKS.mkdir(exist_ok=True)
    for name in track(names, "tutorials"):
        nbformat.write(executed(SCRIPTS / f"{name}.py"), NOTEBOOKS / f"{name}.ipynb")


if __name__ == "__main__":
    main()
