"""SequenceExample messages to tensors: ParseSingleSequenceExample, ParseSequenceExample."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch

from headrace.core.dtypes import as_dtype
from headrace.core.errors import InvalidArgumentError
from headrace.core.registry import op
from headrace.kernels.array.arguments import rank_is, shape_text
from headrace.kernels.host_values import boxed, to_array
from headrace.kernels.parsing.columns import (
    BadExample,
    Column,
    DenseColumn,
    SparseColumn,
    padded,
    sparse_indices,
    value_of,
)
from headrace.kernels.parsing.messages import DecodeError, SequenceExample
from headrace.native.direct import direct_call

_TYPES = "{float, int64, string}"
_COMMON = (
    f"context_sparse_types: list({_TYPES}) = [], Tcontext_dense: list({_TYPES}) = [], "
    f"feature_list_dense_types: list({_TYPES}) = [], context_dense_shapes: list(shape) = [], "
    f"feature_list_sparse_types: list({_TYPES}) = [], feature_list_dense_shapes: list(shape) = [] -> "
    "context_sparse_indices: Ncontext_sparse * int64, context_sparse_values: *context_sparse_types, "
    "context_sparse_shapes: Ncontext_sparse * int64, context_dense_values: *Tcontext_dense, "
    "feature_list_sparse_indices: Nfeature_list_sparse * int64, "
    "feature_list_sparse_values: *feature_list_sparse_types, "
    "feature_list_sparse_shapes: Nfeature_list_sparse * int64, feature_list_dense_values: *feature_list_dense_types"
)
single_op = op(
    "ParseSingleSequenceExample",
    "serialized: string, feature_list_dense_missing_assumed_empty: string, "
    "context_sparse_keys: Ncontext_sparse * string, context_dense_keys: Ncontext_dense * string, "
    "feature_list_sparse_keys: Nfeature_list_sparse * string, feature_list_dense_keys: Nfeature_list_dense * string, "
    "context_dense_defaults: *Tcontext_dense, debug_name: string, *, Ncontext_sparse: int >= 0 = 0, "
    "Ncontext_dense: int >= 0 = 0, Nfeature_list_sparse: int >= 0 = 0, Nfeature_list_dense: int >= 0 = 0, " + _COMMON,
)
batch_op = op(
    "ParseSequenceExample",
    "serialized: string, debug_name: string, context_dense_defaults: *Tcontext_dense, *, "
    "feature_list_dense_missing_assumed_empty: list(string), context_sparse_keys: list(string), "
    "context_dense_keys: list(string), feature_list_sparse_keys: list(string), feature_list_dense_keys: list(string), "
    "Ncontext_sparse: int >= 0 = 0, Ncontext_dense=0, Nfeature_list_sparse: int >= 0 = 0, "
    "Nfeature_list_dense: int >= 0 = 0, " + _COMMON + ", feature_list_dense_lengths: Nfeature_list_dense * int64",
)
for _decl in (single_op, batch_op):
    _decl.on_host("context_dense_defaults", outputs=True)


def _shapes(attrs: Any, batch: tuple[Any, ...], unknown: tuple[Any, ...]) -> list[Any]:
    """The static shapes of the outputs that both ops have, `batch` in front."""
    rank = len(batch)
    found: list[Any] = []
    for kind, extra in (("context", 1), ("feature_list", 2)):
        count = attrs[f"N{kind}_sparse"]
        found += [(None, rank + extra)] * count + [(None,)] * count + [(rank + extra,)] * count
        length = () if kind == "context" else unknown
        shapes = attrs[f"{kind}_dense_shapes"]
        found += [None if dims is None else (*batch, *length, *dims) for dims in shapes]
    return found


@single_op.shape
def single_shape(op):
    rank_is(op.inputs[0].dims, 0)
    return _shapes(op.attrs, (), (None,))


@batch_op.shape
def batch_shape(op):
    serialized = rank_is(op.inputs[0].dims, 1)
    batch = (None if serialized is None else serialized[0],)
    return _shapes(op.attrs, batch, (None,)) + [batch] * op.attrs["Nfeature_list_dense"]


def _text(key: bytes | str) -> str:
    return key.decode("utf-8", "surrogateescape") if isinstance(key, bytes) else key


def _check_counts(attrs: Any, keys: Sequence[Sequence[Any]]) -> None:
    """Refuses attributes that are of more or fewer features than there are keys."""
    names = ("context_sparse_types", "Tcontext_dense context_dense_shapes", "feature_list_sparse_types")
    for some, listed in zip(keys, (*names, "feature_list_dense_types feature_list_dense_shapes"), strict=True):
        for name in listed.split():
            if len(attrs[name]) != len(some):
                raise _invalid(f"There are {len(some)} keys and {len(attrs[name])} of {name}.")


class _Reader:
    """The columns that an op reads, made of its keys and attributes."""

    def __init__(self, attrs: Any, keys: Sequence[Sequence[Any]], assumed_empty: Sequence[Any]) -> None:
        context_sparse, context_dense, list_sparse, list_dense = [[_text(key) for key in some] for some in keys]
        _check_counts(attrs, keys)
        self.empty = frozenset(_text(key) for key in assumed_empty)
        self.context_sparse = [SparseColumn(*one) for one in zip(context_sparse, attrs["context_sparse_types"])]
        self.context_dense = [
            DenseColumn(*one) for one in zip(context_dense, attrs["Tcontext_dense"], attrs["context_dense_shapes"])
        ]
        self.list_sparse = [SparseColumn(*one) for one in zip(list_sparse, attrs["feature_list_sparse_types"])]
        self.list_dense = [
            DenseColumn(*one)
            for one in zip(list_dense, attrs["feature_list_dense_types"], attrs["feature_list_dense_shapes"])
        ]
        self._counts = [len(some) for some in keys]
        # As the runner is told of them.
        self._asked = (
            *[(column.key_bytes, column.kind, False, None, True) for column in self.context_sparse],
            *[(column.key_bytes, column.kind, False, column.dims, True) for column in self.context_dense],
            *[(column.key_bytes, column.kind, True, None, True) for column in self.list_sparse],
            *[
                (column.key_bytes, column.kind, True, column.dims, column.key in self.empty)
                for column in self.list_dense
            ],
        )

    def by_runner(self, records: Any) -> list[list[Any]] | None:
        """What the runner finds for the columns of each kind in records, a list, or in the bytes of a single one.

        Returns:
            of sparse columns indices, values and shapes; of dense features the values in records that have them, and which
            lack them; of dense feature lists padded values and lengths. None where records are written in an unusual way or
            wrong, or there is no runner.
        """
        ask = direct_call("features_of_sequences")
        found = None if ask is None else ask(records, self._asked)
        if found is None:
            return None
        kinds, at = [], 0
        for count in self._counts:
            kinds.append(found[at : at + count])
            at += count
        return kinds


def _parsed(record: bytes) -> Any:
    try:
        return SequenceExample.FromString(record)
    except DecodeError:
        raise _unparsed(record) from None


def _unparsed(record: bytes) -> InvalidArgumentError:
    text = record.decode("utf-8", "backslashreplace")
    return _invalid(f"Could not parse example input, value: '{text}'")


def _invalid(message: str) -> InvalidArgumentError:
    return InvalidArgumentError(None, None, message)


def _in_order(sparse: Sequence[tuple[Any, Any, Any]], dense: Sequence[Any]) -> tuple[Any, ...]:
    return (*[one[0] for one in sparse], *[one[1] for one in sparse], *[one[2] for one in sparse], *dense)


# ---- one example ----


@single_op.kernel
def single_kernel(node):
    attrs = node.attrs
    counts = [attrs[f"N{kind}"] for kind in ("context_sparse", "context_dense")]
    counts += [attrs[f"N{kind}"] for kind in ("feature_list_sparse", "feature_list_dense")]
    # The inputs before the keys, and where the defaults begin.
    first = 2
    defaults_at = first + sum(counts)

    def read_of(values: Sequence[Any]) -> _Reader:
        keys = [boxed(value).item() for value in values[first:defaults_at]]
        groups, at = [], 0
        for count in counts:
            groups.append(keys[at : at + count])
            at += count
        return _Reader(attrs, groups, boxed(values[1]).reshape(-1).tolist())

    constants = [value.constant for value in node.inputs[1:defaults_at]]
    known = read_of([None, *constants]) if all(value is not None for value in constants) else None

    def parse(*values):
        reader = known or read_of(values)
        record = boxed(values[0]).item()
        defaults = [to_array(value) for value in values[defaults_at:-1]]
        made = _single_by_runner(reader, record, defaults)
        if made is None:
            try:
                made = _single(reader, _parsed(record), defaults, _text(boxed(values[-1]).item()))
            except BadExample:
                raise _unparsed(record) from None
        return made

    return parse


def _single_by_runner(reader: _Reader, record: bytes, defaults: Sequence[Any]) -> tuple[Any, ...] | None:
    """What `_single` gives; None where the runner does not find it."""
    found = reader.by_runner(record)
    if found is None:
        return None
    context_sparse, context, list_sparse, list_dense = found
    wanted = zip(context, reader.context_dense, defaults)
    if any(missing and (default.size == 0 or default.shape != dense.dims) for (_, missing), dense, default in wanted):
        return None
    context_dense = [value_of(default) if missing else values for (values, missing), default in zip(context, defaults)]
    return _in_order(context_sparse, context_dense) + _in_order(list_sparse, [values for values, _ in list_dense])


def _single(reader: _Reader, message: Any, defaults: Sequence[Any], name: str) -> tuple[Any, ...]:
    context, lists = message.context.feature, message.feature_lists.feature_list
    context_sparse = [_context_values(column, context[column.key], name) for column in reader.context_sparse]
    context_dense = []
    for dense, default in zip(reader.context_dense, defaults):
        values, count, missing = _read(dense, [context[dense.key]], name, "Context feature: {}.  ")
        if missing:
            if default.size == 0:
                raise _invalid(f"Name: {name}, Context feature '{dense.key}' is required but could not be found.")
            if default.shape != dense.dims:
                raise _invalid(
                    f"def_value[{dense.key}].shape() == {list(default.shape)} != context_dense_shapes_ == "
                    f"{list(dense.dims)}"
                )
            values = default
        elif count[0] != dense.elements:
            raise _wrong_count(dense, name, 0, count[0])
        context_dense.append(value_of(values.reshape(dense.dims)))
    list_sparse = []
    for column in reader.list_sparse:
        items = list(lists[column.key].feature) if column.key in lists else []
        values, count, _ = _read(column, items, name, "Feature List: {}, Index: {}.  ")
        shape = torch.tensor([len(items), int(count.max(initial=0))])
        list_sparse.append((sparse_indices(count), value_of(values), shape))
    list_dense = []
    for dense in reader.list_dense:
        if dense.key not in lists and dense.key not in reader.empty:
            raise _invalid(
                f"Name: {name}, Feature list '{dense.key}' is required but could not be found.  Did you mean to include "
                "it in feature_list_dense_missing_assumed_empty or feature_list_dense_defaults?"
            )
        items = list(lists[dense.key].feature) if dense.key in lists else []
        values, count, missing = _read(dense, items, name, "Feature list: {}, Index: {}.  ")
        if missing:
            raise _mismatch(dense, items[missing[0]], name, "Feature list: {}, Index: {}.  ", missing[0])
        for i in np.flatnonzero(count != dense.elements).tolist():
            raise _wrong_count(dense, name, i, count[i])
        list_dense.append(value_of(values.reshape(len(items), *dense.dims)))
    return _in_order(context_sparse, context_dense) + _in_order(list_sparse, list_dense)


def _context_values(column: Column, feature: Any, name: str) -> tuple[Any, Any, Any]:
    values, _, _ = _read(column, [feature], name, "Context feature: {}.  ")
    count = len(values)
    return torch.arange(count).reshape(-1, 1), value_of(values), torch.tensor([count])


def _read(column: Column, features: Sequence[Any], name: str, place: str) -> tuple[Any, Any, list[int]]:
    """`Column.read_features`, with the complaints of the op.

    Raises:
        BadExample: for a list that holds no values, whatever their type.
    """
    try:
        return column.read_features(features)
    except BadExample as error:
        if features[error.index].WhichOneof("kind") == column.member:
            raise
        raise _mismatch(column, features[error.index], name, place, error.index) from None


def _mismatch(column: Column, feature: Any, name: str, place: str, index: int) -> InvalidArgumentError:
    member = feature.WhichOneof("kind")
    shown = ""
    if member is not None:
        values, _, _ = SparseColumn("", _TYPE_OF[member]).read_features([feature])
        shown = f"{member} {{\n" + "".join(f"  value: {value!r}\n" for value in values.tolist()) + "}\n"
    return _invalid(
        f"Name: {name}, {place.format(column.key, index)}Data types don't match. Expected type: {column.c_name}  "
        f"Feature is: {shown}"
    )


_TYPE_OF = {"float_list": as_dtype("float32"), "int64_list": as_dtype("int64"), "bytes_list": as_dtype("string")}


def _wrong_count(column: DenseColumn, name: str, index: int, count: np.integer[Any]) -> InvalidArgumentError:
    return _invalid(
        f"Name: {name}, Key: {column.key}, Index: {index}.  Number of {column.c_name} values != expected.  values size: "
        f"{count} but output shape: {shape_text(column.dims)}"
    )


# ---- a batch ----


@batch_op.kernel
def batch_kernel(node):
    attrs = node.attrs
    kinds = ("context_sparse_keys", "context_dense_keys", "feature_list_sparse_keys", "feature_list_dense_keys")
    reader = _Reader(attrs, [attrs[kind] for kind in kinds], attrs["feature_list_dense_missing_assumed_empty"])

    def parse(serialized, names, *defaults):
        records = boxed(serialized).tolist()
        labels = [_text(label) for label in boxed(names).reshape(-1).tolist()]
        if labels and len(labels) != len(records):
            raise _invalid(f"Expected len(names) == len(serialized), but got: {len(labels)} vs. {len(records)}")
        arrays = [to_array(value) for value in defaults]
        made = _batch_by_runner(reader, records, arrays)
        return _batch(reader, [_parsed(record) for record in records], arrays, labels) if made is None else made

    return parse


def _batch_by_runner(reader: _Reader, records: list[bytes], defaults: Sequence[Any]) -> tuple[Any, ...] | None:
    """What `_batch` gives; None where the runner does not find it."""
    found = reader.by_runner(records)
    if found is None:
        return None
    context_sparse, context, list_sparse, list_dense = found
    context_dense = []
    for (values, missing), dense, default in zip(context, reader.context_dense, defaults):
        if missing and default.size != dense.elements:
            return None
        context_dense.append(_filled(dense, to_array(values), missing, default) if missing else values)
    steps, lengths = [values for values, _ in list_dense], [counts for _, counts in list_dense]
    return _in_order(context_sparse, context_dense) + _in_order(list_sparse, steps) + tuple(lengths)


def _batch(reader: _Reader, messages: Sequence[Any], defaults: Sequence[Any], labels: Sequence[str]) -> tuple[Any, ...]:
    def named(index: int) -> str:
        return labels[index] if labels else "<unknown>"

    contexts = [message.context.feature for message in messages]
    all_lists = [message.feature_lists.feature_list for message in messages]
    context_sparse = []
    for column in reader.context_sparse:
        values, counts, _ = _read_context(column, contexts, named)
        shape = torch.tensor([len(messages), int(counts.max(initial=0))])
        context_sparse.append((sparse_indices(counts), value_of(values), shape))
    context_dense = []
    for dense, default in zip(reader.context_dense, defaults):
        values, counts, missing = _read_context(dense, contexts, named)
        wrong = [i for i in np.flatnonzero(counts != dense.elements).tolist() if i not in missing]
        if wrong or (missing and default.size != dense.elements):
            # TensorFlow tells the number of all values and of all wanted ones of the batch.
            raise _invalid(f"Inconsistent number of elements for feature {dense.key}: {len(values)} vs {len(messages)}")
        context_dense.append(
            _filled(dense, values.reshape(len(messages) - len(missing), *dense.dims), missing, default)
        )
    list_sparse = [_batch_sparse(column, all_lists, named) for column in reader.list_sparse]
    list_dense, lengths = [], []
    for dense in reader.list_dense:
        steps, length = _batch_dense(dense, all_lists, named, dense.key in reader.empty)
        list_dense.append(steps)
        lengths.append(length)
    return _in_order(context_sparse, context_dense) + _in_order(list_sparse, list_dense) + tuple(lengths)


def _filled(column: DenseColumn, values: np.ndarray, missing: list[int], default: np.ndarray) -> Any:
    """The values of all records: of those that have the feature, and the default."""
    rows = np.empty((len(values) + len(missing), *column.dims), values.dtype)
    there = np.ones(len(rows), bool)
    there[missing] = False
    rows[there] = values
    if missing:
        rows[missing] = default.reshape(column.dims)
    return value_of(rows)


def _read_context(column: Column, contexts: Sequence[Any], named: Callable[..., Any]) -> tuple[Any, Any, list[int]]:
    try:
        return column.read_features([context[column.key] for context in contexts])
    except BadExample as error:
        raise _invalid(f"Error in context feature {column.key} in example {named(error.index)}") from None


def _read_lists(
    column: Column, all_lists: Sequence[Any], named: Callable[..., Any]
) -> tuple[Any, Any, list[int], np.ndarray]:
    """The values of all items of all examples, how many each item has, which are empty; items an example."""
    key = column.key
    items: list[Any] = []
    counts = np.zeros(len(all_lists), np.int64)
    for i, lists in enumerate(all_lists):
        if key in lists:
            found = lists[key].feature
            items.extend(found)
            counts[i] = len(found)
    try:
        values, sizes, missing = column.read_features(items)
    except BadExample as error:
        example = int(np.searchsorted(np.cumsum(counts), error.index, side="right"))
        raise _invalid(f"Error in sequence feature {key} in example {named(example)}") from None
    return values, sizes, missing, counts


def _batch_sparse(column: Column, all_lists: Sequence[Any], named: Callable[..., Any]) -> tuple[Any, Any, Any]:
    values, sizes, _, counts = _read_lists(column, all_lists, named)
    items = sparse_indices(counts).numpy()
    indices = np.empty((len(values), 3), np.int64)
    indices[:, :2] = np.repeat(items, sizes, axis=0)
    indices[:, 2] = sparse_indices(sizes).numpy()[:, 1]
    shape = torch.tensor([len(all_lists), int(counts.max(initial=0)), int(sizes.max(initial=0))])
    return torch.from_numpy(indices), value_of(values), shape


def _batch_dense(
    column: DenseColumn, all_lists: Sequence[Any], named: Callable[..., Any], may_miss: bool
) -> tuple[Any, Any]:
    key = column.key
    if not may_miss:
        for i, lists in enumerate(all_lists):
            if key not in lists:
                raise _invalid(f"Missing feature {key} in example {named(i)}")
    values, sizes, _, counts = _read_lists(column, all_lists, named)
    wrong = np.flatnonzero(sizes != column.elements)
    if len(wrong):
        if (sizes == sizes[0]).all():
            raise _invalid(f"Unexpected shape error in feature {key}")
        example = int(np.searchsorted(np.cumsum(counts), wrong[0], side="right"))
        raise _invalid(f"Unexpected number of elements in feature {key}, example {named(example)}")
    default = np.array([], values.dtype)
    return value_of(padded(values, counts, column.dims, default)), torch.from_numpy(counts)


# ---- the public functions ----


def _entry(key: bytes, value: bytes) -> bytes:
    pair = bytes([10, len(key)]) + key + bytes([18, len(value)]) + value
    return bytes([10, len(pair)]) + pair


def _sized(tag: int, message: bytes) -> bytes:
    return bytes([tag, len(message)]) + message


# The context has n = [5]; the lists x = [[1.5], [2.0]] and t = [[b"a", b"b"], []].
_FLOATS = [_sized(18, _sized(10, np.array([value], "<f4").tobytes())) for value in (1.5, 2.0)]
_STRINGS = [_sized(10, _sized(10, b"a") + _sized(10, b"b")), b"\x0a\x00"]
_RECORD = _sized(10, _entry(b"n", _sized(26, _sized(10, b"\x05")))) + _sized(
    18,
    b"".join(
        _entry(key, b"".join(_sized(10, item) for item in items)) for key, items in ((b"x", _FLOATS), (b"t", _STRINGS))
    ),
)
_TYPES_OF_ALL = {
    "context_sparse_types": [],
    "context_dense_shapes": [[1]],
    "feature_list_sparse_types": ["string"],
    "feature_list_dense_types": ["float32"],
    "feature_list_dense_shapes": [[1]],
}
_NONE = np.zeros([0], object)
_ABSENT = [np.zeros([0], np.int64)]
single_op.accepts(_RECORD, _NONE, [], [b"n"], [b"t"], [b"x"], _ABSENT, b"", **_TYPES_OF_ALL)
single_op.accepts(b"", np.array([b"x"], object), [], [b"n"], [b"t"], [b"x"], [np.array([7])], b"", **_TYPES_OF_ALL)
single_op.rejects(b"", _NONE, [], [b"n"], [b"t"], [b"x"], _ABSENT, b"", **_TYPES_OF_ALL, error=InvalidArgumentError)
_KEYS_OF_ALL = {
    "context_sparse_keys": [],
    "context_dense_keys": ["n"],
    "feature_list_sparse_keys": ["t"],
    "feature_list_dense_keys": ["x"],
    "feature_list_dense_missing_assumed_empty": ["x"],
    "Ncontext_dense": 1,
    "Nfeature_list_sparse": 1,
    "Nfeature_list_dense": 1,
    "Tcontext_dense": ["int64"],
}
batch_op.accepts(
    np.array([_RECORD, _RECORD[: 2 + _RECORD[1]]], object), _NONE, _ABSENT, **_KEYS_OF_ALL, **_TYPES_OF_ALL
)
batch_op.rejects(np.array([b""], object), _NONE, _ABSENT, **_KEYS_OF_ALL, **_TYPES_OF_ALL, error=InvalidArgumentError)
