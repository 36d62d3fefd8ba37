"""Slots: variables that belong to another variable and are named below it, such as an optimizer's accumulators."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from headrace.core.defaults import colocate_with
from headrace.core.shapes import TensorShape
from headrace.core.tensor import Tensor
from headrace.kernels.composing.filling import zeros
from headrace.kernels.composing.shapes import shape as shape_of
from headrace.state.initializers import zeros_initializer
from headrace.state.replication import get_strategy, has_strategy
from headrace.state.resource_variable_class import is_resource_variable
from headrace.state.slice_info import SaveSliceInfo
from headrace.state.variable_scope import get_variable, get_variable_scope, variable_scope
from headrace.state.variables import RefVariable, Variable

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from headrace.core.dtypes import DType
    from headrace.core.typing import DTypeLike, InitializerLike, ShapeLike, TensorLike


def create_slot(primary: TensorLike, val: Tensor, name: str, colocate_with_primary: bool = True) -> Any:
    """A slot with the initial value `val`.

    Args:
        primary: the variable or tensor it belongs to.
        val: a tensor, which decides its type and shape.
        name: what its name ends in: that of "w" with the name "Adam" is "w/Adam".
        colocate_with_primary: whether it is where `primary` is.

    Example:
        >>> create_slot(w, tf.zeros([3]), "average").name
        'w/average:0'
    """
    with _below(primary, name, colocate_with_primary):
        return _slot_variable(primary, val, val.shape.is_fully_defined(), None, None)


def create_slot_with_initializer(
    primary: TensorLike,
    initializer: InitializerLike,
    shape: TensorShape,
    dtype: DTypeLike,
    name: str,
    colocate_with_primary: bool = True,
) -> Variable:
    """A slot whose initial value `initializer` gives.

    Args:
        primary: the variable or tensor it belongs to.
        initializer: an initializer.
        shape, dtype: those of the slot.
        name, colocate_with_primary: as in `create_slot`.
    """
    with _below(primary, name, colocate_with_primary):
        return _slot_variable(primary, initializer, shape.is_fully_defined(), shape, dtype)


def create_zeros_slot(primary: Any, name: str, dtype: DType | None = None, colocate_with_primary: bool = True) -> Any:
    """A slot of zeros, shaped as `primary`.

    Args:
        primary: the variable or tensor it belongs to.
        name, colocate_with_primary: as in `create_slot`.
        dtype: its type; that of `primary` by default.
    """
    dtype = primary.dtype if dtype is None else dtype
    shape = primary.get_shape()
    if shape.is_fully_defined():
        return create_slot_with_initializer(
            primary, zeros_initializer(), shape, dtype, name, colocate_with_primary=colocate_with_primary
        )
    sizes = shape_of(primary.initialized_value() if isinstance(primary, Variable) else primary)
    return create_slot(primary, zeros(sizes, dtype=dtype), name, colocate_with_primary=colocate_with_primary)


@contextlib.contextmanager
def _below(primary: TensorLike, name: str, colocate: bool) -> Iterator[None]:
    if not colocate:
        place: AbstractContextManager[Any] = contextlib.nullcontext()
    elif has_strategy():
        place = get_strategy().extended.colocate_vars_with(primary)
    else:
        place = colocate_with(primary)
    # As a default name, so that a second slot of the same name becomes "w/Adam_1".
    with variable_scope(None, f"{_name_of(primary)}/{name}"), place:
        yield


def _name_of(primary: Any) -> str:
    return primary._shared_name if isinstance(primary, Variable) else primary.op.name


def _slot_variable(
    primary: TensorLike, val: Any, validate_shape: bool, shape: ShapeLike | None, dtype: DTypeLike | None
) -> Variable:
    if is_resource_variable(primary):
        use_resource: bool | None = True
    else:
        use_resource = False if isinstance(primary, RefVariable) else None
    scope = get_variable_scope()
    partitioner = scope.partitioner
    # A slot has the shape of a whole variable or of one part; it is not divided again.
    scope.set_partitioner(None)
    try:
        slot = get_variable(
            "",
            initializer=val,
            trainable=False,
            use_resource=use_resource,
            shape=shape if callable(val) and not isinstance(val, Tensor) else None,
            dtype=dtype,
            validate_shape=validate_shape,
        )
    finally:
        scope.set_partitioner(partitioner)
    info = primary._save_slice_info if isinstance(primary, Variable) else None
    if info is not None:
        own = slot.name[len(_name_of(primary)) + 1 : -2]
        slot._set_save_slice_info(
            SaveSliceInfo(f"{info.full_name}/{own}", info.full_shape, info.var_offset, info.var_shape)
        )
    return slot
