"""`Recurrent`: the base of recurrent layers until Keras 2.1, for which programs wrote attention and memories of their own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core import nest
from headrace.core.registry import raw
from headrace.core.shapes import TensorShape
from headrace.functions.math.products import tensordot
from headrace.functions.math.reduction import reduce_sum
from headrace.functions.nn.dropout import dropout as dropped
from headrace.keras.backend.choosing import in_train_phase
from headrace.keras.backend.convolution import bias_add
from headrace.keras.backend.rnn import rnn
from headrace.keras.backend.sessions import batch_set_value
from headrace.keras.backend.variables import variable
from headrace.keras.standalone.legacy_base import Layer
from headrace.kernels.composing.filling import ones_like, zeros_like
from headrace.layers.input_spec import InputSpec
from headrace.layers.nodes import has_history
from headrace.ops.array.tile import tile
from headrace.state.updates import assign

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor


class Recurrent(Layer):  # type: ignore[misc, valid-type]  # the class is made when it runs
    """The base of recurrent layers that say themselves what a step is.

    A subclass defines `step(inputs, states)`, which returns an output and the list of next states, and `build`, which
    sets `states` to as many None as there are states. It has the size of the states as `units` (`output_dim` in Keras
    1). It may define `get_constants(inputs)`, tensors that `step` gets behind the states, `preprocess_input(inputs)`,
    and `get_initial_state(inputs)` (`get_initial_states` in Keras 1).

    Args:
        return_sequences: whether the outputs of all steps are returned rather than the last.
        return_state: whether the last states are returned too.
        go_backwards: whether time runs backwards.
        stateful: whether a batch begins with the states that the one before it ended with.
        unroll: whether the graph has every step rather than a loop.
        implementation: kept for subclasses, which may compute in several ways.
        **kwargs: those of layers, `input_dim`, `input_length`, and of Keras 1 `weights` and `consume_less`.
    """

    def __init__(
        self,
        return_sequences: bool = False,
        return_state: bool = False,
        go_backwards: bool = False,
        stateful: bool = False,
        unroll: bool = False,
        implementation: int = 0,
        **kwargs: Any,
    ) -> None:
        self.consume_less = kwargs.pop("consume_less", "cpu")
        if "input_shape" not in kwargs and ("input_dim" in kwargs or "input_length" in kwargs):
            kwargs["input_shape"] = (kwargs.pop("input_length", None), kwargs.pop("input_dim", None))
        super().__init__(**kwargs)
        self.return_sequences = return_sequences
        self.return_state = return_state
        self.go_backwards = go_backwards
        self.stateful = stateful
        self.unroll = unroll
        self.implementation = implementation
        self.supports_masking = True
        self.input_spec = [InputSpec(ndim=3)]
        self.state_spec: Any = None

    @property
    def states(self) -> list[Any]:
        """The variables of the states, None for each that is not kept."""
        found: list[Any] = self.__dict__.get("_kept_states", [None])
        return found

    @states.setter
    def states(self, states: Sequence[Any]) -> None:
        # Around what notes variables as weights, which these are not.
        object.__setattr__(self, "_kept_states", list(states))

    def _size(self) -> int:
        """How large outputs and states are.

        Raises:
            AttributeError: if the subclass does not say it.
        """
        for name in ("units", "output_dim"):
            if hasattr(self, name):
                return int(getattr(self, name))
        raise AttributeError(
            f"{type(self).__name__} has no `units`: a subclass of Recurrent sets it before it is called."
        )

    # ---- what subclasses define

    def step(self, inputs: Tensor, states: Sequence[Tensor]) -> tuple[Tensor, list[Tensor]]:
        """One step: the output and the next states.

        Raises:
            NotImplementedError: unless the subclass defines it.
        """
        raise NotImplementedError(f"{type(self).__name__} must define step(inputs, states): a Recurrent layer runs it.")

    def get_constants(self, inputs: Tensor, training: Any = None) -> list[Tensor]:
        """Tensors that each step gets behind the states."""
        return []

    def preprocess_input(self, inputs: Tensor, training: Any = None) -> Tensor:
        """What the steps get instead of the inputs."""
        return inputs

    def get_initial_state(self, inputs: Tensor) -> list[Tensor]:
        """Zeros for each state."""
        zeros = raw.ExpandDims(reduce_sum(zeros_like(inputs), axis=[1, 2]), -1)
        return [tile(zeros, [1, self._size()]) for _ in self.states]

    # ---- calls

    def __call__(self, inputs: Any, initial_state: Any = None, **kwargs: Any) -> Any:
        """Runs the steps over the inputs.

        Args:
            inputs: the inputs, or a list of them and the states to start with.
            initial_state: the states to start with.
            **kwargs: `mask` and `training`.
        """
        if isinstance(inputs, list | tuple) and len(inputs) > 1 and initial_state is None:
            inputs, initial_state = inputs[0], list(inputs[1:])
        if initial_state is None:
            return super().__call__(inputs, **kwargs)
        states = list(initial_state) if isinstance(initial_state, list | tuple) else [initial_state]
        if not all(map(has_history, states)):
            return super().__call__(inputs, initial_state=states, **kwargs)
        own = self.input_spec
        specs = [InputSpec(shape=(None, *state.shape.as_list()[1:])) for state in states]
        self.input_spec = [*(own if isinstance(own, list) else [own]), *specs]
        outputs = super().__call__([inputs, *states], **kwargs)
        known = self.input_spec
        self.input_spec = known[: -len(specs)] if isinstance(known, list) and len(known) > len(specs) else known
        return outputs

    def call(self, inputs: Any, mask: Any = None, training: Any = None, initial_state: Any = None) -> Any:
        """The last output, or those of all steps, with the states where they are asked for.

        Raises:
            ValueError: if it is to be unrolled and the number of steps is not known, or the number of states is wrong.
        """
        if isinstance(inputs, list):
            inputs, initial_state = inputs[0], inputs[1:] or initial_state
        if initial_state is None:
            initial_state = self.states if self.stateful else self._states_to_start_with(inputs)
        if len(initial_state) != len(self.states):
            raise ValueError(
                f"Layer {self.name} has {len(self.states)} states but was passed {len(initial_state)} initial states."
            )
        steps = inputs.shape.as_list()[1]
        if self.unroll and steps is None:
            raise ValueError(
                "Cannot unroll a RNN if the time dimension is undefined; give its length in `input_shape`."
            )
        last, outputs, states = rnn(
            self.step,
            self.preprocess_input(inputs),
            initial_state,
            go_backwards=self.go_backwards,
            mask=nest.flatten(mask)[0] if mask is not None else None,
            constants=self.get_constants(inputs),
            unroll=self.unroll,
            input_length=steps,
        )
        if self.stateful:
            self.add_update([assign(kept, state) for kept, state in zip(self.states, states)])
        output = outputs if self.return_sequences else last
        return [output, *states] if self.return_state else output

    def _states_to_start_with(self, inputs: Tensor) -> Any:
        of_keras_1 = getattr(self, "get_initial_states", None)
        return self.get_initial_state(inputs) if of_keras_1 is None else of_keras_1(inputs)

    def compute_output_shape(self, input_shape: Any) -> Any:
        """The shape of the output, in a list with those of the states where they are returned."""
        if hasattr(type(self), "get_output_shape_for"):
            return self.get_output_shape_for(input_shape)
        first = input_shape[0] if isinstance(input_shape, list) else input_shape
        batch, steps = TensorShape(first).as_list()[:2]
        output = TensorShape([batch, steps, self._size()] if self.return_sequences else [batch, self._size()])
        return [output, *(TensorShape([batch, self._size()]) for _ in self.states)] if self.return_state else output

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """The mask of the inputs where the outputs have time, else None; None for each state that is returned."""
        found = nest.flatten(mask)[0] if self.return_sequences and mask is not None else None
        return [found, *(None for _ in self.states)] if self.return_state else found

    def reset_states(self, states: Any = None) -> None:
        """Sets the states to zeros, or to the given values.

        Args:
            states: an array or a list of arrays, as many as there are states.

        Raises:
            AttributeError: if the layer is not stateful; ValueError: if the batch size is not known.
        """
        if not self.stateful:
            raise AttributeError("Layer must be stateful.")
        # Subclasses may leave it to the first layer of a model to say it.
        batch = _batch_size(self.input_spec) or (getattr(self, "_batch_input_shape", None) or (None,))[0]
        if not batch:
            raise ValueError("If a RNN is stateful, it needs to know its batch size: pass a `batch_input_shape`.")
        zeros = np.zeros((batch, self._size()), "float32")
        values = [zeros] * len(self.states) if states is None else nest.flatten(states)
        if self.states[0] is None:
            self.states = [variable(value) for value in values]
        else:
            batch_set_value(list(zip(self.states, values)))

    def get_config(self) -> dict[str, Any]:
        """The arguments to make another such layer with."""
        config: dict[str, Any] = super().get_config()
        names = ("return_sequences", "return_state", "go_backwards", "stateful", "unroll", "implementation")
        return config | {name: getattr(self, name) for name in names}


def _batch_size(specs: Any) -> int | None:
    first = nest.flatten(specs)[0] if specs is not None else None
    return None if first is None or first.shape is None else first.shape[0]


def time_distributed_dense(
    x: Tensor,
    w: Any,
    b: Any = None,
    dropout: float | None = None,
    input_dim: int | None = None,
    output_dim: int | None = None,
    timesteps: int | None = None,
    training: Any = None,
) -> Tensor:
    """x @ w + b on each step of a sequence.

    Args:
        x: tensor [batch, time, features].
        w: matrix [features, units].
        b: vector of units, or None.
        dropout: the share of features that is dropped while training, the same at all steps.
        input_dim, output_dim, timesteps: sizes that `x` and `w` do not tell.
        training: whether this is training; the learning phase for None.
    """
    known: list[int | None] = [None, timesteps, input_dim]
    x.set_shape(x.shape.merge_with(known))
    if dropout:
        mask = dropped(ones_like(x[:, :1]), rate=dropout)
        x = in_train_phase(x * mask, x, training=training)
    product = tensordot(x, w, 1)
    product.set_shape([*x.shape.as_list()[:2], output_dim or product.shape.as_list()[-1]])
    return product if b is None else bias_add(product, b)
