"""What a layer asks of its inputs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from headrace.core import nest
from headrace.core.dtypes import as_dtype
from headrace.core.shapes import TensorShape

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import DTypeLike


class InputSpec:
    """What an input of a layer has to be; everything left out is free.

    Args:
        dtype: its element type.
        shape: its shape; None entries are free.
        ndim: its rank; that of `shape` where that is given.
        max_ndim, min_ndim: bounds of its rank.
        axes: sizes by axis.

    Raises:
        TypeError: if a key of `axes` is no integer; ValueError: if it is beyond the rank.

    Example:
        >>> layer = tf.layers.Dense(10)
        >>> layer.input_spec = tf.layers.InputSpec(min_ndim=2, axes={-1: 64})
    """

    def __init__(
        self,
        dtype: DTypeLike | None = None,
        shape: Any = None,
        ndim: int | None = None,
        max_ndim: int | None = None,
        min_ndim: int | None = None,
        axes: Mapping[int, int] | None = None,
    ) -> None:
        self.dtype = None if dtype is None else as_dtype(dtype).name
        self.shape = shape
        self.ndim = ndim if shape is None else len(shape)
        self.max_ndim = max_ndim
        self.min_ndim = min_ndim
        try:
            self.axes = {int(axis): size for axis, size in (axes or {}).items()}
        except (AttributeError, TypeError, ValueError):
            raise TypeError("The keys in axes must be integers.") from None
        most = self.ndim or self.max_ndim
        if self.axes and most is not None and max(self.axes) > most - 1:
            raise ValueError(f"Axis {max(self.axes)} is greater than the maximum allowed value: {most - 1}")

    def __repr__(self) -> str:
        parts = ((key, getattr(self, key)) for key in ("dtype", "shape", "ndim", "max_ndim", "min_ndim", "axes"))
        return f"InputSpec({', '.join(f'{key}={value}' for key, value in parts if value)})"

    def get_config(self) -> dict[str, Any]:
        """Its arguments."""
        return {key: getattr(self, key) for key in ("dtype", "shape", "ndim", "max_ndim", "min_ndim", "axes")}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> InputSpec:
        """The one that `get_config` describes."""
        return cls(**config)


def check_inputs(specs: Any, inputs: Any, layer_name: str) -> None:
    """Raises ValueError if the inputs of a layer are not what its specs ask for."""
    if not specs:
        return
    inputs, specs = nest.flatten(inputs), nest.flatten(specs)
    if len(inputs) != len(specs):
        raise ValueError(
            f"Layer {layer_name} expects {len(specs)} inputs, but it received {len(inputs)} input tensors. "
            f"Inputs received: {inputs}"
        )
    for index, (tensor, spec) in enumerate(zip(inputs, specs)):
        if spec is None:
            continue
        wrong = _mismatch(spec, tensor)
        if wrong is not None:
            raise ValueError(f"Input {index} of layer {layer_name} is incompatible with the layer: {wrong}")
        if spec.shape is not None and tensor.shape.ndims is not None:
            sizes = tensor.shape.as_list()
            if any(None not in pair and pair[0] != pair[1] for pair in zip(spec.shape, sizes)):
                raise ValueError(
                    f"Input {index} is incompatible with layer {layer_name}: expected shape={spec.shape}, found "
                    f"shape={sizes}"
                )


def _mismatch(spec: InputSpec, tensor: Tensor) -> str | None:
    shape: TensorShape = tensor.shape
    rank = shape.ndims
    if rank is None:
        if spec.ndim is None and spec.min_ndim is None and spec.max_ndim is None:
            return None
        return "its rank is undefined, but the layer requires a defined rank."
    sizes = shape.as_list()
    received = f"Full shape received: {sizes}"
    if spec.ndim is not None and rank != spec.ndim:
        return f"expected ndim={spec.ndim}, found ndim={rank}. {received}"
    if spec.max_ndim is not None and rank > spec.max_ndim:
        return f"expected max_ndim={spec.max_ndim}, found ndim={rank}"
    if spec.min_ndim is not None and rank < spec.min_ndim:
        return f": expected min_ndim={spec.min_ndim}, found ndim={rank}. {received}"
    if spec.dtype is not None and tensor.dtype != spec.dtype:
        return f"expected dtype={spec.dtype}, found dtype={tensor.dtype}"
    for axis, expected in spec.axes.items():
        size = getattr(expected, "value", expected)
        if size is not None and sizes[axis] not in (size, None):
            return f"expected axis {axis} of input shape to have value {size} but received input with shape {sizes}"
    return None
