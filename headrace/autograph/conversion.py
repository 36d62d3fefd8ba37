"""Functions converted, and calls of functions from converted ones."""

from __future__ import annotations

import ast
import builtins
import enum
import functools
import inspect
import os
import sys
import types
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from headrace.autograph import branches, builtin_functions, expressions, loops, places
from headrace.autograph.rewriting import Unsupported, function_of, rewrite
from headrace.autograph.source import NoSource, syntax_of
from headrace.autograph.special import Undefined
from headrace.autograph.staging_errors import ConversionError, staged

F = TypeVar("F", bound=Callable[..., Any])

# Functions of this package are called as they are.
_HERE = os.path.dirname(os.path.dirname(__file__)) + os.sep
_NOT_CONVERTED = "_autograph_do_not_convert"
_REWRITTEN = "_autograph_rewritten"
# Libraries whose functions are called as they are.
_LIBRARIES = frozenset(
    {"headrace", "tensorflow", "numpy", "torch", "scipy", "six", "absl", "google", *sys.stdlib_module_names}
)


class Feature(enum.Enum):
    """What conversion may do beyond control flow, by name."""

    ALL = "ALL"
    AUTO_CONTROL_DEPS = "AUTO_CONTROL_DEPS"
    ASSERT_STATEMENTS = "ASSERT_STATEMENTS"
    BUILTIN_FUNCTIONS = "BUILTIN_FUNCTIONS"
    EQUALITY_OPERATORS = "EQUALITY_OPERATORS"
    LISTS = "LISTS"
    NAME_SCOPES = "NAME_SCOPES"

    @classmethod
    def all(cls) -> tuple[Feature, ...]:
        """All of them."""
        return tuple(cls)

    @classmethod
    def all_but(cls, exclude: Feature | Sequence[Feature]) -> tuple[Feature, ...]:
        """All but those of `exclude`."""
        left_out = tuple(exclude) if isinstance(exclude, (list, tuple, set)) else (exclude,)
        return tuple(feature for feature in cls if feature not in left_out)


@dataclass(frozen=True)
class Options:
    """How functions are converted.

    Attributes:
        recursive: whether the functions they call are, too.
        features: what is converted beyond control flow.
    """

    recursive: bool = True
    features: frozenset[Feature] = frozenset()

    def uses(self, feature: Feature) -> bool:
        """Whether a feature is enabled."""
        return feature in self.features or Feature.ALL in self.features


_RECURSIVELY = Options()


_OPERATORS = {
    places: "no_return returned attribute set_attribute item set_item",
    branches: "if_stmt if_exp",
    loops: "while_stmt for_stmt",
    expressions: "and_ or_ not_ eq not_eq compared assert_",
}


class Operators:
    """What rewritten functions know as `ag__`.

    Args:
        options: how the functions that they call are converted.
    """

    Undefined = Undefined

    def __init__(self, options: Options) -> None:
        self._options = options
        self._print = options.uses(Feature.BUILTIN_FUNCTIONS)
        for module, names in _OPERATORS.items():
            for name in names.split():
                setattr(self, name, getattr(module, name))

    rewritten = staticmethod(lambda function: _marked(function))

    def call(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None) -> Any:
        """Calls a function, converted if it is one of the program's."""
        kwargs = kwargs or {}
        replaced = builtin_functions.replacement(function, self._print)
        if replaced is not None:
            return replaced(*args, **kwargs)
        if not self._options.recursive:
            return function(*args, **kwargs)
        return converted(function, self._options)(*args, **kwargs)


@functools.cache
def _operators(options: Options) -> Operators:
    return Operators(options)


def _marked(function: F) -> F:
    function.__dict__[_REWRITTEN] = True
    return function


# For each code object and each way of conversion what became of it: its code, or why it is called as it is.
_codes: weakref.WeakKeyDictionary[types.CodeType, dict[Options, types.CodeType | Exception]] = (
    weakref.WeakKeyDictionary()
)


def converted(function: object, options: Options = _RECURSIVELY) -> Any:
    """A function whose control flow may depend on tensors; what cannot be converted comes back as it is.

    Args:
        function: anything that can be called.
        options: how to convert.
    """
    if isinstance(function, functools.partial):
        inner = converted(function.func, options)
        return function if inner is function.func else functools.partial(inner, *function.args, **function.keywords)
    if inspect.ismethod(function):
        inner = converted(function.__func__, options)
        return function if inner is function.__func__ else types.MethodType(inner, function.__self__)
    if isinstance(function, types.FunctionType):
        try:
            return _converted_function(function, options) or function
        except (NoSource, Unsupported):
            return function
    if isinstance(function, type) or _is_library(type(function).__module__):
        return function
    call = inspect.getattr_static(type(function), "__call__", None)
    if isinstance(call, types.FunctionType) and not getattr(function, _NOT_CONVERTED, False):
        inner = converted(call, options)
        return function if inner is call else types.MethodType(inner, function)
    return function


