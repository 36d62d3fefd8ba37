"""Names inside 1.x's modules of recurrent networks that programs with cells of their own use."""

from __future__ import annotations

from headrace.recurrent.cell import LayerRNNCell, RNNCell
from headrace.recurrent.cell import assert_like_rnn_cell as assert_like_rnncell
from headrace.recurrent.linear import Linear as _Linear
from headrace.recurrent.linear import linear as _linear
from headrace.recurrent.sizes import shape_with_batch, static_shape_with_batch
from headrace.recurrent.sizes import zero_state_tensors as _zero_state_tensors
from headrace.recurrent.steps import batch_size_of as _best_effort_input_batch_size
from headrace.recurrent.steps import rnn_step as _rnn_step
from headrace.recurrent.steps import state_dtype as _infer_state_dtype
from headrace.recurrent.steps import transpose_batch_time as _transpose_batch_time

__all__ = [
    "ASSERT_LIKE_RNNCELL_ERROR_REGEXP",
    "LayerRNNCell",
    "RNNCell",
    "_BIAS_VARIABLE_NAME",
    "_Linear",
    "_WEIGHTS_VARIABLE_NAME",
    "_best_effort_input_batch_size",
    "_concat",
    "_infer_state_dtype",
    "_like_rnncell",
    "_linear",
    "_rnn_step",
    "_transpose_batch_time",
    "_zero_state_tensors",
    "assert_like_rnncell",
]

_WEIGHTS_VARIABLE_NAME = "kernel"
_BIAS_VARIABLE_NAME = "bias"
# What the error says of arguments that are no cells.
ASSERT_LIKE_RNNCELL_ERROR_REGEXP = "is not an RNNCell"


def _like_rnncell(cell: object) -> bool:
    """Whether `cell` can be used as a recurrent cell."""
    try:
        assert_like_rnncell("cell", cell)
    except TypeError:
        return False
    return True


def _concat(prefix: object, suffix: object, static: bool = False) -> object:
    """The shape `[prefix] + suffix`: a tensor, or a list of what is known of it."""
    if not static:
        return shape_with_batch(prefix, suffix)
    known = static_shape_with_batch(prefix, suffix)
    return None if known.ndims is None else known.as_list()
