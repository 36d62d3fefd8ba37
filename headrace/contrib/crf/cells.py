"""The steps of conditional random fields, as recurrent cells."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.core.dtypes import int32
from headrace.core.shapes import dimension_value
from headrace.functions.array.gather import gather_nd
from headrace.functions.math.reduction import reduce_logsumexp, reduce_max
from headrace.kernels.composing.arithmetic import range as integers
from headrace.kernels.composing.arranging import stack
from headrace.kernels.composing.shapes import expand_dims, shape, squeeze
from headrace.ops.math.argmax import argmax
from headrace.ops.math.cast import cast
from headrace.recurrent.cell import RNNCell

if TYPE_CHECKING:
    import numpy as np

    from headrace.core.tensor import Tensor
    from headrace.core.typing import TensorLike
    from headrace.state.current_scope import VariableScope
    from headrace.state.variables import Variable


class _OfTransitions(RNNCell):
    """A cell whose state is a score for each tag.

    Args:
        transition_params: float [tags, tags]: the score of each tag after each.
    """

    def __init__(self, transition_params: Tensor | Variable | np.ndarray) -> None:
        # A cell without variables: there is nothing for a layer to keep.
        self._transition_params = expand_dims(transition_params, 0)
        self._num_tags = dimension_value(transition_params.shape[0])

    @property
    def state_size(self) -> Any:
        """The number of tags."""
        return self._num_tags

    @property
    def output_size(self) -> Any:
        """The number of tags."""
        return self._num_tags

    def _total_scores(self, state: TensorLike) -> Tensor:
        """The scores of all tags after all: [batch, tags, tags]."""
        return expand_dims(state, 2) + self._transition_params


class CrfForwardRnnCell(_OfTransitions):
    """The step that sums over all sequences that end in each tag.

    Args:
        transition_params: float [tags, tags]: the score of each tag after each.
    """

    def __call__(self, inputs: Any, state: Any, scope: str | VariableScope | None = None) -> Any:
        """The logarithms of the sums after `inputs`, [batch, tags], as output and state."""
        alphas = inputs + reduce_logsumexp(self._total_scores(state), [1])
        return alphas, alphas


class CrfDecodeForwardRnnCell(_OfTransitions):
    """The step that takes the best sequence that ends in each tag.

    Args:
        transition_params: float [tags, tags]: the score of each tag after each.
    """

    def __call__(self, inputs: Any, state: Any, scope: str | VariableScope | None = None) -> Any:
        """The tags before, int32 [batch, tags], and the best scores."""
        through = self._total_scores(state)
        best = inputs + reduce_max(through, [1])
        return cast(argmax(through, 1), dtype=int32), best


class CrfDecodeBackwardRnnCell(RNNCell):
    """The step back along the best sequence.

    Args:
        num_tags: the number of tags.
    """

    def __init__(self, num_tags: int) -> None:
        self._num_tags = num_tags

    @property
    def state_size(self) -> int:
        """One tag."""
        return 1

    @property
    def output_size(self) -> int:
        """One tag."""
        return 1

    def __call__(self, inputs: Any, state: Any, scope: str | VariableScope | None = None) -> tuple[Tensor, Tensor]:
        """The tag before that of `state`, int32 [batch, 1], which `inputs`, [batch, tags], name; as output and state."""
        tag = squeeze(state, axis=[1])
        rows = integers(shape(inputs)[0])
        before = expand_dims(gather_nd(inputs, stack([rows, tag], axis=1)), axis=-1)
        return before, before
