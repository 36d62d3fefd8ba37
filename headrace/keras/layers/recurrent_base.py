"""The base of recurrent layers: runs a cell, or several on top of each other, over the time of its inputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core import nest, slots
from headrace.core.shapes import TensorShape
from headrace.keras.backend.rnn import rnn
from headrace.keras.layers.recurrent_dropout import reset_dropout_masks
from headrace.keras.layers.recurrent_stacked import StackedRNNCells
from headrace.keras.layers.recurrent_stateful import StatefulLayer
from headrace.keras.layers.recurrent_states import is_multiple_state, standardize_args, zero_state
from headrace.keras.utils import generic_utils
from headrace.kernels.composing.shapes import shape
from headrace.layers.engine import Layer
from headrace.layers.input_spec import InputSpec
from headrace.layers.nodes import has_history

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import Nested, ShapeLike


class RNN(StatefulLayer):
    """Runs a cell over the time of its inputs.

    A cell has `call(inputs, states)`, which returns the output of a step and the list of the next states, and
    `state_size`, the size of each state; it may have `output_size` and `get_initial_state(inputs, batch_size, dtype)`.

    Args:
        cell: the cell, or a list of cells, each of which gets what the one before gives.
        return_sequences: whether the outputs of all steps are returned rather than the last.
        return_state: whether the last states are returned too.
        go_backwards: whether time runs backwards; the outputs of all steps are in the order in which they were computed.
        stateful: whether a batch begins with the states that the one before it ended with, row by row.
        unroll: whether the graph has every step rather than a loop.
        time_major: whether inputs and outputs have time before the batch.
        **kwargs: those of layers, `input_dim` and `input_length`, and `zero_output_for_mask`: whether steps that are
            masked give zeros rather than what the step before gave.

    Raises:
        ValueError: if `cell` has no `call` or no `state_size`.

    Example:
        >>> layer = tf.keras.layers.RNN([tf.keras.layers.LSTMCell(16), tf.keras.layers.LSTMCell(8)])
        >>> layer(tf.keras.Input((None, 4))).shape.as_list()
        [None, 8]
    """

    # Whether the graph says how often the loop runs at most, where that is known.
    _bounds_loop = False

    def __init__(
        self,
        cell: Any,
        return_sequences: bool = False,
        return_state: bool = False,
        go_backwards: bool = False,
        stateful: bool = False,
        unroll: bool = False,
        time_major: bool = False,
        **kwargs: Any,
    ) -> None:
        if isinstance(cell, (list, tuple)):
            cell = StackedRNNCells(cell)
        if not hasattr(cell, "call"):
            raise ValueError("`cell` should have a `call` method. The RNN was passed:", cell)
        if not hasattr(cell, "state_size"):
            raise ValueError(
                "The RNN cell should have an attribute `state_size` (tuple of integers, one integer per RNN state)."
            )
        self.zero_output_for_mask = kwargs.pop("zero_output_for_mask", False)
        if "input_shape" not in kwargs and ("input_dim" in kwargs or "input_length" in kwargs):
            kwargs["input_shape"] = (kwargs.pop("input_length", None), kwargs.pop("input_dim", None))
        super().__init__(**kwargs)
        self.cell = cell
        self.return_sequences = return_sequences
        self.return_state = return_state
        self.go_backwards = go_backwards
        self.stateful = stateful
        self.unroll = unroll
        self.time_major = time_major
        self.supports_masking = True
        self.state_spec: list[InputSpec] | None = None
        self.constants_spec: list[InputSpec] | None = None
        self._num_constants = 0

    # ---- shapes and masks ----

    def compute_output_shape(self, input_shape: ShapeLike) -> Any:
        """The shape of the output, in a list with those of the states where they are returned."""
        if isinstance(input_shape, list) and not all(size is None or isinstance(size, int) for size in input_shape):
            input_shape = input_shape[0]
        first = _first_shape(input_shape)
        batch, time = first[0], first[1]
        if self.time_major:
            batch, time = time, batch
        sizes = self.cell.state_size
        if getattr(self.cell, "output_size", None) is not None:
            flat_output = nest.flatten(self.cell.output_size)
        else:
            flat_output = [sizes[0] if is_multiple_state(sizes) else sizes]
        leading = [time, batch] if self.time_major else [batch, time]

        def of_output(size: Any) -> TensorShape:
            return TensorShape([*(leading if self.return_sequences else [batch]), *TensorShape(size).as_list()])

        output = nest.map_structure(of_output, flat_output)
        shape_of_output = output[0] if len(output) == 1 else output
        if not self.return_state:
            return shape_of_output
        states = [TensorShape([batch, *TensorShape(size).as_list()]) for size in nest.flatten(sizes)]
        return [*generic_utils.to_list(shape_of_output), *states]

    def compute_mask(self, inputs: Nested[Tensor], mask: Any) -> Any:  # type: ignore[override]  # 1.15 asks for the mask here
        """The mask of the inputs where the outputs have time, else None; None for each state that is returned."""
        found = nest.flatten(mask)[0] if self.return_sequences else None
        return [found, *(None for _ in self.states)] if self.return_state else found

    # ---- building ----

    def build(self, input_shape: Any) -> None:
        """Builds the cell for a step of the inputs."""
        if isinstance(input_shape, list):
            input_shape = input_shape[0]
        spec = nest.map_structure(self._spec_of, input_shape) if _is_nested(input_shape) else self._spec_of(input_shape)
        specs: Any = self.input_spec
        self.input_spec = [spec] if specs is None else [spec, *specs[1:]]  # type: ignore[assignment]  # a list: states and constants follow
        step = nest.map_structure(self._step_of, input_shape) if _is_nested(input_shape) else self._step_of(input_shape)
        if isinstance(self.cell, Layer) and not self.cell.built:
            self.cell.build(step)
            self.cell.built = True
        sizes = list(self.cell.state_size) if is_multiple_state(self.cell.state_size) else [self.cell.state_size]
        if self.state_spec is not None:
            check_state_spec(sizes, self.state_spec)
        else:
            self.state_spec = [InputSpec(shape=[None, *TensorShape(size).as_list()]) for size in nest.flatten(sizes)]
        if self.stateful:
            self.reset_states()
        self.built = True

    def _spec_of(self, shape_of_input: ShapeLike) -> InputSpec:
        sizes = TensorShape(shape_of_input).as_list()
        batch, time = (1, 0) if self.time_major else (0, 1)
        if not self.stateful:
            sizes[batch] = None
        sizes[time] = None
        return InputSpec(shape=tuple(sizes))

    def _step_of(self, shape_of_input: ShapeLike) -> tuple[int | None, ...]:
        sizes = TensorShape(shape_of_input).as_list()
        return tuple(sizes[1:]) if self.time_major else (sizes[0], *sizes[2:])

    def get_initial_state(self, inputs: Nested[Tensor]) -> list[Any]:
        """The states that the cell starts with, for inputs of this batch size and type."""
        first = nest.flatten(inputs)[0]
        batch = shape(first)[1 if self.time_major else 0]
        of_cell = getattr(self.cell, "get_initial_state", None)
        if of_cell:
            state = of_cell(inputs=None, batch_size=batch, dtype=first.dtype)
        else:
            state = zero_state(batch, self.cell.state_size, first.dtype)
        return list(state) if nest.is_sequence(state) else [state]

    # ---- calling ----

    def __call__(self, inputs: Any, initial_state: Any = None, constants: Any = None, **kwargs: Any) -> Any:
        """Applies the layer.

        Args:
            inputs: the inputs, or a list of them, the initial states and the constants.
            initial_state: the states to start with: a tensor or a list of tensors.
            constants: tensors that the cell gets at every step, as its argument `constants`.
            **kwargs: `mask` and `training`.

        Raises:
            ValueError: if some of the states and constants come from layers and others do not, or the states do not fit.
        """
        inputs, initial_state, constants = standardize_args(inputs, initial_state, constants, self._num_constants)
        if initial_state is None and constants is None:
            return super().__call__(inputs, **kwargs)
        others: list[Any] = []
        specs: list[Any] = []
        if initial_state is not None:
            others += initial_state
            self.state_spec = nest.map_structure(lambda state: spec_of(state), initial_state)
            specs += self.state_spec
        if constants is not None:
            others += constants
            self.constants_spec = [spec_of(constant) for constant in constants]
            self._num_constants = len(constants)
            specs += self.constants_spec
        from_layers = [has_history(tensor) for tensor in nest.flatten(others)]
        if any(from_layers) != all(from_layers):
            raise ValueError(
                "The initial state or constants of an RNN layer cannot be specified with a mix of Keras tensors and "
                'non-Keras tensors (a "Keras tensor" is a tensor that was returned by a Keras layer, or by `Input`)'
            )
        if not all(from_layers):
            given = {"initial_state": initial_state, "constants": constants}
            return super().__call__(inputs, **kwargs, **{key: v for key, v in given.items() if v is not None})
        # Inputs of the call, so that models know that they belong to it.
        own: Any = self.input_spec if self.built else [nest.map_structure(lambda _: None, inputs)]
        self.input_spec = [*own, *specs]  # type: ignore[assignment]  # a list, as in `build`
        outputs = super().__call__([inputs, *others], **kwargs)
        known: Any = self.input_spec
        self.input_spec = known[: -len(specs)]
        return outputs

    def call(
        self,
        inputs: Any,
        mask: Any = None,
        training: Any = None,
        initial_state: Any = None,
        constants: Any = None,
    ) -> Any:
        """Runs the cell over the inputs; see `__call__`.

        Raises:
            ValueError: if it is to be unrolled and the number of steps is not known, or the number of states is wrong.
        """
        reset_dropout_masks(self.cell)
        inputs, initial_state, constants = self._process_inputs(inputs, initial_state, constants)
        if mask is not None:
            # Those of states and constants say nothing about steps.
            mask = nest.flatten(mask)[0]
        timesteps = nest.flatten(inputs)[0].shape.as_list()[0 if self.time_major else 1]
        if self.unroll and timesteps is None:
            raise ValueError(
                "Cannot unroll a RNN if the time dimension is undefined. \n"
                "- If using a Sequential model, specify the time dimension by passing an `input_shape` or "
                "`batch_input_shape` argument to your first layer. If your first layer is an Embedding, you can also use "
                "the `input_length` argument.\n"
                "- If using the functional API, specify the time dimension by passing a `shape` or `batch_shape` argument "
                "to your Input layer."
            )
        last, outputs, states = rnn(
            self._step(training, constants),
            inputs,
            initial_state,
            constants=constants,
            go_backwards=self.go_backwards,
            mask=mask,
            unroll=self.unroll,
            input_length=timesteps if self._bounds_loop else None,
            time_major=self.time_major,
            zero_output_for_mask=self.zero_output_for_mask,
        )
        return self._returned(last, outputs, states)

    def _returned(self, last: Any, outputs: Any, states: Any) -> Any:
        """What a call returns, of the last output, the outputs of all steps and the last states."""
        if self.stateful:
            self._keep_states(states)
        output = outputs if self.return_sequences else last
        return [*generic_utils.to_list(output), *states] if self.return_state else output

    def _step(self, training: Any, constants: Sequence[Tensor] | None) -> Callable[..., Any]:
        """The function of a step, as `K.rnn` takes it."""
        cell = self.cell
        kwargs: dict[str, Any] = {"training": training} if generic_utils.has_arg(cell.call, "training") else {}
        if constants and not generic_utils.has_arg(cell.call, "constants", accept_all=True):
            raise ValueError("RNN cell does not support constants")
        # Those cells have one structure of states, where others have a list.
        whole = getattr(cell, "_is_tf_rnn_cell", False)

        def step(inputs: Any, states: Sequence[Any]) -> tuple[Any, Any]:
            if constants:
                states, kwargs["constants"] = states[: -len(constants)], list(states[-len(constants) :])
            given = states[0] if whole and len(states) == 1 else states
            output, new_states = cell.call(inputs, given, **kwargs)
            return output, new_states if nest.is_sequence(new_states) else [new_states]

        return step

    def _process_inputs(self, inputs: Any, initial_state: Any, constants: Any) -> tuple[Any, Any, Any]:
        """Inputs, states and constants, taken apart where they came in one list; states to start with if none came."""
        if isinstance(inputs, list):
            states = inputs[1 : -self._num_constants] if self._num_constants else inputs[1:]
            if self._num_constants:
                constants = inputs[-self._num_constants :]
            initial_state = states or None
            inputs = inputs[0]
        if initial_state is None:
            initial_state = self.states if self.stateful else self.get_initial_state(inputs)
        if len(initial_state) != len(self.states):
            raise ValueError(
                f"Layer {self.name} has {len(self.states)} states but was passed {len(initial_state)} initial states."
            )
        return inputs, initial_state, constants

    # ---- settings ----

    def get_config(self) -> dict[str, Any]:
        """The arguments it was made with, the cell's included."""
        config: dict[str, Any] = {
            "return_sequences": self.return_sequences,
            "return_state": self.return_state,
            "go_backwards": self.go_backwards,
            "stateful": self.stateful,
            "unroll": self.unroll,
            "time_major": self.time_major,
        }
        if self._num_constants:
            config["num_constants"] = self._num_constants
        if self.zero_output_for_mask:
            config["zero_output_for_mask"] = self.zero_output_for_mask
        config["cell"] = {"class_name": type(self.cell).__name__, "config": self.cell.get_config()}
        return {**super().get_config(), **config}

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Mapping[str, Any] | None = None) -> Any:
        """The layer that `get_config` describes."""
        arguments = dict(config)
        cell = slots.keras_layer_from_config(arguments.pop("cell"), custom_objects)
        num_constants = arguments.pop("num_constants", 0)
        layer = cls(cell, **arguments)
        layer._num_constants = num_constants
        return layer


