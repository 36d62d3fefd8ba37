"""`ReceptiveField`: what a feature of a convolutional network sees of the image.

Going from the output to the input, a layer of kernel k, stride s and padding p turns a field of size r, effective stride S
and effective padding P of what it gives into one of size s r + k - s, stride s S and padding s P + p of what it takes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from headrace.contrib.receptive_field.compute_order import get_compute_order
from headrace.contrib.receptive_field.layer_parameters import get_layer_params
from headrace.core.graph import Graph
from headrace.core.tensor import Tensor

if TYPE_CHECKING:
    from headrace.messages.protos import GraphDef


class ReceptiveField:
    """What each feature of a network's output sees of its input, along x and y.

    Args:
        size: how many values of the input.
        stride: how far apart what two neighbours see lies.
        padding: how far before the first value the first feature begins to see.

    Example:
        >>> field = tf.contrib.receptive_field.ReceptiveField([3, 3], [2, 2], [1, 1])
        >>> field.compute_input_center_coordinates([[0, 1]])
        array([[0., 2.]])
    """

    def __init__(self, size: Any, stride: Any, padding: Any) -> None:
        self.size, self.stride, self.padding = np.asarray(size), np.asarray(stride), np.asarray(padding)

    def compute_input_center_coordinates(self, y: Any, axis: Iterable[int] | None = None) -> np.ndarray:
        """Where in the input the middle of what features see lies.

        Args:
            y: the features' coordinates, an array (..., axes).
            axis: which axes they are of; all by default.

        Raises:
            ValueError: if there are not as many coordinates as axes.
        """
        axes, y = self._checked(y, axis, "feature coordinates `y`")
        return -self.padding[axes] + y * self.stride[axes] + (self.size[axes] - 1) / 2

    def compute_feature_coordinates(self, x: Any, axis: Iterable[int] | None = None) -> np.ndarray:
        """Which features see places of the input in their middle.

        Args:
            x: coordinates in the input, an array (..., axes).
            axis: which axes they are of; all by default.

        Raises:
            ValueError: if there are not as many coordinates as axes.
        """
        axes, x = self._checked(x, axis, "input center coordinates `x`")
        return (x + self.padding[axes] + (1 - self.size[axes]) / 2) / self.stride[axes]

    def _checked(self, places: Any, axis: Iterable[int] | None, what: str) -> tuple[list[int], np.ndarray]:
        axes = list(range(self.size.size) if axis is None else axis)
        places = np.asarray(places)
        if places.shape[-1] != len(axes):
            raise ValueError(
                f"Dimensionality of the {what} ({places.shape[-1]}) does not match dimensionality of `axis` ({len(axes)})"
            )
        return axes, places

    def __iter__(self) -> Iterator[Any]:
        return iter(np.concatenate([self.size, self.stride, self.padding]))


class _Field(NamedTuple):
    """A receptive field along one axis; the padding is None where it is not known."""

    size: int
    stride: int
    padding: int | None

    def before(self, kernel: int, stride: int, padding: int | None) -> _Field:
        known = self.padding is not None and padding is not None
        return _Field(
            stride * self.size + kernel - stride,
            stride * self.stride,
            stride * self.padding + padding if known else None,  # type: ignore[operator]  # both are numbers
        )

    def joined(self, other: _Field, direction: str) -> _Field:
        """The larger of two fields of one node, which must lie over each other."""
        if self.padding is not None and other.padding is not None:
            if self.stride != other.stride:
                raise ValueError(
                    "Graph is not aligned since effective stride from different paths is different in "
                    f"{direction} direction"
                )
            if (self.size - 1) / 2 - self.padding != (other.size - 1) / 2 - other.padding:
                raise ValueError(
                    f"Graph is not aligned since center shift from different paths is different in {direction} direction"
                )
        return other if self.size < other.size else self


def compute_receptive_field_from_graph_def(
    graph_def: Graph | GraphDef,
    input_node: str | Tensor,
    output_node: str | Tensor,
    stop_propagation: Sequence[str] | None = None,
    input_resolution: Sequence[int] | None = None,
) -> ReceptiveField:
    """The receptive field of a network's output.

    Args:
        graph_def: the graph, or its `GraphDef`.
        input_node, output_node: the image and the features: tensors, or names of nodes.
        stop_propagation: beginnings of names of nodes that are not looked into.
        input_resolution: height and width of the image. What "SAME" pads may depend on them; the padding is None where
            it does and they are not known.

    Raises:
        ValueError: if ways through the network see different places, for layers of unknown kinds, and where input or
            output are not found.

    Example:
        >>> image = tf.placeholder(tf.float32, [1, None, None, 3], name="image")
        >>> features = tf.contrib.slim.conv2d(image, 8, 3, stride=2, padding="VALID", scope="features")
        >>> field = tf.contrib.receptive_field.compute_receptive_field_from_graph_def(
        ...     tf.get_default_graph(), image, features.op.inputs[0])
        >>> list(field)
        [3, 3, 2, 2, 0, 0]
    """
    if isinstance(graph_def, Graph):
        graph_def = graph_def.as_graph_def()
    first, last = (each.op.name if isinstance(each, Tensor) else each for each in (input_node, output_node))
    infos, nodes = get_compute_order(graph_def, first, input_resolution)
    if last not in nodes:
        raise ValueError("Output node was not found")
    fields = {last: (_Field(1, 1, 0), _Field(1, 1, 0))}
    unknown = False
    for info in sorted(infos.values(), key=lambda each: -each.order):
        name = info.node.name
        if name == first:
            break
        if name not in fields:
            continue
        layer: Any = get_layer_params(info.node, nodes, info.input_size)
        unknown = unknown or layer.padding_x is None or layer.padding_y is None
        x = fields[name][0].before(layer.kernel_size_x, layer.stride_x, None if unknown else layer.padding_x)
        y = fields[name][1].before(layer.kernel_size_y, layer.stride_y, None if unknown else layer.padding_y)
        for each in info.node.input:
            if each.startswith(("^", *(stop_propagation or ()))):
                continue
            before = fields.get(each)
            fields[each] = (
                (x, y) if before is None else (before[0].joined(x, "horizontal"), before[1].joined(y, "vertical"))
            )
    if first not in fields:
        raise ValueError("Input node was not found")
    x, y = fields[first]
    return ReceptiveField((x.size, y.size), (x.stride, y.stride), (x.padding, y.padding))
