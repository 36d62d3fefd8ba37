"""Sets along the last axis: DenseToDense-, DenseToSparse- and SparseToSparseSetOperation, SetSize."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from headrace.core.composite import SparseTensor, convert_to_tensor_or_sparse_tensor
from headrace.core.dims import Dims, merge_dim
from headrace.core.errors import InvalidArgumentError
from headrace.core.registry import OpDecl, op, raw
from headrace.kernels.array.arguments import invalid, rank_is, shape_text
from headrace.kernels.host_values import to_array, to_tensor
from headrace.kernels.sparse.indices import (
    check_parts,
    check_within,
    flattened,
    matrix_columns,
    row_keys,
    sorting,
    vector,
    wholly_on_host,
)

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import OpView, TensorLike


_TYPES = "{int8, int16, int32, int64, uint8, uint16, string}"
_NAMES = ("int8", "int16", "int32", "int64", "uint8", "uint16", "string")
_OF_ARRAYS: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "a-b": np.setdiff1d,
    "b-a": lambda a, b: np.setdiff1d(b, a),
    "intersection": np.intersect1d,
    "union": np.union1d,
}

_OF_SETS: dict[str, Callable[[set[Any], set[Any]], set[Any]]] = {
    "a-b": lambda a, b: a - b,
    "b-a": lambda a, b: b - a,
    "intersection": lambda a, b: a & b,
    "union": lambda a, b: a | b,
}
# Up to so many elements Python's sets are quicker than NumPy's functions of arrays.
_FEW = 256

# The elements of a family of sets: the sizes of the axes that number the sets, which set each element is of, and what.
Family = tuple[list[int], np.ndarray, np.ndarray]


def _dense_family(values: torch.Tensor) -> Family:
    if values.ndim < 2:
        raise invalid(f"Invalid rank {values.ndim}: sets lie along the last of two or more axes.")
    sizes = list(values.shape[:-1])
    array = to_array(values)
    return sizes, np.repeat(np.arange(math.prod(sizes)), values.shape[-1]), array.reshape(-1)


def _sparse_family(validate: bool, indices: torch.Tensor, values: torch.Tensor, shape: torch.Tensor) -> Family:
    check_parts(indices, values, shape)
    sizes = shape.tolist()
    if len(sizes) < 2:
        raise invalid(f"Invalid rank {len(sizes)}: sets lie along the last of two or more axes.")
    if len(indices) <= _FEW and (numbers := _few_numbers(indices.tolist(), sizes)) is not None:
        return sizes[:-1], np.array(numbers, np.int64), to_array(values)
    check_within(indices, sizes)
    if validate and sorting(row_keys(indices)[0]) is not None:
        rows = indices.tolist()
        at = next(i for i in range(1, len(rows)) if rows[i] < rows[i - 1])
        raise invalid(
            f"indices[{at}] = {shape_text(rows[at])} is out of order. Many sparse ops require sorted indices: use "
            "`tf.sparse.reorder`."
        )
    return sizes[:-1], flattened(indices[:, :-1], sizes[:-1]).numpy(), to_array(values)


def _few_numbers(rows: list[list[int]], sizes: list[int]) -> list[int] | None:
    """Which set each element is of; None where elements are out of order or out of range, or may be."""
    if any(one > other for one, other in itertools.pairwise(rows)):
        return None
    numbers = []
    for row in rows:
        number = 0
        for at, size in zip(row, sizes, strict=True):
            if not 0 <= at < size:
                return None
            number = number * size + at
        numbers.append(number // sizes[-1])
    return numbers


def _combined(asked: str, one: Family, other: Family) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """The sets of a family that the operation `asked` for makes of those of two, each in increasing order."""
    sizes = one[0]
    if sizes != other[0]:
        if len(sizes) != len(other[0]):
            raise invalid(f"Mismatched ranks {len(sizes) + 1} vs {len(other[0]) + 1}")
        raise invalid(f"Mismatched shapes {shape_text(sizes)} vs {shape_text(other[0])}")
    combine = _few_combined if len(one[2]) + len(other[2]) <= _FEW else _many_combined
    family, place, values = combine(asked, one, other)
    indices = np.empty((len(family), len(sizes) + 1), np.int64)
    if len(sizes) == 1:
        indices[:, 0] = family
        indices[:, 1] = place
    elif len(family):
        indices[:, :-1] = np.transpose(np.unravel_index(family, sizes))
        indices[:, -1] = place
    widest = int(place.max()) + 1 if len(family) else 0
    kept = values if values.dtype == object else to_tensor(np.ascontiguousarray(values))
    return torch.from_numpy(indices), kept, vector([*sizes, widest])


# Both return for each element of the result which set it is of, its place there, and the element.


def _few_combined(asked: str, one: Family, other: Family) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    pairs: dict[int, tuple[set[Any], set[Any]]] = {}
    for side, (_, numbers, elements) in enumerate((one, other)):
        for number, element in zip(numbers.tolist(), elements.tolist()):
            pairs.setdefault(number, (set(), set()))[side].add(element)
    combine = _OF_SETS[asked]
    found = [
        (number, place, element)
        for number in sorted(pairs)
        for place, element in enumerate(sorted(combine(*pairs[number])))
    ]
    values = np.empty(len(found), one[2].dtype)
    values[:] = [element for _, _, element in found]
    return np.array([number for number, _, _ in found]), np.array([place for _, place, _ in found]), values


def _many_combined(asked: str, one: Family, other: Family) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    # An element and its set become one number, so that all sets are worked on together.
    elements, codes = np.unique(np.concatenate([one[2], other[2]]), return_inverse=True)
    count = max(len(elements), 1)
    split = len(one[2])
    keys = _OF_ARRAYS[asked](one[1] * count + codes[:split], other[1] * count + codes[split:])
    family, which = keys // count, keys % count
    # The place in its set: how far from the first element of it.
    return family, np.arange(len(keys)) - np.searchsorted(family, family), elements[which]


def _result_dims(rank: int | None) -> list[Dims]:
    return [(None, rank), (None,), (rank,)]


def _at_least_matrix(dims: Dims) -> None:
    if dims is not None and len(dims) < 2:
        raise ValueError(f"Shape must be at least rank 2 but is rank {len(dims)}")


def _declare(
    op_type: str, inputs: str, shape: Callable[..., Any], families: Callable[..., tuple[Family, Family]]
) -> OpDecl:
    decl = wholly_on_host(
        op(
            op_type,
            f"{inputs}, *, set_operation: string, validate_indices=True, T: {_TYPES} -> result_indices: int64, "
            "result_values: T, result_shape: int64",
        )
    )
    decl.not_differentiable()
    decl.shape(shape)

    @decl.kernel
    def kernel(node):
        asked, validate = node.attrs["set_operation"], node.attrs["validate_indices"]
        operation = asked.lower()
        if operation not in _OF_SETS:
            raise invalid(f"Invalid set_operation {asked}.")
        return lambda *parts: _combined(operation, *families(validate, *parts))

    return decl


def _dense_dense_shape(op: OpView) -> list[Dims]:
    one, other = op.inputs[0].dims, op.inputs[1].dims
    _at_least_matrix(one)
    _at_least_matrix(other)
    if one is None or other is None:
        known = one if one is not None else other
        return _result_dims(None if known is None else len(known))
    if len(one) != len(other):
        raise ValueError(f"Shape must be rank {len(one)} but is rank {len(other)}")
    for i, (a, b) in enumerate(zip(one[:-1], other[:-1])):
        if None not in (a, b) and a != b:
            shapes = " and ".join(shape_text(dims[:-1]) for dims in (one, other))
            raise ValueError(f"Dimension {i} in both shapes must be equal, but are {a} and {b}. Shapes are {shapes}.")
    return _result_dims(len(one))


def _dense_sparse_shape(op: OpView) -> list[Dims]:
    dense, indices, values, shape = (t.dims for t in op.inputs)
    _at_least_matrix(dense)
    merge_dim(rank_is(indices, 2)[0], rank_is(values, 1)[0])  # type: ignore[index]  # `rank_is` gives dims of that rank
    rank = matrix_columns(indices, shape)
    return _result_dims(rank if dense is None else merge_dim(len(dense), rank))


def _sparse_sparse_shape(op: OpView) -> list[Dims]:
    dims = [t.dims for t in op.inputs]
    rank_is(dims[1], 1)
    rank_is(dims[4], 1)
    return _result_dims(merge_dim(matrix_columns(dims[0], dims[2]), matrix_columns(dims[3], dims[5])))


_declare(
    "DenseToDenseSetOperation",
    "set1: T, set2: T",
    _dense_dense_shape,
    lambda validate, one, other: (_dense_family(one), _dense_family(other)),
).accepts(np.array([[1, 2]]), np.array([[2]]), set_operation="union").rejects(
    np.array([[1, 2]]), np.array([[2], [3]]), set_operation="union", error=ValueError
)
_declare(
    "DenseToSparseSetOperation",
    "set1: T, set2_indices: int64, set2_values: T, set2_shape: int64",
    _dense_sparse_shape,
    lambda validate, dense, *sparse: (_dense_family(dense), _sparse_family(validate, *sparse)),
).accepts(np.array([[1, 2]]), np.array([[0, 0]]), np.array([2]), np.array([1, 1]), set_operation="a-b")
_PARTS = (np.array([[0, 0]]), np.array([2]), np.array([1, 1]))
_declare(
    "SparseToSparseSetOperation",
    "set1_indices: int64, set1_values: T, set1_shape: int64, set2_indices: int64, set2_values: T, set2_shape: int64",
    _sparse_sparse_shape,
    lambda validate, *parts: (_sparse_family(validate, *parts[:3]), _sparse_family(validate, *parts[3:])),
).accepts(*_PARTS, *_PARTS, set_operation="intersection").rejects(
    *_PARTS, *_PARTS[:2], np.array([2, 1]), set_operation="union", error=InvalidArgumentError
)

set_size_op = wholly_on_host(
    op(
        "SetSize",
        f"set_indices: int64, set_values: T, set_shape: int64, *, validate_indices=True, T: {_TYPES} -> size: int32",
    )
)
set_size_op.not_differentiable()


@set_size_op.shape
def set_size_shape(op):
    return [None]


@set_size_op.kernel
def set_size_kernel(node):
    validate = node.attrs["validate_indices"]

    def size(indices, values, shape):
        sizes, family, elements = _sparse_family(validate, indices, values, shape)
        if len(elements) <= _FEW:
            few = np.zeros(math.prod(sizes), np.int32)
            for number, _ in set(zip(family.tolist(), elements.tolist(), strict=True)):
                few[number] += 1
            return torch.from_numpy(few.reshape(sizes))
        _, codes = np.unique(elements, return_inverse=True)
        count = int(codes.max()) + 1 if len(codes) else 1
        different = np.unique(family * count + codes) // count
        counted = np.bincount(different, minlength=math.prod(sizes)).astype(np.int32)
        return torch.from_numpy(counted.reshape(sizes))

    return size


set_size_op.accepts(*_PARTS)


def set_size(a: TensorLike | SparseTensor, validate_indices: bool = True) -> Tensor:
    """How many different elements each set has.

    Args:
        a: a SparseTensor of ints or strings whose last axis holds the elements of a set.
        validate_indices: whether its elements must be in order.

    Returns:
        an int32 tensor of the shape of `a` without its last axis.

    Raises:
        TypeError: if `a` is not sparse or of another type.

    Example:
        >>> x = tf.SparseTensor([[0, 0], [0, 1]], [5, 5], [2, 2])
        >>> tf.Session().run(tf.sets.size(x))
        array([1, 0], dtype=int32)
    """
    a = convert_to_tensor_or_sparse_tensor(a, name="a")
    if not isinstance(a, SparseTensor):
        raise TypeError(f"Expected `SparseTensor`, got {a}.")
    _check_type(a, f"Invalid dtype {a.values.dtype}.")
    return raw.SetSize(a.indices, a.values, a.dense_shape, validate_indices=validate_indices)


def _check_type(a: Any, message: str) -> None:
    if a.dtype.base_dtype.name not in _NAMES:
        raise TypeError(message)


def _operands(a: Any, b: Any) -> tuple[Any, Any, bool]:
    """Both as tensors, the dense one first, and whether that has turned them round."""
    a = convert_to_tensor_or_sparse_tensor(a, name="a")
    _check_type(a, f"'a' invalid dtype {a.dtype}.")
    b = convert_to_tensor_or_sparse_tensor(b, name="b")
    if b.dtype.base_dtype != a.dtype.base_dtype:
        raise TypeError(f"Types don't match, {a.dtype} vs {b.dtype}.")
    if isinstance(a, SparseTensor) and not isinstance(b, SparseTensor):
        return b, a, True
    return a, b, False


def _operation(a: Any, b: Any, operation: str, validate_indices: bool) -> SparseTensor:
    attrs = {"set_operation": operation, "validate_indices": validate_indices}
    if isinstance(a, SparseTensor):
        parts = (a.indices, a.values, a.dense_shape, b.indices, b.values, b.dense_shape)
        return SparseTensor(*raw.SparseToSparseSetOperation(*parts, **attrs))
    if isinstance(b, SparseTensor):
        return SparseTensor(*raw.DenseToSparseSetOperation(a, b.indices, b.values, b.dense_shape, **attrs))
    return SparseTensor(*raw.DenseToDenseSetOperation(a, b, **attrs))


def set_intersection(a: SparseTensor | TensorLike, b: Any, validate_indices: bool = True) -> SparseTensor:
    """The elements that both of each two sets have.

    Args:
        a, b: tensors or SparseTensors of ints or strings, of one type and, but for the last axis, one shape. The last
            axis holds the elements of a set.
        validate_indices: whether the elements of sparse ones must be in order.

    Returns:
        a SparseTensor with the elements of each set in increasing order along the last axis.

    Raises:
        TypeError: if they are of another type or of two.
        InvalidArgumentError: when run, if the shapes differ.

    Example:
        >>> tf.Session().run(tf.sets.intersection(tf.constant([[1, 2]]), tf.constant([[2, 3]]))).values
        array([2], dtype=int32)
    """
    a, b, _ = _operands(a, b)
    return _operation(a, b, "intersection", validate_indices)


def set_difference(
    a: SparseTensor | TensorLike, b: SparseTensor | TensorLike, aminusb: bool = True, validate_indices: bool = True
) -> SparseTensor:
    """The elements that one of each two sets has and the other has not.

    Args:
        a, b, validate_indices: as for `set_intersection`.
        aminusb: whether those of `a` that `b` has not are wanted, or the other way round.

    Returns:
        a SparseTensor with the elements of each set in increasing order along the last axis.

    Example:
        >>> tf.Session().run(tf.sets.difference(tf.constant([[1, 2]]), tf.constant([[2, 3]]))).values
        array([1], dtype=int32)
    """
    a, b, swapped = _operands(a, b)
    return _operation(a, b, "a-b" if aminusb != swapped else "b-a", validate_indices)


def set_union(
    a: SparseTensor | TensorLike | Sequence[Sequence[int]],
    b: SparseTensor | TensorLike | Sequence[Sequence[int]],
    validate_indices: bool = True,
) -> SparseTensor:
    """The elements that either of each two sets has.

    Args:
        a, b, validate_indices: as for `set_intersection`.

    Returns:
        a SparseTensor with the elements of each set in increasing order along the last axis.

    Example:
        >>> tf.Session().run(tf.sets.union(tf.constant([[1, 2]]), tf.constant([[2, 3]]))).values
        array([1, 2, 3], dtype=int32)
    """
    a, b, _ = _operands(a, b)
    return _operation(a, b, "union", validate_indices)
