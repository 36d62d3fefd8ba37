"""Python and NumPy values as NumPy arrays, by the rules of `tf.constant`.

Owns which dtype a value gets, which mixtures are refused, and with what words. A string becomes an object
array of `bytes`, a quantized value a structured array of the type's `as_numpy_dtype`.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.dtypes import DType, as_dtype, dtype_text, string

if TYPE_CHECKING:
    from headrace.core.typing import DTypeLike, TensorLike


__all__ = ["eager_refusal", "to_array"]

# A value fits a dtype of the same or a higher rank; nothing but bool fits bool.
_RANK_OF_TYPE = {bool: 0, int: 1, float: 2, complex: 3}
_RANK_OF_KIND = {"b": 0, "i": 1, "u": 1, "f": 2, "c": 3}
# In native byte order; arrays of another order are cast.
_PLAIN_NUMPY = frozenset(
    np.dtype(scalar)
    for scalar in (
        *(np.bool_, np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64),
        *(np.float16, np.float32, np.float64, np.complex64, np.complex128),
    )
)
_INT32_MIN, _INT32_MAX = -(2**31), 2**31 - 1


def to_array(values: Any, dtype: DTypeLike | None = None, shape: Any = None, copy: bool = True) -> np.ndarray:
    """The array that `tf.constant(values, dtype, shape)` holds.

    Python floats become float32, ints int32 (int64, uint64 where it is too small), complex ones complex128;
    NumPy arrays and scalars keep their type. Lists nest, tuples count as lists.

    Args:
      values: a Python or NumPy scalar, a string, an array or an object with `__array__`, a nested list of
        scalars.
      dtype: the wanted type. Python values are checked against it, arrays are cast to it.
      shape: the wanted shape; elements are laid out in order, the last one repeated as often as needed.
      copy: False permits returning an array that shares the memory of `values`.

    Returns:
      an array in native byte order.

    Raises:
      ValueError: `values` is None or ragged, or has more elements than `shape`.
      TypeError: the elements fit neither each other nor `dtype`.

    Example:
      >>> to_array([1, 2.5]), to_array([1, 2], shape=[3])
      (array([1. , 2.5], dtype=float32), array([1, 2, 2], dtype=int32))
    """
    if dtype is not None:
        dtype = as_dtype(dtype).base_dtype
    if shape is not None:
        return _shaped(values, dtype, tuple(int(size) for size in shape), copy)
    kind = type(values)
    rank = _RANK_OF_TYPE.get(kind)
    if rank is not None:
        return _number(values, rank, dtype)
    if values is None:
        raise ValueError("None values not supported.")
    if isinstance(values, (np.ndarray, np.generic)):
        return _from_numpy(values, dtype, copy)
    if kind is range:  # Python 2 programs rely on range() being a list
        values = list(values)
    elif isinstance(values, (bytearray, memoryview)) or hasattr(kind, "__array__"):
        if getattr(kind, "_is_graph_tensor", False):
            raise _not_convertible(values)
        return _from_numpy(np.asarray(values), dtype, copy)
    return _from_python(values, dtype)


def are_overlooked(values: object, shape: tuple[int | None, ...]) -> bool:
    """Whether values of a constant are for nothing: TensorFlow does not look at lists for no elements, not even for a type."""
    if values is None or 0 not in shape:
        return False
    return not isinstance(values, (np.ndarray, np.generic)) and not hasattr(type(values), "__array__")


def require_shape(have: tuple[int, ...], wanted: tuple[int | None, ...], spread: bool = False) -> None:
    """Raises TypeError unless values have the shape that is wanted of them.

    Args:
      have: the shape of the values.
      wanted: that of the constant.
      spread: whether one value for all elements, or as many values in another shape, will do.
    """
    fits = (
        have in ((), (1,)) or math.prod(have) == math.prod(size or 0 for size in wanted) if spread else have == wanted
    )
    if not fits:
        raise TypeError(f"Expected Tensor's shape: {wanted}, got {have}.")


def _shaped(values: object, dtype: DType | None, shape: tuple[int, ...], copy: bool) -> np.ndarray:
    count = math.prod(shape)
    if are_overlooked(values, shape):
        return np.empty(shape, np.float32 if dtype is None else dtype.as_numpy_dtype)
    array = to_array(values, dtype, copy=copy)
    if array.size > count:
        raise ValueError(f"Too many elements provided. Needed at most {count}, but received {array.size}")
    if array.size == count:
        return array.reshape(shape)
    filled = np.empty(count, array.dtype)
    filled[: array.size] = array.reshape(-1)
    if array.size:
        filled[array.size :] = array.reshape(-1)[-1]
    else:
        filled[:] = b"" if array.dtype == object else np.zeros((), array.dtype)
    return filled.reshape(shape)


def _number(value: Any, rank: int, dtype: DType | None) -> np.ndarray:
    if dtype is None:
        if rank == 2:
            return _quiet_cast(value, np.float32)
        if rank == 1:
            if _INT32_MIN <= value <= _INT32_MAX:
                return np.array(value, np.int32)
            array = np.array(value)
            if array.dtype == object:
                raise _not_convertible(value)
            # NumPy has two types of 64 bits; the other one is not torch's.
            return array.astype(np.uint64 if array.dtype.kind == "u" else np.int64)
        return np.array(value)
    if rank > _rank(dtype):
        if not _known_rank(dtype):
            return _from_python(value, dtype)
        raise _unexpected(dtype, value)
    return _cast_numbers(value, dtype)


def _rank(dtype: DType) -> int:
    if dtype.is_floating:
        return 2
    if dtype.is_integer:
        return 1
    if dtype.is_complex:
        return 3
    return 0 if dtype.is_bool else -1


def _known_rank(dtype: DType) -> bool:
    return _rank(dtype) >= 0


def _cast_numbers(values: object, dtype: DType) -> np.ndarray:
    """Python numbers as `dtype`; ints too large for it wrap around, as C's conversion has it."""
    numpy_type = dtype.as_numpy_dtype
    if not dtype.is_integer:
        return _quiet_cast(values, numpy_type)
    try:
        return np.array(values, numpy_type)
    except OverflowError:
        wide = np.uint64 if dtype.name == "uint64" else np.int64
        return np.array(values, wide).astype(numpy_type)


