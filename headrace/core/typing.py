"""Names for what functions take and give: `TensorLike`, `OpView`, `NodeView`, `Runtime`, `SessionLike` and others.

They are for annotations only. Modules import them under `TYPE_CHECKING`, so that nothing is loaded for them at run time.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping, MutableMapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar

if TYPE_CHECKING:
    import numpy as np
    import torch
    from tensorboard.compat.proto.config_pb2 import RunMetadata, RunOptions

    from headrace.core.buffers import VariableBuffer
    from headrace.core.composite import IndexedSlices, SparseTensor
    from headrace.core.composite_types import CompositeTensor
    from headrace.core.dims import Dims
    from headrace.core.dtypes import DType
    from headrace.core.graph import Graph
    from headrace.core.graph_functions import Function
    from headrace.core.operation import Operation
    from headrace.core.registry import OpDecl
    from headrace.core.shapes import Dimension, TensorShape
    from headrace.core.tensor import Tensor
    from headrace.core.waiting import Waits

T = TypeVar("T")

# ---- what a program writes for a tensor, a type or a shape ----


class HasOperators(Protocol):
    """What can be computed with as tensors are."""

    def __add__(self, other: Any, /) -> Tensor: ...
    def __radd__(self, other: Any, /) -> Tensor: ...
    def __sub__(self, other: Any, /) -> Tensor: ...
    def __rsub__(self, other: Any, /) -> Tensor: ...
    def __mul__(self, other: Any, /) -> Tensor: ...
    def __rmul__(self, other: Any, /) -> Tensor: ...
    def __truediv__(self, other: Any, /) -> Tensor: ...
    def __rtruediv__(self, other: Any, /) -> Tensor: ...
    def __pow__(self, other: Any, /) -> Tensor: ...
    def __rpow__(self, other: Any, /) -> Tensor: ...
    def __matmul__(self, other: Any, /) -> Tensor: ...
    def __lt__(self, other: Any, /) -> Tensor: ...
    def __le__(self, other: Any, /) -> Tensor: ...
    def __gt__(self, other: Any, /) -> Tensor: ...
    def __ge__(self, other: Any, /) -> Tensor: ...
    def __neg__(self) -> Tensor: ...
    def __getitem__(self, key: Any, /) -> Tensor: ...


class VariableLike(HasOperators, Protocol):
    """A variable of either kind, as functions of tensors see it: something with a value that is a tensor."""

    @property
    def name(self) -> str: ...

    @property
    def dtype(self) -> DType: ...

    @property
    def shape(self) -> TensorShape: ...

    @property
    def op(self) -> Operation: ...

    @property
    def graph(self) -> Graph: ...

    @property
    def device(self) -> str: ...

    def get_shape(self) -> TensorShape:
        """The same as `shape`."""

    def value(self) -> Tensor:
        """Its value as a tensor."""


# A number, text or array that becomes a constant.
ScalarLike: TypeAlias = "bool | int | float | complex | str | bytes | np.generic"
ArrayLike: TypeAlias = "ScalarLike | np.ndarray | Sequence[ArrayLike]"

# What `convert_to_tensor` takes. Objects of further types may be registered with it.
TensorLike: TypeAlias = (
    "Tensor | VariableLike | IndexedSlices | ScalarLike | np.ndarray | TensorShape | Dimension | Sequence[TensorLike]"
)

# What `as_dtype` takes: a name, a type of NumPy or Python, or a number of TensorFlow's `DataType`.
DTypeLike: TypeAlias = "DType | np.dtype[Any] | type | str | int"

IntLike: TypeAlias = "int | np.integer[Any]"
FloatLike: TypeAlias = "float | np.floating[Any] | IntLike"

# What `as_dims` takes; None for an unknown rank is said where it is allowed.
DimLike: TypeAlias = "int | np.integer[Any] | Dimension | None"
ShapeLike: TypeAlias = "TensorShape | Sequence[DimLike] | np.ndarray | DimLike"

# The axes of a reduction: one, several, or a tensor of them.
AxisLike: TypeAlias = "IntLike | Sequence[IntLike] | np.ndarray | Tensor"

# A value, or lists, tuples and dicts of such, nested.
Nested: TypeAlias = "T | Sequence[Nested[T]] | Mapping[Any, Nested[T]]"

# ---- functions that a program hands over ----

# Of a tensor: what becomes of the outputs of a layer, what is added to the loss, what a variable is kept to.
Activation: TypeAlias = "Callable[[Any], Any]"
Regularizer: TypeAlias = "Callable[[Any], Any]"
Constraint: TypeAlias = "Callable[[Any], Any]"
# One of these, or an initializer, as layers take it: itself, its name, or its configuration with a `class_name`.
FunctionIdentifier: TypeAlias = "Callable[..., Any] | str | Mapping[str, Any]"
# Of the shape, the type and more that its class says: the first value of a variable.
InitializerLike: TypeAlias = "Callable[..., Any]"
# Of the shape and the type: into how many parts each axis goes.
Partitioner: TypeAlias = "Callable[..., Sequence[int]]"
# Of the function that would make the variable, and its arguments.
VariableGetter: TypeAlias = "Callable[..., Any]"

# The names of collections that something joins.
CollectionNames: TypeAlias = "str | Sequence[str]"

# ---- sessions ----

# What a run is asked for: nodes of the graph and their names, nested. `register_session_run_conversion_functions` adds
# further types of values made of tensors.
Fetch: TypeAlias = "Tensor | Operation | VariableLike | IndexedSlices | SparseTensor | CompositeTensor | str"
Fetches: TypeAlias = "Nested[Fetch]"
# The value of a key is an array for a tensor, and what the parts of a composite value are given.
FeedDict: TypeAlias = "Mapping[Any, Any]"


class SessionLike(Protocol):
    """What runs a graph: a session, or what wraps one."""

    @property
    def graph(self) -> Graph: ...

    def run(
        self,
        fetches: Fetches,
        feed_dict: FeedDict | None = None,
        options: RunOptions | None = None,
        run_metadata: RunMetadata | None = None,
    ) -> Any:
        """The values of `fetches`."""


class Message(Protocol):
    """A message of the wire format. Its fields are known to its descriptor alone, so any may be asked for or set."""

    def __getattr__(self, name: str) -> Any: ...

    def __setattr__(self, name: str, value: Any) -> None: ...


# ---- what rules of op declarations see ----


class TensorView(Protocol):
    """An input or output of an op, as its rules see it: a `Tensor` of a graph, or a value of a plan."""

    @property
    def dtype(self) -> DType: ...

    @property
    def dims(self) -> Dims: ...


class OpView(Protocol):
    """An application of an op, as shape rules and others see it: an `Operation` of a graph, or a node of a plan.

    Gradient rules build more of the graph, and take the `Operation` itself.
    """

    @property
    def name(self) -> str: ...

    @property
    def type(self) -> str: ...

    @property
    def decl(self) -> OpDecl: ...

    @property
    def attrs(self) -> dict[str, Any]: ...

    @property
    def inputs(self) -> Sequence[TensorView]: ...

    @property
    def outputs(self) -> Sequence[TensorView]: ...

    def constant(self, index: int) -> np.ndarray | None:
        """The value of input `index` where it is known."""

    def constant_dims(self, index: int, *, captured: bool = False) -> Dims:
        """What is known of input `index`, an integer vector that describes a shape: see `Operation.constant_dims`."""


class ValueView(TensorView, Protocol):
    """An input or output of a planned node; the attributes are documented in `plan.ir.Value`."""

    @property
    def node(self) -> NodeView: ...

    @property
    def index(self) -> int: ...

    @property
    def constant(self) -> np.ndarray | None: ...

    @property
    def bound(self) -> Any: ...

    @property
    def scalar(self) -> bool: ...


class NodeView(OpView, Protocol):
    """A planned node, as kernel rules see it; the attributes are documented in `plan.ir.Node`."""

    @property
    def inputs(self) -> Sequence[ValueView]: ...

    @property
    def outputs(self) -> Sequence[ValueView]: ...

    @property
    def device(self) -> torch.device: ...

    @property
    def runtime(self) -> Runtime: ...

    @property
    def origin(self) -> Operation | None: ...

    @property
    def notes(self) -> dict[str, Any]: ...

    @property
    def heavy(self) -> bool: ...

    def kernel(self) -> Kernel:
        """What runs every step."""


# Takes the values of the inputs, tensors or arrays of texts; returns the output or a tuple of outputs.
Kernel: TypeAlias = "Callable[..., Any]"

# ---- what kernels and the planner ask of a session ----


class DeviceSettings(Protocol):
    """The options of a session that say where its operations run."""

    @property
    def allow_soft_placement(self) -> bool: ...

    @property
    def log_device_placement(self) -> bool: ...

    def gpu_count(self) -> int:
        """How many GPUs it may use."""

    def devices(self) -> tuple[str, ...]:
        """The full names of its devices."""


class Tasks(Protocol):
    """The tasks of a cluster, as the planner and the kernels of a session see them; its own has number 0.

    Attributes:
        names: of each task the beginning of the names of its devices, such as "/job:ps/replica:0/task:0".
    """

    @property
    def names(self) -> Sequence[str]: ...

    def task_of(self, device: str, shared: bool, moves: bool) -> int:
        """The number of the task that a device scope asks for.

        Args:
            device: the scope, which may say nothing.
            shared: whether other sessions look for the operation where this one puts it.
            moves: whether the operation may run here if that task does not allow it.
        """

    def caller(self, part: Any, runtime: Runtime) -> Callable[..., Any]:
        """A function of what a part is given that begins a call of its task and returns the attempt."""


class Collectives(Protocol):
    """What brings the members of collectives together: `cluster.collectives`, or this process where there is no cluster."""

    def begin(self, collective: Any, values: Sequence[torch.Tensor]) -> Any:
        """Takes part with the values of some members; the attempt ends when all have come."""


class Runtime(Protocol):
    """The state of a session, as kernels and the planner see it; `runtime.resources` has it.

    Attributes:
        device: where nodes run unless something says otherwise.
        objects: streams, queues and tables, by kind and name.
        waits: what its operations wait for at present.
        settings: its options, None where there are none.
    """

    @property
    def device(self) -> torch.device: ...

    @property
    def objects(self) -> MutableMapping[Any, Any]: ...

    @property
    def waits(self) -> Waits: ...

    @property
    def settings(self) -> DeviceSettings | None: ...

    @property
    def tasks(self) -> Tasks | None: ...

    @property
    def collectives(self) -> Collectives | None: ...

    def device_names(self) -> tuple[str, ...]:
        """The full names of the devices that operations may run on."""

    def buffer(
        self, container: str, name: str, dtype: DType, dims: Dims, device: torch.device, is_resource: bool
    ) -> VariableBuffer:
        """The buffer of a variable, made at its first use."""

    def object(self, key: Hashable, make: Callable[[], T]) -> T:
        """The object kept under `key`, made by calling `make` at its first use."""

    def bind(
        self,
        function: Function,
        scope: str,
        known: Mapping[int, Any] | None = None,
        device: torch.device | None = None,
        fresh: bool = False,
    ) -> Callable[..., tuple[Any, ...]]:
        """A function of the library planned for calls from kernels."""

    def of_call(self, scope: str) -> Runtime:
        """The state as the body of the call `scope` sees it."""

    def clear(self, containers: Collection[str] | None = None) -> None:
        """Forgets all state, or that of the given containers."""