def _is_library(module: str | None) -> bool:
    return module is None or module.partition(".")[0] in _LIBRARIES


def _is_plain(function: types.FunctionType) -> bool:
    marks = function.__dict__
    if marks and (_NOT_CONVERTED in marks or _REWRITTEN in marks):
        return True
    module = function.__module__
    if module == "__main__":
        return False
    return _is_library(module) or function.__code__.co_filename.startswith(_HERE)


def _converted_function(function: types.FunctionType, options: Options) -> types.FunctionType | None:
    if _is_plain(function):
        return None
    code = function.__code__
    ways = _codes.setdefault(code, {})
    if options not in ways:
        try:
            ways[options] = function_of(_rewritten(function, options), function)
        except (NoSource, Unsupported) as error:
            ways[options] = error
    new = ways[options]
    if isinstance(new, Exception):
        raise new
    cells = dict(zip(code.co_freevars, function.__closure__ or (), strict=True))
    cells["ag__"] = types.CellType(_operators(options))
    # A method that names its class in a call of super has a cell of that name.
    closure = tuple(cells[name] if name in cells else types.CellType() for name in new.co_freevars)
    made = types.FunctionType(new, function.__globals__, function.__name__, function.__defaults__, closure)
    made.__kwdefaults__ = function.__kwdefaults__
    made.__qualname__, made.__doc__, made.__module__ = function.__qualname__, function.__doc__, function.__module__
    made.__dict__.update(function.__dict__)
    made.__dict__.pop("__wrapped__", None)
    made.__annotations__ = dict(function.__annotations__)
    return _marked(made)


def _rewritten(function: types.FunctionType, options: Options) -> ast.FunctionDef:
    return rewrite(
        syntax_of(function),
        lambda called: _is_library_call(called, function),
        lambda called: _resolved(called, function) is set_loop_options,
        _owner(function),
        options.uses(Feature.EQUALITY_OPERATORS),
        options.uses(Feature.ASSERT_STATEMENTS),
    )


def _owner(function: types.FunctionType) -> str | None:
    parts = function.__qualname__.split(".")
    return parts[-2] if len(parts) > 1 and parts[-2] != "<locals>" else None


_NOTHING = object()


def _resolved(node: ast.expr, function: types.FunctionType) -> Any:
    """What a chain of names means in a function, where it can be known before it runs."""
    if isinstance(node, ast.Attribute):
        owner = _resolved(node.value, function)
        if not isinstance(owner, types.ModuleType):
            return _NOTHING
        return getattr(owner, node.attr, _NOTHING)
    if not isinstance(node, ast.Name) or node.id in function.__code__.co_varnames + function.__code__.co_cellvars:
        return _NOTHING
    if node.id in function.__code__.co_freevars:
        cell = (function.__closure__ or ())[function.__code__.co_freevars.index(node.id)]
        try:
            return cell.cell_contents if isinstance(cell.cell_contents, types.ModuleType) else _NOTHING
        except ValueError:
            return _NOTHING
    return function.__globals__.get(node.id, _NOTHING)


def _is_library_call(node: ast.expr, function: types.FunctionType) -> bool:
    """Whether a call is one of a library's function by way of its module, so that it need not be looked at."""
    if not isinstance(node, ast.Attribute):
        return False
    found = _resolved(node.value, function)
    return isinstance(found, types.ModuleType) and found is not builtins and _is_library(found.__name__)


def set_loop_options(
    parallel_iterations: Any = None, back_prop: Any = None, swap_memory: Any = None, maximum_iterations: Any = None
) -> dict[str, Any]:
    """Options for the loop in whose body it is called, where that becomes a loop of the graph.

    Args:
        parallel_iterations, back_prop, swap_memory, maximum_iterations: see `tf.while_loop`.

    Example:
        >>> @tf.function
        ... def to_hundred(i):
        ...     while i < 100:
        ...         tf.autograph.experimental.set_loop_options(parallel_iterations=1)
        ...         i += 1
        ...     return i
        >>> sess.run(to_hundred(tf.constant(0)))
        100
    """
    given = {
        "parallel_iterations": parallel_iterations, "back_prop": back_prop, "swap_memory": swap_memory,
        "maximum_iterations": maximum_iterations,
    }  # fmt: skip
    return {name: value for name, value in given.items() if value is not None}