def _quiet_cast(values: object, numpy_type: type) -> np.ndarray:
    """As `np.array`, but a number too large for the type becomes inf without a warning."""
    if isinstance(values, (int, float)) and -6e4 < values < 6e4:
        return np.array(values, numpy_type)
    with np.errstate(over="ignore"):
        return np.array(values, numpy_type)


def _from_numpy(values: Any, dtype: DType | None, copy: bool) -> np.ndarray:
    numpy_dtype = values.dtype
    if dtype is None:
        if numpy_dtype in _PLAIN_NUMPY:
            return np.array(values, order="C") if copy else np.asarray(values, order="C")
        dtype = as_dtype(numpy_dtype)
    if dtype is string:
        array = np.asarray(values, object)
        return encoded(array.reshape(-1)).reshape(array.shape)
    if dtype.name in ("resource", "variant"):
        raise _incompatible(dtype, values)
    with np.errstate(over="ignore"):
        if copy:
            return np.array(np.asarray(values).astype(dtype.as_numpy_dtype, copy=False), order="C", copy=True)
        return np.asarray(np.asarray(values).astype(dtype.as_numpy_dtype, copy=False), order="C")


def encoded(flat: Iterable[Any]) -> np.ndarray:
    """Texts as an array of bytes objects, of one axis."""
    encoded = [_as_bytes(item) for item in flat]
    array = np.empty(len(encoded), object)
    array[:] = encoded
    return array


def _as_bytes(item: object) -> bytes:
    if isinstance(item, str):
        return item.encode("utf-8")
    if isinstance(item, bytes):
        return bytes(item)
    raise TypeError(f"Expected binary or unicode string, got {item!s}")


