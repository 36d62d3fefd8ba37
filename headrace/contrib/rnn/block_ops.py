"""The ops of LSTMs with a block of gates, applied by function: the step, and the whole sequence of a list of inputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.registry import raw
from headrace.kernels.composing.arranging import stack
from headrace.kernels.composing.filling import zeros
from headrace.ops.array.join import unstack

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import TensorLike


# What the ops take for a memory that is not clipped.
_NO_CLIP = -1.0


def block_lstm(
    seq_len_max: TensorLike,
    x: Sequence[Tensor],
    w: Tensor,
    b: Tensor,
    cs_prev: Tensor | None = None,
    h_prev: Tensor | None = None,
    wci: Tensor | None = None,
    wcf: Tensor | None = None,
    wco: Tensor | None = None,
    forget_bias: float | None = None,
    cell_clip: float | None = None,
    use_peephole: bool | None = None,
    name: str | None = None,
) -> tuple[list[Tensor], ...]:
    """An LSTM (Zaremba et al., arXiv:1409.2329) over a list of inputs, as one op.

    Args:
        seq_len_max: how many of the inputs are gone through; what it gives for the others is 0.
        x: the inputs, each [batch, depth] with known sizes.
        w: the weights, [depth + units, 4 * units].
        b: the biases, [4 * units].
        cs_prev, h_prev: the first memory and output, [batch, units]; zeros by default.
        wci, wcf, wco: the weights of the peepholes, [units]; zeros unless all are given.
        forget_bias: added to the forget gate, 1 by default.
        cell_clip: the bound that the memory is clipped to; none by default.
        use_peephole: whether the gates see the memory, not by default.
        name: a name for the op.

    Returns:
        (input gates, memories, forget gates, output gates, new memories, activated memories, outputs), a list with a
        tensor for each input each.

    Raises:
        ValueError: if the number of biases is not known.
    """
    units = b.shape.with_rank(1)[0].value
    if units is None:
        raise ValueError("The static shape of `b` must be known, [4 * units].")
    units //= 4
    dtype = x[0].dtype
    if cs_prev is None or h_prev is None:
        nothing = zeros([int(x[0].shape.with_rank(2)[0]), units], dtype=dtype)
        cs_prev = nothing if cs_prev is None else cs_prev
        h_prev = nothing if h_prev is None else h_prev
    wci, wcf, wco = _peepholes(wci, wcf, wco, units, dtype)
    outputs = raw.BlockLSTM(
        seq_len_max,
        stack(list(x)),
        cs_prev,
        h_prev,
        w,
        wci,
        wcf,
        wco,
        b,
        forget_bias=1.0 if forget_bias is None else forget_bias,
        cell_clip=_NO_CLIP if cell_clip is None else cell_clip,
        use_peephole=bool(use_peephole),
        name=name,
    )
    return tuple(unstack(output, num=len(x)) for output in outputs)


def lstm_block_cell(
    x: Tensor,
    cs_prev: Tensor,
    h_prev: Tensor,
    w: Tensor,
    b: Tensor,
    wci: Tensor | None = None,
    wcf: Tensor | None = None,
    wco: Tensor | None = None,
    forget_bias: float | None = None,
    cell_clip: float | None = None,
    use_peephole: bool | None = None,
    name: str | None = None,
) -> tuple[Tensor, ...]:
    """One step of the LSTM of `block_lstm`.

    Args:
        x: the input, [batch, depth].
        cs_prev, h_prev: memory and output so far, [batch, units]; the number of units must be known.
        w, b, wci, wcf, wco, forget_bias, cell_clip, use_peephole, name: as those of `block_lstm`.

    Returns:
        (input gate, memory, forget gate, output gate, new memory, activated memory, output).

    Raises:
        ValueError: if the number of units is not known.
    """
    units = cs_prev.shape.with_rank(2)[1].value
    if units is None:
        raise ValueError("The number of units, the last size of `cs_prev`, must be known; it is None.")
    wci, wcf, wco = _peepholes(wci, wcf, wco, units, x.dtype)
    return raw.LSTMBlockCell(
        x,
        cs_prev,
        h_prev,
        w,
        wci,
        wcf,
        wco,
        b,
        forget_bias=1.0 if forget_bias is None else forget_bias,
        cell_clip=_NO_CLIP if cell_clip is None else cell_clip,
        use_peephole=bool(use_peephole),
        name=name,
    )


def _peepholes(wci: Any, wcf: Any, wco: Any, units: int, dtype: Any) -> tuple[Any, Any, Any]:
    if wci is not None and wcf is not None and wco is not None:
        return wci, wcf, wco
    nothing = zeros([units], dtype=dtype)
    return nothing, nothing, nothing
