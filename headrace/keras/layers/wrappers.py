"""Layers around a layer: the base, and one that applies its layer at every step of time."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core import slots
from headrace.core.shapes import TensorShape
from headrace.functions.math.reduction import reduce_any
from headrace.keras.backend.rnn import rnn
from headrace.keras.utils import generic_utils
from headrace.kernels.composing.shapes import shape
from headrace.layers.engine import Layer
from headrace.layers.input_spec import InputSpec
from headrace.ops.array.shape import reshape

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import ShapeLike

_ROOM = __name__.partition(".")[0]


class Wrapper(Layer):
    """The base of layers that call another.

    Args:
        layer: the other.
    """

    def __init__(self, layer: Layer, **kwargs: Any) -> None:
        assert isinstance(layer, Layer)
        super().__init__(**kwargs)
        self.layer = layer

    def build(self, input_shape: Any = None) -> None:
        """Builds the layer inside."""
        if not self.layer.built:
            self.layer.build(input_shape)
            self.layer.built = True
        self.built = True

    @property  # type: ignore[misc]  # it is the other layer's to set
    def activity_regularizer(self) -> Any:
        """That of the layer inside."""
        return getattr(self.layer, "activity_regularizer", None)

    def get_config(self) -> dict[str, Any]:
        """The arguments it was made with, the other layer's included."""
        inner = {"class_name": type(self.layer).__name__, "config": self.layer.get_config()}
        return {**super().get_config(), "layer": inner}

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Mapping[str, Any] | None = None) -> Any:
        """The wrapper that `get_config` describes."""
        arguments = copy.deepcopy(config)
        return cls(slots.keras_layer_from_config(arguments.pop("layer"), custom_objects), **arguments)


def is_builtin(layer: Layer) -> bool:
    """Whether a layer computes as one of Keras' own does: each row of a batch by itself."""
    own = (kind for kind in type(layer).__mro__ if kind.__module__.partition(".")[0] == _ROOM)
    return next(own, Layer) is not Layer


class TimeDistributed(Wrapper):
    """Applies a layer to every step of its inputs, [batch, time, ...].

    Args:
        layer: the layer.

    Raises:
        ValueError: if `layer` is no layer.

    Example:
        >>> frames = tf.keras.Input((10, 32, 32, 3))
        >>> tf.keras.layers.TimeDistributed(tf.keras.layers.Conv2D(8, 3))(frames).shape.as_list()
        [None, 10, 30, 30, 8]
    """

    def __init__(self, layer: Layer, **kwargs: Any) -> None:
        if not isinstance(layer, Layer):
            raise ValueError(f"Please initialize `TimeDistributed` layer with a `Layer` instance. You passed: {layer}")
        super().__init__(layer, **kwargs)
        self.supports_masking = True
        # Layers of unknown make may depend on the size of the batch: where it is known they run step by step.
        self._always_use_reshape = is_builtin(layer) and not getattr(layer, "stateful", False)
        self._input_map: dict[str, Tensor] = {}

    def build(self, input_shape: ShapeLike) -> None:  # type: ignore[override]  # it cannot do without a shape
        """Builds the layer for one step.

        Raises:
            ValueError: if there are less than three axes.
        """
        sizes = TensorShape(input_shape).as_list()
        if len(sizes) < 3:
            raise ValueError(
                f"`TimeDistributed` Layer should be passed an `input_shape ` with at least 3 dimensions, received: {sizes}"
            )
        self.input_spec = InputSpec(shape=(None, None, *sizes[2:]))
        super().build((sizes[0], *sizes[2:]))

    def compute_output_shape(self, input_shape: ShapeLike) -> TensorShape:
        """The shape of the layer's output, with time."""
        sizes = TensorShape(input_shape).as_list()
        of_step = TensorShape(self.layer.compute_output_shape(TensorShape([sizes[0], *sizes[2:]]))).as_list()
        return TensorShape([of_step[0], sizes[1], *of_step[1:]])

    def call(self, inputs: Tensor, training: Any = None, mask: Any = None) -> Any:  # type: ignore[override]  # of one tensor only
        """Applies the layer to all steps."""
        kwargs = {"training": training} if generic_utils.has_arg(self.layer.call, "training") else {}
        if self._by_step(inputs):
            return self._step_by_step(inputs, kwargs)
        length = self._length(inputs)
        together = reshape(inputs, _sizes_after((-1,), inputs, 2))
        self._input_map[generic_utils.object_list_uid(inputs)] = together
        if generic_utils.has_arg(self.layer.call, "mask") and mask is not None:
            kwargs["mask"] = reshape(mask, _sizes_after((-1,), mask, 2))
        outputs = self.layer(together, **kwargs)
        return reshape(outputs, _sizes_after((-1, length), outputs, 1))

    def _by_step(self, inputs: Tensor) -> bool:
        return not self._always_use_reshape and bool(inputs.shape.as_list()[0])

    def _length(self, inputs: Tensor) -> Any:
        return inputs.shape.as_list()[1] or shape(inputs)[1]

    def _step_by_step(self, inputs: Tensor, kwargs: dict[str, Any]) -> Any:
        def step(now: Any, _: Sequence[Any]) -> tuple[Any, list[Any]]:
            return self.layer(now, **kwargs), []

        return rnn(step, inputs, initial_states=[], input_length=inputs.shape.as_list()[1], unroll=False)[1]

    def compute_mask(self, inputs: Tensor, mask: Any = None) -> Any:  # type: ignore[override]  # of one tensor only
        """The masks that the layer gives at each step; where it gives none, which steps had any that was not masked."""
        if self._by_step(inputs) or inputs.shape.as_list()[0]:
            return mask
        inner = None if mask is None else reshape(mask, _sizes_after((-1,), mask, 2))
        steps = self._input_map.get(generic_utils.object_list_uid(inputs), inputs)
        found = self.layer.compute_mask(steps, inner)
        if found is not None:
            return reshape(found, _sizes_after((-1, self._length(inputs)), found, 1))
        for _ in range(2, 0 if mask is None else len(mask.shape)):
            mask = reduce_any(mask, axis=-1)
        return mask


def _sizes_after(first: tuple[Any, ...], tensor: Tensor, begin: int) -> tuple[Any, ...]:
    """`first`, and the sizes of `tensor` from axis `begin` on: tensors where they are not known."""
    sizes = tensor.shape.as_list()[begin:]
    if all(size is not None for size in sizes):
        return (*first, *sizes)
    known = shape(tensor)
    return (*first, *(known[begin + at] if size is None else size for at, size in enumerate(sizes)))
