"""Nested structures: lists, tuples, namedtuples, dicts and attrs classes, taken apart into leaves and put together again.

Dicts are walked in the order of their sorted keys; strings, arrays, tensors and sets are leaves. A composite tensor
(SparseTensor, IndexedSlices) is a leaf too, unless `expand_composites` asks for its parts.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, MappingView, Sequence
from typing import Any

import numpy as np

from headrace.core.composite import IndexedSlices, SparseTensor
from headrace.core.eager import EagerTensor
from headrace.core.tensor import Tensor

_TEXT = (str, bytes, bytearray)
# What is not asked any further; subclasses may be structures.
_leaf_classes = frozenset((Tensor, EagerTensor, np.ndarray, bool, int, float, str, bytes, type(None)))


# type -> (its parts, the value of such parts made anew after a model)
_composites: dict[type, tuple[Callable[[Any], list[Any]], Callable[[Any, list[Any]], Any]]] = {}


def register_composite(
    kind: type, components: Callable[[Any], list[Any]], rebuild: Callable[[Any, list[Any]], Any]
) -> None:
    """Declares a type that `expand_composites` takes apart.

    Args:
        kind: the type.
        components: from a value to the list of its parts, which may be composite themselves.
        rebuild: from a model value and such a list to a new value.
    """
    _composites[kind] = components, rebuild


register_composite(
    SparseTensor, lambda value: [value.indices, value.values, value.dense_shape], lambda _, parts: SparseTensor(*parts)
)
register_composite(
    IndexedSlices,
    lambda value: [part for part in (value.values, value.indices, value.dense_shape) if part is not None],
    lambda _, parts: IndexedSlices(*parts),
)


def _composite(value: object) -> tuple[Callable[..., Any], Callable[..., Any]] | None:
    for kind in type(value).__mro__:
        if kind in _composites:
            return _composites[kind]
    return None


def is_mapping(value: Any) -> bool:
    """Whether `value` is a dict or another mapping."""
    return isinstance(value, Mapping)


def is_attrs(value: object) -> bool:
    """Whether `value` is an instance of a class made by attrs."""
    return not isinstance(value, type) and hasattr(type(value), "__attrs_attrs__")


def is_namedtuple(value: object, strict: bool = False) -> bool:
    """Whether `value` is a tuple with named fields; with `strict`, of a class that `namedtuple` made, and no subclass."""
    if strict and type(value).__bases__ != (tuple,):
        return False
    fields = getattr(value, "_fields", None)
    return isinstance(value, tuple) and isinstance(fields, tuple) and all(isinstance(f, str) for f in fields)


def is_sequence(value: object) -> bool:
    """Whether `value` is a structure rather than a leaf.

    Example:
        >>> is_sequence([1]), is_sequence({"a": 1}), is_sequence("text"), is_sequence(3)
        (True, True, False, False)
    """
    kind = type(value)
    if kind in _leaf_classes:
        return False
    if kind in (list, tuple, dict):
        return True
    if isinstance(value, (Mapping, MappingView)) or is_attrs(value):
        return True
    return isinstance(value, Sequence) and not isinstance(value, _TEXT)


def is_nested(seq: object) -> bool:
    """Whether `seq` is a structure rather than a leaf."""
    return is_sequence(seq)


def is_sequence_or_composite(value: object) -> bool:
    """Whether `value` is a structure, or a composite tensor."""
    return is_sequence(value) or _composite(value) is not None


def structure_test(expand_composites: bool) -> Callable[[Any], bool]:
    """What says whether a value is a structure rather than a leaf."""
    return is_sequence_or_composite if expand_composites else is_sequence


def sorted_keys(mapping: Mapping[Any, Any]) -> list[Any]:
    """The keys of a mapping in the order in which structures are walked."""
    try:
        return sorted(mapping)
    except TypeError:
        raise TypeError("nest only supports dicts with sortable keys.") from None


def keyed_values(structure: Any) -> list[tuple[Any, Any]]:
    """The keys and values one level down."""
    if isinstance(structure, Mapping):
        return [(key, structure[key]) for key in sorted_keys(structure)]
    if is_attrs(structure):
        return [(a.name, getattr(structure, a.name)) for a in type(structure).__attrs_attrs__]
    if is_namedtuple(structure):
        return list(zip(structure._fields, structure))
    parts = None if isinstance(structure, (list, tuple)) else _composite(structure)
    if parts is not None:
        return [(type(structure).__name__, parts[0](structure))]
    return list(enumerate(structure))


def values_of(structure: object) -> list[Any]:
    """The values one level down."""
    if isinstance(structure, (list, tuple)):
        return list(structure)
    return [value for _, value in keyed_values(structure)]


def rebuilt_like(structure: Any, values: list[Any]) -> Any:
    """`values` in a container like `structure`, in the order of `values_of`."""
    if isinstance(structure, Mapping):
        by_key = dict(zip(sorted_keys(structure), values))
        if isinstance(structure, defaultdict):
            filled = type(structure)(structure.default_factory)
            filled.update((key, by_key[key]) for key in structure)
            return filled
        return type(structure)((key, by_key[key]) for key in structure)  # type: ignore[call-arg]  # `Mapping` names no constructor
    if isinstance(structure, (MappingView, range)):
        return list(values)
    if is_namedtuple(structure) or is_attrs(structure):
        return type(structure)(*values)
    composite = None if isinstance(structure, (list, tuple)) else _composite(structure)
    if composite is not None:
        return composite[1](structure, values[0])
    return type(structure)(values)


def flatten(structure: object, expand_composites: bool = False) -> list[Any]:
    """The leaves of a structure, in order.

    Args:
        structure: a nested structure or a single leaf.
        expand_composites: whether composite tensors count as their parts.

    Returns:
        a list; of one element for a leaf.

    Raises:
        TypeError: if a dict has keys that cannot be sorted.

    Example:
        >>> flatten({"b": [1, 2], "a": (3,)})
        [3, 1, 2]
    """
    if structure.__class__ in _leaf_classes:
        return [structure]
    leaves: list[Any] = []
    _flatten_into(leaves, structure, structure_test(expand_composites))
    return leaves


def _flatten_into(leaves: list[Any], structure: object, is_seq: Callable[[Any], bool]) -> None:
    if is_seq(structure):
        for value in values_of(structure):
            _flatten_into(leaves, value, is_seq)
    else:
        leaves.append(structure)


def pack_sequence_as(structure: object, flat_sequence: Any, expand_composites: bool = False) -> Any:
    """A structure like `structure` with the leaves of `flat_sequence`; undoes `flatten`.

    Raises:
        TypeError: if `flat_sequence` is not a sequence.
        ValueError: if it has not as many elements as `structure` has leaves.

    Example:
        >>> pack_sequence_as({"b": [0, 0], "a": (0,)}, [3, 1, 2])
        {'b': [1, 2], 'a': (3,)}
    """
    is_seq = structure_test(expand_composites)
    if not is_seq(flat_sequence):
        raise TypeError("flat_sequence must be a sequence")
    flat = list(flat_sequence)
    if not is_seq(structure):
        if len(flat) != 1:
            raise ValueError(f"Structure is a scalar but len(flat_sequence) == {len(flat)} > 1")
        return flat[0]
    expected = len(flatten(structure, expand_composites))
    if expected != len(flat):
        raise ValueError(
            f"Could not pack sequence. Structure had {expected} elements, but flat_sequence had {len(flat)} elements.  "
            f"Structure: {structure}, flat_sequence: {flat_sequence}."
        )
    return _pack(structure, iter(flat), is_seq)


def _pack(structure: object, leaves: Iterator[Any], is_seq: Callable[[Any], bool]) -> Any:
    filled = [_pack(v, leaves, is_seq) if is_seq(v) else next(leaves) for v in values_of(structure)]
    return rebuilt_like(structure, filled)


class _Dot:
    def __repr__(self) -> str:
        return "."


def assert_same_structure(
    nest1: object, nest2: object, check_types: bool = True, expand_composites: bool = False
) -> None:
    """Checks that two structures are nested alike.

    Args:
        nest1, nest2: the structures.
        check_types: whether the containers must be of the same types too (two dict types count as one, and so do
            namedtuples of the same name and fields).
        expand_composites: whether composite tensors count as structures.

    Raises:
        ValueError: if they differ in their nesting; TypeError: if they differ in a type or in keys.
    """
    try:
        _check_same(nest1, nest2, check_types, structure_test(expand_composites))
    except (ValueError, TypeError) as error:
        raise type(error)(
            "The two structures don't have the same nested structure.\n\n"
            f"First structure: {_told(nest1)}\n\nSecond structure: {_told(nest2)}\n\nMore specifically: {error}\n"
            f"Entire first structure:\n{_skeleton(nest1)}\nEntire second structure:\n{_skeleton(nest2)}"
        ) from None


def _told(value: object) -> str:
    return f"type={type(value).__name__} str={value}"


def _skeleton(nest: object) -> Any:
    return pack_sequence_as(nest, [_Dot()] * len(flatten(nest)))


def _check_same(first: object, second: object, check_types: bool, is_seq: Callable[[Any], bool]) -> None:
    nested = is_seq(first), is_seq(second)
    if nested[0] != nested[1]:
        inner, other = (first, second) if nested[0] else (second, first)
        raise ValueError(f'Substructure "{_told(inner)}" is a sequence, while substructure "{_told(other)}" is not')
    if not nested[0]:
        return
    if check_types:
        _check_types(first, second)
    values = values_of(first), values_of(second)
    if len(values[0]) != len(values[1]):
        raise ValueError(
            "The two structures don't have the same number of elements. "
            f"First structure: {_told(first)}. Second structure: {_told(second)}"
        )
    for one, other in zip(*values):
        _check_same(one, other, check_types, is_seq)


def _check_types(first: object, second: object) -> None:
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        if set(first) != set(second):
            raise ValueError(
                "The two dictionaries don't have the same set of keys. "
                f"First structure has keys {_told(list(first))}, while second structure has keys {_told(list(second))}"
            )
        return
    both_named = is_namedtuple(first) and is_namedtuple(second)
    alike = same_namedtuples(first, second) if both_named else type(first) is type(second)
    # What objects keep of a list or tuple that they were given is of a class of its own, and counts as such a one.
    if not alike and not any(
        isinstance(first, kind) and isinstance(second, kind) and not (is_namedtuple(first) or is_namedtuple(second))
        for kind in (list, tuple)
    ):
        # TensorFlow says "namedtuples" whatever they are, and programs match on it.
        raise TypeError(
            "The two namedtuples don't have the same sequence type. "
            f"First structure {_told(first)} has type {type(first).__name__}, "
            f"while second structure {_told(second)} has type {type(second).__name__}"
        )


def same_namedtuples(first: Any, second: Any) -> bool:
    """Whether two namedtuples have the same type name and the same fields."""
    return type(first).__name__ == type(second).__name__ and first._fields == second._fields


def map_structure(func: Callable[..., Any], *structure: Any, **kwargs: Any) -> Any:
    """The structure whose leaves are `func` of the corresponding leaves of all structures.

    Args:
        func: called with one leaf of each structure.
        *structure: structures nested alike.
        check_types, expand_composites: as in `assert_same_structure`.

    Raises:
        TypeError: if `func` is not callable or the types differ; ValueError: without a structure, for other keyword
            arguments, or if the structures are not nested alike.

    Example:
        >>> map_structure(lambda x, y: x + y, [1, {"a": 2}], [10, {"a": 20}])
        [11, {'a': 22}]
    """
    if not callable(func):
        raise TypeError(f"func must be callable, got: {func}")
    if not structure:
        raise ValueError("Must provide at least one structure")
    check_types = kwargs.pop("check_types", True)
    expand_composites = kwargs.pop("expand_composites", False)
    if kwargs:
        raise ValueError(
            f"Only valid keyword arguments are `check_types` and `expand_composites`, not: `{'`, `'.join(kwargs)}`"
        )
    if len(structure) == 1 and structure[0].__class__ in _leaf_classes:
        return func(structure[0])
    for other in structure[1:]:
        assert_same_structure(structure[0], other, check_types, expand_composites)
    leaves = zip(*(flatten(s, expand_composites) for s in structure))
    return pack_sequence_as(structure[0], [func(*args) for args in leaves], expand_composites)


def flatten_dict_items(dictionary: Mapping[Any, Any]) -> dict[Any, Any]:
    """A flat dict of one whose keys and values are structures nested alike.

    Raises:
        TypeError: if it is not a dict.
        ValueError: if a key and its value do not fit, or a flat key comes twice.

    Example:
        >>> flatten_dict_items({("a", "b"): (1, 2), "c": 3})
        {'a': 1, 'b': 2, 'c': 3}
    """
    if not isinstance(dictionary, Mapping):
        raise TypeError("input must be a dictionary")
    flat: dict[Any, Any] = {}
    for key, value in dictionary.items():
        keys, values = (flatten(key), flatten(value)) if is_sequence(key) else ([key], [value])
        if len(keys) != len(values):
            raise ValueError(
                f"Could not flatten dictionary. Key had {len(keys)} elements, but value had {len(values)} elements. "
                f"Key: {keys}, value: {values}."
            )
        for one, item in zip(keys, values):
            if one in flat:
                raise ValueError(f"Could not flatten dictionary: key {one} is not unique.")
            flat[one] = item
    return flat


# The spellings of 1.15's own module that other libraries (sonnet, tensor2tensor) import.
_is_namedtuple = is_namedtuple
_is_mapping = is_mapping
_is_attrs = is_attrs
_sequence_like = rebuilt_like
_sorted = sorted_keys
_yield_value = values_of
_yield_sorted_items = keyed_values
