"""Eager execution: tensors that hold their value, and what stands for an operation that has run already."""

from __future__ import annotations

import contextlib
import functools
import itertools
import math
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core import slots
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import get_default_graph, global_graph, set_global_graph
from headrace.core.device import LOCAL_TASK, short_names
from headrace.core.dims import compatible_dims
from headrace.core.dtypes import DType, as_dtype
from headrace.core.errors import InvalidArgumentError
from headrace.core.graph import Graph
from headrace.core.operation import Operation
from headrace.core.registry import raw
from headrace.core.shapes import as_dims
from headrace.core.tensor import Tensor

if TYPE_CHECKING:
    from headrace.core.origins import Origin
    from headrace.core.registry import OpDecl
    from headrace.core.shapes import TensorShape
    from headrace.core.typing import FeedDict, SessionLike


_next_id = itertools.count().__next__


def executing_eagerly() -> bool:
    """Whether operations run as they are made, rather than being added to a graph."""
    return get_default_graph().is_eager


_eager_graph: Graph | None = None
_plain_graph: Graph | None = None
_lock = threading.RLock()


def eager_graph(config: Any = None) -> Any:
    """The graph whose operations run as they are made, one for the process.

    Args:
        config: a `ConfigProto` that is followed if this is its first use.
    """
    global _eager_graph
    if _eager_graph is not None:
        return _eager_graph
    with _lock:
        if _eager_graph is None:
            _eager_graph = slots.eager_graph(config)
        return _eager_graph


def own_task() -> str:
    """The beginning of the names of the devices of eager execution: the task that this process is in a cluster."""
    if _eager_graph is None:
        return LOCAL_TASK
    task: str = _eager_graph.runtime.task_name  # type: ignore[attr-defined]  # the graph of eager execution has one
    return task


def forget_collections() -> None:
    """Empties the collections of eager execution, such as that of the global step."""
    if _eager_graph is not None:
        _eager_graph._collections.clear()


def enable(config: Any = None) -> None:
    """Makes eager execution what happens outside of all graphs.

    Raises:
        ValueError: if operations have been added to the default graph, or inside a graph.
    """
    if global_graph().is_eager:
        return
    if global_graph().version or global_graph().has_sessions or get_default_graph() is not global_graph():
        raise ValueError("tf.enable_eager_execution must be called at program startup.")
    set_global_graph(eager_graph(config))


def disable() -> None:
    """Makes an empty graph what operations are added to outside of all graphs."""
    if global_graph().is_eager:
        set_global_graph(Graph())


@contextlib.contextmanager
def eager_mode() -> Iterator[None]:
    """A context in which operations run as they are made."""
    if executing_eagerly():
        yield
        return
    with eager_graph().as_default():
        yield


def plain_graph() -> Graph:
    """The default graph; while executing eagerly one that is kept for what is a matter of graphs."""
    global _plain_graph
    if not executing_eagerly():
        return get_default_graph()
    if _plain_graph is None:
        _plain_graph = Graph()
    return _plain_graph


@contextlib.contextmanager
def graph_mode() -> Iterator[None]:
    """A context in which operations are added to a graph: that in force, or one kept for such contexts."""
    if not executing_eagerly():
        yield
        return
    with plain_graph().as_default():
        yield


def _meaningless(name: str) -> property:
    def read(self: EagerTensor) -> Any:
        raise AttributeError(f"Tensor.{name} is meaningless when eager execution is enabled.")

    return property(read)


def _parts_of(value: Any, number: Any) -> tuple[Any, DType, Any]:
    """What an eager tensor of a value of Python's or NumPy's is made of."""
    if isinstance(value, Tensor):
        raise ValueError("TypeError: a tensor is made of Python's and NumPy's values, and this is one already.")
    if number is not None and not isinstance(number, int):
        raise TypeError(f"Expecting a DataType value for dtype. Got {type(number).__name__}")
    try:
        dtype = None if number is None else as_dtype(number)
    except TypeError:
        raise TypeError(f"Invalid dtype argument value {number}: it is the number of no element type.") from None
    try:
        with eager_graph().as_default():
            made: Any = convert_to_tensor(value, dtype)
    except TypeError as error:
        raise TypeError(f"Cannot convert {value!r} to EagerTensor of dtype {dtype and dtype.name}") from error
    return made._value, made._dtype, made._op


