"""The steps of conditional random fields, as recurrent cells.

The forward recursion is the one of L. Rabiner, "A tutorial on hidden Markov models and selected applications in speech
recognition", Proceedings of the IEEE 77, 1989, on scores instead of probabilities; the best sequence is found by
Viterbi's algorithm, as it is described there. With s_t(j) the score of tag j at step t and A(i, j) that of j after i:

    sum over all sequences      a_t(j) = s_t(j) + log sum_i exp(a_{t-1}(i) + A(i, j))
    best sequence               d_t(j) = s_t(j) + max_i (d_{t-1}(i) + A(i, j))
    its tags                    b_t(j) = argmax_i (d_{t-1}(i) + A(i, j)),    y_{t-1} = b_t(y_t)
"""

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


class _TransitionCell(RNNCell):
    """A cell whose state is a score for each tag.

    Args:
        transition_params: float [tags, tags]: the score of each tag (column) after each other (row).
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
        """The scores of all sequences that end in tag i and go on with j, before what the next step gives j.

        Args:
            state: [batch, tags]: the score of the sequences that end in each tag.

        Returns:
            [batch, tags i, tags j].
        """
        return expand_dims(state, 2) + self._transition_params


class CrfForwardRnnCell(_TransitionCell):
    """A step of the forward recursion: the sum over all sequences that end in each tag, as a logarithm.

    Args:
        transition_params: float [tags, tags]: the score of each tag (column) after each other (row).
    """

    def __call__(self, inputs: Any, state: Any, scope: str | VariableScope | None = None) -> Any:
        """The sums of the sequences that are one step longer.

        Args:
            inputs: [batch, tags]: the scores of the tags at this step.
            state: [batch, tags]: the sums up to the step before.
            scope: taken as cells take it; there are no variables to put there.

        Returns:
            the sums, [batch, tags], as output and as state.
        """
        alphas = inputs + reduce_logsumexp(self._total_scores(state), [1])
        return alphas, alphas


class CrfDecodeForwardRnnCell(_TransitionCell):
    """A step forwards of Viterbi's algorithm: the best sequence that ends in each tag.

    Args:
        transition_params: float [tags, tags]: the score of each tag (column) after each other (row).
    """

    def __call__(self, inputs: Any, state: Any, scope: str | VariableScope | None = None) -> Any:
        """The best sequences that are one step longer.

        Args:
            inputs: [batch, tags]: the scores of the tags at this step.
            state: [batch, tags]: the best scores up to the step before.
            scope: taken as cells take it; there are no variables to put there.

        Returns:
            of each tag the one before it in the best sequence, int32 [batch, tags], as output; the best scores as
            state.
        """
        through = self._total_scores(state)
        best = inputs + reduce_max(through, [1])
        return cast(argmax(through, 1), dtype=int32), best


class CrfDecodeBackwardRnnCell(RNNCell):
    """A step back along the best sequence, from a tag to the one before it.

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
        """The tag of the best sequence one step earlier.

        Args:
            inputs: int32 [batch, tags]: of each tag the one before it, as the steps forwards gave it.
            state: int32 [batch, 1]: the tag at this step.
            scope: taken as cells take it; there are no variables to put there.

        Returns:
            the tag before, int32 [batch, 1], as output and as state.
        """
        tag = squeeze(state, axis=[1])
        rows = integers(shape(inputs)[0])
        before = expand_dims(gather_nd(inputs, stack([rows, tag], axis=1)), axis=-1)
        return before, before
