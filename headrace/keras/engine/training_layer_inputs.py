"""What the first layer of a model takes: its shape, the size of its batches, its type.

1.15 publishes none of these names; programs reach them by `tensorflow.python.keras.engine.training_utils`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.core import nest
from headrace.core.convert import convert_to_tensor
from headrace.core.dtypes import as_dtype
from headrace.core.tensor import Tensor
from headrace.keras import backend_config
from headrace.keras.engine.network import Network
from headrace.keras.engine.sequential import Sequential
from headrace.ops.math.cast import cast

if TYPE_CHECKING:
    from headrace.core.typing import DTypeLike
    from headrace.layers.engine import Layer


def get_input_shape_and_dtype(layer: Layer) -> tuple[Any, str | None]:
    """The shape, with the batch's axis, and the type that a layer was made for; None for each where it was for none.

    Args:
        layer: a layer; of a model its first one counts.

    Raises:
        ValueError: if a model among them has no layers.
    """
    while isinstance(layer, Network) and (isinstance(layer, Sequential) or layer._is_graph_network):
        if not layer.layers:
            raise ValueError("An empty Model cannot be used as a Layer.")
        layer = layer.layers[0]
    shape = getattr(layer, "_batch_input_shape", None)
    return (None, None) if shape is None else (tuple(shape), layer.dtype)


def get_static_batch_size(layer: Layer) -> int | None:
    """The number of samples that each batch for a layer has; None where any will do.

    Args:
        layer: as of `get_input_shape_and_dtype`.
    """
    shape, _ = get_input_shape_and_dtype(layer)
    return None if shape is None else shape[0]


def list_to_tuple(maybe_list: Any) -> Any:
    """A list as a tuple; anything else as it is."""
    return tuple(maybe_list) if isinstance(maybe_list, list) else maybe_list


def cast_single_tensor(x: Any, dtype: DTypeLike | None = None) -> Tensor:
    """A tensor or array as a tensor, a floating one in another type: that of Keras by default."""
    dtype = as_dtype(dtype or backend_config.floatx())
    tensor = x if isinstance(x, Tensor) else convert_to_tensor(x)
    return cast(tensor, dtype) if tensor.dtype.is_floating and tensor.dtype != dtype else tensor


def cast_if_floating_dtype(x: Any) -> Any:
    """The tensors and arrays of a structure in the floating type of Keras, those of integers as they are."""
    return nest.map_structure(cast_single_tensor, x)


def cast_if_floating_dtype_and_mismatch(targets: Any, outputs: Any) -> Any:
    """Targets in the types of outputs, where they are floating: a tensor, or a list of tensors or arrays."""
    if isinstance(targets, Tensor):
        return cast_single_tensor(targets, outputs.dtype)
    return [cast_single_tensor(target, output.dtype) for target, output in zip(targets, outputs, strict=True)]


def cast_to_model_input_dtypes(x: Any, model: Any) -> Any:
    """Inputs in the types of a model's inputs.

    Args:
        x: tensors or arrays in the structure of the model's inputs.
        model: the model.
    """
    types = nest.map_structure(lambda tensor: tensor.dtype, model.inputs)
    return nest.map_structure(lambda value, dtype: cast(convert_to_tensor(value), dtype), x, types)
