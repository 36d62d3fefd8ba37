"""Python's built-in functions where they are given tensors or datasets."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.autograph.loops import is_dataset
from headrace.autograph.staged import as_staged, is_staged, length
from headrace.core import slots
from headrace.core.dtypes import float32, int32
from headrace.core.registry import raw
from headrace.kernels.composing.arithmetic import range as graph_range
from headrace.ops.flow.printing import print_ as graph_print
from headrace.ops.math.cast import cast

if TYPE_CHECKING:
    from headrace.core.dtypes import DType
    from headrace.core.tensor import Tensor
    from headrace.core.typing import TensorLike


def _staged(values: Sequence[TensorLike]) -> bool:
    return any(is_staged(as_staged(value)) for value in values)


def _range(*args: Any) -> range | Tensor:
    if not _staged(args):
        return range(*args)
    first, *rest = args
    if not rest:
        return graph_range(raw.Maximum(first, 0))
    # Without a step none of the numbers is right where the limit is below the start.
    return graph_range(first, raw.Maximum(first, rest[0])) if len(rest) == 1 else graph_range(first, *rest)


def _len(value: Any) -> int | Tensor:
    value = as_staged(value)
    return length(value) if is_staged(value) else len(value)


def _abs(value: Tensor) -> Tensor:
    return raw.Abs(as_staged(value)) if _staged([value]) else abs(value)


def _to_number(value: Any, dtype: DType) -> Tensor:
    value = as_staged(value)
    if value.dtype.name == "string":
        return raw.StringToNumber(value, out_type=dtype)
    return cast(value, dtype)


def _float(value: Any = 0) -> Any:
    return _to_number(value, float32) if _staged([value]) else float(value)


def _int(value: Any = 0, *base: Any) -> int | Tensor:
    if not _staged([value]):
        return int(value, *base)
    if base and base[0] not in (10, 0):
        raise NotImplementedError("int of a string tensor with base other than 10: use tf.strings.to_number.")
    return _to_number(value, int32)


def _enumerate(iterable: Any, start: int = 0) -> Any:
    return iterable.enumerate(start) if is_dataset(iterable) else enumerate(iterable, start)


def _zip(*iterables: Any, **strict: Any) -> Any:
    if iterables and all(is_dataset(item) for item in iterables):
        return slots.zip_datasets(iterables)
    return zip(*iterables, **strict)


def _map(function: Any, *iterables: Any) -> Any:
    if iterables and all(is_dataset(item) for item in iterables):
        source = iterables[0] if len(iterables) == 1 else _zip(*iterables)
        return source.map(function)
    return map(function, *iterables)


def _filter(function: Any, iterable: Any) -> Any:
    return iterable.filter(function) if is_dataset(iterable) else filter(function, iterable)


def _print(*values: Any, **options: Any) -> Any:
    return graph_print(*values, **options) if _staged(values) else print(*values, **options)


_REPLACED: dict[Any, Callable[..., Any]] = {
    builtins.range: _range,
    builtins.len: _len,
    builtins.abs: _abs,
    builtins.float: _float,
    builtins.int: _int,
    builtins.enumerate: _enumerate,
    builtins.zip: _zip,
    builtins.map: _map,
    builtins.filter: _filter,
}


def replacement(function: object, printing: bool = False) -> Callable[..., Any] | None:
    """What is called in place of a built-in function, None for any other.

    Args:
        function: what is called.
        printing: whether `print` of tensors prints when the graph runs.
    """
    if printing and function is builtins.print:
        return _print
    try:
        return _REPLACED.get(function)
    except TypeError:
        return None