class EagerTensor(Tensor):
    """A tensor with a value: what operations give while executing eagerly.

    Args:
        value: the kernels' value: a torch tensor, an array of bytes, or the object behind a handle.
        dtype: the element type.
        source: stands for the operation that made it; its graph is the one that executes eagerly.

    Example:
        >>> tf.enable_eager_execution()
        >>> (tf.constant([1.0, 2.0]) * 2.0).numpy()
        array([2., 4.], dtype=float32)
    """

    _is_graph_tensor = False
    _value_index = 0
    _number = -1
    _value: Any = None
    _op: Any = None
    _dtype: Any = None
    dims: Any = ()
    # The array whose memory its value is, where it was made from one.
    _held: np.ndarray | None = None

    def __init__(self, value: Any, dtype: Any = None, source: Any = None, *, device: str | None = None) -> None:
        if source is None:
            # As tests make them by hand: `value` is Python's or NumPy's, `dtype` the number of a type or None.
            value, dtype, source = _parts_of(value, dtype)
        self._value = value
        self._op = source
        self._dtype = dtype
        shape = getattr(value, "shape", None)
        self.dims = () if shape is None else tuple(shape)

    op = _meaningless("op")
    graph = _meaningless("graph")
    name = _meaningless("name")
    value_index = _meaningless("value_index")

    @property
    def _consumers(self) -> Any:  # type: ignore[override]  # there are none: asking is an error
        raise AttributeError("Tensor.consumers is meaningless when eager execution is enabled.")

    def consumers(self) -> Any:
        """Not known of a tensor that has a value.

        Raises:
            NotImplementedError: always.
        """
        raise NotImplementedError("Tensor.consumers is meaningless when eager execution is enabled.")

    @property
    def _shown_name(self) -> str:
        return f"of shape {self.shape} and type {self._dtype.name}"

    @property
    def _id(self) -> int:
        if self._number < 0:
            self._number = _next_id()
        return self._number

    @property
    def device(self) -> str:
        """The full name of the device its value is on."""
        place = self._op.place
        if place:
            return place
        device = getattr(self._value, "device", None)
        # NumPy's values, strings here, say "cpu" in a text.
        if getattr(device, "type", "cpu") != "cuda":
            return f"{own_task()}/device:CPU:0"
        return f"{own_task()}/device:GPU:{getattr(device, 'index', None) or 0}"

    backing_device = device

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self.dims or ())

    def numpy(self) -> Any:
        """Its value as a NumPy array of its own, or as a NumPy scalar or bytes.

        Raises:
            ValueError: if it is a handle.
        """
        array = self._array()
        return array.copy() if array.ndim else array[()]

    def _numpy(self) -> Any:
        """Its value as an array that shares memory, as a NumPy scalar or bytes."""
        if self._dtype.name in ("resource", "variant"):
            return self.numpy()
        array = self._op._graph.array_of(self)
        return array if array.ndim else array[()]

    def _array(self) -> np.ndarray:
        """Its value as an array that may share memory."""
        if self._held is not None:
            return self._held
        if self._dtype.name in ("resource", "variant"):
            raise ValueError(f"Cannot convert a Tensor of dtype {self._dtype.name} to a NumPy array.")
        return self._op._graph.array_of(self)

    def eval(self, feed_dict: FeedDict | None = None, session: SessionLike | None = None) -> Any:
        """Not there where there is no graph to run.

        Raises:
            NotImplementedError: always.
        """
        raise NotImplementedError(
            "eval is not supported when eager execution is enabled, is .numpy() what you're looking for?"
        )

    def set_shape(self, shape: TensorShape | np.ndarray | Sequence[int | None] | None) -> None:
        """Checks that it has this shape.

        Raises:
            ValueError: if it has another.
        """
        if not compatible_dims(self.dims, as_dims(shape)):
            raise ValueError(f"Tensor's shape {self.shape} is not compatible with supplied shape {shape}")

    def cpu(self) -> EagerTensor:
        """A copy in the host's memory, or itself."""
        return self._moved("/cpu:0")

    def gpu(self, gpu_index: int = 0) -> EagerTensor:
        """A copy in a GPU's memory.

        Raises:
            RuntimeError: if there is no such GPU.
        """
        moved = self._moved(f"/gpu:{gpu_index}")
        if not str(moved.device).upper().endswith(f"GPU:{gpu_index}"):
            raise RuntimeError(f"GPU:{gpu_index} unknown device: there is no such GPU for the tensor to be moved to.")
        return moved

    def _moved(self, device: str) -> EagerTensor:
        with self._op._graph.as_default(), self._op._graph.device(device):
            moved: EagerTensor = raw.Identity(self)
        return moved

    def _copy(self, ctx: object = None, device_name: str | None = None) -> EagerTensor:
        """A copy on a device, that of the scope by default; the context is the process's.

        Raises:
            RuntimeError: if no device has that name.
            TypeError: if it is no text.
        """
        del ctx
        if not isinstance(device_name, str | bytes | None):
            raise TypeError(f"_copy: a device is told by its name, got {device_name!r}.")
        if device_name:
            there = self._op._graph.runtime.device_names()
            if device_name not in {short for name in there for short in (name, *short_names(name))}:
                raise RuntimeError(f"{device_name!r} unknown device: there are {', '.join(there)}.")
        else:
            with self._op._graph.as_default():
                copied: EagerTensor = raw.Identity(self)
            return copied
        return self._moved(device_name)

    def _num_elements(self) -> int:
        """How many elements it has."""
        return math.prod(self.dims)

    def _datatype_enum(self) -> int:
        """The number of its element type."""
        return self._dtype.as_datatype_enum

    def __bool__(self) -> bool:
        if self._dtype.name in ("resource", "variant"):
            return True
        array = self._array()
        # Nothing is false.
        return bool(array) if array.size else False

    __nonzero__ = __bool__

    def __int__(self) -> int:
        return int(self._array())

    def __float__(self) -> float:
        return float(self._array())

    def __complex__(self) -> complex:
        return complex(self._array())

    def __index__(self) -> int:
        array = self._array()
        # A scalar counts by its value, whatever its type.
        return int(array.__index__()) if array.ndim else int(array[()])

    def __bytes__(self) -> bytes:
        # Of a number those are as many zeros, as of Python's own.
        return self._array().tobytes() if self.dims else bytes(int(self))

    def __buffer__(self, flags: int) -> memoryview:
        """Its memory, which may be read; Python asks for it from 3.12 on."""
        if self._dtype.name in ("resource", "variant"):
            raise BufferError(f"Cannot convert a Tensor of dtype {self._dtype.name} to a NumPy array.")
        array = self._array().view()
        array.flags.writeable = False
        return memoryview(array)

    def __format__(self, form: str) -> str:
        return format(self._array()[()] if not self.dims else self._array(), form)

    def __len__(self) -> int:
        if not self.dims:
            raise TypeError("Scalar tensor has no `len()`")
        return int(self.dims[0] or 0)

    def __iter__(self) -> Iterator[Any]:
        if not self.dims:
            raise TypeError("Cannot iterate over a scalar tensor.")
        for i in range(len(self)):
            yield self[i]

    def __contains__(self, item: object) -> bool:
        return any(each is item or each == item for each in self)

    def __reversed__(self) -> Iterator[Any]:
        return (self[i] for i in reversed(range(len(self))))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        array = self._array()
        if dtype is not None and array.dtype != dtype:
            return array.astype(dtype)
        return array if copy is False else array.copy()

    def __copy__(self) -> EagerTensor:
        return self

    def __deepcopy__(self, memo: Any) -> EagerTensor:
        value = self._value
        made = EagerTensor(value.clone() if hasattr(value, "clone") else value, self._dtype, self._op)
        memo[id(self)] = made
        return made

    def __reduce__(self) -> Any:
        return convert_to_tensor, (self.numpy(), self._dtype.name)

    def __str__(self) -> str:
        return f"tf.Tensor({numpy_text(self, as_repr=False)}, shape={self.shape}, dtype={self._dtype.name})"

    def __repr__(self) -> str:
        return f"<tf.Tensor: id={self._id}, shape={self.shape}, dtype={self._dtype.name}, numpy={numpy_text(self)}>"

    __hash__ = Tensor.__hash__


