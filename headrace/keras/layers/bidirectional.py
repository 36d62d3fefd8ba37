"""Recurrent layers in both directions of time.

M. Schuster and K. Paliwal, "Bidirectional recurrent neural networks", IEEE Transactions on Signal Processing 45 (1997).
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core import nest, slots
from headrace.core.defaults import name_scope
from headrace.core.shapes import TensorShape
from headrace.keras.layers.recurrent_base import spec_of
from headrace.keras.layers.recurrent_states import standardize_args
from headrace.keras.layers.wrappers import Wrapper
from headrace.keras.utils import generic_utils
from headrace.kernels.composing.arranging import concat
from headrace.layers.engine import Layer
from headrace.layers.nodes import has_history
from headrace.ops.array.reverse import reverse

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import Nested, ShapeLike

_MODES = ("sum", "mul", "ave", "concat", None)


class Bidirectional(Wrapper):
    """Runs a recurrent layer forwards in time, another one backwards, and puts their outputs together.

    Args:
        layer: a recurrent layer; both are made after it.
        merge_mode: "concat", "sum", "mul" or "ave"; None for the list of both outputs.
        weights: arrays to start with: those of the layer forwards, then those of the other.
        backward_layer: the layer backwards, one made after `layer` by default.

    Raises:
        ValueError: if they are no layers, do not fit together, or there is no such mode.

    Example:
        >>> layer = tf.keras.layers.Bidirectional(tf.keras.layers.LSTM(32))
        >>> layer(tf.keras.Input((None, 8))).shape.as_list()
        [None, 64]
    """

    def __init__(
        self,
        layer: Any,
        merge_mode: str | None = "concat",
        weights: Sequence[Any] | None = None,
        backward_layer: Any = None,
        **kwargs: Any,
    ) -> None:
        if not isinstance(layer, Layer):
            raise ValueError(f"Please initialize `Bidirectional` layer with a `Layer` instance. You passed: {layer}")
        if backward_layer is not None and not isinstance(backward_layer, Layer):
            raise ValueError(f"`backward_layer` need to be a `Layer` instance. You passed: {backward_layer}")
        if merge_mode not in _MODES:
            raise ValueError('Invalid merge mode. Merge mode should be one of {"sum", "mul", "ave", "concat", None}')
        super().__init__(layer, **kwargs)
        # The model for both, and none of what belongs to this one.
        self.__dict__["_tracked"].pop("layer", None)
        self.forward_layer = _made_after(layer)
        if backward_layer is None:
            self.backward_layer = _made_after(layer, go_backwards=True)
        else:
            self.backward_layer = backward_layer
            self._backward_layer_config = {
                "class_name": type(backward_layer).__name__,
                "config": backward_layer.get_config(),
            }
        self._check_pair()
        for made in self._pair:
            # Outputs of both directions meet at each step: what is masked is to give nothing to either.
            if hasattr(made, "zero_output_for_mask"):
                made.zero_output_for_mask = made.return_sequences
        self.forward_layer._name = f"forward_{self.forward_layer.name}"
        self.backward_layer._name = f"backward_{self.backward_layer.name}"
        self.merge_mode = merge_mode
        if weights:
            half = len(weights) // 2
            self.forward_layer._initial_weights = list(weights[:half])
            self.backward_layer._initial_weights = list(weights[half:])
        given: Any = layer
        # `stateful` stays False, as in 1.15, which neither carries its states in predictions nor resets them with the model.
        self.return_sequences = given.return_sequences
        self.return_state = given.return_state
        self.supports_masking = True
        self._num_constants = 0
        self.input_spec = given.input_spec

    def _check_pair(self) -> None:
        forward, backward = self.forward_layer, self.backward_layer
        if forward.go_backwards == backward.go_backwards:
            raise ValueError("Forward layer and backward layer should have different `go_backwards` value.")
        for name in ("stateful", "return_sequences", "return_state"):
            ours, other = getattr(forward, name), getattr(backward, name)
            if ours != other:
                raise ValueError(
                    f"Forward layer and backward layer are expected to have the same value for attribute {name}, "
                    f"got {ours} and {other}"
                )

    @property
    def _pair(self) -> tuple[Any, Any]:
        return self.forward_layer, self.backward_layer

    def build(self, input_shape: Any) -> None:  # type: ignore[override]  # 1.15 asks for the shape here
        """Builds both layers."""
        for layer in self._pair:
            with name_scope(layer.name):
                layer.build(input_shape)
                layer.built = True
        self.built = True

    def compute_output_shape(self, input_shape: ShapeLike) -> Any:
        """The shape of the outputs put together, and those of the states where they are returned."""
        found = self.forward_layer.compute_output_shape(input_shape)
        output, states = (found[0], list(found[1:])) if self.return_state else (found, [])
        sizes = TensorShape(output).as_list()
        if self.merge_mode == "concat":
            output = TensorShape([*sizes[:-1], None if sizes[-1] is None else 2 * sizes[-1]])
        elif self.merge_mode is None:
            output = [TensorShape(sizes), TensorShape(sizes)]
        return [*generic_utils.to_list(output), *states, *states] if self.return_state else output

    def compute_mask(self, inputs: Nested[Tensor], mask: Any) -> Any:  # type: ignore[override]  # 1.15 asks for the mask here
        """The mask of the inputs where the outputs have time, else None; None for each state that is returned."""
        first = nest.flatten(mask)[0]
        of_output = first if self.return_sequences else None
        found = [of_output, of_output] if self.merge_mode is None else of_output
        if not self.return_state:
            return found
        return [*(found if isinstance(found, list) else [found]), *(None for _ in self.forward_layer.states * 2)]

    def __call__(self, inputs: Any, initial_state: Any = None, constants: Any = None, **kwargs: Any) -> Any:
        """Applies the layers.

        Args:
            inputs: the inputs, or a list of them, the initial states and the constants.
            initial_state: the states to start with: those of the layer forwards, then those of the other.
            constants: tensors that the cells get at every step.
            **kwargs: `mask` and `training`.

        Raises:
            ValueError: if the number of states is odd, or some of the tensors come from layers and others do not.
        """
        inputs, initial_state, constants = standardize_args(inputs, initial_state, constants, self._num_constants)
        if initial_state is None and constants is None:
            return super().__call__(inputs, **kwargs)
        others: list[Any] = []
        specs: list[Any] = []
        if initial_state is not None:
            if len(initial_state) % 2:
                raise ValueError(
                    "When passing `initial_state` to a Bidirectional RNN, the state should be a list containing the states "
                    f"of the underlying RNNs. Found: {initial_state}"
                )
            others += initial_state
            specs += [spec_of(state) for state in initial_state]
            half = len(specs) // 2
            self.forward_layer.state_spec, self.backward_layer.state_spec = specs[:half], specs[half:]
        if constants is not None:
            others += constants
            of_constants = [spec_of(constant) for constant in constants]
            self.forward_layer.constants_spec = self.backward_layer.constants_spec = of_constants
            specs += of_constants
            for layer in (self, *self._pair):
                layer._num_constants = len(constants)
        from_layers = [has_history(tensor) for tensor in others]
        if any(from_layers) != all(from_layers):
            raise ValueError(
                "The initial state of a Bidirectional layer cannot be specified with a mix of Keras tensors and non-Keras "
                'tensors (a "Keras tensor" is a tensor that was returned by a Keras layer, or by `Input`)'
            )
        if not all(from_layers):
            return super().__call__(inputs, initial_state=initial_state, constants=constants, **kwargs)
        own: Any = self.input_spec
        full: Any = [*(None for _ in nest.flatten(inputs)), *specs]
        self.input_spec = full
        outputs = super().__call__([inputs, *others], **kwargs)
        self.input_spec = own
        return outputs

    def call(
        self,
        inputs: Any,
        training: Any = None,
        mask: Any = None,
        initial_state: Any = None,
        constants: Any = None,
    ) -> Any:
        """Runs both layers over the inputs."""
        kwargs = {
            name: value
            for name, value in (("training", training), ("mask", mask), ("constants", constants))
            if generic_utils.has_arg(self.layer.call, name) and (name != "constants" or value is not None)
        }
        if isinstance(inputs, list) and len(inputs) > 1:
            # States and constants are among the inputs, as tensors that come from layers.
            end = len(inputs) - self._num_constants
            half = (end - 1) // 2
            shared = inputs[end:]
            parts = inputs[1 : 1 + half], inputs[1 + half : end]
            outputs = [layer([inputs[0], *part, *shared], **kwargs) for layer, part in zip(self._pair, parts)]
        elif initial_state is not None:
            half = len(initial_state) // 2
            states = initial_state[:half], initial_state[half:]
            outputs = [layer(inputs, initial_state=part, **kwargs) for layer, part in zip(self._pair, states)]
        else:
            outputs = [layer(inputs, **kwargs) for layer in self._pair]
        forward, backward = outputs
        last: list[Any] = []
        if self.return_state:
            last = [*forward[1:], *backward[1:]]
            forward, backward = forward[0], backward[0]
        if self.return_sequences:
            backward = reverse(backward, [0 if getattr(self.forward_layer, "time_major", False) else 1])
        merged = self._merged(forward, backward)
        if not self.return_state:
            return merged
        return [*merged, *last] if isinstance(merged, list) else [merged, *last]

    def _merged(self, forward: Any, backward: Any) -> Any:
        if self.merge_mode == "concat":
            return concat([forward, backward], len(forward.shape) - 1)
        if self.merge_mode == "sum":
            return forward + backward
        if self.merge_mode == "ave":
            return (forward + backward) / 2
        if self.merge_mode == "mul":
            return forward * backward
        return [forward, backward]

    def reset_states(self) -> None:
        """Sets the states of both layers to zeros."""
        for layer in self._pair:
            layer.reset_states()

    @property
    def constraints(self) -> dict[Any, Any]:
        """The constraints of both layers, where layers have such a mapping."""
        return {key: value for layer in self._pair for key, value in getattr(layer, "constraints", {}).items()}

    def get_config(self) -> dict[str, Any]:
        """The arguments it was made with, those of the layers included."""
        config: dict[str, Any] = {**super().get_config(), "merge_mode": self.merge_mode}
        if self._num_constants:
            config["num_constants"] = self._num_constants
        if hasattr(self, "_backward_layer_config"):
            config["backward_layer"] = self._backward_layer_config
        return config

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Mapping[str, Any] | None = None) -> Any:
        """The layer that `get_config` describes."""
        arguments = copy.deepcopy(config)
        num_constants = arguments.pop("num_constants", 0)
        for name in ("layer", "backward_layer"):
            if arguments.get(name) is not None:
                arguments[name] = slots.keras_layer_from_config(arguments[name], custom_objects)
        made = cls(**arguments)
        made._num_constants = num_constants
        return made


def _made_after(layer: Any, go_backwards: bool = False) -> Any:
    """Another such layer; with `go_backwards` one of the other direction."""
    config = layer.get_config()
    if go_backwards:
        config["go_backwards"] = not config["go_backwards"]
    if "custom_objects" not in inspect.getfullargspec(type(layer).from_config).args:
        return type(layer).from_config(config)
    # Cells of the program's own are found by their names.
    cell = getattr(layer, "cell", None)
    cells = [] if cell is None else [cell, *getattr(cell, "cells", ())]
    return type(layer).from_config(config, custom_objects={type(each).__name__: type(each) for each in cells})
