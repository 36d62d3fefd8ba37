"""Static shapes, which may be partly unknown.

Inside headrace a shape is plain `Dims`: a tuple with None for unknown sizes, or None for unknown rank; `()`
is a scalar. `TensorShape` and `Dimension` are the public objects around them and behave as in TensorFlow 1.x:
indexing gives a `Dimension`, and comparing unknown sizes gives None.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core import v2_switches
from headrace.core.dims import Dims, compatible_dims, dims_text, element_count, is_fully_defined, merge_dims

if TYPE_CHECKING:
    from tensorboard.compat.proto.tensor_shape_pb2 import TensorShapeProto

    from headrace.core.typing import FloatLike, TensorLike


def as_dim(value: Any) -> int | None:
    """One size as a plain number; None, an unknown size, stays None.

    Args:
      value: an int, NumPy integer, Dimension, whole float, or digits.

    Raises:
      ValueError: negative, or not a whole number.
      TypeError: not a number.
    """
    if value is None:
        return None
    if type(value) is not int:
        if isinstance(value, Dimension):
            return value._value
        number = int(value)
        if not isinstance(value, (str, bytes)) and number != value:
            raise ValueError(f"Ambiguous dimension: {value}")
        value = number
    if value < 0:
        raise ValueError(f"Dimension {value} must be >= 0")
    return value


def as_dims(shape: Any) -> Dims:
    """Anything that describes a shape as plain Dims.

    Args:
      shape: None; sizes as `as_dim` takes them, in a list, tuple, array or any iterable; one size, for a
        vector; a TensorShape; a TensorShapeProto.

    Raises:
      ValueError: a size is negative (-1 too) or not a whole number.
      TypeError: a size is not a number, or `shape` is a string.

    Example:
      >>> as_dims([None, 3]), as_dims(5), as_dims(None)
      ((None, 3), (5,), None)
    """
    if shape is None:
        return None
    if isinstance(shape, (tuple, list)):
        for size in shape:
            if size is not None and (type(size) is not int or size < 0):
                return tuple([as_dim(size) for size in shape])
        return shape if type(shape) is tuple else tuple(shape)
    if isinstance(shape, TensorShape):
        return shape._dims
    if isinstance(shape, (str, bytes)):
        raise TypeError(f"A string has ambiguous TensorShape, please wrap in a list or convert to an int: {shape!s}")
    # A TensorShapeProto by its fields: every package that carries the format has a class of its own.
    if hasattr(shape, "unknown_rank") and hasattr(shape, "dim"):
        if shape.unknown_rank:
            return None
        return tuple([None if dim.size == -1 else as_dim(dim.size) for dim in shape.dim])
    try:
        sizes = iter(shape)
    except TypeError:
        return (as_dim(shape),)
    return tuple([as_dim(size) for size in sizes])


class Dimension:
    """The size of one axis, or an unknown size.

    Arithmetic with an unknown size gives an unknown size; comparison with one gives None, which is false.

    Args:
      value: a size, or None for an unknown one.

    Raises:
      ValueError: negative, or not a whole number.
      TypeError: not a number.

    Example:
      >>> Dimension(7) // 2, Dimension(7) * None, Dimension(None) == 3
      (Dimension(3), Dimension(None), None)
    """

    __slots__ = ("_value",)
    __hash__ = None  # type: ignore[assignment]  # equality is not transitive: None compares with nothing

    def __init__(self, value: Any) -> None:
        self._value = as_dim(value)

    @property
    def value(self) -> int | None:
        """The size as a plain number, None when unknown."""
        return self._value

    def is_compatible_with(self, other: int | Dimension | None) -> bool:
        """Whether the two may be the same size: they are equal, or one is unknown."""
        size = as_dim(other)
        return self._value is None or size is None or self._value == size

    def assert_is_compatible_with(self, other: int | Dimension | None) -> None:
        """Raises ValueError where `is_compatible_with` is False."""
        self.merge_with(other)

    def merge_with(self, other: int | Dimension | None) -> Dimension:
        """What both together know; ValueError where they differ."""
        size = as_dim(other)
        if not self.is_compatible_with(size):
            raise ValueError(f"Dimensions {self._value} and {size} are not compatible")
        return Dimension(size if self._value is None else self._value)

    def _arithmetic(self, other: object, function: Callable[[int, int], int], swapped: bool = False) -> Any:
        try:
            size = as_dim(other)
        except (TypeError, ValueError):
            return NotImplemented
        if self._value is None or size is None:
            return Dimension(None)
        return Dimension(function(size, self._value) if swapped else function(self._value, size))

    def __add__(self, other: int | str | Dimension | None) -> Dimension:
        return self._arithmetic(other, operator.add)

    __radd__ = __add__

    def __sub__(self, other: int | None) -> Dimension:
        return self._arithmetic(other, operator.sub)

    def __rsub__(self, other: int) -> Dimension:
        return self._arithmetic(other, operator.sub, swapped=True)

    def __mul__(self, other: FloatLike | Dimension | Sequence[int] | None) -> Dimension:
        return self._arithmetic(other, operator.mul)

    __rmul__ = __mul__

    def __floordiv__(self, other: int | None) -> Dimension:
        return self._arithmetic(other, operator.floordiv)

    def __rfloordiv__(self, other: int) -> Dimension:
        return self._arithmetic(other, operator.floordiv, swapped=True)

    def __mod__(self, other: int) -> Dimension:
        return self._arithmetic(other, operator.mod)

    def __rmod__(self, other: int) -> Dimension:
        return self._arithmetic(other, operator.mod, swapped=True)

    def __truediv__(self, other: int) -> Dimension:
        kind = type(other).__name__
        raise TypeError(f"unsupported operand type(s) for /: 'Dimension' and '{kind}', please use // instead")

    def __rtruediv__(self, other: int) -> Dimension:
        kind = type(other).__name__
        raise TypeError(f"unsupported operand type(s) for /: '{kind}' and 'Dimension', please use // instead")

    def __eq__(self, other: object) -> bool | None:  # type: ignore[override]  # None where a size is unknown, as in 1.x
        try:
            size = as_dim(other)
        except (TypeError, ValueError):
            return NotImplemented
        return None if self._value is None or size is None else self._value == size

    def __ne__(self, other: object) -> bool | None:  # type: ignore[override]  # None where a size is unknown, as in 1.x
        equal = self.__eq__(other)
        return equal if equal is None or equal is NotImplemented else not equal

    def _ordered(self, other: int | str | Dimension | None, compare: Callable[[int, int], bool]) -> bool | None:
        size = as_dim(other)
        return None if self._value is None or size is None else compare(self._value, size)

    def __lt__(self, other: int | str | Dimension) -> bool | None:
        return self._ordered(other, operator.lt)

    def __le__(self, other: int | Dimension) -> bool | None:
        return self._ordered(other, operator.le)

    def __gt__(self, other: int | Dimension) -> bool | None:
        return self._ordered(other, operator.gt)

    def __ge__(self, other: Dimension | None) -> bool | None:
        return self._ordered(other, operator.ge)

    def __int__(self) -> int:
        return self._value  # type: ignore[return-value]  # Python raises the TypeError for None

    # Lets a Dimension stand where Python wants an index: range(d), numpy.zeros(d), list[d].
    __index__ = __int__

    def __repr__(self) -> str:
        return f"Dimension({self._value})"

    def __str__(self) -> str:
        return "?" if self._value is None else str(self._value)

    def __reduce__(self) -> tuple[Any, ...]:
        return Dimension, (self._value,)


class TensorShape:
    """The shape of a tensor: fully known, with unknown sizes, or of unknown rank.

    Args:
      dims: None for unknown rank; sizes with None for unknown ones; a single size; a TensorShape; a
        TensorShapeProto.

    Raises:
      ValueError: a size is negative or not a whole number.
      TypeError: a size is not a number, or `dims` is a string.

    Example:
      >>> shape = TensorShape([None, 784])
      >>> print(shape, shape[1], shape.merge_with([32, None]))
      (?, 784) 784 (32, 784)
    """

    __slots__ = ("_dims",)
    __hash__ = None  # type: ignore[assignment]  # as Dimension: shapes with unknown sizes equal nothing

    _dims: Dims

    @property
    def _v2_behavior(self) -> bool:
        return v2_switches.integers_in_shapes()

    def __init__(self, dims: object) -> None:
        # By way of a list, for a tuple of its own: `__eq__` takes shapes that share a tuple for one shape.
        self._dims = as_dims(list(dims) if type(dims) is tuple else dims)

    @classmethod
    def from_dims(cls, dims: Dims) -> TensorShape:
        """Wraps plain Dims, which are taken as they are."""
        self = object.__new__(cls)
        self._dims = dims
        return self

    @property
    def as_dims(self) -> Dims:
        """The shape as plain Dims: a tuple with None for unknown sizes, or None for unknown rank."""
        return self._dims

    @property
    def dims(self) -> list[Dimension] | None:
        """A list of Dimension, or None for unknown rank."""
        return None if self._dims is None else [Dimension(d) for d in self._dims]

    # Programs compute with ranks and sizes that they know to be known, so type checkers do not hear that they may be None.
    @property
    def ndims(self) -> Any:
        """The number of axes, or None for unknown rank."""
        return None if self._dims is None else len(self._dims)

    @property
    def rank(self) -> Any:
        """The same as `ndims`."""
        return self.ndims

    def as_list(self) -> list[Any]:
        """The sizes, None where unknown; ValueError for unknown rank."""
        if self._dims is None:
            raise ValueError("as_list() is not defined on an unknown TensorShape.")
        return list(self._dims)

    def num_elements(self) -> int | None:
        """The number of elements, or None unless the shape is fully defined."""
        return element_count(self._dims)

    def is_fully_defined(self) -> bool:
        """Whether the rank and every size are known."""
        return is_fully_defined(self._dims)

    def is_compatible_with(self, other: object) -> bool:
        """Whether some fully defined shape fits both."""
        return compatible_dims(self._dims, as_dims(other))

    def merge_with(self, other: TensorShape | Sequence[int | None] | None) -> TensorShape:
        """What both shapes together know.

        Raises:
          ValueError: they are not compatible.
        """
        others = as_dims(other)
        if not compatible_dims(self._dims, others):
            raise ValueError(f"Shapes {dims_text(self._dims)} and {dims_text(others)} are not compatible")
        return TensorShape.from_dims(merge_dims(self._dims, others))

    def most_specific_compatible_shape(self, other: Sequence[int]) -> TensorShape:
        """The most that holds for both: sizes where they agree, unknown where they differ."""
        dims, others = self._dims, as_dims(other)
        if dims is None or others is None or len(dims) != len(others):
            return TensorShape(None)
        common = [a if a == b else None for a, b in zip(dims, others)]
        return TensorShape.from_dims(tuple(common))

    def concatenate(self, other: Any) -> TensorShape:
        """The axes of this shape followed by those of `other`; unknown when either rank is."""
        others = as_dims(other)
        if self._dims is None or others is None:
            return TensorShape(None)
        return TensorShape.from_dims(self._dims + others)

    def __add__(self, other: int | TensorShape | Sequence[int]) -> TensorShape:
        return self.concatenate(other)

    def __radd__(self, other: Sequence[int]) -> TensorShape:
        return TensorShape(other).concatenate(self)

    def with_rank(self, rank: int) -> TensorShape:
        """This shape, known to have `rank` axes; ValueError if it has another number of them."""
        try:
            return self.merge_with(unknown_shape(rank))
        except ValueError:
            raise ValueError(f"Shape {self} must have rank {rank}") from None

    def with_rank_at_least(self, rank: int) -> TensorShape:
        """This shape; ValueError if it has fewer than `rank` axes."""
        if self._dims is not None and len(self._dims) < rank:
            raise ValueError(f"Shape {self} must have rank at least {rank}")
        return self

    def with_rank_at_most(self, rank: int) -> TensorShape:
        """This shape; ValueError if it has more than `rank` axes."""
        if self._dims is not None and len(self._dims) > rank:
            raise ValueError(f"Shape {self} must have rank at most {rank}")
        return self

    def assert_is_compatible_with(self, other: TensorShape | Sequence[int | None]) -> None:
        """Raises ValueError where `is_compatible_with` is False."""
        if not self.is_compatible_with(other):
            raise ValueError(f"Shapes {self} and {other} are incompatible")

    def assert_same_rank(self, other: Sequence[int] | None) -> None:
        """Raises ValueError if both ranks are known and differ."""
        others = as_dims(other)
        if self._dims is not None and others is not None and len(self._dims) != len(others):
            raise ValueError(f"Shapes {self} and {dims_text(others)} must have the same rank")

    def assert_has_rank(self, rank: int) -> None:
        """Raises ValueError if the rank is known and is not `rank`."""
        if self.ndims not in (None, rank):
            raise ValueError(f"Shape {self} must have rank {rank}")

    def assert_is_fully_defined(self) -> None:
        """Raises ValueError unless the rank and every size are known."""
        if not self.is_fully_defined():
            raise ValueError(f"Shape {self} is not fully defined")

    def as_proto(self) -> TensorShapeProto:
        """The shape as a TensorShapeProto message."""
        from tensorboard.compat.proto.tensor_shape_pb2 import TensorShapeProto

        if self._dims is None:
            return TensorShapeProto(unknown_rank=True)
        return TensorShapeProto(dim=[TensorShapeProto.Dim(size=-1 if size is None else size) for size in self._dims])

    def __len__(self) -> int:
        if self._dims is None:
            raise ValueError("Cannot take the length of shape with unknown rank.")
        return len(self._dims)

    def __bool__(self) -> bool:
        """Whether the rank is known; a scalar's shape is true."""
        return self._dims is not None

    def __iter__(self) -> Iterator[Any]:
        if self._dims is None:
            raise ValueError("Cannot iterate over a shape with unknown rank.")
        if v2_switches.integers_in_shapes() and v2_switches.asked_by_program():
            return iter(self._dims)
        return iter([Dimension(d) for d in self._dims])

    def __getitem__(self, key: int | slice | Dimension) -> Any:
        """The Dimension at an index, or the TensorShape of a slice; unknown where the rank is.

        After `tf.enable_v2_tensorshape` a plain number or None instead of a Dimension.
        """
        if not isinstance(key, slice):
            dim = None if self._dims is None else self._dims[key]
            return dim if v2_switches.integers_in_shapes() and v2_switches.asked_by_program() else Dimension(dim)
        if self._dims is not None:
            return TensorShape.from_dims(self._dims[key])
        if key.step is not None:
            raise ValueError("Steps are not yet handled")
        start = 0 if key.start is None else int(key.start)
        # Only a slice counted from the front has a known length whatever the rank is.
        if key.stop is None or start < 0 or int(key.stop) < 0:
            return TensorShape(None)
        return unknown_shape(max(0, int(key.stop) - start))

    def __eq__(self, other: object) -> bool:
        try:
            others = as_dims(other)
        except TypeError:
            return NotImplemented
        dims = self._dims
        # An unknown size equals no other size, but a shape is equal to itself.
        return dims is others or (dims == others and None not in dims)  # type: ignore[operator]  # what equals known dims is known

    def __ne__(self, other: object) -> bool:
        try:
            others = as_dims(other)
        except TypeError:
            return NotImplemented
        if self._dims is None or others is None:
            raise ValueError("The inequality of unknown TensorShapes is undefined.")
        return not self.__eq__(other)

    def __repr__(self) -> str:
        if v2_switches.integers_in_shapes():
            return f"TensorShape({None if self._dims is None else list(self._dims)})"
        return f"TensorShape({self.dims})"

    def __str__(self) -> str:
        text = dims_text(self._dims)
        return text.replace("?", "None") if v2_switches.integers_in_shapes() else text

    def __reduce__(self) -> tuple[Any, ...]:
        return TensorShape, (None if self._dims is None else list(self._dims),)


