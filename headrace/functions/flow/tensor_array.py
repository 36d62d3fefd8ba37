"""`tf.TensorArray`: a list of tensors in the graph, written and read by index, and the gradients of its ops."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core import errors
from headrace.core.constant_value import constant_value
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import colocate_with, control_dependencies, device, get_default_graph, name_scope
from headrace.core.dims import Dims, merge_dims
from headrace.core.dtypes import DType, as_dtype, int64
from headrace.core.eager import executing_eagerly
from headrace.core.operation import Operation
from headrace.core.registry import raw
from headrace.core.shapes import TensorShape, as_dims
from headrace.core.tensor import Tensor
from headrace.functions.flow import list_ops
from headrace.functions.flow.eager_tensor_array import EagerMethods, eager_list
from headrace.functions.flow.existing_arrays import check_existing, check_of_function
from headrace.functions.flow.modes import BodyGraph, builds_functions, calls_functions
from headrace.functions.flow.tensor_array_v2 import TensorArrayV2Methods
from headrace.kernels.composing.arithmetic import range as integers
from headrace.kernels.composing.arranging import identity
from headrace.kernels.composing.shapes import shape as shape_of
from headrace.ops.flow import tensor_array_ops
from headrace.ops.math.cast import cast

if TYPE_CHECKING:
    from headrace.core.typing import DTypeLike, ShapeLike, TensorLike


assert tensor_array_ops


class _Shared:
    """What a TensorArray and those made from its later flows share.

    Attributes:
        dims: what is known of the elements' shape.
        first: the tensor that the array is placed with: the first one written.
    """

    def __init__(self, dims: Dims) -> None:
        self.dims = dims
        self.first: Tensor | None = None


class TensorArray:
    """A list of tensors of one type, each written once, for loops that collect or hand out elements.

    Args:
        dtype: the element type.
        size: int32 scalar, the number of elements.
        dynamic_size: whether writing past the end makes the list longer.
        clear_after_read: whether an element is freed by reading it; it can then be read once only. Inside of functions
            (`tf.function`, `Dataset.map`) elements stay.
        tensor_array_name: a name for messages.
        handle, flow: an array that exists already, instead of a size.
        infer_shape: whether all elements have one shape, learned from the first one written.
        element_shape: what is known of the shape of each element.
        colocate_with_first_write_call: whether it is placed with the first tensor written.
        name: a name scope.

    Raises:
        ValueError: for arguments that exclude each other.
        TypeError: if `handle` is not a tensor.
        AttributeError: if `flow` is not a tensor.

    Example:
        >>> array = tf.TensorArray(tf.float32, size=2).write(0, [1.0]).write(1, [2.0])
        >>> array.stack()  # [[1.0], [2.0]]
    """

    def __new__(cls, *args: Any, **kwargs: Any) -> TensorArray:
        if cls is TensorArray:
            flow = kwargs.get("flow", args[6] if len(args) > 6 else None)
            if flow is not None and not hasattr(flow, "dtype"):
                raise AttributeError(f"TensorArray: flow must be a tensor, got {flow!r}.")
            if executing_eagerly():
                cls = _EagerTensorArray
            elif builds_functions() and kwargs.get("handle") is None and (len(args) < 6 or args[5] is None):
                cls = _TensorArrayV2
        return object.__new__(cls)

    def __init__(
        self,
        dtype: DTypeLike | None,
        size: int | Tensor | None = None,
        dynamic_size: bool | None = None,
        clear_after_read: bool | None = None,
        tensor_array_name: str | None = None,
        handle: Tensor | None = None,
        flow: Tensor | None = None,
        infer_shape: bool = True,
        element_shape: ShapeLike | None = None,
        colocate_with_first_write_call: bool = True,
        name: str | None = None,
    ) -> None:
        if calls_functions(get_default_graph()):
            check_of_function(handle)
        if handle is not None:
            check_existing(handle, tensor_array_name, size, element_shape, dynamic_size, clear_after_read)
        elif size is None:
            raise ValueError("Size must be provided if handle is not provided")
        self._dynamic_size = dynamic_size or False
        self._dtype: DType = as_dtype(dtype).base_dtype
        self._colocates = colocate_with_first_write_call
        self._infer_shape = infer_shape
        self._shared = _Shared(as_dims(element_shape))
        with name_scope(name, "TensorArray", [item for item in (handle, size, flow) if item is not None]) as scope:
            if handle is not None:
                if flow is None:
                    raise ValueError("flow must not be None if handle is not None.")
                self._handle, self._flow = handle, flow
                return
            with contextlib.ExitStack() as places:
                if colocate_with_first_write_call:
                    places.enter_context(device(None))
                    places.enter_context(colocate_with(None, ignore_existing=True))
                self._handle, self._flow = raw.TensorArrayV3(
                    size,
                    dtype=self._dtype,
                    element_shape=as_dims(element_shape),
                    identical_element_shapes=infer_shape,
                    dynamic_size=self._dynamic_size,
                    clear_after_read=True if clear_after_read is None else clear_after_read,
                    tensor_array_name="" if tensor_array_name is None else tensor_array_name,
                    name=scope,
                )

    @property
    def flow(self) -> Tensor:
        """A scalar by which later uses wait for what was done up to here."""
        return self._flow

    @property
    def dtype(self) -> DType:
        """The element type."""
        return self._dtype

    @property
    def handle(self) -> Tensor:
        """The resource of the array."""
        return self._handle

    @property
    def element_shape(self) -> TensorShape:
        """What is known of the shape of each element."""
        return TensorShape.from_dims(self._shared.dims)

    @property
    def dynamic_size(self) -> bool:
        """Whether writing past the end makes the list longer."""
        return self._dynamic_size

    def with_flow(self, flow: Tensor) -> TensorArray:
        """The same array, as it is after what `flow` comes from."""
        other = object.__new__(TensorArray)
        other.__dict__.update(self.__dict__)
        other._flow = flow
        return other

    def identity(self) -> TensorArray:
        """The same array, with a flow that waits for the control dependencies in force."""
        return self.with_flow(identity(self._flow))

    def grad(self, source: str, flow: Tensor | None = None, name: str | None = None) -> TensorArray:
        """The array of the elements' gradients.

        Args:
            source: a name for the call of `gradients` it belongs to: each has arrays of its own.
            flow: what it waits for; this array's flow by default.
            name: a name for the operation.
        """
        flow = self._flow if flow is None else flow
        with name_scope(name, "TensorArrayGrad", [self._handle]), colocate_with(self._handle):
            handle, _ = raw.TensorArrayGradV3(self._handle, flow, source=source, name=name)
            with control_dependencies([handle]):
                flow = identity(flow, name="gradient_flow")
            made = TensorArray(
                self._dtype,
                handle=handle,
                flow=flow,
                infer_shape=self._infer_shape,
                colocate_with_first_write_call=False,
            )
            made._shared = _Shared(self._shared.dims) if not self._infer_shape else self._shared
            return made

    def read(self, index: TensorLike, name: str | None = None) -> Tensor:
        """The element at `index`."""
        value = raw.TensorArrayReadV3(self._handle, index, self._flow, dtype=self._dtype, name=name)
        value.set_shape(self.element_shape)
        return value

    def write(self, index: Any, value: float | Tensor | Sequence[float], name: str | None = None) -> TensorArray:
        """Sets the element at `index`; use the array that is returned from there on.

        Raises:
            InvalidArgumentError: if `value` is of another type.
            ValueError: if its shape does not fit the other elements', or the type in a loop inside of a function.
        """
        with name_scope(name, "TensorArrayWrite", [self._handle, index, value]):
            tensor = self._checked(value)
            self._learn(tensor.dims)
            with self._placed(tensor):
                return self.with_flow(raw.TensorArrayWriteV3(self._handle, index, tensor, self._flow, name=name))

    def stack(self, name: str | None = None) -> Tensor:
        """All elements as one tensor, with a new first axis."""
        with colocate_with(self._handle), name_scope(name, "TensorArrayStack", [self._handle]):
            return self.gather(integers(0, self.size()), name=name)

    def gather(self, indices: TensorLike, name: str | None = None) -> Tensor:
        """The elements at `indices` (an int32 vector) as one tensor, with a new first axis."""
        dims = self._shared.dims
        value = raw.TensorArrayGatherV3(
            self._handle, indices, self._flow, dtype=self._dtype, element_shape=dims, name=name
        )
        if dims is not None:
            value.set_shape([None, *dims])
        return value

    def concat(self, name: str | None = None) -> Tensor:
        """All elements one after the other along their first axis."""
        dims = self._shared.dims
        value, _ = raw.TensorArrayConcatV3(
            self._handle,
            self._flow,
            dtype=self._dtype,
            element_shape_except0=None if dims is None else dims[1:],
            name=name,
        )
        if dims is not None:
            value.set_shape([None, *dims[1:]])
        return value

    def unstack(self, value: TensorLike, name: str | None = None) -> TensorArray:
        """Writes the rows of `value` to the elements 0, 1, …"""
        with name_scope(name, "TensorArrayUnstack", [self._handle, value]):
            return self.scatter(integers(0, shape_of(value)[0]), value, name=name)

    def scatter(self, indices: TensorLike, value: TensorLike, name: str | None = None) -> TensorArray:
        """Writes the rows of `value` to the elements at `indices`, an int32 vector.

        Raises:
            InvalidArgumentError: if `value` is of another type.
            ValueError: if the rows' shape does not fit the other elements', or the type inside of a function.
        """
        with name_scope(name, "TensorArrayScatter", [self._handle, value, indices]):
            tensor = self._checked_rows(value)
            self._learn(None if tensor.dims is None else tensor.dims[1:])
            with self._placed(tensor):
                return self.with_flow(raw.TensorArrayScatterV3(self._handle, indices, tensor, self._flow, name=name))

    def split(self, value: TensorLike, lengths: TensorLike, name: str | None = None) -> TensorArray:
        """Writes consecutive slices of `value`, `lengths[i]` rows long, to the elements 0, 1, …"""
        with name_scope(name, "TensorArraySplit", [self._handle, value, lengths]):
            tensor = convert_to_tensor(value, dtype=self._dtype, name="value")
            with self._placed(tensor):
                rows = cast(lengths, int64)
                known = constant_value(rows)
                if tensor.dims is not None and known is not None and known.shape and known.max() == known.min():
                    self._learn((int(known[0]), *tensor.dims[1:]))
                return self.with_flow(raw.TensorArraySplitV3(self._handle, tensor, rows, self._flow, name=name))

    def size(self, name: str | None = None) -> Tensor:
        """The number of elements, an int32 scalar."""
        return raw.TensorArraySizeV3(self._handle, self._flow, name=name)

    def close(self, name: str | None = None) -> Operation:
        """Frees the array; does nothing inside of functions, where arrays are freed when nobody refers to them."""
        if calls_functions(get_default_graph()):
            return raw.NoOp(name=name)
        return raw.TensorArrayCloseV3(self._handle, name=name)

    def _checked(self, value: TensorLike) -> Tensor:
        """`value` as a tensor of the array's type, as an element."""
        tensor = convert_to_tensor(value, preferred_dtype=self._dtype, name="value")
        if tensor.dtype.base_dtype is not self._dtype:
            graph = tensor.graph if tensor._is_graph_tensor else get_default_graph()
            if isinstance(graph, BodyGraph):
                # A loop or a branch gives a list of the type that was written last, which stack() then refuses.
                raise ValueError(self._of_another_type(tensor))
            raise errors.InvalidArgumentError(None, tensor.op, self._of_another_type(tensor))
        return tensor

    def _checked_rows(self, value: TensorLike) -> Tensor:
        """`value` as a tensor of the array's type, whose rows are elements."""
        tensor = convert_to_tensor(value, preferred_dtype=self._dtype, name="value")
        if tensor.dtype.base_dtype is not self._dtype:
            if calls_functions(get_default_graph()):
                raise ValueError(self._of_another_type(tensor))
            raise errors.InvalidArgumentError(None, tensor.op, self._of_another_type(tensor))
        return tensor

    def _of_another_type(self, tensor: Tensor) -> str:
        return (
            f"Tensor '{tensor.name}' of type {tensor.dtype.base_dtype.name} written to a TensorArray of type "
            f"{self._dtype.name}."
        )

    def _learn(self, dims: Dims) -> None:
        try:
            merged = merge_dims(self._shared.dims, dims)
        except ValueError:
            raise ValueError(
                f"Inconsistent shapes: saw {TensorShape.from_dims(dims)} but expected {self.element_shape} "
            ) from None
        if self._infer_shape:
            self._shared.dims = merged

    @contextlib.contextmanager
    def _placed(self, value: Tensor) -> Iterator[None]:
        if not self._colocates:
            yield
            return
        if self._shared.first is None:
            self._shared.first = value
        with colocate_with(self._shared.first):
            yield

    def __repr__(self) -> str:
        return (
            f"<tf.TensorArray dtype={self._dtype.name} element_shape={self.element_shape} handle='{self._handle.name}'>"
        )