def spec_of(tensor: Tensor) -> InputSpec:
    """What the shape of a tensor asks for; ValueError for what is no tensor."""
    if not hasattr(getattr(tensor, "shape", None), "as_list"):
        raise ValueError(f"Initial states and constants of a recurrent layer must be tensors, got {type(tensor)}.")
    return InputSpec(shape=tuple(tensor.shape.as_list()))


def check_state_spec(sizes: Sequence[Any], specs: Sequence[InputSpec]) -> None:
    """Raises ValueError if states of these specs are not what a cell of these sizes asks for."""
    flat_sizes, flat_specs = nest.flatten(list(sizes)), nest.flatten(specs)
    fits = len(flat_sizes) == len(flat_specs) and all(
        TensorShape(list(spec.shape)[1:]).is_compatible_with(TensorShape(size))
        for size, spec in zip(flat_sizes, flat_specs)
    )
    if not fits:
        raise ValueError(
            "An `initial_state` was passed that is not compatible with `cell.state_size`. Received "
            f"`state_spec`={list(specs)}; however `cell.state_size` is {list(sizes)}"
        )


def _is_nested(shapes: Any) -> bool:
    """Whether this is a structure of shapes rather than one shape."""
    if isinstance(shapes, TensorShape):
        return False
    return not (isinstance(shapes, (list, tuple)) and all(size is None or isinstance(size, int) for size in shapes))


def _first_shape(shapes: Any) -> list[int | None]:
    while _is_nested(shapes):
        shapes = next(iter(shapes.values())) if isinstance(shapes, Mapping) else shapes[0]
    return TensorShape(shapes).as_list()