def as_shape(shape: object) -> TensorShape:
    """`shape` itself if it is a TensorShape, else one made of it."""
    return shape if isinstance(shape, TensorShape) else TensorShape(shape)


def as_dimension(value: int | Dimension | None) -> Dimension:
    """`value` itself if it is a Dimension, else one made of it."""
    return value if isinstance(value, Dimension) else Dimension(value)


def dimension_value(dimension: TensorLike | None) -> Any:
    """The plain size of a Dimension; anything else comes back as it is."""
    return dimension._value if isinstance(dimension, Dimension) else dimension


def dimension_at_index(shape: TensorShape, index: int) -> Dimension:
    """The Dimension of `shape` at `index`, unknown when the rank is."""
    return shape[index]


def unknown_shape(rank: int | None = None, **kwargs: Any) -> TensorShape:
    """A shape of which at most the rank is known; `ndims` is an older name of `rank`."""
    if rank is None:
        rank = kwargs.pop("ndims", None)
    if kwargs:
        raise TypeError(f"Unknown argument: {kwargs}")
    return TensorShape(None if rank is None else [None] * int(rank))


def scalar() -> TensorShape:
    """The shape of a scalar."""
    return TensorShape.from_dims(())


def vector(length: TensorLike | None) -> TensorShape:
    """The shape of a vector; `length` may be None."""
    return TensorShape([length])


def matrix(rows: int, cols: Any) -> TensorShape:
    """The shape of a matrix; both sizes may be None."""
    return TensorShape([rows, cols])
