"""Values of ragged tensors by number, within each row, where there may be none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.ragged.gathering import batch_gather
from headrace.functions.ragged.joining import concat
from headrace.functions.ragged.segment_ids import numbers_up_to
from headrace.functions.ragged.tensor import RaggedTensor, convert_to_tensor_or_ragged_tensor
from headrace.kernels import composing

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


def batch_gather_with_default(
    params: Any, indices: Any, default_value: TensorLike = "", name: str | None = None
) -> Any:
    """As `batch_gather`, and `default_value` for the number -1."""
    with name_scope(name, "RaggedBatchGatherWithDefault"):
        params = convert_to_tensor_or_ragged_tensor(params, name="params")
        indices = convert_to_tensor_or_ragged_tensor(indices, name="indices")
        default = convert_to_tensor(default_value, params.dtype, name="default_value")
        if isinstance(params, RaggedTensor):
            first = _rows_of_one(default, params.nested_row_splits)
        else:
            sizes = composing.concat([composing.shape(params)[:-1], [1]], 0)
            first = raw.Fill(sizes, default)
        return batch_gather(concat([first, params], -1), indices + 1)


def _rows_of_one(value: Tensor, splits: Sequence[Tensor]) -> RaggedTensor:
    """Rows of `value` alone, in the place of the innermost rows."""
    *outer, inner = splits
    count = raw.Shape(inner, out_type=inner.dtype)[0] - 1
    values = raw.Fill(composing.expand_dims(count, 0), value)
    rows = RaggedTensor.from_row_splits(values, numbers_up_to(count + 1), validate=False)
    for level in reversed(outer):
        rows = RaggedTensor.from_row_splits(rows, level, validate=False)
    return rows
