"""Structures walked with the paths of their leaves, and only as deep as a shallower structure goes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.nest import (
    is_namedtuple,
    keyed_values,
    pack_sequence_as,
    rebuilt_like,
    same_namedtuples,
    structure_test,
    values_of,
)

if TYPE_CHECKING:
    from headrace.core.shapes import TensorShape
    from headrace.core.type_specs import BatchableTypeSpec
    from headrace.core.typing import DTypeLike, TensorLike


# The texts of `assert_shallow_structure`, under the names by which 1.x's own tests match them.
_STRUCTURES_HAVE_MISMATCHING_TYPES = (
    "The two structures don't have the same sequence type. Input structure has type {input_type}, while shallow structure "
    "has type {shallow_type}."
)
_STRUCTURES_HAVE_MISMATCHING_LENGTHS = (
    "The two structures don't have the same sequence length. Input structure has length {input_length}, while shallow "
    "structure has length {shallow_length}."
)
_INPUT_TREE_SMALLER_THAN_SHALLOW_TREE = (
    "The input_tree has fewer elements than the shallow_tree. Input structure has length {input_size}, while shallow "
    "structure has length {shallow_size}."
)
_SHALLOW_TREE_HAS_INVALID_KEYS = (
    "The shallow_tree's keys are not a subset of the input_tree's keys. The shallow_tree has the following keys that are "
    "not in the input_tree: {}."
)
_IF_SHALLOW_IS_SEQ_INPUT_MUST_BE_SEQ = (
    "If shallow structure is a sequence, input must also be a sequence. Input has type: {}."
)


def _paths(
    shallow: object, tree: object, is_seq: Callable[[Any], bool], path: tuple[Any, ...] = ()
) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """(path, subtree) of what stands in `tree` where `shallow` has leaves."""
    if not is_seq(shallow):
        yield path, tree
        return
    below = dict(keyed_values(tree))
    for key, value in keyed_values(shallow):
        yield from _paths(value, below[key], is_seq, (*path, key))


def yield_flat_paths(
    nest: Mapping[str, Sequence[int | Sequence[int]] | None], expand_composites: bool = False
) -> Iterator[tuple[Any, ...]]:
    """The paths (tuples of keys and indices) of the leaves, in order."""
    for path, _ in _paths(nest, nest, structure_test(expand_composites)):
        yield path


def flatten_with_tuple_paths(structure: object, expand_composites: bool = False) -> list[tuple[tuple[Any, ...], Any]]:
    """The leaves with their paths: [(path, leaf), …]."""
    return list(_paths(structure, structure, structure_test(expand_composites)))


def flatten_with_joined_string_paths(
    structure: Mapping[str, Sequence[int | Sequence[int]] | None], separator: str = "/", expand_composites: bool = False
) -> list[tuple[str, Any]]:
    """The leaves with their paths as strings.

    Example:
        >>> flatten_with_joined_string_paths({"a": [1, 2]})
        [('a/0', 1), ('a/1', 2)]
    """
    pairs = flatten_with_tuple_paths(structure, expand_composites)
    return [(separator.join(str(key) for key in path), leaf) for path, leaf in pairs]


def map_structure_with_tuple_paths(func: Callable[..., Any], *structure: Any, **kwargs: Any) -> Any:
    """`map_structure` with the path of the leaves, a tuple, as the first argument of `func`."""
    return map_structure_with_tuple_paths_up_to(structure[0], func, *structure, **kwargs)


def map_structure_with_paths(func: Callable[..., Any], *structure: Any, **kwargs: Any) -> dict[str, list[str]]:
    """`map_structure` with the path of the leaves, joined by '/', as the first argument of `func`."""

    def joined(path: tuple[Any, ...], *leaves: Any, **options: Any) -> str:
        return func("/".join(str(key) for key in path), *leaves, **options)

    return map_structure_with_tuple_paths_up_to(structure[0], joined, *structure, **kwargs)


def assert_shallow_structure(
    shallow_tree: Any,
    input_tree: Any,
    check_types: bool = True,
    expand_composites: bool = False,
    check_subtrees_length: bool = True,
) -> None:
    """Checks that `input_tree` is nested as `shallow_tree` is, as deep as that goes.

    Raises:
        TypeError: if types differ; ValueError: if lengths or keys do.
    """
    is_seq = structure_test(expand_composites)
    if not is_seq(shallow_tree):
        return
    if not is_seq(input_tree):
        raise TypeError(_IF_SHALLOW_IS_SEQ_INPUT_MUST_BE_SEQ.format(type(input_tree)))
    if check_types and not isinstance(input_tree, type(shallow_tree)):
        alike = (
            same_namedtuples(shallow_tree, input_tree)
            if is_namedtuple(shallow_tree) and is_namedtuple(input_tree)
            else isinstance(shallow_tree, Mapping) and isinstance(input_tree, Mapping)
        )
        if not alike:
            raise TypeError(
                _STRUCTURES_HAVE_MISMATCHING_TYPES.format(input_type=type(input_tree), shallow_type=type(shallow_tree))
            )
    shallow, below = keyed_values(shallow_tree), keyed_values(input_tree)
    if check_subtrees_length and len(below) != len(shallow):
        raise ValueError(
            _STRUCTURES_HAVE_MISMATCHING_LENGTHS.format(input_length=len(below), shallow_length=len(shallow))
        )
    if len(below) < len(shallow):
        raise ValueError(_INPUT_TREE_SMALLER_THAN_SHALLOW_TREE.format(input_size=len(below), shallow_size=len(shallow)))
    if isinstance(shallow_tree, Mapping):
        absent = set(shallow_tree) - set(input_tree)
        if absent:
            raise ValueError(_SHALLOW_TREE_HAS_INVALID_KEYS.format(sorted(absent)))
        found = dict(below)
        pairs = [(value, found[key]) for key, value in shallow]
    else:
        pairs = [(one[1], other[1]) for one, other in zip(shallow, below)]
    for one, other in pairs:
        assert_shallow_structure(one, other, check_types, expand_composites, check_subtrees_length)


def flatten_with_tuple_paths_up_to(
    shallow_tree: object,
    input_tree: TensorLike | Sequence[Any] | Mapping[str, int | TensorShape | Sequence[int | Sequence[int]]],
    check_types: bool = True,
    expand_composites: bool = False,
    check_subtrees_length: bool = True,
) -> list[tuple[tuple[Any, ...], Any]]:
    """[(path, subtree), …] for what stands in `input_tree` at the leaves of `shallow_tree`."""
    assert_shallow_structure(shallow_tree, input_tree, check_types, expand_composites, check_subtrees_length)
    return list(_paths(shallow_tree, input_tree, structure_test(expand_composites)))


def flatten_up_to(
    shallow_tree: int | Sequence[int | BatchableTypeSpec | Sequence[int]] | Mapping[str, int],
    input_tree: Sequence[Any] | Mapping[str, int | Sequence[int]],
    check_types: bool = True,
    expand_composites: bool = False,
    check_subtrees_length: bool = True,
) -> list[Any]:
    """What stands in `input_tree` at the leaves of `shallow_tree`.

    Raises:
        TypeError, ValueError: if `input_tree` does not have the structure of `shallow_tree`.

    Example:
        >>> flatten_up_to([0, [0, 0]], [(1, 2), [3, [4]]])
        [(1, 2), 3, [4]]
    """
    found = flatten_with_tuple_paths_up_to(
        shallow_tree, input_tree, check_types, expand_composites, check_subtrees_length
    )
    return [subtree for _, subtree in found]


def map_structure_with_tuple_paths_up_to(
    shallow_tree: TensorLike | Sequence[str] | Mapping[str, DTypeLike | Sequence[DTypeLike] | None],
    func: Callable[..., Any],
    *inputs: Any,
    **kwargs: Any,
) -> Any:
    """A structure like `shallow_tree` of `func(path, subtree of each input)`.

    Args:
        shallow_tree: says how deep to go.
        func: called with a path and what stands there in each input.
        *inputs: structures that go at least as deep.
        check_types, expand_composites, check_subtrees_length: as in `assert_shallow_structure`; other keyword arguments
            go to `func`.

    Raises:
        ValueError: without inputs.
    """
    if not inputs:
        raise ValueError("Cannot map over no sequences")
    check_types = kwargs.pop("check_types", True)
    expand_composites = kwargs.pop("expand_composites", False)
    check_length = kwargs.pop("check_subtrees_length", True)
    found = [
        flatten_with_tuple_paths_up_to(shallow_tree, tree, check_types, expand_composites, check_length)
        for tree in inputs
    ]
    results = [func(pairs[0][0], *(subtree for _, subtree in pairs), **kwargs) for pairs in zip(*found)]
    return pack_sequence_as(shallow_tree, results, expand_composites)


def map_structure_up_to(shallow_tree: Any, func: Callable[..., Any], *inputs: Any, **kwargs: Any) -> Any:
    """A structure like `shallow_tree` of `func` of the subtree of each input there.

    Example:
        >>> map_structure_up_to([None, None], len, [[1, 2], [3]])
        [2, 1]
    """
    return map_structure_with_tuple_paths_up_to(
        shallow_tree, lambda _, *values, **options: func(*values, **options), *inputs, **kwargs
    )


def get_traverse_shallow_structure(
    traverse_fn: Callable[[Any], Any],
    structure: int | Sequence[int | Sequence[int | Sequence[int]]],
    expand_composites: bool = False,
) -> Any:
    """The part of `structure` that `traverse_fn` wants walked, as a structure of bools.

    Args:
        traverse_fn: from a substructure to a bool, or to a structure of bools one level deep.
        structure: the structure.

    Raises:
        TypeError: if `traverse_fn` returns anything else.
    """
    is_seq = structure_test(expand_composites)
    chosen = traverse_fn(structure)
    if not is_seq(structure):
        if not isinstance(chosen, bool):
            raise TypeError(f"traverse_fn returned structure: {chosen} for non-structure: {structure}")
        return chosen
    if isinstance(chosen, bool):
        if not chosen:
            return False
        choices: list[Any] = [True] * len(values_of(structure))
    elif not is_seq(chosen):
        raise TypeError(f"traverse_fn returned a non-bool scalar: {chosen} for input: {structure}")
    else:
        assert_shallow_structure(chosen, structure, expand_composites=expand_composites)
        choices = values_of(chosen)
        if not all(isinstance(choice, bool) for choice in choices):
            raise TypeError(
                f"traverse_fn didn't return a depth=1 structure of bools.  saw: {chosen}  for structure: {structure}"
            )
    walked = [
        get_traverse_shallow_structure(traverse_fn, branch, expand_composites) if choice else False
        for choice, branch in zip(choices, values_of(structure))
    ]
    return rebuilt_like(structure, walked)