def eager_tensor(
    value: Any, dtype: DType, source: EagerSource, dims: Any, new: Callable[..., Any] = object.__new__
) -> EagerTensor:
    """An eager tensor of a value of a known shape: not asking torch for it saves half of what making one takes."""
    made: EagerTensor = new(EagerTensor)
    made._value = value
    made._op = source
    made._dtype = dtype
    made.dims = dims
    return made


def numpy_text(tensor: EagerTensor, as_repr: bool = True) -> str:
    """A tensor's value as texts of tensors and variables show it: on lines of its own where it takes several."""
    if tensor.dtype.name in ("resource", "variant"):
        return "<unprintable>"
    value = tensor.numpy()
    if not as_repr:
        text = str(value)
    else:
        text = repr(value) if np.ndim(value) else (str(value) if isinstance(value, np.generic) else repr(value))
    return "\n" + text if "\n" in text else text


class EagerOperation(Operation):
    """An operation that has run: what gradient functions ask about it.

    It is kept by the tapes that record it and by nothing else.
    """

    _device = ""
    _control_flow_context = None
    _original_op = None
    _in_program_order = False
    _frames = ()
    _id = 0
    _gradient_function: Callable[..., Any] | None = None
    # What the eager graph knows of calls like it, if there were any.
    _known_call: Any = None

    def __init__(self, graph: Graph, decl: OpDecl, name: str, inputs: list[Any], attrs: dict[str, Any]) -> None:
        self._graph = graph
        self.decl = decl
        self._name = name
        self._inputs = inputs
        self.attrs = attrs
        self._control_inputs = []
        self._control_outputs = []
        self._outputs: list[Any] = []