class _EagerTensorArray(EagerMethods, TensorArray):  # type: ignore[misc]  # the methods of the first base are those that hold
    """The array that programs get while executing eagerly; arguments as those of `TensorArray`."""

    def __init__(
        self,
        dtype: DType,
        size: TensorLike | None = None,
        dynamic_size: bool | None = None,
        clear_after_read: bool | None = None,
        tensor_array_name: str | None = None,
        handle: Tensor | None = None,
        flow: Tensor | None = None,
        infer_shape: bool = True,
        element_shape: ShapeLike | None = None,
        colocate_with_first_write_call: bool = True,
        name: str | None = None,
    ) -> None:
        if handle is not None:
            raise ValueError("TensorArray handle is not supported when eager execution is enabled.")
        if size is None:
            raise ValueError("Size must be declared for TensorArrays when eager execution is enabled.")
        self._begin(
            eager_list(
                dtype, size, dynamic_size, clear_after_read, tensor_array_name or name, infer_shape, element_shape
            )
        )


class _TensorArrayV2(TensorArrayV2Methods, TensorArray):  # type: ignore[misc]  # the methods of the first base are those that hold
    """The array that programs get where loops are functions; arguments as those of `TensorArray`."""

    def __init__(
        self,
        dtype: DType,
        size: int | Tensor | None = None,
        dynamic_size: bool | None = None,
        clear_after_read: bool | None = None,
        tensor_array_name: str | None = None,
        handle: Tensor | None = None,
        flow: Tensor | None = None,
        infer_shape: bool = True,
        element_shape: ShapeLike | None = None,
        colocate_with_first_write_call: bool = True,
        name: str | None = None,
    ) -> None:
        # Elements stay when they are read, messages do not name the array, and it is placed nowhere in particular.
        self._begin(dtype, size, flow, element_shape, name)
        self._dynamic_size = bool(dynamic_size)
        self._infer_shape = infer_shape
        self._shared = _Shared(as_dims(element_shape))


