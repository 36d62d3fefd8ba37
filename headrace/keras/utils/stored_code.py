"""Functions of models in files: kept as compiled code, which is loaded from a stranger's file only where that is allowed."""

from __future__ import annotations

import codecs
import contextlib
import hashlib
import marshal
import types
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    Stored = tuple[str, tuple[Any, ...] | None, tuple[Any, ...] | None]

# What this process has stored itself: it may have it back without asking. Digests of code to the global names that the
# function saw, so that no file chooses these for it; and other callables by module and name.
_own: dict[bytes, dict[str, Any]] = {}
_own_callables: weakref.WeakValueDictionary[tuple[str | None, str], Any] = weakref.WeakValueDictionary()
_allowed = False


def allow_code_in_models(allow: bool = True) -> None:
    """Says whether code in the configurations and files of models may be loaded, and so run; off by default.

    A `Lambda` layer of a Python lambda is stored as compiled code. Allow it for files whose author you trust only: loading
    such a model runs what its author wrote, with all rights of the process.

    Args:
        allow: whether it may.

    Example:
        >>> tf.keras.Sequential([tf.keras.layers.Lambda(lambda x: 2 * x, input_shape=(3,))]).save("mine.h5")
        >>> tf.keras.utils.allow_code_in_models()
        >>> model = tf.keras.models.load_model("mine.h5")
        >>> tf.keras.utils.allow_code_in_models(False)
    """
    global _allowed
    _allowed = bool(allow)


@contextlib.contextmanager
def code_in_models(allow: bool = True) -> Iterator[None]:
    """A context in which `allow_code_in_models(allow)` holds."""
    before = _allowed
    allow_code_in_models(allow)
    try:
        yield
    finally:
        allow_code_in_models(before)


def _digest(code: bytes) -> bytes:
    return hashlib.sha256(code).digest()


def func_dump(func: types.FunctionType) -> Stored:
    """A function as what can be written to a file.

    Args:
        func: a function of Python.

    Returns:
        its compiled code in base 64, its defaults, and the contents of its closure.
    """
    code = marshal.dumps(func.__code__)
    _own[_digest(code)] = func.__globals__
    closure = tuple(cell.cell_contents for cell in func.__closure__) if func.__closure__ else None
    return codecs.encode(code, "base64").decode("ascii"), func.__defaults__, closure


def func_load(
    code: str | Sequence[Any],
    defaults: tuple[Any, ...] | None = None,
    closure: Sequence[Any] | None = None,
    globs: Mapping[str, Any] | None = None,
) -> Callable[..., Any]:
    """The function that `func_dump` stored.

    Args:
        code: the stored code, or all that `func_dump` gave.
        defaults, closure: as stored.
        globs: the global names that the function sees besides Python's own; none by default. Those that a function of
            this process saw come first.

    Raises:
        ValueError: if the code was not stored by this process and loading others' is not allowed, or if it was compiled
            by another version of Python.
    """
    if isinstance(code, (tuple, list)):
        code, defaults, closure = code
        if isinstance(defaults, list):
            defaults = tuple(defaults)
    raw = codecs.decode(str(code).encode("ascii"), "base64")
    own = _own.get(_digest(raw))
    if not _allowed and own is None:
        raise ValueError(
            "The model holds a function as compiled code (a Lambda layer made of a Python lambda or function), and "
            "loading it would run whatever its author put there. If you trust the file, call "
            "tf.keras.utils.allow_code_in_models() first; otherwise build the model in Python and load its weights only, "
            "or give the function a name and pass it in `custom_objects`."
        )
    try:
        compiled = marshal.loads(raw)  # noqa: S302  # only what this process stored, or what it was told to trust
    except (EOFError, TypeError, ValueError) as error:
        raise ValueError(
            "The code of a function in the model was compiled by another version of Python, or is damaged: "
            f"{error}. Build the model in Python and load its weights only."
        ) from error
    if not isinstance(compiled, types.CodeType):
        raise ValueError(f"The model holds a {type(compiled).__name__} where the code of a function is expected.")
    cells = None if closure is None else tuple(_as_cell(value) for value in closure)
    names = {**(globs or {}), **(own or {})}
    return types.FunctionType(compiled, names, name=compiled.co_name, argdefs=defaults, closure=cells)


def remember_callable(function: Callable[..., Any]) -> tuple[str, str | None]:
    """The name and module of a callable without code of Python's, which stand for it in files that this process reads.

    Args:
        function: the callable, such as the function of an operation.
    """
    name, module = function.__name__, getattr(function, "__module__", None)
    with contextlib.suppress(TypeError):  # some callables cannot be referred to weakly
        _own_callables[module, name] = function
    return name, module


def remembered_callable(name: Any, module: str | None) -> Callable[..., Any] | None:
    """The callable that `remember_callable` gave this name and module, None if there is none."""
    return _own_callables.get((module, name)) if isinstance(name, str) else None


def _as_cell(value: object) -> types.CellType:
    return value if isinstance(value, types.CellType) else types.CellType(value)
