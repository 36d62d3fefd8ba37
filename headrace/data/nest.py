"""Structures of dataset elements: tuples, named tuples and dicts of leaves. A list is a leaf: it becomes one tensor."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from headrace.core.composite import SparseTensorValue
from headrace.core.nest import is_attrs, is_namedtuple


def is_sequence(value: Any) -> bool:
    """Whether `value` is a structure rather than a leaf."""
    if isinstance(value, SparseTensorValue):
        return False
    return isinstance(value, (tuple, Mapping)) or is_attrs(value)


def _values(structure: Any) -> list[Any]:
    if isinstance(structure, Mapping):
        try:
            return [structure[key] for key in sorted(structure)]
        except TypeError:
            raise TypeError("nest only supports dicts with sortable keys.") from None
    if is_attrs(structure):
        return [getattr(structure, field.name) for field in type(structure).__attrs_attrs__]
    return list(structure)


def flatten(structure: Any) -> list[Any]:
    """The leaves of a structure, those of a dict in the order of its keys."""
    if not is_sequence(structure):
        return [structure]
    leaves: list[Any] = []
    for value in _values(structure):
        leaves.extend(flatten(value))
    return leaves


def _like(structure: Any, values: list[Any]) -> Any:
    if isinstance(structure, Mapping):
        by_key = dict(zip(sorted(structure), values, strict=True))
        made: Any = type(structure)
        return made((key, by_key[key]) for key in structure)
    if is_namedtuple(structure) or is_attrs(structure):
        return type(structure)(*values)
    return type(structure)(values)


def _pack(structure: Any, leaves: Iterator[Any]) -> Any:
    if not is_sequence(structure):
        return next(leaves)
    return _like(structure, [_pack(value, leaves) for value in _values(structure)])


def pack_sequence_as(structure: Any, flat_sequence: Any) -> Any:
    """The leaves `flat_sequence` in the form of `structure`.

    Raises:
        ValueError: if their number is not that of the leaves of `structure`.
    """
    leaves = list(flat_sequence)
    count = len(flatten(structure))
    if len(leaves) != count:
        raise ValueError(
            f"Could not pack sequence. Structure had {count} elements, but flat_sequence had {len(leaves)} elements. "
            f"Structure: {structure}, flat_sequence: {leaves}."
        )
    return _pack(structure, iter(leaves))


def map_structure(function: Callable[..., Any], *structures: Any) -> Any:
    """`function` of the leaves of structures of one form, in that form."""
    first = structures[0]
    for other in structures[1:]:
        assert_same_structure(first, other)
    return _pack(first, iter([function(*leaves) for leaves in zip(*map(flatten, structures), strict=True)]))


def assert_same_structure(first: Any, second: Any) -> None:
    """Checks that two structures have one form.

    Raises:
        ValueError: if one has other parts than the other; TypeError: if it is of another type.
    """
    if is_sequence(first) != is_sequence(second):
        raise ValueError(
            f"The two structures don't have the same nested structure.\n\nFirst structure: {first}\n\nSecond structure: "
            f"{second}"
        )
    if not is_sequence(first):
        return
    if type(first) is not type(second) and not (isinstance(first, Mapping) and isinstance(second, Mapping)):
        raise TypeError(
            "The two structures don't have the same sequence type. First structure has type "
            f"{type(first)}, while second structure has type {type(second)}."
        )
    if isinstance(first, Mapping) and set(first) != set(second):
        raise ValueError(
            f"The two dictionaries don't have the same set of keys. First structure has keys {list(first)}, while second "
            f"structure has keys {list(second)}."
        )
    ours, theirs = _values(first), _values(second)
    if len(ours) != len(theirs):
        raise ValueError(
            f"The two structures don't have the same number of elements. First structure: {first}, second: {second}."
        )
    for one, other in zip(ours, theirs, strict=True):
        assert_same_structure(one, other)


def flatten_up_to(shallow: Any, structure: Any) -> list[Any]:
    """The parts of `structure` at the leaves of `shallow`.

    Raises:
        TypeError, ValueError: if `structure` has another form where `shallow` has one.
    """
    if not is_sequence(shallow):
        return [structure]
    if not is_sequence(structure):
        raise TypeError(
            f"If shallow structure is a sequence, input must also be a sequence. Input has type: {type(structure)}."
        )
    if isinstance(shallow, Mapping) and set(shallow) != set(structure):
        raise ValueError(
            f"The two structures don't have the same keys. Input structure has keys {list(structure)}, while shallow "
            f"structure has keys {list(shallow)}."
        )
    parts: list[Any] = []
    for one, other in zip(_values(shallow), _values(structure), strict=True):
        parts.extend(flatten_up_to(one, other))
    return parts


def map_structure_up_to(shallow: Any, function: Callable[..., Any], *structures: Any) -> Any:
    """`function` of the parts of `structures` at the leaves of `shallow`, in the form of `shallow`."""
    parts = zip(*[flatten_up_to(shallow, structure) for structure in structures], strict=True)
    return pack_sequence_as(shallow, [function(*each) for each in parts])
