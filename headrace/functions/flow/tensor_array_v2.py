"""`tf.TensorArray` under control flow v2: a TensorList, which loops carry as the array's flow."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headrace.core.constant_value import constant_value
from headrace.core.defaults import name_scope
from headrace.core.dims import Dims
from headrace.core.dtypes import DType, as_dtype, int64, variant
from headrace.core.operation import Operation
from headrace.core.registry import raw
from headrace.core.shapes import TensorShape
from headrace.core.tensor import Tensor
from headrace.functions.flow import list_ops
from headrace.ops.math.cast import cast

if TYPE_CHECKING:
    from headrace.core.typing import ShapeLike, TensorLike


class TensorArrayV2Methods:
    """The methods of TensorArray over a TensorList."""

    _dtype: DType
    _dynamic_size: bool
    _shared: Any
    _flow: Tensor
    _checked: Callable[[Any], Tensor]
    _checked_rows: Callable[[Any], Tensor]
    _learn: Callable[[Dims], None]

    def _begin(self, dtype: DType, size: Any, flow: Any, element_shape: ShapeLike | None, name: str | None) -> None:
        if flow is not None and (not isinstance(flow, Tensor) or flow.dtype is not variant):
            raise TypeError("flow must be a variant tensor")
        if flow is None and size is None:
            raise ValueError("Size must be provided if flow is not provided")
        if flow is not None and size is not None:
            raise ValueError("Cannot provide both a flow and size at the same time")
        if flow is not None and element_shape is not None:
            raise ValueError("Cannot provide both a flow and element_shape at the same time")
        self._dtype = as_dtype(dtype).base_dtype
        with name_scope(name, "TensorArrayV2", [item for item in (size, flow) if item is not None]) as scope:
            self._flow = (
                list_ops.tensor_list_reserve(element_shape, size, self._dtype, name=scope) if flow is None else flow
            )

    @property
    def handle(self) -> None:
        """There is none: the flow is the array."""
        return None

    @property
    def element_shape(self) -> TensorShape:
        """What is known of the shape of each element."""
        return TensorShape.from_dims(self._shared.dims)

    def with_flow(self, flow: Tensor) -> TensorArrayV2Methods:
        """The array that `flow` is."""
        with name_scope(None, "TensorArrayV2", [flow]):
            # Each of them takes a name, as each is made anew in 1.x.
            other: TensorArrayV2Methods = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other._flow = flow
        return other

    def identity(self) -> Any:
        """The same array, after the control dependencies in force."""
        return self.with_flow(raw.Identity(self._flow))

    def grad(self, source: str, flow: Tensor | None = None, name: str | None = None) -> Any:
        """Not there: lists are differentiated as they are.

        Raises:
            NotImplementedError: always.
        """
        raise NotImplementedError("TensorArray.grad: use tf.gradients; the array is a TensorList here.")

    def read(self, index: TensorLike, name: str | None = None) -> Tensor:
        """The element at `index`."""
        with name_scope(name, "TensorArrayV2Read", [self._flow, index]):
            return list_ops.tensor_list_get_item(self._flow, index, self._dtype, self.element_shape, name=name)

    def write(self, index: Any, value: TensorLike, name: str | None = None) -> Any:
        """Sets the element at `index`; use the array that is returned from there on."""
        with name_scope(name, "TensorArrayV2Write", [self._flow, index, value]):
            tensor = self._checked(value)
            self._learn(tensor.dims)
            return self.with_flow(
                list_ops.tensor_list_set_item(
                    self._flow, index, tensor, resize_if_index_out_of_bounds=self._dynamic_size, name=name
                )
            )

    def stack(self, name: str | None = None) -> Tensor:
        """All elements as one tensor, with a new first axis."""
        with name_scope(name, "TensorArrayV2Stack", [self._flow]):
            return list_ops.tensor_list_stack(self._flow, self._dtype, element_shape=self.element_shape)

    def gather(self, indices: TensorLike, name: str | None = None) -> Tensor:
        """The elements at `indices` as one tensor, with a new first axis."""
        return list_ops.tensor_list_gather(self._flow, indices, self._dtype, self.element_shape, name=name)

    def concat(self, name: str | None = None) -> Tensor:
        """All elements one after the other along their first axis."""
        dims = self._shared.dims
        shape = None if dims is None else TensorShape([None, *dims[1:]])
        return list_ops.tensor_list_concat(self._flow, self._dtype, shape, name=name)

    def unstack(self, value: TensorLike, name: str | None = None) -> Any:
        """Makes the rows of `value` the elements."""
        with name_scope(name, "TensorArrayUnstack", [self._flow, value]):
            tensor = self._checked_rows(value)
            row = None if tensor.dims is None else tensor.dims[1:]
            self._learn(row)
            return self.with_flow(list_ops.tensor_list_from_tensor(tensor, row))

    def scatter(self, indices: TensorLike, value: TensorLike, name: str | None = None) -> TensorArrayV2Methods:
        """Writes the rows of `value` to the elements at `indices`."""
        with name_scope(name, "TensorArrayScatter", [self._flow, value, indices]):
            tensor = self._checked_rows(value)
            self._learn(None if tensor.dims is None else tensor.dims[1:])
            return self.with_flow(
                list_ops.tensor_list_scatter(tensor, indices, self.element_shape, input_handle=self._flow)
            )

    def split(self, value: TensorLike, lengths: TensorLike, name: str | None = None) -> Any:
        """Makes consecutive slices of `value`, `lengths[i]` rows long, the elements."""
        with name_scope(name, "TensorArraySplit", [self._flow, value, lengths]):
            tensor = self._checked_rows(value)
            rows = cast(lengths, int64)
            known = constant_value(rows)
            if tensor.dims is not None and known is not None and known.shape and known.max() == known.min():
                self._learn((int(known[0]), *tensor.dims[1:]))
            return self.with_flow(list_ops.tensor_list_split(tensor, self.element_shape, rows, name=name))

    def size(self, name: str | None = None) -> Tensor:
        """The number of elements, an int32 scalar."""
        return raw.TensorListLength(self._flow, name=name)

    def close(self, name: str | None = None) -> Operation:
        """Does nothing: a list is freed when nobody refers to it."""
        return raw.NoOp(name=name)

    def __repr__(self) -> str:
        return f"<tf.TensorArray dtype={self._dtype.name} element_shape={self.element_shape} flow='{self._flow.name}'>"
