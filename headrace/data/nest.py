"""Structures of dataset elements: tuples, named tuples and dicts of leaves. A list is a leaf: it becomes one tensor."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.composite import SparseTensorValue
from headrace.core.nest import is_attrs, is_namedtuple

if TYPE_CHECKING:
    import numpy as np


def is_sequence(o: object) -> bool:
    """Whether `o` is a structure rather than a leaf."""
    if isinstance(o, SparseTensorValue):
        return False
    return isinstance(o, (tuple, Mapping)) or is_attrs(o)


def _values(structure: Any) -> list[Any]:
    if isinstance(structure, Mapping):
        try:
            return [structure[key] for key in sorted(structure)]
        except TypeError as error:
            raise TypeError(f"nest only supports dicts with sortable keys: {error}") from None
    if is_attrs(structure):
        return [getattr(structure, field.name) for field in type(structure).__attrs_attrs__]
    return list(structure)


def flatten(nested: Any) -> list[Any]:
    """The leaves of a structure, those of a dict in the order of its keys."""
    if not is_sequence(nested):
        return [nested]
    leaves: list[Any] = []
    for value in _values(nested):
        leaves.extend(flatten(value))
    return leaves


def _like(structure: Any, values: list[Any]) -> Any:
    if isinstance(structure, Mapping):
        by_key = dict(zip(sorted(structure), values, strict=True))
        made: type = type(structure)
        return made((key, by_key[key]) for key in structure)
    if is_namedtuple(structure) or is_attrs(structure):
        return type(structure)(*values)
    return type(structure)(values)


def _pack(structure: Any, leaves: Iterator[Any]) -> Any:
    if not is_sequence(structure):
        return next(leaves)
    return _like(structure, [_pack(value, leaves) for value in _values(structure)])


def pack_sequence_as(structure: object, flat_sequence: Sequence[Any]) -> Any:
    """The leaves `flat_sequence` in the form of `structure`.

    Raises:
        TypeError: if `flat_sequence` is no sequence.
        ValueError: if their number is not that of the leaves of `structure`.
    """
    if not isinstance(flat_sequence, (list, tuple)):
        raise TypeError("flat_sequence must be a sequence")
    leaves = list(flat_sequence)
    if not is_sequence(structure):
        if len(leaves) != 1:
            raise ValueError(f"Structure is a scalar but len(flat_sequence) == {len(leaves)} > 1")
        return leaves[0]
    count = len(flatten(structure))
    if len(leaves) != count:
        raise ValueError(
            f"Could not pack sequence. Structure had {count} elements, but flat_sequence had {len(leaves)} elements.  "
            f"Structure: {structure}, flat_sequence: {leaves}."
        )
    return _pack(structure, iter(leaves))


def _checks_types(settings: dict[str, Any]) -> bool:
    if set(settings) - {"check_types"}:
        raise ValueError("Only valid keyword argument is check_types")
    return bool(settings.get("check_types", True))


def map_structure(func: Callable[..., Any], *structure: Any, **check_types_dict: Any) -> Any:
    """`func` of the leaves of structures of one form, in that form.

    Args:
        func: takes a leaf of each structure.
        *structure: the structures.
        **check_types_dict: `check_types`, as for `assert_same_structure`.

    Raises:
        TypeError: if `func` is not callable.
        ValueError: without structures, or if they differ in form.
    """
    if not callable(func):
        raise TypeError(f"func must be callable, got: {func}")
    if not structure:
        raise ValueError("Must provide at least one structure")
    check_types = _checks_types(check_types_dict)
    first = structure[0]
    for other in structure[1:]:
        assert_same_structure(first, other, check_types)
    return _pack(first, iter([func(*leaves) for leaves in zip(*map(flatten, structure), strict=True)]))


def assert_same_structure(nest1: Any, nest2: Any, check_types: bool = True) -> None:
    """Checks that two structures have one form.

    Args:
        nest1, nest2: the structures.
        check_types: whether a tuple is not of the form of a named tuple, nor a dict of a tuple.

    Raises:
        ValueError: if one has other parts than the other; TypeError: if it is of another type.
    """
    found = _difference(nest1, nest2, check_types)
    if found is not None:
        kind, what = found
        raise kind(
            f"The two structures don't have the same nested structure.\n\nFirst structure: {_shown(nest1)}\n\nSecond "
            f"structure: {_shown(nest2)}\n\nMore specifically: {what}"
        )


def _shown(value: int | np.floating[Any]) -> str:
    return f"type={type(value).__name__} str={value}"


def _difference(first: Any, second: Any, check_types: bool) -> tuple[type[Exception], str] | None:
    """Where two structures differ first, as the error to be raised and its reason."""
    if not is_sequence(first) and not is_sequence(second):
        return None
    for one, other in ((first, second), (second, first)):
        if is_sequence(one) and not is_sequence(other):
            return (
                ValueError,
                f'Substructure "{_shown(one)}" is a sequence, while substructure "{_shown(other)}" is not',
            )
    mappings = isinstance(first, Mapping) and isinstance(second, Mapping)
    if check_types and type(first) is not type(second) and not mappings:
        return TypeError, (
            "The two structures don't have the same sequence type. First structure has type "
            f"{type(first)}, while second structure has type {type(second)}."
        )
    if mappings and set(first) != set(second):
        return ValueError, (
            f"The two dictionaries don't have the same set of keys. First structure has keys {list(first)}, while second "
            f"structure has keys {list(second)}."
        )
    ours, theirs = _values(first), _values(second)
    if len(ours) != len(theirs):
        return ValueError, (
            f"The two structures don't have the same number of elements. First structure: {_shown(first)}. Second "
            f"structure: {_shown(second)}"
        )
    for one, other in zip(ours, theirs, strict=True):
        found = _difference(one, other, check_types)
        if found is not None:
            return found
    return None


def assert_shallow_structure(shallow_tree: Any, input_tree: Any, check_types: bool = True) -> None:
    """Checks that `input_tree` has the form of `shallow_tree` down to the leaves of that.

    Args:
        shallow_tree: a structure.
        input_tree: one that may go deeper.
        check_types: whether a dict is not of the form of a tuple.

    Raises:
        TypeError, ValueError: if it has not.
    """
    if not is_sequence(shallow_tree):
        return
    if not is_sequence(input_tree):
        raise TypeError(
            f"If shallow structure is a sequence, input must also be a sequence. Input has type: {type(input_tree)}."
        )
    if check_types and not isinstance(input_tree, type(shallow_tree)):
        both = isinstance(shallow_tree, Mapping) and isinstance(input_tree, Mapping)
        if not both:
            raise TypeError(
                "The two structures don't have the same sequence type. Input structure has type "
                f"{type(input_tree)}, while shallow structure has type {type(shallow_tree)}."
            )
    if len(input_tree) != len(shallow_tree):
        raise ValueError(
            "The two structures don't have the same sequence length. Input structure has length "
            f"{len(input_tree)}, while shallow structure has length {len(shallow_tree)}."
        )
    if check_types and isinstance(shallow_tree, Mapping) and set(shallow_tree) != set(input_tree):
        raise ValueError(
            f"The two structures don't have the same keys. Input structure has keys {list(input_tree)}, while shallow "
            f"structure has keys {list(shallow_tree)}."
        )
    for one, other in zip(_values(shallow_tree), _values(input_tree), strict=True):
        assert_shallow_structure(one, other, check_types)


def _up_to(shallow: Any, structure: Any) -> list[Any]:
    if not is_sequence(shallow):
        return [structure]
    parts: list[Any] = []
    for one, other in zip(_values(shallow), _values(structure), strict=True):
        parts.extend(_up_to(one, other))
    return parts


def flatten_up_to(shallow_tree: object, input_tree: object) -> list[Any]:
    """The parts of `input_tree` at the leaves of `shallow_tree`.

    Raises:
        TypeError, ValueError: if `input_tree` has another form where `shallow_tree` has one.
    """
    assert_shallow_structure(shallow_tree, input_tree)
    return _up_to(shallow_tree, input_tree)


def map_structure_up_to(shallow_tree: Any, func: Callable[..., Any], *inputs: Any) -> Any:
    """`func` of the parts of `inputs` at the leaves of `shallow_tree`, in the form of `shallow_tree`.

    Raises:
        ValueError: without inputs.
        TypeError, ValueError: if an input has another form where `shallow_tree` has one.
    """
    if not inputs:
        raise ValueError("Cannot map over no sequences")
    parts = zip(*[flatten_up_to(shallow_tree, structure) for structure in inputs], strict=True)
    return pack_sequence_as(shallow_tree, [func(*each) for each in parts])
