"""The inputs of models: placeholders as layers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.core import nest
from headrace.core.dtypes import as_dtype
from headrace.core.shapes import TensorShape
from headrace.core.tensor import Tensor
from headrace.functions.ragged.factory import placeholder as ragged_placeholder
from headrace.functions.sparse.building import sparse_placeholder
from headrace.keras import backend_config
from headrace.keras.engine import op_layer as op_layer
from headrace.layers.context import get_graph, unique_object_name
from headrace.layers.engine import Layer
from headrace.layers.nodes import KerasHistory, Node
from headrace.ops.array.constant import placeholder

if TYPE_CHECKING:
    from headrace.core.typing import DTypeLike, ShapeLike


class InputLayer(Layer):
    """A layer whose output is an input of a model.

    Args:
        input_shape: the shape of one example.
        batch_size: the number of examples, free if None.
        dtype: the type; that of `input_tensor`, else `floatx()`, by default.
        input_tensor: the tensor to take the place of a placeholder.
        sparse: whether the placeholder is a `SparseTensor`.
        name: its name, "input_1" and so on by default.
        ragged: whether the placeholder is a `RaggedTensor`.
        **kwargs: `batch_input_shape`, the shape of a batch, in the place of `input_shape` and `batch_size`.

    Raises:
        ValueError: for other keyword arguments, or if `input_tensor` is of another type or has a value.
        TypeError: if `batch_size` is a text.
    """

    _is_input_layer = True
    _batch_input_shape: Any

    def __init__(
        self,
        input_shape: ShapeLike | None = None,
        batch_size: int | None = None,
        dtype: DTypeLike | None = None,
        input_tensor: Any = None,
        sparse: bool = False,
        name: str | None = None,
        ragged: bool = False,
        **kwargs: Any,
    ) -> None:
        if isinstance(batch_size, (str, bytes)):
            raise TypeError(f"batch_size must be a number of examples, got {batch_size!r}")
        if isinstance(batch_size, Tensor) and batch_size._is_graph_tensor:
            raise ValueError(f"batch_size must be a number of examples, which {batch_size!r} does not tell here")
        if "batch_input_shape" in kwargs:
            batch_shape = kwargs.pop("batch_input_shape")
            if input_shape and batch_shape:
                raise ValueError(
                    "Only provide the input_shape OR batch_input_shape argument to InputLayer, not both at the same time."
                )
            if batch_shape:
                batch_size, input_shape = batch_shape[0], tuple(batch_shape[1:])
        if kwargs:
            raise ValueError("Unrecognized keyword arguments:", kwargs.keys())
        if dtype and input_tensor is not None and input_tensor.dtype != dtype:
            raise ValueError(f"`input_tensor.dtype` differs from `dtype`: {input_tensor.dtype} vs. {dtype}")
        if not dtype:
            dtype = backend_config.floatx() if input_tensor is None else input_tensor.dtype.base_dtype.name
        super().__init__(dtype=as_dtype(dtype).name, name=name or unique_object_name("input", zero_based=False))
        self.built = True
        self.sparse, self.ragged, self.batch_size = sparse, ragged, batch_size
        self.supports_masking = True
        self.is_placeholder = input_tensor is None
        if input_tensor is None:
            self._batch_input_shape = _batch_shape(input_shape, batch_size)
            input_tensor = self._placeholder()
        else:
            if isinstance(input_tensor, Tensor) and not input_tensor._is_graph_tensor:
                raise ValueError(
                    "You should not pass an EagerTensor to `Input`. For example, instead of creating an InputLayer, "
                    "you should instantiate your model and directly call it on your input."
                )
            dims = input_tensor.shape
            self._batch_input_shape = None if dims.ndims is None else tuple(dims.as_list())
        input_tensor._keras_mask = None
        input_tensor._keras_history = KerasHistory(self, 0, 0)
        Node(self, [], [], [], [input_tensor], [input_tensor])

    def _placeholder(self) -> Any:
        shape = self._batch_input_shape
        with get_graph().as_default():
            if self.sparse:
                return sparse_placeholder(self.dtype, shape=shape, name=self.name)
            if self.ragged:
                inner = list(shape[1:]) if shape else []
                rank = 0
                while inner and inner[0] is None:
                    rank += 1
                    del inner[0]
                return ragged_placeholder(self.dtype, rank, value_shape=tuple(inner), name=self.name)
            return placeholder(self.dtype, shape=shape, name=self.name)

    def get_config(self) -> dict[str, Any]:
        """The arguments to make another such layer with."""
        return {
            "batch_input_shape": self._batch_input_shape,
            "dtype": self.dtype,
            "sparse": self.sparse,
            "ragged": self.ragged,
            "name": self.name,
        }


def _batch_shape(input_shape: Any, batch_size: int | None) -> tuple[int | None, ...] | None:
    if input_shape is None:
        return None
    if isinstance(input_shape, TensorShape):
        return (batch_size, *input_shape.as_list()) if input_shape.ndims is not None else None
    if isinstance(input_shape, int):
        return (batch_size, input_shape)
    return (batch_size, *(getattr(size, "value", size) for size in input_shape))


def Input(
    shape: ShapeLike | None = None,
    batch_size: int | None = None,
    name: str | None = None,
    dtype: DTypeLike | None = None,
    sparse: bool = False,
    tensor: Any = None,
    ragged: bool = False,
    **kwargs: Any,
) -> Any:
    """A symbolic tensor to build a model on.

    Args:
        shape: the shape of one example.
        batch_size: the number of examples, free if None.
        name: the name of the input.
        dtype: its type, `floatx()` by default.
        sparse: whether it is a `SparseTensor`.
        tensor: a tensor to take the place of a placeholder.
        ragged: whether it is a `RaggedTensor`.
        **kwargs: `batch_shape`, the shape of a batch, in the place of `shape` and `batch_size`.

    Returns:
        the tensor.

    Raises:
        ValueError: if no shape is given, or for other keyword arguments.

    Example:
        >>> x = tf.keras.Input(shape=(32,))
        >>> model = tf.keras.Model(x, tf.keras.layers.Dense(16)(x))
    """
    if sparse and ragged:
        raise ValueError("Cannot set both sparse and ragged to True in a Keras input.")
    batch_shape = kwargs.pop("batch_shape", None)
    if shape and batch_shape:
        raise ValueError(
            "Only provide the `shape` OR `batch_input_shape` argument to Input, not both at the same time."
        )
    if batch_shape:
        shape = batch_shape[1:]
        kwargs["batch_input_shape"] = batch_shape
    if "batch_input_shape" not in kwargs and shape is None and tensor is None:
        raise ValueError(
            "Please provide to Input either a `shape` or a `tensor` argument. Note that `shape` does not include the "
            "batch dimension."
        )
    if "batch_input_shape" in kwargs:
        shape, batch_size = None, None
    layer = InputLayer(
        input_shape=shape,
        batch_size=batch_size,
        name=name,
        dtype=dtype,
        sparse=sparse,
        ragged=ragged,
        input_tensor=tensor,
        **kwargs,
    )
    outputs = layer._inbound_nodes[0].output_tensors
    flat = nest.flatten(outputs)
    return flat[0] if len(flat) == 1 else outputs