def array_of_list(
    flow: Tensor, dtype: DTypeLike, element_shape: ShapeLike, dynamic_size: bool, infer_shape: bool
) -> TensorArray:
    """The array that stands for a TensorList; eagerly an array of its elements.

    Args:
        flow: the list, a variant.
        dtype, element_shape, dynamic_size, infer_shape: as in `TensorArray`.
    """
    settings: dict[str, Any] = {"dynamic_size": dynamic_size, "infer_shape": infer_shape}
    if executing_eagerly():
        stacked = list_ops.tensor_list_stack(flow, dtype, element_shape=element_shape)
        array = TensorArray(
            dtype, raw.Shape(stacked)[0], element_shape=element_shape, clear_after_read=False, **settings
        )
        return array.unstack(stacked)
    array = _TensorArrayV2(as_dtype(dtype), flow=flow, **settings)
    array._shared = _Shared(as_dims(element_shape))
    return array


def list_of_array(array: TensorArray) -> Tensor:
    """The TensorList with the elements of an array, a variant."""
    if isinstance(array, _TensorArrayV2):
        return array.flow
    return list_ops.tensor_list_from_tensor(array.stack(), array.element_shape)


# ---- gradients: what is read is written to the array of gradients, what is written is read from it ----


def _gradient_source(name: str) -> str:
    """The name of the call of `gradients` in which an operation lies: each call has arrays of its own."""
    parts = name.split("/")
    places = [i for i, part in enumerate(parts) if part.startswith("gradients")]
    if not places:
        raise ValueError(
            f"Expected op/tensor name to start with gradients (excluding scope), got: {name}. The gradient of a TensorArray "
            "needs a tf.gradients call whose name starts with 'gradients'."
        )
    return "/".join(parts[: places[-1] + 1])


