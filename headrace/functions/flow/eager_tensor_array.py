"""`tf.TensorArray` while executing eagerly: a Python list."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core import errors
from headrace.core.convert import convert_to_tensor
from headrace.core.dims import Dims, compatible_dims, merge_dims
from headrace.core.dtypes import DType, as_dtype
from headrace.core.eager import eager_graph
from headrace.core.registry import raw
from headrace.core.shapes import TensorShape, as_dims
from headrace.core.tensor import Tensor

if TYPE_CHECKING:
    from headrace.core.typing import DTypeLike, ShapeLike, TensorLike


class EagerList:
    """The elements of a TensorArray and its rules, shared by all that stand for the array at some time.

    Args:
        dtype: the element type.
        size: how many elements it has.
        dynamic: whether writing past the end makes it longer.
        clear: whether an element is freed by reading it.
        infer_shape: whether all elements have one shape, learned from the first one written.
        dims: what is known of the elements' shape.
        name: a name for messages.
    """

    def __init__(
        self,
        dtype: DTypeLike,
        size: int,
        dynamic: bool,
        clear: bool,
        infer_shape: bool,
        dims: Dims,
        name: str | None,
    ) -> None:
        self.dtype: DType = as_dtype(dtype).base_dtype
        self.dynamic = dynamic
        self.clear = clear
        self.infer_shape = infer_shape
        self.dims = dims
        self.name = name or "TensorArray"
        self.items: list[Tensor | None] = [None] * size
        self.cleared: set[int] = set()

    def read(self, index: Any) -> Tensor:
        """The element at `index`: zeros where none was written.

        Raises:
            OutOfRangeError: if there is no such element.
            InvalidArgumentError: if it was freed, or was never written and its shape is unknown.
        """
        at = int(index)
        if at < 0:
            raise errors.OutOfRangeError(None, None, f"Reading from negative indices (index {at}) is not allowed.")
        if at >= len(self.items):
            raise errors.OutOfRangeError(
                None, None, f"Tried to read from index {at} but array size is: {len(self.items)}"
            )
        item = self.items[at]
        if item is None:
            if at in self.cleared:
                raise errors.InvalidArgumentError(
                    None,
                    None,
                    f"Could not read index {at} twice because it was cleared after a previous read (perhaps try setting "
                    "clear_after_read = false?)",
                )
            item = self.items[at] = self._zero(at)
        if self.clear:
            self.items[at] = None
            self.cleared.add(at)
        return item

    def _zero(self, at: int) -> Tensor:
        if self.dims is None or None in self.dims:
            raise ValueError(
                f"Could not read from TensorArray index {at} because it has not been written to and its element shape "
                f"({TensorShape.from_dims(self.dims)}) is not fully defined."
            )
        return (
            convert_to_tensor(0, self.dtype)
            if not self.dims
            else raw.Fill(list(self.dims), convert_to_tensor(0, self.dtype))
        )

    def write(self, index: Any, value: TensorLike) -> None:
        """Sets the element at `index`.

        Raises:
            OutOfRangeError: if there is no such element and it cannot grow.
            InvalidArgumentError: if `value` is of another type.
            ValueError: if its shape does not fit the other elements'.
        """
        at = int(index)
        if at < 0:
            raise errors.OutOfRangeError(None, None, f"Writing to negative indices (index {at}) is not allowed.")
        if at >= len(self.items):
            if not self.dynamic:
                raise errors.OutOfRangeError(
                    None,
                    None,
                    f"Tried to write to index {at} but array is not resizeable and size is: {len(self.items)}",
                )
            self.items.extend([None] * (at + 1 - len(self.items)))
        tensor = convert_to_tensor(value, preferred_dtype=self.dtype)
        if tensor.dtype.base_dtype is not self.dtype:
            raise errors.InvalidArgumentError(
                None,
                None,
                f"TensorArray dtype is {self.dtype.name} but Op is trying to write dtype {tensor.dtype.name}.",
            )
        if not compatible_dims(self.dims, tensor.dims):
            raise ValueError(
                f"Incompatible shape for value ({tensor.shape}), expected ({TensorShape.from_dims(self.dims)})"
            )
        if self.infer_shape:
            self.dims = merge_dims(self.dims, tensor.dims)
        self.items[at] = tensor

    def all_items(self) -> list[Tensor]:
        """All elements, zeros where none was written."""
        found = []
        for at, item in enumerate(self.items):
            if item is None:
                item = self._zero(at)
            found.append(item)
        if self.clear:
            self.cleared.update(range(len(self.items)))
        return found


class EagerMethods:
    """The methods of TensorArray over an `EagerList`: mixed into the class that eager programs get."""

    _list: EagerList
    _dtype: DType

    def _begin(self, items: EagerList) -> None:
        self._list = items
        self._dtype = items.dtype
        self._dynamic_size = items.dynamic
        self._infer_shape = items.infer_shape

    @property
    def flow(self) -> Tensor:
        """A scalar that says nothing: what was done before has been done."""
        return convert_to_tensor(0.0)

    @property
    def handle(self) -> Any:
        """There is none."""
        return eager_graph().tensor_of(self._list, as_dtype("resource"))

    @property
    def element_shape(self) -> TensorShape:
        """What is known of the shape of each element."""
        return TensorShape.from_dims(self._list.dims)

    def with_flow(self, flow: Any) -> Any:
        """The array itself."""
        return self

    def identity(self) -> Any:
        """The array itself."""
        return self

    def grad(self, source: str, flow: Any = None, name: str | None = None) -> Any:
        """Not there: tapes see the elements themselves.

        Raises:
            NotImplementedError: always.
        """
        raise NotImplementedError(
            "TensorArray.grad is not supported when executing eagerly; eager's gradient does not use it."
        )

    def read(self, index: int | Tensor, name: str | None = None) -> Tensor:
        """The element at `index`."""
        return self._list.read(index)

    def write(self, index: Any, value: TensorLike, name: str | None = None) -> Any:
        """Sets the element at `index`."""
        self._list.write(index, value)
        return self

    def stack(self, name: str | None = None) -> Tensor:
        """All elements as one tensor, with a new first axis."""
        items = self._list.all_items()
        if items:
            stacked: Tensor = raw.Pack(items, axis=0)
            return stacked
        dims = [0, *(d or 0 for d in self._list.dims or ())]
        return convert_to_tensor(np.zeros(dims, self._dtype.as_numpy_dtype), self._dtype)

    def gather(self, indices: TensorLike, name: str | None = None) -> Tensor:
        """The elements at `indices` as one tensor, with a new first axis."""
        positions = convert_to_tensor(indices)._array().tolist()  # type: ignore[attr-defined]  # eagerly tensors have arrays
        return raw.Pack([self._list.read(at) for at in positions], axis=0)

    def concat(self, name: str | None = None) -> Tensor:
        """All elements one after the other along their first axis."""
        items = self._list.all_items()
        if any(not item.dims for item in items):
            raise errors.InvalidArgumentError(None, None, "Concat saw a scalar shape, but requires at least vectors.")
        if len({(item.dims or ())[1:] for item in items}) > 1:
            raise errors.InvalidArgumentError(
                None, None, f"TensorArray has inconsistent shapes: {[str(item.shape) for item in items]}"
            )
        return raw.ConcatV2(items, 0) if len(items) > 1 else raw.Identity(items[0])

    def unstack(self, value: TensorLike, name: str | None = None) -> Any:
        """Writes the rows of `value` to the elements 0, 1, …"""
        tensor = convert_to_tensor(value)
        rows = raw.Unpack(tensor, num=int((tensor.dims or (0,))[0] or 0), axis=0)
        if len(rows) > len(self._list.items) and not self._list.dynamic:
            raise ValueError(
                f"Cannot unstack {len(rows)} tensors into a TensorArray of static size {len(self._list.items)}"
            )
        for at, row in enumerate(rows):
            self._list.write(at, row)
        return self

    def scatter(self, indices: TensorLike, value: TensorLike, name: str | None = None) -> Any:
        """Writes the rows of `value` to the elements at `indices`."""
        positions = convert_to_tensor(indices)._array().tolist()  # type: ignore[attr-defined]  # eagerly tensors have arrays
        tensor = convert_to_tensor(value)
        for at, row in zip(positions, raw.Unpack(tensor, num=int((tensor.dims or (0,))[0] or 0), axis=0), strict=True):
            self._list.write(at, row)
        return self

    def split(self, value: TensorLike, lengths: TensorLike, name: str | None = None) -> Any:
        """Writes consecutive slices of `value`, `lengths[i]` rows long, to the elements 0, 1, …"""
        tensor = convert_to_tensor(value, dtype=self._dtype)
        sizes = convert_to_tensor(lengths)._array()  # type: ignore[attr-defined]  # eagerly tensors have arrays
        if sizes.ndim != 1:
            raise errors.InvalidArgumentError(
                None, None, f"Expected lengths to be a vector, received shape: {list(sizes.shape)}"
            )
        if not tensor.dims:
            raise errors.InvalidArgumentError(
                None, None, "Expected value to be at least a vector, but received shape: []"
            )
        if int(sizes.sum()) != tensor.dims[0]:
            raise errors.InvalidArgumentError(
                None,
                None,
                f"Expected sum of lengths to be equal to values.shape[0], but sum of lengths is {int(sizes.sum())} and "
                f"value's shape is: {list(tensor.dims)}",
            )
        if len(sizes) != len(self._list.items) and not self._list.dynamic:
            raise errors.InvalidArgumentError(
                None,
                None,
                f"TensorArray's size is not equal to the size of lengths ({len(self._list.items)} vs. {len(sizes)}), and the "
                "TensorArray is not marked as dynamically resizeable",
            )
        for at, part in enumerate(raw.SplitV(tensor, lengths, 0, num_split=len(sizes))):
            self._list.write(at, part)
        return self

    def size(self, name: str | None = None) -> Tensor:
        """The number of elements, an int32 scalar."""
        return convert_to_tensor(len(self._list.items), as_dtype("int32"))

    def close(self, name: str | None = None) -> None:
        """Forgets the elements."""
        self._list.items.clear()

    def __repr__(self) -> str:
        return (
            f"<tf.TensorArray dtype={self._dtype.name} element_shape={self.element_shape} size={len(self._list.items)}>"
        )


def eager_list(
    dtype: DType,
    size: TensorLike,
    dynamic_size: bool | None,
    clear_after_read: Any,
    name: str | None,
    infer_shape: bool,
    element_shape: ShapeLike | None,
) -> EagerList:
    """The list of a new array, of the arguments of `TensorArray`."""
    count = operator.index(size._array()[()] if isinstance(size, Tensor) else size)  # type: ignore[attr-defined, arg-type]  # eagerly tensors have arrays
    return EagerList(
        dtype,
        count,
        bool(dynamic_size),
        True if clear_after_read is None else bool(clear_after_read),
        infer_shape,
        as_dims(element_shape),
        name,
    )
