"""Where the files of a SavedModel are, in its folder."""

from __future__ import annotations

import os

from headrace.files import file_io
from headrace.saved_model import names
from headrace.util.compat import as_text


def get_variables_dir(export_dir: str) -> str:
    """The folder of the variables of the SavedModel in `export_dir`."""
    return os.path.join(as_text(export_dir), names.VARIABLES_DIRECTORY)


def get_variables_path(export_dir: str) -> str:
    """The prefix of the checkpoint of the SavedModel in `export_dir`."""
    return os.path.join(get_variables_dir(export_dir), names.VARIABLES_FILENAME)


def get_assets_dir(export_dir: str) -> str:
    """The folder of the assets of the SavedModel in `export_dir`."""
    return os.path.join(as_text(export_dir), names.ASSETS_DIRECTORY)


def get_or_create_variables_dir(export_dir: str) -> str:
    """As `get_variables_dir`; makes the folder if there is none."""
    return _made(get_variables_dir(export_dir))


def get_or_create_assets_dir(export_dir: str) -> str:
    """As `get_assets_dir`; makes the folder if there is none."""
    return _made(get_assets_dir(export_dir))


def _made(folder: str) -> str:
    if not file_io.file_exists(folder):
        file_io.recursive_create_dir(folder)
    return folder
