"""`rows[i]`, `rows[:, 1:]` and the like."""

from __future__ import annotations

from numbers import Integral
from typing import TYPE_CHECKING, Any

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.eager import EagerTensor
from headrace.core.errors import InvalidArgumentError
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.ragged.gathering import gather
from headrace.functions.ragged.segment_ids import numbers_up_to
from headrace.functions.ragged.tensor import RaggedTensor
from headrace.kernels import composing
from headrace.kernels.composing.shapes import shape_internal

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


_ALL = slice(None)


def getitem(rows: RaggedTensor, key: object) -> Any:
    """What of `rows` a key in brackets stands for.

    Raises:
        ValueError: for a single place in a dimension whose rows differ. IndexError: for too many keys, or, while
            executing eagerly, for a row that is not there.
        TypeError: for slices whose parts are no integers.
    """
    keys = list(key) if isinstance(key, (list, tuple)) else [key]
    with name_scope(None, "RaggedGetItem"):
        return _item(rows, keys)


def _item(rows: RaggedTensor, keys: list[Any]) -> Any:
    if not keys:
        return rows
    first, rest = keys[0], keys[1:]
    if first is Ellipsis:
        return _item(rows, _expanded(keys, rows.shape.ndims))
    if first is None:
        inner = _item(rows, rest)
        splits = composing.stack([0, _split_count(inner) - 1])
        return RaggedTensor.from_row_splits(inner, splits, validate=False)
    if isinstance(first, slice):
        return _columns(_row_slice(rows, first), rest)
    if isinstance(first, Integral) and isinstance(rows.row_splits, EagerTensor):
        count = len(rows.row_splits.numpy()) - 1
        if not -count <= int(first) < count:
            if first < 0:
                raise InvalidArgumentError(
                    None, None, f"Row key {first} of a RaggedTensor is out of bounds: it has {count} rows."
                )
            raise IndexError(f"Row key {first} out of bounds: the RaggedTensor has {count} rows.")
    begins, ends = rows.row_splits[:-1], rows.row_splits[1:]
    return rows.values[begins[first] : ends[first]][rest]


def _split_count(rows: RaggedTensor) -> Tensor:
    return shape_internal(rows.row_splits, out_type=rows.row_splits.dtype)[0]


def _expanded(keys: list[Any], rank: int | None) -> list[Any]:
    """`...` as the slices it stands for, one step."""
    if rank is None:
        raise ValueError("Ellipsis not supported for unknown shape RaggedTensors")
    count = sum(key is not None for key in keys)
    if count > rank + 1:
        raise IndexError("Too many indices for RaggedTensor")
    return keys[1:] if count == rank + 1 else [_ALL, *keys]


def _row_slice(rows: RaggedTensor, key: slice) -> RaggedTensor:
    if key == _ALL:
        return rows
    begins, ends = rows.row_splits[:-1][key], rows.row_splits[1:][key]
    zero = composing.zeros([1], rows.row_splits.dtype)
    if key.step is not None and not (isinstance(key.step, int) and key.step == 1):
        return _of_ranges(begins, ends, 1, rows.values)
    # Neighbouring rows: what lies between the first and the last of their bounds. Without rows there is none but 0.
    splits = composing.concat([zero[composing.size(begins) :], begins[:1], ends], 0)
    from_, to = splits[0], splits[-1]
    return RaggedTensor.from_row_splits(rows.values[from_:to], splits - from_, validate=False)


def _columns(rows: Tensor | RaggedTensor, keys: list[Any]) -> Any:
    """The rest of the keys, for each row."""
    if not keys:
        return rows
    if isinstance(rows, Tensor):
        return rows[tuple([_ALL, *keys])]  # noqa: C409 (Python 3.10 knows no star between brackets)
    first, rest = keys[0], keys[1:]
    if first is Ellipsis:
        return _columns(rows, _expanded(keys, rows.values.shape.ndims))
    if first is None:
        inner = _columns(rows, rest)
        splits = numbers_up_to(_split_count(inner))
        return RaggedTensor.from_row_splits(inner, splits, validate=False)
    if not isinstance(first, slice):
        raise ValueError("Cannot index into an inner ragged dimension.")
    if first == _ALL:
        return rows.with_values(_columns(rows.values, rest))
    begins, ends = rows.row_splits[:-1], rows.row_splits[1:]
    from_, to = begins, ends
    if first.start is not None and not _is_zero(first.start):
        from_ = _moved(first.start, rows.row_splits[:-1], rows.row_splits[1:])
    # TensorFlow 1.15 takes an end of 0 for none.
    if first.stop is not None and not _is_zero(first.stop):
        to = _moved(first.stop, rows.row_splits[:-1], rows.row_splits[1:])
    inner = _of_ranges(from_, to, first.step, rows.values)
    return inner.with_values(_columns(inner.values, rest))


def _is_zero(value: TensorLike) -> bool:
    return isinstance(value, int) and value == 0


def _moved(offset: TensorLike, begins: Tensor, ends: Tensor) -> Tensor:
    """Where an offset, from the beginning or (below 0) from the end, leads in each row."""
    if isinstance(offset, Tensor):
        offset = composing.cast(offset, begins.dtype)
        forwards, backwards = raw.Minimum(begins + offset, ends), raw.Maximum(ends + offset, begins)
        return raw.Select(raw.GreaterEqual(offset, convert_to_tensor(0, offset.dtype)), forwards, backwards)
    if not isinstance(offset, int):
        raise TypeError("slice offsets must be integers or None")
    return raw.Minimum(begins + offset, ends) if offset > 0 else raw.Maximum(ends + offset, begins)


def _of_ranges(begins: Tensor, ends: Tensor, step: Any, values: Tensor | RaggedTensor) -> RaggedTensor:
    step = convert_to_tensor(1 if step is None else step, name="step")
    if not step.dtype.is_integer:
        raise TypeError("slice strides must be integers or None")
    splits, places = raw.RaggedRange(begins, ends, composing.cast(step, begins.dtype), Tsplits=begins.dtype)
    picked = gather(values, places) if isinstance(values, RaggedTensor) else composing.gather(values, places)
    return RaggedTensor.from_row_splits(picked, splits, validate=False)