# ---- what programs call ----


def do_not_convert(func: F | None = None) -> Callable[..., Any]:
    """A decorator for functions whose control flow stays Python's.

    Args:
        func: the function; without it a decorator is returned.
    """
    if func is None:
        return do_not_convert
    if inspect.ismethod(func) or not hasattr(func, "__dict__"):
        bound = func

        def plain(*args: Any, **kwargs: Any) -> Any:
            return bound(*args, **kwargs)

        return do_not_convert(functools.update_wrapper(plain, func))
    setattr(func, _NOT_CONVERTED, True)
    return func


def features_of(features: Feature | Sequence[Feature] | None) -> frozenset[Feature]:
    """One feature or several, or none, as a set."""
    if features is None:
        return frozenset()
    return frozenset(features if isinstance(features, (list, tuple, set, frozenset)) else (features,))


def _refused(entity: int | Callable[..., Any]) -> NotImplementedError:
    return NotImplementedError(
        f'cannot convert entity "{entity}": it is no function, method or class that is written in Python.'
    )


def to_graph(
    entity: int | Callable[..., Any] | type, recursive: bool = True, arg_values: Any = None, arg_types: Any = None,
    experimental_optional_features: Feature | Sequence[Feature] | None = None,
) -> Any:  # fmt: skip
    """A function like another, in which Python's control flow over tensors becomes that of the graph.

    Args:
        entity: a function, method or class; all methods of a class are converted.
        recursive: whether the functions that it calls are converted, too.
        arg_values, arg_types: accepted as in 1.x; they change nothing.
        experimental_optional_features: a `Feature`, or several: EQUALITY_OPERATORS for `==` of tensors,
            ASSERT_STATEMENTS for `assert`, BUILTIN_FUNCTIONS for `print`; the others change nothing.

    Raises:
        NotImplementedError: for what is neither.
        ConversionError: if its source cannot be had; it is a ValueError.

    Example:
        >>> def f(x):
        ...     if x > 0:
        ...         x = x * x
        ...     return x
        >>> sess.run(tf.autograph.to_graph(f)(tf.constant(-2.0)))
        -2.0
    """
    options = Options(recursive, features_of(experimental_optional_features))
    if isinstance(entity, type):
        methods = {
            name: converted(value, options)
            for name, value in vars(entity).items()
            if isinstance(value, types.FunctionType)
        }
        return type(entity.__name__, (entity,), {**methods, "__module__": entity.__module__})
    return _strictly(entity, options)


def _strictly(entity: int | Callable[..., Any], options: Options) -> Callable[..., Any]:
    function = entity.__func__ if inspect.ismethod(entity) else entity
    if not isinstance(function, types.FunctionType):
        raise _refused(entity)
    try:
        made = _converted_function(function, options) or function
    except (NoSource, Unsupported) as error:
        raise ConversionError(f"Unable to convert {entity!r}: {error}") from None
    return types.MethodType(made, entity.__self__) if inspect.ismethod(entity) else made


def to_code(
    entity: Any, recursive: bool = True, arg_values: Any = None, arg_types: Any = None, indentation: str = "  ",
    experimental_optional_features: Any = None,
) -> str:  # fmt: skip
    """The source text of what `to_graph` makes.

    Args:
        entity, recursive, experimental_optional_features: see `to_graph`.
        arg_values, arg_types: accepted as in 1.x; they change nothing.
        indentation: what each level is indented by.
    """
    options = Options(recursive, features_of(experimental_optional_features))
    function = entity.__func__ if inspect.ismethod(entity) else entity
    if not isinstance(function, types.FunctionType):
        raise _refused(entity)
    try:
        text = ast.unparse(_rewritten(function, options))
    except (NoSource, Unsupported) as error:
        raise ConversionError(f"Unable to convert {entity!r}: {error}") from None
    return "\n".join(_indented(line, indentation) for line in text.splitlines()) + "\n"


def _indented(line: str, indentation: str) -> str:
    bare = line.lstrip(" ")
    return indentation * ((len(line) - len(bare)) // 4) + bare


def converted_for_function(function: Callable[..., Any], features: Sequence[Feature] | None = None) -> Any:
    """A function of the program as other parts of the library call it, to be traced.

    Args:
        function: the function.
        features: what to convert beyond control flow.

    Returns:
        a function that raises what `staged` says.
    """
    return staged(converted(function, Options(True, features_of(features))))
