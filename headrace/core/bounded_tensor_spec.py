"""Tensor specs with bounds of the elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.dims import broadcast_dims
from headrace.core.dtypes import as_dtype
from headrace.core.type_specs import TensorSpec

if TYPE_CHECKING:
    from headrace.core.typing import DTypeLike, ShapeLike


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

    def __init__(
        self,
        shape: ShapeLike,
        dtype: DTypeLike,
        minimum: int | Sequence[float] | None,
        maximum: float | Sequence[int],
        name: str | None = None,
    ) -> None:
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
    def from_spec(cls, spec: TensorSpec, name: str | None = None) -> BoundedTensorSpec:
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
        if not isinstance(other, BoundedTensorSpec) or self._without_bounds() != other._without_bounds():
            return False
        return np.allclose(self._minimum, other._minimum) and np.allclose(self._maximum, other._maximum)

    # Equal bounds may be one number or one for each element.
    def __hash__(self) -> int:
        return hash(self._without_bounds())

    def _without_bounds(self) -> TensorSpec:
        return TensorSpec(self._shape, self._dtype, self._name)

    def __repr__(self) -> str:
        return (
            f"BoundedTensorSpec(shape={self._shape}, dtype={self._dtype!r}, name={self._name!r}, "
            f"minimum={self._minimum!r}, maximum={self._maximum!r})"
        )

    def _serialize(self) -> tuple[Any, ...]:
        return self._shape, self._dtype, self._minimum, self._maximum, self._name
