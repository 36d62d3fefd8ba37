"""`tf.resource_loader`: files that lie beside the program."""

from __future__ import annotations

import os
import sys

from headrace.util.callsite import user_frames


def _folder() -> str:
    """The folder of the file that calls."""
    frames = user_frames()
    return os.path.dirname(frames[0][0].co_filename if frames else sys.argv[0])


def get_data_files_path() -> str:
    """The folder of the calling file."""
    return _folder()


def get_path_to_datafile(path: str) -> str:
    """A file that lies beside the calling one.

    Args:
        path: relative to the folder of the calling file.
    """
    return os.path.join(_folder(), path)


def get_root_dir_with_all_resources() -> str:
    """The folder right under Bazel's `.runfiles` that the calling file lies in, or else its own folder."""
    folder = _folder()
    inside, above = folder, os.path.dirname(folder)
    while above != inside:
        if ".runfiles" in os.path.basename(above):
            return inside
        inside, above = above, os.path.dirname(above)
    return folder


def load_resource(path: str) -> bytes:
    """The bytes of a file that lies beside the calling one.

    Raises:
        OSError: if it cannot be read.
    """
    with open(os.path.join(_folder(), path), "rb") as file:
        return file.read()


def readahead_file_path(path: str, readahead: str = "128M") -> str:
    """`path` itself: local files need no notice to be read ahead.

    Args:
        path: a file.
        readahead: how much to read ahead where a file system can be told.
    """
    return path
