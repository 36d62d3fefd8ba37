"""Variables that layers of mixed precision read in the type they compute in."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from headrace.core.dtypes import DType, as_dtype
from headrace.core.eager import executing_eagerly, numpy_text
from headrace.distribute.variables import DistributedVariable
from headrace.layers.context import call_context
from headrace.ops.math.cast import cast
from headrace.state.resource_variable_class import is_resource_variable
from headrace.state.resource_variables import ResourceVariable

if TYPE_CHECKING:
    from headrace.core.operation import Operation
    from headrace.core.tensor import Tensor
    from headrace.core.typing import DTypeLike, TensorLike


class _ReadInPlace:
    """What has another type inside the calls of layers that compute in that."""

    _dtype: DType

    @property
    def true_dtype(self) -> DType:
        """The type that it is kept in."""
        return self._dtype

    @property
    def dtype(self) -> DType:
        """The type that it is read in here."""
        return as_dtype(call_context.read_dtype) if self._should_cast() else self._dtype

    def _should_cast(self) -> bool:
        return call_context.read_dtype is not None and as_dtype(call_context.read_dtype) != self._dtype


class AutoCastVariable(_ReadInPlace, ResourceVariable):
    """A variable that is read in another type inside the calls of layers that compute in that.

    Micikevicius et al., "Mixed precision training", arXiv:1710.03740: weights are kept in float32, so that small updates are
    not lost, and used in float16.

    Args:
        variable: the resource variable of a floating type that it stands for; all but reading is the same for both.

    Raises:
        ValueError: if it is no such variable.
    """

    def __init__(self, variable: Any) -> None:
        if not is_resource_variable(variable):
            raise ValueError(f"variable must be of type tf.ResourceVariable, but got: {variable}")
        if not variable.dtype.is_floating:
            raise ValueError(f"variable must be a floating point variable but has type: {variable.dtype.name}")
        # One state for both: what is written through one is there for the other.
        object.__setattr__(self, "__dict__", variable.__dict__)
        self._uncast = variable

    def _as_read(self, value: Tensor) -> Tensor:
        return cast(value, call_context.read_dtype) if self._should_cast() else value

    def value(self) -> Tensor:
        """A tensor that reads it, in the type of the place."""
        return self._as_read(super().value())

    def read_value(self) -> Tensor:
        """Its value, read where the program stands, in the type of the place."""
        return self._as_read(super().read_value())

    def sparse_read(self, indices: TensorLike, name: str | None = None) -> Tensor:
        """The rows at `indices`, in the type of the place."""
        return self._as_read(super().sparse_read(indices, name))

    def gather_nd(self, indices: TensorLike, name: str | None = None) -> Tensor:
        """The slices at the index vectors `indices`, in the type of the place."""
        return self._as_read(super().gather_nd(indices, name))

    def _after(self, op: Operation, read_value: bool = True) -> Any:
        # What reads a new value reads all of it.
        return self._uncast._after(op, read_value)

    def __repr__(self) -> str:
        value = ""
        if executing_eagerly() and not self._in_graph_mode:
            value = f", numpy={numpy_text(self.read_value())}"  # type: ignore[arg-type]  # an EagerTensor
        return (
            f"<AutoCastVariable '{self.name}' shape={self.shape} dtype={self.dtype.name} "
            f"true_dtype={self.true_dtype.name}{value}>"
        )


class _PartsReadInPlace(_ReadInPlace):
    """A variable of several replicas whose parts are such variables."""

    @property
    def _dtype(self) -> DType:  # type: ignore[override]  # that of the parts
        return self._values[0].dtype  # type: ignore[attr-defined, no-any-return]  # a DistributedVariable

    def get(self, device: str | None = None) -> AutoCastVariable:
        """The part of the replica that calls, or of a device."""
        return AutoCastVariable(super().get(device))  # type: ignore[misc]  # likewise

    def _closest(self) -> AutoCastVariable:
        part = super()._closest()  # type: ignore[misc]  # likewise
        return part if isinstance(part, AutoCastVariable) else AutoCastVariable(part)


@functools.cache
def _class_of(kind: type) -> type:
    return type("AutoCastDistributedVariable", (_PartsReadInPlace, kind), {})


def create_autocast_distributed_variable(variable: Any) -> Any:
    """A variable of several replicas as one that layers read in the type they compute in; both have one state.

    Args:
        variable: the variable.

    Raises:
        ValueError: if it is none of several replicas, or of no floating type.
    """
    if not isinstance(variable, DistributedVariable):
        raise ValueError(f"variable must be of type DistributedValues, but got: {variable}")
    if not variable.dtype.is_floating:
        raise ValueError(f"variable must be a floating point variable but has type: {variable.dtype.name}")
    made: Any = object.__new__(_class_of(type(variable)))
    object.__setattr__(made, "__dict__", variable.__dict__)
    return made


def create_autocast_variable(variable: Any) -> Any:
    """A variable as one that layers read in the type they compute in.

    Args:
        variable: a resource variable, of one replica or several; others are returned as they are.
    """
    if isinstance(variable, DistributedVariable):
        return create_autocast_distributed_variable(variable)
    return AutoCastVariable(variable) if is_resource_variable(variable) else variable


@contextlib.contextmanager
def auto_casting(dtype: DTypeLike | None) -> Iterator[None]:
    """A block in which such variables are read in a type; None for their own."""
    outer = call_context.read_dtype
    call_context.read_dtype = dtype
    try:
        yield
    finally:
        call_context.read_dtype = outer
