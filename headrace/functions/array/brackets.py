"""What `tensor[...]` means: a strided slice, or what a boolean mask lets through."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.dtypes import as_dtype, int32, int64
from headrace.core.dtypes import bool as bool_type
from headrace.core.eager import executing_eagerly
from headrace.core.registry import raw
from headrace.core.shapes import Dimension
from headrace.core.tensor import Tensor
from headrace.functions.array.where import boolean_mask
from headrace.kernels.array.strides import MASKS
from headrace.kernels.composing.arranging import stack
from headrace.ops.array.slice import strided_slice

if TYPE_CHECKING:
    from headrace.core.typing import VariableLike


# What `tensor[..., tf.newaxis]` is written with.
newaxis = None

_SLICE_TYPE_ERROR = (
    "Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar tf.int32/tf.int64 tensors are valid "
    "indices"
)


def _check_index(index: Any) -> None:
    if isinstance(index, (int, Dimension)):
        return
    dtype = getattr(index, "dtype", None)
    if dtype is None or as_dtype(dtype).base_dtype not in (int32, int64) or (index.shape and len(index.shape) == 1):
        raise TypeError(f"{_SLICE_TYPE_ERROR}, got {index!r}")


def slice_helper(tensor: Tensor, slice_spec: Any, var: VariableLike | None = None) -> Tensor:
    """What `tensor[slice_spec]` makes.

    Args:
        tensor: a tensor.
        slice_spec: ints, slices, ellipsis, None, scalar int tensors, or a tuple of them; or a boolean mask.
        var: the variable that `tensor` is the value of, to be assigned to.

    Raises:
        TypeError: for an index of another kind.
        ValueError: for an index known to be out of bounds.

    Example:
        >>> tf.zeros([4, 5, 6])[0, ..., ::-2].get_shape()
        TensorShape([Dimension(5), Dimension(3)])
    """
    is_mask = isinstance(slice_spec, (Tensor, np.ndarray)) and as_dtype(slice_spec.dtype).base_dtype is bool_type
    if isinstance(slice_spec, bool) or is_mask:
        return boolean_mask(tensor, slice_spec)
    items = slice_spec if isinstance(slice_spec, (list, tuple)) else [slice_spec]
    begin: list[Any] = []
    end: list[Any] = []
    strides: list[Any] = []
    masks = dict.fromkeys(MASKS, 0)
    for i, item in enumerate(items):
        bit = 1 << i
        if isinstance(item, slice):
            for bound, bounds, mask in ((item.start, begin, "begin_mask"), (item.stop, end, "end_mask")):
                # Python 2 passed the largest int for a bound that was left out.
                if bound is None or (not isinstance(bound, Tensor) and bound == sys.maxsize):
                    bounds.append(0)
                    masks[mask] |= bit
                else:
                    _check_index(bound)
                    bounds.append(bound)
            if item.step is not None:
                _check_index(item.step)
            strides.append(1 if item.step is None else item.step)
        elif item is Ellipsis or item is None:
            begin.append(0)
            end.append(0)
            strides.append(1)
            masks["ellipsis_mask" if item is Ellipsis else "new_axis_mask"] |= bit
        else:
            _check_index(item)
            begin.append(item)
            end.append(raw.AddV2(item, 1, name="add") if isinstance(item, Tensor) else item + 1)
            strides.append(1)
            masks["shrink_axis_mask"] |= bit

    if begin and executing_eagerly() and all(type(bound) is int for bound in (*begin, *end, *strides)):
        # Numbers stay numbers: no tensors need be packed of them.
        return strided_slice(tensor, begin, end, strides, var=var, **masks)  # type: ignore[arg-type]  # lists of numbers, as has been asked
    with name_scope(None, "strided_slice", [tensor, *begin, *end, *strides]) as scope:
        if begin:
            bounds = [stack(begin), stack(end), stack(strides)]
            if any(part.dtype.base_dtype is int64 for part in bounds):
                bounds = [part if part.dtype.base_dtype is int64 else raw.Cast(part, DstT=int64) for part in bounds]
        else:
            bounds = [convert_to_tensor([], int32)] * 3
        packed_begin, packed_end, packed_strides = bounds
        return strided_slice(tensor, packed_begin, packed_end, packed_strides, var=var, name=scope, **masks)


def slice_helper_var(var: VariableLike, slice_spec: object) -> Tensor:
    """What `variable[slice_spec]` makes: a slice of its value whose `assign` writes to the variable."""
    return slice_helper(var.value(), slice_spec, var)
