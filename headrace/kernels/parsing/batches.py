"""The features of all records of a batch, read the fastest way that each record allows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from headrace.core.errors import InvalidArgumentError
from headrace.kernels.parsing.columns import C_NAMES, BadExample, Column, Read
from headrace.kernels.parsing.layouts import Group, Layouts
from headrace.kernels.parsing.messages import DecodeError, Example
from headrace.kernels.parsing.wire import MalformedList
from headrace.native.direct import direct_call

# So many messages are held at once; more would leave the processor's caches.
_CHUNK = 256


def read_batch(columns: Sequence[Column], records: list[bytes], layouts: Layouts) -> list[Read | BadExample]:
    """What each column finds; one that meets a bad record has that instead.

    Raises:
        InvalidArgumentError: for a record that is no Example.
    """
    made = _read_by_runner(columns, records)
    if made is not None:
        return made
    others: list[int] = []
    places: list[np.ndarray] = []
    parts: list[list[Read | BadExample]] = []
    for group in layouts.group(records, others):
        places.append(group.places)
        parts.append([_group_read(column, group) for column in columns])
    if not parts:
        return _read_messages(columns, records)
    if len(parts) == 1 and not others:
        return parts[0]
    if others:
        places.append(np.array(others, np.int64))
        left = _read_messages(columns, [records[i] for i in others])
        parts.append([_moved(read, others) for read in left])
    order = np.concatenate(places)
    return [_merged(reads, order) for reads in zip(*parts)]


def read_single(columns: Sequence[Column], record: bytes) -> list[Read]:
    """What each column finds in one record.

    Raises:
        BadExample: for a feature of another type, or values that are none of it.
        InvalidArgumentError: for a record that is no Example.
    """
    made: Any = _read_by_runner(columns, [record])
    if made is None:
        features = _feature_maps([record])[0]
        made = [column.read_features([features[column.key]]) for column in columns]
    return made


def _read_by_runner(columns: Sequence[Column], records: list[bytes]) -> list[Read | BadExample] | None:
    """What the columns find; None where records are written in an unusual way or wrong, or there is no runner."""
    ask = direct_call("features_of_examples")
    if ask is None:
        return None
    found = ask(records, tuple([column.key_bytes for column in columns]), tuple([column.kind for column in columns]))
    if found is None:
        return None
    return [
        (values if isinstance(values, np.ndarray) else values.numpy(), counts.numpy(), missing)
        for values, counts, missing in found
    ]


def _moved(read: Read | BadExample, places: Sequence[int]) -> Read | BadExample:
    """What was read of some records, with their numbers in the batch."""
    if isinstance(read, BadExample):
        return BadExample(places[read.index], read.text, read.single)
    values, counts, missing = read
    return values, counts, [places[i] for i in missing]


def _merged(reads: Sequence[Read | BadExample], places: np.ndarray) -> Read | BadExample:
    """What was read of several parts of a batch, in the order of the batch."""
    bad = [read for read in reads if isinstance(read, BadExample)]
    if bad:
        return min(bad, key=lambda error: error.index)
    parts: Any = reads
    values = np.concatenate([part[0] for part in parts])
    counts_by_part = np.concatenate([part[1] for part in parts])
    counts = np.empty_like(counts_by_part)
    counts[places] = counts_by_part
    if len(counts) and (counts == counts[0]).all():
        rows = np.empty((len(counts), int(counts[0])), values.dtype)
        rows[places] = values.reshape(rows.shape)
        values = rows.reshape(-1)
    else:
        values = values[np.argsort(np.repeat(places, counts_by_part), kind="stable")]
    return values, counts, sorted(i for part in parts for i in part[2])


def _group_read(column: Column, group: Group) -> Read | BadExample:
    """What a column finds in records of one layout."""
    member = group.layout.lists.get(column.key, ("", ()))[0]
    if not member:
        values, counts = column.decode([b""] * len(group.places))
        return values, counts, group.places.tolist()
    if member != column.member:
        return column.mismatch(int(group.places[0]), C_NAMES[member])
    try:
        return (*group.values(column.key), [])
    except MalformedList as error:
        return column.malformed(int(group.places[error.index]))


def _read_messages(columns: Sequence[Column], records: Sequence[bytes]) -> list[Read | BadExample]:
    """What columns find in any records, through their messages."""
    lists: list[list[bytes]] = [[] for _ in columns]
    missing: list[list[int]] = [[] for _ in columns]
    bad: dict[int, BadExample] = {}
    for start in range(0, len(records), _CHUNK):
        maps = _feature_maps(records[start : start + _CHUNK])
        for i, column in enumerate(columns):
            key = column.key
            try:
                # Looking up what a map of messages lacks gives an empty message.
                found, absent = column.lists([features[key] for features in maps], start)
            except BadExample as error:
                bad.setdefault(i, error)
            else:
                lists[i] += found
                missing[i] += absent
    read: list[Read | BadExample] = []
    for i, column in enumerate(columns):
        if i in bad:
            read.append(bad[i])
            continue
        try:
            read.append((*column.decoded(lists[i]), missing[i]))
        except BadExample as error:
            read.append(error)
    return read


def _feature_maps(records: Sequence[bytes]) -> list[Any]:
    """The map from key to Feature of each record.

    Raises:
        InvalidArgumentError: for a record that is no Example.
    """
    parse = Example.FromString
    try:
        return [parse(record).features.feature for record in records]
    except DecodeError:
        for record in records:
            try:
                parse(record)
            except DecodeError:
                text = record.decode("utf-8", "backslashreplace")
                raise InvalidArgumentError(None, None, f"Could not parse example input, value: '{text}'") from None
        raise
