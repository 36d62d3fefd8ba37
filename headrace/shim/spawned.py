"""Processes that a program starts through `multiprocessing`: they import the program anew, and need what it was given.

A child that is forked has everything already. One that is spawned, or comes of a fork server, is told by its parent, in a
dictionary that is pickled, what to prepare before it runs; what is put in there by us prepares the rest as it is unpickled.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

from headrace.shim.after_import import after_import
from headrace.shim.hook import install_as_tensorflow
from headrace.shim.python2 import compile_source
from headrace.shim.python2_imports import convert_imports_below

# The name under which a child's `multiprocessing` knows its parent's program.
_MAIN = "__mp_main__"


class _Preparation:
    """What a child unpickles: it installs Headrace there.

    Args:
        keras: whether `import keras` gives Headrace too.
        version: the version of TensorFlow whose calls mean what they meant, None for 1.x.
    """

    def __init__(self, keras: bool, version: str | None) -> None:
        self.keras, self.version = keras, version

    def __reduce__(self) -> tuple[Callable[[bool, str | None], None], tuple[bool, str | None]]:
        return prepare_child, (self.keras, self.version)


def prepare_children(keras: bool, version: str | None = None) -> None:
    """Lets processes that this one spawns run its program's modules as it runs them.

    Args:
        keras: whether `import keras` gives Headrace there too.
        version: the version of TensorFlow whose calls mean what they meant there too.
    """
    after_import("multiprocessing.spawn", lambda spawn: _tell_children(spawn, keras, version))


def _tell_children(spawn: Any, keras: bool, version: str | None) -> None:
    prepared = spawn.get_preparation_data

    def get_preparation_data(name: str) -> dict[str, Any]:
        return {**prepared(name), "headrace": _Preparation(keras, version)}

    spawn.get_preparation_data = get_preparation_data


def prepare_child(keras: bool, version: str | None) -> None:
    """Prepares a process that was spawned, before it imports its parent's program.

    Args:
        keras: whether `import keras` gives Headrace.
        version: the version of TensorFlow whose calls mean what they meant.
    """
    install_as_tensorflow(keras=keras, version=version)
    prepare_children(keras, version)
    after_import("multiprocessing.spawn", _convert_main)


def _convert_main(spawn: Any) -> None:
    """Lets the parent's main program be of Python 2 here too."""

    def fixup_main_from_path(path: str) -> None:
        if os.path.splitext(os.path.basename(path))[0] == "ipython":
            return
        convert_imports_below(os.path.dirname(os.path.realpath(path)))
        main = ModuleType(_MAIN)
        main.__file__ = path
        spawn.old_main_modules.append(sys.modules["__main__"])
        with open(path, "rb") as file:
            exec(compile_source(file.read(), path), main.__dict__)  # noqa: S102  the program that was asked for
        sys.modules["__main__"] = sys.modules[_MAIN] = main

    spawn._fixup_main_from_path = fixup_main_from_path