def _from_python(values: Any, dtype: DType | None) -> np.ndarray:
    expected, first = _dense_dims(values)
    if dtype is not None and dtype.is_quantized:
        return _quantized(values, dtype)
    if dtype is string or (dtype is None and isinstance(first, (str, bytes))):
        return _strings(values, expected, dtype)
    if dtype is not None and not _known_rank(dtype):
        raise _incompatible(dtype, values)
    try:
        array = np.array(values)
    except NotImplementedError:  # a graph tensor's refusal to become an array
        raise _not_convertible(values) from None
    except ValueError as error:  # NumPy's word for ragged lists
        if dtype is not None:
            _check_leaves(values, dtype)
            raise ValueError("setting an array element with a sequence.") from error
        if len(expected) < 2:
            raise _not_convertible(values) from None
        raise _not_dense(values, _common_shape(values), expected) from error
    if dtype is None:
        if array.dtype.kind not in _RANK_OF_KIND:
            if array.dtype.kind != "V":
                raise _not_convertible(values)
            as_dtype(array.dtype)  # bfloat16, or a TypeError
        if array.shape != expected:
            raise _not_dense(values, array.shape, expected)
        return _narrowed(array)
    fits = _RANK_OF_KIND.get(array.dtype.kind, 4) <= _rank(dtype) or array.size == 0
    if not fits or array.shape != expected:
        _check_leaves(values, dtype)
        if array.dtype == object:  # very large ints, or objects that stand for ints
            return _cast_numbers(_plain(values) if dtype.is_integer else values, dtype)
        if array.shape != expected:
            raise _not_dense(values, array.shape, expected)
        return _cast_numbers(values, dtype)
    wanted = np.dtype(dtype.as_numpy_dtype)
    # Python's numbers come as unsigned ones where 64 bits with a sign do not hold them.
    is_narrower = array.dtype.kind == "u" and wanted.kind in "iu" and wanted.itemsize < 8 + (wanted.kind == "i")
    if is_narrower and holds_wide_integers(values):
        raise OverflowError(f"Python int too large to convert to C long: {values!r}")
    with np.errstate(over="ignore"):
        # NumPy has two types of 64 bits, equal in all but their letter; the other one is not torch's.
        return array.astype(wanted, copy=array.dtype.char != wanted.char)


def holds_wide_integers(values: object) -> bool:
    """Whether a value or a list that begins with an int of Python's holds one that 64 bits with a sign do not."""
    if not isinstance(_first_of(values), int):
        return False
    return any(isinstance(leaf, int) and not -(2**63) <= leaf < 2**63 for leaf in leaves_of(values))


def _narrowed(array: np.ndarray) -> np.ndarray:
    """TensorFlow's sizes for Python's numbers: float32, and int32 where that holds them all."""
    if array.dtype == np.float64:
        with np.errstate(over="ignore"):
            return array.astype(np.float32)
    if array.dtype == np.int64:
        narrow = array.astype(np.int32)
        return narrow if np.array_equal(narrow, array) else array
    return array


def _strings(values: Any, expected: tuple[int, ...], dtype: DType | None) -> np.ndarray:
    leaves = list(leaves_of(values))
    for leaf in leaves:
        if not isinstance(leaf, (str, bytes)):
            raise _not_convertible(values) if dtype is None else _unexpected(dtype, leaf)
    if len(leaves) != math.prod(expected) or _common_shape(values) != expected:
        raise _not_dense(values, _common_shape(values), expected)
    return encoded(leaves).reshape(expected)


def _quantized(values: Sequence[int | Sequence[int]], dtype: DType) -> np.ndarray:
    """Quantized elements are written as tuples of one int, so that nobody takes them for numbers."""
    stack = [values]
    while stack:
        item = stack.pop()
        if isinstance(item, list):
            stack.extend(reversed(item))
        elif not (isinstance(item, tuple) and len(item) == 1 and isinstance(item[0], (int, np.integer))):
            raise _unexpected(dtype, item)
    return np.array(values, dtype.as_numpy_dtype)


def _dense_dims(values: object) -> tuple[tuple[int, ...], Any]:
    """The shape that the first elements promise, and the first leaf."""
    dims = []
    while isinstance(values, (list, tuple)):
        dims.append(len(values))
        if not values:
            break
        values = values[0]
    return tuple(dims), values


def _common_shape(values: Any) -> tuple[int, ...]:
    """The shape down to the depth at which lists stop having one length."""
    shape: list[int] = []
    level = [values]
    while level and all(isinstance(item, (list, tuple)) for item in level):
        lengths = {len(item) for item in level}
        if len(lengths) > 1:
            break
        shape.append(lengths.pop())
        level = [item for items in level for item in items]
    return tuple(shape)


def holds_arrays(values: list[Any] | tuple[Any, ...]) -> bool:
    """Whether a list begins or ends with arrays or numbers of NumPy's, or with lists that begin with some."""
    return bool(values) and any(isinstance(_first_of(end), (np.ndarray, np.generic)) for end in (values[0], values[-1]))


