"""Writes a page of the site for each notebook of docs/tutorials, with its pictures, while mkdocs builds it."""

from __future__ import annotations

from pathlib import Path

import mkdocs_gen_files
import nbformat
from nbconvert import MarkdownExporter

NOTEBOOKS = Path(__file__).resolve().parent.parent / "docs" / "tutorials"

for notebook in sorted(NOTEBOOKS.glob("*.ipynb")):
    name = notebook.stem
    resources = {"unique_key": name, "output_files_dir": "images"}
    text, resources = MarkdownExporter().from_notebook_node(nbformat.read(notebook, as_version=4), resources)
    for file, picture in resources["outputs"].items():
        with mkdocs_gen_files.open(f"tutorials/{file}", "wb") as written:
            written.write(picture)
    with mkdocs_gen_files.open(f"tutorials/{name}.md", "w") as page:
        page.write(text)
