"""Descriptions of values made of tensors: their element types and what is known of their shapes."""

from __future__ import annotations

from typing import Any

import numpy as np

from headrace.core.composite import SparseTensor
from headrace.core.dtypes import DType, as_dtype
from headrace.core.operation import Tensor
from headrace.core.shapes import TensorShape, as_shape, broadcast_dims


class TypeSpec:
    """What is known of a value before there is one."""

    @property
    def value_type(self) -> Any:
        """The class of the values."""
        raise NotImplementedError

    def _parts(self) -> tuple[Any, ...]:
        """What two equal descriptions have in common."""
        raise NotImplementedError

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether a value, or what another description describes, may be described so."""
        spec = spec_or_value if isinstance(spec_or_value, TypeSpec) else spec_from_value(spec_or_value)
        return type(spec) is type(self) and self._accepts(spec)

    def _accepts(self, other: Any) -> bool:
        return bool(self == other)

    def _fixed(self) -> tuple[Any, ...]:
        """What two descriptions must share for one to describe what either does."""
        return self._parts()[1:]

    def _with_shape(self, shape: TensorShape) -> Any:
        """The same description with another shape."""
        raise NotImplementedError

    def most_specific_compatible_type(self, other: Any) -> Any:
        """The description of what this or another one describes: known dimensions are those that both know alike.

        Raises:
            ValueError: if they differ in anything but the shape.
        """
        if type(other) is not type(self) or other._fixed() != self._fixed():
            raise ValueError(f"No TypeSpec is compatible with both {self} and {other}")
        mine, theirs = self._parts()[0], other._parts()[0]
        if mine is None or theirs is None or len(mine) != len(theirs):
            return self._with_shape(TensorShape(None))
        return self._with_shape(TensorShape([a if a == b else None for a, b in zip(mine, theirs, strict=True)]))

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and other._parts() == self._parts()

    def __hash__(self) -> int:
        return hash((type(self), str(self._parts())))

    def __repr__(self) -> str:
        return f"{type(self).__name__}{self._parts()!r}"


class TensorSpec(TypeSpec):
    """The description of a tensor.

    Args:
        shape: its shape, as far as it is known.
        dtype: its element type.
        name: a name for it.

    Example:
        >>> tf.TensorSpec([None, 3], tf.float32)
        TensorSpec(shape=(?, 3), dtype=tf.float32, name=None)
    """

    def __init__(self, shape: Any, dtype: Any = "float32", name: str | None = None) -> None:
        self._shape = as_shape(shape)
        self._dtype = as_dtype(dtype)
        self._name = name

    @classmethod
    def from_spec(cls, spec: Any, name: str | None = None) -> TensorSpec:
        """The description of the same tensors as `spec`, under another name."""
        return cls(spec.shape, spec.dtype, name or spec.name)

    @classmethod
    def from_tensor(cls, tensor: Tensor, name: str | None = None) -> TensorSpec:
        """The description of a tensor."""
        return cls(tensor.shape, tensor.dtype, name or tensor.op.name)

    @property
    def shape(self) -> TensorShape:
        """What is known of the shape."""
        return self._shape

    @property
    def dtype(self) -> DType:
        """The element type."""
        return self._dtype

    @property
    def name(self) -> str | None:
        """The name."""
        return self._name

    @property
    def value_type(self) -> Any:
        """`tf.Tensor`."""
        return Tensor

    @property
    def is_discrete(self) -> bool:
        """Whether the elements are integers."""
        return self._dtype.is_integer

    @property
    def is_continuous(self) -> bool:
        """Whether the elements are floating-point numbers."""
        return self._dtype.is_floating

    def _parts(self) -> tuple[Any, ...]:
        dims = None if self._shape.dims is None else tuple(self._shape.as_list())
        return dims, self._dtype, self._name

    def _fixed(self) -> tuple[Any, ...]:
        return (self._dtype,)

    def _with_shape(self, shape: TensorShape) -> TensorSpec:
        return TensorSpec(shape, self._dtype)

    def most_specific_compatible_type(self, other: Any) -> Any:
        """As of any description; the name stays where both have it."""
        made = super().most_specific_compatible_type(other)
        made._name = self._name if self._name == other._name else None
        return made

    def _accepts(self, other: Any) -> bool:
        return self._dtype.is_compatible_with(other.dtype) and self._shape.is_compatible_with(other.shape)

    def __repr__(self) -> str:
        return f"TensorSpec(shape={self._shape}, dtype={self._dtype!r}, name={self._name!r})"


class BoundedTensorSpec(TensorSpec):
    """The description of a tensor whose elements lie between bounds.

    Args:
        shape, dtype, name: as for `TensorSpec`.
        minimum, maximum: the bounds, both included: what broadcasts to the shape.

    Raises:
        ValueError: if a bound is missing or does not broadcast.

    Example:
        >>> spec = tf.contrib.framework.BoundedTensorSpec([3, 5], tf.int32, 0, 2)
    """

    def __init__(self, shape: Any, dtype: Any, minimum: Any, maximum: Any, name: str | None = None) -> None:
        super().__init__(shape, dtype, name)
        if minimum is None or maximum is None:
            raise ValueError(f"minimum and maximum must be provided; but saw '{minimum}' and '{maximum}'")
        self._minimum = self._bound("minimum", minimum)
        self._maximum = self._bound("maximum", maximum)

    def _bound(self, what: str, value: Any) -> np.ndarray:
        array = np.array(value, dtype=self._dtype.as_numpy_dtype)
        try:
            broadcast_dims(array.shape, None if self._shape.dims is None else tuple(self._shape.as_list()))
        except ValueError as error:
            raise ValueError(f"{what} is not compatible with shape. Message: {error!r}.") from error
        array.setflags(write=False)
        return array

    @classmethod
    def from_spec(cls, spec: Any, name: str | None = None) -> BoundedTensorSpec:
        """The description of the same tensors, the bounds those of the type where `spec` has none."""
        dtype = as_dtype(spec.dtype)
        low, high = getattr(spec, "minimum", dtype.min), getattr(spec, "maximum", dtype.max)
        return cls(spec.shape, dtype, low, high, name or spec.name)

    @property
    def minimum(self) -> np.ndarray:
        """The least elements."""
        return self._minimum

    @property
    def maximum(self) -> np.ndarray:
        """The greatest elements."""
        return self._maximum

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, BoundedTensorSpec) or not super().__eq__(other):
            return False
        return np.allclose(self._minimum, other._minimum) and np.allclose(self._maximum, other._maximum)

    __hash__ = TensorSpec.__hash__

    def __repr__(self) -> str:
        return (
            f"BoundedTensorSpec(shape={self._shape}, dtype={self._dtype!r}, name={self._name!r}, "
            f"minimum={self._minimum!r}, maximum={self._maximum!r})"
        )

    def __reduce__(self) -> Any:
        return BoundedTensorSpec, (self._shape, self._dtype, self._minimum, self._maximum, self._name)


class SparseTensorSpec(TypeSpec):
    """The description of a sparse tensor.

    Args:
        shape: its dense shape, as far as it is known.
        dtype: the type of its values.
    """

    def __init__(self, shape: Any = None, dtype: Any = "float32") -> None:
        self._shape = as_shape(shape)
        self._dtype = as_dtype(dtype)

    @classmethod
    def from_value(cls, value: Any) -> SparseTensorSpec:
        """The description of a sparse tensor."""
        return cls(value.shape, value.dtype)

    def _with_shape(self, shape: TensorShape) -> SparseTensorSpec:
        return SparseTensorSpec(shape, self._dtype)

    @property
    def shape(self) -> TensorShape:
        """What is known of the dense shape."""
        return self._shape

    @property
    def dtype(self) -> DType:
        """The type of the values."""
        return self._dtype

    @property
    def value_type(self) -> Any:
        """`tf.SparseTensor`."""
        return SparseTensor

    def _parts(self) -> tuple[Any, ...]:
        return None if self._shape.dims is None else tuple(self._shape.as_list()), self._dtype

    def _accepts(self, other: Any) -> bool:
        return self._dtype.is_compatible_with(other.dtype) and self._shape.is_compatible_with(other.shape)

    def __repr__(self) -> str:
        return f"SparseTensorSpec({self._shape!r}, {self._dtype!r})"


def spec_from_value(value: Any) -> Any:
    """The description of a tensor or sparse tensor.

    Raises:
        TypeError: for any other value.
    """
    if isinstance(value, Tensor):
        return TensorSpec(value.shape, value.dtype)
    if isinstance(value, SparseTensor):
        return SparseTensorSpec(value.shape, value.dtype)
    made = getattr(value, "_type_spec", None)
    if made is None:
        raise TypeError(f"Could not build a TypeSpec for {value!r} with type {type(value).__name__}")
    return made
