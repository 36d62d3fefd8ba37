"""Ragged tensors as one tensor of type variant, and back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.dtypes import DType, int64, variant
from headrace.core.registry import raw
from headrace.core.tensor import Tensor


class VariantForm:
    """What a ragged tensor has to do with its variant form."""

    nested_row_splits: Any
    flat_values: Any
    from_nested_row_splits: Callable[..., Any]

    def _to_variant(self, batched_input: bool = False, name: str | None = None) -> Tensor:
        """The whole as a scalar, or with `batched_input` each row as an element of a vector."""
        with name_scope(name, "RaggedToVariant", [self]):
            encoded: Tensor = raw.RaggedTensorToVariant(
                self.nested_row_splits, self.flat_values, batched_input=batched_input
            )
            return encoded

    @classmethod
    def _from_variant(
        cls,
        variant: Any,
        dtype: DType,
        output_ragged_rank: int,
        input_ragged_rank: int | None = None,
        name: str | None = None,
    ) -> Any:
        """The ragged tensor that a tensor of variants holds.

        Args:
            variant: of any shape; further axes become rows of what it holds.
            dtype: of the values.
            output_ragged_rank: the ragged rank of the result.
            input_ragged_rank: that of each element; by default as much as the result has above the variants' own axes.
            name: a name for the operation.

        Raises:
            ValueError: if the ranks do not add up.
        """
        encoded = _variants(variant)
        rank = encoded.shape.ndims
        if rank is not None and input_ragged_rank is not None and output_ragged_rank != input_ragged_rank + rank:
            raise ValueError(
                "output_ragged_rank must be equal to input_ragged_rank + variant.shape.ndims, found "
                f"variant.shape.ndims: {rank}, input_ragged_rank: {input_ragged_rank}, "
                f"output_ragged_rank: {output_ragged_rank}"
            )
        with name_scope(name, "RaggedFromVariant", [encoded, dtype, input_ragged_rank, output_ragged_rank]):
            *parts, values = _flat(
                raw.RaggedTensorFromVariant(
                    encoded,
                    input_ragged_rank=-1 if input_ragged_rank is None else input_ragged_rank,
                    output_ragged_rank=output_ragged_rank,
                    Tvalues=dtype,
                    Tsplits=int64,
                )
            )
            return cls.from_nested_row_splits(values, parts, validate=False)


def _variants(value: Any) -> Tensor:
    return convert_to_tensor(value, name="variant", dtype=variant)


def _flat(outputs: Sequence[Any]) -> list[Tensor]:
    flat: list[Tensor] = []
    for each in outputs:
        flat += each if isinstance(each, (list, tuple)) else [each]
    return flat
