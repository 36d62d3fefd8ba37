"""Variables reached by a resource handle: each use reads them anew, and a read keeps what it read."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.convert import convert_to_tensor, register_tensor_conversion_function
from headrace.core.defaults import colocate_with, control_dependencies, device, get_default_graph, name_scope
from headrace.core.dtypes import DType
from headrace.core.eager import executing_eagerly, numpy_text
from headrace.core.operation import Operation
from headrace.core.registry import raw
from headrace.core.shapes import TensorShape
from headrace.core.tensor import Tensor
from headrace.state.variable_class import Variable

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    import numpy as np

    from headrace.core.graph import Graph
    from headrace.core.typing import DTypeLike, SessionLike, TensorLike


class BaseResourceVariable(Variable):
    """What resource variables and the results of assigning to them share."""

    _handle: Tensor
    _dtype: DType
    _shape: TensorShape
    _graph_element: Tensor
    _handle_name: str
    _cached_value: Tensor | None = None
    _is_initialized_op: Tensor | None = None

    def _as_graph_element(self) -> Tensor:
        return self._graph_element

    def _as_control_input(self) -> Operation:
        # Waiting for a variable, or for an assignment to it, takes no read.
        return self.op

    def _holder(self) -> Tensor:
        return self._handle

    def _snapshot_tensor(self) -> Tensor:
        return self._cached_value if self._cached_value is not None else self._graph_element

    def to_proto(self, export_scope: str | None = None) -> Any:
        """It as a `VariableDef`; None if it is not below `export_scope`."""
        found = super().to_proto(export_scope)
        if found is not None:
            found.is_resource = True
        return found

    @property
    def handle(self) -> Tensor:
        """The handle through which operations reach it."""
        return self._handle

    @property
    def name(self) -> str:
        """The name of its handle, "w:0"."""
        return self._handle.name if self._in_graph_mode else self._handle_name

    @property
    def op(self) -> Operation:
        """The operation that makes its handle."""
        return self._handle.op

    @property
    def dtype(self) -> DType:
        """The element type."""
        return self._dtype

    @property
    def shape(self) -> TensorShape:
        """The static shape."""
        return self._shape

    @property
    def device(self) -> str:
        """The device it was asked to be on, or ''."""
        return self._handle.device

    @property
    def graph(self) -> Any:
        """The graph it is in."""
        return self._handle.graph

    @functools.cached_property
    def _unique_id(self) -> str:
        # One for the variable and what assignments to it return.
        return f"{self._handle_name.removesuffix(':0')}_{id(self._handle)}"

    @property
    def _graph_key(self) -> Graph:
        return self._handle._op._graph

    @property
    def create(self) -> Operation:
        """The operation that gives it its initial value."""
        return self._initializer_op

    def _shape_as_list(self) -> list[int | None] | None:
        return None if self._shape.ndims is None else self._shape.as_list()

    @property
    def initial_value(self) -> Tensor:
        """The tensor of the initial value; there is none of an eager variable.

        Raises:
            RuntimeError: while executing eagerly.
        """
        if executing_eagerly():
            raise RuntimeError("initial_value not supported in EAGER mode.")
        return self._initial_value

    def set_shape(self, shape: Sequence[float]) -> None:
        """Not there for this kind."""
        raise NotImplementedError("ResourceVariable does not implement set_shape(); make it with the `shape` wanted.")

    def _read_variable_op(self) -> Tensor:
        return raw.ReadVariableOp(self._handle, dtype=self._dtype)

    def value(self) -> Tensor:
        """A tensor that reads it (from its caching device where it has one)."""
        if self._cached_value is not None:
            return self._cached_value
        if executing_eagerly():
            return self._read_variable_op()
        with colocate_with(None, ignore_existing=True), device(self._handle.device):
            return self._read_variable_op()

    def read_value(self) -> Tensor:
        """Its value, read where the program stands: after the control dependencies in force."""
        if executing_eagerly():
            return self._read_variable_op()
        with name_scope("Read"), device(self._handle.device):
            value = self._read_variable_op()
        return raw.Identity(value)

    def sparse_read(self, indices: TensorLike, name: str | None = None) -> Tensor:
        """The rows at `indices`, read without the others."""
        with name_scope("Gather" if name is None else name) as scope:
            value = raw.ResourceGather(self._handle, indices, dtype=self._dtype, name=scope)
        return raw.Identity(value)

    def gather_nd(self, indices: TensorLike, name: str | None = None) -> Tensor:
        """The slices at the index vectors `indices`, read without the others."""
        with name_scope("GatherNd" if name is None else name) as scope:
            value = raw.ResourceGatherNd(self._handle, indices, dtype=self._dtype, name=scope)
        return raw.Identity(value)

    def is_initialized(self, name: str | None = None) -> Tensor:
        """A scalar bool: whether it has a value."""
        return raw.VarIsInitializedOp(self._handle, name=name)

    @contextlib.contextmanager
    def _after_cached_read(self) -> Iterator[None]:
        if self._cached_value is None:
            yield
        else:
            with control_dependencies([self._cached_value]):
                yield

    def _graph_of_updates(self) -> AbstractContextManager[Any]:
        # What an eager variable gets may be part of a function that is being traced.
        if not self._in_graph_mode or get_default_graph().building_function:
            return contextlib.nullcontext()
        return self._handle._op._graph.as_default()

    def _after(self, op: Operation, read_value: bool = True) -> Any:
        if executing_eagerly():
            return _UnreadVariable(self, None) if read_value else None
        return _UnreadVariable(self, op) if read_value else op

    def assign(
        self, value: object, use_locking: bool | None = None, name: str | None = None, read_value: bool = True
    ) -> Any:
        """Gives it a new value.

        Args:
            value: a tensor of its type and shape.
            use_locking: accepted; this kind is always locked.
            name: a name for the operation.
            read_value: whether to return what reads the new value, rather than the operation.

        Raises:
            ValueError: if the static shapes do not fit.
        """
        with self._graph_of_updates():
            tensor = convert_to_tensor(value, self._dtype)
            self._shape.assert_is_compatible_with(tensor.shape)
            return self._after(raw.AssignVariableOp(self._handle, tensor, name=name), read_value)

    def assign_add(
        self, delta: TensorLike, use_locking: bool | None = None, name: str | None = None, read_value: bool = True
    ) -> Any:
        """Adds `delta` to it; arguments as in `assign`."""
        with self._graph_of_updates():
            with self._after_cached_read():
                op = raw.AssignAddVariableOp(self._handle, convert_to_tensor(delta, self._dtype), name=name)
            return self._after(op, read_value)

    def assign_sub(
        self, delta: TensorLike, use_locking: bool | None = None, name: str | None = None, read_value: bool = True
    ) -> Any:
        """Takes `delta` from it; arguments as in `assign`."""
        with self._graph_of_updates():
            with self._after_cached_read():
                op = raw.AssignSubVariableOp(self._handle, convert_to_tensor(delta, self._dtype), name=name)
            return self._after(op, read_value)

    def _scatter_rows(
        self,
        kind: str,
        indices: Tensor | np.ndarray | Sequence[int],
        updates: Tensor | np.ndarray | Sequence[float],
        use_locking: bool,
        name: str | None,
    ) -> Any:
        apply = getattr(raw, f"ResourceScatter{kind}")
        return self._after(apply(self._handle, indices, convert_to_tensor(updates, self._dtype), name=name))

    def _scatter_slices(
        self, kind: str, indices: Tensor | Sequence[Sequence[int]], updates: TensorLike, name: str | None
    ) -> Any:
        apply = getattr(raw, f"ResourceScatterNd{kind}")
        return self._after(apply(self._handle, indices, convert_to_tensor(updates, self._dtype), name=name))

    def _strided_slice_assign(self, **parts: Any) -> Any:
        parts["value"] = convert_to_tensor(parts["value"], self._dtype)
        with self._after_cached_read():
            return self._after(raw.ResourceStridedSliceAssign(ref=self._handle, **parts))

    def count_up_to(self, limit: int) -> Tensor:
        """Adds 1 and gives the value before; OutOfRangeError when run at `limit`."""
        return raw.ResourceCountUpTo(self._handle, limit=limit, T=self._dtype)

    def numpy(self) -> Any:
        """Its value as a NumPy array, while executing eagerly.

        Raises:
            NotImplementedError: while graphs are built.
        """
        if executing_eagerly():
            return self.read_value().numpy()  # type: ignore[attr-defined]  # an EagerTensor
        raise NotImplementedError(
            "numpy() is only available when eager execution is enabled; use eval() or Session.run."
        )

    def __repr__(self) -> str:
        if self._in_graph_mode or not executing_eagerly():
            return super().__repr__()
        text = "<unprintable>"
        if raw.VarIsInitializedOp(self._handle):
            text = numpy_text(self.read_value())  # type: ignore[arg-type]  # an EagerTensor
        return f"<tf.Variable '{self.name}' shape={self.shape} dtype={self.dtype.name}, numpy={text}>"

    def initialized_value(self) -> Tensor:
        """Its value if it has one when run, else its initial value."""
        return self.read_value() if executing_eagerly() else super().initialized_value()

    def load(self, value: TensorLike, session: SessionLike | None = None) -> None:
        """Gives it a new value: at once while executing eagerly, else in `session` or the default session.

        Raises:
            ValueError: if there is no session, or the shape does not fit.
        """
        if executing_eagerly():
            self.assign(value)
        else:
            super().load(value, session)

    def eval(self, session: SessionLike | None = None) -> np.ndarray:
        """Its value in `session` or the default session, as a NumPy array.

        Raises:
            RuntimeError: while executing eagerly.
        """
        if executing_eagerly():
            raise RuntimeError("Trying to eval in EAGER mode")
        return super().eval(session)

    def __int__(self) -> int:
        return int(self.numpy())

    def __float__(self) -> float:
        return float(self.numpy())

    def __bool__(self) -> bool:
        return bool(self.read_value())

    __nonzero__ = __bool__

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> Any:
        return self.read_value().__array__(dtype, copy)

    def _refuse_in_place(self, operator: str, method: str | None = None) -> Any:
        if method is not None:
            raise RuntimeError(
                f"Variable {operator}= value not supported. Use variable.{method}(value) to modify the variable value and "
                f"variable = variable {operator} value to get a new Tensor object."
            )
        raise RuntimeError(
            f"Variable {operator}= value not supported. Use `var.assign(var {operator} value)` to modify the variable or "
            f"`var = var {operator} value` to get a new Tensor object."
        )

    def __iadd__(self, other: Any) -> Any:
        return self._refuse_in_place("+", "assign_add")

    def __isub__(self, other: Any) -> Any:
        return self._refuse_in_place("-", "assign_sub")

    def __imul__(self, other: Any) -> Any:
        return self._refuse_in_place("*")

    def __itruediv__(self, other: Any) -> Any:
        return self._refuse_in_place("/")

    def __ipow__(self, other: Any) -> Any:
        return self._refuse_in_place("**")


class _UnreadVariable(BaseResourceVariable):
    """What an assignment returns: the variable after it; reading it waits for the assignment.

    Args:
        variable: the variable.
        parent_op: the assigning operation; None of one that has run.
    """

    _constraint = None
    _initial_value = None
    _initializer_op: Any = None

    def __init__(self, variable: BaseResourceVariable, parent_op: Operation | None) -> None:
        self._handle = variable._handle
        self._in_graph_mode = variable._in_graph_mode
        self._handle_name = variable._handle_name
        self._dtype = variable._dtype
        self._shape = variable._shape
        self._trainable = variable._trainable
        self._synchronization = variable._synchronization
        self._aggregation = variable._aggregation
        self._parent_op = parent_op
        if parent_op is not None and not parent_op._graph.building_function:
            self._graph_element = self._read_variable_op()

    def _as_graph_element(self) -> Tensor:
        # Eagerly and in functions it is read only where the program does so.
        if self._parent_op is None or self._parent_op._graph.building_function:
            return self._read_variable_op()
        return self._graph_element

    @property
    def name(self) -> str:
        """The name of the assigning operation; "UnreadVariable" if the variable is eager."""
        if self._parent_op is None or not self._in_graph_mode:
            return "UnreadVariable"
        return self._parent_op.name

    @property
    def op(self) -> Any:
        """The assigning operation; None of one that has run."""
        return self._parent_op

    def value(self) -> Tensor:
        """A tensor that reads the variable after the assignment."""
        return self._read_variable_op()

    def read_value(self) -> Tensor:
        """A tensor that reads the variable after the assignment."""
        return self._read_variable_op()

    def _read_variable_op(self) -> Tensor:
        if self._parent_op is None:
            return raw.ReadVariableOp(self._handle, dtype=self._dtype)
        with control_dependencies([self._parent_op]):
            return raw.ReadVariableOp(self._handle, dtype=self._dtype)


def _resource_variable_to_tensor(
    variable: BaseResourceVariable, dtype: DType | None = None, name: str | None = None, as_ref: bool = False
) -> Tensor:
    if dtype is not None and not dtype.is_compatible_with(variable.dtype):
        raise ValueError(
            f"Incompatible type conversion requested to type {dtype.name!r} for variable of type {variable.dtype.name!r}"
        )
    return variable.read_value().op.inputs[0] if as_ref else variable.value()


register_tensor_conversion_function(BaseResourceVariable, _resource_variable_to_tensor)


def is_resource_variable(var: TensorLike) -> bool:
    """Whether `var` is a resource variable, or made of some."""
    return isinstance(var, BaseResourceVariable) or hasattr(var, "_should_act_as_resource_variable")