def _first_of(values: Any) -> Any:
    while isinstance(values, (list, tuple)) and values:
        values = values[0]
    return values


def leaves_of(values: object) -> Iterator[Any]:
    """What is in a list or tuple, and in those in it, one after the other; a value that is none."""
    if isinstance(values, (list, tuple)):
        for item in values:
            yield from leaves_of(item)
    else:
        yield values


def _check_leaves(values: object, dtype: DType) -> None:
    rank = _rank(dtype)
    for leaf in leaves_of(values):
        kind = leaf.dtype.kind if isinstance(leaf, np.generic) else None
        leaf_rank = _RANK_OF_TYPE.get(type(leaf)) if kind is None else _RANK_OF_KIND.get(kind)
        if kind == "V":  # bfloat16
            leaf_rank = _rank(as_dtype(leaf.dtype))
        elif leaf_rank is None and isinstance(leaf, (int, float, complex)):
            leaf_rank = 1 if isinstance(leaf, int) else 2 if isinstance(leaf, float) else 3
        if leaf_rank is None and rank == 1 and hasattr(leaf, "__index__") and not hasattr(leaf, "__array__"):
            leaf_rank = 1  # Dimension
        if leaf_rank is None or leaf_rank > rank:
            raise _unexpected(dtype, leaf)


def _plain(values: Any) -> Any:
    if isinstance(values, (list, tuple)):
        return [_plain(item) for item in values]
    return operator.index(values)


def _unexpected(dtype: DType, leaf: TensorLike | set[int] | None) -> TypeError:
    text = str(leaf) if isinstance(leaf, np.generic) else repr(leaf)
    return TypeError(f"Expected {dtype.name}, got {text} of type {type(leaf).__name__!r} instead.")


def _incompatible(dtype: DType, values: int) -> TypeError:
    return TypeError(f"Incompatible types: {dtype} holds no values that can be written down. Value is {values!r}")


def _not_dense(
    values: Sequence[int | np.ndarray | Sequence[int | str]], got: tuple[int, ...], expected: tuple[int, ...]
) -> ValueError:
    return ValueError(
        f"Argument must be a dense tensor: {values!r} - got shape {list(got)}, but wanted {list(expected)}."
    )


def eager_refusal(values: Any, dtype: DType | None) -> Exception:
    """What is said eagerly of values that `to_array` refuses: TensorFlow converts them by other rules there."""
    leaves = list(leaves_of(values))
    for leaf in leaves:
        if not isinstance(leaf, (bool, int, float, complex, str, bytes, np.ndarray, np.generic)):
            return ValueError(
                f"Attempt to convert a value ({leaf!r}) with an unsupported type ({type(leaf)}) to a Tensor."
            )
    level = [values]
    while any(isinstance(item, (list, tuple)) for item in level):
        if len({len(item) if isinstance(item, (list, tuple)) else -1 for item in level}) > 1:
            return ValueError("Can't convert non-rectangular Python sequence to Tensor.")
        level = [item for items in level for item in items]
    if len({leaf.shape for leaf in leaves if isinstance(leaf, np.ndarray)}) > 1:
        return ValueError("Can't convert non-rectangular Python sequence to Tensor.")
    is_wide = holds_wide_integers(leaves)
    if is_wide and dtype is not None and dtype.is_integer:
        return _out_of_range()
    texts = sum(isinstance(leaf, (str, bytes)) for leaf in leaves)
    if dtype is not None and (texts in (0, len(leaves)) or not isinstance(values, (list, tuple))):
        if isinstance(values, np.ndarray) and values.ndim and dtype is string:
            return ValueError(
                f"Failed to convert a NumPy array to a Tensor (Unsupported object type {values.dtype.name})."
            )
        return TypeError(f"Cannot convert {values!r} to EagerTensor of dtype {dtype_text(dtype)}")
    return _out_of_range() if is_wide else ValueError("Can't convert Python sequence with mixed types to Tensor.")


def _out_of_range() -> ValueError:
    return ValueError("Can't convert Python sequence with out-of-range integer to Tensor.")


def _not_convertible(values: object) -> TypeError:
    if any(getattr(type(leaf), "_is_graph_tensor", False) for leaf in leaves_of(values)):
        return TypeError("List of Tensors when single Tensor expected")
    return TypeError(
        f"Failed to convert object of type {type(values)} to Tensor. Contents: {values!r}. "
        "Consider casting elements to a supported type."
    )
