"""Checks of ranks and shapes: assert_rank and its like."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from headrace.core.constant_value import constant_value
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import control_dependencies, name_scope
from headrace.core.operation import Operation
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.flow.assertion import Assert
from headrace.functions.flow.checks import assert_type
from headrace.functions.flow.cond import cond
from headrace.kernels import composing
from headrace.ops.flow.grouping import group, no_op, with_dependencies

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


class _RankMismatch(Exception):
    """The known rank is not what was asked for."""


def _check(
    x: Tensor,
    ranks: Sequence[Tensor],
    fits: Callable[[int, list[int]], bool],
    condition: Callable[[Tensor], Tensor],
    data: Sequence[TensorLike],
    summarize: int | None,
) -> Operation:
    for rank in ranks:
        assert_type(rank, "int32")
    known = [constant_value(rank) for rank in ranks]
    if all(value is not None for value in known):
        values: list[int] = []
        for value in known:
            if value is None or value.ndim != 0:
                raise ValueError("Rank must be a scalar.")
            values.append(int(value))
        if x.dims is not None:
            if not fits(len(x.dims), values):
                raise _RankMismatch
            return no_op(name="static_checks_determined_all_ok")
    result = condition(composing.rank(x))
    for rank, value in zip(ranks, known, strict=True):
        if value is None:
            check = assert_rank(rank, 0, data=["Rank must be a scalar. Received rank: ", rank])
            result = with_dependencies([check], result)
    return Assert(result, data, summarize=summarize)


def _rank_check(
    default_name: str,
    wording: str,
    fits: Callable[[int, list[int]], bool],
    op_type: str,
    x: TensorLike,
    rank: TensorLike,
    data: Sequence[TensorLike] | None,
    summarize: int | None,
    message: str | None,
    name: str | None,
) -> Operation:
    with name_scope(name, default_name, [x, rank, *(data or ())]):
        x = convert_to_tensor(x, name="x")
        rank = convert_to_tensor(rank, name="rank")
        message = message or ""
        if data is None:
            data = [
                message,
                f"Tensor {x._shown_name} must have {wording}",
                rank,
                "Received shape: ",
                composing.shape(x),
            ]
        try:
            return _check(x, [rank], fits, lambda actual: getattr(raw, op_type)(actual, rank), data, summarize)
        except _RankMismatch:
            raise ValueError(
                f"{message}.  Tensor {x._shown_name} must have {wording} {constant_value(rank)}.  Received rank "
                f"{len(x.dims or ())}, shape {x.get_shape()}"
            ) from None


def assert_rank(
    x: TensorLike,
    rank: TensorLike,
    data: Sequence[TensorLike] | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation:
    """Asserts that `x` has rank `rank`.

    Args:
        x: tensor.
        rank: int32 scalar.
        data: what to tell when it fails at run time.
        summarize: how many elements of each tensor to tell.
        message: what to tell first.
        name: a name scope.

    Returns:
        an operation to depend on; it raises InvalidArgumentError when the rank is only known when it runs.

    Raises:
        ValueError: if the rank is known and another, or `rank` is no scalar.
    """
    return _rank_check(
        "assert_rank",
        "rank",
        lambda actual, given: actual == given[0],
        "Equal",
        x,
        rank,
        data,
        summarize,
        message,
        name,
    )


def assert_rank_at_least(
    x: TensorLike,
    rank: TensorLike,
    data: Any = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation:
    """Asserts that `x` has rank `rank` or a higher one. Arguments and errors as for `assert_rank`."""
    return _rank_check(
        "assert_rank_at_least",
        "rank at least",
        lambda actual, given: actual >= given[0],
        "GreaterEqual",
        x,
        rank,
        data,
        summarize,
        message,
        name,
    )


def assert_rank_in(
    x: TensorLike,
    ranks: Sequence[TensorLike],
    data: Any = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation:
    """Asserts that `x` has one of the ranks in `ranks`, a list. Other arguments and errors as for `assert_rank`."""
    with name_scope(name, "assert_rank_in", [x, *ranks, *(data or ())]):
        x = convert_to_tensor(x, name="x")
        tensors = [convert_to_tensor(rank, name="rank") for rank in ranks]
        message = message or ""
        if data is None:
            message_data = [message, f"Tensor {x._shown_name} must have rank in"]
            data = [*message_data, *tensors, "Received shape: ", composing.shape(x)]

        def condition(actual: Tensor) -> Tensor:
            if not tensors:
                return convert_to_tensor(False)
            result = raw.Equal(tensors[0], actual)
            for rank in tensors[1:]:
                result = raw.LogicalOr(result, raw.Equal(rank, actual))
            return result

        try:
            return _check(x, tensors, lambda actual, given: actual in given, condition, data, summarize)
        except _RankMismatch:
            given = tuple(constant_value(rank) for rank in tensors)
            raise ValueError(
                f"{message}.  Tensor {x._shown_name} must have rank in {given}.  Received rank {len(x.dims or ())}, "
                f"shape {x.get_shape()}"
            ) from None


class _Sizes(NamedTuple):
    tensor: Tensor
    innermost: bool
    actual: Any
    symbols: tuple[Any, ...]


def assert_shapes(
    shapes: Sequence[Sequence[Tensor | Sequence[str | int]]] | Mapping[Tensor, Sequence[str]],
    data: Any = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation:
    """Asserts that tensors have shapes that fit together.

    Args:
        shapes: pairs (or a dict) of a tensor and a shape: a tuple of sizes, of symbols that must mean the same size
            wherever they stand, and of None or '.' for any size; '...' or '*' may stand first for any dimensions.
        data: what to tell when it fails at run time.
        summarize: how many elements of each tensor to tell.
        message: what to tell first.
        name: a name scope.

    Returns:
        an operation to depend on.

    Raises:
        ValueError: if what is known does not fit, or a shape is no tuple.

    Example:
        >>> checked = tf.debugging.assert_shapes([(x, ("N", "Q")), (y, ("N", "D")), (loss, ())])
    """
    pairs = list(shapes.items() if isinstance(shapes, dict) else shapes)
    message = message or ""
    with name_scope(name, "assert_shapes", [pairs, data]):
        converted = [(convert_to_tensor(x), shape) for x, shape in pairs if shape is not None]
        rows = [_sizes(tensor, shape, message) for tensor, shape in converted]
        ranks = []
        for row in rows:
            rank = len(row.symbols)
            common = {"data": data, "summarize": summarize, "message": message, "name": name}
            if row.innermost:
                if rank > 1:
                    ranks.append(assert_rank_at_least(row.tensor, rank, **common))
            elif rank <= 1:
                ranks.append(assert_rank_in(row.tensor, [0, 1], **common))
            else:
                ranks.append(assert_rank(row.tensor, rank, **common))
        checks = _size_checks(rows, data, summarize, message)
        with control_dependencies(ranks):
            return group(checks)


def _sizes(tensor: Tensor, shape: Sequence[int | str], message: str) -> _Sizes:
    if not hasattr(shape, "__iter__"):
        raise ValueError(
            f"{message}.  Tensor {tensor._shown_name}.  Specified shape must be an iterable.  An iterable has the attribute "
            f"`__iter__` or `__getitem__`.  Received specified shape: {shape}"
        )
    symbols = tuple(shape)
    innermost = False
    for i, symbol in enumerate(symbols):
        if symbol is Ellipsis or symbol == "*":
            if i:
                raise ValueError(
                    f"{message}.  Tensor {tensor._shown_name} specified shape index {i}.  Symbol `...` or `*` for a variable "
                    "number of unspecified dimensions is only allowed as the first entry"
                )
            innermost = True
    symbols = symbols[1:] if innermost else symbols
    dynamic = composing.shape(tensor)
    actual: Any
    if tensor.dims == ():
        actual = (1,)
    elif tensor.dims is not None:
        actual = [size if size is not None else dynamic[i] for i, size in enumerate(tensor.dims)]
    else:
        scalar = raw.Equal(composing.rank(tensor), 0)
        actual = cond(scalar, lambda: convert_to_tensor([1], name="Const"), lambda: dynamic)
    return _Sizes(tensor, innermost, actual, symbols or (1,))


def _number(size: int | str | Tensor) -> int | None:
    if isinstance(size, Tensor):
        return None
    try:
        return int(size)
    except (ValueError, TypeError):
        return None


def _size_checks(rows: list[_Sizes], data: Any, summarize: int | None, message: str) -> list[Operation]:
    checks = []
    meant: dict[Any, tuple[Any, Tensor, int]] = {}
    for row in rows:
        for i, symbol in enumerate(row.symbols):
            if symbol is None or symbol == ".":
                continue
            axis = i - len(row.symbols) if row.innermost else i
            actual = row.actual[axis]
            expected: int | None = _number(symbol)
            if expected is not None:
                source = "Specified explicitly"
            elif symbol in meant:
                expected, other, other_axis = meant[symbol]
                source = f"Specified by tensor {other._shown_name} dimension {other_axis}"
            else:
                meant[symbol] = (actual, row.tensor, axis)
                continue
            known, known_expected = _number(actual), _number(expected)
            if known is not None and known_expected is not None:
                if known != known_expected:
                    raise ValueError(
                        f"{message}.  {source}.  Tensor {row.tensor._shown_name} dimension {axis} must have size "
                        f"{known_expected}.  Received size {known}, shape {row.tensor.get_shape()}"
                    )
                continue
            condition = raw.Equal(convert_to_tensor(actual), convert_to_tensor(expected))
            details = data
            if details is None:
                details = [
                    message,
                    source,
                    f"Tensor {row.tensor._shown_name} dimension",
                    axis,
                    "must have size",
                    expected,
                ]
                details += ["Received shape: ", composing.shape(row.tensor)]
            checks.append(Assert(condition, details, summarize=summarize))
    return checks
