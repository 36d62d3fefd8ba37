"""What a layer asks of its inputs, and inputs that it would take."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.core import nest
from headrace.core.shapes import TensorShape
from headrace.core.type_specs import TensorSpec
from headrace.layers.input_spec import InputSpec
from headrace.layers.input_spec import check_inputs as assert_input_compatibility

if TYPE_CHECKING:
    from headrace.core.typing import DTypeLike, Nested

__all__ = ["InputSpec", "assert_input_compatibility", "to_tensor_shape", "to_tensor_spec"]


def to_tensor_shape(spec: InputSpec) -> TensorShape:
    """The static shape that an `InputSpec` describes, of unknown rank where it says nothing of that."""
    if spec.ndim is None and spec.shape is None:
        return TensorShape(None)
    if spec.shape is not None:
        return TensorShape(spec.shape)
    sizes: list[int | None] = [None] * (spec.ndim or 0)
    for axis, size in spec.axes.items():
        sizes[axis] = size
    return TensorShape(sizes)


def to_tensor_spec(input_spec: Nested[InputSpec], default_dtype: DTypeLike | None = None) -> Any:
    """The `TensorSpec` of what an `InputSpec` describes.

    Args:
        input_spec: one, or a structure of them.
        default_dtype: the type of those that name none.

    Raises:
        TypeError: for anything else.
    """

    def spec_of(spec: object) -> TensorSpec:
        if not isinstance(spec, InputSpec):
            raise TypeError(f"input_spec must be an instance of InputSpec, not {type(spec).__name__}: {spec!r}")
        return TensorSpec(to_tensor_shape(spec), spec.dtype or default_dtype or "float32")

    return nest.map_structure(spec_of, input_spec)
