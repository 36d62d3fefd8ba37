"""Running a program as plain `python` runs it, with `tensorflow` being Headrace.

`sys.argv`, `sys.path[0]`, `__main__`, tracebacks and exit codes are those of plain `python script.py`,
`python -m module` and `python -c text`.
"""

from __future__ import annotations

import builtins
import importlib
import importlib.util
import io
import os
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import CodeType, ModuleType, TracebackType
from typing import Any, NoReturn

from headrace.shim.hook import install_as_tensorflow
from headrace.shim.python2 import compile_source
from headrace.shim.python2_imports import convert_imports_below
from headrace.shim.spawned import prepare_children

_MACHINERY = tuple(
    os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), room, "")
    for room in ("shim", "api", "cli")
)


def run_script(path: str, arguments: Sequence[str] = (), *, keras: bool = True, version: str | None = None) -> None:
    """Runs a script, or a folder or zip file with a `__main__.py`, like `python path arguments…`.

    Args:
        path: the script.
        arguments: its command line.
        keras: whether `import keras` gives Headrace too.
        version: the version of TensorFlow whose calls mean what they meant, such as "0.8"; None for 1.x.

    Raises:
        SystemExit: the script's own, 1 after an uncaught exception (whose traceback has been printed), 130
            after an interrupt, 2 if there is no such file.
    """
    _prepare(keras, version)
    if os.path.isdir(path) or path.endswith((".zip", ".pyz")):
        _enter_folder(os.path.abspath(path))
        spec = PathFinder.find_spec("__main__", [os.path.abspath(path)])
        if spec is None or spec.origin is None:
            _refuse(f"can't find '__main__' module in {path!r}", 1)
        main = _main_module(spec.origin, spec)
    else:
        if not os.path.isfile(path):
            _refuse(f"can't open file {os.path.abspath(path)!r}: [Errno 2] No such file or directory", 2)
        _enter_folder(os.path.dirname(os.path.realpath(path)))
        main = _main_module(os.path.abspath(path), None)
    sys.argv = [path, *arguments]
    _run(main, lambda: _code(main))


def run_module(name: str, arguments: Sequence[str] = (), *, keras: bool = True, version: str | None = None) -> None:
    """Runs a module, or a package's `__main__`, like `python -m name arguments…`.

    Args:
        name: the module's dotted name.
        arguments: its command line.
        keras: whether `import keras` gives Headrace too.
        version: the version of TensorFlow whose calls mean what they meant, such as "0.8"; None for 1.x.

    Raises:
        SystemExit: as `run_script`; 1 if there is no such module.
    """
    _prepare(keras, version)
    sys.argv = ["-m", *arguments]
    _enter_folder(os.getcwd())
    spec = _module_spec(name)
    main = _main_module(spec.origin or name, spec)
    sys.argv[0] = spec.origin or name
    _run(main, lambda: _code(main))


def run_text(text: str, arguments: Sequence[str] = (), *, keras: bool = True, version: str | None = None) -> None:
    """Runs a program that is given as text, like `python -c text arguments…`.

    Args:
        text: the program.
        arguments: its command line.
        keras: whether `import keras` gives Headrace too.
        version: the version of TensorFlow whose calls mean what they meant, such as "0.8"; None for 1.x.

    Raises:
        SystemExit: as `run_script`.
    """
    _prepare(keras, version)
    sys.argv = ["-c", *arguments]
    _enter_folder("")
    main = _main_module("<string>", None)
    for name in ("__file__", "__cached__", "__loader__"):
        del main.__dict__[name]
    _run(main, lambda: compile_source(text.encode(), "<string>"))


def _prepare(keras: bool, version: str | None) -> None:
    """Makes the process, and those it starts through `multiprocessing`, what programs of TensorFlow 1's years expect."""
    try:
        install_as_tensorflow(keras=keras, version=version)
    except ValueError as error:
        _refuse(f"--tf-version: {error}", 2)
    prepare_children(keras, version)


def _module_spec(name: str) -> ModuleSpec:
    try:
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.submodule_search_locations is not None:
            package, name = name, f"{name}.__main__"
            spec = importlib.util.find_spec(name)
            if spec is None:
                _refuse(f"No module named {name}; {package!r} is a package and cannot be directly executed", 1)
    except ModuleNotFoundError as error:
        _refuse(f"Error while finding module specification for {name!r} ({type(error).__name__}: {error})", 1)
    except Exception as error:  # noqa: BLE001  (whatever a package's __init__ raises)
        _report(error)
    if spec is None:
        _refuse(f"No module named {name}", 1)
    return spec


def _refuse(text: str, code: int) -> NoReturn:
    print(f"{sys.executable}: {text}", file=sys.stderr)
    raise SystemExit(code)


def _enter_folder(folder: str) -> None:
    """Puts the program's folder where Python puts it, in place of the one of our own start."""
    if not sys.flags.safe_path if hasattr(sys.flags, "safe_path") else True:
        sys.path[0:1] = [folder]
    convert_imports_below(folder)


def _main_module(path: str, spec: ModuleSpec | None) -> ModuleType:
    main = ModuleType("__main__")
    loader = spec.loader if spec is not None else SourceFileLoader("__main__", path)
    main.__dict__.update(
        __file__=path,
        __cached__=spec.cached if spec is not None else None,
        __loader__=loader,
        __spec__=spec,
        __package__=spec.parent if spec is not None else None,
        __builtins__=builtins,
        __annotations__={},
    )
    return main


def _code(main: ModuleType) -> CodeType:
    path = main.__dict__["__file__"]
    if os.path.isfile(path):
        with io.open_code(path) as file:
            return compile_source(file.read(), path)
    spec: Any = main.__spec__
    return spec.loader.get_code(spec.name)  # inside a zip file, or made by a loader of the program's own


def _run(main: ModuleType, code: Any) -> None:
    sys.modules["__main__"] = main
    try:
        exec(code(), main.__dict__)  # noqa: S102  the program that was asked for
    except SystemExit:
        raise
    except BaseException as error:  # noqa: BLE001  (the last word on any exception is said here)
        _report(error)


def _report(error: BaseException) -> NoReturn:
    """Prints a traceback of the user's frames through `sys.excepthook`, and ends the program."""
    _trim(error, set())
    sys.last_type, sys.last_value, sys.last_traceback = type(error), error, error.__traceback__
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
    sys.excepthook(type(error), error, error.__traceback__)
    raise SystemExit(130 if isinstance(error, KeyboardInterrupt) else 1) from None


def _trim(error: BaseException | None, seen: set[int]) -> None:
    """Drops the frames of runner, import hooks and lazy modules from a traceback and its causes."""
    if error is None or id(error) in seen:
        return
    seen.add(id(error))
    error.__traceback__ = _user_part(error.__traceback__)
    _trim(error.__cause__, seen)
    _trim(error.__context__, seen)


def _user_part(traceback: TracebackType | None) -> TracebackType | None:
    frames = []
    while traceback is not None:
        filename = traceback.tb_frame.f_code.co_filename
        if not filename.startswith((*_MACHINERY, "<frozen importlib", "<frozen runpy")):
            frames.append(traceback)
        traceback = traceback.tb_next
    rebuilt: TracebackType | None = None
    for frame in reversed(frames):
        rebuilt = TracebackType(rebuilt, frame.tb_frame, frame.tb_lasti, frame.tb_lineno)
    return rebuilt
