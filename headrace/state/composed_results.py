"""Datasets that traced functions return: tensors to the function's body, and datasets again to who calls it."""

from __future__ import annotations

from typing import Any

from headrace.core.dtypes import DType
from headrace.core.shapes import TensorShape
from headrace.core.tensor import Tensor
from headrace.core.type_specs import TensorSpec


class ComposedResult:
    """A result that one tensor stands for.

    Args:
        spec: the description by which callers compose theirs.
        tensor: what stands for it in the body.
    """

    def __init__(self, spec: Any, tensor: Tensor) -> None:
        self.spec, self.tensor = spec, tensor

    @classmethod
    def of(cls, value: object) -> ComposedResult | None:
        """The result that a value of a traced function is; None if it is none of these."""
        spec = getattr(value, "_type_spec", None)
        # Those of several tensors are structures to `nest`.
        if spec is None or not isinstance(getattr(spec, "_component_specs", None), TensorSpec):
            return None
        return cls(spec, spec._to_components(value))

    @property
    def shape(self) -> TensorShape:
        """The static shape of the tensor."""
        return self.tensor.shape

    @property
    def dtype(self) -> DType:
        """The element type of the tensor."""
        return self.tensor.dtype

    def composed(self, tensor: Any) -> Any:
        """The caller's value, of what a call gives for the tensor."""
        return self.spec._from_components(tensor)
