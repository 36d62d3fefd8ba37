"""`merge` and `Merge` of Keras 1: one function and one layer for all ways of combining tensors, chosen by a word."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from headrace.keras.layers import merge as merge_layers
from headrace.keras.layers.core import Reshape
from headrace.keras.layers.lambda_layer import Lambda

_PLAIN = {
    "sum": "Add",
    "mul": "Multiply",
    "ave": "Average",
    "max": "Maximum",
}


def merge(
    inputs: Sequence[Any],
    mode: str | Callable[..., Any] = "sum",
    concat_axis: int = -1,
    dot_axes: int | Sequence[Any] = -1,
    output_shape: Any = None,
    output_mask: Any = None,
    arguments: Mapping[str, Any] | None = None,
    name: str | None = None,
) -> Any:
    """Combines tensors.

    Args:
        inputs: the tensors.
        mode: "sum", "mul", "concat", "ave", "max", "dot", "cos", or a function of the list of them.
        concat_axis: along which axis "concat" puts them.
        dot_axes: over which axes "dot" and "cos" sum: one for both tensors, or one for each.
        output_shape, output_mask, arguments: of a function: the shape of what it returns, its mask, further arguments.
        name: the name of the layer that does it.

    Raises:
        ValueError: for other modes.

    Example:
        >>> left, right = tf.keras.Input((3,)), tf.keras.Input((2,))
        >>> merge([left, right], mode="concat").shape.as_list()  # keras.layers.merge in programs
        [None, 5]
    """
    warnings.warn(
        "`merge` ended with Keras 1: call `add`, `concatenate`, `dot` and their like of keras.layers.", stacklevel=2
    )
    return _merged(inputs, mode, concat_axis, dot_axes, output_shape, output_mask, arguments, name)


def _merged(
    inputs: Sequence[Any],
    mode: str | Callable[..., Any],
    concat_axis: int,
    dot_axes: int | Sequence[Any],
    output_shape: Any,
    output_mask: Any,
    arguments: Mapping[str, Any] | None,
    name: str | None,
) -> Any:
    tensors = list(inputs)
    if callable(mode):
        layer = Lambda(mode, output_shape=output_shape, mask=output_mask, arguments=dict(arguments or {}), name=name)
        return layer(tensors)
    if mode in _PLAIN:
        return getattr(merge_layers, _PLAIN[mode])(name=name)(tensors)
    if mode == "concat":
        return merge_layers.Concatenate(axis=concat_axis, name=name)(tensors)
    if mode in ("dot", "cos"):
        axes = (
            tuple(axis[0] if isinstance(axis, list | tuple) else axis for axis in dot_axes)
            if (not isinstance(dot_axes, int))
            else dot_axes
        )
        product = merge_layers.Dot(axes, normalize=mode == "cos", name=name)(tensors)
        # The cosine had one axis more.
        return product if mode == "dot" else Reshape((1, *product.shape.as_list()[1:]))(product)
    raise ValueError(f"Invalid merge mode: {mode}; one of {sorted([*_PLAIN, 'concat', 'cos', 'dot'])}, or a function.")


class Merge:
    """The outputs of several models or layers combined, as the beginning of a Sequential model.

    Args:
        layers: models or layers that have been called; tensors may be given to the object later instead.
        mode, concat_axis, dot_axes, output_shape, output_mask, arguments, name: as in `merge`.
        node_indices, tensor_indices: which calls and which outputs of the layers are meant; the first by default.

    Example:
        >>> left, right = tf.keras.Input((3,)), tf.keras.Input((2,))
        >>> Merge(mode="concat")([left, right]).shape.as_list()  # keras.layers.Merge in programs
        [None, 5]
    """

    def __init__(
        self,
        layers: Sequence[Any] | None = None,
        mode: str | Callable[..., Any] = "sum",
        concat_axis: int = -1,
        dot_axes: int | Sequence[Any] = -1,
        output_shape: Any = None,
        output_mask: Any = None,
        arguments: Mapping[str, Any] | None = None,
        node_indices: Sequence[int] | None = None,
        tensor_indices: Sequence[int] | None = None,
        name: str | None = None,
    ) -> None:
        self.name = name
        self._how = (mode, concat_axis, dot_axes, output_shape, output_mask, arguments, name)
        self.layers = list(layers or [])
        self.inputs: list[Any] = []
        self.output: Any = None
        if not self.layers:
            return
        if len(self.layers) < 2:
            raise ValueError(f"Merge should be applied to two or more layers. Got: {self.layers}")
        nodes, places = node_indices or [0] * len(self.layers), tensor_indices or [0] * len(self.layers)
        branches = []
        for layer, node, place in zip(self.layers, nodes, places, strict=True):
            outputs = layer.get_output_at(node) if hasattr(layer, "get_output_at") else layer
            branches.append(outputs[place] if isinstance(outputs, list) else outputs)
            found = getattr(layer, "inputs", None) or layer.get_input_at(node)
            self.inputs.extend(found if isinstance(found, list) else [found])
        self.output = _merged(branches, *self._how)

    def __call__(self, inputs: Sequence[Any]) -> Any:
        """The tensors combined."""
        return _merged(inputs, *self._how)