def _gradient_array(op: Operation, attr: str, flow: Tensor, gradient: Tensor) -> TensorArray:
    array = TensorArray(op.attrs[attr], handle=op.inputs[0], flow=flow, colocate_with_first_write_call=False)
    return array.grad(source=_gradient_source(gradient.name), flow=flow)


def _read_gradient(op: Operation, grad: Tensor) -> list[Any]:
    array = _gradient_array(op, "dtype", op.inputs[2], grad)
    return [None, None, array.write(op.inputs[1], grad).flow]


def _write_gradient(op: Operation, flow: Tensor) -> list[Any]:
    return [None, None, _gradient_array(op, "T", flow, flow).read(op.inputs[1]), flow]


def _gather_gradient(op: Operation, grad: Tensor) -> list[Any]:
    array = _gradient_array(op, "dtype", op.inputs[2], grad)
    return [None, None, array.scatter(op.inputs[1], grad).flow]


def _scatter_gradient(op: Operation, flow: Tensor) -> list[Any]:
    return [None, None, _gradient_array(op, "T", flow, flow).gather(op.inputs[1]), flow]


def _concat_gradient(op: Operation, grad: Tensor, _: Any) -> list[Any]:
    array = _gradient_array(op, "dtype", op.inputs[1], grad)
    return [None, array.split(grad, lengths=op.outputs[1]).flow]


def _split_gradient(op: Operation, flow: Tensor) -> list[Any]:
    return [None, _gradient_array(op, "T", flow, flow).concat(), None, flow]


_GRADIENTS: dict[str, Callable[..., list[Any]]] = {
    "Read": _read_gradient,
    "Write": _write_gradient,
    "Gather": _gather_gradient,
    "Scatter": _scatter_gradient,
    "Concat": _concat_gradient,
    "Split": _split_gradient,
}


def gradient_of(kind: str, op: Operation, *gradients: Any) -> list[Any]:
    """The gradients of an op on TensorArrays, by what it does: "Read", "Write", "Gather", …"""
    return _GRADIENTS[kind](op, *gradients)