# Past the question whether it is a NodeDef that an operation is made of.
new_operation = functools.partial(type.__call__, EagerOperation)


class EagerSource:
    """What stands for the operation behind eager tensors: it knows their graph and place only, so it keeps nothing alive.

    Args:
        graph: the graph.
        place: the full name of the device that the tensors are on; "" where their values tell.

    Attributes:
        origin: what made them, of values that can be made again in a graph.
    """

    origin: Origin | None = None

    def __init__(self, graph: Graph, place: str = "") -> None:
        self._graph = graph
        self.place = place
        self._name = ""
        self._device = ""
        self._control_flow_context = None
        self._inputs: list[Any] = []
        self.inputs: list[Any] = []
        self.attrs: dict[str, Any] = {}
        self.type = "EagerTensor"


def constant_array(tensor: Tensor) -> np.ndarray | None:
    """The value of an eager tensor as an array that must not be written to; None of a handle."""
    if isinstance(tensor, EagerTensor) and tensor.dtype.name not in ("resource", "variant"):
        return tensor._array()
    return None


def refuse(what: str, instead: str) -> RuntimeError:
    """The error of asking for something that only graphs have."""
    return RuntimeError(f"{what} is not supported when eager execution is enabled. {instead}")


def invalid(message: str, op_type: str) -> InvalidArgumentError:
    """The error of an eager operation whose arguments do not fit each other."""
    return InvalidArgumentError(None, None, f"{message} [Op:{op_type}]")
